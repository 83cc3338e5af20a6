"""Outcomes as they are kept, sent and held: the core's octets, deflated.

Each stands for itself: they come one by one, from several processes, and are pruned one by one.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import overload

from airfair._core import Outcome

_RAW = -zlib.MAX_WBITS
"""Deflate without a frame: the archive has a checksum of its own, which covers the key too."""


def pack(octets: bytes) -> bytes:
    """What `Outcome.to_bytes` wrote, smaller."""
    return zlib.compress(octets, wbits=_RAW)


def unpack(packed: bytes) -> Outcome:
    """The outcome; raises `ValueError` for anything else."""
    try:
        return Outcome.from_bytes(zlib.decompress(packed, wbits=_RAW))
    except zlib.error as error:
        raise ValueError(f"an outcome: {error}") from error


class Outcomes(Sequence[Outcome | None]):
    """Outcomes in the order of their jobs, each unpacked when it is asked for: packed ones take a fifth."""

    def __init__(self, packed: Sequence[bytes | None]) -> None:
        self._packed = packed

    def __len__(self) -> int:
        return len(self._packed)

    @overload
    def __getitem__(self, place: int) -> Outcome | None: ...
    @overload
    def __getitem__(self, place: slice) -> Outcomes: ...
    def __getitem__(self, place: int | slice) -> Outcome | Outcomes | None:
        if isinstance(place, slice):
            return Outcomes(self._packed[place])
        packed = self._packed[place]
        return None if packed is None else unpack(packed)

    def packed(self, place: int) -> bytes | None:
        """One of them as it is kept."""
        return self._packed[place]

    @property
    def missing(self) -> int:
        """Number of those that there are not."""
        return sum(packed is None for packed in self._packed)

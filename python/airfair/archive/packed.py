"""Packed outcomes, for archive, transport and memory: the octets of the core, compressed with deflate.

Each is compressed separately, because runs are added and removed one by one, by several processes.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import overload

from airfair._core import Outcome

_RAW = -zlib.MAX_WBITS
"""Deflate without a frame: the archive has a checksum of its own, which covers the key too."""


def pack(octets: bytes) -> bytes:
    """Compressed octets of `Outcome.to_bytes`."""
    return zlib.compress(octets, wbits=_RAW)


def unpack(packed: bytes) -> Outcome:
    """Outcome from packed octets; raises `ValueError` for anything else."""
    try:
        return Outcome.from_bytes(zlib.decompress(packed, wbits=_RAW))
    except zlib.error as error:
        raise ValueError(f"an outcome: {error}") from error


class Outcomes(Sequence[Outcome | None]):
    """Lazy sequence of outcomes in the order of their jobs; packed ones need a fifth of the memory."""

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
        """Packed outcome at an index; `None` if it is missing."""
        return self._packed[place]

    @property
    def missing(self) -> int:
        """Number of missing outcomes."""
        return sum(packed is None for packed in self._packed)

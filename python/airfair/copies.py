"""Pickling and copying of scenarios (as TOML) and outcomes (as octets with the hash of the build).

Only the build of airfair that wrote the octets of an outcome can read them.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable

from ._core import Outcome, Scenario


class ForeignResultError(ValueError):
    """Raised for a result that this version or build of airfair cannot read, because another one wrote it."""


def enable() -> None:
    """Register scenarios and outcomes with `pickle` and `copy`."""
    copyreg.pickle(Scenario, _reduce_scenario)
    copyreg.pickle(Outcome, _reduce_outcome)


def outcome(octets: bytes, by: bytes) -> Outcome:
    """Outcome from octets of the build `by`; raises `ForeignResultError` unless this is that build."""
    from .archive import build

    if by != build():
        raise ForeignResultError(
            "this outcome is of another build of airfair and cannot be read; run the scenario again"
        )
    return Outcome.from_bytes(octets)


def _reduce_scenario(scenario: Scenario) -> tuple[Callable[[str], Scenario], tuple[str]]:
    return _scenario, (scenario.to_toml(),)


def _scenario(text: str) -> Scenario:
    return Scenario.parse(text.encode(), emulated=True)


def _reduce_outcome(
    one: Outcome,
) -> tuple[Callable[[bytes, bytes], Outcome], tuple[bytes, bytes]]:
    from .archive import build

    return outcome, (one.to_bytes(), build())

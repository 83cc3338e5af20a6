"""Declarations of all tasks."""

from __future__ import annotations

from collections.abc import Mapping

from .declaration import Declaration, Level, Lever, Signals

TASK = "airfair/ContentionWindow-v0"
"""Name of the first task, which is the default."""


def _powers(lowest: float, highest: float, share: float) -> float:
    """Power of two, whose exponent lies between two exponents."""
    return float(2.0 ** (lowest + share * (highest - lowest)))


def _contention_window(share: float) -> Level:
    return (int(_powers(4, 10, share)) - 1,)


_CONTENTION_WINDOW = Declaration(
    name=TASK,
    scenario="crowded-cell.toml",
    step="10 ms",
    history=300,
    window=150,
    observe={"cell": Signals(["collided"]), "local": Signals(["busy", "airtime"])},
    lever=Lever(
        name="contention window",
        noun="window",
        levels=[(2**exponent - 1,) for exponent in range(4, 11)],
        between=_contention_window,
    ),
    reward="goodput",
    rivals={"802.11 back-off": {}},
    vary={"station.s.count": (5, 10, 20, 30, 40, 50)},
)

TASKS: Mapping[str, Declaration] = {each.name: each for each in (_CONTENTION_WINDOW,)}
"""Declarations by their names in the registry of Gymnasium."""

"""Form in which a task is declared, and the declarations of all tasks, which `tasks.toml` has."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from airfair.scenario import Value

Level = tuple[int, ...]
"""Values of a lever."""


@dataclass(frozen=True)
class Lever:
    """Setting of a world that an action changes."""

    name: str
    """Name of the setting in `airfair._core.Worlds`."""
    noun: str
    """Word for the setting in tables."""
    levels: Sequence[Level]
    """Values of the discrete actions, in ascending order."""
    between: Callable[[float], Level]
    """Values of a continuous action, which is a number from 0 to 1."""
    each_station: bool = False
    """True if an action has a part for each station."""


@dataclass(frozen=True)
class Signals:
    """Signals that a learner sees of each step."""

    world: Sequence[str]
    """Signals of all stations and access points together."""
    stations: Sequence[str] = ()
    """Signals of each station, which follow the others."""


@dataclass(frozen=True)
class Declaration:
    """A task."""

    name: str
    """Name in the registry of Gymnasium."""
    scenario: str
    """Name of the scenario's file, beside this module."""
    step: str
    """Time between two actions."""
    history: int
    """Number of steps that an observation covers."""
    observe: Mapping[str, Signals]
    """Signals by the value of the option `observe`: "cell" and "local"."""
    lever: Lever
    """Setting that actions change."""
    reward: Literal["goodput", "fair goodput", "timely goodput"]
    """Aim of the task."""
    rivals: Mapping[str, Mapping[str, Value]]
    """Mechanisms that act in place of a learner, by name, with the scenario's keys that choose them."""
    window: int | None = None
    """Number of steps in each mean and standard deviation of an observation; `None` for the steps."""
    vary: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    """Key of the scenario with the values for which baselines are printed."""


TASK = "airfair/ContentionWindow-v0"
"""Name of the first task, which is the default."""


def _powers(lowest: float, highest: float, share: float) -> float:
    """Power of two, whose exponent lies between two exponents."""
    return float(2.0 ** (lowest + share * (highest - lowest)))


def _ratio(share: float) -> Level:
    """Weights of a ratio from 1 : 8 to 8 : 1."""
    ratio = _powers(-3, 3, share)
    return (8, max(round(8 / ratio), 1)) if ratio >= 1 else (max(round(8 * ratio), 1), 8)


BETWEEN: Mapping[str, Callable[[float], Level]] = {
    "contention window": lambda share: (int(_powers(4, 10, share)) - 1,),
    "queue weights": _ratio,
    "rate down": lambda share: (round(7 * share),),
    "window": lambda share: (round(_powers(0, 5, share)),),
    # From 250 µs to the longest PPDU.
    "aggregate limit": lambda share: (round(250 * (5484 / 250) ** share),),
}
"""Functions from a number from 0 to 1 to the values of a continuous action, by the names of levers."""


def _declared(name: str, keys: dict[str, Any]) -> Declaration:
    """Task as `tasks.toml` declares it."""
    lever = keys["lever"]
    lever |= {"levels": [*map(tuple, lever["levels"])], "between": BETWEEN[lever["name"]]}
    observe = {option: Signals(**signals) for option, signals in keys["observe"].items()}
    return Declaration(name, **keys | {"observe": observe, "lever": Lever(**lever)})


_FILE = Path(__file__).with_suffix(".toml")
TASKS: Mapping[str, Declaration] = {
    name: _declared(name, keys)
    for name, keys in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}
"""Declarations by their names in the registry of Gymnasium."""

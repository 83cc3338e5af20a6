"""Form in which a task is declared: its scenario, signals, lever, reward and rivals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

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
    window: int | None
    """Number of steps in each mean and standard deviation of an observation; `None` for the steps."""
    observe: Mapping[str, Signals]
    """Signals by the value of the option `observe`: "cell" and "local"."""
    lever: Lever
    """Setting that actions change."""
    reward: Literal["goodput", "fair goodput", "timely goodput"]
    """Aim of the task."""
    rivals: Mapping[str, Mapping[str, Value]]
    """Mechanisms that act in place of a learner, by name, with the scenario's keys that choose them."""
    vary: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    """Key of the scenario with the values for which baselines are printed."""

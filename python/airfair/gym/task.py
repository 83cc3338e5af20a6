"""A task with its options: its spaces, and the scenario of an episode."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from types import EllipsisType
from typing import Literal, TypedDict

import numpy as np
from gymnasium import spaces

from airfair import _core
from airfair._core import Scenario
from airfair.scenario import Source, Value, folder_of, parse, text_of, toml_value

from .tasks import TASK, TASKS, Declaration, Lever

Allowed = tuple[int, int] | tuple[float, float] | Sequence[Value]
"""Values that an episode may draw: a pair (lowest, highest) of numbers, or a list of values."""

_SECOND = 10**9


class TaskError(ValueError):
    """An option or an action of a task has a value that is not allowed."""


class Options(TypedDict, total=False):
    """Options of a task, for `gymnasium.make` and everything else that makes environments of it.

    Where no default is given, the task has one of its own.
    """

    scenario: Source
    """Scenario; by default the task's."""
    set: Mapping[str, Value]
    """Keys of the scenario that have other values, by their dotted paths."""
    step: str | float
    """Time between two actions, as text with a unit or in seconds."""
    duration: str | float | None
    """Length of an episode; by default that of the scenario."""
    observe: Literal["cell", "local"]
    """Signals of a step: "cell" (the default) has some that only a simulator knows, "local" none of these."""
    actions: Literal["discrete", "continuous"]
    """Form of an action: "discrete" (the default) is the number of a level, "continuous" an array with a
    number from -1 to 1. Where each station has its own setting, an action has one of them for each."""
    draw: Mapping[str, Allowed]
    """Keys of the scenario that each episode draws: a pair (lowest, highest), or a list of values."""
    history: int
    """Number of steps that an observation covers."""
    window: int | None
    """Number of steps in each mean and standard deviation of an observation; half of them are also in the
    next one. `None` is for the values of the steps."""


class Task:
    """A task, as it is declared in `tasks.toml`, with its options.

    Raises `TaskError` for options that are not allowed, and `ScenarioError` for a scenario with mistakes.
    """

    def __init__(  # noqa: PLR0913 - options, each with a default
        self,
        *,
        task: str = TASK,
        scenario: Source | None = None,
        set: Mapping[str, Value] | None = None,  # noqa: A002 - the word of airfair.run
        step: str | float | None = None,
        duration: str | float | None = None,
        observe: Literal["cell", "local"] = "cell",
        actions: Literal["discrete", "continuous"] = "discrete",
        draw: Mapping[str, Allowed] | None = None,
        history: int | None = None,
        window: int | EllipsisType | None = ...,
    ) -> None:
        self.declaration = declared = declaration(task)
        self.lever: Lever = declared.lever
        chosen: Source = _scenario_of(declared) if scenario is None else scenario
        self._text, self._folder = text_of(chosen), folder_of(chosen)
        self._fixed: dict[str, Value] = {"warmup": "0 s", **(set or {})}
        if duration is not None:
            self._fixed["duration"] = duration if isinstance(duration, str) else f"{duration} s"
        self._draw = dict(draw or {})
        self._step_ns = _nanoseconds(declared.step if step is None else step)
        self._signals = declared.observe[_one_of("observe", observe, declared.observe)]
        self.is_discrete = _one_of("actions", actions, ("discrete", "continuous")) == "discrete"
        self._history = declared.history if history is None else history
        self._window = declared.window if window is ... else window
        self.scenario = lru_cache(maxsize=256)(self._scenario)
        for path, allowed in self._draw.items():
            _check_draw(path, allowed)
        for ends in (0, -1):
            self.scenario(self._overrides(ends))
        self._stations = self._number_of_stations()
        self.observation_space = observations(self.worlds(1, threads=1).width)
        self.action_space = self.actions()

    @property
    def parts(self) -> int:
        """Number of settings that an action gives."""
        return self._stations or 1 if self.lever.each_station else 1

    def actions(self) -> spaces.Discrete | spaces.MultiDiscrete | spaces.Box:
        """New space of the actions of one learner."""
        if not self.is_discrete:
            return spaces.Box(-1.0, 1.0, (self.parts,), np.float32)
        levels = len(self.lever.levels)
        if self.lever.each_station:
            return spaces.MultiDiscrete([levels] * self.parts)
        return spaces.Discrete(levels)

    def stations(self) -> Sequence[str]:
        """Names of the stations. Raises `TaskError` if they depend on what an episode draws."""
        lowest, highest = (self.scenario(self._overrides(end)).stations for end in (0, -1))
        if list(lowest) != list(highest):
            raise TaskError("draw: the stations of the cell must be those of every episode")
        return tuple(lowest)

    def _number_of_stations(self) -> int | None:
        """Number of stations, if a learner sees or sets each of them."""
        if self.lever.each_station or self._signals.stations:
            return len(self.stations())
        return None

    def worlds(
        self,
        count: int,
        *,
        threads: int | None,
        by_station: bool = False,
        film_ns: int | None = None,
    ) -> _core.Worlds:
        """Places for `count` worlds of this task. With `film_ns`, they keep films of this length."""
        try:
            return _core.Worlds(
                count,
                step_ns=self._step_ns,
                signals=["retried", "busy", "goodput"] if by_station else list(self._signals.world),
                station_signals=[] if by_station else list(self._signals.stations),
                stations=self._stations,
                lever=self.lever.name,
                sets_stations=self.lever.each_station,
                reward=self.declaration.reward,
                history=self._history,
                window=self._window,
                by_station=by_station,
                threads=threads,
                film_ns=film_ns,
            )
        except (ValueError, OverflowError) as error:
            raise TaskError(str(error)) from None

    def start(
        self, worlds: _core.Worlds, world: int, random: np.random.Generator
    ) -> dict[str, Value]:
        """Start an episode in a place of `worlds`, and return the values that it has drawn."""
        drawn = {path: _drawn(allowed, random) for path, allowed in self._draw.items()}
        worlds.start(world, self.scenario(_as_toml(drawn)), int(random.integers(2**63)))
        return drawn

    def _overrides(self, end: int) -> tuple[tuple[str, str], ...]:
        """Values of one end of what an episode may draw."""
        return _as_toml({path: allowed[end] for path, allowed in self._draw.items()})

    def _scenario(self, drawn: tuple[tuple[str, str], ...]) -> Scenario:
        return parse(self._text, [*_as_toml(self._fixed), *drawn], self._folder)

    def values(self, action: object) -> list[int]:
        """Values of the lever that an action sets."""
        lever = self.lever
        if not lever.each_station:
            return list(self._level(action if self.is_discrete else np.asarray(action).item()))
        parts = np.asarray(action).ravel().tolist()
        if len(parts) != self.parts:
            raise TaskError(f"action of {len(parts)} parts: allowed are {self.parts}")
        return [value for part in parts for value in self._level(part)]

    def _level(self, part: object) -> tuple[int, ...]:
        """Values that one part of an action sets."""
        lever = self.lever
        if self.is_discrete:
            number: int = int(part)  # type: ignore[call-overload] # numpy's or Python's
            if not 0 <= number < len(lever.levels):
                raise TaskError(f"action {number}: allowed are 0 to {len(lever.levels) - 1}")
            return lever.levels[number]
        value = float(part)  # type: ignore[arg-type] # a number
        if math.isnan(value):
            raise TaskError("action NaN: allowed are numbers from -1 to 1")
        return lever.between((min(max(value, -1.0), 1.0) + 1.0) / 2.0)


def declaration(task: str) -> Declaration:
    """Declaration of a task. Raises `TaskError` if there is no such task."""
    if task not in TASKS:
        names = ", ".join(repr(name) for name in TASKS)
        raise TaskError(f"task {task!r}: allowed are {names}")
    return TASKS[task]


def _scenario_of(declared: Declaration) -> bytes:
    return files("airfair.gym").joinpath(declared.scenario).read_bytes()


def observations(width: int) -> spaces.Box:
    """Space of observations of `width` values."""
    return spaces.Box(0.0, 1.0, (width,), np.float32)


def record_hash(outcome: _core.Outcome) -> str:
    """Hash of all records of an episode: equal episodes have equal hashes."""
    return f"{outcome.record_hash:016x}"


def _as_toml(values: Mapping[str, Value]) -> tuple[tuple[str, str], ...]:
    """Pairs of a dotted path and a value in TOML."""
    return tuple((path, toml_value(value)) for path, value in values.items())


def _nanoseconds(step: str | float) -> int:
    try:
        return _core.duration_ns(step) if isinstance(step, str) else round(step * _SECOND)
    except ValueError as error:
        raise TaskError(f"step = {step!r}: {error}") from None


def _one_of(option: str, found: str, allowed: Sequence[str] | Mapping[str, object]) -> str:
    if found not in allowed:
        words = " and ".join(f'"{word}"' for word in allowed)
        raise TaskError(f"{option} = {found!r}: allowed are {words}")
    return found


def _check_draw(path: str, allowed: Allowed) -> None:
    if isinstance(allowed, tuple):
        numbers = [isinstance(it, (int, float)) and not isinstance(it, bool) for it in allowed]
        if numbers == [True, True] and allowed[0] <= allowed[1]:
            return
    elif not isinstance(allowed, str) and len(allowed) > 0:
        return
    raise TaskError(
        f"draw[{path!r}] = {allowed!r}: allowed is a pair (lowest, highest) of numbers or a list of values"
    )


def _drawn(allowed: Allowed, random: np.random.Generator) -> Value:
    if not isinstance(allowed, tuple):
        return allowed[int(random.integers(len(allowed)))]
    low, high = allowed
    if isinstance(low, int) and isinstance(high, int):
        return int(random.integers(low, high, endpoint=True))
    return float(random.uniform(low, high))

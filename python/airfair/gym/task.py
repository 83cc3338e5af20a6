"""The task of a contention window: its options, its spaces, and the scenario of an episode."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Literal, TypedDict

import numpy as np
from gymnasium import spaces

from airfair import _core
from airfair._core import Scenario
from airfair.scenario import Source, Value, folder_of, parse, text_of, toml_value

Allowed = tuple[int, int] | tuple[float, float] | Sequence[Value]
"""Values that an episode may draw: a pair (lowest, highest) of numbers, or a list of values."""

Drawn = Mapping[str, Value]
"""Values that an episode has drawn, by the paths of their keys."""

TASK = "airfair/ContentionWindow-v0"
"""Name of the task in the registry of Gymnasium."""

WINDOWS: tuple[int, ...] = tuple(2**exponent - 1 for exponent in range(4, 11))
"""Contention windows of the discrete actions [slots]."""

_SIGNALS = {"cell": ("collided",), "local": ("busy", "airtime")}
_SECOND = 10**9
_EXPONENTS = (4.0, 10.0)


class TaskError(ValueError):
    """An option or an action of a task has a value that is not allowed."""


class Options(TypedDict, total=False):
    """Options of the task, for `gymnasium.make` and everything else that makes environments of it."""

    scenario: Source
    """Scenario; by default the crowded cell of Wydmański and Szott."""
    step: str | float
    """Time between two actions, as text with a unit or in seconds. The default is "10 ms"."""
    duration: str | float | None
    """Length of an episode; by default that of the scenario."""
    observe: Literal["cell", "local"]
    """Signals of a step: "cell" (the default) is the share of collided frames among those of all nodes, which
    only a simulator knows; "local" is the share of time in which the access point senses a busy channel, and
    the share in which it sends or receives a frame."""
    actions: Literal["discrete", "continuous"]
    """Form of an action: "discrete" (the default) is the number of one of 7 windows, "continuous" an array
    with a number from -1 to 1, for windows from 15 to 1023."""
    draw: Mapping[str, Allowed]
    """Keys of the scenario that each episode draws: a pair (lowest, highest), or a list of values."""
    history: int
    """Number of steps that an observation covers. The default is 300."""
    window: int | None
    """Number of steps in each mean and standard deviation of an observation; half of them are also in the
    next one. `None` is for the values of the steps. The default is 150."""


class Task:
    """Control of the contention window of all nodes of a cell, for the highest goodput.

    The task is that of Wydmański and Szott [contention-window-2021]. In each step the learner chooses the
    contention window of all stations and access points, 2^(a+4) - 1 slots for a from 0 to 6. It observes the
    share of collided frames in the last steps, as means and standard deviations. Its reward is the goodput of
    the step relative to the highest data rate.

    Raises `TaskError` for options that are not allowed, and `ScenarioError` for a scenario with mistakes.
    """

    def __init__(  # noqa: PLR0913 - options, each with a default
        self,
        *,
        scenario: Source | None = None,
        step: str | float = "10 ms",
        duration: str | float | None = None,
        observe: Literal["cell", "local"] = "cell",
        actions: Literal["discrete", "continuous"] = "discrete",
        draw: Mapping[str, Allowed] | None = None,
        history: int = 300,
        window: int | None = 150,
    ) -> None:
        source = files("airfair.gym").joinpath("crowded-cell.toml").read_bytes()
        chosen: Source = source if scenario is None else scenario
        self._text, self._folder = text_of(chosen), folder_of(chosen)
        self._fixed: dict[str, Value] = {"warmup": "0 s"}
        if duration is not None:
            self._fixed["duration"] = duration if isinstance(duration, str) else f"{duration} s"
        self._draw = dict(draw or {})
        self._step_ns = _nanoseconds(step)
        self._signals = _SIGNALS[_one_of("observe", observe, _SIGNALS)]
        self.is_discrete = _one_of("actions", actions, ("discrete", "continuous")) == "discrete"
        self._history, self._window = history, window
        self.scenario = lru_cache(maxsize=256)(self._scenario)
        for path, allowed in self._draw.items():
            _check_draw(path, allowed)
        for ends in (0, -1):
            self.scenario(self._overrides(ends))
        self.observation_space = observations(self.worlds(1, threads=1).width)
        self.action_space = self.actions()

    def actions(self) -> spaces.Discrete | spaces.Box:
        """New space of the actions of one learner."""
        if self.is_discrete:
            return spaces.Discrete(len(WINDOWS))
        return spaces.Box(-1.0, 1.0, (1,), np.float32)

    def stations(self) -> Sequence[str]:
        """Names of the stations. Raises `TaskError` if they depend on what an episode draws."""
        lowest, highest = (self.scenario(self._overrides(end)).stations for end in (0, -1))
        if list(lowest) != list(highest):
            raise TaskError("draw: the stations of the cell must be those of every episode")
        return tuple(lowest)

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
                signals=["retried", "busy", "goodput"] if by_station else list(self._signals),
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

    def slots(self, action: object) -> int:
        """Contention window that an action sets [slots]."""
        if self.is_discrete:
            number: int = int(action)  # type: ignore[call-overload] # numpy's or Python's
            if not 0 <= number < len(WINDOWS):
                raise TaskError(f"action {number}: allowed are 0 to {len(WINDOWS) - 1}")
            return WINDOWS[number]
        value = float(np.asarray(action, np.float64).item())
        if math.isnan(value):
            raise TaskError("action NaN: allowed are numbers from -1 to 1")
        slots: float = 2.0 ** _exponent(min(max(value, -1.0), 1.0))
        return int(slots) - 1


def observations(width: int) -> spaces.Box:
    """Space of observations of `width` values."""
    return spaces.Box(0.0, 1.0, (width,), np.float32)


def record_hash(outcome: _core.Outcome) -> str:
    """Hash of all records of an episode: equal episodes have equal hashes."""
    return f"{outcome.record_hash:016x}"


def _as_toml(values: Mapping[str, Value]) -> tuple[tuple[str, str], ...]:
    """Pairs of a dotted path and a value in TOML."""
    return tuple((path, toml_value(value)) for path, value in values.items())


def _exponent(action: float) -> float:
    """Exponent of the window of a continuous action from -1 to 1."""
    low, high = _EXPONENTS
    return low + (action + 1.0) / 2.0 * (high - low)


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

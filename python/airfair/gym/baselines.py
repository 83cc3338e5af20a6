"""Baselines of the task: what a learner has to be better than."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from airfair import statistics, text_table
from airfair.scenario import Value
from airfair.text_table import Line, Table

from .environment import Seen
from .task import TASK, WINDOWS, Options, Task, TaskError
from .vector import Actions

Policy = Callable[[Seen], Actions]
"""Function from observations, a row for each environment, to actions."""

_STATIONS: Mapping[str, Sequence[Value]] = {"station.s.count": (5, 10, 20, 30, 40, 50)}
_CHOOSING = 2**32
"""Distance of the seeds with which the best window is chosen from those with which it is measured."""
_MEGA = 1e6


@dataclass(frozen=True)
class Baseline:
    """Goodput of one policy in one cell."""

    policy: str
    """Name of the policy."""
    point: Mapping[str, Value]
    """Keys of the scenario in which the cells differ."""
    goodput_mbps: float
    """Mean goodput of the episodes [Mb/s]."""
    half_width: float | None
    """Half the width of the 95 % confidence interval of the goodput [Mb/s]; `None` for a single episode."""
    reward: float
    """Mean reward of a step."""
    window: int | None = None
    """The fixed contention window [slots], if there is one."""


@dataclass(frozen=True)
class Baselines:
    """Table of baselines: a line for each cell, and a column for each policy."""

    task: str
    rows: Sequence[Baseline]

    def __str__(self) -> str:
        policies = list(dict.fromkeys(row.policy for row in self.rows))
        lines = []
        for start in range(0, len(self.rows), len(policies)):
            rows = self.rows[start : start + len(policies)]
            label = ", ".join(f"{path} = {value}" for path, value in rows[0].point.items())
            lines.append(Line(label or "the cell", [_cell(row) for row in rows]))
        table = Table("goodput [Mb/s]", policies, lines)
        return "\n".join(text_table.text(table, 110)).rstrip()


def baselines(  # noqa: PLR0913 - options, each with a default
    task: str = TASK,
    *,
    vary: Mapping[str, Sequence[Value]] | None = None,
    episodes: int = 10,
    seed: int = 1,
    policies: Mapping[str, Policy] | None = None,
    threads: int | None = None,
    **options: Unpack[Options],
) -> Baselines:
    """Simulate the baselines of a task, print their table, and return it.

    The baselines are the back-off of 802.11, whose window doubles after each failure; the best of the fixed
    windows, chosen in other episodes than those that are shown; and a window at random in each step.
    Intervals are 95 % confidence intervals of the mean over `episodes`, which have the same seeds for all
    policies.

    `vary` is a key of the scenario with its values, a line of the table for each; by default the number of
    stations, unless there is an own scenario. `policies` are further columns, such as trained learners.

    Raises `TaskError` for an unknown task or options that are not allowed, and `ScenarioError` for a scenario
    with mistakes.
    """
    if task != TASK:
        raise TaskError(f"task {task!r}: allowed is {TASK!r}")
    if episodes < 1:
        raise TaskError(f"episodes = {episodes}: allowed are 1 and more")
    chosen = vary if vary is not None else {} if "scenario" in options else _STATIONS
    if len(chosen) > 1 or not all(chosen.values()):
        raise TaskError(f"vary = {chosen!r}: allowed is one key with its values")
    points: list[dict[str, Value]] = [{}]
    for path, values in chosen.items():
        points = [{path: value} for value in values]
    rows: list[Baseline] = []
    for point in points:
        at_point: Options = options.copy()
        at_point["draw"] = {**options.get("draw", {}), **{key: [point[key]] for key in point}}
        cell = _Cell(Task(**at_point), point, episodes, threads)
        rows += cell.rows(seed, policies or {})
    table = Baselines(task, rows)
    sys.stdout.write(f"{table}\n")
    return table


class _Cell:
    """A cell in which policies are measured."""

    def __init__(
        self, task: Task, point: Mapping[str, Value], episodes: int, threads: int | None
    ) -> None:
        self._task, self._point = task, point
        self._worlds = task.worlds(episodes, threads=threads)
        self._count = episodes

    def rows(self, seed: int, policies: Mapping[str, Policy]) -> list[Baseline]:
        """Baselines and further policies."""
        random = np.random.default_rng(seed)
        best = max(WINDOWS, key=lambda window: self._chosen(seed, window))

        def at_random(_: Seen) -> list[int]:
            return [WINDOWS[each] for each in random.integers(len(WINDOWS), size=self._count)]

        rows = [
            self._row("802.11 back-off", seed, lambda _: None),
            self._row("best fixed window", seed, lambda _: [best] * self._count, best),
            self._row("random", seed, at_random),
        ]
        return rows + [
            self._row(name, seed, self._windows_of(policy)) for name, policy in policies.items()
        ]

    def _windows_of(self, policy: Policy) -> Callable[[Seen], list[int]]:
        return lambda seen: [self._task.slots(action) for action in policy(seen)]

    def _chosen(self, seed: int, window: int) -> float:
        goodput, _ = self._run(seed + _CHOOSING, lambda _: [window] * self._count)
        return float(goodput.mean())

    def _row(
        self,
        policy: str,
        seed: int,
        windows: Callable[[Seen], list[int] | None],
        window: int | None = None,
    ) -> Baseline:
        goodput, rewards = self._run(seed, windows)
        return Baseline(
            policy=policy,
            point=self._point,
            goodput_mbps=float(goodput.mean()),
            half_width=statistics.half_width(goodput.tolist()),
            reward=float(rewards.mean()),
            window=window,
        )

    def _run(
        self, seed: int, windows: Callable[[Seen], list[int] | None]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Goodput [Mb/s] and mean reward of each episode."""
        worlds = self._worlds
        for index in range(self._count):
            self._task.start(worlds, index, seeding.np_random(seed + index)[0])
        highest = np.array([worlds.highest_bps(index) for index in range(self._count)])
        seen, _, over = worlds.seen()
        total, steps = np.zeros(self._count), np.zeros(self._count)
        while not over.all():
            chosen = windows(seen)
            if chosen is not None:
                worlds.set_windows(chosen)
            running = ~over
            seen, rewards, over = worlds.advance()
            total += np.where(running, rewards, 0.0)
            steps += running
        return total / steps * highest / _MEGA, total / steps


def _cell(row: Baseline) -> str:
    half = "" if row.half_width is None else f" ± {row.half_width:.2f}"
    window = "" if row.window is None else f" ({row.window})"
    return f"{row.goodput_mbps:.2f}{half}{window}"

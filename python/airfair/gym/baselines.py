"""Baselines of the tasks: what a learner has to be better than."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Unpack

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from airfair import statistics, text_table
from airfair.scenario import Value
from airfair.text_table import Line, Table

from .environment import Seen
from .task import Options, Task, TaskError, declaration
from .tasks import TASK, Level
from .vector import Actions

Policy = Callable[[Seen], Actions]
"""Function from observations, a row for each environment, to actions."""

Values = list[list[int]] | None
"""Values of the lever for each environment, or nothing."""
Chooser = Callable[[Seen], Values]
"""Function from observations to what is set."""

_CHOOSING = 2**32
"""Distance of the seeds with which the best setting is chosen from those with which it is measured."""
_MEGA = 1e6
_WIDTH = 110
_LONGEST_LABEL = _WIDTH // 3


@dataclass(frozen=True)
class Baseline:
    """Result of one policy in one world."""

    policy: str
    """Name of the policy."""
    point: Mapping[str, Value]
    """Keys of the scenario in which the worlds differ."""
    goodput_mbps: float
    """Mean of the episodes [Mb/s]: the goodput, or the fair goodput where the task rewards that."""
    half_width: float | None
    """Half the width of the 95 % confidence interval of the goodput [Mb/s]; `None` for a single episode."""
    reward: float
    """Mean reward of a step."""
    setting: Sequence[Level] | None = None
    """Values of the lever, for each of its parts, if they are fixed."""


@dataclass(frozen=True)
class Baselines:
    """Table of baselines: a line for each world, and a column for each policy."""

    task: str
    rows: Sequence[Baseline]

    def __str__(self) -> str:
        policies = list(dict.fromkeys(row.policy for row in self.rows))
        lines = []
        for start in range(0, len(self.rows), len(policies)):
            rows = self.rows[start : start + len(policies)]
            label = ", ".join(_label(path, value) for path, value in rows[0].point.items())
            lines.append(Line(label or "the cell", [_cell(row) for row in rows]))
        table = Table(f"{declaration(self.task).reward} [Mb/s]", policies, lines)
        return "\n".join(text_table.text(table, _WIDTH)).rstrip()


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

    The baselines are the mechanisms that the task names as rivals, without any action; the best of the fixed
    settings, chosen in other episodes than those that are shown; and a setting at random in each step. Where
    each station has its own setting, the best is found by trying the levels of one station after the other.
    Intervals are 95 % confidence intervals of the mean over `episodes`, which have the same seeds for all
    policies.

    `vary` is a key of the scenario with its values, a line of the table for each; by default one that the
    task names, unless there is an own scenario. An own scenario needs the names of the task's, because keys
    choose the rivals. `policies` are further columns, such as trained learners.

    Raises `TaskError` for an unknown task or options that are not allowed, and `ScenarioError` for a scenario
    with mistakes.
    """
    declared = declaration(task)
    if episodes < 1:
        raise TaskError(f"episodes = {episodes}: allowed are 1 and more")
    chosen = vary if vary is not None else {} if "scenario" in options else declared.vary
    if len(chosen) > 1 or not all(chosen.values()):
        raise TaskError(f"vary = {chosen!r}: allowed is one key with its values")
    points: list[dict[str, Value]] = [{}]
    for path, values in chosen.items():
        points = [{path: value} for value in values]
    rows: list[Baseline] = []
    for point in points:
        at_point: Options = options.copy()
        at_point["draw"] = {**options.get("draw", {}), **{key: [point[key]] for key in point}}
        rows += _Point(task, at_point, point, episodes, threads).rows(seed, policies or {})
    table = Baselines(task, rows)
    sys.stdout.write(f"{table}\n")
    return table


class _Point:
    """Options of a task with which policies are measured."""

    def __init__(
        self,
        task: str,
        options: Options,
        point: Mapping[str, Value],
        episodes: int,
        threads: int | None,
    ) -> None:
        self._options, self._point, self._count = options, point, episodes
        self._threads = threads
        self._task = Task(task=task, **options)
        self._lever = self._task.lever

    def rows(self, seed: int, policies: Mapping[str, Policy]) -> list[Baseline]:
        """Rivals, the best fixed setting, one at random, and further policies."""
        random = np.random.default_rng(seed)
        levels, parts = self._lever.levels, self._task.parts

        def at_random(_: Seen) -> Values:
            drawn = random.integers(len(levels), size=(self._count, parts))
            return [_flat([levels[part] for part in parts]) for parts in drawn.tolist()]

        rows = [
            self._row(name, seed, lambda _: None, task=self._with(keys))
            for name, keys in self._task.declaration.rivals.items()
        ]
        best = self._best(seed + _CHOOSING)
        rows.append(self._row(f"best fixed {self._lever.noun}", seed, self._fixed(best), best))
        rows.append(self._row("random", seed, at_random))
        return rows + [
            self._row(name, seed, self._values_of(policy)) for name, policy in policies.items()
        ]

    def _with(self, keys: Mapping[str, Value]) -> Task:
        """Task with other keys of the scenario."""
        if not keys:
            return self._task
        options = self._options.copy()
        options["set"] = {**options.get("set", {}), **keys}
        return Task(task=self._task.declaration.name, **options)

    def _values_of(self, policy: Policy) -> Chooser:
        return lambda seen: [self._task.values(action) for action in policy(seen)]

    def _fixed(self, setting: Sequence[Level]) -> Chooser:
        values = [_flat(setting)] * self._count
        return lambda _: values

    def _best(self, seed: int) -> Sequence[Level]:
        """Setting whose mean reward is highest: the parts in turn, until none becomes better."""

        @cache
        def earned(setting: tuple[Level, ...]) -> float:
            goodput, _ = self._run(self._task, seed, self._fixed(setting))
            return float(goodput.mean())

        best, before = (self._lever.levels[-1],) * self._task.parts, None
        while best != before:
            before = best
            for part in range(len(best)):
                choices = [(*best[:part], level, *best[part + 1 :]) for level in self._lever.levels]
                best = max(choices, key=earned)
        return best

    def _row(
        self,
        policy: str,
        seed: int,
        choose: Chooser,
        setting: Sequence[Level] | None = None,
        task: Task | None = None,
    ) -> Baseline:
        goodput, rewards = self._run(task or self._task, seed, choose)
        return Baseline(
            policy=policy,
            point=self._point,
            goodput_mbps=float(goodput.mean()),
            half_width=statistics.half_width(goodput.tolist()),
            reward=float(rewards.mean()),
            setting=setting,
        )

    def _run(
        self, task: Task, seed: int, choose: Chooser
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Goodput [Mb/s] and mean reward of each episode."""
        worlds = task.worlds(self._count, threads=self._threads)
        for index in range(self._count):
            task.start(worlds, index, seeding.np_random(seed + index)[0])
        highest = np.array([worlds.highest_bps(index) for index in range(self._count)])
        seen, _, over = worlds.seen()
        total, steps = np.zeros(self._count), np.zeros(self._count)
        while not over.all():
            chosen = choose(seen)
            if chosen is not None:
                worlds.set(chosen)
            running = ~over
            seen, rewards, over = worlds.advance()
            total += np.where(running, rewards, 0.0)
            steps += running
        return total / steps * highest / _MEGA, total / steps


def _flat(setting: Sequence[Level]) -> list[int]:
    """Values of all parts."""
    return [value for level in setting for value in level]


def _label(path: str, value: Value) -> str:
    """Key with its value; of a long path the last word alone."""
    label = f"{path} = {value}"
    return label if len(label) <= _LONGEST_LABEL else label.rpartition(".")[2]


def _cell(row: Baseline) -> str:
    half = "" if row.half_width is None else f" ± {row.half_width:.2f}"
    words = ", ".join(":".join(map(str, level)) for level in row.setting or ())
    return f"{row.goodput_mbps:.2f}{half}" + (f" ({words})" if words else "")

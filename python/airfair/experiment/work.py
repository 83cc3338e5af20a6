"""Runs of an experiment in rounds, until the rule for its replications is satisfied."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, overload

from airfair import archive
from airfair.archive import Archive
from airfair.progress import shown

from .conditions import ERROR
from .results import ExperimentResult, Spent
from .stopping import Fixed, Until, UntilDecided

if TYPE_CHECKING:
    from airfair._core import Scenario
    from airfair.archive import Engine
    from airfair.law_use import LawUse

    from .experiment import Experiment
    from .runs import Runs

DEFAULT = "default"
"""Argument `store` of `Experiment.run` for the user's own archive."""


@dataclass(frozen=True)
class Means:
    """Archive, engine and progress display for runs."""

    archive: Archive | None
    engine: Engine
    progress: Callable[[float], object] | bool = True


@contextlib.contextmanager
def opened(store: Archive | str | Path | None, *, fresh: bool = False) -> Iterator[Archive | None]:
    """Open archive for the argument `store` of `Experiment.run`; `None` without one.

    `fresh` discards the runs of this build, if `store` is a path.
    """
    if store is None or isinstance(store, Archive):
        yield store
        return
    path = archive.default_path() if store == DEFAULT else Path(store)
    if path is None:
        yield None
        return
    with Archive(path, fresh=fresh) as kept:
        yield kept


@contextlib.contextmanager
def begun(engine: Engine | str | None, threads: int | None) -> Iterator[Engine]:
    """Engine for the argument `engine` of `Experiment.run`; closed at the end if it was created here."""
    form = "local" if engine is None else engine
    chosen = archive.engine(form, threads=threads) if isinstance(form, str) else form
    try:
        yield chosen
    finally:
        if chosen is not engine:
            chosen.close()


class Work:
    """Runs of an experiment in progress."""

    def __init__(self, experiment: Experiment, runs: Runs, means: Means) -> None:
        self._experiment = experiment
        self._runs = runs
        self._means = means
        self._spent = Spent()

    def finish(self) -> ExperimentResult:
        """Run all replications that the rule requires, and return the result."""
        experiment = self._experiment
        rule = experiment.replications
        self._extend(dict.fromkeys(range(len(self._runs.points)), rule.least))
        match rule:
            case Until():
                self._until(rule)
            case UntilDecided():
                self._until_decided(rule)
            case Fixed():
                pass
        return self._result()

    def _until(self, rule: Until) -> None:
        """Add replications to points whose interval is too wide."""
        while not self._spent.interrupted:
            wanted = {}
            for place, samples in enumerate(self._result().samples(rule.measure)):
                one, count = samples.estimate, len(samples.upper)
                # If some run has no value, there is no mean, even with more replications.
                if (
                    samples.is_known
                    and count < rule.most
                    and not rule.is_enough(one.mean, one.ci95)
                ):
                    wanted[place] = rule.next(count, one.mean, one.ci95)
            if not wanted:
                return
            self._extend(wanted)

    def _until_decided(self, rule: UntilDecided) -> None:
        """Add replications to all points until no claim is undecided."""
        for count in rule.looks[1:]:
            if self._spent.interrupted:
                return
            if not any(one.here == "undecided" for one in self._result().decide()):
                return
            self._extend(dict.fromkeys(range(len(self._runs.points)), count))

    def _extend(self, counts: Mapping[int, int]) -> None:
        """Run each point, by index, up to its number of replications, in order of replications."""
        runs = self._runs
        most = max(counts.values(), default=0)
        wanted = [
            (place, number)
            for number in range(most)
            for place, count in counts.items()
            if runs.count(place) <= number < count
        ]
        jobs = _Jobs(wanted, self._scenario, self._laws)
        wall, cpu = time.perf_counter(), time.process_time()
        done = self._run(jobs)
        finished = 0
        for i, (place, _) in enumerate(wanted):
            packed = done.outcomes.packed(i)
            if packed is not None:
                runs.packed[place].append(packed)
                finished += 1
        self._spent = replace(
            self._spent,
            cpu_s=self._spent.cpu_s + time.process_time() - cpu,
            wall_s=self._spent.wall_s + time.perf_counter() - wall,
            runs=self._spent.runs + finished,
            found=self._spent.found + done.found,
            interrupted=done.interrupted,
            unsaved=self._spent.unsaved or str(done.unsaved or ""),
        )

    def _run(self, jobs: Sequence[archive.Job]) -> archive.Done:
        means = self._means
        with shown(means.progress, self._experiment.title) as tell:
            return archive.run(jobs, means.archive, engine=means.engine, progress=tell)

    def _scenario(self, place: int, replication: int) -> Scenario:
        first = self._runs.scenarios[place]
        if self._experiment.draw is None or replication == 0:
            return first
        return self._experiment.drawn_scenario(self._runs.points[place], replication, first)

    def _laws(self, place: int, replication: int) -> tuple[LawUse, ...]:
        if self._experiment.draw is None or replication == 0:
            return tuple(self._runs.laws[place])
        return self._experiment.laws_at(self._runs.points[place], replication)

    @property
    def _error(self) -> float:
        """Error probability of each interval, given the number of tests."""
        rule = self._experiment.replications
        return rule.error if isinstance(rule, UntilDecided) else ERROR

    def _result(self) -> ExperimentResult:
        experiment = self._experiment
        return ExperimentResult(
            experiment.title,
            experiment.factors,
            self._runs,
            self._spent,
            claims=experiment.claims,
            seed=experiment.seed,
            error=self._error,
        )


class _Jobs(Sequence[archive.Job]):
    """Lazy sequence of jobs, from pairs of the index of a point and a replication.

    If values are drawn at random, each job has its own scenario; all of them together would need ten times
    the memory of the results.
    """

    def __init__(
        self,
        runs: Sequence[tuple[int, int]],
        scenario: Callable[[int, int], Scenario],
        laws: Callable[[int, int], tuple[LawUse, ...]],
    ) -> None:
        self._runs = runs
        self._scenario = scenario
        self._laws = laws

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, place: int) -> archive.Job: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[archive.Job]: ...
    def __getitem__(self, place: int | slice) -> archive.Job | Sequence[archive.Job]:
        if isinstance(place, slice):
            return _Jobs(self._runs[place], self._scenario, self._laws)
        point, replication = self._runs[place]
        laws = self._laws(point, replication)
        return archive.Job(self._scenario(point, replication), replication, laws)

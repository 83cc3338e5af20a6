"""Runs of points: of one experiment in rounds until its rule is satisfied, or of several together."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from airfair import archive
from airfair.archive import Archive, Job, Jobs
from airfair.progress import shown

from .conditions import ERROR
from .results import ExperimentResult, Spent
from .stopping import Fixed, Until, UntilDecided

if TYPE_CHECKING:
    from airfair.archive import Engine

    from .experiment import Experiment
    from .runs import Runs

DEFAULT = "default"
"""Argument `store` of `Experiment.run` for the user's own archive."""


@dataclass(frozen=True)
class Means:
    """Archive, engine and progress display for runs."""

    archive: Archive | None = None
    engine: Engine | None = None
    """By default threads of this machine, one per core."""
    progress: Callable[[float], object] | bool = True
    """True for a bar on standard error, or a function called with the fraction done."""
    label: str = ""
    """Text before the bar."""

    def part(self, first: float, last: float) -> Means:
        """Means of a part of the work, in which the fraction done rises from `first` to `last`."""
        tell = self.progress
        if not callable(tell):
            return self
        return replace(self, progress=lambda done: tell(first + done * (last - first)))

    def extend(
        self, runs: Runs, wanted: Sequence[tuple[int, int]], job: Callable[[int, int], Job]
    ) -> Spent:
        """Run pairs of the index of a point and a replication, and add their outcomes to `runs`."""
        wall, cpu = time.perf_counter(), time.process_time()
        with shown(self.progress, self.label) as tell:
            jobs = Jobs(wanted, lambda each: job(*each))
            done = archive.run(jobs, self.archive, engine=self.engine, progress=tell)
        finished = 0
        for i, (place, _) in enumerate(wanted):
            packed = done.outcomes.packed(i)
            if packed is not None:
                runs.packed[place].append(packed)
                finished += 1
        return Spent(
            cpu_s=time.process_time() - cpu,
            wall_s=time.perf_counter() - wall,
            runs=finished,
            found=done.found,
            interrupted=done.interrupted,
            unsaved=done.unsaved,
            simulated_s=done.simulated_s,
        )


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
        self._means = replace(means, label=experiment.title)
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
        missing = {place: range(runs.count(place), count) for place, count in counts.items()}
        pairs = ((place, number) for place, numbers in missing.items() for number in numbers)
        wanted = sorted(pairs, key=itemgetter(1))
        self._spent += self._means.extend(runs, wanted, self._job)

    def _job(self, place: int, replication: int) -> Job:
        experiment, runs = self._experiment, self._runs
        scenario, laws = runs.scenarios[place], tuple(runs.laws[place])
        if experiment.draw is not None and replication > 0:
            point = runs.points[place]
            scenario = experiment.drawn_scenario(point, replication, scenario)
            laws = experiment.laws_at(point, replication)
        return Job(scenario, replication, laws)

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

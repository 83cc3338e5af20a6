"""Search in two stages: points spread evenly, then points near changes of sign. Runs are archived.

Each point has its own seed, shared by both scenarios of its pair. So the runs of a pair share random streams,
and different points are independent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from airfair._core import Scenario
from airfair.archive import Archive, Job, run
from airfair.result import Result
from airfair.scenario import identity, load

from .cells import FULL, QUICK, Pair, Times, pair
from .decide import Comparison, Effect, compare, of_point
from .measures import UNIT, Samples, effects, sampled
from .schemes import Scheme
from .space import Condition, Floats, between, condition, spread


@dataclass(frozen=True)
class Plan:
    """Size of a search: points, replications, seed and durations of runs."""

    points: int
    """Number of points of the first stage; half as many follow in the second."""
    replications: int
    seed: int
    times: Times = FULL

    @property
    def refined(self) -> int:
        """Number of points of the second stage."""
        return self.points // 2


FULL_PLAN = Plan(points=256, replications=10, seed=1)
QUICK_PLAN = Plan(points=24, replications=4, seed=1, times=QUICK)


@dataclass(frozen=True)
class Point:
    """Point with the samples of its pair of scenarios."""

    key: str
    """Hash of everything that determines the samples."""
    stage: int
    place: Floats
    where: Condition
    without: Samples
    using: Samples


@dataclass(repr=False)
class Found:
    """Points of a scheme, with their comparisons; it prints as the shares of wins and losses."""

    scheme: Scheme
    plan: Plan
    points: list[Point] = field(default_factory=list)
    interrupted: bool = False
    unsaved: OSError | None = None
    """Error because of which the archive could not save all runs."""
    comparisons: list[dict[str, Comparison]] = field(default_factory=list)
    """Comparisons of each point by measure, without undefined ones."""
    threads: int | None = None
    """Number of threads; by default one per core."""

    def __repr__(self) -> str:
        from .report import in_short

        return in_short(self)

    @property
    def about(self) -> dict[str, Any]:
        """Entries on the search in the manifest of the directory."""
        plan = self.plan
        return {
            "scheme": self.scheme.id,
            "standard": self.scheme.standard,
            "seed": plan.seed,
            "points": plan.points,
            "replications": plan.replications,
            "interrupted": self.interrupted,
        }

    def decide(self) -> None:
        """Compare all points by all measures, as one family of tests."""
        slots, differences, matters = [], [], []
        for i, point in enumerate(self.points):
            unit = float(np.mean(point.without[UNIT]))
            for name, criterion in self.scheme.criteria.items():
                values = effects(criterion, point.without[name], point.using[name], unit)
                if np.isfinite(values).all():
                    slots.append((i, name))
                    differences.append(values)
                    matters.append(criterion.matters)
        self.comparisons = [{} for _ in self.points]
        for (i, name), comparison in zip(slots, compare(differences, matters), strict=True):
            self.comparisons[i][name] = comparison

    def verdicts(self, measure: str | None = None) -> list[Effect | None]:
        """Effect at each point by one measure, or by the judged ones; `None` if undefined."""
        if measure is not None:
            return [c[measure].verdict if measure in c else None for c in self.comparisons]
        judged = [
            [c[name].verdict for name in self.scheme.judged if name in c] for c in self.comparisons
        ]
        return [of_point(verdicts) if verdicts else None for verdicts in judged]


def find(
    scheme: Scheme,
    plan: Plan,
    archive: Archive | None = None,
    progress: Callable[[float], object] | None = None,
    threads: int | None = None,
) -> Found:
    """Run both stages of a search; archived runs are not repeated."""
    found = Found(scheme, plan, threads=threads)
    for stage in (1, 2):
        if not found.interrupted:
            places = spread(scheme.space, plan.points, plan.seed) if stage == 1 else _border(found)
            _run(found, stage, places, archive, progress)
            found.decide()
    return found


def _border(found: Found) -> Floats:
    """Coordinates of the points of the second stage, by each judged measure in turn."""
    scheme, plan = found.scheme, found.plan
    places = np.array([point.place for point in found.points])
    chosen = np.zeros((0, len(scheme.space)))
    for turn, name in enumerate(scheme.judged):
        verdicts = found.verdicts(name)
        says = np.array([verdict is not None for verdict in verdicts])
        signs = np.array([verdict.sign for verdict in verdicts if verdict is not None])
        share = (plan.refined - len(chosen)) // (len(scheme.judged) - turn)
        taken = np.vstack([places, chosen])
        chosen = np.vstack([chosen, between(scheme.space, places[says], signs, share, taken)])
    return chosen


@dataclass(frozen=True)
class _Asked:
    """Pair of scenarios to run."""

    place: Floats
    where: Condition
    pair: Pair
    scenarios: tuple[Scenario, ...]
    """Scenarios without and with the scheme."""
    key: str


def _asked(scheme: Scheme, plan: Plan, place: Floats) -> _Asked:
    where = condition(scheme.space, place.tolist())
    both = pair(where, scheme.switch, plan.times)
    seed = point_seed(plan.seed, scheme.id, place)
    scenarios = tuple(
        load(keys, seed=seed, replications=plan.replications) for keys in (both.without, both.using)
    )
    names = ",".join((*scheme.measures, *map(str, scenarios[0].flows)))
    text = "\n".join([*map(identity, scenarios), names])
    return _Asked(place, where, both, scenarios, hashlib.sha256(text.encode()).hexdigest())


def point_seed(seed: int, scheme: str, place: Floats) -> int:
    """Seed of both scenarios of a point."""
    text = f"{seed} {scheme} {' '.join(f'{u:.12f}' for u in place)}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def _run(
    found: Found,
    stage: int,
    places: Floats,
    archive: Archive | None,
    progress: Callable[[float], object] | None,
) -> None:
    """Run the pairs at the given coordinates; points interrupted by Ctrl-C are left out."""
    plan, before = found.plan, len(found.points)
    asked = [_asked(found.scheme, plan, place) for place in places]
    jobs = [
        Job(scenario, number)
        for one in asked
        for scenario in one.scenarios
        for number in range(plan.replications)
    ]

    def tell(part: float) -> None:
        if progress is not None:
            progress((before + part * len(asked)) / (plan.points + plan.refined))

    done = run(jobs, archive, threads=found.threads, progress=tell)
    outcomes = iter(done.outcomes)
    criteria = found.scheme.criteria.values()
    for one in asked:
        sides = [[next(outcomes) for _ in range(plan.replications)] for _ in one.scenarios]
        finished = [[each for each in side if each is not None] for side in sides]
        if finished == sides:
            without, using = (
                sampled(Result(scenario, side), one.pair.flows, criteria)
                for scenario, side in zip(one.scenarios, finished, strict=True)
            )
            found.points.append(Point(one.key, stage, one.place, one.where, without, using))
    found.interrupted = done.interrupted
    found.unsaved = found.unsaved or done.unsaved


def table(scheme: Scheme, points: Iterable[Point]) -> pl.DataFrame:
    """Table with one row per point: its condition, and lists of samples of each measure without and with."""
    names = (*scheme.measures, UNIT)
    rows: Sequence[dict[str, Any]] = [
        {"key": p.key, "stage": p.stage, "place": p.place.tolist()}
        | p.where
        | {f"{name} without": p.without[name].tolist() for name in names}
        | {f"{name} with": p.using[name].tolist() for name in names}
        for p in points
    ]
    return pl.DataFrame(rows, infer_schema_length=None)

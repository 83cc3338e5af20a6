"""Runs pairs at points: first spread evenly, then where the sign changes. What is done is kept.

Each point has a seed of its own, which both scenarios of the pair share: they see the same luck, and
points are independent of each other.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from airfair import __version__, store
from airfair.engine import run_many
from airfair.scenario import identity, load

from .cells import FULL, QUICK, Pair, Times, pair
from .decide import Comparison, Verdict, compare, of_point
from .measures import MEASURES, Samples, effects, measure
from .schemes import Scheme
from .space import Condition, Floats, between, condition, spread

FILE = "points.parquet"
UNIT = "mean_flow"
"""Sampled beside the measures: the unit for the slowest flow."""
_BATCH = 8
"""Points between two savings."""


@dataclass(frozen=True)
class Plan:
    """Extent of a search."""

    points: int
    """Of the first stage; half as many follow at the border."""
    replications: int
    seed: int
    times: Times = FULL

    @property
    def refined(self) -> int:
        """Points of the second stage."""
        return self.points // 2


FULL_PLAN = Plan(points=256, replications=10, seed=1)
QUICK_PLAN = Plan(points=24, replications=4, seed=1, times=QUICK)


@dataclass(frozen=True)
class Point:
    """A pair that has run."""

    key: str
    """Hash of all that its samples follow from."""
    stage: int
    place: Floats
    where: Condition
    without: Samples
    using: Samples


@dataclass
class Found:
    """The points of a scheme, with what they say."""

    scheme: Scheme
    plan: Plan
    points: list[Point] = field(default_factory=list)
    interrupted: bool = False
    comparisons: list[dict[str, Comparison]] = field(default_factory=list)
    """By measure, of each point; a measure that says nothing there is left out."""
    unused: str | None = None
    """Why points of an earlier search were not used."""
    threads: int | None = None
    """Runs at a time; as many as there are cores if nothing is said."""

    @property
    def about(self) -> dict[str, Any]:
        """Part of the directory's manifest about the search."""
        plan = self.plan
        return {
            "scheme": self.scheme.id,
            "seed": plan.seed,
            "points": plan.points,
            "replications": plan.replications,
            "interrupted": self.interrupted,
        }

    def decide(self) -> None:
        """Compare all points by all measures, as one family."""
        slots, differences, matters = [], [], []
        for i, point in enumerate(self.points):
            unit = float(np.mean(point.without[UNIT]))
            for name in self.scheme.measures:
                values = effects(MEASURES[name], point.without[name], point.using[name], unit)
                if np.isfinite(values).all():
                    slots.append((i, name))
                    differences.append(values)
                    matters.append(MEASURES[name].matters)
        self.comparisons = [{} for _ in self.points]
        for (i, name), comparison in zip(slots, compare(differences, matters), strict=True):
            self.comparisons[i][name] = comparison

    def verdicts(self, measure: str | None = None) -> list[Verdict | None]:
        """Of each point by one measure, or by those that are judged; `None` where it says nothing."""
        if measure is not None:
            return [c[measure].verdict if measure in c else None for c in self.comparisons]
        judged = [
            [c[name].verdict for name in self.scheme.judged if name in c] for c in self.comparisons
        ]
        return [of_point(verdicts) if verdicts else None for verdicts in judged]


def find(
    scheme: Scheme,
    plan: Plan,
    out: Path,
    progress: Callable[[float], object] | None = None,
    threads: int | None = None,
) -> Found:
    """Both stages. Points that `out` holds already are not run again; each batch is saved there."""
    found = Found(scheme, plan, threads=threads)
    try:
        for stage in (1, 2):
            _stage(found, stage, out / FILE, progress)
            found.decide()
    except KeyboardInterrupt:
        found.interrupted = True
        found.decide()
    return found


def _stage(
    found: Found, stage: int, file: Path, progress: Callable[[float], object] | None
) -> None:
    plan, known = found.plan, _known(found, file)
    places = spread(found.scheme.space, plan.points, plan.seed) if stage == 1 else _border(found)
    for first in range(0, len(places), _BATCH):
        batch = places[first : first + _BATCH]
        done = len(found.points)

        def tell(part: float, done: int = done, size: int = len(batch)) -> None:
            if progress is not None:
                progress((done + part * size) / (plan.points + plan.refined))

        new = _run(found, stage, batch, known, tell)
        if new:
            # What an earlier search left is kept as long as this one may need it.
            _write(file, found, {p.key: p for p in (*found.points, *known.values())})
        if found.interrupted:
            raise KeyboardInterrupt
    if stage == 2:  # noqa: PLR2004 - the last one
        _write(file, found, {p.key: p for p in found.points})


def _border(found: Found) -> Floats:
    """Places of the second stage: each judged measure has its turn."""
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
class _Job:
    place: Floats
    where: Condition
    pair: Pair
    scenarios: tuple[Any, Any]
    key: str


def _job(scheme: Scheme, plan: Plan, place: Floats) -> _Job:
    where = condition(scheme.space, place.tolist())
    both = pair(where, scheme.switch, plan.times)
    seed = point_seed(plan.seed, scheme.id, place)
    scenarios = tuple(
        load(keys, seed=seed, replications=plan.replications) for keys in (both.without, both.using)
    )
    names = ",".join((*scheme.measures, *map(str, scenarios[0].flows)))
    text = "\n".join([*map(identity, scenarios), names])
    key = hashlib.sha256(text.encode()).hexdigest()
    return _Job(place, where, both, (scenarios[0], scenarios[1]), key)


def point_seed(seed: int, scheme: str, place: Floats) -> int:
    """Seed of both scenarios of a point."""
    text = f"{seed} {scheme} {' '.join(f'{u:.12f}' for u in place)}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def _run(
    found: Found,
    stage: int,
    places: Floats,
    known: dict[str, Point],
    progress: Callable[[float], object],
) -> int:
    """Run the pairs at the places, but for those that are known; how many that were."""
    jobs = [_job(found.scheme, found.plan, place) for place in places]
    new = [job for job in jobs if job.key not in known]
    scenarios = [scenario for job in new for scenario in job.scenarios]
    results = run_many(scenarios, threads=found.threads, progress=progress) if new else []
    for i, job in enumerate(new):
        both = results[2 * i : 2 * i + 2]
        if any(result.interrupted for result in both):
            found.interrupted = True
            continue
        wanted = (*found.scheme.measures, UNIT)
        without, using = (measure(result, job.pair.flows, wanted) for result in both)
        known[job.key] = Point(job.key, stage, job.place, job.where, without, using)
    found.points += [known[job.key] for job in jobs if job.key in known]
    return len(new)


def _write(path: Path, found: Found, points: dict[str, Point]) -> None:
    if not points:
        return
    buffer = io.BytesIO()
    table(found.scheme, points.values()).write_parquet(buffer)
    store.write_all(path.parent, {path.name: buffer.getvalue()}, found.about)


def table(scheme: Scheme, points: Iterable[Point]) -> pl.DataFrame:
    """One row per point: its condition, and lists of the samples of each measure, without and with."""
    names = (*scheme.measures, UNIT)
    rows: Sequence[dict[str, Any]] = [
        {"key": p.key, "stage": p.stage, "place": p.place.tolist()}
        | p.where
        | {f"{name} without": p.without[name].tolist() for name in names}
        | {f"{name} with": p.using[name].tolist() for name in names}
        for p in points
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _known(found: Found, file: Path) -> dict[str, Point]:
    """Points of an earlier search, by key; those of a file that cannot be trusted are run again."""
    try:
        content = store.read(file.parent, file.name)
        rows = pl.read_parquet(io.BytesIO(content)).to_dicts()
    except FileNotFoundError:
        return {}
    except (OSError, store.DamagedError, pl.exceptions.PolarsError) as error:
        found.unused = f"{error}; its points were run again"
        return {}
    version = store.manifest(file.parent).get("airfair")
    if version != __version__:
        found.unused = f"{file}: of airfair {version}; its points were run again"
        return {}
    points = [_point(found, row) for row in rows]
    return {point.key: point for point in points if point is not None}


def _point(found: Found, row: dict[str, Any]) -> Point | None:
    """The point of a row; `None` if it is not of such a search."""
    names = (*found.scheme.measures, UNIT)
    ids = [dimension.id for dimension in found.scheme.space]
    wanted = {"key", "stage", "place", *ids} | {
        f"{n} {side}" for n in names for side in ("without", "with")
    }
    if not wanted <= row.keys():
        return None
    return Point(
        row["key"],
        row["stage"],
        np.array(row["place"]),
        {key: row[key] for key in ids},
        {name: np.array(row[f"{name} without"]) for name in names},
        {name: np.array(row[f"{name} with"]) for name in names},
    )

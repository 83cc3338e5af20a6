"""Results of an experiment: tables over all points, comparisons in pairs, verdicts, figures."""

from __future__ import annotations

import functools
import itertools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from .claims import Verdict
from .compare import compared
from .conditions import ERROR, Key
from .decisions import Claim
from .errors import Gathered, StudyError
from .factors import Factor, Label
from .measures import Measure, Term, measure
from .plot import plotted
from .points import labels
from .runs import Runs, WrittenRuns
from .samples import Samples

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airfair.result import Result

NAMED = "scenario"
"""Stands for the experiment in keys of runs that claims rest on."""


@dataclass(frozen=True)
class Spent:
    """What an experiment took."""

    cpu_s: float = 0.0
    wall_s: float = 0.0
    runs: int = 0
    """Finished runs of all points."""
    found: int = 0
    """Runs of them that were not made anew: the store had them, or another point is the same."""
    interrupted: bool = False
    unsaved: str = ""
    """Why the store has not kept all runs; empty if it has."""


def _table(name: str, doc: str) -> functools.cached_property[pl.DataFrame]:
    made = functools.cached_property(lambda self: self._with_factors(name))
    made.__doc__ = doc
    return made


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """Finished runs of an experiment.

    Every table is a polars `DataFrame` in long form, with a column for each factor: the columns of
    `airfair.Result` (docs/results.md) behind `point`, the factors and `replication`. `points` lists the
    points, `result` is one of them by its levels. `values` and `summary` give a measure run by run and point
    by point, `compare` the differences from a baseline, `plot` a figure, `decide` the verdicts on claims.
    It can be pickled and copied; `save` writes it to a directory that `airfair.load_experiment` reads.
    """

    title: str
    factors: tuple[Factor, ...]
    finished: Runs | WrittenRuns = field(repr=False)
    """Runs point by point."""
    spent: Spent
    _: KW_ONLY
    claims: tuple[Claim, ...] = ()
    seed: int = 1
    error: float = ERROR
    """Error that the interval of a verdict may have: less where runs were looked at several times."""

    flows = _table("flows", "Goodput, loss, delay and more of each flow.")
    stations = _table("stations", "Airtime, rates, frames and drops of each station.")
    airtime = _table("airtime", "Shares of the air of each station.")
    access_points = _table("access_points", "Frames, drops and queue of each access point.")
    channels = _table("channels", "Use of each channel.")
    channel_shares = _table("channel_shares", "Shares of each channel's time.")
    links = _table("links", "Packets, drops and queue of each direction of each wired link.")
    fairness = _table("fairness", "Jain's indices of each run.")
    runs = _table("runs", "One row for each run, with the hash of its records.")

    def __getstate__(self) -> dict[str, Any]:
        """What makes it, without the tables that were asked for: they are made again."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def _repr_html_(self) -> str:
        from .page import fragment

        return fragment(self)

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C ended it before all runs were finished."""
        return self.spent.interrupted

    @functools.cached_property
    def in_pairs(self) -> bool:
        """True if all points ran under the same seeds."""
        return len({scenario.seed for scenario in self.finished.scenarios}) <= 1

    @functools.cached_property
    def levels(self) -> Mapping[str, Sequence[Label]]:
        """Labels of each factor that a point has, in their order."""
        return {factor.name: [] for factor in self.factors} | labels(self.finished.points)

    @functools.cached_property
    def points(self) -> pl.DataFrame:
        """The points: number, level of each factor, finished replications."""
        runs = self.finished
        table = self._labels
        return table.with_columns(
            replications=pl.Series([runs.count(i) for i in range(table.height)], dtype=pl.UInt32)
        )

    def result(self, **levels: Label) -> Result:
        """The result of one point; `levels` by factor, `**{"station.slow.rate": "1 Mb/s"}` for a dotted one.

        Raises `StudyError` if there is no such point, or more than one.
        """
        unknown = [name for name in levels if name not in self.levels]
        if unknown:
            there = ", ".join(self.levels) or "none"
            raise StudyError(*(f"{name}: unknown factor; allowed {there}" for name in unknown))
        fitting = [
            place
            for place, point in enumerate(self.finished.points)
            if all(point.labels.get(name) == label for name, label in levels.items())
        ]
        if len(fitting) != 1:
            said = ", ".join(f"{name} = {label}" for name, label in levels.items()) or "no level"
            raise StudyError(
                f"{said}: {len(fitting)} of {len(self.finished.points)} points match; allowed is exactly one"
            )
        return self.finished.result(fitting[0])

    # -------------------------------------------------------------- measures

    def values(self, of: str | Measure) -> pl.DataFrame:
        """A measure of each run: factors, `replication`, `value`, null where a run has none."""
        made = self._values(measure(of)).select("point", "replication", "value")
        return self._labels.join(made, on="point", maintain_order="right")

    def summary(self, *of: str | Measure) -> pl.DataFrame:
        """Measures over the replications of each point.

        A row for each point and measure: `mean`, `ci95` (half the width of the 95 % interval, null for one
        run), `unit` and `replications`; null where a run has no value. Goodput if nothing is named.
        """
        wanted = [measure(one) for one in of or ("goodput",)]
        rows = [
            {"point": place, "measure": str(one), "unit": one.unit, **_of(samples)}
            for one in wanted
            for place, samples in enumerate(self.samples(one))
        ]
        schema = {
            "point": pl.UInt32,
            "measure": pl.String,
            "unit": pl.String,
            "mean": pl.Float64,
            "ci95": pl.Float64,
            "replications": pl.UInt32,
        }
        made = pl.DataFrame(rows, schema=schema)
        return self._labels.join(made, on="point", maintain_order="right")

    def compare(
        self,
        factor: str,
        baseline: Label,
        of: str | Measure | Sequence[str | Measure] = "goodput",
    ) -> pl.DataFrame:
        """Differences of each level of a factor from its `baseline`, in pairs under the same seeds.

        A row for each combination of the other factors, level and measure: means, `difference` and
        `relative` (that of the means) with half the widths of their 95 % intervals, the `p` of a paired t
        test, `p_adjusted` for the number of all rows by Holm's method, and `is_significant` at 5 %.

        Raises `StudyError` for a factor, level or measure that there is not.
        """
        several = [of] if isinstance(of, str | Measure) else list(of)
        return compared(self, factor, baseline, [measure(one) for one in several])

    def decide(self, *claims: Claim) -> list[Verdict]:
        """Verdicts on claims, or on those that the experiment declares.

        Raises `StudyError` for a claim on a factor or level that there is not.
        """
        gathered, verdicts = Gathered(), []
        for claim in claims or self.claims:
            with gathered:
                verdicts.append(claim.decide(self, error=self.error))
        gathered.tell()
        return verdicts

    def plot(  # noqa: PLR0913 - options of a figure
        self,
        x: str | None = None,
        y: str | Measure = "goodput",
        by: str | None = None,
        *,
        panel: str | None = None,
        at: Mapping[str, Label] | None = None,
        title: str | None = None,
        printed: Mapping[str, Sequence[float]] | None = None,
    ) -> Figure:
        """A figure of a measure over a factor: means with their 95 % intervals.

        A line for each level of the factor `by`, axes for each of `panel`. Other factors that vary have to be
        held `at` a level. Levels that are numbers or quantities stand on an axis of numbers. `printed` has
        values of somebody else's, in the order of x, by the level of `by`; they are drawn hollow.

        Raises `StudyError` for a factor or level that there is not.
        """
        return plotted(
            self,
            x,
            measure(y),
            by,
            panel=panel,
            at=dict(at or {}),
            title=title,
            printed=printed or {},
        )

    def samples(self, of: Measure) -> list[Samples]:
        """Values of a measure, point by point."""
        made = self._values(of)
        columns = {name: made[name].to_numpy() for name in made.columns}
        found = []
        for first, last in self._rows:
            rows = slice(first, last)
            upper = columns["value"] if of.lower is None else columns["upper"]
            lower = None if of.lower is None else columns["lower"][rows].astype(np.float64)
            found.append(
                Samples(
                    columns["replication"][rows].astype(np.int64),
                    upper[rows].astype(np.float64),
                    lower,
                )
            )
        return found

    @functools.cached_property
    def _rows(self) -> list[tuple[int, int]]:
        """Rows of each point in a table with a row per run."""
        counts = [self.finished.count(place) for place in range(len(self.finished.points))]
        ends = np.cumsum([0, *counts]).tolist()
        return [*itertools.pairwise(ends)]

    def _values(self, of: Measure) -> pl.DataFrame:
        upper = self._term(of.upper)
        if of.lower is None:
            return upper
        both = upper.rename({"value": "upper"}).with_columns(lower=self._term(of.lower)["value"])
        quotient = pl.col("upper") / pl.col("lower")
        return both.with_columns(value=pl.when(quotient.is_finite()).then(quotient))

    def _term(self, term: Term) -> pl.DataFrame:
        """Values of a term, a row for each run in order."""
        every = self._table("runs").select("point", "replication")
        made = term.values(self._table)
        return every.join(made, on=["point", "replication"], how="left", maintain_order="left")

    def save(self, directory: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write points, tables and outcomes to a directory; `airfair.load_experiment` loads them again.

        Raises `FileExistsError` if airfair has not written a file of such a name, unless `force` is true.
        """
        from .saved import save

        save(self, directory, force=force)

    # -------------------------------------------------------------- parts

    def place(self, labels: Mapping[str, Label]) -> int | None:
        """Place of the point with these levels."""
        return self._places.get(tuple(labels.items()))

    @functools.cached_property
    def _places(self) -> dict[tuple[tuple[str, Label], ...], int]:
        return {
            tuple(point.labels.items()): place for place, point in enumerate(self.finished.points)
        }

    def key(self, place: int) -> Key:
        """Name of a point's runs in a claim."""
        return NAMED, str(place)

    def _table(self, name: str) -> pl.DataFrame:
        return self._tables(name)

    @functools.cached_property
    def _tables(self) -> Callable[[str], pl.DataFrame]:
        return functools.cache(self.finished.table)

    @functools.cached_property
    def _labels(self) -> pl.DataFrame:
        """`point` and a column for each factor."""
        columns: dict[str, pl.Series] = {
            "point": pl.Series(range(len(self.finished.points)), dtype=pl.UInt32)
        }
        for factor in self.factors:
            labels = [point.labels[factor.name] for point in self.finished.points]
            columns[factor.name] = pl.Series(factor.name, _of_one_kind(labels))
        return pl.DataFrame(columns)

    def _with_factors(self, name: str) -> pl.DataFrame:
        table = self._table(name)
        # Not joined: the columns stay where they are, and are not there twice.
        each = self._labels.select(pl.exclude("point").gather(table["point"]))
        return pl.DataFrame([table["point"], *each]).hstack(table.drop("point"))


def _of(samples: Samples) -> dict[str, float | int | None]:
    made = samples.estimate
    return {
        "mean": made.mean if math.isfinite(made.mean) else None,
        "ci95": made.ci95 if math.isfinite(made.ci95) else None,
        "replications": len(samples.upper),
    }


def _of_one_kind(labels: Sequence[Label]) -> Sequence[Label]:
    """Labels that one column can hold: numbers with numbers, anything else as text."""
    kinds = {type(label) for label in labels}
    if len(kinds) <= 1:
        return labels
    if kinds == {int, float}:
        return [float(label) for label in labels]
    return [str(label) for label in labels]

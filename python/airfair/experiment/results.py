"""Results of an experiment: tables over all points, paired comparisons, verdicts, figures."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import polars as pl

from . import evaluation
from .claims import Verdict
from .compare import compared
from .conditions import ERROR, Key
from .decisions import Claim
from .errors import Gathered, StudyError
from .factors import Factor, Label
from .labels import found, heading, numbers, unknown
from .measures import Measurable, Measure, measure, several
from .points import labels
from .runs import Runs, WrittenRuns
from .samples import Samples

if TYPE_CHECKING:
    import xarray

    from airfair.result import Result

    from .plot import Plot

NAMED = "scenario"
"""First part of the keys by which claims name runs of an experiment."""


@dataclass(frozen=True)
class Spent:
    """Time [s] and number of runs that an experiment needed."""

    cpu_s: float = 0.0
    wall_s: float = 0.0
    runs: int = 0
    """Finished runs of all points."""
    found: int = 0
    """Runs that were not computed again, because the store or an identical point had them."""
    interrupted: bool = False
    unsaved: OSError | None = None
    """Error because of which the store could not save all runs; `None` if it did."""
    simulated_s: float = field(default=0.0, compare=False)
    """Simulated time of the finished runs; a directory does not keep it."""

    def __add__(self, other: Spent) -> Spent:
        """Sum of two parts of the work."""
        return Spent(
            self.cpu_s + other.cpu_s,
            self.wall_s + other.wall_s,
            self.runs + other.runs,
            self.found + other.found,
            self.interrupted or other.interrupted,
            self.unsaved or other.unsaved,
            self.simulated_s + other.simulated_s,
        )


def _table(name: str, doc: str) -> functools.cached_property[pl.DataFrame]:
    made = functools.cached_property(lambda self: self._with_factors(name))
    made.__doc__ = doc
    return made


@dataclass(frozen=True, eq=False, repr=False)
class ExperimentResult:
    """Finished runs of an experiment.

    Every table is a polars `DataFrame` in long form. Its columns are `point`, one for each factor,
    `replication`, and then those of the table of the same name of `airfair.Result` (docs/results.md). A
    factor whose levels have a unit has a second column with their numbers: `station.slow.rate [Mb/s]`.

    `points` lists the points and `result` returns the result of one. `values` and `summary` compute a measure
    for each run and each point, `compare` its differences from a baseline, `plot` figures of it, and
    `decide` the verdicts on claims. `save` writes a directory that `airfair.load_experiment` reads.
    """

    title: str
    factors: tuple[Factor, ...]
    finished: Runs | WrittenRuns = field(repr=False)
    """Finished runs of each point."""
    spent: Spent
    _: KW_ONLY
    claims: tuple[Claim, ...] = ()
    seed: int = 1
    error: float = ERROR
    """Error probability of the intervals that decide claims; less than 0.05 after repeated tests."""

    flows = _table("flows", "Goodput, loss, delay and more of each flow.")
    stations = _table("stations", "Airtime, rates, frames and drops of each station.")
    airtime = _table("airtime", "Shares of the air of each station.")
    access_points = _table("access_points", "Frames, drops and queue of each access point.")
    channels = _table("channels", "Use of each channel.")
    channel_shares = _table("channel_shares", "Shares of each channel's time.")
    links = _table("links", "Packets, drops and queue of each direction of each wired link.")
    messages = _table("messages", "Waits, stalls, opinions and more of each flow with a source.")
    fairness = _table("fairness", "Jain's indices of each run.")
    runs = _table("runs", "One row for each run, with the hash of its records.")

    def __getstate__(self) -> dict[str, Any]:
        """Fields without cached tables; a copy computes these again."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def __repr__(self) -> str:
        from .text import printed

        return f"<ExperimentResult {printed(self)}>"

    def _repr_html_(self) -> str:
        from .page import fragment

        return fragment(self)

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C ended the experiment before all runs were finished."""
        return self.spent.interrupted

    @functools.cached_property
    def in_pairs(self) -> bool:
        """True if all points ran with the same seeds."""
        return len({scenario.seed for scenario in self.finished.scenarios}) <= 1

    @functools.cached_property
    def levels(self) -> Mapping[str, Sequence[Label]]:
        """Labels of the levels that occur, by factor, in their order."""
        return {factor.name: [] for factor in self.factors} | labels(self.finished.points)

    @functools.cached_property
    def points(self) -> pl.DataFrame:
        """Table of points: `point`, the level of each factor, `replications` (number of finished ones)."""
        runs = self.finished
        table = self._labels
        return table.with_columns(
            replications=pl.Series([runs.count(i) for i in range(table.height)], dtype=pl.UInt32)
        )

    def result(self, **levels: Label) -> Result:
        """Result of the point with these levels, by factor; factors with one level can be left out.

        A dotted name is passed as `**{"station.slow.rate": "1 Mb/s"}`. A level with a unit is also found by
        its number, as `1`, or in another unit, as `"1000 kb/s"`.

        Raises `StudyError` unless exactly one point has these levels.
        """
        if problems := [problem for name in levels for problem in unknown(self.levels, name)]:
            raise StudyError(*problems)
        levels = {name: found(label, self.levels[name]) for name, label in levels.items()}
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

    def values(self, of: Measurable) -> pl.DataFrame:
        """Values of a measure, one row per run: factors, `replication`, `value` (null if a run has none)."""
        made = evaluation.values(measure(of), self).select("point", "replication", "value")
        return self._labels.join(made, on="point", maintain_order="right")

    def summary(self, *of: Measurable) -> pl.DataFrame:
        """Means of measures over the replications of each point; of goodput by default.

        One row for each point and measure: `mean`, `ci95` (half width of the 95 % confidence interval; null
        for one run), `unit` and `replications`. Mean and interval are null if a run has no value.
        """
        wanted = [measure(one) for one in of or ("goodput",)]
        rows = [
            {"point": place, **evaluation.row(one, samples)}
            for one in wanted
            for place, samples in enumerate(self.samples(one))
        ]
        made = pl.DataFrame(rows, schema={"point": pl.UInt32, **evaluation.SCHEMA})
        return self._labels.join(made, on="point", maintain_order="right")

    def compare(
        self,
        factor: str,
        baseline: Label,
        of: Measurable | Sequence[Measurable] = "goodput",
    ) -> pl.DataFrame:
        """Differences of each level of a factor from its `baseline`, over pairs of runs with the same seed.

        One row for each combination of levels of the other factors, each level of `factor` and each measure:
        the means, `difference` and `relative` (difference of the means divided by the baseline's) with the
        half widths of their 95 % confidence intervals, `p` of a paired t test, `p_adjusted` (Holm's
        correction for the number of rows), and `is_significant` at the level 5 %.

        Raises `StudyError` for an unknown factor, level or measure.
        """
        return compared(self, factor, baseline, several(of))

    def decide(self, *claims: Claim) -> list[Verdict]:
        """Verdicts on `claims`, by default on those that the experiment declares.

        Raises `StudyError` for a claim on an unknown factor or level.
        """
        gathered, verdicts = Gathered(), []
        for claim in claims or self.claims:
            with gathered:
                verdicts.append(claim.decide(self, error=self.error))
        gathered.tell()
        return verdicts

    @property
    def plot(self) -> Plot:
        """Figures (matplotlib): `results.plot()` draws means, `results.plot.boxes()` the spread of runs."""
        from .plot import Plot

        return Plot(self)

    def to_xarray(self, *of: Measurable, table: str | None = None) -> xarray.Dataset:
        """Values of measures, or a whole table, as a cube of xarray with one axis per factor.

        With measures there is one variable for each, over the factors and `replication`. Without any there is
        one for each column of numbers in `table` ("flows" by default), and its flows, stations, … are an axis
        too. Values that do not exist are NaN. If the points are no full grid, as in a sampled design, one
        axis `point` replaces those of the factors, whose levels are coordinates along it.

        Raises `ImportError`, with the command that installs it, if xarray is missing, and `StudyError` for an
        unknown table or measure.
        """
        from . import cube

        if of and table is not None:
            raise StudyError(f"to_xarray: measures and table {table}; allowed is one of them")
        return cube.of_measures(self, of) if of else cube.of_table(self, table or "flows")

    def samples(self, of: Measure) -> list[Samples]:
        """Values of a measure, one `Samples` for each point."""
        counts = [self.finished.count(place) for place in range(len(self.finished.points))]
        return evaluation.samples(of, self, counts)

    def save(self, directory: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write points, tables and outcomes to a directory, which `airfair.load_experiment` reads.

        Raises `FileExistsError` if a file of such a name was not written by airfair, unless `force` is true.
        """
        from .files import save

        save(self, directory, force=force)

    # -------------------------------------------------------------- parts

    def place(self, labels: Mapping[str, Label]) -> int | None:
        """Index of the point with these levels; `None` if there is no such point."""
        return self._places.get(tuple(labels.items()))

    @functools.cached_property
    def _places(self) -> dict[tuple[tuple[str, Label], ...], int]:
        return {
            tuple(point.labels.items()): place for place, point in enumerate(self.finished.points)
        }

    def key(self, place: int) -> Key:
        """Key by which claims name the runs of a point."""
        return NAMED, str(place)

    def table(self, name: str) -> pl.DataFrame:
        """Table of all runs by name, with `point` and `replication` in front, without factors."""
        return self._tables(name)

    def each(self) -> Iterator[Result]:
        """Result of each run, in the order of the table `runs`."""
        for place in range(len(self.finished.points)):
            yield from evaluation.singles(self.finished.result(place))

    @functools.cached_property
    def _tables(self) -> Callable[[str], pl.DataFrame]:
        return functools.cache(self.finished.table)

    @functools.cached_property
    def _labels(self) -> pl.DataFrame:
        """Table with `point` and one column for each factor."""
        columns: dict[str, pl.Series] = {
            "point": pl.Series(range(len(self.finished.points)), dtype=pl.UInt32)
        }
        for factor in self.factors:
            labels = [point.labels[factor.name] for point in self.finished.points]
            columns[factor.name] = pl.Series(factor.name, _of_one_kind(labels))
            if (axis := numbers(labels)) is not None:
                columns.setdefault(heading(factor.name, axis[1]), pl.Series(axis[0]))
        return pl.DataFrame(columns)

    def _with_factors(self, name: str) -> pl.DataFrame:
        table = self.table(name)
        # Gathered instead of joined: this does not copy the columns of the table.
        each = self._labels.select(pl.exclude("point").gather(table["point"]))
        return pl.DataFrame([table["point"], *each]).hstack(table.drop("point"))


def _of_one_kind(labels: Sequence[Label]) -> Sequence[Label]:
    """Labels of one type, for a column: numbers if all are numbers, text if the types are mixed."""
    kinds = {type(label) for label in labels}
    if len(kinds) <= 1:
        return labels
    if kinds == {int, float}:
        return [float(label) for label in labels]
    return [str(label) for label in labels]

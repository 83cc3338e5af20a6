"""Values of measures in finished runs: one number for each run."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from airfair.estimate import finite

from .measures import Measure, Part
from .samples import Samples
from .tables import Tables

if TYPE_CHECKING:
    from airfair.result import Result


def values(of: Measure, tables: Tables) -> pl.DataFrame:
    """Table of `point`, `replication` and `value`, one row per run in order; of a quotient also its parts.

    `value` is null if a run has none.
    """
    upper = _of_part(of.upper, tables)
    if of.lower is None:
        return upper
    both = upper.rename({"value": "upper"}).with_columns(lower=_of_part(of.lower, tables)["value"])
    quotient = pl.col("upper") / pl.col("lower")
    return both.with_columns(value=pl.when(quotient.is_finite()).then(quotient))


def _of_part(part: Part, tables: Tables) -> pl.DataFrame:
    every = tables.table("runs").select("point", "replication")
    made = part.values(tables)
    return every.join(made, on=["point", "replication"], how="left", maintain_order="left")


def samples(of: Measure, tables: Tables, counts: Sequence[int]) -> list[Samples]:
    """Values of a measure, one `Samples` for each point; `counts` are the numbers of their runs."""
    made = values(of, tables)
    columns = {name: made[name].to_numpy() for name in made.columns}
    found = []
    for first, last in itertools.pairwise(np.cumsum([0, *counts]).tolist()):
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


SCHEMA = {
    "measure": pl.String,
    "unit": pl.String,
    "mean": pl.Float64,
    "ci95": pl.Float64,
    "replications": pl.UInt32,
}
"""Columns of a summary: the measure, its mean and the half width of the 95 % interval of the mean."""


def row(of: Measure, one: Samples) -> dict[str, str | float | int | None]:
    """Row of a summary; mean and interval are null if a run has no value, the interval also for one run."""
    made = one.estimate
    return {
        "measure": str(of),
        "unit": of.unit,
        "mean": finite(made.mean),
        "ci95": finite(made.ci95),
        "replications": len(one.upper),
    }


@dataclass(frozen=True)
class OfResult:
    """Runs of one result as the runs of point 0."""

    result: Result

    def table(self, name: str) -> pl.DataFrame:
        """Table by name, with the columns `point` and `replication` in front."""
        table: pl.DataFrame = getattr(self.result, name)
        return table.select(pl.lit(0, pl.UInt32).alias("point"), pl.all())

    def each(self) -> Iterator[Result]:
        """Result of each run, in the order of the table `runs`."""
        return singles(self.result)


def singles(result: Result) -> Iterator[Result]:
    """Results with one replication each."""
    alone = replace(result, interrupted=False, cpu_s=None, wall_s=None)
    if (written := result.written) is None:
        for outcome in result.outcomes:
            yield replace(alone, outcomes=[outcome])
        return
    for number in result.runs["replication"]:
        frames = {
            name: frame.filter(pl.col("replication") == number)
            if "replication" in frame.columns
            else frame
            for name, frame in written.frames.items()
        }
        yield replace(alone, written=replace(written, frames=frames))

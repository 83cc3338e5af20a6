"""Values of all replications of a result, with their means and confidence intervals, without polars."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from . import statistics

if TYPE_CHECKING:
    from .result import Result

Figure = Callable[[Sequence[float | None]], float | None]
"""Function from the values of all replications to their mean or to its half width."""


def record_hashes(result: Result) -> list[str]:
    """Hash of all records of each run; equal for equal runs on any machine."""
    return [f"{each:016x}" for each in result.measurements.hashes]


Samples = dict[str, list[float]]
"""Columns of one subject (flow, station, …), with a value per replication; missing values are NaN."""


def samples(result: Result, table: str, names: Sequence[str]) -> dict[str, Samples]:
    """Columns of a table for each of `names` (flows, stations, …), by name; empty if it is missing."""
    columns, n = result.columns[table], len(names)
    if not result.replications or not columns:
        return {}
    return {
        name: {column: values[i::n] for column, values in columns.items()}
        for i, name in enumerate(names)
    }


def mean(values: Sequence[float | None]) -> float | None:
    """Mean, or `None` unless every replication has a value."""
    known = _known(values)
    return None if known is None else statistics.mean(known)


def half_width(values: Sequence[float | None]) -> float | None:
    """Half width of the 95 % confidence interval, or `None` unless every replication has a value."""
    known = _known(values)
    return None if known is None else statistics.half_width(known)


def bounded_half_width(values: Sequence[float | None], most: float) -> float | None:
    """Half width of the interval of a mean from 0 to `most`, at most its distance to the farther bound."""
    half, middle = half_width(values), mean(values)
    return None if half is None or middle is None else min(half, max(middle, most - middle))


def _known(values: Sequence[float | None]) -> list[float] | None:
    known = [value for value in values if value is not None and not math.isnan(value)]
    return known if len(known) == len(values) else None


def samples_of_flows(result: Result, table: str) -> dict[str, Samples]:
    """Values of each column, by the name of the flow, of a table that has rows for some flows only."""
    if not result.replications:
        return {}
    columns, flows = result.columns[table], result.scenario.flows
    names = [flows[int(place)]["name"] for place in dict.fromkeys(columns.get("flow", []))]
    skipped = ("replication", "flow")
    return {
        name: {column: values for column, values in found.items() if column not in skipped}
        for name, found in samples(result, table, names).items()
    }

"""Tables that measures read: the runs of an experiment or of one result, as tables and one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Protocol

from airfair.columns import tables
from airfair.fairness import INDICES
from airfair.measurements import names_of

if TYPE_CHECKING:
    import polars as pl

    from airfair._core import Scenario
    from airfair.result import Result

SUBJECTS: Mapping[str, str | None] = {
    "flows": "flow",
    "stations": "station",
    "airtime": "station",
    "access_points": "access_point",
    "channels": "channel",
    "channel_shares": "channel",
    "links": "link",
    "messages": "flow",
    "fairness": None,
    "runs": None,
}
"""Column of each table that names its rows; a table without one has a row per run.

The table `messages` has rows for the flows with a source alone.
"""

_OTHERS = frozenset(
    {
        *("point", "replication", "replications", "seed", "from", "to", "record_hash"),
        *("value", "measure", "unit", "mean", "ci95", "baseline", "baseline_mean", "difference"),
        *("difference_ci95", "relative", "relative_ci95", "pairs", "p", "p_adjusted"),
        "is_significant",
    }
)
"""Columns of results that measures cannot name."""


class Tables(Protocol):
    """Finished runs: in tables of all of them, and one by one."""

    def table(self, name: str) -> pl.DataFrame:
        """Table by name, with the columns `point` and `replication` in front."""

    def each(self) -> Iterator[Result]:
        """Result of each run, in the order of the table `runs`."""


def names(scenario: Scenario) -> dict[str, list[str]]:
    """Names of flows, stations, … in tables, by kind."""
    named = names_of(scenario)
    return {kind: list(dict.fromkeys(columns[kind])) for kind, columns in named.items()}


@cache
def taken() -> frozenset[str]:
    """Names of columns of results, which factors cannot have."""
    columns_ = {c for table in columns().values() for c in table}
    subjects = {subject for subject in SUBJECTS.values() if subject}
    return frozenset(columns_ | subjects | _OTHERS)


@cache
def columns() -> Mapping[str, Mapping[str, str]]:
    """Units of the numeric columns of each table."""
    named = {
        name: {column.name: column.unit for column in table.columns if column.unit}
        for name, table in tables().items()
    }
    named["fairness"] = dict.fromkeys(INDICES, "index")
    return {
        name: {
            c: unit for c, unit in named[name].items() if c not in ("replication", "seed", subject)
        }
        for name, subject in SUBJECTS.items()
    }

"""Declarations of the tables of results, from the core: descriptions, columns and units."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from . import _core

KINDS = {
    "flow": "Name of the flow.",
    "station": "Name of the station.",
    "access_point": "Name of the access point, which is the name of its cell.",
    "channel": "Name of the channel, which is the name of its cell.",
    "neighbour": "Name of the neighbour, which is the name of its cell.",
    "category": "Name of the access category.",
    "link": "Name of the link.",
}
"""Descriptions of the columns in which names replace the core's indices."""


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    unit: str
    """Sign of the column's unit; empty for a name."""
    meaning: str
    is_nullable: bool = False
    """True if a value may not exist."""

    @property
    def line(self) -> str:
        """Item of a Markdown list that describes the column."""
        signs = [*filter(None, [self.unit or "name", "or null" if self.is_nullable else ""])]
        return f"- `{self.name}` [{', '.join(signs)}]: {self.meaning}"


@dataclass(frozen=True)
class Table:
    """Declaration of a table with its columns in order."""

    name: str
    meaning: str
    columns: tuple[Column, ...]

    @property
    def markdown(self) -> str:
        """Description of the table in Markdown, with an item for each column."""
        return "\n".join([self.meaning, "", *(column.line for column in self.columns)])

    @property
    def thing(self) -> str | None:
        """Column that names the subject of a row, such as `flow`; `None` if there is one row per run."""
        return next((column.name for column in self.columns if column.name in KINDS), None)

    @property
    def by_name(self) -> Mapping[str, Column]:
        """Columns by name."""
        return {column.name: column for column in self.columns}


@functools.cache
def tables() -> Mapping[str, Table]:
    """Tables of a result, with names in place of indices."""
    return {name: _named(name, *told) for name, told in _core.table_columns().items()}


@functools.cache
def raw_series() -> Mapping[str, Table]:
    """Time series of the core, from which those of a result are computed."""
    return {name: _named(name, *told) for name, told in _core.series_columns().items()}


_RAW = {
    "flow": ("delivered", "window", "rtt", "delay"),
    "station": ("airtime", "rate", "station_queue"),
    "access_point": ("access_point_queue",),
    "link": ("link_queue",),
}
"""Series of the core by kind of subject."""

_TIME = Column(
    "time_s", "s", "Start of the step; time 0 is the start of the run, warm-up included."
)
_DERIVED = {
    "flow": (
        Column(
            "throughput_bps",
            "bit/s",
            "Application octets delivered in order, divided by the length of the step.",
        ),
        Column(
            "rtt_ms",
            "ms",
            "Mean of the round-trip times that the sender measured.",
            is_nullable=True,
        ),
        Column(
            "delay_ms", "ms", "Mean one-way delay of the packets that arrived.", is_nullable=True
        ),
    ),
    "station": (
        Column(
            "airtime_share",
            "fraction",
            "Share of the step during which its exchanges used the air.",
        ),
    ),
}
"""Columns that are computed from those of the core, by kind of subject."""


def heads(series: str) -> list[str]:
    """Leading columns of a series of the core: replication, subject, and start and length of the step."""
    names = [*raw_series()[series].by_name]
    return names[: names.index("length_ns") + 1]


def raw_of(kind: str) -> Mapping[str, Mapping[str, str]]:
    """Series of the core for a kind of subject: names in a file by column of their values."""
    found = {}
    for series in _RAW[kind]:
        values = [*raw_series()[series].by_name][len(heads(series)) :]
        # Two series have columns of these names; in a file their names include the series.
        found[series] = {
            name: f"{series}_{name}" if name in {"samples", "sum_ns"} else name for name in values
        }
    return found


@functools.cache
def series_files() -> Mapping[str, Table]:
    """Tables with all series of a kind of subject (flow, station, …), as written to files, by kind."""
    return {kind: _series_file(kind) for kind in _RAW}


def _series_file(kind: str) -> Table:
    declared, first = raw_series(), _RAW[kind][0]
    *names, start, length = declared[first].columns[: len(heads(first))]
    values = [
        replace(declared[series].by_name[name], name=new)
        for series, renamed in raw_of(kind).items()
        for name, new in renamed.items()
    ]
    columns = (*names, _TIME, *_DERIVED.get(kind, ()), start, length, *values)
    noun = kind.replace("_", " ")
    return Table(f"{kind}_series", f"Time series: one row for each step of each {noun}.", columns)


def _named(name: str, meaning: str, told: Iterable[tuple[str, str, str, bool]]) -> Table:
    """Declaration of a table of the core, with names in place of indices."""
    columns: list[Column] = []
    for column, unit, says, is_nullable in told:
        if column not in KINDS:
            columns.append(Column(column, unit, says, is_nullable))
            continue
        columns.append(Column(column, "", KINDS[column], is_nullable))
        if column == "link":
            begin, end = (
                "Node at which this direction of the link starts.",
                "Node at which this direction of the link ends.",
            )
            columns.append(Column("from", "", begin, is_nullable))
            columns.append(Column("to", "", end, is_nullable))
    return Table(name, meaning, tuple(columns))


def reference() -> str:
    """Reference of all tables and of the files of series, in Markdown."""
    every = [*tables().values(), *series_files().values()]
    return "\n".join(f"\n## `{table.name}`\n\n{table.markdown}" for table in every)

"""Tables of `arf-aware-tcp`, with measured and printed throughputs, index and aggregate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airfair.estimate import estimate
from airfair.figures import Category, Points, by_category
from airfair.reproduction.paper import Drawing, Json, Shown
from airfair.reproduction.series import finite, points
from airfair.reproduction.tables import Column, Table, TableCell

from .runs import ArfAwareRuns, Measurements

ROUNDING = 1e-3
"""Largest change of an index by rounding of the printed throughputs."""


@dataclass(frozen=True)
class SchemeColumn:
    """Column of one scheme in a printed table, with measured and printed values."""

    id: str
    label: str
    sessions: tuple[TableCell, ...]
    """Throughput of all sessions, including those that the paper does not print [kb/s]."""
    single: Mapping[str, TableCell]
    """Index `fairness` and total `aggregate` [kb/s] over the printed sessions. If the paper prints only some
    sessions, `fairness_all` and `aggregate_all` are over all of them."""
    recomputed: float | None
    """Jain's index computed from the printed throughputs, which may differ from the printed index."""

    @property
    def note(self) -> str:
        """Note that the printed throughputs contradict the printed index; empty if they do not."""
        printed, again = self.single["fairness"].printed, self.recomputed
        if printed is None or again is None or abs(printed - again) <= ROUNDING:
            return ""
        return (
            f"{self.label}: the printed throughputs give an index of {again:.4f}, "
            f"the paper prints {printed}."
        )

    @property
    def column(self) -> Column:
        """Column for a report."""
        return Column(self.id, self.label, (*self.sessions, *self.single.values()), self.note)

    @property
    def entry(self) -> Json:
        """JSON of the column in the shape of the printed values, with intervals and deviations."""
        entry: Json = {
            "sessions": [cell.measured.mean for cell in self.sessions],
            **{key: cell.measured.mean for key, cell in self.single.items()},
            "ci95": {
                "sessions": [finite(cell.measured.ci95) for cell in self.sessions],
                **{key: finite(cell.measured.ci95) for key, cell in self.single.items()},
            },
            "deviation": {
                "sessions": [cell.deviation for cell in self.sessions],
                **{key: cell.deviation for key, cell in self.single.items()},
            },
        }
        if self.recomputed is not None:
            entry["fairness_of_printed_sessions"] = self.recomputed
        return entry


@dataclass(frozen=True)
class ColumnSource:
    """Setup and scheme whose runs give the values of a column."""

    id: str
    label: str
    setup: str
    scheme: str


def show(
    table: tuple[str, str],
    places: Sequence[ColumnSource],
    printed: Json,
    data: Measurements,
    some: int | None = None,
) -> Shown:
    """Table with an (id, title) and its figure; the paper prints the first `some` sessions, or all."""
    columns = [
        _column(place, data[place.setup, place.scheme], printed.get(place.id, {}), some)
        for place in places
    ]
    count = len(columns[0].sessions)
    sessions = [f"session {i + 1}" for i in range(count)]
    names = [f"fairness 1-{some}", f"aggregate 1-{some}"] if some else ["fairness", "aggregate"]
    extra = [f"fairness 1-{count}", f"aggregate 1-{count}"] if some else []
    rows = [*sessions, *names, *extra]
    return Shown(
        series=[
            points(c.label, "kb/s", sessions, [cell.measured for cell in c.sessions])
            for c in columns
        ],
        paper_values=printed,
        measured={c.id: c.entry for c in columns},
        tables=[Table(*table, rows, [c.column for c in columns])],
        drawings={table[0]: _drawing(sessions, columns)},
    )


def _drawing(sessions: Sequence[str], columns: Sequence[SchemeColumn]) -> Drawing:
    """Figure of the printed columns, with printed and measured values in the same axes."""
    groups = [
        Points(
            column.label,
            np.array([[c.measured.mean, c.measured.ci95] for c in column.sessions]).T,
            {i: c.printed for i, c in enumerate(column.sessions) if c.printed is not None},
        )
        for column in columns
        if any(cell.printed is not None for cell in column.sessions)
    ]
    figure = by_category(Category("", "Throughput [kb/s]", "", sessions, groups))
    return Drawing(figure)


def _column(
    place: ColumnSource, runs: ArfAwareRuns, printed: Json, some: int | None
) -> SchemeColumn:
    sessions: list[float] = printed.get("sessions", [])

    def fairness(count: int | None, printed: float | None) -> TableCell:
        return TableCell(estimate(runs.fairness(count)), printed, digits=3)

    def aggregate(count: int | None, printed: float | None) -> TableCell:
        return TableCell(estimate(runs.aggregate_kbps(count)), printed)

    single = {
        "fairness": fairness(some, printed.get("fairness")),
        "aggregate": aggregate(some, printed.get("aggregate")),
    }
    if some:
        single |= {"fairness_all": fairness(None, None), "aggregate_all": aggregate(None, None)}
    missing = [None] * (len(runs.flows) - len(sessions))
    return SchemeColumn(
        id=place.id,
        label=place.label,
        sessions=tuple(
            TableCell(estimate(runs.throughput_kbps[:, i]), value)
            for i, value in enumerate([*sessions, *missing])
        ),
        single=single,
        recomputed=_recomputed(sessions, runs),
    )


def printed_index(sessions: list[float], rates_bps: list[float]) -> float:
    """Jain's index computed from printed throughputs.  [arf-aware-tcp eq. 1 to 3]"""
    share = [session / rate for session, rate in zip(sessions, rates_bps, strict=True)]
    return sum(share) ** 2 / (len(share) * math.fsum(x * x for x in share))


def _recomputed(sessions: list[float], runs: ArfAwareRuns) -> float | None:
    if not sessions:
        return None
    return printed_index(sessions, list(runs.mean_link_rate_bps[: len(sessions)]))

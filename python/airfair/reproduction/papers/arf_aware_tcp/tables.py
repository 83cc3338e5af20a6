"""Tables of `arf-aware-tcp`, with measured and printed throughputs, index and aggregate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from airfair.estimate import estimate, finite
from airfair.figures import Category, by_category
from airfair.reproduction.paper import Drawing, Json, Shown
from airfair.reproduction.series import line, points
from airfair.reproduction.tables import Column, Table, TableCell, column

from .plan import PRINTED
from .runs import ArfAwareRuns, Measurements

ROUNDING = 1e-3
"""Largest change of an index by rounding of the printed throughputs."""


@dataclass(frozen=True)
class SchemeColumn:
    """Column of one scheme in a printed table, with measured and printed values."""

    id: str
    label: str
    sessions: Sequence[TableCell]
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
        return Column(self.label, (*self.sessions, *self.single.values()), self.note)

    @property
    def entry(self) -> Json:
        """JSON of the column in the shape of the printed values, with intervals and deviations."""
        entry: Json = {
            **self._each(lambda cell: cell.measured.mean),
            "ci95": self._each(lambda cell: finite(cell.measured.ci95)),
            "deviation": self._each(lambda cell: cell.deviation),
        }
        if self.recomputed is not None:
            entry["fairness_of_printed_sessions"] = self.recomputed
        return entry

    def _each(self, take: Callable[[TableCell], float | None]) -> Json:
        """JSON of a property of each cell."""
        single = {key: take(cell) for key, cell in self.single.items()}
        return {"sessions": [take(cell) for cell in self.sessions], **single}


@dataclass(frozen=True)
class ColumnSource:
    """Setup and scheme whose runs give the values of a column."""

    id: str
    label: str
    setup: str
    scheme: str


SOME = {"table5": 4}
"""Number of sessions that a table prints, if these are not all."""


def show(table: tuple[str, str], places: Sequence[ColumnSource], data: Measurements) -> Shown:
    """Table with an (id, title) and its figure."""
    printed, some = PRINTED[table[0]], SOME.get(table[0])
    columns = [
        _column(place, data[place.setup, place.scheme], printed.get(place.id, {}), some)
        for place in places
    ]
    count = len(columns[0].sessions)
    sessions = [f"session {i + 1}" for i in range(count)]
    names = [f"fairness 1-{some}", f"aggregate 1-{some}"] if some else ["fairness", "aggregate"]
    extra = [f"fairness 1-{count}", f"aggregate 1-{count}"] if some else []
    measured = {c.id: [cell.measured for cell in c.sessions] for c in columns}
    groups = [
        line(c.label, measured[c.id], printed=dict(enumerate(printed[c.id]["sessions"])))
        for c in columns
        if c.id in printed
    ]
    figure = by_category(Category("", "Throughput [kb/s]", "", sessions, groups))
    return Shown(
        series=[points(c.label, "kb/s", sessions, measured[c.id]) for c in columns],
        paper_values=printed,
        measured={c.id: c.entry for c in columns},
        tables=[Table(*table, [*sessions, *names, *extra], [c.column for c in columns])],
        drawings={table[0]: Drawing(figure)},
    )


def _column(
    place: ColumnSource, runs: ArfAwareRuns, printed: Json, some: int | None
) -> SchemeColumn:
    sessions: list[float] = printed.get("sessions", [])

    def single(count: int | None, said: Json) -> list[TableCell]:
        """Cells of the index and the total over the first `count` sessions."""
        index, total = said.get("fairness"), said.get("aggregate")
        return [
            TableCell(estimate(runs.fairness(count)), index, digits=3),
            TableCell(estimate(runs.aggregate_kbps(count)), total),
        ]

    cells = [*single(some, printed), *(single(None, {}) if some else ())]
    names = ("fairness", "aggregate", "fairness_all", "aggregate_all")
    return SchemeColumn(
        id=place.id,
        label=place.label,
        sessions=column("", runs.throughput_kbps.T, 0, sessions).cells,
        single=dict(zip(names, cells, strict=False)),
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

"""The cells of a printed table beside those measured."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from .catalogue import Column, Experiment, Json, Paper
from .estimate import Estimate, estimate
from .runs import Runs

Measurements = Mapping[tuple[str, str], Runs]
"""Finished runs by (setup, scheme)."""


@dataclass(frozen=True)
class Cell:
    """One figure of a table."""

    row: str
    unit: str
    """`kb/s`, or empty for an index."""
    measured: Estimate
    printed: float | None

    @property
    def deviation(self) -> float | None:
        """(measured - printed) / printed."""
        if self.printed is None:
            return None
        return (self.measured.mean - self.printed) / self.printed


@dataclass(frozen=True)
class TableColumn:
    """One scheme's column."""

    id: str
    label: str
    sessions: tuple[Cell, ...]
    """All sessions, those that the paper does not print included [kb/s]."""
    fairness: Cell
    """Over the printed sessions."""
    aggregate: Cell
    """Of the printed sessions [kb/s]."""
    fairness_all: Cell | None
    """Over all sessions, if the paper prints some only."""
    aggregate_all: Cell | None
    fairness_recomputed: float | None
    """Jain's index of the printed throughputs, which need not be the printed one."""

    @property
    def printed(self) -> bool:
        """Whether the paper has this column."""
        return self.aggregate.printed is not None

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All rows, from top to bottom."""
        extra = tuple(cell for cell in (self.fairness_all, self.aggregate_all) if cell)
        return (*self.sessions, self.fairness, self.aggregate, *extra)


@dataclass(frozen=True)
class Table:
    """A printed table with its measured counterpart."""

    experiment: Experiment
    columns: tuple[TableColumn, ...]


def build(paper: Paper, experiment: Experiment, measurements: Measurements) -> Table:
    """The cells of `experiment` from its finished runs."""
    printed = paper.reference[experiment.id]
    columns = tuple(
        _column(paper, experiment, column, measurements[column.setup, column.scheme], printed)
        for column in experiment.columns
    )
    return Table(experiment, columns)


def _column(
    paper: Paper,
    experiment: Experiment,
    column: Column,
    runs: Runs,
    printed: Json,
) -> TableColumn:
    paper_column: Json = printed.get(column.id, {})
    paper_sessions: list[float] = paper_column.get("sessions", [])
    some = experiment.printed_sessions

    def fairness(rows: str, count: int | None, printed: float | None) -> Cell:
        return Cell(f"fairness{rows}", "", estimate(runs.fairness(count)), printed)

    def aggregate(rows: str, count: int | None, printed: float | None) -> Cell:
        return Cell(f"aggregate{rows}", "kb/s", estimate(runs.aggregate_kbps(count)), printed)

    rows, every = (f" 1-{some}", f" 1-{len(runs.flows)}") if some else ("", "")
    missing = [None] * (len(runs.flows) - len(paper_sessions))
    return TableColumn(
        id=column.id,
        label=_label(paper, column),
        sessions=tuple(
            Cell(f"session {i + 1}", "kb/s", estimate(runs.throughput_kbps[:, i]), value)
            for i, value in enumerate([*paper_sessions, *missing])
        ),
        fairness=fairness(rows, some, paper_column.get("fairness")),
        aggregate=aggregate(rows, some, paper_column.get("aggregate")),
        fairness_all=fairness(every, None, None) if some else None,
        aggregate_all=aggregate(every, None, None) if some else None,
        fairness_recomputed=_recomputed(paper_sessions, runs),
    )


def _label(paper: Paper, column: Column) -> str:
    """The scheme, and where it ran if the column's id says so: one_hop_newreno, anomaly."""
    label = paper.schemes[column.scheme].label
    where = column.id.removesuffix(column.scheme).replace("_", " ").strip()
    return f"{label}, {where}" if where else label


def printed_index(sessions: list[float], rates_bps: list[float]) -> float:
    """Jain's index that follows from printed throughputs.  [arf-aware-tcp eq. 1 to 3]"""
    share = [session / rate for session, rate in zip(sessions, rates_bps, strict=True)]
    return sum(share) ** 2 / (len(share) * math.fsum(x * x for x in share))


def _recomputed(sessions: list[float], runs: Runs) -> float | None:
    if not sessions:
        return None
    return printed_index(sessions, list(runs.mean_link_rate_bps[: len(sessions)]))

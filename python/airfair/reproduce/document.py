"""The JSON document of a reproduction, and its tables for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from .claims import Verdict
from .paper import Experiment, Json, Shown
from .series import finite
from .tables import Cell, Column, Table

WIDTH = 80
SIDE_BY_SIDE = 4
"""Columns of 15 characters that fit beside the rows' names."""


def document(
    paper_id: str, experiments: Sequence[Json], verdicts: Sequence[Verdict], provenance: Json
) -> Json:
    """What `airfair reproduce PAPER --json` prints."""
    claims = [
        {"id": v.id, "text": v.text, "holds": v.holds, "evidence": v.evidence} for v in verdicts
    ]
    return {"paper": paper_id, "experiments": list(experiments), "claims": claims, **provenance}


def entry(experiment: Experiment[Any], shown: Shown) -> Json:
    """One experiment; `measured` has the shape of `paper_values` if there are any."""
    return {
        "id": experiment.id,
        "title": experiment.title,
        "series": list(shown.series),
        "paper_values": shown.paper_values,
        "measured": shown.measured,
    }


# ------------------------------------------------------------------ for people


def table_text(table: Table) -> str:
    """A table in at most 80 columns: printed columns with their deviations, then the others."""
    printed = [column for column in table.columns if column.printed]
    others = [column for column in table.columns if not column.printed]
    lines = [f"{table.id}: {table.title}"]
    lines = [line for part in lines for line in textwrap.wrap(part, WIDTH)]
    if printed:
        lines.append(_line("", [f"{column.label:>29}" for column in printed]))
        lines.append(_line("", [f"{'paper':>7}{'measured':>13}{'dev.':>9}"] * len(printed)))
        lines += _rows(table, printed, _compared)
    for first in range(0, len(others), SIDE_BY_SIDE):
        part = others[first : first + SIDE_BY_SIDE]
        heads = [_split(column.label) for column in part]
        lines += ["", *(_line("", [f"{head[i]:>15}" for head in heads]) for i in range(2))]
        lines += _rows(table, part, _alone)
    return "\n".join(lines)


def _rows(table: Table, columns: Sequence[Column], show: Callable[[Cell], str]) -> list[str]:
    rows = zip(table.rows, *(column.cells for column in columns), strict=True)
    return [_line(name, [show(cell) for cell in cells]) for name, *cells in rows]


def _line(name: str, cells: Sequence[str]) -> str:
    return f"  {name:<15}{''.join(cells)}".rstrip()


def _compared(cell: Cell) -> str:
    paper = "" if cell.printed is None else f"{cell.printed:.{cell.digits}f}"
    deviation = "" if cell.deviation is None else f"{100 * cell.deviation:+.1f} %"
    return f"{paper:>7}{_interval(cell):>13}{deviation:>9}"


def _alone(cell: Cell) -> str:
    return f"{_interval(cell):>15}"


def _interval(cell: Cell) -> str:
    mean, ci95 = cell.measured.mean, cell.measured.ci95
    if finite(mean) is None:
        return "-"
    digits = cell.digits
    return f"{mean:.{digits}f} ±{ci95:>{4 + digits // 3}.{digits}f}"


def _split(label: str) -> tuple[str, str]:
    """A label in two lines."""
    first, _, second = label.partition(", ")
    return first, second


def claims_text(verdicts: Sequence[Verdict]) -> str:
    """One line per claim, and what decides it below."""
    lines = [f"{sum(v.holds for v in verdicts)} of {len(verdicts)} claims hold"]
    for verdict in verdicts:
        lines.append(f"  {mark(verdict)} {verdict.id}")
        lines += [f"      {line}" for part in verdict.brief for line in _wrap(part)]
    return "\n".join(lines)


def mark(verdict: Verdict) -> str:
    """✓, ✗, or ? where the replications do not suffice."""
    return {"holds": "✓", "fails": "✗", "undecided": "?"}[verdict.state]


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH - 6)

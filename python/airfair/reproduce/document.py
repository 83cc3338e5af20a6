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
MARGIN = "  "
NAME = 15
"""Characters for the rows' names at least."""
COMPARED, ALONE = 29, 15
"""Characters of a column beside the paper's, and of one that the paper does not have."""

MARKS = {
    "holds": "✓",
    "fails": "✗",
    "undecided": "?",
    "depends": "◐",
    "untestable": "○",
    "not run": "–",
}
FIRST_LOOK = {**MARKS, "holds": "⊕", "fails": "⊖"}
"""The same where few replications were run: it looks as if it held, or not."""


def document(
    paper_id: str, experiments: Sequence[Json], verdicts: Sequence[Verdict], provenance: Json
) -> Json:
    """What `airfair reproduce PAPER --json` prints."""
    claims = [claim(verdict) for verdict in verdicts]
    return {"paper": paper_id, "experiments": list(experiments), "claims": claims, **provenance}


def claim(verdict: Verdict) -> Json:
    """One claim: its state, under which reading, at how many of its points, and what turns it."""
    held, testable = verdict.count
    return {
        "id": verdict.id,
        "text": verdict.text,
        "holds": verdict.holds,
        "state": verdict.state,
        "first_look": verdict.first_look,
        "decided_under": verdict.under,
        "points": {"hold": held, "testable": testable, "all": len(verdict.points)},
        "turned_by": verdict.turned_by,
        "turns_at_tolerance": verdict.turns_at,
        "evidence": verdict.evidence,
    }


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
    name = max([NAME, *map(len, table.rows)])
    lines = textwrap.wrap(f"{table.id}: {table.title}", WIDTH)
    for i, part in enumerate(_side_by_side(printed, name, COMPARED)):
        heads = [
            [f"{column.label:>{COMPARED}}" for column in part],
            [f"{'paper':>7}{'measured':>13}{'dev.':>9}"] * len(part),
        ]
        lines += [*([""] if i else []), *_block(table, part, name, heads, _compared)]
    for part in _side_by_side(others, name, ALONE):
        labels = [_split(column.label) for column in part]
        heads = [[f"{label[i]:>{ALONE}}" for label in labels] for i in range(2)]
        lines += ["", *_block(table, part, name, heads, _alone)]
    return "\n".join(lines)


def _side_by_side(columns: Sequence[Column], name: int, width: int) -> list[Sequence[Column]]:
    """Columns in groups that fit beside names of so many characters."""
    size = max(1, (WIDTH - len(MARGIN) - name) // width)
    return [columns[first : first + size] for first in range(0, len(columns), size)]


def _block(
    table: Table,
    columns: Sequence[Column],
    name: int,
    heads: Sequence[Sequence[str]],
    show: Callable[[Cell], str],
) -> list[str]:
    rows = zip(table.rows, *(column.cells for column in columns), strict=True)
    lines = [("", head) for head in heads]
    lines += [(row, [show(cell) for cell in cells]) for row, *cells in rows]
    return [f"{MARGIN}{row:<{name}}{''.join(cells)}".rstrip() for row, cells in lines]


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
        told = [*verdict.brief, *([why(verdict)] if verdict.why else [])]
        lines += [f"      {line}" for part in told for line in _wrap(part)]
    return "\n".join(lines)


def mark(verdict: Verdict) -> str:
    """One character for its state; another one for a first look."""
    return (FIRST_LOOK if verdict.first_look else MARKS)[verdict.state]


def why(verdict: Verdict) -> str:
    """The reasons of a claim that does not hold, for a terminal."""
    return "why: " + " ".join(verdict.why)


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH - 6)

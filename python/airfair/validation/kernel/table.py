"""Comparison of emulated and simulated goodput as a table with a row for each flow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from airfair import text_table
from airfair.text_table import Line, Table

from .runs import MARKS

if TYPE_CHECKING:
    from .runs import Summary

_WIDTH = 100
"""Width of the table, which has room for the longest name of a cell [columns]."""

ALLOWED = 0.05
"""Largest relative difference of goodputs."""


class Agreement(Enum):
    """Agreement of emulated and simulated goodput of a flow."""

    AGREES = "agrees"
    """The means differ by 5 % at most."""
    UNCERTAIN = "uncertain"
    """The means differ by more, but not significantly; more runs are needed."""
    DIFFERS = "differs"


@dataclass(frozen=True)
class Row:
    """Flow of a cell: goodputs [Mb/s], or shares of marks [%], with half widths of their 95 % intervals."""

    cell: str
    flow: str
    emulated: tuple[float, float | None]
    simulated: tuple[float, float | None]

    @property
    def has_marks(self) -> bool:
        """True for shares of marked packets, and false for goodputs."""
        return self.flow.endswith(MARKS)

    @property
    def difference(self) -> float:
        """Relative difference (simulated - emulated) / emulated."""
        real, ours = self.emulated[0], self.simulated[0]
        return (ours - real) / real if real > 0 else math.inf if ours > 0 else 0.0

    @property
    def verdict(self) -> Agreement:
        """Agreement; the squares of the half widths of independent means add up."""
        if abs(self.difference) <= ALLOWED:
            return Agreement.AGREES
        chance = math.hypot(self.emulated[1] or 0.0, self.simulated[1] or 0.0)
        is_chance = abs(self.emulated[0] - self.simulated[0]) <= chance
        return Agreement.UNCERTAIN if is_chance else Agreement.DIFFERS


def rows(cells: dict[str, tuple[Summary, Summary]]) -> list[Row]:
    """Rows for all flows, from the emulated and simulated summaries of each cell."""
    return [
        Row(cell, flow, real[flow], ours[flow])
        for cell, (real, ours) in cells.items()
        for flow in real
        if flow != "all"
    ]


def text(found: Sequence[Row]) -> str:
    """Text of the table, followed by the number of rows by agreement."""
    headings = ["flow", "kernel\nMb/s", "simulated\nMb/s", "difference\n%", "≤ 5 %"]
    lines = [Line(row.cell, _cells(row)) for row in found]
    table = text_table.text(Table("cell", headings, lines), _WIDTH)
    return "\n".join([*table, counted(found)]) + "\n"


def counted(found: Sequence[Row]) -> str:
    """Text of the number of flows, and of shares of marks, by agreement."""
    counts = ", ".join(
        f"{sum(row.verdict is verdict for row in found)} {verdict.value}" for verdict in Agreement
    )
    marks = sum(row.has_marks for row in found)
    beside = f" and {marks} shares of marks" if marks else ""
    return f"{len(found) - marks} flows{beside}: {counts}"


def _cells(row: Row) -> list[str]:
    percent = f"{100 * row.difference:+.1f}"
    means = _interval(row.emulated), _interval(row.simulated)
    return [row.flow, *means, percent, row.verdict.value]


def _interval(of: tuple[float, float | None]) -> str:
    width = "" if of[1] is None else f" ± {of[1]:.2f}"
    return f"{of[0]:.2f}{width}"

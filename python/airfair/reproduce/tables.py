"""Measured figures in rows and columns, beside those printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from airfair.estimate import Estimate


@dataclass(frozen=True)
class TableCell:
    """One figure of a table."""

    measured: Estimate
    printed: float | None = None
    digits: int = 0
    """Behind the point."""

    @property
    def deviation(self) -> float | None:
        """(measured - printed) / printed."""
        if self.printed is None:
            return None
        return (self.measured.mean - self.printed) / self.printed


@dataclass(frozen=True)
class Column:
    """A column with as many cells as the table has rows."""

    id: str
    label: str
    cells: Sequence[TableCell]
    note: str = ""
    """Note that a reader should know about its figures."""

    @property
    def printed(self) -> bool:
        """True if the paper has figures for it."""
        return any(cell.printed is not None for cell in self.cells)


@dataclass(frozen=True)
class Table:
    """Figures with the names of their rows and columns."""

    id: str
    title: str
    rows: Sequence[str]
    columns: Sequence[Column]

    @property
    def heading(self) -> str:
        """Heading: its place in the paper, and its subject."""
        return heading(self.id, self.title)


def heading(name: str, title: str) -> str:
    """`table1` → Table 1, `fig4-7` → Figure 4-7, `fig4-near` → Beside Figure 4, anything else → nothing."""
    found = re.match(r"(table|fig)(\d+(?:-\d+)?)(-.*)?$", name)
    if not found:
        return title
    kind = {"table": "Table", "fig": "Figure"}[found[1]]
    return f"{'Beside ' if found[3] else ''}{kind} {found[2]}: {title}"

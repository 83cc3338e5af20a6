"""Tables of measured and printed values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

from airfair.estimate import Estimate

from .series import Sampled, known


@dataclass(frozen=True)
class TableCell:
    """Cell of a table: a measured value and the printed one, if there is one."""

    measured: Estimate
    printed: float | None = None
    digits: int = 0
    """Number of decimals."""

    @property
    def deviation(self) -> float | None:
        """Relative deviation (measured - printed) / printed."""
        if self.printed is None:
            return None
        return (self.measured.mean - self.printed) / self.printed


@dataclass(frozen=True)
class Column:
    """Column of a table, with one cell per row."""

    label: str
    cells: Sequence[TableCell]
    note: str = ""
    """Note on the values of the column."""

    @property
    def printed(self) -> bool:
        """True if the paper has values for the column."""
        return any(cell.printed is not None for cell in self.cells)


def column(
    label: str, samples: Iterable[Sampled], digits: int = 0, printed: Iterable[float | None] = ()
) -> Column:
    """Column with the estimate of the samples of each row, and printed values for the first rows."""
    both = zip(samples, chain(printed, repeat(None)), strict=False)
    return Column(label, [TableCell(known(one), value, digits) for one, value in both])


@dataclass(frozen=True)
class Table:
    """Table with names of rows and columns."""

    id: str
    title: str
    rows: Sequence[str]
    columns: Sequence[Column]

    @property
    def heading(self) -> str:
        """Heading: number of the table in the paper, and title."""
        return heading(self.id, self.title)


def heading(name: str, title: str) -> str:
    """Heading for an id: `table1` → Table 1, `fig4-7` → Figure 4-7, `fig4-near` → Beside Figure 4."""
    found = re.match(r"(table|fig)(\d+(?:-\d+)?)(-.*)?$", name)
    if not found:
        return title
    kind = {"table": "Table", "fig": "Figure"}[found[1]]
    return f"{'Beside ' if found[3] else ''}{kind} {found[2]}: {title}"

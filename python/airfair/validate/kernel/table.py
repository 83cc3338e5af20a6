"""The comparison as a table: a row for each flow, and what is said of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .runs import Summary

ALLOWED = 0.05
"""Part by which goodputs may differ."""


class Agreement(Enum):
    """What a row says."""

    AGREES = "agrees"
    """The means differ by 5 % at most."""
    UNCERTAIN = "uncertain"
    """They differ by more, and by no more than chance explains: more runs would tell."""
    DIFFERS = "differs"


@dataclass(frozen=True)
class Row:
    """A flow of a cell, goodputs in Mb/s with half their 95 % intervals."""

    cell: str
    flow: str
    emulated: tuple[float, float | None]
    simulated: tuple[float, float | None]

    @property
    def difference(self) -> float:
        """By how much the simulated one has more, as a part of the emulated one."""
        real, ours = self.emulated[0], self.simulated[0]
        return (ours - real) / real if real > 0 else math.inf if ours > 0 else 0.0

    @property
    def verdict(self) -> Agreement:
        """The half widths of independent means add up as squares do."""
        if abs(self.difference) <= ALLOWED:
            return Agreement.AGREES
        chance = math.hypot(self.emulated[1] or 0.0, self.simulated[1] or 0.0)
        is_chance = abs(self.emulated[0] - self.simulated[0]) <= chance
        return Agreement.UNCERTAIN if is_chance else Agreement.DIFFERS


def rows(cells: dict[str, tuple[Summary, Summary]]) -> list[Row]:
    """A row for each flow of cells with what was emulated and simulated."""
    return [
        Row(cell, flow, real[flow], ours[flow])
        for cell, (real, ours) in cells.items()
        for flow in real
        if flow != "all"
    ]


def text(found: Sequence[Row]) -> str:
    """The table, and how many rows say what."""
    head = ("cell", "flow", "kernel [Mb/s]", "simulated [Mb/s]", "difference", "≤ 5 %")
    lines = [head, *(_line(row) for row in found)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    table = [_justified(line, widths) for line in lines]
    counts = ", ".join(
        f"{sum(row.verdict is verdict for row in found)} {verdict.value}" for verdict in Agreement
    )
    return "\n".join([*table, f"{len(found)} flows: {counts}"]) + "\n"


def _line(row: Row) -> tuple[str, ...]:
    percent = f"{100 * row.difference:+.1f} %"
    words = (_interval(row.emulated), _interval(row.simulated), percent)
    return (row.cell, row.flow, *words, row.verdict.value)


def _interval(of: tuple[float, float | None]) -> str:
    width = "" if of[1] is None else f" ± {of[1]:.2f}"
    return f"{of[0]:.2f}{width}"


def _justified(line: Iterable[str], widths: Sequence[int]) -> str:
    cells = zip(line, widths, range(len(widths)), strict=True)
    numbers = range(2, 5)
    said = [it.rjust(width) if at in numbers else it.ljust(width) for it, width, at in cells]
    return "  ".join(said).rstrip()

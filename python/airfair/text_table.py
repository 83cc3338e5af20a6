"""Text tables; columns that do not fit side by side continue below with the same row labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import names

NOTHING = "–"
"""Text of a missing value."""
_GAPS = (2, 1)
"""Spaces before a column: the first that lets all columns fit side by side, else the first one."""
_LEAST_LABEL = 10


@dataclass(frozen=True)
class Line:
    """Row: its label and a cell for each column."""

    label: str
    cells: Sequence[str]


@dataclass(frozen=True)
class Table:
    """Table with the heading of its first column, headings of the others (with the unit last), and rows."""

    first: str
    headings: Sequence[str]
    lines: Sequence[Line]


def text(table: Table, columns: int) -> list[str]:
    """Lines of text, at most `columns` wide unless a label and one value need more."""
    widths = [
        max(names.width(part) for part in (*heading.split("\n"), *cells))
        for heading, *cells in zip(
            table.headings, *(line.cells for line in table.lines), strict=True
        )
    ]
    longest = max(names.width(label) for label in (table.first, *(x.label for x in table.lines)))
    label = min(longest, max(columns // 3, _LEAST_LABEL))
    room = columns - label
    gap = next((gap for gap in _GAPS if sum(widths) + gap * len(widths) <= room), _GAPS[0])
    shown = []
    for block in _blocks(widths, gap, room):
        # The width of a column includes the gap before it.
        shown += [*_block(table, label, block, [gap + width for width in widths]), ""]
    return shown


def _blocks(widths: Sequence[int], gap: int, room: int) -> Iterator[list[int]]:
    """Indices of columns that fit side by side."""
    block: list[int] = []
    used = 0
    for place, width in enumerate(widths):
        if block and used + gap + width > room:
            yield block
            block, used = [], 0
        block.append(place)
        used += gap + width
    if block:
        yield block


def _block(table: Table, label: int, block: Sequence[int], widths: Sequence[int]) -> Iterator[str]:
    headings = [table.headings[place].split("\n") for place in block]
    height = max(map(len, headings))
    for row in range(height):
        parts = [heading[row - height + len(heading)] if row >= height - len(heading) else ""
                 for heading in headings]  # fmt: skip
        first = names.short(table.first, label) if row == height - 1 else ""
        yield _row(first, parts, label, [widths[place] for place in block])
    yield "─" * (label + sum(widths[place] for place in block))
    for line in table.lines:
        cells = [line.cells[place] for place in block]
        if any(line.cells) and not any(cells):
            continue
        yield _row(names.short(line.label, label), cells, label, [widths[place] for place in block])


def _row(label: str, cells: Sequence[str], label_width: int, widths: Sequence[int]) -> str:
    padded = (
        " " * (width - names.width(cell)) + cell for cell, width in zip(cells, widths, strict=True)
    )
    return (names.pad(label, label_width) + "".join(padded)).rstrip()


def number(value: float | None, digits: int | None = None) -> str:
    """Number with `digits` decimals; by default a mean of counts, with one decimal if it is small.

    A value that would be rounded to zero is shown as less than the smallest number.
    """
    if value is None or math.isnan(value):
        return NOTHING
    if digits is None:
        few = 100
        digits = 0 if value == int(value) or abs(value) >= few else 1
    least = 10.0**-digits
    if abs(value) < _NOISE:
        return "0"
    if abs(value) < least / 2:
        return f"{'<' if value > 0 else '>-'}{least:.{digits}f}"
    return f"{value:.{digits}f}"


def index(value: float | None, half: float | None, digits: int) -> str:
    """Index from 0 to 1 with the half width of its interval, or both ends if it would leave 0 to 1."""
    if value is None or half is None:
        return number(value, digits)
    if value - half >= 0 and value + half <= 1:
        return f"{number(value, digits)} ± {number(half, digits)}"
    low, high = max(0.0, value - half), min(1.0, value + half)
    return f"{number(value, digits)} ({low:.{digits}f} to {high:.{digits}f})"


_NOISE = 1e-9
"""Largest absolute value that counts as zero, because rounding errors of the arithmetic are as large."""

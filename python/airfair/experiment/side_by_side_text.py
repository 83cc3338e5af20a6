"""Text of a comparison of two results for a terminal."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair import text_table
from airfair.law_use import LawUse
from airfair.names import counted, printable
from airfair.text_table import Line, Table

from .measures import ENDINGS, SCALES
from .text import estimate_of, number, p_value

if TYPE_CHECKING:
    from .side_by_side import Comparison

NAME_WIDTH = 14
"""Largest width of a result's name above a column [columns]."""
NO_LAW = "no law"
UNITS = {
    "goodput_bps": "bit/s",
    "delay_p95_ms": "ms",
    "completion_s": "s",
    "wait_p95_ms": "ms",
    "video_rate_bps": "bit/s",
}
"""Units of the columns that have one."""


def shown(found: Comparison, width: int, *, every: bool) -> str:
    """Text of a comparison of two results; unless `every`, only significant differences."""
    names = short_names(found)
    head = " and ".join(names)
    laws = _laws(found, names, width)
    if found.identical:
        told = f"{head}: identical in every record of all {len(found.first.hashes)} runs"
        return "\n".join([*textwrap.wrap(told, width), *laws])
    rows = [row for row in found.rows if every or row["is_significant"]]
    pairs = max((row["pairs"] for row in found.rows), default=0)
    head += f", {counted(pairs, 'pair')} of runs"
    if not rows:
        fewest = 2
        why = " (one pair is too few; use --replications)" if pairs < fewest else ""
        told = f"{head}: no significant difference{why}; --all shows all rows"
        return "\n".join([*textwrap.wrap(told, width), *laws])
    lines = [_line_of(row, found) for row in rows]
    head += f"; difference = {names[1]} - {names[0]}"
    first, second = ("\n".join(_column_name(name)) for name in names)
    headings = [
        "\n",
        f"{first}\nmean",
        f"{second}\nmean",
        "\ndifference",
        "relative\n%",
        "p\nadjusted",
    ]
    table = text_table.text(Table("", headings, lines), width)
    hidden = len(found.rows) - len(rows)
    rest = (
        [f"{hidden} more rows have no significant difference; --all shows them"] if hidden else []
    )
    note = ["* significant at 5 %, corrected for the number of rows"]
    return "\n".join([*textwrap.wrap(head, width), *laws, "", *table, *note, *rest])


def _laws(found: Comparison, names: tuple[str, str], width: int) -> list[str]:
    """Lines with the laws of both sides; none if the laws are the same."""
    both = found.first.laws, found.second.laws
    if both[0] == both[1]:
        return []
    with_source = len({"".join(map(_law, laws)) for laws in both}) == 1
    lines = []
    for name, laws in zip(names, both, strict=True):
        told = [_law(law, with_source=with_source) for law in laws] or [NO_LAW]
        if told != [name]:
            lines += textwrap.wrap(f"{name}: {'; '.join(told)}", width, subsequent_indent="    ")
    return lines


def _law(law: LawUse, *, with_source: bool = False) -> str:
    """Node and name of a law as in the option `--law`, its version and its parameters."""
    about = [f"version {law.version}"] if law.version else []
    about += [f"{name} = {value!r}" for name, value in law.parameters]
    if with_source:
        about.append(f"source {law.sha256[:8] if law.sha256 else 'unknown'}")
    return printable(", ".join([f"{law.node}={law.name}", *about]))


def _named_by_laws(found: Comparison) -> tuple[str, str] | None:
    """Names of both sides by the classes of their laws; `None` if these are the same."""
    first, second = (
        " + ".join(dict.fromkeys(law.name.rpartition(":")[2] for law in side.laws)) or NO_LAW
        for side in (found.first, found.second)
    )
    return None if first == second else (first, second)


def short_names(found: Comparison) -> tuple[str, str]:
    """Short names of both sides: the parts in which their paths differ, without suffixes, or their laws."""
    first, second = (Path(side.name) for side in (found.first, found.second))
    if first == second and (named := _named_by_laws(found)):
        return named
    if first.stem != second.stem:
        return first.stem, second.stem
    if first.name != second.name:
        return first.name, second.name
    own = [
        (one, other)
        for one, other in zip(reversed(first.parts), reversed(second.parts), strict=False)
        if one != other
    ]
    return own[0] if own else ("first", "second")


def _column_name(name: str) -> list[str]:
    """Lines of a name for the heading of a column."""
    return textwrap.wrap(printable(name), NAME_WIDTH) or [""]


def _line_of(row: dict[str, Any], found: Comparison) -> Line:
    column = row["column"]
    factor, unit = SCALES.get(UNITS.get(column, ""), (1.0, UNITS.get(column, "")))
    subject = row.get("flow") or row.get("station")
    where = [str(row[name]) for name in found.first.factors]
    kind = row["table"].removesuffix("s")
    name = column
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    measured = f"{name} [{unit}]" if unit else name
    cells = [
        measured,
        number(estimate_of(row["first"], 0.0), factor),
        number(estimate_of(row["second"], 0.0), factor),
        number(estimate_of(row["difference"], row["difference_ci95"]), factor),
        number(estimate_of(row["relative"], row["relative_ci95"]), 100.0),
        p_value(row["p_adjusted"]) + (" *" if row["is_significant"] else "  "),
    ]
    return Line(", ".join([*where, f"{kind} {subject}"]), cells)

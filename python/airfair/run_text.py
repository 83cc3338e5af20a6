"""Text that `airfair run` prints: tables, what limited the flows, airtime and fairness."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from . import congestion_marks, felt, messages, names, text_table, whose_air
from .airtime_bar import Holder, holders
from .flow_limits import FlowLimits
from .replications import record_hashes
from .run_tables import Wish, categories, flows, indices, links, stations
from .summary import runs
from .terminal import Ink, columns, is_terminal, write
from .text_table import number

if TYPE_CHECKING:
    from .result import Result


def show(result: Result, wish: Wish) -> None:
    """Print the result: plain text in a pipe, colours on a terminal."""
    has_colour = "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    ink = Ink(has_colour and is_terminal(sys.stdout))
    write("\n".join(report(result, wish, columns(sys.stdout), ink)) + "\n", sys.stdout)


def report(result: Result, wish: Wish, width: int, ink: Ink) -> Iterator[str]:
    """Lines of the report that `airfair run` prints."""
    yield from _title(result, width, ink)
    yield ""
    if not result.replications:
        return
    yield from _felt(result, wish, width, ink)
    tables = (
        flows(result, wish),
        messages.table(result, wish),
        congestion_marks.table(result, wish),
        stations(result, wish),
        categories(result),
        links(result, wish),
    )
    for table in tables:
        if table is not None and table.lines:
            yield from text_table.text(table, width)
        if table is tables[0]:
            yield from _limits(result, wish, width)
    for cell in result.scenario.cells:
        several = f" of {names.printable(cell)}" if len(result.scenario.cells) > 1 else ""
        yield ink.bold(f"Airtime{several}")
        yield from _bar(holders(result, cell), width, ink)
        yield ""
    for channel, table in whose_air.tables(result, wish):
        yield ink.bold(f"Who holds whose air on {channel}")
        yield from text_table.text(table, width)
    yield from _fairness(result, width, ink)
    if result.replications == 1:
        yield f"{ink.bold('Record hash')}    {record_hashes(result)[0]}"


def _felt(result: Result, wish: Wish, width: int, ink: Ink) -> Iterator[str]:
    """What each person felt, a line each."""
    entries = felt.felt(result, wish)
    if not entries:
        return
    several = f" in {runs(result)}" if result.replications > 1 else ""
    yield ink.bold(f"What people felt{several}")
    label = min(max(names.width(entry.name) for entry in entries), width // 3)
    for entry in entries:
        name = names.short(entry.name, label)
        padded = name + " " * (label - names.width(name))
        indent = " " * (label + 2)
        yield from textwrap.wrap(
            entry.says, width, initial_indent=f"{padded}  ", subsequent_indent=indent
        )
    yield ""


def _limits(result: Result, wish: Wish, width: int) -> Iterator[str]:
    """Sentences on what limited the flows."""
    wanted = [flow["name"] for flow in result.scenario.flows if wish.has(flow["name"])]
    sentences = FlowLimits(result).sentences(wanted)
    for sentence in sentences:
        yield from textwrap.wrap(sentence, width, subsequent_indent="  ")
    if sentences:
        yield ""


def _title(result: Result, width: int, ink: Ink) -> Iterator[str]:
    scenario = result.scenario
    yield from map(ink.bold, _wrapped(names.printable(scenario.title), width))
    line = f"{runs(result)} of {scenario.duration_s:,.12g} s, seed {scenario.seed}"
    if result.cpu_s:
        speed = result.simulated_s / result.cpu_s
        line += f", in {result.wall_s:.2f} s: {speed:,.0f} simulated s per CPU s"
    yield from _wrapped(line, width)


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width) if names.width(text) > width else [text]


def _bar(parts: Sequence[Holder], width: int, ink: Ink) -> Iterator[str]:
    bar = []
    for part, room in zip(parts, _widths([part.share for part in parts], width), strict=True):
        name = names.printable(part.name)
        fits = ink.colour and names.width(name) + 2 <= room
        inside = name.center(room) if fits else (" " if ink.colour else part.mark) * room
        bar.append(ink.on(part.colour, part.ink, inside))
    yield "".join(bar)
    intervals = any(part.interval is not None for part in parts)
    for part in parts:
        mark = ink.on(part.colour, part.ink, f"{' ' if ink.colour else part.mark} ")
        interval = f" ± {number(_times_100(part.interval), 1):>4}" if intervals else ""
        label = names.pad(names.short(part.name, 22), 22)
        line = f" {label} {number(100 * part.share, 1):>5}{interval} %"
        # On a narrow terminal, the note is on the next line.
        beside = names.width(f"  xx{line}   {part.note}") <= width
        yield f"  {mark}{line}" + (f"   {part.note}" if beside and part.note else "")
        if part.note and not beside:
            yield f"       {part.note}"


def _times_100(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _widths(shares: Sequence[float], width: int) -> list[int]:
    """Widths of parts with these shares [columns], which add up to `width` (largest remainder method)."""
    total = sum(shares) or 1.0
    exact = [share / total * width for share in shares]
    widths = [int(part) for part in exact]
    by_remainder = sorted(range(len(exact)), key=lambda i: widths[i] - exact[i])
    for i in by_remainder[: width - sum(widths)]:
        widths[i] += 1
    return widths


def _fairness(result: Result, width: int, ink: Ink) -> Iterator[str]:
    parts = [f"{title} {text}" for title, text in indices(result)]
    line = "Jain's index   " + "   ".join(parts)
    if len(line) <= width:
        yield line.replace("Jain's index", ink.bold("Jain's index"))
        return
    yield ink.bold("Jain's index")
    yield from (f"  {part}" for part in parts)

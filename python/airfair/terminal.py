"""Output for people: tables, the bar of airtime, progress."""

from __future__ import annotations

import contextlib
import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TextIO

from . import fairness, names, text_table
from .flow_limits import FlowLimits
from .replications import bounded_half_width, half_width, mean, record_hashes, samples
from .terminal_tables import Item, Wish, categories, flows, keeps_shares, links, stations
from .text_table import index, number

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as RichProgress

    from .result import Result

WIDTH = 80
"""Width of output to a pipe [columns]."""
MOST_WIDTH = 400
"""Largest width used on a terminal [columns]."""

MOST_HOLDERS = 8
"""Largest number of stations with their own part of the bar."""

# Okabe and Ito: distinct for every kind of colour vision.
_COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#f0e442",
    "#8a8a8a",
)
_LETTERS = "abcdefgh"
_DELAY_S = 0.5
_LOG_S = 60.0


class Progress:
    """Progress bar with the remaining time on standard error, shown if the work takes long.

    If standard error is no terminal, one line per minute is written instead.
    """

    def __init__(self, label: str) -> None:
        self._label = names.printable(label)
        self._started = time.monotonic()
        self._logged = 0.0
        self._bar: RichProgress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, fraction: float) -> None:
        """Show that `fraction` of the work is done."""
        passed = time.monotonic() - self._started
        if not _is_terminal(sys.stderr):
            self._log(fraction, passed)
            return
        if passed < _DELAY_S:
            return
        if self._bar is None:
            self._bar = self._make()
        self._bar.update(self._bar.task_ids[0], completed=fraction)

    def _log(self, fraction: float, passed: float) -> None:
        """A line for a log, once a minute."""
        if passed - self._logged < _LOG_S:
            return
        self._logged = passed
        left = f", {passed / fraction - passed:.0f} s left" if fraction > 0 else ""
        print(f"airfair: {self._label}: {fraction:.0%}{left}", file=sys.stderr, flush=True)

    def _make(self) -> RichProgress:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("left"),
            TimeRemainingColumn(compact=True, elapsed_when_finished=False),
            console=Console(stderr=True),
            transient=True,
        )
        bar.add_task(escape(self._label), total=1.0)
        bar.start()
        return bar


@contextlib.contextmanager
def shown(
    progress: Callable[[float], object] | bool,  # noqa: FBT001 - as the argument of functions
    label: str,
) -> Iterator[Callable[[float], object] | None]:
    """Callback for an argument `progress`: a bar with this label if it is true, `None` if it is false."""
    if callable(progress) or not progress:
        yield progress if callable(progress) else None
        return
    with Progress(label) as bar:
        yield bar


def show(result: Result, wish: Wish) -> None:
    """Print the result: plain text in a pipe, colours on a terminal."""
    if hasattr(sys.stdout, "reconfigure"):
        # Replace characters that the terminal cannot show by question marks.
        sys.stdout.reconfigure(errors="replace")
    terminal = _is_terminal(sys.stdout)
    ink = Ink(terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb")
    print("\n".join(report(result, wish, columns(sys.stdout), ink)))


def columns(stream: TextIO) -> int:
    """Width for tables on `stream` [columns]: the variable COLUMNS, else that of the terminal, else 80."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said) > 0:
        return min(int(said), MOST_WIDTH)
    try:
        found = os.get_terminal_size(stream.fileno()).columns if _is_terminal(stream) else 0
    except OSError:
        found = 0
    return min(found or WIDTH, MOST_WIDTH)


def _is_terminal(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty())


@dataclass(frozen=True)
class Ink:
    """Formatter of text: with escape sequences, or plain."""

    colour: bool = False

    def bold(self, text: str) -> str:
        """Bold text."""
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def on(self, colour: str, ink: str, text: str) -> str:
        """Text with the background `colour` and the text colour `ink`, both as #rrggbb."""
        if not self.colour:
            return text
        return f"\x1b[38;{_sgr(ink)};48;{_sgr(colour)}m{text}\x1b[0m"


def _sgr(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return f"2;{red};{green};{blue}"
    cube = [round(part / 255 * 5) for part in (red, green, blue)]
    return f"5;{16 + 36 * cube[0] + 6 * cube[1] + cube[2]}"


def report(result: Result, wish: Wish, width: int, ink: Ink) -> Iterator[str]:
    """Lines of the report that `airfair run` prints."""
    yield from _title(result, width, ink)
    yield ""
    if not result.replications:
        return
    tables = (
        flows(result, wish),
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
    yield from _fairness(result, width, ink)
    if result.replications == 1:
        yield f"{ink.bold('Record hash')}    {record_hashes(result)[0]}"


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
    n = result.replications
    runs = "1 run" if n == 1 else f"{n} runs"
    if result.interrupted:
        runs += f" of {scenario.replications} (interrupted)"
    yield from map(ink.bold, _wrapped(names.printable(scenario.title), width))
    line = f"{runs} of {scenario.duration_s:,.12g} s, seed {scenario.seed}"
    if result.cpu_s:
        speed = result.simulated_s / result.cpu_s
        line += f", in {result.wall_s:.2f} s: {speed:,.0f} simulated s per CPU s"
    yield from _wrapped(line, width)


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width) if names.width(text) > width else [text]


@dataclass(frozen=True)
class Holder:
    """Part of the bar of airtime: a station, or a kind of lost airtime."""

    name: str
    share: float
    interval: float | None
    note: str
    mark: str
    colour: str
    ink: str = "#ffffff"
    kinds: tuple[float, ...] = ()
    """Parts of a station's share: data sent by it, data sent to it, control."""

    @property
    def is_lost(self) -> bool:
        """True for airtime that no station used."""
        return not self.kinds


_LOST = (
    ("beacon", "beacons", "", "^", "#7a3b9e"),
    ("collision", "collisions", "", "×", "#b00020"),
    ("contention", "contention", "gaps and back-off", "-", "#555555"),
    ("idle", "idle", "nothing to send", ".", "#222222"),
)


def holders(result: Result, cell: str, alone: int = MOST_HOLDERS) -> list[Holder]:
    """Parts of a channel's air, which add up to 1: stations, beacons, collisions, contention, idle.

    If there are more than `alone` stations, those with consecutive numbers form one part.
    """
    scenario = result.scenario
    channel = samples(result, "channel_shares", scenario.cells)[cell]
    shares = samples(result, "airtime", scenario.stations)
    here = [
        Item(name, shares[name])
        for name, of in zip(scenario.stations, scenario.station_cells, strict=True)
        if of == cell
    ]
    parts = [_holder(i, name, members) for i, (name, members) in enumerate(_shown(here, alone))]
    for column, name, note, mark, colour in _LOST:
        values = channel[column]
        if name != "beacons" or any(values):
            share = mean(values) or 0.0
            parts.append(Holder(name, share, bounded_half_width(values, 1), note, mark, colour))
    return parts


def _shown(here: Sequence[Item], alone: int) -> list[tuple[str, list[Item]]]:
    """Stations or groups with a part of their own, in the order of the scenario."""
    if len(here) <= alone:
        return [(item.name, [item]) for item in here]
    found = [
        (name, [here[place] for place in places])
        for name, places in names.groups([item.name for item in here])
    ]
    if len(found) <= MOST_HOLDERS:
        return found
    by_share = sorted(found, key=lambda group: -_held(group[1], "airtime_share"))
    first = [name for name, _ in by_share[: MOST_HOLDERS - 1]]
    rest = [item for name, members in found if name not in first for item in members]
    return [group for group in found if group[0] in first] + [(f"{len(rest)} others", rest)]


def _held(members: Sequence[Item], kind: str) -> float:
    return mean(_sum(members, kind)) or 0.0


def _sum(members: Sequence[Item], kind: str) -> list[float]:
    return [sum(values) for values in zip(*(m.samples[kind] for m in members), strict=True)]


def _holder(index: int, name: str, members: Sequence[Item]) -> Holder:
    kinds = tuple(_held(members, kind) for kind in ("data_up", "data_down", "control"))
    up, down, control = (number(100 * share, 1) for share in kinds)
    note = f"data up {up}, down {down}, control {control}"
    shares = _sum(members, "airtime_share")
    mark, colour = _LETTERS[index], _COLOURS[index]
    return Holder(
        name,
        mean(shares) or 0.0,
        bounded_half_width(shares, 1),
        note,
        mark,
        colour,
        "#000000",
        kinds,
    )


def _bar(parts: Sequence[Holder], width: int, ink: Ink) -> Iterator[str]:
    bar = []
    for part, columns in zip(parts, _widths([part.share for part in parts], width), strict=True):
        name = names.printable(part.name)
        fits = ink.colour and names.width(name) + 2 <= columns
        inside = name.center(columns) if fits else (" " if ink.colour else part.mark) * columns
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
    titles = {
        "flow_rate": "flow rate",
        "flow_rate_per_link_rate": "flow rate / link rate",
        "airtime": "airtime",
    }
    if keeps_shares(result):
        titles = {"flow_rate": "flow rate", "airtime": "airtime", "occupancy": "occupancy"}
    columns = fairness.indices(result)
    parts = []
    for key, title in titles.items():
        parts.append(f"{title} {index(mean(columns[key]), half_width(columns[key]), 3)}")
    line = "Jain's index   " + "   ".join(parts)
    if len(line) <= width:
        yield line.replace("Jain's index", ink.bold("Jain's index"))
        return
    yield ink.bold("Jain's index")
    yield from (f"  {part}" for part in parts)

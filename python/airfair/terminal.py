"""What people see: tables, the bar of who held the air, progress."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from rich.progress import Progress as RichProgress

    from .result import Result

WIDTH = 80
"""Columns that everything fits into."""

MOST_ROWS = 24
"""Rows shown of a long table; `--json` and `--out` have all."""

MOST_HOLDERS = 8
"""Stations with a part of their own in the bar."""

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
    """A progress bar with the time left on standard error, if the work turns out to be long.

    Where that is no terminal, as in a log, a line a minute says the same.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self._console = Console(stderr=True)
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
        if not self._console.is_terminal:
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
            console=self._console,
            transient=True,
        )
        bar.add_task(self._label, total=1.0)
        bar.start()
        return bar


def show(result: Result) -> None:
    """Print the result: plain text in a pipe, colours on a terminal."""
    if hasattr(sys.stdout, "reconfigure"):
        # A terminal that lacks a character gets a question mark, not an exception.
        sys.stdout.reconfigure(errors="replace")
    console = Console(file=sys.stdout, highlight=False)
    if not console.is_terminal or console.width > WIDTH:
        console.width = WIDTH
    with console.capture() as capture:
        console.print(report(result, colour=console.is_terminal and not console.no_color))
    lines = (line.rstrip() for line in capture.get().splitlines())
    print("\n".join(lines))


def report(result: Result, *, colour: bool) -> RenderableType:
    """Everything that `airfair run` says of a result."""
    document = result.to_json()
    parts: list[RenderableType] = [_title(result), Text()]
    if result.replications:
        parts += [
            _flows(document),
            *([_stations(document)] if document["stations"] else []),
            *_rates(document["stations"]),
            *_links(document),
            *(
                part
                for channel in document["channels"]
                for part in _air(document, channel, colour=colour)
            ),
            _fairness(document["fairness"], shared=_keeps_shares(document)),
        ]
    return Group(*parts)


def _title(result: Result) -> Text:
    scenario = result.scenario
    n = result.replications
    runs = "1 run" if n == 1 else f"{n} runs"
    if result.interrupted:
        runs += f" of {scenario.replications} (interrupted)"
    text = Text()
    text.append(scenario.title, style="bold")
    text.append(f"\n{runs} of {scenario.duration_s:,.12g} s, seed {scenario.seed}")
    if result.cpu_s:
        speed = result.simulated_s / result.cpu_s
        text.append(f", in {result.wall_s:.2f} s: {speed:,.0f} simulated s per CPU s")
    return text


def _flows(document: dict[str, Any]) -> Table:
    table = _table("flow")
    with_interval = document["replications"] > 1
    _numbers(table, "goodput\nMb/s", *(["\n± 95 %"] if with_interval else []))
    _numbers(table, "share\n%", "loss\n%", "sent\nagain", "time-\nouts", "RTT p50\nms", "p95\nms")
    for flow in document["flows"][:MOST_ROWS]:
        interval = [_number(flow["goodput_ci95_bps"], 1e-6, 3)] if with_interval else []
        table.add_row(
            Text(_short(flow["name"])),
            _number(flow["goodput_bps"], 1e-6, 3),
            *interval,
            _number(flow["share"], 100, 1),
            _number(flow["loss"], 100, 2),
            _number(flow["retransmissions"]),
            _number(flow["timeouts"]),
            _number(flow["rtt_p50_ms"], 1, 1),
            _number(flow["rtt_p95_ms"], 1, 1),
        )
    _tell_rest(table, len(document["flows"]))
    return table


def _stations(document: dict[str, Any]) -> Table:
    table = _table("station")
    # Only stations that observe their channel have measured anything.
    shares = [station["measured_airtime_share"] for station in document["stations"]]
    measured = any(share is not None for share in shares)
    shared = _keeps_shares(document)
    _numbers(
        table,
        "airtime\n%",
        *["with\ngaps"] * shared,
        *["so it\nmeasures"] * measured,
        "data\nframes",
        "retries\n%",
        "dropped:\nretries",
    )
    _numbers(table, "\nqueue", "queue\nmean", "\nmax")
    nothing = dict.fromkeys(("airtime_share", "occupancy", "measured_airtime_share"))
    access_points = [point | nothing for point in document["access_points"]]
    for radio in [*document["stations"][:MOST_ROWS], *access_points]:
        frames = radio["frames"]
        retries = radio["retries"] / frames if frames else None
        point = " (AP)" if radio["airtime_share"] is None else ""
        table.add_row(
            Text(_short(radio["name"] + point)),
            _number(radio["airtime_share"], 100, 1),
            *[_number(radio["occupancy"], 100, 1)] * shared,
            *[_number(radio["measured_airtime_share"], 100, 1)] * measured,
            _number(frames),
            _number(retries, 100, 1),
            _number(radio["drops"]["retry_limit"]),
            _number(_dropped_in_queue(radio["drops"])),
            _number(radio["queue_mean"], 1, 1),
            _number(radio["queue_max"]),
        )
    _tell_rest(table, len(document["stations"]))
    return table


def _keeps_shares(document: dict[str, Any]) -> bool:
    """Whether a flow keeps to a share of the channel, in which gaps and back-off count."""
    return any(flow["control"] == "occupancy" for flow in document["flows"])


def _dropped_in_queue(drops: dict[str, float | None]) -> float | None:
    """Packets that the queue refused or dropped, whatever its reason."""
    causes = [drops[cause] for cause in ("queue_full", "codel", "ack_filter")]
    known = [number for number in causes if number is not None]
    return sum(known) if len(known) == len(causes) else None


def _rates(stations: Sequence[dict[str, Any]]) -> list[Table]:
    """The rates of all stations, if a law changed any."""
    if not any(station["rate_changes"] for station in stations):
        return []
    table = _table("station")
    _numbers(table, "mean rate\nup Mb/s", "mean rate\ndown Mb/s", "rate\nchanges")
    for station in stations[:MOST_ROWS]:
        table.add_row(
            Text(_short(station["name"])),
            _number(station["mean_rate_up_bps"], 1e-6, 2),
            _number(station["mean_rate_down_bps"], 1e-6, 2),
            _number(station["rate_changes"]),
        )
    _tell_rest(table, len(stations))
    return [table]


def _links(document: dict[str, Any]) -> list[Table]:
    """The directions of links that lost packets, and every one if there is nothing but wires."""
    rows = document["links"]
    if document["channels"]:
        rows = [link for link in rows if sum(link["drops"].values()) > 0]
    if not rows:
        return []
    table = _table("link")
    _numbers(table, "packets", "lost on\nthe way", "dropped:\nearly")
    _numbers(table, "\nqueue", "queue\nmean", "\nmax")
    for link in rows[:MOST_ROWS]:
        drops = link["drops"]
        table.add_row(
            Text(_short(f"{link['from']} → {link['to']}", 32)),
            _number(link["packets"]),
            _number(drops["lost"]),
            _number(drops["early"]),
            _number(drops["queue_full"]),
            _number(link["queue_mean"], 1, 1),
            _number(link["queue_max"]),
        )
    _tell_rest(table, len(rows))
    return [table]


@dataclass(frozen=True)
class Holder:
    """A part of the bar: who held the air, or what it was lost to."""

    name: str
    share: float
    note: str
    mark: str
    colour: str
    ink: str = "white"


def holders(document: dict[str, Any], channel: dict[str, Any]) -> list[Holder]:
    """Parts of a channel's air, which add up to 1: stations, beacons, collisions, contention, idle."""
    here = [station for station in document["stations"] if station["bss"] == channel["name"]]
    stations = sorted(here, key=lambda station: -station["airtime_share"])
    shown = stations if len(stations) <= MOST_HOLDERS else stations[: MOST_HOLDERS - 1]
    rest = stations[len(shown) :]
    # In the scenario's order, so that the bar of another scheme can be laid beside it.
    shown = [station for station in here if station in shown]
    parts = [_holder(i, station["name"], [station]) for i, station in enumerate(shown)]
    if rest:
        parts.append(_holder(len(shown), f"{len(rest)} others", rest))
    lost = channel["airtime"]
    if lost.get("beacons"):
        parts.append(Holder("beacons", lost["beacons"], "", "^", "#7a3b9e"))
    return [
        *parts,
        Holder("collisions", lost["collisions"], "", "×", "#b00020"),
        Holder("contention", lost["contention"], "gaps and back-off", "-", "#555555"),
        Holder("idle", lost["idle"], "nothing to send", ".", "#222222"),
    ]


def _holder(index: int, name: str, stations: Sequence[dict[str, Any]]) -> Holder:
    up, down, control = (
        100 * sum(station["airtime"][kind] for station in stations)
        for kind in ("data_up", "data_down", "control")
    )
    note = f"data up {up:.1f}, down {down:.1f}, control {control:.1f}"
    share = sum(station["airtime_share"] for station in stations)
    return Holder(name, share, note, _LETTERS[index], _COLOURS[index], ink="black")


def _air(document: dict[str, Any], channel: dict[str, Any], *, colour: bool) -> list[Text]:
    several = len(document["channels"]) > 1
    title = f"Who held the air of {channel['name']}" if several else "Who held the air"
    bar = _bar(holders(document, channel), colour=colour)
    return [Text(title, style="bold"), *bar, Text()]


def _bar(parts: Sequence[Holder], *, colour: bool) -> list[Text]:
    bar = Text()
    for part, width in zip(parts, _widths([part.share for part in parts], WIDTH), strict=True):
        if colour:
            inside = part.name if len(part.name) + 2 <= width else ""
            bar.append(inside.center(width), style=f"{part.ink} on {part.colour}")
        else:
            bar.append(part.mark * width)
    legend = []
    for part in parts:
        line = Text("  ")
        line.append(
            "  " if colour else f"{part.mark} ", style=f"on {part.colour}" if colour else ""
        )
        line.append(f" {_short(part.name):<22} {100 * part.share:5.1f} %")
        line.append(f"   {part.note}", style="dim")
        legend.append(line)
    return [bar, *legend]


def _widths(shares: Sequence[float], width: int) -> list[int]:
    """Whole columns for `shares` of `width`, by largest remainder: they add up to `width`."""
    total = sum(shares) or 1.0
    exact = [share / total * width for share in shares]
    widths = [int(part) for part in exact]
    by_remainder = sorted(range(len(exact)), key=lambda i: widths[i] - exact[i])
    for i in by_remainder[: width - sum(widths)]:
        widths[i] += 1
    return widths


def _fairness(indices: dict[str, float | None], *, shared: bool) -> Text:
    text = Text("Jain's index", style="bold")
    names = {
        "goodput": "goodput",
        "goodput_per_link_rate": "goodput / link rate",
        "airtime": "airtime",
    }
    if shared:
        names = {"goodput": "goodput", "airtime": "airtime", "occupancy": "airtime with gaps"}
    for key, name in names.items():
        text.append(f"   {name} ", style="not bold")
        text.append(_number(indices[key], 1, 3), style="not bold")
    return text


def _table(first: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), width=WIDTH)
    table.add_column(first, ratio=1, no_wrap=True, overflow="ellipsis", vertical="bottom")
    return table


def _numbers(table: Table, *headers: str) -> None:
    for header in headers:
        table.add_column(header, justify="right", no_wrap=True, vertical="bottom")


def _tell_rest(table: Table, rows: int) -> None:
    if rows > MOST_ROWS:
        table.add_row(f"… and {rows - MOST_ROWS} more")


def _short(name: str, width: int = 22) -> str:
    return name if len(name) <= width else name[: width - 1] + "…"


def _number(value: float | None, factor: float = 1.0, digits: int | None = None) -> str:
    """`value` for a table; counts that are means show a digit where they are small."""
    if value is None:
        return "–"
    scaled = value * factor
    if digits is None:
        few = 100
        digits = 0 if scaled == int(scaled) or abs(scaled) >= few else 1
    return f"{scaled:.{digits}f}"

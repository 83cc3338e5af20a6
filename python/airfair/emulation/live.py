"""Live view of an emulation: airtime and throughput of each station."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airfair.names import printable, short

if TYPE_CHECKING:
    from rich.live import Live as RichLive
    from rich.table import Table

    State = dict[str, Any]

MOST_STATIONS = 16
"""Largest number of stations in a table or a line."""
NAME = 12
"""Largest width of a name [columns]."""
BAR = 8
"""Width of a bar for an airtime of 100 % [columns]; rates of four digits each way still fit in the table."""


@dataclass(frozen=True)
class Row:
    """Airtime and rates of a station over the last second."""

    name: str
    airtime: float
    up_bps: float
    """Rate of programs and simulated flows together, as `down_bps` is too."""
    down_bps: float
    queue: int
    rates_bps: tuple[int | None, int | None]
    retries: float
    drops: int


def rows(before: State, now: State) -> list[Row]:
    """Rows of all stations for the time between two states."""
    elapsed = max(float(now["elapsed_s"]) - float(before["elapsed_s"]), 1e-9)
    found = []
    for old, new in zip(before["nodes"], now["nodes"], strict=True):
        if "radio" not in new:
            continue
        was, radio = old["radio"], new["radio"]

        def over(key: str, was: State = was, radio: State = radio) -> float:
            return float(radio[key] - was[key])

        def rate(way: str, old: State = old, new: State = new) -> float:
            keys = (f"{way}_bytes", f"simulated_{way}_bytes")
            octets = sum(int(new[key]) - int(old[key]) for key in keys)
            return 8 * octets / elapsed

        frames = over("frames")
        found.append(
            Row(
                name=new["name"],
                airtime=over("airtime_s") / elapsed,
                up_bps=rate("sent"),
                down_bps=rate("received"),
                queue=radio["queue_packets"],
                rates_bps=(radio["rate_up_bps"], radio["rate_down_bps"]),
                retries=over("retries") / frames if frames else 0.0,
                drops=int(over("drops")),
            )
        )
    return found


def mbps(bps: float | None) -> str:
    """Text of a rate in Mb/s with the significant digits; "-" for `None`."""
    if bps is None:
        return "-"
    value = bps / 1e6
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.2g}"  # noqa: PLR2004


def unit(now: State) -> str:
    """Unit of the rates, with a note if they include simulated flows."""
    with_simulated = any(node["simulated_sent_bytes"] for node in now["nodes"])
    return "Mb/s, simulated flows included" if with_simulated else "Mb/s"


def dropped(state: State) -> int:
    """Number of packets dropped by the kernel instead of the cell."""
    return sum(node["unread_packets"] + node["undelivered_packets"] for node in state["nodes"])


def line(before: State, now: State) -> str:
    """One line of text for the time between two states."""
    shown = rows(before, now)
    parts = [
        f"{printable(row.name)} {mbps(row.up_bps)} up {mbps(row.down_bps)} down "
        f"{row.airtime:.0%} of the air"
        for row in shown[:MOST_STATIONS]
    ]
    more = len(shown) - MOST_STATIONS
    if more > 0:
        parts.append(f"{more} more")
    late = now["lateness"]["p99_us"] / 1000
    lost = f", {dropped(now)} dropped by the kernel" if dropped(now) else ""
    return (
        f"{now['elapsed_s']:.0f} s: {'; '.join(parts)} [{unit(now)}]; p99 late {late:.2f} ms{lost}"
    )


def new_objections(before: State, now: State) -> list[str]:
    """Reasons why the emulation is invalid, if any were added since `before`; else an empty list."""
    reasons = now["objections"] if len(now["objections"]) > len(before["objections"]) else []
    return [f"invalid so far: {printable(reason)}" for reason in reasons]


def caption(now: State) -> str:
    """Caption below the table, in lines of 79 columns."""
    late = now["lateness"]
    lateness = (
        f"lateness p50 {late['p50_us'] / 1000:.2f} ms, p99 {late['p99_us'] / 1000:.2f} ms, "
        f"longest stall {late['longest_stall_us'] / 1000:.0f} ms"
    )
    counts = f"{unit(now)}; {dropped(now)} packets dropped by the kernel"
    lines = [counts, lateness, *new_objections({"objections": []}, now)]
    return "\n".join(lines)


def table(title: str, before: State, now: State) -> Table:
    """Table, for a terminal of 80 columns, for the time between two states."""
    from rich.table import Table
    from rich.text import Text

    made = Table(
        title=f"{printable(title)} · {now['elapsed_s']:.0f} s",
        caption=Text(caption(now)),
        width=79,
    )
    made.add_column("station", max_width=NAME, no_wrap=True)
    made.add_column("air held", width=BAR + 5)
    for heading in ("up", "down", "rates", "queue", "retries"):
        made.add_column(heading, justify="right", no_wrap=True)
    for row in rows(before, now)[:MOST_STATIONS]:
        bar = "█" * round(row.airtime * BAR)
        up, down = row.rates_bps
        made.add_row(
            short(row.name, NAME),
            f"{bar} {row.airtime:.0%}",
            mbps(row.up_bps),
            mbps(row.down_bps),
            mbps(up) if up == down else f"{mbps(up)}/{mbps(down)}",
            str(row.queue),
            f"{row.retries:.0%}",
        )
    return made


class Viewer:
    """Display of the current state on standard error: a table on a terminal, else one line per call."""

    def __init__(self, title: str, first: State, *, is_quiet: bool) -> None:
        self._title, self._before = title, first
        self._live: RichLive | None = None
        self._is_quiet = is_quiet
        if not is_quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._live.start()

    def show(self, now: State) -> None:
        """Show the changes since the last call."""
        if self._live is not None:
            self._live.update(table(self._title, self._before, now), refresh=True)
        elif not self._is_quiet:
            for text in (line(self._before, now), *new_objections(self._before, now)):
                print(text, file=sys.stderr, flush=True)  # noqa: T201
        self._before = now

    def close(self) -> None:
        """Remove the table from the terminal."""
        if self._live is not None:
            self._live.stop()

"""What a viewer sees while an emulation goes on: who holds the air, and who gets what."""

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
"""Stations that have a row, or their part of a line."""
NAME = 16
"""Columns of a name."""


@dataclass(frozen=True)
class Row:
    """A station over the last second."""

    name: str
    airtime: float
    up_bps: float
    down_bps: float
    queue: int
    rates_bps: tuple[int | None, int | None]
    retries: float
    drops: int


def rows(before: State, now: State) -> list[Row]:
    """The stations, between two states."""
    length = max(now["elapsed_s"] - before["elapsed_s"], 1e-9)
    found = []
    for old, new in zip(before["nodes"], now["nodes"], strict=True):
        if "radio" not in new:
            continue
        was, radio = old["radio"], new["radio"]

        def over(key: str, was: State = was, radio: State = radio) -> float:
            return float(radio[key] - was[key])

        frames = over("frames")
        found.append(
            Row(
                name=new["name"],
                airtime=over("airtime_s") / length,
                up_bps=(new["sent_bytes"] - old["sent_bytes"]) * 8 / length,
                down_bps=(new["received_bytes"] - old["received_bytes"]) * 8 / length,
                queue=radio["queue_packets"],
                rates_bps=(radio["rate_up_bps"], radio["rate_down_bps"]),
                retries=over("retries") / frames if frames else 0.0,
                drops=int(over("drops")),
            )
        )
    return found


def mbps(bps: float | None) -> str:
    """A rate in Mb/s, with as many digits as say something."""
    if bps is None:
        return "-"
    value = bps / 1e6
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.2g}"  # noqa: PLR2004


def line(before: State, now: State) -> str:
    """The last second in a line."""
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
    return f"{now['elapsed_s']:.0f} s: {'; '.join(parts)} [Mb/s]; p99 late {late:.2f} ms"


def table(title: str, before: State, now: State) -> Table:
    """The last second as a table for a terminal of 80 columns."""
    from rich.table import Table

    late = now["lateness"]
    made = Table(
        title=f"{printable(title)} · {now['elapsed_s']:.0f} s",
        caption=f"Mb/s; lateness p50 {late['p50_us'] / 1000:.2f} ms, p99 {late['p99_us'] / 1000:.2f} ms, "
        f"longest stall {late['longest_stall_us'] / 1000:.0f} ms",
        width=79,
    )
    made.add_column("station", max_width=NAME, no_wrap=True)
    made.add_column("who holds the air", width=20)
    for heading in ("up", "down", "rates", "queue", "retries"):
        made.add_column(heading, justify="right", no_wrap=True)
    for row in rows(before, now)[:MOST_STATIONS]:
        bar = "█" * round(row.airtime * 14)
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
    """Shows each second on standard error: a table on a terminal, else a line."""

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
        """Show what has happened since the last time."""
        if self._live is not None:
            self._live.update(table(self._title, self._before, now), refresh=True)
        elif not self._is_quiet:
            print(line(self._before, now), file=sys.stderr, flush=True)  # noqa: T201
        self._before = now

    def close(self) -> None:
        """Show no more."""
        if self._live is not None:
            self._live.stop()

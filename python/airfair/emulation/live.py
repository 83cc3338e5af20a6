"""Live view of an emulation: airtime, throughput and delay of each node, and the simulated flows."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airfair.names import printable, short

if TYPE_CHECKING:
    from rich.live import Live as RichLive
    from rich.table import Table

    State = dict[str, Any]

MOST_ROWS = 16
"""Largest number of nodes, and of simulated flows, in a table or a line."""
NAME = 10
"""Largest width of a name [columns]."""
BAR = 4
"""Width of a bar for an airtime of 100 % [columns]; rates of four digits each way still fit in the table."""


@dataclass(frozen=True)
class Air:
    """Use of the channel by a station over the last second."""

    time: float
    """Share of the time in which the station held the air."""
    queue: int
    rates_bps: tuple[int | None, int | None]
    retries: float


@dataclass(frozen=True)
class Row:
    """Rates and delays of a node over the last second."""

    name: str
    up_bps: float
    """Rate of programs and simulated flows together, as `down_bps` is too."""
    down_bps: float
    delays_s: tuple[float | None, float | None]
    """Mean delays of packets of programs from and to the node; `None` without packets."""
    air: Air | None
    """Use of the channel; `None` for a host."""


@dataclass(frozen=True)
class Flow:
    """Rate and delay of a simulated flow over the last second."""

    name: str
    rate_bps: float
    delay_s: float | None
    """Mean delay of its packets; `None` without packets."""


def _elapsed(before: State, now: State) -> float:
    return max(float(now["elapsed_s"]) - float(before["elapsed_s"]), 1e-9)


def _mean(old: State, new: State, total: str, count: str) -> float | None:
    """Mean of what `total` adds up and `count` counts, between two states."""
    counted = new[count] - old[count]
    return float(new[total] - old[total]) / counted if counted else None


def rows(before: State, now: State) -> list[Row]:
    """Rows of all nodes for the time between two states."""
    elapsed = _elapsed(before, now)
    found = []
    for old, new in zip(before["nodes"], now["nodes"], strict=True):

        def rate(way: str, old: State = old, new: State = new) -> float:
            keys = (f"{way}_bytes", f"simulated_{way}_bytes")
            octets = sum(int(new[key]) - int(old[key]) for key in keys)
            return 8 * octets / elapsed

        up = _mean(old, new, "sent_delay_s", "delivered_packets")
        down = _mean(old, new, "received_delay_s", "received_packets")
        air = _air(old["radio"], new["radio"], elapsed) if "radio" in new else None
        found.append(Row(new["name"], rate("sent"), rate("received"), (up, down), air))
    return found


def _air(was: State, radio: State, elapsed: float) -> Air:
    frames = radio["frames"] - was["frames"]
    return Air(
        time=float(radio["airtime_s"] - was["airtime_s"]) / elapsed,
        queue=radio["queue_packets"],
        rates_bps=(radio["rate_up_bps"], radio["rate_down_bps"]),
        retries=(radio["retries"] - was["retries"]) / frames if frames else 0.0,
    )


def flows(before: State, now: State) -> list[Flow]:
    """Simulated flows of the scenario for the time between two states."""
    elapsed = _elapsed(before, now)
    return [
        Flow(
            name=new["name"],
            rate_bps=8 * (new["delivered_bytes"] - old["delivered_bytes"]) / elapsed,
            delay_s=_mean(old, new, "delay_s", "received_packets"),
        )
        for old, new in zip(before["flows"], now["flows"], strict=True)
    ]


def milliseconds(seconds: float | None) -> str:
    """Text of a time in milliseconds with the significant digits; "-" for `None`."""
    return "-" if seconds is None else _digits(1e3 * seconds)


def _digits(value: float) -> str:
    """Text of a number with two significant digits, or all digits before the point."""
    return f"{value:.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"  # noqa: PLR2004


def mbps(bps: float | None) -> str:
    """Text of a rate in Mb/s with the significant digits; "-" for `None`."""
    if bps is None:
        return "-"
    value = bps / 1e6
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.2g}"  # noqa: PLR2004


def dropped(state: State) -> int:
    """Number of packets dropped by the kernel instead of the cell."""
    return sum(node["unread_packets"] + node["undelivered_packets"] for node in state["nodes"])


def line(before: State, now: State) -> str:
    """One line of text for the time between two states."""
    nodes, simulated = rows(before, now), flows(before, now)
    parts = [_told(row) for row in nodes[:MOST_ROWS]]
    parts += [
        f"flow {printable(flow.name)} {mbps(flow.rate_bps)}, {milliseconds(flow.delay_s)} ms"
        for flow in simulated[:MOST_ROWS]
    ]
    more = max(len(nodes) - MOST_ROWS, 0) + max(len(simulated) - MOST_ROWS, 0)
    if more:
        parts.append(f"{more} more")
    late = now["lateness"]["p99_us"] / 1000
    lost = f", {dropped(now)} dropped by the kernel" if dropped(now) else ""
    return f"{now['elapsed_s']:.0f} s [Mb/s]: {'; '.join(parts)}; p99 late {late:.2f} ms{lost}"


def _told(row: Row) -> str:
    """Part of a line on a node."""
    text = f"{printable(row.name)} {mbps(row.up_bps)} up {mbps(row.down_bps)} down"
    if any(delay is not None for delay in row.delays_s):
        text += f", {_delays(row)} ms"
    return text if row.air is None else f"{text}, {row.air.time:.0%} of the air"


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
    counts = (
        f"rates in Mb/s; mean delays from/to, in ms; {dropped(now)} packets dropped by the kernel"
    )
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
    made.add_column("node", width=NAME, no_wrap=True)
    made.add_column("air held", width=BAR + 5, no_wrap=True)
    for heading in ("up", "down", "delay", "rates", "queue", "retry"):
        made.add_column(heading, justify="right", no_wrap=True)
    for row in rows(before, now)[:MOST_ROWS]:
        made.add_row(
            short(row.name, NAME),
            "" if row.air is None else f"{'█' * round(row.air.time * BAR)} {row.air.time:.0%}",
            mbps(row.up_bps),
            mbps(row.down_bps),
            _delays(row),
            *(("", "", "") if row.air is None else _link(row.air)),
        )
    simulated = flows(before, now)[:MOST_ROWS]
    if simulated:
        made.add_section()
    for flow in simulated:
        rate, delay = mbps(flow.rate_bps), milliseconds(flow.delay_s)
        made.add_row(short(flow.name, NAME), "flow", "", rate, delay)
    return made


def _delays(row: Row) -> str:
    """Delays of a node from and to it; "-" without packets."""
    up, down = map(milliseconds, row.delays_s)
    return up if up == down else f"{up}/{down}"


def _link(air: Air) -> tuple[str, str, str]:
    """Rates of a station's link, packets in its queue, and share of retries."""
    up, down = air.rates_bps
    rates = mbps(up) if up == down else f"{mbps(up)}/{mbps(down)}"
    return rates, str(air.queue), f"{air.retries:.0%}"


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

"""Tests of the live line and table of an emulation."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from airfair.emulation import live


def _state(elapsed: float, scale: int, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    radio = {"frames": 100 * scale, "retries": 10 * scale, "drops": 0, "queue_packets": 3}
    radio |= {"airtime_s": 0.25 * scale}
    radio |= {"rate_up_bps": 11_000_000, "rate_down_bps": 5_500_000}
    counts = {"unread_packets": 0, "undelivered_packets": 0}
    counts |= {"simulated_sent_bytes": 0, "simulated_received_bytes": 0}
    station = {"name": "slow", "sent_bytes": 125_000 * scale, "received_bytes": 0, "radio": radio}
    host = {"name": "server", "sent_bytes": 0, "received_bytes": 125_000 * scale}
    late = {"p50_us": 100, "p99_us": 1500, "longest_stall_us": 3000}
    nodes = [station | counts, host | counts]
    return {"elapsed_s": elapsed, "nodes": nodes, "lateness": late, "objections": []} | more


def _with(state: dict[str, Any], node: int, **counts: int) -> dict[str, Any]:
    state["nodes"][node] |= counts
    return state


DROPS = "the kernel dropped 1523 packets before the emulation read them: of server 1523"


def test_the_line_of_a_second_is_of_that_second() -> None:
    # 125 kB in half a second are 2 Mb/s, and 0.25 s of airtime a share of 50 %.
    assert live.line(_state(1.0, 1), _state(1.5, 2)) == (
        "2 s: slow 2 up 0 down 50% of the air [Mb/s]; p99 late 1.50 ms"
    )


def test_flows_of_the_scenario_that_are_simulated_are_counted_and_named() -> None:
    # Simulated flows add 1 Mb/s up and 0.5 Mb/s down.
    before = _with(_state(1.0, 1), 0, simulated_sent_bytes=1_000)
    now = _state(1.5, 2)
    now = _with(now, 0, simulated_sent_bytes=63_500, simulated_received_bytes=31_250)
    assert live.line(before, now) == (
        "2 s: slow 3 up 0.5 down 50% of the air [Mb/s, simulated flows included]; p99 late 1.50 ms"
    )


def test_a_line_counts_what_the_kernel_drops_and_says_once_that_it_is_not_valid() -> None:
    before, now = _state(1.0, 1), _state(1.5, 2, objections=[DROPS])
    now = _with(_with(now, 0, undelivered_packets=2), 1, unread_packets=1523)
    assert live.line(before, now).endswith("p99 late 1.50 ms, 1525 dropped by the kernel")
    assert live.new_objections(before, now) == [f"invalid so far: {DROPS}"]
    assert live.new_objections(now, now) == []


@pytest.mark.parametrize("is_valid", [True, False])
def test_the_table_fits_a_terminal_of_80_columns(is_valid: bool) -> None:  # noqa: FBT001 - a parameter
    before, now = _state(1.0, 1), _state(1.5, 2, objections=[] if is_valid else [DROPS])
    now = _with(now, 0, simulated_sent_bytes=10**8, simulated_received_bytes=10**8)
    now = _with(now, 1, unread_packets=0 if is_valid else 1523)
    for state in (before, now):
        radio = state["nodes"][0]["radio"]
        radio |= {"rate_up_bps": 1_300_000_000, "rate_down_bps": 866_700_000}
    now["nodes"][0]["name"] = before["nodes"][0]["name"] = "a-station-of-a-long-name"
    out = StringIO()
    Console(file=out, width=80).print(live.table("One slow station", before, now))
    lines = out.getvalue().splitlines()
    assert max(len(line) for line in lines) <= 80
    text = " ".join(" ".join(lines).split())
    dropped = 0 if is_valid else 1523
    assert f"Mb/s, simulated flows included; {dropped} packets dropped by the kernel" in text
    assert ("invalid so far: the kernel dropped 1523" in text) != is_valid
    assert "longest stall 3 ms" in text
    # 0.1 GB in half a second are 1600 Mb/s, and the programs add 2 Mb/s.
    for whole in ("1602", "1600", "1300/867", "queue", "retries", "a-station-o…", "████ 50%"):
        assert whole in text

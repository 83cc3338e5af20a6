"""Tests of the live line and table of an emulation."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from airfair.emulation import live


def _state(elapsed: float, scale: int, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    radio: dict[str, Any] = {
        "frames": 100 * scale,
        "retries": 10 * scale,
        "drops": 0,
        "queue_packets": 3,
    }
    radio |= {"airtime_s": 0.25 * scale}
    radio |= {"rate_up_bps": 11_000_000, "rate_down_bps": 5_500_000}
    counts = {"unread_packets": 0, "undelivered_packets": 0}
    counts |= {"simulated_sent_bytes": 0, "simulated_received_bytes": 0}
    sends: dict[str, Any] = {
        "delivered_packets": 100 * scale,
        "sent_delay_s": 2.5 * scale,
        "received_delay_s": 0,
    }
    sends |= {"received_packets": 0, "sent_bytes": 125_000 * scale, "received_bytes": 0}
    takes: dict[str, Any] = {
        "delivered_packets": 0,
        "sent_delay_s": 0,
        "received_delay_s": 2.5 * scale,
    }
    takes |= {"received_packets": 100 * scale, "sent_bytes": 0, "received_bytes": 125_000 * scale}
    station, host = {"name": "slow", "radio": radio} | sends, {"name": "server"} | takes
    late = {"p50_us": 100, "p99_us": 1500, "longest_stall_us": 3000}
    nodes = [station | counts, host | counts]
    state = {"elapsed_s": elapsed, "nodes": nodes, "lateness": late, "objections": []}
    return state | {"flows": []} | more


def _flow(scale: int) -> dict[str, Any]:
    counts = {"delivered_bytes": 62_500 * scale, "received_packets": 50 * scale}
    return {"name": "voice", "from": "slow", "to": "server", "delay_s": 0.4 * scale} | counts


def _with(state: dict[str, Any], node: int, **counts: float) -> dict[str, Any]:
    state["nodes"][node] |= counts
    return state


DROPS = "the kernel dropped 1523 packets before the emulation read them: of server 1523"


def test_the_line_of_a_second_is_of_that_second() -> None:
    # 125 kB in half a second are 2 Mb/s, and 0.25 s of airtime are 50 %. 100 packets took 2.5 s: 25 ms each.
    assert live.line(_state(1.0, 1), _state(1.5, 2)) == (
        "2 s [Mb/s]: slow 2 up 0 down, 25/- ms, 50% of the air; server 0 up 2 down, -/25 ms; "
        "p99 late 1.50 ms"
    )


def test_simulated_flows_count_at_their_nodes_and_have_parts_of_their_own() -> None:
    # Simulated flows add 1 Mb/s up and 0.5 Mb/s down. The flow's 50 packets took 0.4 s.
    before = _with(_state(1.0, 1, flows=[_flow(1)]), 0, simulated_sent_bytes=1_000)
    now = _state(1.5, 2, flows=[_flow(2)])
    now = _with(now, 0, simulated_sent_bytes=63_500, simulated_received_bytes=31_250)
    assert "slow 3 up 0.5 down, 25/- ms, 50% of the air" in live.line(before, now)
    assert "; flow voice 1, 8 ms; p99" in live.line(before, now)
    # Without packets there is no delay.
    still = live.line(before, before | {"elapsed_s": 2.0})
    assert "slow 0 up 0 down, 0% of the air; server 0 up 0 down; flow voice 0, - ms; " in still


def test_a_line_counts_what_the_kernel_drops_and_says_once_that_it_is_not_valid() -> None:
    before, now = _state(1.0, 1), _state(1.5, 2, objections=[DROPS])
    now = _with(_with(now, 0, undelivered_packets=2), 1, unread_packets=1523)
    assert live.line(before, now).endswith("p99 late 1.50 ms, 1525 dropped by the kernel")
    assert live.new_objections(before, now) == [f"invalid so far: {DROPS}"]
    assert live.new_objections(now, now) == []


@pytest.mark.parametrize("is_valid", [True, False])
def test_the_table_fits_a_terminal_of_80_columns(is_valid: bool) -> None:  # noqa: FBT001 - a parameter
    before = _state(1.0, 1, flows=[_flow(1)])
    now = _state(1.5, 2, objections=[] if is_valid else [DROPS], flows=[_flow(2)])
    now = _with(now, 0, received_packets=1, received_delay_s=1.234, sent_delay_s=252.5)
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
    assert f"{dropped} packets dropped by the kernel" in text
    assert ("invalid so far: the kernel dropped 1523" in text) != is_valid
    assert "longest stall 3 ms" in text
    # 0.1 GB in half a second are 1600 Mb/s, and the programs add 2 Mb/s.
    for whole in ("1602", "1600", "1300/867", "queue", "retry", "a-station…", "██ 50%"):
        assert whole in text
    # 250 s of 100 packets, and 1.234 s of one.
    for whole in ("2500/1234", "│ server ", "│ voice │ flow │ │ 1 │ 8 │"):
        assert whole in text

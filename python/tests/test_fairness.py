"""Tests of Jain's index among stations with backlog, with numbers worked by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

import airfair
from airfair import fairness

if TYPE_CHECKING:
    from airfair.result import Result

FLOWS = [
    {"name": "up-a", "from": "a", "to": "server"},
    {"name": "up-b", "from": "b", "to": "server"},
    {"name": "down-b", "from": "server", "to": "b"},
    {"name": "up-c", "from": "c", "to": "server"},
    {"name": "page", "from": "server", "to": "d"},
]


def made_up(air: list[float], receive_window: list[float], shares: list[float]) -> Result:
    """Results of runs of 10 s, of which the page takes 5 s, with limits of flows and airtime of stations."""
    runs = len(air) // len(FLOWS)
    columns = {
        "runs": {"elapsed_ns": [10e9] * runs},
        "flows": {"active_s": [10.0, 9.5, 10.0, 10.0, 5.0] * runs},
        "limits": {"air": air, "receive_window": receive_window},
        "airtime": {"airtime_share": shares},
    }
    scenario = SimpleNamespace(flows=FLOWS, stations=["a", "b", "c", "d"])
    return cast("Result", SimpleNamespace(scenario=scenario, columns=columns, replications=runs))


def test_a_station_has_backlog_if_the_air_or_a_window_limits_it_in_one_direction() -> None:
    # a: 0.50 + 0.45 = 0.95. b: 0.30 up, and 0.92 down, which is enough. c: 0.85. d: only a short flow.
    result = made_up([0.5, 0.3, 0.92, 0.85, 1.0], [0.45, 0, 0, 0, 0], [0.4, 0.2, 0.3, 0.1])
    assert fairness.with_backlog(result) == [[True, True, False, False]]
    # (0.4 + 0.2)² / (2 · (0.16 + 0.04)) = 0.36 / 0.40
    assert fairness.airtime_with_backlog(result) == [pytest.approx(0.9)]


def test_there_is_no_index_of_one_station() -> None:
    equal, alone = [0.9, 0.9, 0.0, 0.9, 0.0], [0.9, 0.5, 0.5, 0.5, 0.0]
    result = made_up([*equal, *alone], [0.0] * 10, [0.2, 0.2, 0.2, 0.4, 0.4, 0.2, 0.1, 0.1])
    assert fairness.airtime_with_backlog(result) == [pytest.approx(1.0), None]


def test_a_call_beside_saturated_stations_has_no_backlog() -> None:
    """Two stations share the air equally; with the call as a third, the index is about 2/3."""
    text = """\
duration = "4 s"
warmup = "1 s"
[bss.cell]
standard = "802.11g"
[station.near]
[station.busy]
[station.calm]
[host.server]
link = { to = "cell", delay = "1 ms" }
[flow.near]
from = "near"
to = "server"
transport = { kind = "udp", payload = "1448 B", rate = "saturated" }
[flow.busy]
from = "busy"
to = "server"
transport = { kind = "udp", payload = "1448 B", rate = "saturated" }
[flow.calm]
from = "calm"
to = "server"
transport = { kind = "udp", payload = "200 B", rate = "64 kb/s" }
"""
    result = airfair.run('title = "Two want more"\n' + text)
    assert fairness.with_backlog(result) == [[True, True, False]]
    (among,) = fairness.airtime_with_backlog(result)
    assert among is not None
    assert among > 0.99 > result.fairness["airtime"][0]

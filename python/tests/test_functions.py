"""Tests of the functions that do what commands do, with typed results."""

from __future__ import annotations

import threading
from pathlib import Path

import polars as pl
import pytest

import airfair
from test_tfrc import free_port, wait_for_listener

CELL = """
duration = "1 s"
bss.home = { standard = "802.11a" }
station.near = { rate = "54 Mb/s" }
host.server = {}
flow.up = { from = "near", to = "server", transport = { kind = "udp", payload = "1 kB", rate = "40 Mb/s" } }
"""


def test_two_scenarios_are_compared_over_pairs(tmp_path: Path) -> None:
    slow = tmp_path / "slow.toml"
    slow.write_text(CELL.replace("54", "6"), encoding="utf-8")
    fractions: list[float] = []
    found = airfair.compare(CELL, slow, replications=3, progress=fractions.append)
    goodput = found.table.row(by_predicate=pl.col("column") == "goodput_bps", named=True)
    assert goodput["pairs"] == 3
    assert goodput["second"] < goodput["first"]
    assert found.second.name == str(slow)
    assert fractions == sorted(fractions)
    assert not found.identical
    # A result is compared as it is: with itself, all records are the same.
    result = airfair.run(CELL, replications=2)
    assert airfair.compare(result, result, names=("one", "other")).identical


def test_a_wrong_scenario_is_a_typed_error() -> None:
    with pytest.raises(airfair.ScenarioError, match=r"near\.rate"):
        airfair.compare(CELL, CELL.replace("54", "55"))


@pytest.mark.waits
def test_a_flow_is_sent_and_received_in_one_process() -> None:
    port = free_port()
    got: list[airfair.tfrc.Received] = []
    receiver = threading.Thread(
        target=lambda: got.append(airfair.tfrc.receive(f"127.0.0.1:{port}", duration="2 s"))
    )
    receiver.start()
    wait_for_listener(port)
    sent = airfair.tfrc.send(f"127.0.0.1:{port}", rate="400 kb/s", duration="1 s")
    receiver.join()
    assert sent.feedbacks > 0
    assert 0 < sent.rate_bps <= 450e3
    # Packets of the last round trip may be under way or lost on neither side of loopback.
    assert got[0].bytes_received == sent.bytes_sent
    assert not sent.interrupted


def test_a_wrong_argument_is_named() -> None:
    with pytest.raises(airfair.OptionError, match=r"^duration soon: "):
        airfair.tfrc.send("127.0.0.1:9", duration="soon")
    with pytest.raises(airfair.OptionError, match=r"^rate 2 Gb/s: allowed is up to"):
        airfair.tfrc.send("127.0.0.1:9", rate="2 Gb/s")

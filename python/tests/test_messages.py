"""Tests of the messages for which users wait: table in the terminal, report, document, and a home."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import airfair
from airfair import cli, messages
from airfair.cli.commands import init
from airfair.run_tables import Wish

WIRE = """
duration = "20 s"
[router.gateway]
[host.server]
link = { to = "gateway", rate = "20 Mb/s", delay = "10 ms" }
[host.client]
link = { to = "gateway", rate = "20 Mb/s", delay = "0 ms" }
[flow.calls]
from = "server"
to = "client"
transport = { kind = "tcp", source = { model = "rpc", size = "10 kB", think = "1 s" } }
[flow.file]
from = "server"
to = "client"
transport = { kind = "tcp", size = "10 kB" }
"""
FILM = """
[flow.film]
from = "server"
to = "client"
transport = { kind = "tcp", source = "video" }
"""


def test_a_table_has_the_flows_with_a_source_and_stalls_of_videos_alone() -> None:
    calls = messages.table(airfair.run(WIRE), Wish())
    assert calls is not None
    assert [line.label for line in calls.lines] == ["calls"]
    assert [heading.split("\n")[0] for heading in calls.headings] == ["messages", *["wait"] * 3]
    both = messages.table(airfair.run(WIRE + FILM), Wish())
    assert both is not None
    cells = {line.label: line.cells[4:] for line in both.lines}
    assert cells["calls"] == ["–", "–", "–"]
    assert cells["film"][1:] == ["0", "0"]


def test_runs_without_a_source_say_nothing_of_messages() -> None:
    without = WIRE.replace(', source = { model = "rpc", size = "10 kB", think = "1 s" }', "")
    result = airfair.run(without)
    assert messages.table(result, Wish()) is None
    assert messages.document(result) == []
    assert result.messages.height == 0


def test_messages_survive_a_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = tmp_path / "calls.toml"
    scenario.write_text(WIRE)
    assert cli.main(["run", str(scenario), "--out", str(tmp_path / "out")]) == cli.DONE
    assert "messages of" in capsys.readouterr().out
    read = airfair.load_result(tmp_path / "out")
    assert read.messages.equals(airfair.run(WIRE).messages)
    # A call takes a round trip of 20 ms and its answer 10 kB, 4.2 ms with headers at 20 Mb/s.
    found = messages.document(read)[0]
    assert found["name"] == "calls"
    assert found["wait_p50_ms"] == pytest.approx(24.8, abs=1)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "What users wait for" in page


def test_an_evening_at_home_has_what_each_person_waits_for() -> None:
    text = init.template(init.KINDS[0], "home")["home.toml"]
    result = airfair.run(text, set={"duration": "20 s"})
    assert result.messages["flow"].to_list() == ["pages", "film"]
    assert result.messages["messages"].min() > 0


def test_quic_has_the_same_columns_as_tcp_but_for_what_nobody_can_see() -> None:
    def flows(transport: str) -> dict[str, Any]:
        text = WIRE.replace('{ kind = "tcp", size = "10 kB" }', transport)
        result = airfair.run(text, series="100 ms")
        window = result.series("cwnd").filter(flow="file")["cwnd_segments"]
        row = result.flows.row(1, named=True)
        return {**row, "cwnd": window.drop_nulls().max()}

    quic = flows('{ kind = "quic", size = "2 MB", ack_every = 10 }')
    tcp = flows('{ kind = "tcp", size = "2 MB" }')
    assert quic["delivered_bytes"] == tcp["delivered_bytes"] == 2_000_000
    assert quic["loss_estimated"] is None
    assert tcp["loss_estimated"] is not None
    empty = {name for name, value in quic.items() if value is None}
    assert empty - {name for name, value in tcp.items() if value is None} == {"loss_estimated"}
    assert quic["cwnd"] > 10


@pytest.mark.parametrize("control", ["arf-aware", "arf-window", "rate-cap", "occupancy"])
def test_schemes_of_flows_are_refused_for_quic(control: str) -> None:
    text = f"""
duration = "1 s"
[bss.home]
standard = "802.11g"
ap.occupancy = true
[station.laptop]
[host.server]
[flow.up]
from = "laptop"
to = "server"
control = "{control}"
transport = {{ kind = "quic" }}
"""
    with pytest.raises(
        airfair.ScenarioError, match=rf'flow.up.control = "{control}": .* needs TCP'
    ):
        airfair.run(text)

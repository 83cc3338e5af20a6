"""Tests of the messages for which users wait: table in the terminal, report, document, and a home."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import airfair
from airfair import cli, felt, messages
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


CALL = """
[flow.call]
from = "server"
to = "client"
transport = { kind = "udp", source = { model = "call", codec = "g711", silence = "0 s", deadline = "10 ms" } }
"""


def test_frames_of_a_call_are_late_after_its_deadline() -> None:
    result = airfair.run(WIRE + CALL)
    call = result.messages.filter(flow="call")
    # A frame each 20 ms, the first at once, and the last at 19.98 s, which comes just before the end.
    assert call["messages"].item() == 1_000
    assert call["lost"].item() == 0
    assert call["missed"].item() == 1
    # 200 octets with all headers at 20 Mb/s take 0.08 ms on each of two wires, one of 10 ms.
    assert call["wait_min_ms"].item() == pytest.approx(10.16, abs=0.001)
    assert result.messages.filter(flow="calls")["missed"].item() is None
    table = messages.table(result, Wish())
    assert table is not None
    cells = {line.label: line.cells[4:] for line in table.lines}
    assert cells == {"calls": ["–", "–", "–"], "call": ["0", "100.00", "4.39"]}


PICTURES = """
[flow.picture]
from = "server"
to = "client"
transport = { kind = "udp", source = { model = "video-call", rate_control = "gcc" } }
[flow.fixed]
from = "server"
to = "client"
transport = { kind = "udp", source = "video-call" }
"""


def test_a_call_that_adapts_has_a_target_and_both_have_freezes() -> None:
    result = airfair.run(WIRE + PICTURES)
    rows = result.messages.filter(flow="picture"), result.messages.filter(flow="fixed")
    adapts, fixed = rows
    # It starts at 300 kb/s and grows by 8 % a second at most, to 1.4 Mb/s in 20 s.
    assert 300_000 < adapts["target_rate_bps"].item() < 1_400_000
    assert fixed["target_rate_bps"].item() is None
    assert fixed["freezes"].item() == 0
    assert adapts["freezes"].item() is not None
    assert result.messages.filter(flow="calls")["freezes"].item() is None
    assert result.messages.filter(flow="calls")["stalled_s"].item() is None
    said = {entry.name: entry.says for entry in felt.felt(result, Wish())}
    assert "Mb/s allowed" in said["picture"]
    assert "allowed" not in said["fixed"]


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
    people = ["pages", "film", "heard", "spoken", "world", "hands"]
    assert result.messages["flow"].to_list() == people
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

"""Tests of what people felt: sentences, groups of flows, opinions of calls, responsiveness, waits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import airfair
from airfair import cli, felt, messages
from airfair.run_tables import Wish

WIRE = """
duration = "20 s"
[router.gateway]
[host.server]
link = { to = "gateway", rate = "20 Mb/s", delay = "10 ms" }
[host.client]
link = { to = "gateway", rate = "20 Mb/s", delay = "0 ms" }
"""
FLOW = """
[flow.{name}]
from = "server"
to = "client"
{more}transport = {{ {transport} }}
"""


def flow(name: str, transport: str, more: str = "") -> str:
    return FLOW.format(name=name, transport=transport, more=more)


CALL = flow("call", 'kind = "udp", source = { model = "call", codec = "g711", silence = "0 s" }')
PROBES = flow("probes", 'kind = "tcp", source = "responsiveness"')
PAGES = flow("page", 'kind = "tcp", source = { model = "web", objects = 3 }', "count = 5\n")


def says(text: str) -> dict[str, str]:
    return {entry.name: entry.says for entry in felt.felt(airfair.run(text), Wish())}


def test_a_call_over_a_good_wire_satisfies_everybody() -> None:
    result = airfair.run(WIRE + CALL)
    row = result.messages.row(0, named=True)
    # 10 ms on the wire, and 0.08 ms twice for 200 octets; 20 ms for the voice itself cost a point of R.
    assert row["playout_ms"] == pytest.approx(10.16, abs=0.2)
    assert 92 < row["rating"] < 93
    assert row["mos"] == pytest.approx(4.39, abs=0.01)
    assert (
        felt.felt(result, Wish())[0].says
        == "MOS 4.39 (very satisfied); played 10 ms after it was said"
    )


def test_each_application_has_its_own_words() -> None:
    film = flow("film", 'kind = "tcp", source = "video"')
    game = flow(
        "game", 'kind = "udp", source = { model = "game", end = "server", deadline = "1 ms" }'
    )
    opus = flow("opus", 'kind = "udp", source = { model = "call", codec = "opus" }')
    found = says(WIRE + film + game + opus)
    assert "Mb/s; no stall" in found["film"]
    assert found["game"].endswith("100.00 % lost or late")
    assert "frames, p50" in found["opus"]
    # A round trip of 20 ms and some octets, without anything that fills the wire.
    assert says(WIRE + PROBES) == {"probes": "2,990 round trips a minute"}


def test_numbered_flows_are_one_row_with_all_their_messages() -> None:
    result = airfair.run(WIRE + PAGES)
    assert [entry.name for entry in felt.felt(result, Wish())] == ["page1 … page5"]
    table = messages.table(result, Wish())
    every = messages.table(result, Wish(every=True))
    assert table is not None
    assert every is not None
    assert [line.label for line in table.lines] == ["page1 … page5"]
    assert [line.label for line in every.lines] == [f"page{n}" for n in range(1, 6)]
    counts = [int(line.cells[0]) for line in every.lines]
    assert int(table.lines[0].cells[0]) == sum(counts)
    waits = result.waits
    assert waits["messages"].sum() == sum(counts)


def test_quantiles_of_a_merged_histogram() -> None:
    merged = messages.summed(iter([{1.0: 3, 5.0: 1}, {1.0: 2, 9.0: 4}]))
    assert merged == {1.0: 5, 5.0: 1, 9.0: 4}
    assert [messages.quantile(merged, part) for part in (0.5, 0.6, 0.95)] == [1, 5, 9]
    assert messages.quantile({}, 0.5) != messages.quantile({}, 0.5)


def test_an_upload_costs_round_trips() -> None:
    load = """
[flow.load]
from = "client"
to = "server"
transport = { kind = "tcp", receive_window = "1 MB", window_scaling = true }
"""
    idle, busy = (
        airfair.run(WIRE + PROBES + more).messages.row(0, named=True) for more in ("", load)
    )
    assert idle["rpm"] is None
    assert idle["rpm_foreign"] > 2 * busy["rpm"]
    assert busy["rpm"] == pytest.approx((busy["rpm_foreign"] + busy["rpm_loaded"]) / 2)


def test_output_report_and_document_begin_with_what_people_felt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = tmp_path / "call.toml"
    scenario.write_text(WIRE + CALL + PAGES)
    assert cli.main(["run", str(scenario), "--out", str(tmp_path / "out")]) == cli.DONE
    text = capsys.readouterr().out
    assert text.index("What people felt") < text.index("goodput")
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.index("What people felt") < page.index("<h2>Flows")
    document = json.loads((tmp_path / "out" / "result.json").read_text())
    assert [entry["name"] for entry in document["felt"]] == ["call", "page1 … page5"]
    assert document["messages"][0]["source"] == "call"
    assert (tmp_path / "out" / "waits.svg").exists()
    read = airfair.load_result(tmp_path / "out")
    assert read.waits.equals(airfair.run(WIRE + CALL + PAGES).waits)


def test_a_run_without_applications_says_nothing() -> None:
    assert felt.felt(airfair.run(WIRE + flow("file", 'kind = "tcp"')), Wish()) == []


def test_a_remote_desktop_has_updates() -> None:
    desktop = flow("screen", 'kind = "udp", source = { model = "desktop", end = "server" }')
    assert "updates, p50 10 ms" in says(WIRE + desktop)["screen"]

"""Tests of the marks of flows: table in the terminal, report and document."""

from __future__ import annotations

from pathlib import Path

import pytest

import airfair
from airfair import cli, congestion_marks
from airfair.run_tables import Wish

CELL = """
duration = "5 s"
[bss.home]
standard = "802.11g"
ap.queue = { discipline = "fq-codel" }
[station.laptop]
[host.server]
link = { rate = "100 Mb/s", delay = "5 ms" }
[flow.marked]
from = "server"
to = "laptop"
transport = { kind = "tcp", ecn = true }
[flow.plain]
from = "server"
to = "laptop"
transport = { kind = "tcp" }
"""


def test_flows_that_take_part_have_a_line() -> None:
    result = airfair.run(CELL)
    table = congestion_marks.table(result, Wish())
    assert table is not None
    assert [line.label for line in table.lines] == ["marked"]
    [marks] = congestion_marks.document(result)
    received = result.flows["packets_received"][0]
    assert marks["name"] == "marked"
    assert 0 < marks["answered"] <= marks["packets_marked"] < received
    assert marks["marked"] == pytest.approx(marks["packets_marked"] / received)


def test_runs_without_ecn_say_nothing_of_marks() -> None:
    result = airfair.run(CELL.replace(", ecn = true", ""))
    assert congestion_marks.table(result, Wish()) is None
    assert congestion_marks.document(result) == []
    assert result.marks.height == 0


def test_marks_survive_a_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = tmp_path / "marks.toml"
    scenario.write_text(CELL)
    assert cli.main(["run", str(scenario), "--out", str(tmp_path / "out")]) == cli.DONE
    assert "marks of" in capsys.readouterr().out
    read = airfair.load_result(tmp_path / "out")
    assert read.marks.equals(airfair.run(CELL).marks)
    assert "Marks instead of losses" in (tmp_path / "out" / "report.html").read_text()

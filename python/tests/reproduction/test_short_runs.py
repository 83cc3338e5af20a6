"""Tests of claims and commands with simulations: ten replications of the scenarios of `arf-aware-tcp`."""

from __future__ import annotations

import argparse
import errno
import json
import os
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from airfair import cli
from airfair.cli.commands import reproduce
from airfair.experiment.results import Spent
from airfair.reproduction import results, running
from airfair.reproduction.catalogue import load, papers
from airfair.reproduction.paper import Paper
from airfair.reproduction.paper_result import PaperResult
from airfair.reproduction.papers.arf_aware_tcp.plan import CAPS
from airfair.reproduction.results import Outcome
from airfair.reproduction.runs import Choice, Measured, measure
from support import PROGRAM, Program, runs_in

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    paper = load("arf-aware-tcp")
    out = tmp_path_factory.mktemp("out")
    choice = Choice(paper, tuple(paper.experiments.values()), 10, out, quick=True)
    return Outcome(choice, measure(choice))


@pytest.mark.parametrize(
    "claim",
    [
        "anomaly-equalises",
        "fast-session-kept",
        "aggregate-gain-5",
        "no-harm-when-fair",
        "aggregate-held",
        "quick-recovery",
    ],
)
def test_the_claim_holds(claim: str, outcome: Outcome) -> None:
    (verdict,) = [verdict for verdict in outcome.verdicts if verdict.id == claim]
    assert verdict.here == "holds", verdict.evidence


def test_without_a_cap_that_stays_the_scheme_gains_nothing(outcome: Outcome) -> None:
    """The gains depend on the reading: they fail under one-shot scaling, which is as near as the held cap."""
    for claim in ("aggregate-gain-2", "aggregate-gain-5"):
        (verdict,) = [verdict for verdict in outcome.verdicts if verdict.id == claim]
        assert verdict.state == "depends", verdict.evidence
        assert CAPS["one_shot"] in verdict.turned_by


def test_fairness_is_above_0_9_except_in_table_5(outcome: Outcome) -> None:
    (verdict,) = [verdict for verdict in outcome.verdicts if verdict.id == "fairness-above-0.9"]
    assert [condition.state for condition in verdict.points[:3]] == ["holds"] * 3


def test_with_two_sessions_the_gain_is_at_least_the_papers(outcome: Outcome) -> None:
    (verdict,) = [verdict for verdict in outcome.verdicts if verdict.id == "aggregate-gain-2"]
    assert verdict.points[0].measured.low > 1.2


def test_the_rates_order_the_sessions_of_table_5(outcome: Outcome) -> None:
    columns = outcome.document()["experiments"][4]["measured"]
    sessions = columns["arf_aware"]["sessions"]
    # Sessions 1 and 2 have windows of one or two segments: ten replications do not distinguish them.
    assert max(sessions[:2]) < sessions[2] < min(sessions[3:])


@pytest.mark.parametrize("table", ["table1", "table2", "table4", "table5"])
def test_newreno_comes_near_the_paper(table: str, outcome: Outcome) -> None:
    (entry,) = [e for e in outcome.document()["experiments"] if e["id"] == table]
    for column, printed in entry["paper_values"].items():
        if column == "arf_aware":
            continue
        measured = entry["measured"][column]
        assert abs(measured["deviation"]["aggregate"]) < 0.05
        assert abs(measured["fairness"] - printed["fairness"]) < 0.06


def test_the_program_writes_one_experiment_and_prints_one_document(
    program: Program, tmp_path: Path
) -> None:
    out = tmp_path / "deep" / "out"
    done = program("reproduce", "arf-aware-tcp/table2", "--replications", 2, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    whole = json.loads(done.stdout)
    assert (whole["document"], whole["schema"]) == ("reproduction", 2)
    (document,) = whole["papers"]
    assert [paper["paper"] for paper in whole["summary"]["papers"]] == ["arf-aware-tcp"]
    assert [experiment["id"] for experiment in document["experiments"]] == ["table2"]
    assert {path.name for path in out.iterdir()} == {
        "arf-aware-tcp.json",
        "report.html",
        "run.json",
        "runs.sqlite",
        "table1.toml",
        "table2.png",
        "table2.svg",
        "table2.toml",
    }
    written = json.loads((out / "arf-aware-tcp.json").read_text(encoding="utf-8"))
    assert written == {"document": "paper", "schema": 2, "program": "airfair", **document}


def test_the_program_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["reproduce", "--list"]) == 0
    assert "arf-aware-tcp/fig8-9" in capsys.readouterr().out
    assert cli.main(["reproduce", "--list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["papers"]
    assert [paper["id"] for paper in listed] == papers()


SHORT = {
    "arf-window": "25 s",
    "updown-fairness": "60 s",
    "occupancy-tfrc": "60 s",
    "tfrc-friendliness": "70 s",
    "modern": "4 s",
    "neighbours": "2.5 s",
}
"""Shorter durations, longer than the warm-up, for papers whose quick runs take long."""
WHOLE = {"short-flows"}
"""Setups that keep their duration, since some flows start late."""


def short(id_: str) -> Paper[Any]:
    """Paper with shorter runs."""
    paper = load(id_)
    if id_ not in SHORT:
        return paper
    setups = {
        name: setup
        if name in WHOLE
        else replace(setup, quick={**setup.quick, "duration": SHORT[id_]})
        for name, setup in paper.setups.items()
    }
    return replace(paper, setups=setups)


def test_without_a_paper_the_program_runs_them_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(running, "load", short)
    # Pages contain figures as SVG; PNG files are for other programs, and this test does not draw them.
    monkeypatch.setattr(results, "png", lambda _: b"")
    command = ["reproduce", "--quick", "--replications", "1", "--json"]
    assert cli.main([*command, "--out", str(tmp_path / "all")]) == cli.DONE
    whole = json.loads(capsys.readouterr().out)
    assert list(whole) == ["document", "schema", "program", "papers", "summary"]
    documents, summary = whole["papers"], whole["summary"]
    assert [document["paper"] for document in documents] == papers()
    decided = [(d["paper"], claim["id"]) for d in documents for claim in d["claims"]]
    assert [(claim["paper"], claim["id"]) for claim in summary["claims"]] == decided
    assert summary["not_run"] == 0
    page = (tmp_path / "all" / "claims.html").read_text(encoding="utf-8")
    assert all(f'id="{paper}-{claim}"' in page for paper, claim in decided)
    begin = (tmp_path / "all" / "index.html").read_text(encoding="utf-8")
    assert "http-equiv" not in begin
    for paper in papers():
        report = (tmp_path / "all" / paper / "report.html").read_text(encoding="utf-8")
        assert '<p class="lead shows">' in report
        assert f'<figure id="{paper}-' in begin


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["nothing"], "allowed arf-aware-tcp"),
        (["arf-aware-tcp/table9"], "table5"),
        (["arf-windw"], 'did you mean "arf-window"?'),
        (["arf-window/fig44"], 'did you mean "fig4"?'),
        (["arf-aware-tcp", "--replications", "0"], "--replications 0"),
        (["arf-aware-tcp", "--out", "/dev/null/x"], "--out /dev/null/x"),
    ],
)
def test_bad_input_runs_nothing(
    capsys: pytest.CaptureFixture[str], arguments: list[str], word: str
) -> None:
    assert cli.main(["reproduce", *arguments]) == cli.BAD_INPUT
    printed = capsys.readouterr()
    assert word in printed.err
    assert printed.out == ""


def test_a_full_disk_costs_the_files_and_not_the_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    arguments = argparse.Namespace(
        paper="arf-aware-tcp/table2",
        list=False,
        force=False,
        replications=2,
        out=tmp_path / "out",
        json=False,
        quick=True,
        fresh=False,
        threads=None,
    )
    message = r"--out .*out: No space left on device; nothing was written"
    with pytest.raises(OSError, match=message):
        reproduce.main(arguments)
    printed = capsys.readouterr().out
    assert "Table 2: Throughput of two NewReno sessions, with and without a slow one" in printed
    assert "no report was written" in printed
    assert "report.html" not in printed


def test_where_nothing_was_finished_no_report_is_promised(tmp_path: Path) -> None:
    choice = Choice(load("arf-aware-tcp"), (), 10, tmp_path, quick=False)
    nothing = Measured({}, 0, Spent(0.1, 0.1, interrupted=True, simulated_s=5.0), seed=1)
    text = PaperResult.of(Outcome(choice, nothing)).text()
    assert "interrupted after 0 replications\nno report was written" in text


def test_ctrl_c_saves_the_finished_replications(tmp_path: Path) -> None:
    command = [*PROGRAM, "reproduce", "arf-aware-tcp", "--replications", "100", "--json"]
    with subprocess.Popen(
        [*command, "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        # All variants of a replication run before the next one, so each variant has two runs by then.
        each = sum(len(setup.variants) for setup in load("arf-aware-tcp").setups.values())
        while runs_in(tmp_path / "runs.sqlite") < 3 * each and process.poll() is None:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in errors
    (document,) = json.loads(output)["papers"]
    assert document["interrupted"]
    # All variants have the same number of replications, and all figures are drawn.
    assert 2 <= document["replications"] < 100
    assert len(document["experiments"]) == 8
    figures = {path.stem for path in tmp_path.glob("fig*.png")}
    assert figures == {"fig2", "fig4", "fig5", "fig6", "fig7", "fig8", "fig9"}

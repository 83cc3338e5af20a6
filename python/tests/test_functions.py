"""Tests of the functions that do what commands do, with typed results."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import airfair
from airfair import validation
from airfair.experiment.results import Spent
from airfair.experiment.work import Means
from airfair.limit_search.schemes import Scheme
from airfair.limit_search.search import Found, Plan
from airfair.reproduction import results, running
from airfair.reproduction.paper_result import PaperResult
from airfair.reproduction.runs import Choice, Measured
from airfair.reproduction.summary import Reproduction
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


# ------------------------------------------------------------------ papers


def test_the_verdicts_of_a_paper_are_sentences_and_tables() -> None:
    fractions: list[float] = []
    found = airfair.reproduce(
        "arf-aware-tcp/table2", quick=True, replications=2, store=None, progress=fractions.append
    )
    assert repr(found).startswith("1 paper: ")
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    (claim,) = [claim for claim in found.claims if claim.id == "anomaly-equalises"]
    assert str(claim).startswith("In a first look, the claim anomaly-equalises (“")
    assert repr(claim) == f"<arf-aware-tcp: {claim}>"
    # Claims of other experiments were not run: they are in the table without values.
    states = found.table["state"].value_counts(sort=True)
    assert found.table.height == len(found["arf-aware-tcp"].paper.claim_texts())
    assert "not run" in set(states["state"])
    points = found.points
    assert set(points["claim"]) == {verdict.id for verdict in found.verdicts}
    assert (points["low"] <= points["mean"]).all()
    assert found["arf-aware-tcp"].tables[0].columns
    with pytest.raises(KeyError, match="paper x: allowed arf-aware-tcp"):
        found["x"]


@pytest.mark.slow
def test_files_are_written_where_out_says_and_protected_ones_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "png", lambda _: b"")

    def again(
        finished: Callable[[Reproduction, PaperResult], object] | None = None,
    ) -> Reproduction:
        return airfair.reproduce(
            ["arf-aware-tcp/table2"],
            quick=True,
            replications=2,
            store=tmp_path / "runs.sqlite",
            out=tmp_path / "out",
            progress=False,
            finished=finished,
        )

    seen: list[str] = []
    first = again(
        finished=lambda result, paper: seen.append(f"{result.papers.index(paper)} {paper.id}")
    )
    assert seen == ["0 arf-aware-tcp"]
    # A list has the pages of all papers, and a directory for each.
    assert {"index.html", "claims.html", "report.txt"} <= {
        path.name for path in (tmp_path / "out").iterdir()
    }
    report = tmp_path / "out/arf-aware-tcp/report.html"
    assert report.exists()
    assert again().papers[0].document["runs_found"] == first.papers[0].document["runs"]  # type: ignore[index]
    report.write_text("mine", encoding="utf-8")
    with pytest.raises(
        airfair.OptionError, match=r"^out .*report\.html, a file that airfair did not"
    ):
        again()
    assert report.read_text(encoding="utf-8") == "mine"


def test_ctrl_c_and_failures_keep_what_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted = False

    def ends(choice: Choice, _: Means) -> Measured:
        if choice.paper.id == "arf-window":
            raise airfair.RunError("too many events")
        return Measured({}, 3, Spent(0.1, 0.1, interrupted=interrupted, simulated_s=5), seed=1)

    monkeypatch.setattr(running, "measure", ends)
    with pytest.raises(airfair.ReproductionError, match=r"^arf-window: too many events$") as failed:
        airfair.reproduce(["arf-window/fig4", "arf-aware-tcp/table2"], store=None)
    assert [paper.state for paper in failed.value.result.papers] == ["failed", "done"]
    assert repr(failed.value.result).endswith("; 1 failed")
    interrupted = True
    with pytest.raises(airfair.Interrupted, match="after 3 finished replications") as stopped:
        airfair.reproduce(["arf-aware-tcp/table2", "arf-window/fig4"], store=None)
    assert [paper.state for paper in stopped.value.result.papers] == ["interrupted", "not run"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: airfair.reproduce("arf-windw"),
            'paper "arf-windw": unknown, did you mean "arf-window"',
        ),
        (lambda: airfair.reproduce("modern/x"), 'experiment "x" of modern: unknown'),
        (lambda: airfair.reproduce("modern", replications=0), "replications 0: allowed is a whole"),
        (lambda: airfair.reproduce([]), "papers []: allowed is at least one paper"),
        (
            lambda: airfair.reproduce(["modern", "modern"]),
            "papers: modern is named twice; allowed is once",
        ),
        (lambda: airfair.reproduce("modern", out="/dev/null/x"), "out /dev/null/x: "),
        (lambda: airfair.limits("arf-windw"), "scheme 'arf-windw': unknown, did you mean"),
        (lambda: airfair.limits([]), "schemes []: allowed is at least one scheme"),
        (lambda: airfair.limits("tfrc", standard="802.11be"), "standard '802.11be': unknown"),
        (
            lambda: airfair.limits("tfrc", points=3, seed=-1),
            "points 3: allowed is 16 to 4096\nseed -1",
        ),
        (lambda: airfair.limits("tfrc", out="/dev/null/x"), "out /dev/null/x: "),
        (lambda: airfair.validate_kernel(only="11g"), "only 11g: no cell's name contains this"),
    ],
)
def test_wrong_arguments_run_nothing(call: Callable[[], object], message: str) -> None:
    with pytest.raises(airfair.OptionError, match=f"^{re.escape(message)}"):
        call()


# ------------------------------------------------------------------ limits and validation


def test_searches_share_the_progress_and_ctrl_c_ends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted = False

    def ends(
        scheme: Scheme,
        plan: Plan,
        _: object,
        tell: Callable[[float], object],
        *__: object,
        **___: object,
    ) -> Found:
        tell(0.5)
        return Found(scheme, plan, interrupted=interrupted)

    monkeypatch.setattr("airfair.limit_search.running.find", ends)
    fractions: list[float] = []
    names: list[str] = []
    found = airfair.limits(
        ["tfrc", "data-ack"],
        quick=True,
        points=20,
        store=None,
        progress=fractions.append,
        finished=lambda one: names.append(one.scheme.id),
    )
    assert names == ["tfrc", "data-ack"]
    assert fractions == [0.25, 0.5, 0.75, 1]
    assert repr(found) == "tfrc: no points\ndata-ack: no points"
    assert (found["tfrc"].plan.points, found["tfrc"].plan.replications) == (20, 4)
    assert found.table.is_empty()
    interrupted = True
    with pytest.raises(airfair.Interrupted, match="after 0 finished replications") as stop:
        airfair.limits(["tfrc", "data-ack"], standard="802.11ax", store=None)
    (first,) = stop.value.result.schemes
    assert repr(first) == "tfrc: no points, interrupted"
    assert first.scheme.standard == "802.11ax"


def test_checks_against_theory_are_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    some = [plan for plan, _ in zip(validation.plans(), range(2), strict=False)]
    monkeypatch.setattr(validation, "plans", lambda: some)
    monkeypatch.setattr(validation.propagation, "checks", list)
    found = airfair.validate(progress=False)
    assert found.passed
    assert repr(found) == f"{len(found.checks)} of {len(found.checks)} checks passed"
    assert found.table["id"].to_list() == [check.id for check in found.checks]
    assert found.table["passed"].all()


def test_ctrl_c_keeps_the_finished_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    some = [plan for plan, _ in zip(validation.plans(), range(3), strict=False)]
    monkeypatch.setattr(validation, "plans", lambda: some)

    def stopped(scenarios: list[airfair.Scenario], **_: object) -> list[airfair.Result]:
        first = airfair.run(scenarios[0])
        rest = [airfair.Result(scenario, [], interrupted=True) for scenario in scenarios[1:]]
        return [first, *rest]

    monkeypatch.setattr(validation, "finished", stopped)
    with pytest.raises(airfair.Interrupted) as stop:
        airfair.validate(progress=False)
    result = stop.value.result
    assert result.interrupted
    assert [check.id for check in result.checks] == [
        check.id for check in some[0].evaluate(airfair.run(some[0].scenario))
    ]
    assert repr(result).endswith("checks passed, interrupted")

"""Tests of `airfair compare` with laws of one's own."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import airfair
from airfair import cli, law_names, run_figures, run_page
from airfair.experiment import side_by_side_text
from airfair.law import Law, LawError

CELL = """
title = "Laws in a comparison"
duration = "1 s"
[bss.home]
standard = "802.11a"
[station.slow]
rate = "6 Mb/s"
[station.fast]
rate = "54 Mb/s"
[host.server]
link = { rate = "100 Mb/s", delay = "2 ms" }
[flow.a]
from = "slow"
to = "server"
transport = { kind = "tcp" }
[flow.b]
from = "fast"
to = "server"
transport = { kind = "tcp" }
"""

LAWS = """
import os
import signal

import airfair


class Narrow(airfair.Law):
    version = "1"

    def __init__(self, segments=2):
        self.segments = segments

    def start(self, node):
        for sender in node.senders:
            sender.limit_window(segments=self.segments)


class Idle(airfair.Law):
    pass


class Raises(airfair.Law):
    def start(self, node):
        node.wake_in("300 ms")

    def timer(self, node):
        raise ZeroDivisionError("no window")


class Lost(Raises):
    def timer(self, node):
        raise FileNotFoundError("no table of windows")


class Dies(airfair.Law):
    def start(self, node):
        os.kill(os.getpid(), signal.SIGKILL)


class Unmade(airfair.Law):
    def __init__(self):
        raise OSError("no gain")
"""

NARROW = "station.slow=comparedlaws:Narrow"


@pytest.fixture
def cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "comparedlaws.py").write_text(LAWS, encoding="utf-8")
    path = tmp_path / "cell.toml"
    path.write_text(CELL, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "comparedlaws", raising=False)
    # No test looks at the figures of a saved result, and they take most of the time.
    monkeypatch.setattr(run_figures, "figures", lambda _: {})
    monkeypatch.setattr(run_page, "page", lambda *_: "")
    return path


def law(cell: Path, name: str = "Narrow") -> type[Law]:
    return law_names.find(f"comparedlaws:{name}", [cell.parent])


def saved(cell: Path, name: str, laws: dict[str, Any] | None = None) -> Path:
    """Directory of a result with four replications."""
    folder = cell.parent / name
    airfair.run(cell, replications=4, threads=1, laws=laws).save(folder)
    return folder


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = cli.main(["compare", *map(str, arguments)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_a_law_is_compared_with_no_law_as_are_the_results_of_both(
    cell: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--law` gives the rows of two saved results, of which the second ran with the law."""
    plain, narrow = saved(cell, "plain"), saved(cell, "narrow", {"station.slow": law(cell)})
    status, out, _ = told(capsys, cell, "--law", NARROW, "--replications", 4, "--json")
    assert status == cli.DONE
    document = json.loads(out)
    rows = airfair.compare(plain, narrow).rows
    assert document["rows"] == json.loads(json.dumps(rows))
    (goodput,) = (r for r in rows if (r["column"], r.get("flow")) == ("goodput_bps", "a"))
    assert goodput["is_significant"]
    # Two segments of 1460 octets per round trip of at least 4 ms: at most 5.84 Mb/s.
    assert goodput["second"] < min(goodput["first"], 2 * 1460 * 8 / 4e-3)
    first, second = (side["laws"] for side in document["of"])
    assert first == []
    assert [(each["node"], each["law"], each["version"]) for each in second] == [
        ("station.slow", "comparedlaws:Narrow", "1")
    ]
    assert second == json.loads((narrow / "run.json").read_text("utf-8"))["laws"]


def test_a_saved_result_is_the_baseline_and_its_scenario_runs_again_with_the_law(
    cell: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = saved(cell, "plain")
    monkeypatch.chdir(cell.parent)  # the law is not beside the result
    _, out, _ = told(capsys, plain, "--law", NARROW, "--json")
    assert json.loads(out)["rows"] == json.loads(
        json.dumps(
            airfair.compare(cell, laws={"station.slow": law(cell)}, replications=4, threads=1).rows
        )
    )


def test_laws_of_saved_results_are_shown_where_they_differ(
    cell: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, narrow = saved(cell, "plain"), saved(cell, "narrow", {"station.slow": law(cell)})
    _, out, _ = told(capsys, plain, narrow)
    assert out.splitlines()[1:3] == [
        "plain: no law",
        "narrow: station.slow=comparedlaws:Narrow, version 1",
    ]
    _, out, _ = told(capsys, narrow, narrow)
    assert "comparedlaws" not in out


def test_laws_that_differ_in_their_source_alone_are_told_apart(
    cell: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = saved(cell, "one", {"station.slow": law(cell)})
    path = cell.parent / "comparedlaws.py"
    path.write_text(LAWS + "\n# changed\n", encoding="utf-8")
    two = saved(cell, "two", {"station.slow": law(cell)})
    _, out, _ = told(capsys, one, two)
    first, second = (
        json.loads((each / "run.json").read_text("utf-8"))["laws"][0]["sha256"][:8]
        for each in (one, two)
    )
    assert first != second
    assert "identical in every record of all 4 runs" in out
    assert f"one: station.slow=comparedlaws:Narrow, version 1, source {first}" in out
    assert f"two: station.slow=comparedlaws:Narrow, version 1, source {second}" in out


def test_a_law_without_effect_leaves_all_records_identical(
    cell: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = told(
        capsys, cell, "--law", "station.*=comparedlaws:Idle", "--replications", 2, "--threads", 1
    )
    assert out.splitlines() == [
        "no law and Idle: identical in every record of all 2 runs",
        "Idle: station.*=comparedlaws:Idle",
    ]


def test_laws_of_all_points_of_a_sweep_are_listed_with_their_parameters(cell: Path) -> None:
    narrow = airfair.Experiment(
        cell,
        laws={"station.slow": law(cell)},
        factors={"law.segments": [2, 4]},
        replications=2,
    ).run(store=None, progress=False, threads=1)
    found = airfair.compare(narrow, narrow)
    assert [each.parameters for each in found.second.laws] == [
        (("segments", 2),),
        (("segments", 4),),
    ]
    changed = replace(found, first=replace(found.first, laws=()))
    assert side_by_side_text.shown(changed, 80, every=True).splitlines()[1:] == [
        "Narrow: station.slow=comparedlaws:Narrow, version 1, segments = 2;",
        "    station.slow=comparedlaws:Narrow, version 1, segments = 4",
    ]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["cell.toml"], "the second DIR|FILE is missing; name a result or a scenario, or give"),
        (["cell.toml", "plain", "--law", NARROW], "--law: plain is a result, in which no law can"),
        (["cell.toml", "--law", "station.x=comparedlaws:Narrow"], "'station.x' is no node"),
        (["cell.toml", "--law", "station.slow=comparedlaws:Nar"], "no class 'Nar'"),
        (["swept", "--law", NARROW], "is the result of a sweep; allowed without a second one is"),
    ],
)
def test_a_law_that_cannot_act_is_bad_input(
    cell: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    problem: str,
) -> None:
    monkeypatch.chdir(cell.parent)
    if "plain" in arguments:
        saved(cell, "plain")
    if "swept" in arguments:
        experiment = airfair.Experiment(cell, replications=2)
        experiment.run(store=None, progress=False).save(Path("swept"))
    status, out, error = told(capsys, *arguments)
    assert (status, out) == (cli.BAD_INPUT, "")
    assert error.startswith("airfair: ")
    assert problem in error


def test_the_same_mistakes_are_typed_errors_in_python(cell: Path) -> None:
    laws = {"station.slow": law(cell)}
    with pytest.raises(airfair.StudyError, match="the second result is missing"):
        airfair.compare(cell)
    with pytest.raises(airfair.StudyError, match="the second is a result, in which no law can act"):
        airfair.compare(cell, airfair.run(cell), laws=laws)
    with pytest.raises(LawError, match="is no node"):
        airfair.compare(cell, laws={"station.x": law(cell)})


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        (
            "Raises",
            ["ZeroDivisionError: no window", "in Raises at slow, at 0.3 s of the run"],
        ),
        (
            "Lost",
            ["FileNotFoundError: no table of windows", "in Lost at slow, at 0.3 s of the run"],
        ),
        (
            "Unmade",
            [
                "OSError: no gain",
                "in the constructor of the law at station.slow, before the start of the run",
            ],
        ),
    ],
)
@pytest.mark.parametrize("command", ["compare", "sweep"])
def test_a_law_that_raises_ends_the_command_with_its_traceback_alone(
    cell: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    name: str,
    ends: list[str],
) -> None:
    study = cell.parent / "study.toml"
    study.write_text(
        f'scenario = "cell.toml"\nlaws = {{ "station.slow" = "comparedlaws:{name}" }}\n', "utf-8"
    )
    options = {
        "compare": [cell, "--law", f"station.slow=comparedlaws:{name}"],
        "sweep": [study, "--no-store"],
    }
    status = cli.main([command, *map(str, options[command])])
    printed = capsys.readouterr()
    assert (status, printed.out) == (cli.FAILED, "")
    lines = printed.err.splitlines()
    files = [line.split('"')[1] for line in lines if line.startswith("  File ")]
    assert files == [str(cell.parent / "comparedlaws.py")]
    assert lines[-2:] == ends


@pytest.mark.parametrize(
    ("command", "ends"),
    [
        (["compare", "cell.toml"], []),
        (["sweep", "study.toml", "--no-store"], []),
        (
            ["run", "cell.toml", "--replications", "2"],
            ["airfair: a law has ended the run after 0 of 2 replications"],
        ),
    ],
)
def test_a_process_of_a_law_that_dies_ends_the_command_with_a_sentence(
    cell: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    ends: list[str],
) -> None:
    monkeypatch.chdir(cell.parent)
    laws = 'laws = { "station.slow" = "comparedlaws:Dies" }'
    Path("study.toml").write_text(f'scenario = "cell.toml"\nreplications = 2\n{laws}\n', "utf-8")
    law = [] if command[0] == "sweep" else ["--law", "station.slow=comparedlaws:Dies"]
    assert cli.main([*command, *law, "--threads", "2"]) == cli.FAILED
    died = (
        "airfair: a process that ran laws was killed by SIGKILL, perhaps because the memory was full; "
        "finished replications are kept"
    )
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if "s left" not in line] == [died, *ends]

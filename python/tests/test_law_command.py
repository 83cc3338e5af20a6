"""Tests of laws on the command line: `airfair run --law`, and `airfair check --law … --twice`."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

import airfair
from airfair import cli, law_names
from airfair.law import LawError
from support import PROGRAM, Program

LAWS = """\
import random
import sys
import time

import airfair


class Mine(airfair.Law):
    def start(self, node):
        node.wake_in("1 s")

    def timer(self, node):
        for sender in node.senders:
            sender.limit_window(segments=2)


class OwnRandom(Mine):
    def timer(self, node):
        for sender in node.senders:
            sender.limit_window(segments=1 + node.random_below(20))
        node.wake_in("200 ms")


class OtherRandom(Mine):
    def timer(self, node):
        for sender in node.senders:
            sender.limit_window(segments=random.randint(1, 20))
        node.wake_in("200 ms")


class Clock(Mine):
    def timer(self, node):
        for sender in node.senders:
            sender.limit_window(segments=1 + time.perf_counter_ns() % 20)
        node.wake_in("200 ms")


class Order(Mine):
    def timer(self, node):
        names = dict.fromkeys({"ant", "bee", "cat", "dog", "emu", "fox"})
        for sender in node.senders:
            sender.limit_window(segments=1 + sum(map(ord, "".join(names)[:2])) % 20)
        node.wake_in("200 ms")


class Shared(Mine):
    windows = []

    def start(self, node):
        self.windows.append(2)
        node.senders[0].limit_window(segments=len(self.windows) * 2)


class Third(Mine):
    runs = 0

    def start(self, node):
        Third.runs += 1
        if Third.runs == 3:
            raise ZeroDivisionError("third run")


class Endless(Mine):
    runs = 0

    def start(self, node):
        Endless.runs += 1
        if Endless.runs == 2:
            print("endless", file=sys.stderr, flush=True)
            while True:
                pass


class Refused(Mine):
    def start(self, node):
        node.senders[0].set_cwnd(-4)


class Nothing:
    pass
"""


@pytest.fixture
def laws(scenario: Path) -> Path:
    """Module with laws, beside the scenario."""
    path = scenario.parent / "commandlaws.py"
    path.write_text(LAWS, encoding="utf-8")
    return path


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, list[str]]:
    """Exit status, standard output, and lines of standard error of a command."""
    status = cli.main([*map(str, arguments)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err.splitlines()


def test_a_law_on_the_command_line_is_that_of_python(
    scenario: Path, laws: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`run --law` and `airfair.run(laws=...)` give equal record hashes; a plain run gives others."""
    law = "station.*=commandlaws:Mine"
    status, out, _ = told(
        capsys, "run", scenario, "--law", law, "--replications", 2, "--seed", 3, "--json"
    )
    assert status == cli.DONE
    hashes = json.loads(out)["record_hashes"]
    mine = law_names.find("commandlaws:Mine", [laws.parent])
    own = airfair.run(scenario, laws={"station.*": mine}, replications=2, seed=3)
    plain = airfair.run(scenario, replications=2, seed=3)
    assert hashes == [f"{each.record_hash:016x}" for each in own.outcomes]
    assert not set(hashes) & {f"{each.record_hash:016x}" for each in plain.outcomes}


@pytest.mark.usefixtures("laws")
def test_laws_are_given_to_nodes_one_by_one_and_together(
    scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two options for single stations give the run of one option for both."""
    hashes = []
    for nodes in (["station.*"], ["station.slow", "station.fast"]):
        options = [word for node in nodes for word in ("--law", f"{node}=commandlaws:Mine")]
        status, out, _ = told(capsys, "run", scenario, *options, "--json")
        assert status == cli.DONE
        hashes.append(json.loads(out)["record_hashes"])
    assert hashes[0] == hashes[1]


@pytest.mark.usefixtures("laws")
def test_a_law_writes_the_traces_and_results_of_a_run(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pcap, out = tmp_path / "x.pcapng", tmp_path / "out"
    law = "station.slow=commandlaws:Mine"
    command = ["run", scenario, "--law", law, "--replications", 2, "--out", out, "--pcap", pcap]
    status, _, lines = told(capsys, *command, "--trace-replication", 1)
    assert status == cli.DONE
    assert lines[0] == f"airfair: wrote {out}"
    assert lines[1].startswith(f"airfair: wrote {pcap}: ")
    assert lines[1].endswith(" packets of replication 1")
    assert pcap.stat().st_size > 1000
    assert law in json.loads((out / "run.json").read_text("utf-8"))["command_line"]


@pytest.mark.parametrize(
    ("option", "problem"),
    [
        ("commandlaws:Mine", "'commandlaws:Mine': allowed is NODE=MODULE:CLASS"),
        ("station.slow=commandlaws", "station.slow=commandlaws: allowed is MODULE:CLASS, for ex"),
        (
            "station.slwo=commandlaws:Mine",
            "'station.slwo' is no node, did you mean \"station.slow\"?; allo",
        ),
        (
            "station.slow=commandlaw:Mine",
            "no module 'commandlaw', did you mean \"commandlaws\"?; se",
        ),
        ("station.slow=commandlaws.x:Mine", "no module 'commandlaws.x'"),
        ("station.slow=commandlaws:Mein", "no class 'Mein', did you mean \"Mine\"?; its laws are"),
        ("station.slow=commandlaws:Nothing", "commandlaws.py: Nothing is no subclass of airfair.L"),
        ("station.slow=json:loads", "loads is no subclass of airfair.Law; it has no law"),
        ("station.slow=broken:Mine", "broken.py, line 2: SyntaxError: "),
        ("station.slow=raising:Mine", "raising.py, line 3: KeyError: 'gain'"),
        ("station.slow=lacking:Mine", "lacking.py, line 1: ModuleNotFoundError: No module named"),
    ],
)
@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.usefixtures("laws")
def test_a_law_that_cannot_be_found_is_bad_input(
    scenario: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    option: str,
    problem: str,
) -> None:
    modules = {
        "broken": "import airfair\nclass Mine(airfair.Law)\n",
        "raising": "import airfair\ngains = {}\ngains['gain']\n",
        "lacking": "import a_module_that_nobody_has\n",
    }
    for name, text in modules.items():
        (scenario.parent / f"{name}.py").write_text(text, encoding="utf-8")
    status, out, lines = told(capsys, command, scenario, "--law", option)
    assert (status, out) == (cli.BAD_INPUT, "")
    (line,) = lines
    assert line.startswith("airfair: --law ")
    assert problem in line


@pytest.mark.usefixtures("laws")
def test_all_mistakes_in_laws_are_listed_at_once(
    scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--law", "station.x=commandlaws:Mine", "--law", "station.slow=none:Mine"]
    status, _, lines = told(capsys, "run", scenario, *options)
    assert status == cli.BAD_INPUT
    assert len(lines) == 2


@pytest.mark.usefixtures("laws")
def test_a_law_that_raises_ends_the_run_with_its_traceback_and_finished_runs_are_kept(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The law raises in the third of four replications."""
    out = tmp_path / "out"
    options = ["--law", "station.slow=commandlaws:Third", "--replications", 4, "--out", out]
    options += ["--threads", 1]  # the law counts its runs in this process
    status, text, lines = told(capsys, "run", scenario, *options)
    assert status == cli.FAILED
    assert "2 runs of 4 (interrupted)" in text
    assert lines[0] == f"airfair: wrote {out}"
    assert lines[1] == "Traceback (most recent call last):"
    assert [line for line in lines if line.startswith("  File ")] == [
        f'  File "{scenario.parent / "commandlaws.py"}", line {_line("third run")}, in start'
    ]
    assert lines[-3:] == [
        "ZeroDivisionError: third run",
        "in Third at slow, at 0 s of the run",
        "airfair: a law has ended the run after 2 of 4 replications",
    ]
    kept = airfair.load_result(out)
    assert (kept.replications, kept.interrupted) == (2, True)


def _line(text: str) -> int:
    return next(at for at, line in enumerate(LAWS.splitlines(), 1) if text in line)


@pytest.mark.usefixtures("laws")
def test_an_action_that_is_refused_ends_the_run_and_no_file_is_written(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    law = "station.slow=commandlaws:Refused"
    status, _, lines = told(capsys, "run", scenario, "--law", law, "--out", out)
    assert status == cli.FAILED
    assert "SettingError: -4: allowed are 0 to 4294967295 segments" in "\n".join(lines)
    assert not out.exists()


def test_a_law_that_raises_shows_its_error_in_python_even_if_it_writes_traces(
    scenario: Path, laws: Path, tmp_path: Path
) -> None:
    refused = law_names.find("commandlaws:Refused", [laws.parent])
    with (
        pytest.raises(airfair.SettingError, match="-4"),
        airfair.World(
            scenario, pcap=tmp_path / "x.pcapng", laws={"station.slow": refused}
        ) as world,
    ):
        world.advance()


@pytest.mark.usefixtures("laws")
def test_ctrl_c_ends_a_law_that_does_not_return_and_finished_runs_are_kept(scenario: Path) -> None:
    """The law reports on standard error that it never returns in the second of three replications."""
    law = "--law=station.slow=commandlaws:Endless"
    command = [*PROGRAM, "run", str(scenario), law, "--replications=3", "--json", "--threads=1"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert run.stderr.readline() == "endless\n"
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
    assert run.returncode == cli.INTERRUPTED
    # A signal during the write makes Python write the first line once more.
    assert err.splitlines()[-1] == "airfair: interrupted after 1 of 3 replications"
    assert json.loads(out)["replications"] == 1


# ------------------------------------------------------------------ finding


def test_a_module_beside_the_scenario_is_preferred_and_loaded_anew(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, version in ((first, "1"), (second, "2")):
        folder.mkdir()
        text = f"import airfair\nclass Mine(airfair.Law):\n    version = {version!r}\n"
        (folder / "foundlaws.py").write_text(text, encoding="utf-8")
    assert law_names.find("foundlaws:Mine", [first, second]).version == "1"
    assert law_names.find("foundlaws:Mine", [second, first]).version == "2"
    path = first / "foundlaws.py"
    path.write_text(path.read_text("utf-8").replace("'1'", "'three'"), encoding="utf-8")
    assert law_names.find("foundlaws:Mine", [first]).version == "three"
    assert law_names.find("foundlaws:Mine").version == "three"  # on the Python path from now on


def test_a_law_may_be_in_a_package_and_in_a_class(tmp_path: Path) -> None:
    package = tmp_path / "lawpackage"
    package.mkdir()
    (package / "__init__.py").touch()
    text = "import airfair\nclass All:\n    class Mine(airfair.Law):\n        pass\n"
    (package / "inner.py").write_text(text, encoding="utf-8")
    found = law_names.find("lawpackage.inner:All.Mine", [tmp_path])
    assert (found.__module__, found.__qualname__) == ("lawpackage.inner", "All.Mine")


@pytest.mark.parametrize("name", ["", "a", "a:", ":b", "a b:c", "../a:b", "a:b:c", "a:b()"])
def test_a_name_of_another_form_is_refused(name: str) -> None:
    with pytest.raises(LawError, match="allowed is MODULE:CLASS"):
        law_names.find(name)


# ------------------------------------------------------------------ twice


@pytest.mark.usefixtures("laws")
@pytest.mark.parametrize("law", ["Mine", "OwnRandom"])
def test_a_law_with_the_randomness_of_its_node_gives_the_same_run_twice(
    program: Program, scenario: Path, law: str
) -> None:
    run = program("check", scenario, "--law", f"station.slow=commandlaws:{law}", "--twice")
    assert (run.returncode, run.stdout, run.stderr) == (cli.DONE, "", "")


@pytest.mark.usefixtures("laws")
@pytest.mark.parametrize("law", ["OtherRandom", "Clock", "Order"])
def test_a_law_with_other_randomness_a_clock_or_the_order_of_a_set_is_found(
    program: Program, scenario: Path, law: str
) -> None:
    run = program("check", scenario, "--law", f"station.slow=commandlaws:{law}", "--twice")
    assert (run.returncode, run.stdout) == (cli.FAILED, "")
    (line,) = run.stderr.splitlines()
    assert line.startswith(f"airfair: {scenario}: two runs of the first replication differ: record")


@pytest.mark.usefixtures("laws")
def test_state_of_a_class_is_found_by_the_order_of_the_replications(
    program: Program, scenario: Path
) -> None:
    """A list of the class grows with each run, so that a replication depends on the one before it."""
    run = program("check", scenario, "--law", "station.slow=commandlaws:Shared", "--twice")
    assert (run.returncode, run.stdout) == (cli.FAILED, "")
    (line,) = run.stderr.splitlines()
    assert line.startswith(f"airfair: {scenario}: two runs of the first replication differ: record")
    assert line.endswith("attributes of self, not of its class or module")


@pytest.mark.usefixtures("laws")
def test_a_law_that_raises_is_found_by_twice_and_a_study_is_refused(
    program: Program, scenario: Path
) -> None:
    run = program("check", scenario, "--law", "station.slow=commandlaws:Refused", "--twice")
    assert run.returncode == cli.FAILED
    assert "SettingError: -4" in run.stderr
    study = scenario.parent / "study.toml"
    study.write_text('scenario = "scenario.toml"\n', encoding="utf-8")
    run = program("check", study, "--twice")
    assert run.returncode == cli.BAD_INPUT
    assert "--law, --twice and --emulate are for scenarios" in run.stderr

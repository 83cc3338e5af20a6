"""Tests of laws on all cores, in experiments, in study files and in the archive of finished runs."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import airfair
from airfair import cli, law_names, law_processes, statistics
from airfair.archive import Archive, EngineError, Job
from airfair.law import Law, LawError, LawWarning
from airfair.law_use import uses
from support import PROGRAM, runs_in

CELL = """
title = "Laws in a study"
duration = "1 s"
seed = 3
[bss.home]
standard = "802.11a"
[station.slow]
bss = "home"
rate = "6 Mb/s"
[station.fast]
bss = "home"
rate = "54 Mb/s"
[host.server]
link = { to = "home", rate = "100 Mb/s", delay = "2 ms" }
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
import os, signal
import airfair
from lawhelper import SEGMENTS


class Narrow(airfair.Law):
    version = "1"
    listen = "own"

    def __init__(self, gain=1):
        self.gain = gain

    def frame(self, node, frame):
        for sender in node.senders:
            sender.limit_window(segments=SEGMENTS * self.gain)


class Raises(Narrow):
    def start(self, node):
        node.wake_in("300 ms")

    def timer(self, node):
        raise ZeroDivisionError("no window")


class Dies(Narrow):
    def start(self, node):
        os.kill(os.getpid(), signal.SIGKILL)


class Prints(Narrow):
    def end(self, node):
        print("the end")
"""

STUDY = """
scenario = "cell.toml"
replications = 3
[factors]
"law.gain" = [1, 2]
[factors.scheme]
nothing = {}
narrow = { laws = { "station.slow" = "studylaws:Narrow" } }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "cell.toml").write_text(CELL, encoding="utf-8")
    (tmp_path / "lawhelper.py").write_text("SEGMENTS = 2\n", encoding="utf-8")
    (tmp_path / "studylaws.py").write_text(LAWS, encoding="utf-8")
    (tmp_path / "law.study.toml").write_text(STUDY, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("studylaws", "lawhelper"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def law(folder: Path, name: str = "Narrow") -> type[Law]:
    sys.modules.pop("lawhelper", None)
    return law_names.find(f"studylaws:{name}", [folder])


def hashes(result: airfair.Result) -> list[int]:
    return [outcome.record_hash for outcome in result.outcomes]


def test_runs_on_all_cores_give_the_records_of_runs_in_turn(folder: Path) -> None:
    laws = {"station.slow": law(folder)}
    in_turn = airfair.run(CELL, replications=4, threads=1, laws=laws)
    at_once = airfair.run(CELL, replications=4, threads=2, laws=laws)
    assert hashes(at_once) == hashes(in_turn)
    assert hashes(at_once) != hashes(airfair.run(CELL, replications=4))
    assert at_once.delays.equals(in_turn.delays)


def test_a_law_that_raises_in_another_process_raises_here_with_its_node_and_time(
    folder: Path,
) -> None:
    with pytest.raises(ZeroDivisionError, match="no window") as caught:
        airfair.run(CELL, replications=4, threads=2, laws={"station.slow": law(folder, "Raises")})
    assert caught.value.__notes__ == ["in Raises at slow, at 0.3 s of the run"]
    assert "studylaws.py" in str(caught.value.__cause__)


def test_a_killed_process_is_a_typed_error(folder: Path) -> None:
    with pytest.raises(law_processes.WorkerError, match="was killed by SIGKILL"):
        airfair.run(CELL, replications=4, threads=2, laws={"station.slow": law(folder, "Dies")})


def test_ctrl_c_while_the_processes_start_leaves_none_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    start = law_processes._started  # noqa: SLF001 - the place that Ctrl-C interrupts

    def interrupted(descriptor: int) -> subprocess.Popen[bytes]:
        if started:
            raise KeyboardInterrupt
        started.append(start(descriptor))
        return started[0]

    monkeypatch.setattr(law_processes, "_started", interrupted)
    jobs = [
        Job(airfair.Scenario.parse(CELL.encode()), n, uses({"station.slow": law(folder)}))
        for n in (0, 1)
    ]
    processes = law_processes.LawProcesses(2)
    assert processes.run(jobs, lambda *_: None, lambda _: None)
    assert [process.returncode for process in started] == [-signal.SIGKILL]


def test_texts_that_a_law_prints_are_printed_here(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    airfair.run(CELL, replications=3, threads=2, laws={"station.slow": law(folder, "Prints")})
    assert capsys.readouterr().out == "the end\n" * 3


def test_a_law_of_a_function_runs_in_this_process_alone_with_one_warning() -> None:
    class Local(Law):
        pass

    law_processes.WARNED.clear()
    laws = {"station.slow": Local}
    with pytest.warns(LawWarning, match="created inside a function"):
        airfair.run(CELL, replications=2, threads=2, laws=laws)
    airfair.run(CELL, replications=2, threads=2, laws=laws)  # a second warning would be an error
    assert uses({"station.slow": Local})[0].sha256 is None


def test_progress_ends_at_one(folder: Path) -> None:
    seen: list[float] = []
    laws = {"station.slow": law(folder)}
    airfair.run(CELL, replications=3, threads=2, laws=laws, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)


# ------------------------------------------------------------------ experiments


def test_a_law_is_judged_against_doing_nothing_and_a_rival_with_paired_streams(
    folder: Path,
) -> None:
    schemes = {
        "nothing": {},
        "narrow": {"laws": {"station.slow": law(folder)}},
        "arf-aware": {"flow.*.control": "arf-aware"},
    }
    experiment = airfair.Experiment(CELL, factors={"scheme": schemes}, replications=2)
    result = experiment.run(store=None, progress=False)
    plain = airfair.run(CELL, replications=2)
    own = airfair.run(CELL, replications=2, laws={"station.slow": law(folder)})
    finished = result.finished
    assert hashes(finished.result(0)) == hashes(plain)
    assert hashes(finished.result(1)) == hashes(own)
    assert [use.name for use in finished.result(1).laws] == ["studylaws:Narrow"]
    assert finished.result(2).laws == ()
    assert result.compare("scheme", baseline="nothing").height == 2


def test_a_parameter_is_passed_to_the_constructor_and_keeps_its_type(folder: Path) -> None:
    result = airfair.Experiment(
        CELL, laws={"station.slow": law(folder)}, factors={"law.gain": [1, 4]}, replications=1
    ).run(store=None, progress=False)
    first, second = (result.finished.result(place) for place in (0, 1))
    assert (first.laws[0].parameters, second.laws[0].parameters) == ((("gain", 1),), (("gain", 4),))
    assert hashes(first) != hashes(second)
    assert result.points["law.gain"].to_list() == [1, 4]


def test_a_parameter_that_no_law_has_is_an_error_before_any_run(folder: Path) -> None:
    laws = {"station.slow": law(folder)}
    with pytest.raises(airfair.StudyError, match="no law has the parameter gian, did you mean"):
        airfair.Experiment(CELL, laws=laws, factors={"law.gian": [1]})
    with pytest.raises(airfair.StudyError, match="there is no law"):
        airfair.Experiment(CELL, factors={"law.gain": [1]})
    with pytest.raises(airfair.StudyError, match="allowed is a finite number, text, true or false"):
        airfair.Experiment(CELL, laws=laws, set={"law.gain": [1, 2]})


# ------------------------------------------------------------------ archive


def found(folder: Path, archive: Archive) -> int:
    laws = {"station.slow": law(folder)}
    experiment = airfair.Experiment(CELL, laws=laws, replications=2)
    return experiment.run(store=archive, progress=False).spent.found


def test_runs_are_found_again_until_the_source_of_the_law_or_of_a_file_beside_it_changes(
    folder: Path,
) -> None:
    with Archive(folder / "runs.sqlite") as archive:
        assert (found(folder, archive), found(folder, archive)) == (0, 2)
        (folder / "lawhelper.py").write_text("SEGMENTS = 30\n", encoding="utf-8")
        assert (found(folder, archive), found(folder, archive)) == (0, 2)
        (folder / "studylaws.py").write_text(LAWS + "\n# changed\n", encoding="utf-8")
        assert (found(folder, archive), found(folder, archive)) == (0, 2)
        (folder / "elsewhere.py").write_text("", encoding="utf-8")
        assert found(folder, archive) == 2


def test_a_file_that_changed_after_its_law_was_loaded_is_an_error(folder: Path) -> None:
    narrow = law(folder)
    (folder / "studylaws.py").write_text(LAWS + "\n# changed\n", encoding="utf-8")
    with pytest.raises(LawError, match="has changed since Narrow was loaded"):
        airfair.run(CELL, laws={"station.slow": narrow})


def test_a_law_without_a_source_is_never_kept(folder: Path) -> None:
    class Local(Law):
        pass

    with Archive(folder / "runs.sqlite") as archive:
        for _ in range(2):
            experiment = airfair.Experiment(CELL, laws={"station.slow": Local}, replications=1)
            assert experiment.run(store=archive, progress=False).spent.found == 0
        assert archive.kept() == []


# ------------------------------------------------------------------ study files and results


def test_a_study_with_a_law_runs_is_saved_and_loaded(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFAIR_CACHE", str(folder / "runs.sqlite"))
    out = folder / "out"
    assert cli.main(["check", str(folder / "law.study.toml")]) == cli.DONE
    assert cli.main(["sweep", str(folder / "law.study.toml"), "--out", str(out)]) == cli.DONE
    loaded = airfair.load_experiment(out)
    laws = [loaded.finished.result(place).laws for place in range(4)]
    assert [len(each) for each in laws] == [0, 1, 0, 1]
    assert (laws[1][0].version, laws[1][0].parameters) == ("1", (("gain", 1),))
    assert laws[1][0].sha256 == uses({"station.slow": law(folder)})[0].sha256


def test_laws_of_a_study_act_at_all_points_but_those_whose_level_has_others(folder: Path) -> None:
    """The key `laws` at the top is the law of each point; a level replaces it, and `{}` removes it."""
    path = folder / "top.study.toml"
    path.write_text(
        'scenario = "cell.toml"\nreplications = 1\nlaws = { "station.slow" = "studylaws:Narrow" }\n'
        "[factors.scheme]\nas-above = {}\nnone = { laws = {} }\n"
        'both = { laws = { "station.*" = ["studylaws:Narrow", "studylaws:Prints"] } }\n'
        'wide = { "law.gain" = 10 }\n',
        encoding="utf-8",
    )
    result = airfair.load_study(path).experiment.run(store=None, progress=False, threads=1)
    points = [result.finished.result(place) for place in range(4)]
    assert [[(use.node, use.name) for use in point.laws] for point in points] == [
        [("station.slow", "studylaws:Narrow")],
        [],
        [("station.*", "studylaws:Narrow"), ("station.*", "studylaws:Prints")],
        [("station.slow", "studylaws:Narrow")],
    ]
    narrow = law(folder)
    expected: list[dict[str, object]] = [
        {"station.slow": narrow},
        {},
        {"station.*": narrow},
        {"station.slow": functools.partial(narrow, gain=10)},
    ]
    for point, laws in zip(points, expected, strict=True):
        own = airfair.run(CELL, replications=1, laws=laws)  # type: ignore[arg-type]
        assert hashes(point) == hashes(own)
    assert len({hashes(point)[0] for point in points}) == 4


@pytest.mark.parametrize(
    ("laws", "problem"),
    [
        ('"studylaws:Narrow"', "laws: 'studylaws:Narrow'; allowed is a table such as"),
        ('{ "station.slow" = 3 }', "laws.station.slow: 3; allowed is a table such as"),
        ('{ "station.x" = "studylaws:Narrow" }', "laws: 'station.x' is no node"),
        ('{ "station.slow" = ["studylaws:Narow", "nolaws:A"] }', "no module 'nolaws'"),
    ],
)
def test_wrong_laws_of_a_study_are_errors_with_their_file_and_key(
    folder: Path, capsys: pytest.CaptureFixture[str], laws: str, problem: str
) -> None:
    path = folder / "top.study.toml"
    path.write_text(f'scenario = "cell.toml"\nlaws = {laws}\n', encoding="utf-8")
    assert cli.main(["check", str(path)]) == cli.BAD_INPUT
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith(f"airfair: {path}: ") for line in lines)
    assert problem in lines[-1]


def test_runs_with_a_law_go_on_until_an_interval_is_narrow_enough(folder: Path) -> None:
    """A point ends when its half-width is at most the wanted part of the mean, and not before."""
    schemes = {"nothing": {}, "narrow": {"laws": {"station.slow": law(folder)}}}
    experiment = airfair.Experiment(
        CELL,
        factors={"scheme": schemes},
        replications=airfair.until("goodput[a]", half_width=0.04, least=3, most=8),
    )
    result = experiment.run(store=None, progress=False, threads=1)
    nothing, narrow = (result.finished.result(place) for place in (0, 1))
    for point in (nothing, narrow):
        goodput = point.flows.filter(flow="a")["goodput_bps"].to_list()
        half = statistics.half_width(goodput)
        assert half is not None
        assert half <= 0.04 * statistics.mean(goodput) or len(goodput) == 8
    laws = {"station.slow": law(folder)}
    count = narrow.replications
    assert hashes(narrow) == hashes(airfair.run(CELL, replications=count, laws=laws))


def test_a_value_drawn_for_each_replication_reaches_the_law_and_the_scenario(folder: Path) -> None:
    """Points with one value each have the runs in which that value was drawn."""
    laws = {"station.slow": law(folder)}
    drawn = airfair.Experiment(
        CELL,
        laws=laws,
        draw={
            "law.gain": airfair.choice([1, 4]),
            "station.slow.rate": airfair.choice(["6 Mb/s", "12 Mb/s"]),
        },
        replications=6,
    )
    result = drawn.run(store=None, progress=False, threads=1)
    found = hashes(result.finished.result(0))
    uses_ = [drawn.laws_at(drawn.points[0], replication) for replication in range(6)]
    gains = [dict(one.parameters)["gain"] for (one,) in uses_]
    assert {*gains} == {1, 4}
    for replication, gain in enumerate(gains):
        scenario = drawn.scenario(drawn.points[0], replication)
        same = airfair.run(
            scenario,
            replications=6,
            laws={"station.slow": functools.partial(law(folder), gain=gain)},
            threads=1,
        )
        assert found[replication] == hashes(same)[replication]


def test_an_interrupted_sweep_with_a_law_continues_on_the_command_line(folder: Path) -> None:
    """Ctrl-C ends the command with status 130; the same command makes the runs that are missing."""
    study = folder / "long.study.toml"
    study.write_text(
        'scenario = "cell.toml"\nreplications = 1500\n'
        'laws = { "station.slow" = "studylaws:Narrow" }\n',
        encoding="utf-8",
    )
    archive = folder / "runs.sqlite"
    command = [*PROGRAM, "sweep", str(study), "--store", str(archive), "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as sweep:
        deadline = time.monotonic() + 60
        while runs_in(archive) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        sweep.send_signal(signal.SIGINT)
        out, err = sweep.communicate(timeout=60)
    assert sweep.returncode == cli.INTERRUPTED
    assert "airfair: interrupted; the same command continues from here" in err.splitlines()
    kept = runs_in(archive)
    assert 2 <= kept < 1_500
    assert json.loads(out)["interrupted"]
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    whole = json.loads(again.stdout)
    assert (whole["runs_found"], whole["runs"], whole["interrupted"]) == (kept, 1_500, False)


def test_a_wrong_law_of_a_study_is_an_error_with_its_file_and_key(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "law.study.toml"
    path.write_text(STUDY.replace("Narrow", "Narow"), encoding="utf-8")
    assert cli.main(["check", str(path)]) == cli.BAD_INPUT
    error = capsys.readouterr().err
    assert f"{path}: factors.scheme.narrow.laws.station.slow" in error
    assert "did you mean" in error


def test_a_saved_result_has_its_laws(folder: Path) -> None:
    result = airfair.run(CELL, laws={"station.slow": law(folder)})
    result.save(folder / "result")
    assert airfair.load_result(folder / "result").laws == result.laws


def test_an_interrupted_study_continues_where_it_stopped(folder: Path) -> None:
    """Ctrl-C comes after the first finished replications; the second run finds them in the archive."""
    laws = {"station.slow": law(folder)}
    experiment = airfair.Experiment(CELL, laws=laws, replications=8)

    def interrupt(fraction: float) -> None:
        if fraction > 0.3:
            os.kill(os.getpid(), signal.SIGINT)

    with Archive(folder / "runs.sqlite") as archive:
        with pytest.raises(airfair.Interrupted) as caught:
            experiment.run(store=archive, progress=interrupt, threads=2)
        kept = caught.value.result.spent.runs
        whole = experiment.run(store=archive, progress=False)
    assert 0 < kept < 8
    assert whole.spent.found == kept
    assert hashes(whole.finished.result(0)) == hashes(airfair.run(CELL, replications=8, laws=laws))


def test_dask_refuses_a_law_that_workers_cannot_import() -> None:
    pytest.importorskip("distributed")

    class Local(Law):
        pass

    experiment = airfair.Experiment(CELL, laws={"station.slow": Local}, replications=1)
    with pytest.raises(
        EngineError, match="allowed is a law of a module that all workers can import"
    ):
        experiment.run(store=None, engine="dask", threads=1, progress=False)


@pytest.mark.slow
def test_workers_of_dask_that_can_import_a_law_give_the_records_of_this_machine(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    monkeypatch.setenv("PYTHONPATH", path)
    experiment = airfair.Experiment(CELL, laws={"station.slow": law(folder)}, replications=2)
    here = experiment.run(store=None, progress=False).finished.result(0)
    there = experiment.run(store=None, progress=False, engine="dask", threads=1).finished.result(0)
    assert hashes(here) == hashes(there)


def test_an_undriven_run_keeps_its_key_in_the_archive() -> None:
    scenario = airfair.load(CELL)
    plain, none = Job(scenario, 0), Job(scenario, 0, ())
    assert plain.key == none.key
    assert plain.key != Job(scenario, 0, uses({"station.slow": Law})).key


def test_laws_of_a_study_act_in_the_runs_of_a_paper(folder: Path) -> None:
    (folder / "paper.toml").write_text('title = "A paper with a law"\n', encoding="utf-8")
    ended = airfair.reproduce(folder, replications=2, store=None, progress=False)
    document = ended.papers[0].document
    assert document is not None
    mbps = {
        point["scheme"]: point["mean"]
        for point in document["experiments"][0]["measured"]["points"]
        if point["measure"].startswith("goodput")
    }
    # Both levels have the same seeds, so that without the law their runs would be the same.
    assert mbps["narrow"] != mbps["nothing"]

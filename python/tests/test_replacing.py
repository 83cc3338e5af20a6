"""Tests of outputs: they replace no input of the command, and no foreign file unless forced."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

import airfair
from airfair import cli, marks, replacing, staging, store
from airfair.cli import main
from airfair.experiment import files, load_study
from airfair.reproduction.catalogue import load, papers
from airfair.reproduction.results import names as paper_names
from airfair.reproduction.runs import Choice
from airfair.result_files import names as result_names
from support import PROGRAM, SCENARIO

TRACED = (
    SCENARIO.replace(
        "[station.slow]", '[bss.home.radio]\nrange = { "1 Mb/s" = "99 m" }\n[station.slow]'
    )
    .replace('"1 Mb/s"\n\n', '"1 Mb/s"\nposition = ["1 m", "0 m"]\n\n')
    .replace('"11 Mb/s"\n\n', '"11 Mb/s"\nmobility = { model = "trace", file = "way.csv" }\n\n')
)
STUDY = """\
like = "base.toml"
replications = 2
[factors]
"station.slow.rate" = ["1 Mb/s", "2 Mb/s"]
"""
BASE = 'scenario = "c.toml"\nset = { duration = "200 ms", series = "off" }\n'
SHORT = ("--set", "duration=200 ms", "--set", "series=off")
WITH_SERIES = ("--set", "duration=200 ms", "--set", "series=100 ms")

Refused = Callable[..., list[str]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder in which commands run, with a scenario, a study and the study's scenario."""
    (tmp_path / "c.toml").write_text(SCENARIO, encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "base.toml").write_text(BASE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AIRFAIR_CACHE", "off")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def refused(here: Path, capsys: pytest.CaptureFixture[str]) -> Refused:
    """Function that asserts that a command exits with 2 and changes no file, and returns its errors."""

    def see(*arguments: object) -> list[str]:
        capsys.readouterr()  # discard earlier output
        before = contents(here)
        assert main([*map(str, arguments)]) == cli.BAD_INPUT
        said = capsys.readouterr()
        assert said.out == ""
        assert contents(here) == before
        lines = said.err.splitlines()
        assert all(line.startswith("airfair: --") for line in lines), lines
        return lines

    return see


# ------------------------------------------------------------------ inputs


@pytest.mark.parametrize("option", ["--pcap", "--timeline"])
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_trace_never_replaces_the_scenario(
    refused: Refused, option: str, force: list[str]
) -> None:
    (line,) = refused("run", "c.toml", *SHORT, option, "c.toml", *force)
    assert line == (
        f"airfair: {option} c.toml: would replace c.toml, which the command reads; name another place"
    )


def test_links_to_the_scenario_are_the_scenario(here: Path, refused: Refused) -> None:
    (here / "soft.toml").symlink_to("c.toml")
    os.link(here / "c.toml", here / "hard.toml")
    (here / "folder").symlink_to(".")
    for name in ("soft.toml", "hard.toml", "folder/c.toml", "./folder/./c.toml"):
        assert "which the command reads" in refused("run", "c.toml", "--pcap", name, "--force")[0]
        assert "which the command reads" in refused("run", name, "--pcap", "c.toml", "--force")[0]


def test_the_scenario_that_a_stream_comes_from_is_not_replaced(
    here: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (here / "c.toml").open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert "which the command reads" in refused("run", "-", "--pcap", "c.toml", "--force")[0]


def test_a_trace_of_the_scenario_is_not_replaced(here: Path, refused: Refused) -> None:
    (here / "c.toml").write_text(TRACED, encoding="utf-8")
    (here / "way.csv").write_text("time_s,x_m,y_m\n0,1,1\n", encoding="utf-8")
    assert main(["check", "c.toml"]) == 0
    lines = refused("run", "c.toml", "--pcap", "way.csv", "--force")
    assert "would replace way.csv, which the command reads" in lines[0]


def test_a_directory_never_takes_the_scenario(here: Path, refused: Refused) -> None:
    (here / "c.toml").rename(here / "scenario.toml")
    for force in ([], ["--force"]):
        (line,) = refused("run", "scenario.toml", *SHORT, "--out", ".", *force)
        assert line.startswith("airfair: --out .: would replace scenario.toml, which the command")


def test_results_are_not_replaced_by_a_run_of_their_own_scenario(refused: Refused) -> None:
    assert main(["run", "c.toml", *SHORT, "--out", "out"]) == 0
    assert main(["run", "c.toml", *SHORT, "--out", "out"]) == 0
    lines = refused("run", "out/scenario.toml", "--out", "out")
    assert "would replace out/scenario.toml, which the command reads" in "".join(lines)


@pytest.mark.parametrize("name", ["study.toml", "base.toml", "c.toml"])
def test_a_sweep_replaces_neither_study_nor_base_nor_scenario(
    here: Path, refused: Refused, name: str
) -> None:
    (here / "out").mkdir()
    os.link(here / name, here / "out" / "study.toml")
    (line,) = refused("sweep", "study.toml", "--out", "out", "--no-store", "--force")
    assert "would replace out/study.toml, which the command reads" in line


def test_a_store_is_no_file_that_the_sweep_reads(here: Path, refused: Refused) -> None:
    (here / "base.toml").write_text("", encoding="utf-8")
    (here / "study.toml").write_text(BASE + STUDY, encoding="utf-8")
    (line,) = refused("sweep", "study.toml", "--store", "base.toml")
    assert line == "airfair: --store base.toml: the command reads this file; name another one"


def test_a_paper_does_not_go_into_its_own_directory(refused: Refused) -> None:
    assert main(["init", "paper", "own"]) == 0
    lines = refused("reproduce", "own", "--out", "own", "--force")
    assert any("would replace own/cell.toml, which the command reads" in line for line in lines)


# ------------------------------------------------------------------ foreign files


FOREIGN = [
    ["run", "c.toml", *SHORT, "--pcap", "notes.txt"],
    ["run", "c.toml", *SHORT, "--timeline", "notes.txt"],
    ["timeline", "c.toml", "--until", "5 ms", "--out", "notes.svg"],
    ["timeline", "c.toml", "--until", "5 ms", "--out", "notes.pdf"],
    ["validate", "--kernel", "--keep", "notes.txt"],
]


@pytest.mark.parametrize("command", FOREIGN, ids=lambda command: " ".join(command[-2:]))
def test_a_file_of_others_is_not_replaced(
    here: Path, refused: Refused, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("airfair.validation.kernel.check_permission", lambda: None)
    (here / command[-1]).write_text('{"mine": 1}', encoding="utf-8")
    (line,) = refused(*command)
    option, name = command[-2:]
    assert line == (
        f"airfair: {option} {name}: would replace {name}, a file that airfair did not write; "
        "name another place, or replace the file with --force (in Python force=True)"
    )


@pytest.mark.parametrize("command", FOREIGN[:4], ids=lambda command: " ".join(command[-2:]))
def test_force_replaces_it_and_then_the_same_command_needs_none(
    here: Path, command: list[str]
) -> None:
    (here / command[-1]).write_text("mine", encoding="utf-8")
    assert main([*command, "--force"]) == 0
    assert marks.is_marked(here / command[-1])
    assert main(command) == 0


def test_a_picture_and_a_trace_are_replaced_by_the_same_command(here: Path) -> None:
    for _ in range(2):
        assert main(["timeline", "c.toml", "--until", "5 ms", "--out", "picture.png"]) == 0
        assert main(["run", "c.toml", *SHORT, "--pcap", "a.pcapng", "--timeline", "a.json"]) == 0
    assert all(marks.is_marked(here / name) for name in ("picture.png", "a.pcapng", "a.json"))


def test_an_empty_file_and_what_is_no_file_take_what_is_written(here: Path) -> None:
    (here / "empty").touch()
    for name in ("empty", os.devnull):
        assert main(["run", "c.toml", *SHORT, "--pcap", name]) == 0


@pytest.mark.parametrize("name", ["flows.parquet", "run.json", "report.html", "airtime.svg"])
def test_a_directory_with_a_file_of_others_is_refused_before_anything_runs(
    here: Path, refused: Refused, name: str
) -> None:
    (here / "out").mkdir()
    (here / "out" / name).write_text("mine", encoding="utf-8")
    (line,) = refused("run", "c.toml", "--set", "duration=100000 s", "--out", "out")
    assert f"--out out: would replace out/{name}, a file that airfair did not write" in line


def test_force_replaces_files_of_the_same_names_and_leaves_others(here: Path) -> None:
    (here / "out").mkdir()
    for name in ("flows.parquet", "run.json", "report.html", "notes.txt"):
        (here / "out" / name).write_text("mine", encoding="utf-8")
    assert main(["run", "c.toml", *SHORT, "--out", "out", "--force"]) == 0
    assert (here / "out" / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert main(["run", "c.toml", *SHORT, "--out", "out"]) == 0


def test_all_files_in_the_way_are_told_at_once(here: Path, refused: Refused) -> None:
    for name in ("flows.parquet", "result.json", "a.pcapng"):
        (here / name).write_text("mine", encoding="utf-8")
    assert len(refused("run", "c.toml", "--out", ".", "--pcap", "a.pcapng")) == 3


def test_what_was_changed_by_hand_is_not_replaced(here: Path, refused: Refused) -> None:
    assert main(["run", "c.toml", *SHORT, "--out", "out"]) == 0
    with (here / "out" / "scenario.toml").open("a", encoding="utf-8") as file:
        file.write("# mine\n")
    (line,) = refused("run", "c.toml", *SHORT, "--out", "out")
    assert "a file that airfair did not write, or that was changed since; name another" in line


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["sweep", "study.toml", "--no-store"], "points.parquet"),
        (["sweep", "study.toml", "--no-store"], "study.toml"),
        (["limits", "tfrc"], "tfrc/map.svg"),
        (["limits", "tfrc"], "tfrc/worst-delay-with.toml"),
        (["reproduce", "arf-window"], "fig4.svg"),
        (["reproduce", "arf-window"], "arf-window.json"),
        (["reproduce"], "index.html"),
        (["reproduce"], "arf-window/report.html"),
        (["emulate", "c.toml"], "result.json"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_every_command_that_writes_a_directory_looks_first(
    here: Path, refused: Refused, command: list[str], name: str
) -> None:
    path = here / "out" / name
    path.parent.mkdir(parents=True)
    path.write_text("mine", encoding="utf-8")
    (line,) = refused(*command, "--out", "out")
    assert f"would replace {Path('out') / name}, a file that airfair did not write" in line


def test_an_init_replaces_nothing(here: Path) -> None:
    before = contents(here)
    assert main(["init", "scenario", "c.toml"]) == cli.BAD_INPUT
    assert contents(here) == before


def test_two_outputs_are_two_files(here: Path, refused: Refused) -> None:
    assert main(["run", "c.toml", *SHORT, "--pcap", "a"]) == 0
    os.link(here / "a", here / "b")
    for other in ("./a", "b"):
        assert refused("run", "c.toml", "--pcap", "a", "--timeline", other) == [
            f"airfair: --timeline {Path(other)}: this is also the file of --pcap; name another file"
        ]
    assert refused("run", "c.toml", "--out", "out", "--pcap", "out/flows.parquet") == [
        "airfair: --pcap out/flows.parquet: this is also a file of --out; name another file"
    ]


# ------------------------------------------------------------------ Python


def test_a_result_is_not_saved_over_files_of_others(tmp_path: Path) -> None:
    result = airfair.run(SCENARIO, set={"duration": "200 ms"}, series="off")
    (tmp_path / "scenario.toml").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match=r"scenario\.toml, a file that airfair did not"):
        result.save(tmp_path)
    assert [*tmp_path.iterdir()] == [tmp_path / "scenario.toml"]
    result.save(tmp_path, force=True)
    result.save(tmp_path)
    airfair.load_result(tmp_path).save(tmp_path)


def test_an_experiment_is_not_saved_over_files_of_others(tmp_path: Path) -> None:
    short = airfair.Experiment(SCENARIO, set={"duration": "200 ms"}, replications=2)
    results = short.run(store=None, progress=False)
    (tmp_path / "runs.parquet").write_text("mine", encoding="utf-8")
    with pytest.raises(replacing.NotReplacedError, match=r"runs\.parquet"):
        results.save(tmp_path)
    results.save(tmp_path, force=True)
    results.save(tmp_path)


# ------------------------------------------------------------------ marks, names


def test_every_format_bears_the_mark(here: Path) -> None:
    assert main(["run", "c.toml", *WITH_SERIES, "--out", "out"]) == 0
    marked = {".json", ".parquet", ".png", ".svg"}
    written = [*(here / "out").iterdir()]
    for path in written:
        assert marks.is_marked(path) == (path.suffix in marked), path.name
    assert not_among(result_names(), written) == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PAR1",
        b"\x89PNG\r\n\x1a\n",
        b"%PDF-1.4 airfair",
        b"\x0a\x0d\x0d\x0a",
        b"\x0a\x0d\x0d\x0a" + bytes(60) + b"airfair",
        b"<svg>airfair</svg>",
        b'{"program": "airfairness"}',
        b'{"dependencies": {"airfair": "0.1.0"}}',
        b"# airfair\n",
        bytes(70_000) + b'{"program": "airfair"}',
    ],
)
def test_nothing_else_bears_it(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    assert not marks.is_marked(tmp_path / "file")


def not_among(names: Iterable[str], written: Iterable[Path]) -> list[str]:
    """Names of files that no pattern matches."""
    return [path.name for path in written if not any(fnmatchcase(path.name, one) for one in names)]


def test_a_sweep_looks_for_the_names_that_it_writes(here: Path) -> None:
    assert main(["sweep", "study.toml", "--out", "out", "--no-store"]) == 0
    assert not_among(files.names(load_study("study.toml")), (here / "out").iterdir()) == []


def test_a_paper_knows_the_names_of_its_figures() -> None:
    for id_ in papers():
        paper = load(id_)
        choice = Choice(paper, tuple(paper.experiments.values()), 2, Path(), quick=False)
        assert paper.introduction is not None
        assert f"{paper.introduction.lead[0]}.svg" in paper_names(choice)


def test_a_document_says_who_has_written_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(here / "c.toml"), *SHORT, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [*document][:3] == ["document", "schema", "program"]
    assert document["program"] == "airfair"


# ------------------------------------------------------------------ leftovers of killed processes

KILLED = """\
import os, signal, sys
from pathlib import Path
from airfair import store
moved = 0
real = Path.replace
def replace(self, target):
    global moved
    if moved == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    moved += 1
    return real(self, target)
Path.replace = replace
store.write_all(Path(sys.argv[1]), {"a": b"1", "b": b"1"}, keep=())
"""


@pytest.mark.parametrize("moved", [0, 1, 2])
def test_what_a_killed_process_has_left_goes_with_the_next_run(tmp_path: Path, moved: int) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path, str(moved)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len([*tmp_path.glob(f"{staging.PREFIX}*")]) == 1
    # Files that the process has moved are recognised as airfair's, although no manifest lists them.
    store.prepare(tmp_path)
    store.write_all(tmp_path, {"a": b"2"})
    assert {path.name for path in tmp_path.iterdir()} == {"a", "run.json"}


def test_what_is_left_before_a_file_was_moved_goes_as_soon_as_a_run_begins(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, tmp_path, "0"], check=False)
    (left,) = tmp_path.iterdir()
    (left / "run.json").unlink()  # as if killed a little earlier
    store.prepare(tmp_path)
    assert [*tmp_path.iterdir()] == []


def test_what_a_living_process_writes_stays(tmp_path: Path) -> None:
    with staging.staged(tmp_path) as stage:
        (stage.path / "file").write_bytes(b"1")
        store.prepare(tmp_path)
        store.write_all(tmp_path, {"a": b"2"})
        assert (stage.path / "file").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"a", "run.json"}


@pytest.mark.slow
def test_kills_at_any_moment_leave_nothing_that_the_next_run_does_not_remove(
    tmp_path: Path,
) -> None:
    scenario, out = tmp_path / "c.toml", tmp_path / "out"
    scenario.write_text(SCENARIO, encoding="utf-8")
    command = [*PROGRAM, "run", str(scenario), *SHORT, "--out", str(out)]
    begun = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    lasts = time.monotonic() - begun
    shutil.rmtree(out)
    for number in range(5):
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        ) as process:
            time.sleep(lasts * (0.6 + 0.08 * number))
            process.kill()
            assert process.stderr is not None
            said = process.stderr.read().decode()
        assert "would replace" not in said, said
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [*out.glob(".*")] == []
    assert set(store.manifest(out)["files"]) == {path.name for path in out.iterdir()} - {"run.json"}

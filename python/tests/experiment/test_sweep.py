"""Tests of `airfair sweep`: exit statuses, JSON documents, directories of results, and stores of runs."""

# ruff: noqa: ANN401 - JSON

from __future__ import annotations

import errno
import hashlib
import io
import json
import re
import subprocess
import unicodedata
from pathlib import Path
from typing import Any

import pytest

import airfair
from airfair import cli, json_documents
from airfair.archive import Archive, ArchiveError
from small_experiments import CELL
from support import PROGRAM, Program

STUDY = """
scenario = "cell.toml"
replications = 2
[factors]
"station.slow.rate" = ["1 Mb/s", "2 Mb/s"]
scheme = { plain = {}, short = { "station.*.queue.packets" = 5 } }
[compare.scheme]
baseline = "plain"
[claims.much]
text = "There is much."
measure = "goodput"
below = 1e9
"""

DOCS = Path(__file__).resolve().parents[3] / "docs/json.md"


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a temporary file the user's store."""
    path = tmp_path / "store.sqlite"
    monkeypatch.setenv("AIRFAIR_CACHE", str(path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return path


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return write(tmp_path, STUDY)


def write(folder: Path, text: str) -> Path:
    (folder / "cell.toml").write_text(CELL, encoding="utf-8")
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def full_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the store fail to save runs, as on a full disk."""

    def refuse(*_: object) -> None:
        raise ArchiveError(errno.ENOSPC, "store.sqlite: the disk is full")

    monkeypatch.setattr(Archive, "add", refuse)


class Output:
    """Output and exit status of a command."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *arguments: object) -> None:
        self.status = cli.main(["sweep", *map(str, arguments)])
        self.out, self.err = capsys.readouterr()


def document(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    made = Output(capsys, *arguments, "--json")
    assert made.status == cli.DONE, made.err
    return json.loads(made.out)


def test_tables_comparisons_and_verdicts_are_printed_in_80_columns(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Output(capsys, study)
    assert made.status == cli.DONE
    assert "4 points, 2 replications, seed 1; 8 runs" in " ".join(made.out.split())
    assert "1 of 1 claim holds" in made.out
    assert all(len(line) <= 80 for line in made.out.splitlines())
    assert made.err == ""


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (["--replications", "0"], "replications: 0; allowed is 1 or more"),
        (["--replications", "-3"], "replications: -3; allowed is 1 or more"),
        (["--engine", "nonsense"], '--engine "nonsense": unknown; allowed local, dask'),
        (["--engine", "dask:"], '--engine "dask:": unknown'),
        (["--threads", "0"], "--threads 0: allowed is a whole number from 1 to"),
        (["--out", "cell.toml"], "--out cell.toml: "),
        (["--out", "cell.toml/x"], "--out cell.toml/x: "),
    ],
)
def test_an_option_that_cannot_be_is_bad_input(
    study: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], wrong: str
) -> None:
    made = Output(capsys, study, *arguments)
    assert (made.status, made.out) == (cli.BAD_INPUT, "")
    assert wrong in made.err
    assert "Traceback" not in made.err


def test_replications_of_the_command_count_instead_of_the_studys(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert document(capsys, study, "--replications", 3)["runs"] == 12


def test_mistakes_are_told_a_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, 'replication = 1\nmeasures = ["godput"]\n')
    made = Output(capsys, path)
    assert made.status == cli.BAD_INPUT
    assert made.err.splitlines() == [
        (
            f"airfair: {path}: scenario: missing; allowed is a path, "
            'for example scenario = "cell.toml", or a table'
        ),
        f"airfair: {path}: measure 'godput': unknown column godput, did you mean \"goodput\"?",
        f'airfair: {path}: replication: unknown key, did you mean "replications"?',
    ]
    assert Output(capsys, tmp_path / "none.toml").status == cli.BAD_INPUT
    assert Output(capsys, tmp_path).status == cli.BAD_INPUT


def test_a_scenario_that_is_wrong_at_one_point_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Output(capsys, write(tmp_path, STUDY.replace('"2 Mb/s"', '"3 Mb/s"')))
    assert made.status == cli.BAD_INPUT
    assert "at station.slow.rate 3 Mb/s, scheme plain: station.slow.rate" in made.err


def test_the_document_says_what_it_is_and_holds_all_of_it(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = document(capsys, study, "--no-store")
    assert (made["document"], made["schema"]) == ("experiment", 1)
    assert made["factors"] == ["station.slow.rate", "scheme"]
    assert (made["runs"], made["runs_found"], made["interrupted"]) == (8, 0, False)
    assert [point["levels"] for point in made["points"]][1] == {
        "station.slow.rate": "1 Mb/s",
        "scheme": "short",
    }
    (measure,) = made["points"][0]["measures"].items()
    flows = made["points"][0]["flows"]
    assert measure[1]["mean"] == pytest.approx(sum(flow["goodput_bps"] for flow in flows))
    assert [row["scheme"] for row in made["comparisons"][0]["rows"]] == ["short", "short"]
    assert made["claims"][0]["points"] == {"hold": 4, "testable": 4, "all": 4}


def test_each_key_of_the_document_stands_in_the_docs(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert json_documents.VERSIONS["experiment"] == 1
    (row,) = re.findall(r"^\| `experiment` .*$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    made = document(capsys, study)
    keys = [*made, *made["points"][0], *made["comparisons"][0], *made["claims"][0]]
    run = airfair.run(CELL).to_json()
    assert [key for key in keys if f"`{key}`" not in row and key not in {*run}] == []


def test_a_second_call_takes_all_runs_from_the_store_unless_there_is_none(
    study: Path, own_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert document(capsys, study, "--no-store")["runs_found"] == 0
    assert not own_store.exists()
    assert document(capsys, study)["runs_found"] == 0
    assert document(capsys, study)["runs_found"] == 8
    named = own_store.with_name("named.sqlite")
    assert document(capsys, study, "--store", named)["runs_found"] == 0
    assert document(capsys, study, "--store", named, "--replications", 3)["runs_found"] == 8


def test_a_store_that_is_none_fails_and_is_left_as_it_is(
    study: Path, own_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_store.write_text("something else, and more of it than a header takes" * 9)
    made = Output(capsys, study)
    assert made.status == cli.FAILED
    assert "not an archive of finished runs" in made.err
    assert own_store.read_text().startswith("something else")


def test_a_directory_has_files_as_its_manifest_lists_them_and_loads_again(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a" / "out"
    made = document(capsys, study, "--out", out)
    about = json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert about["kind"] == "experiment"
    assert set(about["files"]) == {path.name for path in out.iterdir()} - {"run.json"}
    for name, known in about["files"].items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == known
    assert json.loads((out / "experiment.json").read_text(encoding="utf-8")) == made
    assert (out / "study.toml").read_text(encoding="utf-8") == STUDY
    loaded = airfair.load_experiment(out)
    run = airfair.load_study(study).experiment.run(progress=False)
    assert loaded.flows.equals(run.flows)
    assert loaded.claims == run.claims


def test_a_directory_that_is_written_again_has_no_file_of_before(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    document(capsys, study, "--out", out)
    (out / "mine.txt").write_text("mine", encoding="utf-8")
    before = {path.name for path in out.iterdir()}
    assert "goodput.svg" in before
    study.write_text(
        STUDY + '[figures.other]\nx = "station.slow.rate"\nby = "scheme"\n', encoding="utf-8"
    )
    document(capsys, study, "--out", out)
    after = {path.name for path in out.iterdir()}
    assert before - after == {"goodput.svg", "goodput.png"}
    assert after - before == {"other.svg", "other.png"}


def test_a_directory_that_was_made_for_nothing_goes_away(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, STUDY.replace('"2 Mb/s"', '"3 Mb/s"'))
    assert Output(capsys, path, "--out", tmp_path / "a" / "b").status == cli.BAD_INPUT
    assert not (tmp_path / "a").exists()


HOSTILE = "\\u001b[31m\\u202e<script>alert(1)</script>\\u0007"


def test_what_others_wrote_reaches_neither_terminal_nor_page_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(
        tmp_path,
        f"""
        title = "{HOSTILE}"
        scenario = "cell.toml"
        replications = 2
        [factors."x{HOSTILE}"]
        "{HOSTILE}" = {{}}
        b = {{ "station.slow.rate" = "2 Mb/s" }}
        [compare."x{HOSTILE}"]
        baseline = "{HOSTILE}"
        [claims."{HOSTILE}"]
        text = "{HOSTILE}"
        measure = "goodput[*,{HOSTILE}]"
        above = 1
        [figures.one]
        title = "{HOSTILE}"
        caption = "{HOSTILE}"
        """,
    )
    out = tmp_path / "out"
    made = Output(capsys, path, "--out", out)
    assert made.status == cli.DONE, made.err
    page = (out / "report.html").read_text(encoding="utf-8")
    for text in (made.out, made.err, page):
        wild = {c for c in text if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"}
        assert wild == set()
    assert "<script>alert" not in page
    assert "alert(1)" in page


def test_names_of_points_and_claims_reach_the_terminal_when_something_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Output(capsys, write(tmp_path, f'scenario = "cell.toml"\n[factors."{HOSTILE}"]\n'))
    assert made.status == cli.BAD_INPUT
    assert {c for c in made.err if unicodedata.category(c) in ("Cc", "Cf")} == {"\n"}


def test_ctrl_c_says_how_to_go_on(
    study: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from airfair.archive import Local

    whole = Local.run

    def some(self: Local, jobs: Any, on_done: Any, progress: Any) -> bool:
        return whole(self, jobs[:5], on_done, progress) or len(jobs) > 5

    monkeypatch.setattr(Local, "run", some)
    made = Output(capsys, study, "--out", tmp_path / "out")
    assert made.status == cli.INTERRUPTED
    assert "5 runs; interrupted" in made.out
    assert "the same command continues from here" in made.err
    assert airfair.load_experiment(tmp_path / "out").interrupted
    monkeypatch.setattr(Local, "run", whole)
    assert document(capsys, study, "--out", tmp_path / "out")["runs_found"] == 5
    assert not airfair.load_experiment(tmp_path / "out").interrupted


def test_nobody_needs_to_read_to_the_end(study: Path, program: Program) -> None:
    process = subprocess.Popen(
        [*PROGRAM, "sweep", str(study), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with io.TextIOWrapper(process.stderr) as told:
        assert told.read() == ""
    assert process.wait(60) == cli.DONE
    assert program("sweep", "--help").returncode == cli.DONE


@pytest.mark.usefixtures("full_store")
def test_a_full_store_costs_no_result_and_is_told_last(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Output(capsys, study, "--out", "out")
    assert made.status == cli.FAILED
    assert "goodput" in made.out
    assert (tmp_path / "out" / "report.html").is_file()
    last = made.err.splitlines()[-1]
    assert last.startswith("airfair: some finished runs could not be kept")
    assert last.endswith("store.sqlite: the disk is full")

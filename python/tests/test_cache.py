"""Tests of `airfair cache`, which shows and removes the runs of the user's archive."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from airfair.archive import Archive, Job, build, run
from airfair.cli import InputError
from airfair.cli.grammar import parser
from airfair.scenario import load
from support import SCENARIO

Command = Callable[..., str]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Call `airfair cache` and return what it prints."""
    top = parser()

    def call(*arguments: object) -> str:
        parsed = top.parse_args(["cache", *map(str, arguments)])
        assert parsed.action(parsed) == 0
        return capsys.readouterr().out

    return call


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Archive of the user with 40 runs of this build, and then 5 of another one."""
    path = tmp_path / "runs.sqlite"
    monkeypatch.setenv("AIRFAIR_CACHE", str(path))
    scenario = load(SCENARIO, set={"duration": "100 ms", "series": "off"})
    jobs = [Job(scenario, replication) for replication in range(40)]
    with Archive(path) as archive:
        run(jobs, archive)
        with monkeypatch.context() as other:
            other.setattr("airfair.archive.job.build", lambda: b"another")
            run(jobs[:5], archive)
    return path


def runs(path: Path) -> list[int]:
    with Archive(path) as archive:
        return [each.runs for each in archive.kept()]


def test_the_list_has_a_line_for_each_build_in_80_columns(kept: Path, command: Command) -> None:
    first, _, _, this, other = command().splitlines()
    assert first.startswith(f"{kept}: 45 runs, 0.")
    assert this.split()[:3] == [build().hex()[:12], "0.1.0", "40"]
    assert this.endswith("this build")
    assert other.split()[0] == b"another".hex()[:12]
    assert max(map(len, (this, other))) <= 80


def test_the_list_as_json(kept: Path, command: Command) -> None:
    document = json.loads(command("list", "--json"))
    assert document["path"] == str(kept)
    assert [(each["this_build"], each["runs"]) for each in document["builds"]] == [
        (True, 40),
        (False, 5),
    ]


def test_an_archive_that_is_not_there_is_empty_and_not_made(
    tmp_path: Path, command: Command
) -> None:
    none = tmp_path / "none"
    assert command("list", "--archive", none) == f"{none}: 0 runs\n"
    assert command("prune", "--all", "--archive", none) == f"{none}: 0 runs removed\n"
    assert not none.exists()


def test_the_path_is_that_of_the_user(kept: Path, command: Command) -> None:
    assert command("path") == f"{kept}\n"


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (["--other-builds"], [40]),
        (["--all"], []),
        (["--older-than", "1"], [40, 5]),
        (["--older-than", "1", "--other-builds"], [40]),
        (["--damaged"], [39, 5]),
        (["--down-to", "1 GB"], [40, 5]),
        (["--down-to", "0 B"], []),
    ],
)
def test_pruning_removes_what_was_named(
    kept: Path, command: Command, options: list[str], left: list[int]
) -> None:
    with closing(sqlite3.connect(kept)) as base, base:
        base.execute("UPDATE runs SET checksum = 1 WHERE id = 7")
    removed = json.loads(command("prune", *options, "--json"))["removed"]
    assert runs(kept) == left
    assert removed == 45 - sum(left)


def test_pruning_to_a_size_keeps_the_latest_and_gives_room_back(
    tmp_path: Path, command: Command
) -> None:
    path = tmp_path / "many"
    scenario = load(SCENARIO, set={"duration": "20 ms", "series": "off"})
    jobs = [Job(scenario, replication) for replication in range(1000)]
    with Archive(path) as archive:
        run(jobs[:600], archive)
        run(jobs[600:], archive)
    size = path.stat().st_size
    printed = command("prune", "--down-to", f"{size // 2} B", "--archive", path)
    assert size // 4 < path.stat().st_size <= size // 2
    assert "runs removed" in printed
    with Archive(path) as archive:
        assert len(archive.find([job.key for job in jobs[600:]])) >= 300
        assert run(jobs, archive).outcomes.missing == 0


def test_old_runs_go(kept: Path, command: Command) -> None:
    with closing(sqlite3.connect(kept)) as base, base:
        base.execute("UPDATE runs SET made = made - 3 * 86400 WHERE id <= 10")
    command("prune", "--older-than", "2.5")
    assert runs(kept) == [30, 5]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ([], "no option chooses runs"),
        (["--older-than", "-1"], "--older-than -1: allowed is a number of days, 0 or more"),
        (["--older-than", "nan"], "allowed is a number of days, 0 or more"),
        (["--down-to", "small"], '--down-to "small": '),
    ],
)
@pytest.mark.usefixtures("kept")
def test_a_wrong_wish_is_told(command: Command, options: list[str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        command("prune", *options)


def test_where_no_runs_are_kept_there_is_nothing_to_show(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFAIR_CACHE", "off")
    with pytest.raises(InputError, match="AIRFAIR_CACHE is off"):
        command()

"""Tests of the archive of finished runs: runs found by their inputs, damaged files, and full disks."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from airfair import _core
from airfair.archive import (
    Archive,
    ArchiveError,
    DamagedArchiveError,
    Done,
    ForeignArchiveError,
    Job,
    default_path,
    run,
    running,
)
from airfair.archive.engines import Local, OnDone, Progress
from airfair.archive.packed import unpack
from airfair.scenario import load
from support import SCENARIO


def jobs(count: int = 3, **keys: str | int) -> list[Job]:
    scenario = load(SCENARIO, set={"duration": "1 s", **keys})
    return [Job(scenario, replication) for replication in range(count)]


def hashes(done: Done) -> list[int | None]:
    return [outcome and outcome.record_hash for outcome in done.outcomes]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Number of runs in each call of the simulator."""
    seen: list[int] = []
    simulate = _core.stream

    def counted(work: Sequence[object], *rest: object, **options: object) -> object:
        seen.append(len(work))
        return simulate(work, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(_core, "stream", counted)
    return seen


def test_what_was_run_is_not_run_again(tmp_path: Path, asked: list[int]) -> None:
    with Archive(tmp_path / "runs") as kept:
        first = run(jobs(), kept)
    with Archive(tmp_path / "runs") as kept:
        again = run(jobs(4), kept)
        run(jobs(4), kept)
    assert asked == [3, 1]
    assert (first.found, again.found) == (0, 3)
    assert hashes(again)[:3] == hashes(first)


def test_an_archived_outcome_is_the_outcome(tmp_path: Path) -> None:
    (job,) = jobs(1, series="100 ms")
    (plain,) = _core.run([(job.scenario, job.scenario.seed, 0)]).outcomes
    with Archive(tmp_path / "runs") as kept:
        (outcome,) = run([job], kept).outcomes
        (found,) = map(unpack, kept.find([job.key]).values())
    assert plain is not None
    assert outcome is not None
    assert outcome.to_bytes() == found.to_bytes() == plain.to_bytes(histograms=False)


def test_a_title_does_not_make_another_run_and_a_rate_does() -> None:
    (plain,) = jobs(1)
    assert jobs(1, title="Another")[0].key == plain.key
    assert jobs(1, replications=7)[0].key == plain.key
    assert jobs(1, **{"station.slow.rate": "2 Mb/s"})[0].key != plain.key
    assert jobs(1, seed=2)[0].key != plain.key
    assert jobs(2)[1].key != plain.key


def test_equal_jobs_run_once(asked: list[int]) -> None:
    done = run([*jobs(1), *jobs(1, title="Again")])
    assert asked == [1]
    assert done.found == 1
    assert len(set(hashes(done))) == 1


def test_jobs_may_be_made_when_they_are_asked_for() -> None:
    class Drawn(Sequence[Job]):
        def __len__(self) -> int:
            return 5

        def __getitem__(self, place: int) -> Job:  # type: ignore[override]
            if place >= len(self):
                raise IndexError
            return jobs(place + 1, **{"station.slow.rate": f"{(1, 2)[place % 2]} Mb/s"})[place]

    assert hashes(run(Drawn())) == hashes(run(list(Drawn())))


def test_builds_lie_side_by_side_and_never_answer_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Archive(tmp_path / "runs") as kept:
        run(jobs(), kept)
        with monkeypatch.context() as other:
            other.setattr("airfair.archive.job.build", lambda: b"another")
            assert kept.find([job.key for job in jobs()]) == {}
            assert run(jobs(2), kept).found == 0
        assert run(jobs(), kept).found == 3
        assert [each.runs for each in kept.kept()] == [3, 2]


def test_fresh_forgets_what_this_build_has_made_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Archive(tmp_path / "runs") as kept:
        run(jobs(), kept)
        with monkeypatch.context() as other:
            other.setattr("airfair.archive.job.build", lambda: b"another")
            run(jobs(2), kept)
    with Archive(tmp_path / "runs", fresh=True) as kept:
        assert kept.find([job.key for job in jobs()]) == {}
        assert [each.runs for each in kept.kept()] == [2]


def test_what_was_finished_before_an_error_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate = _core.stream

    def breaks(work: Sequence[object], *rest: object, **options: object) -> object:
        simulate(work[:2], *rest, **options)  # type: ignore[arg-type]
        raise _core.RunError("this is a bug")

    monkeypatch.setattr(_core, "stream", breaks)
    with Archive(tmp_path / "runs") as kept:
        with pytest.raises(_core.RunError):
            run(jobs(), kept)
        assert len(kept.find([job.key for job in jobs()])) == 2


def test_ctrl_c_keeps_what_was_finished(tmp_path: Path) -> None:
    def stop(_: float) -> None:
        raise KeyboardInterrupt

    many = jobs(1) + jobs(3, duration="10 h", series="off")
    with Archive(tmp_path / "runs") as kept:
        done = run(many, kept, threads=2, progress=stop)
        assert done.interrupted
        assert len(kept.find([job.key for job in many])) == 4 - done.outcomes.missing


def test_finished_runs_are_saved_while_others_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "SAVE_S", 0.0)
    short, long = jobs(1)[0], jobs(1, duration="10 h", series="off")[0]
    with Archive(tmp_path / "runs") as kept, Archive(tmp_path / "runs") as other:
        seen = []

        def look(_: float) -> None:
            seen.append(len(other.find([short.key])))
            if any(seen):
                raise KeyboardInterrupt

        run([short, long], kept, threads=2, progress=look)
    assert seen[-1] == 1


def test_progress_is_of_what_is_left_to_run(tmp_path: Path) -> None:
    told: list[float] = []
    with Archive(tmp_path / "runs") as kept:
        run(jobs(2), kept)
        run(jobs(2), kept, progress=told.append)
    assert told == []


def test_a_file_that_is_no_archive_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "runs"
    path.write_text("a diary, and not a short one: " * 100)
    with pytest.raises(
        ForeignArchiveError, match=r"runs: not an archive of finished runs; name another"
    ):
        Archive(path)
    assert path.read_text().startswith("a diary")


def test_a_database_of_others_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "runs"
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE runs (marathon TEXT)")
    before = path.read_bytes()
    with pytest.raises(ForeignArchiveError, match=r"runs: this database is not an archive"):
        Archive(path)
    assert path.read_bytes() == before


def test_an_archive_with_other_tables_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "runs"
    with Archive(path) as kept:
        run(jobs(1), kept)
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("PRAGMA user_version = 99")
    with pytest.raises(ForeignArchiveError, match=r"with schema 99; allowed is schema 2"):
        Archive(path)


@pytest.mark.parametrize(
    "change",
    [
        "outcome = x'00ff'",
        "outcome = 'text'",
        "checksum = 0",
        "outcome = (SELECT outcome FROM runs ORDER BY id DESC)",
    ],
)
def test_a_damaged_run_is_told_and_gives_no_table(tmp_path: Path, change: str) -> None:
    path = tmp_path / "runs"
    with Archive(path) as kept:
        run(jobs(2), kept)
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(f"UPDATE runs SET {change} WHERE id = 1")  # noqa: S608 - the test's own SQL
    with Archive(path) as kept, pytest.raises(DamagedArchiveError, match=r"prune --damaged"):
        run(jobs(2), kept)


def test_half_a_file_is_told_and_gives_no_table(tmp_path: Path) -> None:
    path = tmp_path / "runs"
    with Archive(path) as kept:
        whole = hashes(run(jobs(200, duration="100 ms"), kept))
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(DamagedArchiveError, match=r"runs: damaged"), Archive(path) as kept:
        assert hashes(run(jobs(200, duration="100 ms"), kept)) == whole


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Limit the archive's file to the size of a few runs."""
    connect = sqlite3.connect

    def small(*arguments: object, **options: object) -> sqlite3.Connection:
        base = connect(*arguments, **options)  # type: ignore[call-overload]
        base.execute("PRAGMA max_page_count = 6")
        return base  # type: ignore[no-any-return]

    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", small)
        yield


@pytest.mark.usefixtures("full")
def test_a_full_disk_is_told_and_costs_nothing_that_was_saved(tmp_path: Path) -> None:
    with Archive(tmp_path / "runs") as kept:
        saved = hashes(run(jobs(2), kept))
        done = run(jobs(200), kept)
        assert isinstance(done.unsaved, ArchiveError)
        assert "runs: the disk is full" in str(done.unsaved)
        assert done.unsaved.errno == errno.ENOSPC
        # The results of the runs that were not saved are returned all the same.
        assert not done.interrupted
        assert hashes(done)[:2] == saved
        again = run(jobs(2), kept)
    assert (again.found, hashes(again)) == (2, saved)


def test_the_archive_of_a_user_is_where_caches_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AIRFAIR_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert default_path() == Path("/caches/airfair/runs.sqlite")
    monkeypatch.setenv("AIRFAIR_CACHE", "/elsewhere")
    assert default_path() == Path("/elsewhere")
    monkeypatch.setenv("AIRFAIR_CACHE", "off")
    assert default_path() is None


class Interrupted:
    """Engine that Ctrl-C interrupts after some runs have finished."""

    def __init__(self, finished: int) -> None:
        self._finished = finished

    def run(self, jobs: Sequence[Job], on_done: OnDone, _: Progress) -> bool:
        """Run some of the jobs, then raise KeyboardInterrupt."""
        Local(1).run(jobs[: self._finished], on_done, lambda _: None)
        raise KeyboardInterrupt

    def close(self) -> None:
        """Do nothing: the engine holds no resources."""


def test_ctrl_c_in_the_midst_of_what_is_told_keeps_what_is_finished(tmp_path: Path) -> None:
    scenario = load(SCENARIO, set={"duration": "100 ms", "series": "off"})
    jobs = [Job(scenario, number) for number in range(8)]
    with Archive(tmp_path / "runs.sqlite") as archive:
        done = run(jobs, archive, engine=Interrupted(3))
        assert done.interrupted
        assert [outcome is not None for outcome in done.outcomes] == [True] * 3 + [False] * 5
        assert run(jobs, archive).found == 3
        with pytest.raises(KeyboardInterrupt):
            run([Job(scenario, 99)], archive, engine=Interrupted(1))
        assert run([Job(scenario, 99)], archive).found == 1

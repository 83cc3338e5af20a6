"""The archive of finished runs: what it answers, what it forgets, what it says when it is damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from airfair import _core, archive
from airfair.archive import Archive, Job, run
from airfair.scenario import load
from support import SCENARIO


def jobs(count: int = 3, **keys: str | int) -> list[Job]:
    scenario = load(SCENARIO, set={"duration": "1 s", **keys})
    return [Job(scenario, replication) for replication in range(count)]


def hashes(done: archive.Done) -> list[int | None]:
    return [outcome and outcome.record_hash for outcome in done.outcomes]


def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Runs that the simulator was asked for, call by call."""
    seen: list[int] = []
    simulate = _core.run

    def counted(work: Sequence[object], **options: object) -> object:
        seen.append(len(work))
        return simulate(work, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("airfair.archive._core.run", counted)
    return seen


def test_what_was_run_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = calls(monkeypatch)
    with Archive(tmp_path / "runs") as kept:
        first = run(jobs(), kept)
    with Archive(tmp_path / "runs") as kept:
        again = run(jobs(4), kept)
    assert seen == [3, 1]
    assert (first.found, again.found) == (0, 3)
    assert hashes(again)[:3] == hashes(first)


def test_an_archived_outcome_is_the_outcome(tmp_path: Path) -> None:
    with Archive(tmp_path / "runs") as kept:
        (outcome,) = run(jobs(1, series="100 ms"), kept).outcomes
        (found,) = kept.find([jobs(1, series="100 ms")[0].key]).values()
    assert outcome is not None
    assert found.to_bytes() == outcome.to_bytes()
    assert found.record_hash == outcome.record_hash


def test_a_title_does_not_make_another_run_and_a_rate_does() -> None:
    (plain,) = jobs(1)
    assert jobs(1, title="Another")[0].key == plain.key
    assert jobs(1, replications=7)[0].key == plain.key
    assert jobs(1, **{"station.slow.rate": "2 Mb/s"})[0].key != plain.key
    assert jobs(1, seed=2)[0].key != plain.key
    assert jobs(2)[1].key != plain.key


def test_equal_jobs_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = calls(monkeypatch)
    done = run([*jobs(1), *jobs(1, title="Again")])
    assert seen == [1]
    assert done.found == 1
    assert len(set(hashes(done))) == 1


def test_what_another_build_made_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Archive(tmp_path / "runs") as kept:
        run(jobs(), kept)
    monkeypatch.setattr(archive, "build", lambda: b"another")
    with Archive(tmp_path / "runs") as kept:
        assert kept.find([job.key for job in jobs()]) == {}


def test_fresh_forgets_all(tmp_path: Path) -> None:
    with Archive(tmp_path / "runs") as kept:
        run(jobs(), kept)
    with Archive(tmp_path / "runs", fresh=True) as kept:
        assert kept.find([job.key for job in jobs()]) == {}


def test_an_interrupted_work_keeps_what_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate = _core.run
    batches = iter([simulate])

    def breaks(work: Sequence[object], **options: object) -> object:
        following = next(batches, None)
        if following is None:
            raise KeyboardInterrupt
        return following(work, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("airfair.archive._core.run", breaks)
    many = jobs(archive.LEAST_CHUNK + 1)
    with Archive(tmp_path / "runs") as kept:
        with pytest.raises(KeyboardInterrupt):
            run(many, kept)
        assert len(kept.find([job.key for job in many])) == archive.LEAST_CHUNK


def test_a_file_that_is_no_archive_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "runs"
    path.write_text("a diary, and not a short one: " * 100)
    with pytest.raises(OSError, match=r"runs: .*can be removed"):
        Archive(path)
    assert path.read_text().startswith("a diary")


def test_a_damaged_outcome_is_told(tmp_path: Path) -> None:
    path = tmp_path / "runs"
    with Archive(path) as kept:
        run(jobs(1), kept)
    with sqlite3.connect(path) as base:
        base.execute("UPDATE runs SET outcome = x'00ff'")
    with Archive(path) as kept, pytest.raises(OSError, match=r"an outcome: .*can be removed"):
        run(jobs(1), kept)


def test_progress_is_of_what_is_left_to_run(tmp_path: Path) -> None:
    told: list[float] = []
    with Archive(tmp_path / "runs") as kept:
        run(jobs(2), kept)
        run(jobs(2), kept, progress=told.append)
    assert told == []

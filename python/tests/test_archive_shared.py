"""Tests of archives that several processes share, or whose processes are killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import savers
from airfair import _core
from airfair.archive import Archive, run

SAVERS = [sys.executable, "-W", "error", savers.__file__]


@pytest.fixture(scope="module")
def uninterrupted() -> list[bytes]:
    work = [(job.scenario, job.scenario.seed, job.replication) for job in savers.jobs()]
    outcomes = _core.run(work).outcomes
    return [outcome.to_bytes(histograms=False) for outcome in outcomes if outcome is not None]


def octets(path: Path) -> tuple[int, list[bytes]]:
    """Number of runs found in the archive, and the packed outcomes of all jobs."""
    with Archive(path) as archive:
        done = run(savers.jobs(), archive)
    return done.found, [outcome.to_bytes() for outcome in done.outcomes if outcome is not None]


@pytest.mark.slow
def test_finished_runs_survive_a_hundred_kills(tmp_path: Path, uninterrupted: list[bytes]) -> None:
    path = tmp_path / "runs"
    ended = subprocess.run(
        [*SAVERS, str(path), "kill", "100"], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert 20 < int(ended.stdout) < 100
    found = len(savers.look(path))
    assert octets(path) == (found, uninterrupted)
    assert len(savers.look(path)) == savers.COUNT


def test_processes_that_share_an_archive_store_each_run_once_and_right(
    tmp_path: Path, uninterrupted: list[bytes]
) -> None:
    path = tmp_path / "runs"
    together = [subprocess.Popen([*SAVERS, str(path), "save"]) for _ in range(3)]
    assert [process.wait() for process in together] == [0, 0, 0]
    assert len(savers.look(path)) == savers.COUNT
    assert octets(path) == (savers.COUNT, uninterrupted)

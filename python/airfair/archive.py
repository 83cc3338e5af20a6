"""An archive of finished runs: no run is made twice, and what was interrupted goes on where it was.

A run is a pure function of scenario, seed, replication and simulator, so its outcome can stand for it. The
key is a hash of these four; what another build of the simulator made is never read.
"""

from __future__ import annotations

import functools
import hashlib
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from . import _core
from ._core import Outcome, Scenario

LEAST_CHUNK = 16
"""Runs that are saved together at least."""
CHUNKS = 40
"""Times that a long work is saved."""

# Keys of a scenario that do not reach a run: what it is called, and which of its replications are run.
_ASIDE = re.compile(r"^(title|seed|replications) = .*\n", re.MULTILINE)


@dataclass(frozen=True)
class Job:
    """One run: a scenario under a seed, as a replication."""

    scenario: Scenario
    replication: int

    @functools.cached_property
    def key(self) -> bytes:
        """Hash of all that the run depends on, but for the simulator."""
        head, bracket, rest = self.scenario.to_toml().partition("\n[")
        text = _ASIDE.sub("", head + "\n") + bracket + rest
        numbers = f"\0{self.scenario.seed}\0{self.replication}"
        return hashlib.sha256((text + numbers).encode()).digest()


@functools.cache
def build() -> bytes:
    """Hash of the simulator itself, since a version has many builds while it is worked on."""
    path = _core.__file__
    return hashlib.sha256(Path(path).read_bytes()).digest()


class Archive:
    """Finished runs in a file of SQLite.

    Raises `OSError` if the file cannot be read or written, or is none of these.
    """

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        """Open the archive at `path`, or begin one; `fresh` forgets what it held."""
        self.path = path
        try:
            self._base = sqlite3.connect(path, timeout=60)
            with self._base:
                self._base.execute(
                    "CREATE TABLE IF NOT EXISTS runs (key BLOB PRIMARY KEY, build BLOB NOT NULL, "
                    "outcome BLOB NOT NULL) WITHOUT ROWID"
                )
                self._base.execute("DELETE FROM runs WHERE build != ? OR ?", (build(), fresh))
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._base.close()

    def find(self, keys: Iterable[bytes]) -> dict[bytes, Outcome]:
        """The outcomes that it has of these runs."""
        found = {}
        try:
            for key in keys:
                row = self._base.execute(
                    "SELECT outcome FROM runs WHERE key = ?", (key,)
                ).fetchone()
                if row is not None:
                    found[key] = Outcome.from_bytes(row[0])
        except (sqlite3.Error, ValueError) as error:
            raise self._failure(error) from error
        return found

    def add(self, outcomes: Mapping[bytes, Outcome]) -> None:
        """Keep finished runs."""
        rows = [(key, build(), outcome.to_bytes()) for key, outcome in outcomes.items()]
        try:
            with self._base:
                self._base.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?)", rows)
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> OSError:
        return OSError(f"{self.path}: {error}; it holds finished runs and can be removed")


@dataclass(frozen=True)
class Done:
    """Outcomes of jobs."""

    outcomes: Sequence[Outcome | None]
    """One per job, in the jobs' order; nothing for those that Ctrl-C stopped."""
    found: int
    """Jobs whose run was there already: in the archive, or among the jobs themselves."""

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C stopped some."""
        return any(outcome is None for outcome in self.outcomes)


def run(
    jobs: Sequence[Job],
    archive: Archive | None = None,
    *,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Done:
    """Run each job that neither the archive nor an earlier one answers, on `threads` threads or all cores.

    They start in their order and are saved about forty times on the way. `progress` gets the part of the
    simulated time that is done.
    """
    wanted = {job.key: job for job in reversed(jobs)}
    outcomes = archive.find(wanted) if archive else {}
    todo = [job for key, job in reversed(wanted.items()) if key not in outcomes]
    found = len(jobs) - len(todo)
    total = sum(job.scenario.duration_s for job in todo)
    done = 0.0
    for chunk in _chunks(todo):
        part = sum(job.scenario.duration_s for job in chunk)

        def show(fraction: float, done: float = done, part: float = part) -> None:
            if progress:
                progress((done + fraction * part) / total)

        batch = _core.run(
            [(job.scenario, job.scenario.seed, job.replication) for job in chunk],
            threads=threads,
            progress=show,
        )
        finished = {
            job.key: outcome
            for job, outcome in zip(chunk, batch.outcomes, strict=True)
            if outcome is not None
        }
        outcomes |= finished
        if archive:
            archive.add(finished)
        if batch.interrupted:
            break
        done += part
    return Done([outcomes.get(job.key) for job in jobs], found)


def _chunks(jobs: Sequence[Job]) -> list[Sequence[Job]]:
    size = max(LEAST_CHUNK, -(-len(jobs) // CHUNKS))
    return [jobs[first : first + size] for first in range(0, len(jobs), size)]

"""Processes that save runs in one archive; tests kill them or let several run at once.

`savers.py ARCHIVE save` runs all jobs and saves some of them at a time. `savers.py ARCHIVE kill N` starts N
such processes, one after the other, kills each at a random moment and checks the archive.
"""

from __future__ import annotations

import functools
import os
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from pathlib import Path

from airfair.archive import Archive, Done, Job, Local, build, run, running
from airfair.archive.engines import OnDone, Progress
from airfair.archive.packed import unpack
from airfair.scenario import load
from support import SCENARIO

COUNT = 1000
"""Number of runs: on most machines, ten processes save fewer before they are killed."""
AT_ONCE = 10
"""Number of runs that are saved together."""
LONGEST_S = 0.1
"""Longest time until the first process is killed."""
PATIENCE = 1.3
"""Ratio of the longest times of two processes: more after one that has saved nothing, less after another."""


@functools.cache
def jobs() -> list[Job]:
    """Jobs that take about 50 µs each."""
    scenario = load(SCENARIO, set={"duration": "20 ms", "series": "off"})
    return [Job(scenario, replication) for replication in range(COUNT)]


class Engine:
    """Engine that returns a few runs at a time, and fails if one of them was already saved."""

    def __init__(self, saved: AbstractSet[bytes]) -> None:
        self._saved = saved

    def run(self, jobs: Sequence[Job], on_done: OnDone, progress: Progress) -> bool:
        for first in range(0, len(jobs), AT_ONCE):
            some = jobs[first : first + AT_ONCE]
            if not self._saved.isdisjoint(job.key for job in some):
                raise AssertionError("a run that was saved is made again")

            def done(pairs: Sequence[tuple[int, bytes]], first: int = first) -> None:
                on_done([(first + place, outcome) for place, outcome in pairs])

            Local(1).run(some, done, progress)
            progress(0.0)
        return False

    def close(self) -> None:
        pass


def save(path: Path, saved: AbstractSet[bytes] = frozenset()) -> Done:
    """Run all jobs and save them in the archive."""
    running.SAVE_S = 0.0
    with Archive(path) as archive:
        return run(jobs(), archive, engine=Engine(saved))


def look(path: Path) -> dict[bytes, bytes]:
    """Return the packed outcomes in the archive; a damaged archive or outcome is an error."""
    with Archive(path) as archive:
        found = archive.find([job.key for job in jobs()])
        damaged = archive.damaged()
    with closing(sqlite3.connect(path)) as base:
        (count,) = base.execute("SELECT COUNT(*) FROM runs").fetchone()
        (state,) = base.execute("PRAGMA integrity_check").fetchone()
    for outcome in found.values():
        unpack(outcome)
    if state != "ok" or damaged or len(found) != count:
        raise AssertionError(f"{state}, {damaged}, {len(found)} of {count} runs")
    return found


def kill(path: Path, times: int) -> int:
    """Kill processes that save, and return the number of processes that have saved runs.

    The longest time until a kill adapts to the machine, so that about half of the processes save something.
    Every tenth process begins a new archive, and so does the process after all runs are saved.
    """
    draw = random.Random(1)  # noqa: S311 - not for cryptography
    saved: dict[bytes, bytes] = {}
    grown, longest_s = 0, LONGEST_S
    build(), [job.key for job in jobs()]  # computed once, before the forks
    for number in range(times):
        if number % 10 == 0 or len(saved) == COUNT:
            path.unlink(missing_ok=True)
            path.with_name(f"{path.name}-journal").unlink(missing_ok=True)
            saved = {}
        _save_and_die(path, saved, draw.uniform(0, longest_s))
        now = look(path) if path.exists() and path.stat().st_size else {}
        if not saved.items() <= now.items():
            raise AssertionError("a run that was saved is lost")
        has_grown = len(now) > len(saved)
        longest_s *= 1 / PATIENCE if has_grown else PATIENCE
        grown += has_grown
        saved = now
    return grown


def _save_and_die(path: Path, saved: dict[bytes, bytes], after_s: float) -> None:
    child = os.fork()
    if child == 0:
        try:
            save(path, saved.keys())
        except BaseException as error:  # noqa: BLE001 - the parent reports any error
            sys.stderr.write(f"{error!r}\n")
        os._exit(0)
    time.sleep(after_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


if __name__ == "__main__":
    where = Path(sys.argv[1])
    match sys.argv[2:]:
        case ["save"]:
            save(where)
        case ["kill", number]:
            sys.stdout.write(str(kill(where, int(number))))

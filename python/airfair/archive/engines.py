"""Engines that execute runs, on this machine or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from airfair import _core

from .job import Job
from .packed import pack

OnDone = Callable[[Sequence[tuple[int, bytes]]], object]
"""Callback for finished runs: pairs of the index of a job and its packed outcome."""

Progress = Callable[[float], object]
"""Callback for progress: simulated time done [s]."""

PART = 4096
"""Number of jobs in memory at once; a lazy sequence makes each when it is accessed."""


class EngineError(RuntimeError):
    """Raised if an engine cannot execute the runs; it has passed the finished ones to `on_done`."""


class OtherBuildError(EngineError):
    """Raised if a worker has another build of airfair, whose results may differ."""


class Engine(Protocol):
    """Interface of engines, which execute runs."""

    def run(self, jobs: Sequence[Job], on_done: OnDone, progress: Progress) -> bool:
        """Execute each job once; return true if Ctrl-C stopped some.

        `on_done` gets each finished run once, soon after it finishes, also before Ctrl-C or an error.
        `progress` is called about ten times per second. Both are called by the calling thread.
        """

    def close(self) -> None:
        """Release resources; a later `run` acquires them again."""


@dataclass(frozen=True)
class Local:
    """Engine that uses threads of this process."""

    threads: int | None = None
    """Number of threads; `None` for one per core."""

    def run(self, jobs: Sequence[Job], on_done: OnDone, progress: Progress) -> bool:
        """Execute the jobs in order."""
        before = 0.0
        for first in range(0, len(jobs), PART):
            part = jobs[first : first + PART]
            total = sum(job.scenario.duration_s for job in part)

            def done(pairs: Sequence[tuple[int, bytes]], first: int = first) -> None:
                on_done([(first + place, pack(octets)) for place, octets in pairs])

            def show(fraction: float, before: float = before, total: float = total) -> None:
                progress(before + fraction * total)

            work = [(job.scenario, job.scenario.seed, job.replication) for job in part]
            if _core.stream(work, done, threads=self.threads, progress=show):
                return True
            before += total
        return False

    def close(self) -> None:
        """Do nothing: threads end with their runs."""


def engine(form: str, *, threads: int | None = None) -> Engine:
    """Engine by name: `local`, `dask` for workers on this machine, or `dask:ADDRESS` for a scheduler.

    `threads` is the number of threads, or of workers on this machine; by default one per core. Raises
    `ValueError` for any other name, and `EngineError` if Dask is not installed.
    """
    kind, colon, address = form.partition(":")
    if form == "local":
        return Local(threads)
    if kind == "dask" and (address or not colon):
        from .cluster import Dask

        return Dask(address or None, workers=threads)
    raise ValueError(f'engine "{form}": unknown; allowed local, dask, dask:ADDRESS')


def cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

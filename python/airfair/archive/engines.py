"""Engines: what does runs, on this machine or on many."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from airfair import _core

from .job import Job
from .packed import pack

OnDone = Callable[[Sequence[tuple[int, bytes]]], object]
"""Gets finished runs, pairs of a job's place and its packed outcome."""

Progress = Callable[[float], object]
"""Gets the simulated time that is done [s]."""

PART = 4096
"""Jobs that are there at once: a sequence may make each with its scenario when it is asked for it."""


class EngineError(RuntimeError):
    """An engine cannot do the runs; what it has done is handed over."""


class OtherBuildError(EngineError):
    """A worker has another build of airfair, whose results may be others."""


class Engine(Protocol):
    """Something that does runs."""

    def run(self, jobs: Sequence[Job], on_done: OnDone, progress: Progress) -> bool:
        """Do each job once, and return true if Ctrl-C stopped some.

        `on_done` gets each finished run once, soon after it is finished; those before Ctrl-C or an error,
        too. `progress` is called about ten times per second, whatever is finished. The calling thread
        calls both.
        """

    def close(self) -> None:
        """Let go of what it has started. It starts again if it is asked to run."""


@dataclass(frozen=True)
class Local:
    """Threads of this process."""

    threads: int | None = None
    """Number of them; nothing for all cores."""

    def run(self, jobs: Sequence[Job], on_done: OnDone, progress: Progress) -> bool:
        """Do each job once, in their order."""
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
        """Nothing: threads end with their runs."""


def engine(form: str, *, threads: int | None = None) -> Engine:
    """The engine of a form: `local`, `dask` for workers on this machine, or `dask:ADDRESS` of a scheduler.

    `threads` is the number of threads, or of workers on this machine; nothing for all cores. Raises
    `ValueError` for any other form, and `EngineError` where Dask is not installed.
    """
    kind, colon, address = form.partition(":")
    if form == "local":
        return Local(threads)
    if kind == "dask" and (address or not colon):
        from .cluster import Dask

        return Dask(address or None, workers=threads)
    raise ValueError(f'engine "{form}": unknown; allowed local, dask, dask:ADDRESS')


def cores() -> int:
    """Cores that this process may use, where the system says; else all there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

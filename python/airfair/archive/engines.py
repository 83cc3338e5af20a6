"""Engines that execute runs, on this machine or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from airfair import _core

from .job import Job
from .packed import pack

if TYPE_CHECKING:
    from airfair.law_processes import LawProcesses

OnDone = Callable[[Sequence[tuple[int, bytes]]], object]
"""Callback for finished runs: pairs of the index of a job and its packed outcome."""

Progress = Callable[[float], object]
"""Callback for progress: simulated time done [s]."""

PART = 4096
"""Number of jobs in memory at once; a lazy sequence makes each when it is accessed."""


class Engine(Protocol):
    """Interface of engines, which execute runs."""

    def run(self, jobs: Sequence[Job], on_done: OnDone, progress: Progress) -> bool:
        """Execute each job once; return true if Ctrl-C stopped some.

        `on_done` gets each finished run once, soon after it finishes, also before Ctrl-C or an error.
        `progress` is called about ten times per second. Both are called by the calling thread.
        """

    def close(self) -> None:
        """Release resources; a later `run` acquires them again."""


@dataclass
class Local:
    """Engine that uses threads of this process, and for jobs with laws one process per core."""

    threads: int | None = None
    """Number of threads or processes; `None` for one per core."""
    _processes: LawProcesses | None = None

    def run(self, jobs: Sequence[Job], on_done: OnDone, progress: Progress) -> bool:
        """Execute the jobs in order; those with laws come last."""
        with_laws = [place for place, job in enumerate(jobs) if job.laws]
        if not with_laws:
            return self._in_threads(jobs, on_done, progress)
        plain = [place for place, job in enumerate(jobs) if not job.laws]
        before = sum(jobs[place].scenario.duration_s for place in plain)

        def of_plain(pairs: Sequence[tuple[int, bytes]]) -> None:
            on_done([(plain[place], packed) for place, packed in pairs])

        if plain and self._in_threads([jobs[place] for place in plain], of_plain, progress):
            return True
        if self._processes is None:
            from airfair.law_processes import LawProcesses

            self._processes = LawProcesses(self.threads)

        def done(place: int, outcome: _core.Outcome | bytes) -> None:
            octets = outcome if isinstance(outcome, bytes) else outcome.to_bytes(histograms=False)
            on_done([(with_laws[place], pack(octets))])

        return self._processes.run(
            [jobs[place] for place in with_laws], done, lambda done_s: progress(before + done_s)
        )

    def _in_threads(self, jobs: Sequence[Job], on_done: OnDone, progress: Progress) -> bool:
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
        """End the processes; threads end with their runs."""
        if self._processes is not None:
            self._processes.close()


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

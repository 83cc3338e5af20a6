"""Runs the jobs that are not archived, and saves finished runs about once per second."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .base import Archive
from .engines import Engine, Local
from .job import Job, Jobs
from .packed import Outcomes

SAVE_S = 1.0
"""Interval between saves [s], and so the largest loss after a kill."""


@dataclass(frozen=True)
class Done:
    """Outcomes of jobs."""

    outcomes: Outcomes
    """Outcomes in the order of the jobs; `None` for jobs stopped by Ctrl-C."""
    found: int
    """Number of jobs that were archived or identical to an earlier job."""

    unsaved: OSError | None = None
    """Error because of which the archive could not save all runs."""
    simulated_s: float = 0.0
    """Simulated time of the finished jobs."""

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C stopped some jobs."""
        return self.outcomes.missing > 0


def run(
    jobs: Sequence[Job],
    archive: Archive | None = None,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Done:
    """Run on `engine` each job that is neither archived nor identical to an earlier one.

    The default engine uses this machine with `threads` threads, by default one per core. Jobs start in order
    and are saved about once per second. `progress` gets the fraction of simulated time done. Runs that the
    archive cannot save are returned nevertheless, and `unsaved` is the error.

    `jobs` is traversed once for the keys, then accessed by index for jobs to run. A scenario takes about 10
    kB, so long sequences should be lazy.
    """
    keys, durations, apart = _listed(jobs)
    first: dict[bytes, int] = {}
    for place, key in enumerate(keys):
        first.setdefault(key, place)
    kept = archive.find(key for key in first if key not in apart) if archive else {}
    todo = [place for key, place in first.items() if key not in kept]
    saver = _Saver(archive)
    if todo:
        chosen = engine or Local(threads)
        total = sum(durations[place] for place in todo)

        def done(pairs: Sequence[tuple[int, bytes]]) -> None:
            finished = {keys[todo[place]]: outcome for place, outcome in pairs}
            kept.update(finished)
            saver.take({key: value for key, value in finished.items() if key not in apart})

        def show(simulated_s: float) -> None:
            saver.save_in_time()
            if progress:
                progress(min(simulated_s / total, 1.0))

        try:
            chosen.run(Jobs(todo, jobs.__getitem__), done, show)
        except KeyboardInterrupt:
            # Ctrl-C may interrupt a callback. If runs are missing, the result shows it; else raise again.
            if len(kept) == len(first):
                raise
        finally:
            saver.save()
            if chosen is not engine:
                chosen.close()
    outcomes = Outcomes([kept.get(key) for key in keys])
    simulated_s = sum(s for key, s in zip(keys, durations, strict=True) if key in kept)
    return Done(outcomes, len(jobs) - len(todo), saver.failure, simulated_s)


def _listed(jobs: Sequence[Job]) -> tuple[list[bytes], list[float], set[bytes]]:
    """Keys and durations of the jobs, and the keys of jobs that no archive may hold."""
    keys, durations = [], []
    apart: set[bytes] = set()
    for job in jobs:
        keys.append(job.key)
        if job.laws and not job.is_archived:
            apart.add(keys[-1])
        durations.append(job.scenario.duration_s)
    return keys, durations, apart


class _Saver:
    """Buffer of finished runs that are not yet saved."""

    def __init__(self, archive: Archive | None) -> None:
        self._archive = archive
        self._waiting: dict[bytes, bytes] = {}
        self._saved = time.monotonic()
        self.failure: OSError | None = None
        """Error because of which saving stopped."""

    def take(self, finished: dict[bytes, bytes]) -> None:
        if self._archive:
            self._waiting.update(finished)

    def save_in_time(self) -> None:
        if time.monotonic() - self._saved >= SAVE_S:
            self.save()

    def save(self) -> None:
        if self._archive and self._waiting:
            try:
                self._archive.add(self._waiting)
            except OSError as error:
                self._archive, self.failure = None, error
            self._waiting = {}
        self._saved = time.monotonic()

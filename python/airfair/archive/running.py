"""Runs jobs that the archive does not answer, and saves what is finished about every second."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

from .base import Archive
from .engines import Engine, Local
from .job import Job
from .packed import Outcomes

SAVE_S = 1.0
"""Period in which finished runs are saved, and so what a kill costs."""


@dataclass(frozen=True)
class Done:
    """Outcomes of jobs."""

    outcomes: Outcomes
    """One per job, in the jobs' order; nothing for those that Ctrl-C stopped."""
    found: int
    """Jobs whose run was there already: in the archive, or among the jobs themselves."""

    unsaved: OSError | None = None
    """Why the archive has not kept all of them."""

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C stopped some."""
        return self.outcomes.missing > 0


def run(
    jobs: Sequence[Job],
    archive: Archive | None = None,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Done:
    """Run each job that neither the archive nor an earlier one answers, on `engine`.

    Without one they run on this machine, on `threads` threads, all cores by default. They start in their
    order and are saved about every second. `progress` gets the part of the simulated time that is done. What
    the archive cannot keep is among the outcomes all the same, and `unsaved` says why it could not.

    `jobs` is gone through once for the keys, and then asked for those that have to be run. A scenario takes
    some 10 kB, so a sequence of very many had better make each when it is asked for.
    """
    keys, durations = [], []
    for job in jobs:
        keys.append(job.key)
        durations.append(job.scenario.duration_s)
    first: dict[bytes, int] = {}
    for place, key in enumerate(keys):
        first.setdefault(key, place)
    kept = archive.find(first) if archive else {}
    todo = [place for key, place in first.items() if key not in kept]
    saver = _Saver(archive)
    if todo:
        total = sum(durations[place] for place in todo)

        def done(pairs: Sequence[tuple[int, bytes]]) -> None:
            finished = {keys[todo[place]]: outcome for place, outcome in pairs}
            kept.update(finished)
            saver.take(finished)

        def show(simulated_s: float) -> None:
            saver.save_in_time()
            if progress:
                progress(min(simulated_s / total, 1.0))

        try:
            (engine or Local(threads)).run(_Chosen(jobs, todo), done, show)
        except KeyboardInterrupt:
            # Ctrl-C in the midst of what is told of a run: those that are missing say so.
            if len(kept) == len(first):
                raise
        finally:
            saver.save()
    outcomes = Outcomes([kept.get(key) for key in keys])
    return Done(outcomes, len(jobs) - len(todo), saver.failure)


class _Saver:
    """Finished runs that the archive has not yet."""

    def __init__(self, archive: Archive | None) -> None:
        self._archive = archive
        self._waiting: dict[bytes, bytes] = {}
        self._saved = time.monotonic()
        self.failure: OSError | None = None
        """Why it has stopped saving."""

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


class _Chosen(Sequence[Job]):
    """Some of the jobs, each asked for when it is needed."""

    def __init__(self, jobs: Sequence[Job], places: Sequence[int]) -> None:
        self._jobs = jobs
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Job: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Job]: ...
    def __getitem__(self, place: int | slice) -> Job | Sequence[Job]:
        if isinstance(place, slice):
            return [self._jobs[each] for each in self._places[place]]
        return self._jobs[self._places[place]]

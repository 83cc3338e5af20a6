"""Engine that executes runs on the workers of a Dask cluster.

A batch of jobs is some seconds of work. It is sent as texts of scenarios with the numbers of replications,
and the worker returns packed outcomes. The archive saves these octets unchanged, so a table does not depend
on the machine that ran a job. Tables in Arrow would have to be converted back into outcomes for the archive.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import math
import queue
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING

from airfair import _core
from airfair._core import RunError, Scenario, __version__
from airfair.cores import cores
from airfair.errors import EngineError, OtherBuildError

from .job import Job, build
from .packed import pack

try:
    import distributed
except ImportError as error:
    raise EngineError(
        "engine dask: Dask is not installed; install it with: pip install 'airfair[dask]'"
    ) from error

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

    from airfair.law_use import Reference

    from .engines import OnDone, Progress

BATCH_S = 4.0
"""Intended duration of a batch [s]: long compared with sending it, but short if it has to be repeated."""
AHEAD = 2
"""Number of batches sent ahead for each thread of a worker, so that no thread waits for work."""
WAKE_S = 0.1
"""Time between two updates of the progress [s]."""
LARGEST_TEXT = 4_000_000
"""Number of characters of scenario texts at which a batch is full."""
ANSWER_S = 10.0
"""Longest wait for an answer of the scheduler [s]."""


@dataclass(frozen=True)
class Finished:
    """Results of a batch, from a worker."""

    took_s: float
    outcomes: list[tuple[int, bytes]]
    """Pairs of the index of a job in the batch and its packed outcome."""
    failure: str | None
    """Error message of a run that failed; outcomes of later runs may be missing. `None` if no run failed."""


def work(
    submitter: bytes,
    texts: Sequence[str],
    runs: Sequence[tuple[int, int]],
    laws: Sequence[tuple[Reference, ...]] = (),
) -> Finished:
    """Execute a batch on a worker; `runs` are pairs of an index into `texts` and a replication's number.

    `laws` are those of each run; empty if no run has any.

    Raises `OtherBuildError` if `submitter`, the build of the submitting machine, is not the worker's.
    """
    if build() != submitter:
        raise OtherBuildError(
            f"worker {distributed.get_worker().address}: has another build of airfair "
            f"({__version__}, {build().hex()[:12]}) than the submitting machine ({submitter.hex()[:12]}); "
            "install the same wheel on both"
        )
    scenarios = [_parsed(text) for text in texts]
    if any(laws):
        return _with_laws([(scenarios[text], replication) for text, replication in runs], laws)
    jobs = [(scenarios[text], scenarios[text].seed, replication) for text, replication in runs]
    outcomes: list[tuple[int, bytes]] = []
    failure = None
    began = time.perf_counter()
    try:
        _core.stream(
            jobs, lambda some: outcomes.extend((i, pack(octets)) for i, octets in some), threads=1
        )
    except RunError as error:
        failure = str(error)
    return Finished(time.perf_counter() - began, outcomes, failure)


def _with_laws(
    runs: Sequence[tuple[Scenario, int]], laws: Sequence[tuple[Reference, ...]]
) -> Finished:
    """Execute runs with laws, one after the other."""
    from airfair.law import LawError
    from airfair.law_worker import run, trimmed

    outcomes: list[tuple[int, bytes]] = []
    began = time.perf_counter()
    for place, ((scenario, replication), references) in enumerate(zip(runs, laws, strict=True)):
        try:
            own = tuple(reference.imported() for reference in references)
        except LawError as error:
            raise EngineError(f"worker {distributed.get_worker().address}: {error}") from error
        try:
            outcome = run(scenario, replication, own, lambda _: None)
        except Exception as error:  # noqa: BLE001 - a law may raise anything; the submitter raises it
            return Finished(time.perf_counter() - began, outcomes, trimmed(error))
        outcomes.append((place, pack(outcome.to_bytes(histograms=False))))
    return Finished(time.perf_counter() - began, outcomes, None)


@functools.lru_cache(maxsize=64)
def _parsed(text: str) -> Scenario:
    """Scenario from the text of `Scenario.to_toml`, which contains the scenario's traces."""
    return Scenario.parse(text.encode())


def _all_in(ended: SimpleQueue[Future]) -> Iterator[Future]:
    """Batches that have finished; waits at most `WAKE_S` for the first one."""
    with contextlib.suppress(queue.Empty):
        yield ended.get(timeout=WAKE_S)
        while True:
            yield ended.get_nowait()


class Dask:
    """Engine on the workers of the Dask scheduler at `address`, or else on processes of this machine.

    If a worker dies, another one executes its batch again. The results of a batch are used once.
    """

    def __init__(self, address: str | None = None, *, workers: int | None = None) -> None:
        """Save the address; `workers` is the number of processes on this machine, by default one per core."""
        self._address = address
        self._workers = workers
        self._cluster: LocalCluster | None = None
        self._client: Client | None = None

    def run(self, jobs: Sequence[Job], on_done: OnDone, progress: Progress) -> bool:
        """Execute each job once; return true if Ctrl-C stopped some."""
        client = self._connected()
        plan = _Plan(jobs)
        out: dict[Future, _Batch] = {}
        ended: SimpleQueue[Future] = SimpleQueue()
        try:
            while plan.left or out:
                threads = self._threads(client)
                while plan.left and len(out) < AHEAD * threads:
                    batch = plan.next_batch(threads)
                    texts = list(batch.texts.values())
                    future = client.submit(work, build(), texts, batch.runs, batch.laws, pure=False)
                    out[future] = batch
                    future.add_done_callback(ended.put)
                for future in _all_in(ended):
                    batch = out.pop(future)
                    plan.count(batch, self._finish(future, batch, on_done))
                progress(plan.done_s)
        except KeyboardInterrupt:
            return True
        finally:
            if out and self._client is not None:
                client.cancel(list(out), force=True)
        return False

    def close(self) -> None:
        """Disconnect from the scheduler, and end the worker processes on this machine."""
        if self._client is not None:
            self._client.close()
        if self._cluster is not None:
            self._cluster.close()
        self._client = self._cluster = None

    def _connected(self) -> Client:
        if self._client is None:
            try:
                if self._address is None:
                    self._cluster = distributed.LocalCluster(
                        n_workers=self._workers or cores(),
                        threads_per_worker=1,
                        processes=True,
                        dashboard_address="127.0.0.1:0",
                        silence_logs=logging.ERROR,
                    )
                self._client = distributed.Client(
                    self._cluster or self._address, timeout=ANSWER_S, set_as_default=False
                )
            except (OSError, ValueError) as error:
                self.close()
                raise EngineError(f"engine {self}: no scheduler answers ({error})") from error
        return self._client

    def _threads(self, client: Client) -> int:
        """Number of threads of all workers; at least 1, as a cluster may start workers on demand."""
        try:
            threads: int = sum(client.nthreads().values())
        except OSError as error:
            raise self._gone(error) from error
        return max(1, threads)

    def _finish(self, done: Future, batch: _Batch, on_done: OnDone) -> Finished:
        """Results of a finished batch, after they were passed to `on_done`."""
        try:
            finished: Finished = done.result()
        except EngineError:
            raise
        except distributed.KilledWorker as error:
            died = error.allowed_failures + 1
            raise EngineError(
                f"engine {self}: {died} workers died while they executed one batch of runs; their "
                "logs may give the reason"
            ) from error
        except CancelledError as error:
            raise self._gone(error) from error
        except Exception as error:
            raise EngineError(
                f"engine {self}: a worker cannot execute runs of airfair {__version__}: {error!r}; "
                "install the same wheel on all of them"
            ) from error
        on_done([(batch.places[place], outcome) for place, outcome in finished.outcomes])
        if finished.failure:
            raise RunError(finished.failure)
        return finished

    def _gone(self, error: BaseException) -> EngineError:
        self.close()
        return EngineError(f"engine {self}: the scheduler is gone ({error})")

    def __str__(self) -> str:
        return "dask" if self._address is None else f"dask:{self._address}"


def _sent(job: Job) -> tuple[Reference, ...]:
    """References to the laws of a job; raises `EngineError` if workers cannot import one."""
    from airfair.law import LawError
    from airfair.law_use import reference

    try:
        return tuple(map(reference, job.laws))
    except LawError as error:
        raise EngineError(
            f"engine dask: {error}; allowed is a law of a module that all workers can import"
        ) from error


@dataclass
class _Batch:
    """Jobs that one worker executes one after the other."""

    places: list[int] = field(default_factory=list)
    texts: dict[Scenario, str] = field(default_factory=dict)
    runs: list[tuple[int, int]] = field(default_factory=list)
    laws: list[tuple[Reference, ...]] = field(default_factory=list)
    simulated_s: float = 0.0
    size: int = 0
    """Number of characters of the texts."""

    def add(self, place: int, job: Job) -> None:
        if job.scenario not in self.texts:
            self.texts[job.scenario] = job.scenario.to_toml()
            self.size += len(self.texts[job.scenario])
        text = list(self.texts).index(job.scenario)
        self.places.append(place)
        self.runs.append((text, job.replication))
        self.laws.append(_sent(job) if job.laws else ())
        self.simulated_s += job.scenario.duration_s


class _Plan:
    """Division of the jobs into batches of about `BATCH_S`, from the durations of finished batches."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._jobs = jobs
        self._next = 0
        self._took_s = 0.0
        self.done_s = 0.0
        """Simulated time of the finished batches [s]."""

    @property
    def left(self) -> int:
        """Number of jobs that are in no batch yet."""
        return len(self._jobs) - self._next

    def next_batch(self, threads: int) -> _Batch:
        """Batch of the next jobs; batches get smaller towards the end, so that all workers end together."""
        batch = _Batch()
        cost = self._took_s / self.done_s if self.done_s else math.inf
        most = max(1, self.left // (AHEAD * threads))
        while self.left and len(batch.places) < most:
            batch.add(self._next, self._jobs[self._next])
            self._next += 1
            if cost * batch.simulated_s >= BATCH_S or batch.size >= LARGEST_TEXT:
                break
        return batch

    def count(self, batch: _Batch, finished: Finished) -> None:
        """Add the duration of a finished batch to the totals from which later batches are sized."""
        self._took_s += finished.took_s
        self.done_s += batch.simulated_s

"""Runs of jobs with laws on all cores: one process per core, because of Python's lock of the interpreter.

A process gets laws by module, name and file. A law that other processes cannot create, such as one of a
notebook, runs in this process alone, with a `LawWarning`. Processes do not import the main program, so a
script needs no `if __name__ == "__main__"`.
"""

from __future__ import annotations

import functools
import os
import pickle
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from .cores import cores
from .errors import EngineError
from .law import LawWarning
from .law_use import LawUse, reference
from .law_worker import WAKE_S, LawTraceback, Order, run

if TYPE_CHECKING:
    from ._core import Outcome
    from .archive.job import Job

OnDone = Callable[[int, "Outcome | bytes"], object]
"""Callback for a finished run: the index of its job, and its outcome, from another process as octets."""


class WorkerError(EngineError):
    """Raised if a process that runs laws has died, for example because the memory is full."""


class LawProcesses:
    """Processes that run jobs with laws; they start with the first jobs and end with `close`."""

    def __init__(self, count: int | None = None) -> None:
        """Save the number of processes, by default one per core."""
        self._count = count or cores()
        self._workers: list[_Worker] = []

    def run(
        self,
        jobs: Sequence[Job],
        on_done: OnDone,
        progress: Callable[[float], object],
        *,
        histograms: bool = False,
    ) -> bool:
        """Execute each job once; return true if Ctrl-C stopped some.

        `progress` gets the simulated time that is done [s]. An exception of a law is raised after the jobs
        before it have finished.
        """
        alone = [place for place, job in enumerate(jobs) if any(law.apart for law in job.laws)]
        sent = sorted({*range(len(jobs))} - {*alone})
        if min(self._count, len(sent)) <= 1 or os.name != "posix" or not sys.executable:
            alone, sent = list(range(len(jobs))), []
        if len(alone) > 1 and self._count > 1:
            _warn({law for place in alone for law in jobs[place].laws if law.apart})
        shown = _Shown(jobs, progress)
        try:
            if sent:
                self._send(jobs, sent, on_done, shown, histograms=histograms)
            for place in alone:
                job = jobs[place]
                on_done(
                    place,
                    run(job.scenario, job.replication, job.laws, functools.partial(shown, place)),
                )
                shown(place, 1.0)
        except KeyboardInterrupt:
            return True
        return False

    def close(self) -> None:
        """End the processes; a later `run` starts others."""
        for worker in self._workers:
            worker.kill()
        while self._workers:
            self._workers.pop().end()

    def _start(self, count: int) -> None:
        """Start the processes that are missing to `count`."""
        while len(self._workers) < count:
            self._workers.append(_Worker())

    def _send(
        self,
        jobs: Sequence[Job],
        places: Sequence[int],
        on_done: OnDone,
        shown: _Shown,
        *,
        histograms: bool,
    ) -> None:
        waiting = iter(places)
        failed: tuple[int, bytes, str] | None = None
        try:
            self._start(min(self._count, len(places)))
            for worker in self._workers:
                worker.begin(jobs, next(waiting, None), histograms=histograms)
            while busy := {one.connection: one for one in self._workers if one.place is not None}:
                if failed is not None and all(one.place > failed[0] for one in busy.values()):  # type: ignore[operator]
                    break
                for connection in wait([*busy], WAKE_S):
                    worker = busy[connection]  # type: ignore[index]
                    kind, *content = worker.receive()
                    if not _is_shown(kind, content, shown):
                        if kind == "done":
                            on_done(*content)
                        elif failed is None or content[0] < failed[0]:
                            failed = (content[0], content[1], content[2])
                        shown(content[0], 1.0)
                        place = next(waiting, None) if failed is None else None
                        worker.begin(jobs, place, histograms=histograms)
                shown.again()
        except BaseException:
            self.close()
            raise
        if failed is not None:
            self.close()
            error: BaseException = pickle.loads(failed[1])  # noqa: S301 - from our own process
            raise error from LawTraceback(failed[2])


def _is_shown(kind: str, content: Sequence[Any], shown: _Shown) -> bool:
    """Print text of a law or show progress; return false for a message of another kind."""
    if kind == "printed":
        getattr(sys, content[0]).write(content[1])
    elif kind == "progress":
        shown(*content)
    else:
        return False
    return True


class _Worker:
    """Process that runs one job at a time."""

    def __init__(self) -> None:
        own, other = socket.socketpair()
        with own, other:
            self._process = _started(other.fileno())
            self.connection = Connection(own.detach())
        self.place: int | None = None
        try:
            self.connection.send((sys.path, None))
        except BaseException:
            self.end()
            raise

    def begin(self, jobs: Sequence[Job], place: int | None, *, histograms: bool) -> None:
        """Send the job with an index, or note that there is none."""
        self.place = place
        if place is None:
            return
        job = jobs[place]
        text = _text(job.scenario)
        laws = tuple(map(reference, job.laws))
        try:
            self.connection.send(Order(place, text, job.replication, laws, histograms))
        except OSError:
            raise self._died() from None

    def receive(self) -> tuple[Any, ...]:
        """Next message; raises `WorkerError` if the process has died."""
        try:
            message: tuple[Any, ...] = self.connection.recv()
        except (EOFError, OSError):
            raise self._died() from None
        return message

    def kill(self) -> None:
        """Kill the process without waiting for its end."""
        self._process.kill()

    def end(self) -> None:
        """Kill the process, and wait for its end."""
        self.kill()
        self._process.wait()
        self.connection.close()

    def _died(self) -> WorkerError:
        code = self._process.wait()
        if code < 0:
            how = f"was killed by {signal.Signals(-code).name}"
            if -code == signal.SIGKILL:
                how += ", perhaps because the memory was full"
        else:
            how = f"ended with status {code}"
        return WorkerError(f"a process that ran laws {how}; finished replications are kept")


def _started(descriptor: int) -> subprocess.Popen[bytes]:
    """Process that answers on an open file descriptor."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - a text
    paths = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    # In a group of its own, the process gets no Ctrl-C of the terminal: this process ends it.
    return subprocess.Popen(
        [sys.executable, "-m", "airfair.law_worker", str(descriptor)],
        pass_fds=[descriptor],
        stdin=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": paths},
        process_group=0,
    )


@functools.lru_cache(maxsize=64)
def _text(scenario: Any) -> str:  # noqa: ANN401 - of the core
    text: str = scenario.to_toml()
    return text


class _Shown:
    """Progress of all jobs."""

    def __init__(self, jobs: Sequence[Job], progress: Callable[[float], object]) -> None:
        self._jobs, self._progress = jobs, progress
        self._done_s = 0.0
        self._parts: dict[int, float] = {}

    def __call__(self, place: int, fraction: float) -> None:
        """Note the fraction of a job that is done, and report the total."""
        duration_s = self._jobs[place].scenario.duration_s
        if fraction >= 1:
            self._parts.pop(place, None)
            self._done_s += duration_s
        else:
            self._parts[place] = fraction * duration_s
        self.again()

    def again(self) -> None:
        """Report the total."""
        self._progress(self._done_s + sum(self._parts.values()))


WARNED: set[str] = set()
"""Names of the laws of which `_warn` has warned."""


def _warn(laws: set[LawUse]) -> None:
    """Warn of laws that run in this process alone, once of each."""
    for law in sorted(laws, key=str):
        if law.name not in WARNED:
            WARNED.add(law.name)
            warnings.warn(
                f"{law.name} runs in this process alone, on one core: {law.apart}; move the class into a "
                "file that can be imported, such as mylaws.py, to use all cores",
                LawWarning,
                stacklevel=2,
            )

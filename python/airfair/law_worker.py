"""Process that runs jobs with laws for the process that started it; `law_processes` starts it.

It reads messages from one file descriptor, and answers on the same one. It ends when its starter ends.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from airfair._core import Outcome, Scenario
    from airfair.law_use import LawUse, Reference

WAKE_S = 0.1
"""Time between two messages on the progress of a run [s]."""
STEPS = 100
"""Number of steps in which a run is advanced."""


class LawTraceback(Exception):  # noqa: N818 - a text that Python prints with the exception of a law
    """Traceback of a law in the process that ran it; the cause of the exception that is raised here."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"\n{self.text}"


@dataclass(frozen=True)
class Order:
    """Run that a worker executes."""

    place: int
    scenario: str
    replication: int
    laws: tuple[Reference, ...]
    histograms: bool


def run(
    scenario: Scenario, replication: int, laws: tuple[LawUse, ...], shown: Callable[[float], object]
) -> Outcome:
    """Outcome of one run with laws; `shown` is called with the fraction that is done."""
    from airfair.law_use import mapping
    from airfair.world import World

    with World.begun(scenario, replication, mapping(laws), None) as world:
        for step in range(1, STEPS):
            world.advance(scenario.duration_s / STEPS)
            shown(step / STEPS)
        if not world.over:
            world.advance()
        return world.result().outcomes[0]


def trimmed(error: BaseException) -> str:
    """Traceback of a law's exception with its notes, without the frames of airfair in front."""
    if isinstance(error.__cause__, LawTraceback):
        text = error.__cause__.text
        later = [note for note in getattr(error, "__notes__", ()) if note not in text]
        return text + "".join(f"{note}\n" for note in later)
    package = os.path.dirname(__file__) + os.sep  # noqa: PTH120 - as Python writes file names
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename.startswith(package):
        frames = frames.tb_next
    return "".join(traceback.format_exception(error.with_traceback(frames)))


class _Printed:
    """Text stream whose whole lines the starter prints, so that lines of several processes do not mix."""

    encoding, errors = "utf-8", "strict"

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection, self._name = connection, name
        self._held = ""

    def write(self, text: str) -> int:
        lines, end, rest = (self._held + text).rpartition("\n")
        self._held = rest
        if end:
            self._connection.send(("printed", self._name, lines + end))
        return len(text)

    def flush(self) -> None:
        """Send the last line, which has no end yet."""
        if self._held:
            self._connection.send(("printed", self._name, self._held))
            self._held = ""

    def isatty(self) -> bool:
        return False


def main(descriptor: int) -> None:
    """Execute orders until the starter closes the connection."""
    connection = Connection(descriptor)
    paths, _ = connection.recv()
    sys.path[:] = paths
    orders: queue.SimpleQueue[Order] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(connection, orders), daemon=True).start()
    printed = (_Printed(connection, name) for name in ("stdout", "stderr"))
    with (
        contextlib.redirect_stdout(next(printed)),
        contextlib.redirect_stderr(next(printed)),
    ):
        while True:
            order = orders.get()
            answer: tuple[Any, ...]
            try:
                octets = _execute(order, connection)
                sys.stdout.flush()
                sys.stderr.flush()
                answer = ("done", order.place, octets)
            except BaseException as error:  # noqa: BLE001 - the starter raises it
                answer = ("raised", order.place, _portable(error), trimmed(error))
            try:
                connection.send(answer)
            except OSError:
                os._exit(1)  # the starter is gone


def _receive(connection: Connection, orders: queue.SimpleQueue[Order]) -> None:
    try:
        while True:
            orders.put(connection.recv())
    except (EOFError, OSError):
        os._exit(0)


_KNOWN: dict[Any, Any] = {}
"""Scenarios by text and laws by reference, which are the same for many orders."""


def _execute(order: Order, connection: Connection) -> bytes:
    from airfair._core import Scenario

    if order.scenario not in _KNOWN:
        _KNOWN[order.scenario] = Scenario.parse(order.scenario.encode())
    for law in order.laws:
        if law not in _KNOWN:
            _KNOWN[law] = law.loaded()
    sent_at = time.monotonic()

    def shown(fraction: float) -> None:
        nonlocal sent_at
        if time.monotonic() - sent_at >= WAKE_S:
            sent_at = time.monotonic()
            connection.send(("progress", order.place, fraction))

    laws = tuple(_KNOWN[law] for law in order.laws)
    outcome = run(_KNOWN[order.scenario], order.replication, laws, shown)
    octets: bytes = outcome.to_bytes(histograms=order.histograms)
    return octets


def _portable(error: BaseException) -> bytes:
    """The exception as octets, or else a `RuntimeError` with its text and notes."""
    try:
        octets = pickle.dumps(error)
        pickle.loads(octets)  # noqa: S301 - our own
    except Exception:  # noqa: BLE001 - an exception may refuse in any way
        other = RuntimeError(f"{type(error).__name__}: {error}")
        for note in getattr(error, "__notes__", ()):
            other.add_note(note)
        return pickle.dumps(other)
    return octets


if __name__ == "__main__":
    # The module under its own name, so that both sides of the connection have the same classes.
    from airfair.law_worker import main as named

    named(int(sys.argv[1]))

"""Execution of one emulation, from its scenario to its result."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair import _core
from airfair.names import printable

from . import backend, congestion, running
from .control import Control
from .joining import JoiningError
from .leftovers import Leftovers
from .live import Viewer
from .web import SAID, Listener, Web

if TYPE_CHECKING:
    from airfair.law import Law
    from airfair.result import Result

    State = dict[str, Any]

STEP_S = 1.0
"""Time between two updates of the display [s]."""
POLL_S = 0.05
"""Time between two checks for an ended program or emulation [s]."""
GRACE_S = 2.0
"""Longest wait for the end of a program after each signal [s]."""

SWITCH_S = 1e-4
"""Time after which a thread gives the interpreter to a law that waits for it [s]."""
MOST_PRESSES = 3
"""Number of times that Ctrl-C is pressed until the process no longer waits for a law."""

NOT_EXECUTABLE, NOT_FOUND = 126, 127
"""Exit statuses of a command that could not be started, as in shells."""
SIGNALLED = 128
"""Offset of the exit status of a command ended by a signal."""


@dataclass(frozen=True)
class Command:
    """Program that runs in the namespace of a node; when it ends, the emulation ends."""

    words: list[str]
    node: str


@dataclass(frozen=True)
class Limit:
    """Time after which an emulation ends."""

    duration_ns: int
    source: str
    """Option or key that has set the time."""

    def __str__(self) -> str:
        return f"{self.source} of {self.duration_ns / 1e9:g} s"


@dataclass(frozen=True)
class Wish:
    """Options of an emulation besides the scenario."""

    command: Command | None = None
    limit: Limit | None = None
    """Time after which it ends; `None` for the end of the command, or Ctrl-C."""
    backend: str | None = None
    """Kind of network interfaces; `None` for the best permitted kind."""
    spins: bool = False
    """True if the emulation busy-waits at the end of each wait, to be less late."""
    is_quiet: bool = False
    """True if the progress is not displayed."""
    keeps_output: bool = False
    """True if standard output is reserved for airfair; the command's output goes to standard error."""
    listener: Listener | None = None
    """Listener on which a live picture is served; `None` for none."""
    joined: Mapping[str, Path] = field(default_factory=dict)
    """Paths of existing network namespaces, by the node that joins them."""
    congestion: Mapping[str, str] = field(default_factory=dict)
    """TCP congestion control of nodes; the others have the default of the emulation."""
    laws: Callable[[], list[tuple[int, Law]]] | None = None
    """Function that creates the laws, as pairs of a member and its law as in `airfair.law.place`.

    It is called after this process has entered a user namespace, because laws may start threads.
    """
    tracing: Callable[[_core.Scenario], _core.Tracing] | None = None
    """Function that opens the trace files, for the scenario with the flows of programs.

    It is called last before the start. The caller closes the files.
    """


@dataclass(frozen=True)
class Session:
    """Outcome of an emulation that has ended."""

    backend: str
    congestion_control: str
    state: State
    """State at the end."""
    result: Result | None
    """Result; `None` if there were no flows, or if the emulation ended within the warm-up."""
    status: int | None
    """Exit status of the command; `None` without a command, or if it was stopped."""
    interrupted: bool
    raised: BaseException | None = None
    """Exception of a law that has ended the emulation."""


def say(text: str) -> None:
    """Print a message on standard error."""
    print(f"airfair: {printable(text)}", file=sys.stderr, flush=True)  # noqa: T201


def run(scenario: _core.Scenario, wish: Wish) -> Session:
    """Emulate a scenario until its command or its time ends, or until Ctrl-C.

    Raises `NotPermittedError` if no interfaces can be created, `MistakeError` if the system refuses the value
    of an option, and `OSError` for other errors of the system.
    """
    where = running.folder()
    for process in running.clean(where):
        say(f"removed the files that the killed emulation {process} left behind")
    choice = backend.choose(wish.backend)
    if wish.joined and choice.place is not backend.Place.OF_ROOT:
        raise JoiningError(
            f"{next(iter(wish.joined))}: joining a namespace needs root and TAP devices; this emulation has "
            f"{choice.report}"
        )
    congestion.check(wish.congestion)
    laws = wish.laws() if wish.laws is not None else []
    with ExitStack() as stack:
        if laws:
            stack.enter_context(_prompt())
        emulation = _core.Emulation(
            scenario,
            backend=choice.kind,
            seed=scenario.seed,
            duration_ns=None if wish.limit is None else wish.limit.duration_ns,
            spin=wish.spins,
            laws=laws,
            joined=wish.joined,
            congestion=wish.congestion,
            tracing=None if wish.tracing is None else wish.tracing(_core.emulated(scenario)),
        )

        leftovers = Leftovers(emulation.nodes, wish.joined)
        stack.callback(leftovers.close)

        def state() -> State:
            found: State = json.loads(emulation.view())
            return found

        url = None if wish.listener is None else wish.listener.url
        about = {
            "title": scenario.title,
            "backend": choice.kind,
            "url": url,
            "nodes": emulation.nodes,
        }
        registration = running.Registration(where, about, emulation.hosts_file)
        stack.callback(registration.close)
        control = Control(registration.control, emulation, state)
        stack.callback(control.close)
        default = emulation.congestion_control
        _tell_choice(choice, emulation, wish.congestion)
        end_picture = _picture(wish.listener, scenario, emulation, state)
        stack.callback(end_picture, "")
        if wish.command is None:
            _introduce(emulation, registration, wish.limit)
        carriers = Carriers(emulation, registration.hosts)
        stack.callback(carriers.close)
        viewer = Viewer(scenario.title, state(), is_quiet=wish.is_quiet)
        stack.callback(viewer.close)
        status, interrupted = _wait(
            emulation, wish, registration.hosts, carriers, lambda: viewer.show(state())
        )
        carriers.close()
        viewer.close()
        _tell_limit(emulation, wish.limit)
        if laws:
            interrupted = _wait_for_laws(emulation, interrupted=interrupted)
        if wish.command is not None:
            emulation.stop()  # The result does not contain the time in which the programs end.
            leftovers.end(say)
        as_emulated, outcome, last = emulation.end()
        raised = emulation.raised
        end_picture(last)
    result = None
    if outcome is not None and as_emulated.flows:
        from airfair.result import Result

        result = Result(as_emulated, [outcome])
    return Session(choice.kind, default, json.loads(last), result, status, interrupted, raised)


def _tell_choice(
    choice: backend.Choice, emulation: _core.Emulation, of_nodes: Mapping[str, str]
) -> None:
    first = "; real-time priority (SCHED_FIFO)" if emulation.goes_before_others else ""
    default = emulation.congestion_control
    own = "".join(f"; {name} at {node}" for node, name in of_nodes.items())
    say(f"{choice.report}; congestion control of the kernel: {default}{own}{first}")
    if choice.advice is not None:
        say(choice.advice)


def _picture(
    listener: Listener | None,
    scenario: _core.Scenario,
    emulation: _core.Emulation,
    state: Callable[[], State],
) -> Callable[[str], None]:
    """Start the live picture, if one is wished; returns the function that ends it with the last state."""
    if listener is None:
        return lambda _last: None
    say(f"{SAID}{listener.url}")
    rates = {node["name"]: node["rates_bps"] for node in emulation.nodes}
    cells = zip(scenario.stations, scenario.station_cells, strict=True)
    about = {
        "version": _core.__version__,
        "title": scenario.title,
        "cells": scenario.cells,
        "stations": [
            {"name": name, "cell": cell, "rates_bps": rates[name]} for name, cell in cells
        ],
    }
    return Web(listener, about, emulation, state).close


@contextmanager
def _prompt() -> Iterator[None]:
    """Keep waits for the interpreter short, because the emulated cell pauses during them.

    Objects that exist already need no garbage collection while laws run. A thread that waits for the
    interpreter gets it after a tenth of a millisecond.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        sys.setswitchinterval(before)


def _wait_for_laws(emulation: _core.Emulation, *, interrupted: bool) -> bool:
    """Wait until the engine and the laws have ended; returns true if Ctrl-C was pressed by then.

    After Ctrl-C, a law that does not return is interrupted after `GRACE_S`, but not a law that handles the
    end. Ctrl-C once more interrupts that one, too. If a law does not react, Ctrl-C raises
    `KeyboardInterrupt`.
    """
    emulation.stop()
    presses = int(interrupted)
    began = time.monotonic()
    while not emulation.is_over:
        try:
            time.sleep(POLL_S)
            is_long = time.monotonic() - began > GRACE_S
            if presses > 1 or (presses and is_long and not emulation.laws_are_ending):
                _interrupt(emulation.law_thread)
        except KeyboardInterrupt:
            presses += 1
            if presses >= MOST_PRESSES:
                raise
            say("a law has not returned yet; it is interrupted")
    return presses > 0


def _interrupt(thread: int | None) -> None:
    """Raise `KeyboardInterrupt` in a thread, if the thread is in Python."""
    if thread is not None:
        error = ctypes.py_object(KeyboardInterrupt)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)


class Carriers:
    """Programs of the scenario's TFRC flows, which send over real sockets of the emulation."""

    def __init__(self, emulation: _core.Emulation, hosts: Path) -> None:
        """Start the programs whose start time is zero."""
        self._emulation, self._hosts = emulation, hosts
        self._began = time.monotonic()
        self._waiting = emulation.programs
        self._running: list[tuple[int, float | None]] = []
        self.look()

    def look(self) -> None:
        """Start and end the programs whose start or stop time has passed."""
        now = time.monotonic() - self._began
        due = [program for program in self._waiting if program["start_s"] <= now]
        self._waiting = [program for program in self._waiting if program["start_s"] > now]
        for program in due:
            # The program's output is discarded, because the emulated cell counts the packets.
            words = ["sh", "-c", 'exec "$@" >/dev/null 2>&1', "sh"]
            words += [sys.executable, "-m", "airfair", *program["arguments"]]
            process = self._emulation.spawn(
                program["node"], words, self._hosts, limited=program["limited"]
            )
            self._running.append((process, program["stop_s"]))
        ended = [process for process, stop in self._running if stop is not None and stop <= now]
        self._end(ended)

    def close(self) -> None:
        """End all programs."""
        self._waiting = []
        self._end([process for process, _ in self._running])

    def _end(self, processes: list[int]) -> None:
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)
        for process in processes:
            _stop(process)
        self._running = [it for it in self._running if it[0] not in processes]


def _introduce(
    emulation: _core.Emulation, registration: running.Registration, limit: Limit | None
) -> None:
    for node in emulation.nodes:
        say(f"{node['kind']} {node['name']}: {node['ipv4']}, {node['ipv6']}")
    name = emulation.nodes[0]["name"]
    say(f"to start a shell in one of them, run in another terminal: airfair shell {name}")
    say(f"control socket: {registration.control}")
    if limit is not None:
        say(f"it ends after {limit} (--duration sets another time, and --duration off none)")
    say("press Ctrl-C to end the emulation")


def _tell_limit(emulation: _core.Emulation, limit: Limit | None) -> None:
    """Print that the time is over, if it has ended the emulation."""
    if limit is not None and emulation.is_over and emulation.raised is None:
        say(f"{limit} is over")


def _wait(
    emulation: _core.Emulation,
    wish: Wish,
    hosts: Path,
    carriers: Carriers,
    show: Callable[[], None],
) -> tuple[int | None, bool]:
    """Wait until the command ends, the time is over, or Ctrl-C is pressed.

    Returns the exit status of the command (`None` if it did not end by itself), and true after Ctrl-C.
    """
    process = None
    if emulation.raised is not None:
        return None, False
    if wish.command is not None:
        try:
            process = emulation.spawn(
                wish.command.node, wish.command.words, hosts, to_errors=wish.keeps_output
            )
        except OSError as error:
            say(f"{wish.command.words[0]}: {error.strerror or error}")
            return (NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE), False
    next_step = time.monotonic() + STEP_S
    try:
        while not emulation.is_over:
            if process is not None and (status := _ended(process)) is not None:
                return status, False
            carriers.look()
            time.sleep(POLL_S)
            if time.monotonic() >= next_step:
                next_step += STEP_S
                show()
    except KeyboardInterrupt:
        _stop(process)
        return None, True
    _stop(process)
    return None, False


def _ended(process: int) -> int | None:
    """Exit status of a child process; `None` while it runs."""
    found, status = os.waitpid(process, os.WNOHANG)
    if found == 0:
        return None
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else SIGNALLED - code


def _stop(process: int | None) -> None:
    """End a process with SIGTERM, and with SIGKILL if it still runs after `GRACE_S`."""
    if process is None:
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.kill(process, number)
        deadline = time.monotonic() + GRACE_S
        while time.monotonic() < deadline:
            if _ended(process) is not None:
                return
            time.sleep(POLL_S)

"""One emulation, from its scenario to its result."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair import _core
from airfair.names import printable

from . import backend, running
from .control import Control
from .live import Viewer

if TYPE_CHECKING:
    from airfair.result import Result

    State = dict[str, Any]

STEP_S = 1.0
"""Time between two lines, or two pictures of the view."""
POLL_S = 0.05
"""Time between two looks at whether something has ended."""
GRACE_S = 2.0
"""Time that a program has to end after each signal."""

NOT_EXECUTABLE, NOT_FOUND = 126, 127
"""Statuses of a command that could not be started, as shells have them."""
SIGNALLED = 128
"""Offset of the exit status of a command ended by a signal."""


@dataclass(frozen=True)
class Command:
    """A program that runs in the namespace of a node, and with which the emulation ends."""

    words: list[str]
    node: str


@dataclass(frozen=True)
class Wish:
    """Options of an emulation besides the scenario."""

    command: Command | None = None
    duration_ns: int | None = None
    backend: str | None = None
    """Kind of interfaces; None: the best that is permitted."""
    spins: bool = False
    """True if the engine stays awake at the end of each wait."""
    is_quiet: bool = False
    """True if nobody wants to see how it goes on."""
    keeps_output: bool = False
    """True if standard output is ours: what the command prints there goes to standard error."""


@dataclass(frozen=True)
class Session:
    """An emulation that has ended."""

    backend: str
    congestion_control: str
    state: State
    """The last one."""
    result: Result | None
    """None if no flow had anything to do, or if it ended within the warm-up."""
    status: int | None
    """Exit status of the command; None without one, or if it was interrupted."""
    interrupted: bool


def say(text: str) -> None:
    """Tell people something."""
    print(f"airfair: {printable(text)}", file=sys.stderr, flush=True)  # noqa: T201


def run(scenario: _core.Scenario, wish: Wish) -> Session:
    """Emulate a scenario until its command or its time ends, or until Ctrl-C.

    Raises `NotPermittedError`, and `OSError` where the operating system refuses something.
    """
    where = running.folder()
    for process in running.clean(where):
        say(f"removed the files that the killed emulation {process} left behind")
    kind = backend.choose(wish.backend)
    with ExitStack() as stack:
        emulation = _core.Emulation(
            scenario,
            backend=kind,
            seed=scenario.seed,
            duration_ns=wish.duration_ns,
            spin=wish.spins,
        )

        def state() -> State:
            found: State = json.loads(emulation.view())
            return found

        about = {"title": scenario.title, "backend": kind, "nodes": emulation.nodes}
        registration = running.Registration(where, about, emulation.hosts_file)
        stack.callback(registration.close)
        control = Control(registration.control, emulation, state)
        stack.callback(control.close)
        congestion = emulation.congestion_control
        first = "; real-time priority (SCHED_FIFO)" if emulation.goes_before_others else ""
        say(f"{backend.MEANING[kind]}; congestion control of the kernel: {congestion}{first}")
        if wish.command is None:
            _introduce(emulation, registration)
        carriers = Carriers(emulation, registration.hosts)
        stack.callback(carriers.close)
        viewer = Viewer(scenario.title, state(), is_quiet=wish.is_quiet)
        stack.callback(viewer.close)
        status, interrupted = _wait(
            emulation, wish, registration.hosts, carriers, lambda: viewer.show(state())
        )
        carriers.close()
        viewer.close()
        as_emulated, outcome, last = emulation.end()
    result = None
    if outcome is not None and as_emulated.flows:
        from airfair.result import Result

        result = Result(as_emulated, [outcome])
    return Session(kind, congestion, json.loads(last), result, status, interrupted)


class Carriers:
    """Programs that carry flows of the scenario: TFRC over real sockets."""

    def __init__(self, emulation: _core.Emulation, hosts: Path) -> None:
        """Start those whose time has come."""
        self._emulation, self._hosts = emulation, hosts
        self._began = time.monotonic()
        self._waiting = emulation.programs
        self._running: list[tuple[int, float | None]] = []
        self.look()

    def look(self) -> None:
        """Start and end those whose time has come."""
        now = time.monotonic() - self._began
        due = [program for program in self._waiting if program["start_s"] <= now]
        self._waiting = [program for program in self._waiting if program["start_s"] > now]
        for program in due:
            # Its output is discarded: packets are counted in the emulated cell.
            words = ["sh", "-c", 'exec "$@" >/dev/null 2>&1', "sh"]
            words += [sys.executable, "-m", "airfair", *program["arguments"]]
            process = self._emulation.spawn(
                program["node"], words, self._hosts, limited=program["limited"]
            )
            self._running.append((process, program["stop_s"]))
        ended = [process for process, stop in self._running if stop is not None and stop <= now]
        self._end(ended)

    def close(self) -> None:
        """End all of them."""
        self._waiting = []
        self._end([process for process, _ in self._running])

    def _end(self, processes: list[int]) -> None:
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)
        for process in processes:
            _stop(process)
        self._running = [it for it in self._running if it[0] not in processes]


def _introduce(emulation: _core.Emulation, registration: running.Registration) -> None:
    for node in emulation.nodes:
        say(f"{node['kind']} {node['name']}: {node['ipv4']}, {node['ipv6']}")
    name = emulation.nodes[0]["name"]
    say(f"to start a shell in one of them, run in another terminal: airfair shell {name}")
    say(f"control socket: {registration.control}")
    say("press Ctrl-C to end the emulation")


def _wait(
    emulation: _core.Emulation,
    wish: Wish,
    hosts: Path,
    carriers: Carriers,
    show: Callable[[], None],
) -> tuple[int | None, bool]:
    """Wait until something ends: the status of the command, and whether it was interrupted."""
    process = None
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
    """Status of a process that has ended."""
    found, status = os.waitpid(process, os.WNOHANG)
    if found == 0:
        return None
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else SIGNALLED - code


def _stop(process: int | None) -> None:
    """End a process: politely at first."""
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

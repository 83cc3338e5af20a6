"""Emulation of a scenario from Python, in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self, cast

from airfair import _core
from airfair.errors import OptionError
from airfair.names import did_you_mean
from airfair.scenario import Source, Value, folder_of, parse, text_of, toml_value

from . import backend, options, running, web
from .node import PROGRAM, Node

if TYPE_CHECKING:
    from airfair.result import Result

    Words = str | os.PathLike[str]

START_S = 60.0
"""Longest wait for the start of an emulation [s]."""
END_S = 60.0
"""Longest wait for the end of an emulation after it was asked to end [s]."""
GRACE_S = 2.0
"""Longest wait for the end of programs after SIGTERM [s]."""
POLL_S = 0.02
"""Time between two looks at an emulation [s]."""
_FAILED = 1
"""Exit status of an emulation that could not write a file; the command `cat` has none of its own."""


class EmulationError(RuntimeError):
    """Raised if an emulation does not start, ends too early, or refuses a change; the text has the reason."""


class InvalidEmulationError(EmulationError):
    """Raised if the machine has affected an emulation; `reasons` are those of its verdict."""

    def __init__(self, *reasons: str) -> None:
        super().__init__("the emulation is invalid: " + "; ".join(reasons))
        self.reasons = list(reasons)

    def __reduce__(self) -> tuple[type[Self], tuple[str, ...]]:
        return type(self), tuple(self.reasons)


@dataclass(frozen=True)
class Verdict:
    """Verdict on an emulation: valid if its results depend on the simulated cell alone."""

    valid: bool
    reasons: list[str]
    """Reasons for which the emulation is invalid; empty if it is valid."""


class Emulation:
    """Cell of a scenario in real time, with a network namespace for each station and host.

    >>> with airfair.Emulation("cell.toml") as cell:  # doctest: +SKIP
    ...     cell.node("fast").run(["curl", "-o", "/dev/null", "http://server/10M"])
    ...     cell.set_rate("fast", "6 Mb/s")
    ...     cell.wait_until("5 s")
    >>> cell.result.flows, cell.verdict  # doctest: +SKIP

    `source`, `seed` and `set` are those of `airfair.run`. `nodes` maps nodes to existing network namespaces,
    which they join as root: a path such as `"/run/netns/web"`, `"pid:1234"`, `"docker:web"` or
    `"podman:web"`. `congestion_control` is the default of the kernel's TCP in the other namespaces: a name
    such as `"bbr"` for all nodes, or a mapping of nodes to names. `backend` is `"TAP"` or `"veth"`, by
    default the better one that this machine permits. `duration`, such as `"30 s"`, is the time after which
    the emulation ends; by default it ends with the `with` block. With `spin` the emulation busy-waits before
    each event, so that packets are less late. `pcap` and `timeline` are files for the frames and the events
    of the cell (docs/inside-a-run.md); they replace only files that airfair has written. `web` is the port of
    127.0.0.1 on which a live picture is served, 0 for a free one; `url` is its address.

    With `check`, the end of the block raises `InvalidEmulationError` if the verdict is invalid. An exception
    of the block is then its cause.

    The emulation runs in a process of its own, which ends if this process ends. It needs Linux, and root or
    the permission for user namespaces. `async with` starts and ends it in another thread.

    Raises `ScenarioError` with all mistakes of the scenario, and `OptionError` for other arguments that are
    not allowed. The start of the block raises `EmulationError` if the machine permits no emulation, and its
    end raises it if the result or a trace file could not be written.
    """

    def __init__(  # noqa: PLR0913 - options, each with a default
        self,
        source: Source,
        *,
        seed: int | None = None,
        set: Mapping[str, Value] | None = None,  # noqa: A002 - named after the option --set
        nodes: Mapping[str, Words] | None = None,
        congestion_control: str | Mapping[str, str] | None = None,
        backend: str | None = None,
        duration: str | None = None,
        spin: bool = False,
        pcap: Words | None = None,
        timeline: Words | None = None,
        web: int | None = None,
        check: bool = False,
    ) -> None:
        if sys.platform != "linux":
            raise OptionError("Emulation: only on Linux, because it needs network namespaces")
        keys: dict[str, Value] = {**(set or {}), **({} if seed is None else {"seed": seed})}
        overrides = [(path, toml_value(value)) for path, value in keys.items()]
        self.scenario = parse(text_of(source), overrides, folder_of(source), emulated=True)
        """Scenario that is emulated."""
        self._options = [
            *options.of_machine(backend, duration, spin=spin),
            *options.of_picture(web),
            *options.of_joined(nodes or {}, self.scenario),
            *options.of_congestion(congestion_control, nodes or {}, self.scenario),
            *options.of_traces(pcap, timeline),
        ]
        self._check = check
        self._open: ExitStack | None = None
        self._asking = threading.Lock()
        self._air: tuple[float, dict[str, float]]
        self._programs: list[subprocess.Popen[Any]]
        self.nodes: dict[str, Node] = {}
        """Stations and hosts by name; empty until the emulation has started."""
        self.url: str | None = None
        """Address of the live picture while the emulation runs; `None` without one."""
        self.verdict: Verdict | None = None
        """Verdict of the emulation; `None` until it has ended."""
        self.result: Result | None = None
        """Result, as of `airfair.run`, with a flow for each pair of nodes that exchanged packets.

        It is `None` until the emulation has ended, and if no packets crossed the cell after the warm-up.
        """

    def __enter__(self) -> Self:
        """Start the emulation; raises `EmulationError` if it does not start."""
        if self._open is not None:
            raise EmulationError("the emulation runs already; make another one")
        self.verdict = self.result = None
        self._air = (0.0, {})
        with ExitStack() as stack:
            self._process = self._launched(stack)
            record = self._started()
            self._control = stack.enter_context(socket.socket(socket.AF_UNIX))
            self._control.connect(str(record.control))
            self._answers = stack.enter_context(self._control.makefile("rb"))
            self._programs = []
            self.url = record.state["url"]
            self.nodes = {
                about["name"]: self._node(record, about) for about in record.state["nodes"]
            }
            self._open = stack.pop_all()
        return self

    def _launched(self, stack: ExitStack) -> subprocess.Popen[bytes]:
        """Process of the emulation; `stack` ends it, and removes its files."""
        self._folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        file, result = self._folder / "cell.toml", self._folder / "result"
        file.write_text(self.scenario.to_toml(), encoding="utf-8")
        document = stack.enter_context((self._folder / "document.json").open("wb"))
        messages = stack.enter_context((self._folder / "messages").open("wb"))
        words = [*PROGRAM, "emulate", str(file), *self._options, "--json", "--out", str(result)]
        # The emulation ends with its command `cat`, and `cat` with the pipe, whose other end is here.
        process = subprocess.Popen(
            [*words, "--", "cat"],
            stdin=subprocess.PIPE,
            stdout=document,
            stderr=messages,
            start_new_session=True,  # Ctrl-C is for the `with` block.
        )
        stack.enter_context(process)
        stack.callback(process.kill)
        return process

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the emulation, and read its verdict and its result."""
        opened, self._open = self._open, None
        self.url = None
        if opened is None:
            return
        with opened:
            self._end_programs()
            self._end()
            self._read()
        is_exit = kind is not None and not issubclass(kind, Exception)
        if self._check and not is_exit and self.verdict is not None and not self.verdict.valid:
            raise InvalidEmulationError(*self.verdict.reasons) from error

    async def __aenter__(self) -> Self:
        """As `__enter__`, in another thread."""
        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """As `__exit__`, in another thread."""
        await asyncio.to_thread(self.__exit__, kind, error, traceback)

    def node(self, name: str) -> Node:
        """Station or host of this name; raises `EmulationError` if there is none."""
        self._needs_running()
        if name not in self.nodes:
            allowed = ", ".join(self.nodes)
            raise EmulationError(
                f"{name!r}: no such station or host{did_you_mean(name, [*self.nodes])}; allowed {allowed}"
            )
        return self.nodes[name]

    @property
    def pid(self) -> int:
        """Process id of the emulation, as `airfair shell --pid` takes it."""
        self._needs_running()
        return self._process.pid

    def state(self) -> dict[str, Any]:
        """Counters of the emulation, as the control socket has them (docs/emulator.md)."""
        state: dict[str, Any] = self._ask({"get": "state"})["state"]
        return state

    @property
    def elapsed_s(self) -> float:
        """Channel time since the start [s]."""
        return float(self.state()["elapsed_s"])

    def air(self) -> dict[str, float]:
        """Share of the time in which each station held the air, since the last call or the start."""
        began, before = self._air
        self._air = now, held = self._held()
        took = now - began
        return {
            name: (held[name] - before.get(name, 0.0)) / took if took > 0 else 0.0 for name in held
        }

    def set_rate(self, station: str, rate: str, *, direction: str = "both") -> None:
        """Set the rate of a station's link, such as `"6 Mb/s"`: `"up"`, `"down"` or `"both"` ways."""
        self._ask({"set": "rate", "station": station, "direction": direction, "value": rate})

    def set_errors(self, station: str, probability: float) -> None:
        """Set the probability that a frame of a station's link has an error."""
        self._ask({"set": "errors", "station": station, "value": probability})

    def set_queue(self, cell: str, queue: Mapping[str, Value]) -> None:
        """Replace the queue of a cell's access point; `queue` has the keys of `ap.queue` in a scenario."""
        self._ask({"set": "queue", "cell": cell, "value": queue})

    def set_weights(self, cell: str, *, data: int, acks: int) -> None:
        """Set the weights of data and ACKs at an access point with the discipline `data-ack`."""
        self._ask({"set": "weights", "cell": cell, "data": data, "acks": acks})

    def wait_until(self, time_: str | float) -> None:
        """Wait until the channel time since the start is `time_`, such as `"5 s"`, or a number of seconds.

        Raises `EmulationError` if the emulation ends before.
        """
        end = options.seconds("wait_until", time_) if isinstance(time_, str) else float(time_)
        while (left := end - self.elapsed_s) > 0:
            time.sleep(min(left, 1.0))

    def _node(self, record: running.Running, about: Mapping[str, Any]) -> Node:
        network = cast("Path", record.network(about["name"]))  # the record has its own nodes
        return Node(self._process.pid, about, network, self._programs)

    def _held(self) -> tuple[float, dict[str, float]]:
        """Channel time, and the airtime of each station [s]."""
        state = self.state()
        stations = (node for node in state["nodes"] if "radio" in node)
        return float(state["elapsed_s"]), {
            node["name"]: float(node["radio"]["airtime_s"]) for node in stations
        }

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self._needs_running()
        try:
            line = json.dumps(request)
        except TypeError as error:
            raise EmulationError(f"{request!r}: allowed is what JSON can express") from error
        try:
            with self._asking:
                self._control.sendall(line.encode() + b"\n")
                answer = self._answers.readline()
        except OSError:
            answer = b""
        if not answer:
            raise EmulationError(f"the emulation has ended{self._why()}")
        found: dict[str, Any] = json.loads(answer)
        if not found["ok"]:
            raise EmulationError(found["error"])
        return found

    def _needs_running(self) -> None:
        if self._open is None:
            raise EmulationError("the emulation does not run; use it in its with block")

    def _started(self) -> running.Running:
        """Record of the emulation's process, once it runs."""
        where = running.folder()
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise EmulationError(f"the emulation does not start{self._why()}")
            for one in running.all_running(where):
                if one.process == self._process.pid and one.control.exists():
                    return one
            time.sleep(POLL_S)
        raise EmulationError(f"the emulation has not started within {START_S:.0f} s{self._why()}")

    def _end_programs(self) -> None:
        """End the programs in the namespaces that still run."""
        left = [program for program in self._programs if program.poll() is None]
        for program in left:
            program.terminate()
        deadline = time.monotonic() + GRACE_S
        for program in left:
            try:
                program.wait(max(deadline - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()

    def _end(self) -> None:
        """Ask the emulation to end, and wait for that."""
        with suppress(BrokenPipeError):
            cast("IO[bytes]", self._process.stdin).close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired as error:
            raise EmulationError(
                f"the emulation has not ended within {END_S:.0f} s{self._why()}"
            ) from error

    def _read(self) -> None:
        """Read the verdict and the result of the emulation that has ended."""
        folder = self._folder / "result"
        try:
            document = json.loads((self._folder / "document.json").read_bytes())
            self.verdict = Verdict(bool(document["valid"]), list(document["objections"]))
            if document["result"] is not None:
                from airfair.loading import load_result

                self.result = load_result(folder)
        except (OSError, ValueError, _core.RunError) as error:
            raise EmulationError(f"the emulation left no result{self._why()}") from error
        if self._process.returncode == _FAILED:
            raise EmulationError(f"the emulation could not write its files{self._why()}")

    def _why(self) -> str:
        """Errors that the emulation has printed, to follow a sentence."""
        text = (self._folder / "messages").read_text(encoding="utf-8", errors="replace")
        own = "airfair: "
        said = [line.removeprefix(own) for line in text.splitlines() if line.startswith(own)]
        reports = [line for line in said if backend.is_report(line) or line.startswith(web.SAID)]
        errors = [line for line in said if line not in reports]
        return f": {'; '.join(errors)}" if errors else ""

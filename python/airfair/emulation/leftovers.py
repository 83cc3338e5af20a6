"""Programs that a command leaves behind in the namespaces of an emulation."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GRACE_S = 2.0
"""Time in which programs may end by themselves, and after SIGTERM [s]."""
POLL_S = 0.05
"""Time between two looks at the programs [s]."""


@dataclass(frozen=True)
class Leftover:
    """Program that runs in the namespace of a node."""

    process: int
    program: str
    node: str

    def __str__(self) -> str:
        return f"{self.program} (process {self.process}) in {self.node}"


class Leftovers:
    """Programs in the namespaces that an emulation has made; namespaces that nodes have joined are left out.

    The namespaces stay open until this is closed, so that no other namespace gets their inode numbers.
    """

    def __init__(self, nodes: Iterable[Mapping[str, Any]], joined: Container[str]) -> None:
        own = [node for node in nodes if node["name"] not in joined]
        self._files = [os.dup(node["descriptor"]) for node in own]
        self._nodes = {
            _identity(os.fstat(file)): node["name"]
            for file, node in zip(self._files, own, strict=True)
        }

    def close(self) -> None:
        """Close the namespaces."""
        for file in self._files:
            os.close(file)
        self._files = []

    def end(self, say: Callable[[str], None]) -> None:
        """End the programs that do not end by themselves within `GRACE_S`, and name them with `say`."""
        after = "after the command has ended"
        for number, words in (
            (signal.SIGTERM, f"still runs {GRACE_S:.0f} s {after}; it gets SIGTERM"),
            (signal.SIGKILL, f"still runs {GRACE_S:.0f} s after SIGTERM; it is killed"),
        ):
            for left in self._await_end():
                say(f"{left} {words}")
                self._send(left, number)
        for left in self._await_end():
            say(f"{left} does not end")

    def _await_end(self) -> list[Leftover]:
        """Programs that still run after `GRACE_S`; returns at once if there are none."""
        deadline = time.monotonic() + GRACE_S
        while (left := self._running()) and time.monotonic() < deadline:
            time.sleep(POLL_S)
        return left

    def _running(self) -> list[Leftover]:
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            process = int(path.name)
            node = self._node_of(process)
            if node is not None:
                with suppress(OSError):
                    program = (path / "comm").read_text(errors="replace").strip()
                    found.append(Leftover(process, program, node))
        return found

    def _node_of(self, process: int) -> str | None:
        """Node in whose namespace a process runs; `None` for other processes, and for those that ended."""
        try:
            return self._nodes.get(_identity(Path(f"/proc/{process}/ns/net").stat()))
        except OSError:
            return None

    def _send(self, left: Leftover, number: signal.Signals) -> None:
        """Send a signal to a program, unless it has ended and its process id is that of another one."""
        with suppress(OSError):
            file = os.pidfd_open(left.process)
            try:
                if self._node_of(left.process) == left.node:
                    signal.pidfd_send_signal(file, number)
            finally:
                os.close(file)


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino

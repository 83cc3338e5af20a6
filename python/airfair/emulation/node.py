"""Node of an emulation that was started from Python."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Words = str | os.PathLike[str]

PROGRAM = (sys.executable, "-m", "airfair")
"""Command line of airfair in this Python."""


class Node:
    """Station or host of a running emulation, with a network namespace of its own."""

    def __init__(
        self,
        process: int,
        about: Mapping[str, Any],
        network: Path,
        programs: list[subprocess.Popen[Any]],
    ) -> None:
        self._process, self._programs = process, programs
        self.name: str = about["name"]
        self.kind: str = about["kind"]
        """`"station"` or `"host"`."""
        self.address: str = about["ipv4"]
        """IPv4 address, such as `"10.11.0.1"`."""
        self.address6: str = about["ipv6"]
        """IPv6 address, such as `"fd11::1"`."""
        self.netns = network
        """Path of the network namespace while the emulation runs, as `nsenter --net=` takes it."""

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name} {self.address}>"

    def command(self, words: Sequence[Words]) -> list[str]:
        """Command line that runs `words` in the namespace, such as for `asyncio.create_subprocess_exec`."""
        if isinstance(words, str) or not words:
            raise TypeError(f"{words!r}: allowed is a list of a program and its arguments")
        inside = [os.fspath(word) for word in words]
        return [*PROGRAM, "shell", "--pid", str(self._process), self.name, "--", *inside]

    def run(
        self,
        words: Sequence[Words],
        **options: Any,  # noqa: ANN401 - those of `subprocess`
    ) -> subprocess.CompletedProcess[Any]:
        """Run a program in the namespace and wait for its end; `options` are those of `subprocess.run`.

        Unlike `subprocess.run`, it raises `subprocess.CalledProcessError` if the program fails, unless
        `check` is false.
        """
        options.setdefault("check", True)
        return subprocess.run(self.command(words), **options)  # noqa: PLW1510 - `check` is set

    def popen(
        self,
        words: Sequence[Words],
        **options: Any,  # noqa: ANN401 - those of `subprocess`
    ) -> subprocess.Popen[Any]:
        """Start a program in the namespace; `options` are those of `subprocess.Popen`.

        If it still runs when the emulation ends, it gets SIGTERM, and SIGKILL after two seconds.
        """
        process = subprocess.Popen(self.command(words), **options)
        self._programs.append(process)
        return process

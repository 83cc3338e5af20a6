"""Real emulations, which tests observe from outside while they run."""

from __future__ import annotations

import functools
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from airfair.emulation import running
from support import PROGRAM

CELL = """\
title    = "Two stations and a server"
duration = "4 s"

[bss.home]
standard = "802.11g"

[station.slow]
rate = "6 Mb/s"

[station.fast]

[host.server]
link = { rate = "100 Mb/s", delay = "1 ms" }
"""


@functools.cache
def is_permitted(kind: str) -> bool:
    """True if a process may create interfaces of this kind; a separate process tries it."""
    code = f"from airfair.emulation import backend; backend.choose({kind!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    return done.returncode == 0


def emulate(cell: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, "emulate", str(cell), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@contextmanager
def staying(cell: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], running.Running]]:
    """Process and record of an emulation without a limit; raises `RuntimeError` if it does not start."""
    command = [*PROGRAM, "emulate", str(cell), "--duration", "off", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            for _ in range(400):
                found = [
                    one
                    for one in running.all_running(running.folder())
                    if one.process == process.pid
                ]
                if found and found[0].control.exists():
                    break
                time.sleep(0.05)
            else:
                process.kill()
                raise RuntimeError(f"it does not start: {process.communicate()[1]}")
            yield process, found[0]
        finally:
            process.kill()

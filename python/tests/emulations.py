"""An emulation for real, for tests that look at it from outside while it goes on."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from airfair.emulation import running
from support import PROGRAM


@contextmanager
def staying(cell: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], running.Running]]:
    """An emulation without a command, once it runs; else `RuntimeError` says why."""
    command = [*PROGRAM, "emulate", str(cell), *words]
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

"""Comparison of the kernel's TCP in emulated cells with simulated TCP."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from airfair import store
from airfair.engine import Interrupted

from .cells import KernelCell
from .runs import NoEmulationError, Summary, emulated, simulated, summed

RUNS = 5
SECONDS = 32
QUICK_RUNS = 3
QUICK_SECONDS = 12
SIDE_BY_SIDE = 4
"""Number of emulations at a time; each uses a core for a small part of the time only."""

PERMISSION = """
import sys
from airfair.emulation.backend import NotPermittedError, choose
try:
    choose()
except NotPermittedError as error:
    sys.exit("\\n".join(error.lines))
"""
"""Python program that exits with an error message if this process may not run emulations."""


def check_permission() -> None:
    """Raise `NoEmulationError` if this process cannot run emulations.

    A child process tries it, because the attempt may put a process into a user namespace.
    """
    words = [sys.executable, "-c", PERMISSION]
    done = subprocess.run(words, capture_output=True, check=False, text=True)
    if done.returncode != 0:
        raise NoEmulationError(f"this process cannot run emulations\n{done.stderr.strip()}")


def check_file(file: Path) -> None:
    """Check before a comparison that `KernelComparison.save` can write `file`.

    Raises `OSError` if the file cannot be read, and `ValueError` if it holds anything but a comparison.
    """
    store.prepare(file.parent)
    kept(file)


def kept(file: Path) -> dict[str, Any]:
    """Comparisons that `file` holds; raises `ValueError` if it holds anything else."""
    found = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if not isinstance(found, dict):
        raise ValueError("allowed is a JSON object")  # noqa: TRY004 - of what is read, as all of JSON
    return found


def compare(
    chosen: Iterable[KernelCell],
    runs: int,
    seconds: int,
    *,
    side_by_side: int = SIDE_BY_SIDE,
    progress: Callable[[float], object] | None = None,
) -> dict[str, tuple[Summary, Summary]]:
    """Emulated and simulated summary of each cell, by name.

    Raises `ComparisonError`, and `Interrupted` on Ctrl-C, whose `result` has the finished cells.
    """
    seeds = range(1, runs + 1)
    cells = list(chosen)
    found: dict[str, tuple[Summary, Summary]] = {}
    with ThreadPoolExecutor(side_by_side) as pool:
        jobs = [
            (cell, [pool.submit(emulated, cell, seconds, seed) for seed in seeds]) for cell in cells
        ]
        try:
            for done, (cell, emulations) in enumerate(jobs):
                ours = [simulated(cell, seconds, seed) for seed in seeds]
                real = [run.result()[0] for run in emulations]
                found[cell.name] = (summed(real), summed(ours))
                if progress is not None:
                    progress((done + 1) / len(jobs))
        except BaseException as error:
            pool.shutdown(wait=False, cancel_futures=True)
            if isinstance(error, KeyboardInterrupt):
                raise Interrupted(found, runs * len(found)) from error
            raise
    return found

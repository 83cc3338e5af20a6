"""Comparison of the kernel's TCP in emulated cells with simulated TCP."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair import json_documents, store
from airfair.engine import Interrupted
from airfair.marks import PROGRAM

from .cells import KernelCell
from .runs import NoEmulationError, Summary, emulated, simulated, summed

if TYPE_CHECKING:
    from .table import Row

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
    """Check before a comparison that `keep` can save it in `file`.

    Raises `OSError` if the file cannot be read, and `ValueError` if it holds anything but a comparison.
    """
    store.prepare(file.parent)
    _kept(file)


def _kept(file: Path) -> dict[str, Any]:
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if not isinstance(kept, dict):
        raise ValueError("allowed is a JSON object")  # noqa: TRY004 - of what is read, as all of JSON
    return kept


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


def keep(file: Path, found: dict[str, tuple[Summary, Summary]], runs: int, seconds: int) -> None:
    """Save the comparison in `file`, in which the results of other cells stay.

    Raises `OSError` if the file cannot be written; it is unchanged then.
    """
    kept = _kept(file)
    cells = kept.get("stacks", {})
    cells |= {name: {"emulated": real, "simulated": ours} for name, (real, ours) in found.items()}
    about = {
        "date": f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d}",
        "kernel": os.uname().release,
        "cores": os.cpu_count(),
        "load": [round(os.getloadavg()[0], 1)],
        "runs": runs,
        "seconds": seconds,
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    # The mark comes first, because airfair searches only the start of a file for it.
    whole = {"program": PROGRAM} | kept | {"stacks": cells, "stacks_about": about}
    store.replace(file, (json.dumps(whole, indent=1) + "\n").encode())


def document(table: Iterable[Row]) -> dict[str, Any]:
    """Document that `airfair validate --kernel --json` prints."""
    entries = [
        {
            "cell": row.cell,
            "flow": row.flow,
            "kernel_bps": row.emulated[0] * 1e6,
            "kernel_ci95_bps": None if row.emulated[1] is None else row.emulated[1] * 1e6,
            "simulated_bps": row.simulated[0] * 1e6,
            "simulated_ci95_bps": None if row.simulated[1] is None else row.simulated[1] * 1e6,
            "verdict": row.verdict.value,
        }
        for row in table
    ]
    return json_documents.document("kernel", {"flows": entries})

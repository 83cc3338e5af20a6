"""Simulations and emulations of a cell, each in a separate process."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from airfair.statistics import half_width, mean

from .cells import KERNELS, LINUX, KernelCell

ATTEMPTS = 4
"""Largest number of emulations of a cell whose verdict is invalid before the comparison fails."""

MARKS = " marks [%]"
"""End of the name of a flow's share of marked packets, behind the name of the flow."""
INDEX = "index of airtime"
"""Name of Jain's index of the stations' airtime."""

Goodputs = dict[str, float]
"""Goodput of each flow [Mb/s], and its share of marked packets [%] if it answers marks."""
Take = Callable[[Mapping[str, Any]], Goodputs]
"""What a comparison takes from the JSON document of a result."""
Summary = dict[str, tuple[float, float | None]]
"""Means and half widths of 95 % intervals: goodput of each flow and of all [Mb/s], shares of marks [%]."""


class ComparisonError(Exception):
    """Raised if a run or an emulation fails, with the reason."""


class NoEmulationError(ComparisonError):
    """Raised if this process cannot run emulations."""


def goodputs(result: Mapping[str, Any]) -> Goodputs:
    """Goodputs in the JSON document of a result, and shares of marks."""
    found = {row["name"]: row["goodput_bps"] / 1e6 for row in result["flows"]}
    marks = {row["name"] + MARKS: 100 * (row["marked"] or 0.0) for row in result.get("marks", [])}
    return found | marks


def with_index(result: Mapping[str, Any]) -> Goodputs:
    """Goodputs in the JSON document of a result, and Jain's index of airtime."""
    return goodputs(result) | {INDEX: result["fairness"]["airtime"]}


def measured(command: Sequence[str], text: str) -> Mapping[str, Any] | None:
    """JSON document of what `airfair COMMAND` measures in a scenario; `None` for an invalid emulation.

    Raises `ComparisonError`.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cell.toml"
        file.write_text(text, encoding="utf-8")
        words = [sys.executable, "-m", "airfair", *command, str(file), "--json"]
        done = subprocess.run(words, capture_output=True, check=False, text=True)
    if done.returncode != 0:
        raise ComparisonError(done.stderr.strip() or f"airfair {command[0]}: {done.returncode}")
    document = json.loads(done.stdout)
    if not document.get("valid", True):
        return None
    result: Mapping[str, Any] = document.get("result", document)
    return result


def emulated(
    cell: KernelCell, seconds: int, seed: int, take: Take = goodputs
) -> tuple[Goodputs, int]:
    """Goodputs of a valid emulation, and number of invalid ones before it. Raises `ComparisonError`."""
    command = ["emulate", "--duration", f"{cell.seconds or seconds} s", "--seed", str(seed)]
    for invalid in range(ATTEMPTS):
        found = measured(command, cell.text(KERNELS, seconds))
        if found is not None:
            return take(found), invalid
    raise ComparisonError(f"{cell.name}: {ATTEMPTS} emulations in a row were not valid")


def simulated(
    cell: KernelCell, seconds: int, seed: int, transport: str = LINUX, take: Take = goodputs
) -> Goodputs:
    """Goodputs of a simulation, by default with TCP configured as in Linux. Raises `ComparisonError`."""
    found = measured(["run", "--seed", str(seed)], cell.text(transport, seconds))
    return take(found or {})


def summed(runs: Sequence[Goodputs]) -> Summary:
    """Means and half widths over runs, of each flow and of all together."""
    rows = [
        {**run, "all": sum(run[name] for name in run if not name.endswith((MARKS, INDEX)))}
        for run in runs
    ]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return {name: (mean(of) or 0.0, half_width(of)) for name, of in columns.items()}

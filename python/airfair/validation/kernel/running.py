"""Function `airfair.validate_kernel`: compares simulated TCP with the TCP of this machine's kernel."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair import json_documents, lazy, store
from airfair.engine import Interrupted
from airfair.errors import OptionError
from airfair.marks import PROGRAM
from airfair.progress import shown
from airfair.validation import kernel

from .cells import cells, is_quick
from .runs import MARKS
from .table import Agreement, Row, counted, rows

if TYPE_CHECKING:
    import polars as pl

    from .runs import Summary
else:
    pl = lazy.Module("polars")


@dataclass(frozen=True, repr=False)
class KernelComparison:
    """Emulated and simulated goodputs; it prints as the number of flows that agree."""

    cells: Mapping[str, tuple[Summary, Summary]]
    """Emulated and simulated summary of each cell, by name."""
    runs: int
    """Number of runs of each cell."""
    seconds: int
    """Duration of each run [s]."""

    def __repr__(self) -> str:
        return counted(self.rows)

    @cached_property
    def rows(self) -> Sequence[Row]:
        """A row for the goodput of each flow of each cell, and one for its marks if it answers marks."""
        return rows(dict(self.cells))

    @property
    def agrees(self) -> bool:
        """True if neither the goodput nor the marks of a flow differ."""
        return all(row.verdict is not Agreement.DIFFERS for row in self.rows)

    @property
    def table(self) -> pl.DataFrame:
        """Table with a row for each flow of each cell."""
        found = [
            {**entry, "difference": row.difference}
            for entry, row in zip(self.document()["flows"], self._of_goodputs(), strict=True)
        ]
        return pl.DataFrame(found, infer_schema_length=None)

    def _of_goodputs(self) -> list[Row]:
        return [row for row in self.rows if not row.has_marks]

    def document(self) -> dict[str, Any]:
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
            for row in self._of_goodputs()
        ]
        marks = [
            {
                "cell": row.cell,
                "flow": row.flow.removesuffix(MARKS),
                "kernel_marked": row.emulated[0] / 100,
                "simulated_marked": row.simulated[0] / 100,
                "verdict": row.verdict.value,
            }
            for row in self.rows
            if row.has_marks
        ]
        return json_documents.document("kernel", {"flows": entries, "marks": marks})

    def save(self, file: Path | str) -> None:
        """Save the comparison in a file of JSON, in which the results of other cells stay.

        Raises `OSError` if the file cannot be written; it is unchanged then.
        """
        file = Path(file)
        kept = kernel.kept(file)
        cells = {
            name: {"emulated": real, "simulated": ours} for name, (real, ours) in self.cells.items()
        }
        about = {
            "date": f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d}",
            "kernel": os.uname().release,
            "cores": os.cpu_count(),
            "load": [round(os.getloadavg()[0], 1)],
            "runs": self.runs,
            "seconds": self.seconds,
        }
        kept |= {"stacks": kept.get("stacks", {}) | cells, "stacks_about": about}
        file.parent.mkdir(parents=True, exist_ok=True)
        # The mark comes first, because airfair searches only the start of a file for it.
        store.replace(file, (json.dumps({"program": PROGRAM} | kept, indent=1) + "\n").encode())


def validate_kernel(
    *,
    quick: bool = False,
    only: str = "",
    progress: Callable[[float], object] | bool = True,
) -> KernelComparison:
    """Compare simulated TCP with the TCP of this machine's kernel in emulated cells, in real time.

    This takes 90 minutes, or eight if `quick` is true: only single flows then, in three short runs each.
    `only` selects the cells whose names contain this text, such as "alone up". `progress` is true to show a
    bar on standard error, or a function called with the fraction done.

    Raises `OptionError` if no cell is selected, `ComparisonError` if this process cannot run emulations or
    one fails, and `Interrupted` on Ctrl-C, whose `result` has the finished cells.
    """
    chosen = [cell for cell in cells() if is_quick(cell) or not quick]
    chosen = [cell for cell in chosen if only in cell.name]
    if not chosen:
        raise OptionError(
            f"only {only}: no cell's name contains this; a name is, for example, `11a alone up cubic 3%`"
        )
    kernel.check_permission()
    short = (kernel.QUICK_RUNS, kernel.QUICK_SECONDS)
    runs, seconds = short if quick else (kernel.RUNS, kernel.SECONDS)
    try:
        with shown(progress, "comparing") as tell:
            found = kernel.compare(chosen, runs, seconds, progress=tell)
    except Interrupted as stop:
        raise Interrupted(
            KernelComparison(stop.result, runs, seconds), runs * len(stop.result)
        ) from stop
    return KernelComparison(found, runs, seconds)

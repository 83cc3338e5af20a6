"""HTML fragment of a result, for notebooks: flows with confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .names import printable
from .pages import render
from .terminal_tables import Wish, flows

if TYPE_CHECKING:
    from .result import Result


def fragment(result: Result) -> str:
    """HTML with the title and the table of flows of a result; many flows form groups, as on a terminal."""
    return render(
        "fragment.html.jinja",
        title=printable(result.scenario.title),
        runs=runs(result),
        seed=result.scenario.seed,
        flows=flows(result, Wish()) if result.replications else None,
        printable=printable,
    )


def runs(result: Result) -> str:
    """Text with the number of runs and the duration of each."""
    scenario, n = result.scenario, result.replications
    number = "1 run" if n == 1 else f"{n} runs"
    if result.interrupted:
        number += f" of {scenario.replications} (interrupted)"
    warmup = f", of which {scenario.warmup_s:,.12g} s warm-up" if scenario.warmup_s else ""
    return f"{number} of {scenario.duration_s:,.12g} s{warmup}"

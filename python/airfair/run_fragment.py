"""HTML fragment of a result, for notebooks: flows with confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .names import printable
from .pages import render
from .run_tables import Wish, flows
from .summary import length

if TYPE_CHECKING:
    from .result import Result


def fragment(result: Result) -> str:
    """HTML with the title and the table of flows of a result; many flows form groups, as on a terminal."""
    return render(
        "fragment.html.jinja",
        title=printable(result.scenario.title),
        runs=length(result),
        seed=result.scenario.seed,
        flows=flows(result, Wish()) if result.replications else None,
        printable=printable,
    )

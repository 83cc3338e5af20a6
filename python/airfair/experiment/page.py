"""Page of an experiment: one HTML file without external resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airfair.names import printable
from airfair.pages import Picture, render

from . import text
from .measures import measure

if TYPE_CHECKING:
    from .results import ExperimentResult
    from .study import Study


def page(
    study: Study,
    results: ExperimentResult,
    pictures: Sequence[Picture],
    about: Mapping[str, Any],
) -> str:
    """HTML page of a study; `about` is the manifest."""
    return render(
        "experiment.html.jinja",
        title=printable(results.title),
        heading=text.extent(results),
        about=about,
        interrupted=results.interrupted,
        in_pairs=results.in_pairs,
        figures=pictures,
        verdicts=results.decide(),
        points=text.points(results, text.measures(study)),
        hidden=max(0, len(results.finished.points) - text.MOST_POINTS),
        comparisons=[
            {
                "title": f"{one.factor} against {one.baseline}",
                "table": text.differences(results, one),
            }
            for one in study.comparisons
        ],
        factors=[
            {"name": factor.name, "text": str(factor).partition(": ")[2]}
            for factor in results.factors
        ],
        source_name=printable(study.path.name),
        source=_lines(study.path.read_text(encoding="utf-8")),
        scenario=_lines(results.finished.scenarios[0].to_toml()) if results.finished.points else "",
        printable=printable,
    )


def fragment(results: ExperimentResult) -> str:
    """HTML for a notebook: points, the measures of the claims at each point, and the verdicts."""
    measures = list(dict.fromkeys(claim.measure for claim in results.claims)) or [
        measure("goodput")
    ]
    return render(
        "experiment_fragment.html.jinja",
        title=printable(results.title),
        extent=text.extent(results),
        points=text.points(results, measures),
        hidden=max(0, len(results.finished.points) - text.MOST_POINTS),
        verdicts=results.decide(),
        printable=printable,
    )


def _lines(content: str) -> str:
    return "\n".join(map(printable, content.splitlines()))

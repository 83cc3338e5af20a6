"""Page of an experiment: one HTML file without external resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from airfair.names import printable
from airfair.pages import inline_svg, render

from . import text
from .measures import measure

if TYPE_CHECKING:
    from .measures import Measure
    from .results import ExperimentResult
    from .study import Comparison


@dataclass(frozen=True)
class Picture:
    """Figure of the page with its caption."""

    svg: Markup
    caption: str


@dataclass(frozen=True)
class Shown:
    """Measures and comparisons to show, and `source`, the name and text of the study file."""

    measures: Sequence[Measure]
    comparisons: Sequence[Comparison]
    source: tuple[str, str]


@dataclass(frozen=True)
class Drawn:
    """Figure as an SVG document, with title and caption."""

    svg: str
    title: str
    caption: str


def page(
    results: ExperimentResult,
    shown: Shown,
    drawn: Mapping[str, Drawn],
    about: Mapping[str, Any],
) -> str:
    """HTML page of an experiment; `drawn` has the figures by name, and `about` is the manifest."""
    return render(
        "experiment.html.jinja",
        title=printable(results.title),
        heading=text.extent(results),
        about=about,
        interrupted=results.interrupted,
        in_pairs=results.in_pairs,
        figures=[
            Picture(inline_svg(one.svg, name, printable(one.title)), printable(one.caption))
            for name, one in drawn.items()
        ],
        verdicts=results.decide(),
        points=text.points(results, shown.measures),
        hidden=max(0, len(results.finished.points) - text.MOST_POINTS),
        comparisons=[
            {
                "title": f"{one.factor} against {one.baseline}",
                "table": text.differences(results, one),
            }
            for one in shown.comparisons
        ],
        factors=[
            {"name": factor.name, "text": str(factor).partition(": ")[2]}
            for factor in results.factors
        ],
        source_name=printable(shown.source[0]),
        source=_lines(shown.source[1]),
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

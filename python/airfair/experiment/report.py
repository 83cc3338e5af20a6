"""Files of a study's results: tables, JSON document, figures and an HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airfair import json_documents, store
from airfair._core import __version__
from airfair.estimate import finite
from airfair.figures import png, svg
from airfair.names import printable
from airfair.pages import Picture, inline_svg
from airfair.run_document import document as of_run

from . import page, text
from .files import DOCUMENT, PAGE, contents
from .plot import drawn as plotted

if TYPE_CHECKING:
    from .claims import Verdict
    from .results import ExperimentResult
    from .study import Study


def tables(study: Study, results: ExperimentResult) -> dict[str, bytes]:
    """Content of the tables, the study file and the JSON document, by file name."""
    return {
        **contents(results),
        study.path.name: study.path.read_bytes(),
        DOCUMENT: store.encode(document(study, results)),
    }


def drawn(study: Study, results: ExperimentResult, about: Mapping[str, object]) -> dict[str, bytes]:
    """Content of the figures and the HTML page, by file name."""
    pictures: list[Picture] = []
    files: dict[str, bytes] = {}
    for one in study.pictures():
        figure = plotted(results, one)
        drawing = svg(figure)
        files[f"{one.id}.svg"] = drawing.encode()
        files[f"{one.id}.png"] = png(figure)
        inline = inline_svg(drawing, one.id, printable(one.heading))
        pictures.append(Picture(inline, printable(one.caption)))
    html = page.page(study, results, pictures, about)
    return {**files, PAGE: html.encode()}


def document(study: Study, results: ExperimentResult) -> dict[str, Any]:
    """Document of `airfair sweep --json`: points with their measures and results, comparisons, claims."""
    measures = text.measures(study)
    each = [results.samples(one) for one in measures]
    points = []
    for place, point in enumerate(results.finished.points):
        result = of_run(results.finished.result(place))
        estimates = {
            str(one): {
                "mean": finite(every[place].estimate.mean),
                "ci95": finite(every[place].estimate.ci95),
                "unit": one.unit,
            }
            for one, every in zip(measures, each, strict=True)
        }
        points.append({"levels": dict(point.labels), "measures": estimates, **result})
    return json_documents.document(
        "experiment",
        {
            "title": results.title,
            "version": __version__,
            "seed": results.seed,
            "factors": [factor.name for factor in results.factors],
            "runs": results.spent.runs,
            "runs_found": results.spent.found,
            "interrupted": results.interrupted,
            "points": points,
            "comparisons": [
                {
                    "factor": one.factor,
                    "baseline": one.baseline,
                    "rows": results.compare(one.factor, one.baseline, one.measures).to_dicts(),
                }
                for one in study.comparisons
            ],
            "claims": [_claim(verdict) for verdict in results.decide()],
        },
    )


def _claim(verdict: Verdict) -> dict[str, Any]:
    held, testable = verdict.count
    return {
        "id": verdict.id,
        "text": verdict.text,
        "state": verdict.state,
        "holds": verdict.holds,
        "points": {"hold": held, "testable": testable, "all": len(verdict.points)},
        "evidence": verdict.lines,
    }

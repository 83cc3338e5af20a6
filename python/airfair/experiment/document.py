"""JSON document of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airfair import json_documents
from airfair._core import __version__
from airfair.estimate import finite
from airfair.run_document import document as of_run

if TYPE_CHECKING:
    from .claims import Verdict
    from .measures import Measure
    from .results import ExperimentResult
    from .study import Comparison


def document(
    results: ExperimentResult, measures: Sequence[Measure], comparisons: Sequence[Comparison]
) -> dict[str, Any]:
    """Document of `airfair sweep --json`: points with their measures and results, comparisons, claims."""
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
                for one in comparisons
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

"""Tables of the verdicts on claims, and of the measured values that decide them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from airfair import lazy
from airfair.estimate import finite
from airfair.experiment.conditions import Condition, Point, State, states

if TYPE_CHECKING:
    import polars as pl

    from .paper_result import PaperClaim
else:
    pl = lazy.Module("polars")


def of_claims(claims: Sequence[PaperClaim]) -> pl.DataFrame:
    """Table with a row for each claim."""
    text, count = pl.String, pl.UInt32
    schema = {
        **dict.fromkeys(("paper", "claim", "text", "state"), text),
        "first_look": pl.Boolean,
        "points": count,
        "points_held": count,
        **dict.fromkeys(("reading", "evidence", "why"), text),
    }
    return pl.DataFrame([_claim(claim) for claim in claims], schema=schema)


def _claim(claim: PaperClaim) -> dict[str, Any]:
    verdict = claim.verdict
    held, points = verdict.count if verdict else (None, None)
    return {
        "paper": claim.paper,
        "claim": claim.id,
        "text": claim.text,
        "state": claim.state,
        "first_look": claim.first_look,
        "points": points,
        "points_held": held,
        "reading": (verdict.under if verdict else "") or None,
        "evidence": claim.evidence or None,
        "why": claim.why or None,
    }


def of_points(claims: Sequence[PaperClaim]) -> pl.DataFrame:
    """Table with a row for each condition of a claim, under each reading of the paper."""
    text, number = pl.String, pl.Float64
    schema = {
        **dict.fromkeys(("paper", "claim", "reading", "role", "quota", "point", "state"), text),
        **dict.fromkeys(("mean", "ci95", "low", "high", "above", "below"), number),
        "replications": pl.UInt32,
    }
    return pl.DataFrame([row for claim in claims for row in _points(claim)], schema=schema)


def _points(claim: PaperClaim) -> Iterator[dict[str, Any]]:
    if claim.verdict is None:
        return
    verdict = claim.verdict
    readings = [(verdict.under, "decides", verdict.points)]
    readings += [(e.where, "near" if e.near else "beside", e.points) for e in verdict.elsewhere]
    for reading, role, points in readings:
        head = {"paper": claim.paper, "claim": claim.id, "reading": reading or None, "role": role}
        for quota, one, state in _conditions(points):
            yield {**head, "quota": quota, "state": state, **_values(one)}


def _conditions(points: Sequence[Point]) -> Iterator[tuple[str | None, Condition, State]]:
    """Each condition with its state; those of a quota with the text of the quota."""
    for point, state in zip(points, states(points), strict=True):
        if isinstance(point, Condition):
            yield None, point, state
        else:
            yield from ((point.what, part, part.state) for part in point.parts)


def _values(one: Condition) -> dict[str, Any]:
    measured = one.measured
    numbers = {
        "mean": measured.mean,
        "ci95": measured.ci95,
        "low": measured.low,
        "high": measured.high,
        "above": one.above,
        "below": one.below,
    }
    known = {name: finite(value) for name, value in numbers.items()}
    return {"point": one.what, **known, "replications": measured.count or None}

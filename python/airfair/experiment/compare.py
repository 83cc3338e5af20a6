"""Comparison of the levels of a factor with a baseline, over pairs of runs with the same seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from airfair.estimate import finite
from airfair.statistics import CONFIDENCE

from .conditions import holm
from .errors import StudyError
from .labels import found, heading, numbers, unknown

if TYPE_CHECKING:
    import polars as pl

    from .factors import Label
    from .measures import Measure
    from .points import Point
    from .results import ExperimentResult


def compared(
    results: ExperimentResult, factor: str, baseline: Label, measures: Sequence[Measure]
) -> pl.DataFrame:
    """Table of `ExperimentResult.compare`."""
    import polars as pl

    if problems := unknown(results.levels, factor, baseline):
        raise StudyError(*(f"compare {factor}: {problem}" for problem in problems))
    baseline = found(baseline, results.levels[factor])
    if not has_pairs(results.finished.points, factor, baseline):
        raise StudyError(
            f"compare {factor}: no point at the baseline {baseline} has a partner that differs only in "
            f"{factor}"
        )
    if not measures:
        raise StudyError(f"compare {factor}: measures are missing; allowed is at least one")
    quotients = [str(one) for one in measures if one.lower is not None]
    if quotients:
        raise StudyError(
            *(
                f"compare {name}: a quotient of two measures cannot be compared; compare its two measures"
                for name in quotients
            )
        )
    rows = [row for one in measures for row in _rows(results, factor, baseline, one)]
    adjust(rows)
    table = pl.DataFrame(rows, infer_schema_length=None)
    for name, labels in results.levels.items():
        if (axis := numbers(labels)) is not None and heading(name, axis[1]) not in table.columns:
            known = dict(zip(labels, axis[0], strict=True))
            column = pl.Series(heading(name, axis[1]), [known[one] for one in table[name]])
            table.insert_column(table.get_column_index(name) + 1, column)
    return table


def adjust(rows: Sequence[dict[str, Any]]) -> None:
    """Add columns to rows of comparisons: p corrected for their number (Holm), and the significance."""
    adjusted = holm([row["p"] for row in rows])
    for row, p in zip(rows, adjusted, strict=True):
        row |= {"p_adjusted": p, "is_significant": p < 1 - CONFIDENCE}


def has_pairs(points: Sequence[Point], factor: str, baseline: Label) -> bool:
    """True if two points differ only in `factor`, with one of them at `baseline`."""
    others: dict[frozenset[tuple[str, Label]], set[Label]] = {}
    for point in points:
        rest = frozenset((name, label) for name, label in point.labels.items() if name != factor)
        others.setdefault(rest, set()).add(point.labels[factor])
    return any(baseline in levels and len(levels) > 1 for levels in others.values())


def _rows(
    results: ExperimentResult, factor: str, baseline: Label, measure: Measure
) -> Iterator[dict[str, Any]]:
    samples = results.samples(measure)
    for place, point in enumerate(results.finished.points):
        level = point.labels[factor]
        other = results.place({**point.labels, factor: baseline})
        if level == baseline or other is None:
            continue
        here, there = samples[place], samples[other]
        free = {name: label for name, label in point.labels.items() if name != factor}
        yield {
            **free,
            factor: level,
            "baseline": baseline,
            "measure": str(measure),
            "unit": measure.unit,
            "mean": finite(here.estimate.mean),
            "baseline_mean": finite(there.estimate.mean),
            **here.compared(there),
        }

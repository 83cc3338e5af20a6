"""Series of estimates for JSON documents and figures, from samples with one value per replication."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from airfair.estimate import Estimate, Floats, estimate

if TYPE_CHECKING:
    from airfair import figures

    from .paper import Json

Sampled: TypeAlias = "Floats | Estimate | None"
"""Samples or their estimate; `None` for a combination that is not run."""


def known(samples: Sampled) -> Estimate:
    """Estimate of the mean of samples; not a number if a sample has no value."""
    if isinstance(samples, Estimate):
        return samples
    if samples is None or not np.isfinite(samples).all():
        return Estimate(math.nan, math.nan)
    return estimate(samples)


def mean(samples: Sampled) -> float | None:
    """Mean of samples for JSON."""
    return finite(known(samples).mean)


def line(
    label: str,
    samples: Iterable[Sampled],
    *,
    printed: Mapping[int, float] | None = None,
    least: float = 0.0,
    most: float = math.inf,
) -> figures.Points:
    """Points of a figure, with possible values from `least` to `most`."""
    from airfair.figures import Points

    made = [known(one) for one in samples]
    estimates = np.array([[one.mean for one in made], [one.ci95 for one in made]])
    return Points(label, estimates, printed or {}, (least, most))


def points(name: str, unit: str, x: Sequence[object], samples: Iterable[Sampled]) -> Json:
    """Series at the points `x`."""
    made = [known(one) for one in samples]
    return {
        "name": name,
        "unit": unit,
        "x": list(x),
        "mean": [finite(one.mean) for one in made],
        "ci95": [finite(one.ci95) for one in made],
    }


def curve(name: str, unit: str, x_unit: str, x: Floats, samples: Floats) -> Json:
    """Series of a quantity along `x`, from `samples` with the axes (replication, x)."""
    return {**points(name, unit, x.tolist(), samples.T), "x_unit": x_unit}


def finite(value: float) -> float | None:
    """Value, or `None` for infinity and NaN, which JSON lacks."""
    return value if math.isfinite(value) else None

"""Series of a JSON document: a name, a unit, and means with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from airfair.estimate import Estimate, Floats, estimate

from .paper import Json


def points(name: str, unit: str, x: Sequence[object], estimates: Sequence[Estimate]) -> Json:
    """Series of estimates at the points `x`."""
    return {
        "name": name,
        "unit": unit,
        "x": list(x),
        "mean": [finite(one.mean) for one in estimates],
        "ci95": [finite(one.ci95) for one in estimates],
    }


def curve(name: str, unit: str, x_unit: str, x: Floats, samples: Floats) -> Json:
    """Series of a quantity along `x`, from `samples` with the axes (replication, x)."""
    means = [estimate(samples[:, step]) for step in range(samples.shape[1])]
    return {
        "name": name,
        "unit": unit,
        "x_unit": x_unit,
        "x": x.tolist(),
        "mean": [finite(mean.mean) for mean in means],
        "ci95": [finite(mean.ci95) for mean in means],
    }


def finite(value: float) -> float | None:
    """Value, or `None` for infinity and NaN, which JSON lacks."""
    return value if math.isfinite(value) else None

"""Series of estimates for JSON documents and figures, from samples with one value per replication."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from airfair import lazy
from airfair.estimate import Estimate, Floats, estimate, finite

if TYPE_CHECKING:
    import numpy as np

    from airfair import figures
    from airfair.experiment.conditions import Key

    from .paper import Json
else:
    np = lazy.Module("numpy")

M = TypeVar("M")
"""Type of a paper's measurements of one variant."""
Sampled: TypeAlias = "Floats | Estimate | None"
"""Samples or their estimate; `None` for a combination that is not run."""


def each(data: Mapping[Key, M], keys: Iterable[Key], take: Callable[[M], Floats]) -> list[Floats]:
    """Samples of a quantity in each of some runs."""
    return [take(data[key]) for key in keys]


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


def points(
    name: str, unit: str, x: Sequence[object], samples: Iterable[Sampled], x_unit: str = ""
) -> Json:
    """Series at the points `x`."""
    made = [known(one) for one in samples]
    return {
        "name": name,
        "unit": unit,
        **({"x_unit": x_unit} if x_unit else {}),
        "x": list(x),
        "mean": [finite(one.mean) for one in made],
        "ci95": [finite(one.ci95) for one in made],
    }


def nested(values: Iterable[tuple[Sequence[str], object]]) -> Json:
    """Nested tables of values, each with the path of its keys."""
    made: Json = {}
    for (*path, last), value in values:
        table = made
        for key in path:
            table = table.setdefault(key, {})
        table[last] = value
    return made


def curve(name: str, unit: str, x_unit: str, x: Floats, samples: Floats) -> Json:
    """Series of a quantity along `x`, from `samples` with the axes (replication, x)."""
    return points(name, unit, x.tolist(), samples.T, x_unit)

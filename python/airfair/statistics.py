"""Statistics of independent replications, and Jain's index.

Nothing but Python's own: numpy and scipy take longer to import than a short run takes.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CONFIDENCE = 0.95
"""Level of every confidence interval."""


def mean(samples: Sequence[float]) -> float | None:
    """Arithmetic mean; `None` of no samples."""
    return math.fsum(samples) / len(samples) if len(samples) else None


def half_width(samples: Sequence[float]) -> float | None:
    """Half the width of the 95 % confidence interval of the mean, by Student's t.

    `None` of fewer than two samples: one run says nothing about the next.
    """
    n = len(samples)
    if n < 2:  # noqa: PLR2004 - the variance needs two
        return None
    middle = math.fsum(samples) / n
    variance = math.fsum((sample - middle) ** 2 for sample in samples) / (n - 1)
    return student_quantile(n - 1) * math.sqrt(variance / n)


@functools.cache
def student_quantile(freedom: int) -> float:
    """Quantile of Student's t with `freedom` degrees that 95 % lie within, either side of zero.

    Newton's method on the finite series of the distribution: from below the quantile, where that is
    concave, the steps never pass it.  [abramowitz-1964 26.7.3, 26.7.4]
    """
    density = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    density *= 2 / math.sqrt(freedom * math.pi)
    at = _NORMAL_QUANTILE  # Student's are larger
    while True:
        here = density * (1 + at * at / freedom) ** (-(freedom + 1) / 2)
        step = (CONFIDENCE - _within(at, freedom)) / here
        if step <= at * _PRECISION:
            return at
        at += step


_NORMAL_QUANTILE = 1.959963984540054
_PRECISION = 1e-13


def _within(t: float, freedom: int) -> float:
    """Probability that Student's t lies within ±t."""
    angle = math.atan2(t, math.sqrt(freedom))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    odd = freedom % 2
    # Terms cosⁿ with the products of the odd (even) numbers below n by those of the even (odd) ones.
    term = math.cos(angle) if odd else 1.0
    terms = []
    for n in range(2 if odd else 1, freedom, 2):
        terms.append(term)
        term *= square * n / (n + 1)
    total = sine * math.fsum(terms)
    return 2 / math.pi * (angle + total) if odd else total


def jain(shares: Iterable[float]) -> float | None:
    """Jain's fairness index (Σx)² / (n Σx²), from 1/n (one has all) to 1 (all have the same).

    `None` if there are no shares or all are zero: nothing was shared.  [arf-aware-tcp eq. 1]
    """
    values = list(shares)
    largest = max(values, default=0.0)
    if largest == 0:
        return None
    # The index does not depend on the unit; this one keeps the squares from over- and underflow.
    values = [value / largest for value in values]
    return math.fsum(values) ** 2 / (len(values) * math.fsum(value**2 for value in values))

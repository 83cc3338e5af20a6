"""Statistics of independent replications, and Jain's index.

Uses the standard library only, because importing numpy and scipy takes longer than a short run.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence

CONFIDENCE = 0.95
"""Level of every confidence interval."""


def mean(samples: Sequence[float]) -> float | None:
    """Arithmetic mean, or `None` without samples."""
    return math.fsum(samples) / len(samples) if len(samples) else None


def half_width(samples: Sequence[float]) -> float | None:
    """Half the width of the 95 % confidence interval of the mean, by Student's t.

    `None` for fewer than two samples, which have no variance.
    """
    n = len(samples)
    if n < 2:  # noqa: PLR2004 - the variance needs two
        return None
    middle = math.fsum(samples) / n
    variance = math.fsum((sample - middle) ** 2 for sample in samples) / (n - 1)
    return student_quantile(n - 1) * math.sqrt(variance / n)


@functools.cache
def student_quantile(freedom: int) -> float:
    """Two-sided 95 % quantile of Student's t with `freedom` degrees of freedom.

    Newton's method on the finite series of the distribution. It starts below the quantile, where the
    distribution is concave, so no step overshoots.  [abramowitz-1964 26.7.3, 26.7.4]
    """
    density = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    density *= 2 / math.sqrt(freedom * math.pi)
    at = _NORMAL_QUANTILE  # a lower bound of Student's quantile
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
    # Terms cosⁿ; each coefficient is a quotient of products of odd and of even numbers below n.
    term = math.cos(angle) if odd else 1.0
    terms = []
    for n in range(2 if odd else 1, freedom, 2):
        terms.append(term)
        term *= square * n / (n + 1)
    total = sine * math.fsum(terms)
    return 2 / math.pi * (angle + total) if odd else total


def jain(shares: Iterable[float]) -> float | None:
    """Jain's fairness index (Σx)² / (n Σx²), from 1/n (one has all) to 1 (all are equal).

    `None` if there are no shares or all are zero.  [jain-1984], [arf-aware-tcp eq. 1]
    """
    values = list(shares)
    largest = max(values, default=0.0)
    if largest == 0:
        return None
    # Scaling does not change the index; it keeps the squares from overflow and underflow.
    values = [value / largest for value in values]
    return math.fsum(values) ** 2 / (len(values) * math.fsum(value**2 for value in values))

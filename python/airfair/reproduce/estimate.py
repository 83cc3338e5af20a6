"""A mean over replications with its confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airfair.statistics import CONFIDENCE, half_width

Floats = NDArray[np.float64]

TAIL = (1 - CONFIDENCE) / 2
"""Probability beyond one end of a confidence interval."""


@dataclass(frozen=True)
class Estimate:
    """A mean and half the width of its 95 % confidence interval, infinite for one sample."""

    mean: float
    ci95: float
    count: int = 0
    """Samples that it rests on; 0 where the interval is as if there were many."""

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.mean - self.ci95

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.mean + self.ci95

    def p_below(self, bound: float) -> float:
        """Probability of a mean this small or smaller if the true one were `bound` (Student's t)."""
        from scipy.special import stdtr, stdtrit

        if math.isinf(self.ci95):
            return 1.0
        if self.ci95 == 0:
            return 0.0 if self.mean < bound else 1.0
        freedom = self.count - 1 if self.count else 1e9
        return float(stdtr(freedom, (self.mean - bound) / self.ci95 * stdtrit(freedom, 1 - TAIL)))

    def p_above(self, bound: float) -> float:
        """Probability of a mean this large or larger if the true one were `bound`."""
        return Estimate(-self.mean, self.ci95, self.count).p_below(-bound)

    def __str__(self) -> str:
        return f"{_figures(self.mean)} ± {_figures(self.ci95)}"


def _figures(value: float) -> str:
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 3  # noqa: PLR2004 - decades
    return f"{value:.{digits}f}"


def estimate(samples: ArrayLike) -> Estimate:
    """Mean of independent samples, one per replication."""
    values = np.asarray(samples, dtype=np.float64)
    width = half_width(values.tolist())
    return Estimate(float(values.mean()), math.inf if width is None else width, len(values))


def paired(*samples: Floats) -> tuple[Floats, ...]:
    """Samples of the replications that all have: the same seeds, in the same order."""
    common = min(len(one) for one in samples)
    return tuple(one[:common] for one in samples)


def ratio_of_means(upper: Floats, lower: Floats) -> Estimate:
    """Ratio of two means over the same replications, with the variance of both.

    The interval is that of the linearised ratio, (upper - ratio·lower) / mean of lower.
    """
    upper, lower = paired(upper, lower)
    below = float(lower.mean())
    ratio = float(upper.mean()) / below
    linear = estimate((upper - ratio * lower) / below)
    return Estimate(ratio, linear.ci95, linear.count)

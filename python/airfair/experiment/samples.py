"""Values of a measure at one point, one per replication, and comparisons with another point."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airfair import lazy
from airfair.estimate import Estimate, Floats, estimate, finite, quotient, ratio_of_means

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy.Module("numpy")

UNKNOWN = Estimate(math.nan, math.nan)
"""Estimate of a measure that has no value in some run."""


@dataclass(frozen=True)
class Samples:
    """Values of the finished replications of a point; NaN if a run has no value."""

    replications: NDArray[np.int64]
    """Numbers of the replications, by which points are paired."""
    upper: Floats
    lower: Floats | None = None
    """Values of the divisor, if the measure is a quotient."""

    @property
    def is_known(self) -> bool:
        """True if there are replications and all of them have a value."""
        if not len(self.upper) or not np.isfinite(self.upper).all():
            return False
        return self.lower is None or bool(np.isfinite(self.lower).all() and self.lower.mean() != 0)

    @property
    def estimate(self) -> Estimate:
        """Mean, or quotient of the means, with its 95 % confidence interval."""
        if not self.is_known:
            return UNKNOWN
        return (
            estimate(self.upper) if self.lower is None else ratio_of_means(self.upper, self.lower)
        )

    def ratio_to(self, other: Samples) -> Estimate:
        """Quotient over common replications, from the differences of logarithms where they exist."""
        return self._over(other, quotient)

    def relative_to(self, other: Samples) -> Estimate:
        """Quotient of the means over common replications, with the variance of both."""
        return self._over(other, ratio_of_means)

    def _over(self, other: Samples, divide: Callable[[Floats, Floats], Estimate]) -> Estimate:
        here, there = self._paired(other)
        if not (here.is_known and there.is_known) or there.upper.mean() == 0:
            return UNKNOWN
        return divide(here.upper, there.upper)

    def less(self, other: Samples) -> Estimate:
        """Mean difference over common replications."""
        here, there = self._paired(other)
        if not (here.is_known and there.is_known):
            return UNKNOWN
        return estimate(here.upper - there.upper, signed=True)

    def compared(self, other: Samples) -> dict[str, float | int | None]:
        """Columns of a table of comparisons: the differences from `other`, and the p-value of none."""
        less, ratio = self.less(other), self.relative_to(other)
        return {
            "difference": finite(less.mean),
            "difference_ci95": finite(less.ci95),
            "relative": finite(ratio.mean - 1),
            "relative_ci95": finite(ratio.ci95),
            "pairs": less.count,
            "p": self.p_no_difference(other),
        }

    def p_no_difference(self, other: Samples) -> float:
        """p-value of a paired t test of no difference."""
        less = self.less(other)
        if not math.isfinite(less.mean):
            return 1.0
        return min(1.0, 2 * min(less.p_below(0), less.p_above(0)))

    def _paired(self, other: Samples) -> tuple[Samples, Samples]:
        _, mine, theirs = np.intersect1d(
            self.replications, other.replications, assume_unique=True, return_indices=True
        )
        return self._only(mine), other._only(theirs)

    def _only(self, places: NDArray[np.int64]) -> Samples:
        lower = None if self.lower is None else self.lower[places]
        return Samples(self.replications[places], self.upper[places], lower)

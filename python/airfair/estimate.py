"""A mean over replications with its confidence interval."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .statistics import CONFIDENCE, half_width

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
    signed: bool = field(default=True, compare=False)
    """True if it may be below zero, as differences may; no interval is shown where no value can be."""
    log_ci95: float | None = None
    """Half the width w of the interval of the mean's logarithm, of a ratio: its interval is from mean / e^w
    to mean · e^w, and `ci95` is half as wide. None of everything else, whose interval is symmetrical."""

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        if self.log_ci95 is None:
            return self.mean - self.ci95
        return self.mean * math.exp(-self.log_ci95)

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        if self.log_ci95 is None:
            return self.mean + self.ci95
        return self.mean * math.exp(self.log_ci95)

    def times(self, factor: float) -> Estimate:
        """The same in another unit, whose `factor` is above zero."""
        return replace(self, mean=self.mean * factor, ci95=self.ci95 * factor)

    def at(self, error: float) -> Estimate:
        """The same with an interval that misses the true mean so often, in place of 5 %."""
        if not math.isfinite(self.ci95):
            return self
        wider = self._quantile(error) / self._quantile(1 - CONFIDENCE)
        if self.log_ci95 is None:
            return replace(self, ci95=self.ci95 * wider)
        return _around(self.mean, self.log_ci95 * wider, self.count)

    def half_widths_from(self, bound: float) -> float:
        """Distance of the mean from `bound` in half widths of the interval, below zero if it is below it."""
        if self.log_ci95 is None:
            distance, half = self.mean - bound, self.ci95
        elif bound <= 0:
            return math.inf
        else:
            distance, half = math.log(self.mean / bound), self.log_ci95
        if half == 0:
            return math.copysign(math.inf, distance) if distance else 0.0
        return distance / half

    def p_below(self, bound: float) -> float:
        """Probability of a mean this small or smaller if the true one were `bound` (Student's t)."""
        return self._p_beyond(self.half_widths_from(bound))

    def p_above(self, bound: float) -> float:
        """Probability of a mean this large or larger if the true one were `bound`."""
        return self._p_beyond(-self.half_widths_from(bound))

    def _p_beyond(self, away: float) -> float:
        """Probability of a mean at most so many half widths above the true one."""
        from scipy.special import stdtr

        if math.isinf(self.ci95):
            return 1.0
        if math.isinf(away) or self.ci95 == 0:
            return 0.0 if away < 0 else 1.0
        return float(stdtr(self._freedom, away * self._quantile(1 - CONFIDENCE)))

    def _quantile(self, error: float) -> float:
        """Quantile of Student's t that is exceeded either way with the probability `error`."""
        return _student(self._freedom, error)

    @property
    def _freedom(self) -> float:
        return self.count - 1 if self.count else 1e9

    @property
    def is_known(self) -> bool:
        """True if the interval is no wider to a side than the value, so that ± says something."""
        return self.ci95 <= abs(self.mean)

    @property
    def shown(self) -> tuple[float, float]:
        """The interval, as far as there can be values."""
        return (self.low if self.signed else max(0.0, self.low), self.high)

    def text(self, digits: int | None = None) -> str:
        """The mean ± half the width; where that is wider than the mean, from where to where it may be.

        `digits`: behind the point; by size if none are given.
        """
        if math.isnan(self.mean):
            return "no value"
        if digits is None:
            digits = _digits(self.mean, self.ci95)
        mean = _figures(self.mean, digits)
        if math.isnan(self.ci95):
            return mean
        if math.isinf(self.ci95):
            return f"{mean}, one run"
        ends = [_figures(end, digits) for end in self.shown]
        if self.is_known or ends[0] == ends[1]:
            return f"{mean} ± {_figures(self.ci95, digits)}"
        return " to ".join(ends)

    def __str__(self) -> str:
        return self.text()


def _digits(mean: float, ci95: float) -> int:
    """Digits behind the point that say something of both."""
    sizes = [abs(value) for value in (mean, ci95) if math.isfinite(value)]
    each = [0 if size >= 100 else 1 if size >= 10 else 3 for size in sizes]  # noqa: PLR2004 - decades
    digits = min(each, default=3)
    return digits if ci95 == 0 or float(f"{ci95:.{digits}f}") else max(each)


def _figures(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def estimate(samples: ArrayLike, *, signed: bool = False) -> Estimate:
    """Mean of independent samples, one per replication.

    `signed`: whether values may be negative, as those of differences; they may if a sample is.
    """
    values = np.asarray(samples, dtype=np.float64)
    width = half_width(values.tolist())
    return Estimate(
        float(values.mean()),
        math.inf if width is None else width,
        len(values),
        signed=signed or bool((values < 0).any()),
    )


def paired(*samples: Floats) -> tuple[Floats, ...]:
    """Samples of the replications that all have: the same seeds, in the same order."""
    common = min(len(one) for one in samples)
    return tuple(one[:common] for one in samples)


def geometric_mean(samples: ArrayLike) -> Estimate:
    """Geometric mean of ratios, one per replication, with the interval that their logarithms have.

    A ratio of means that vary much is skewed: Student's interval around its arithmetic mean misses it too
    often, and the logarithms' one does not. A ratio of zero, or one that is infinite, has no logarithm; where
    there is one, the arithmetic mean stands for all.
    """
    values = np.asarray(samples, dtype=np.float64)
    if not (np.isfinite(values).all() and (values > 0).all()):
        return estimate(values)
    logs = np.log(values)
    width = half_width(logs.tolist())
    return _around(math.exp(float(logs.mean())), math.inf if width is None else width, len(values))


def _around(mean: float, log_ci95: float, count: int) -> Estimate:
    """The estimate of a ratio whose logarithm is known within ± `log_ci95`."""
    log_ci95 = log_ci95 if log_ci95 < _LARGEST else math.inf
    half = mean * math.sinh(log_ci95)
    return Estimate(mean, half, count, signed=False, log_ci95=log_ci95)


_LARGEST = 700.0
"""Logarithm beyond which a number is as good as infinite."""


@functools.cache
def _student(freedom: float, error: float) -> float:
    """Quantile of Student's t that is exceeded either way with the probability `error`."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 1 - error / 2))


def quotient(upper: Floats, lower: Floats) -> Estimate:
    """Ratio of two quantities over the same replications: the mean difference of their logarithms.

    Where a value is not above zero, which has no logarithm, the ratio of the means (`ratio_of_means`).
    """
    upper, lower = paired(upper, lower)
    if (upper > 0).all() and (lower > 0).all():
        return geometric_mean(upper / lower)
    return ratio_of_means(upper, lower)


def ratio_of_means(upper: Floats, lower: Floats) -> Estimate:
    """Ratio of two means over the same replications, with the variance of both.

    The interval is that of the linearised ratio, (upper - ratio·lower) / mean of lower.
    """
    upper, lower = paired(upper, lower)
    below = float(lower.mean())
    ratio = float(upper.mean()) / below
    linear = estimate((upper - ratio * lower) / below)
    return Estimate(ratio, linear.ci95, linear.count, signed=ratio < 0)

"""A mean over replications with its confidence interval."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from . import lazy
from .statistics import CONFIDENCE, half_width

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = lazy.Module("numpy")

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class Estimate:
    """Mean with the half width of its 95 % confidence interval, which is infinite for one sample."""

    mean: float
    ci95: float
    count: int = 0
    """Number of samples; 0 to use the normal distribution."""
    signed: bool = field(default=True, compare=False)
    """True if values may be negative, as differences; else intervals are shown from zero on."""
    log_ci95: float | None = None
    """Half width w of the interval of the logarithm of a ratio. The interval is mean / e^w to mean · e^w, and
    `ci95` is half its width. `None` for a symmetrical interval."""

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
        """Estimate multiplied by a positive `factor`, for another unit."""
        return replace(self, mean=self.mean * factor, ci95=self.ci95 * factor)

    def at(self, error: float) -> Estimate:
        """Estimate whose interval has the error probability `error` instead of 5 %."""
        if not math.isfinite(self.ci95):
            return self
        wider = self._quantile(error) / self._quantile(1 - CONFIDENCE)
        if self.log_ci95 is None:
            return replace(self, ci95=self.ci95 * wider)
        return _around(self.mean, self.log_ci95 * wider, self.count)

    def half_widths_from(self, bound: float) -> float:
        """Distance of the mean from `bound` in half widths of the interval; negative below the bound."""
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
        """One-sided p-value (Student's t): probability of a mean this small if the true one were `bound`."""
        return self._p_beyond(self.half_widths_from(bound))

    def p_above(self, bound: float) -> float:
        """One-sided p-value (Student's t): probability of a mean this large if the true one were `bound`."""
        return self._p_beyond(-self.half_widths_from(bound))

    def _p_beyond(self, away: float) -> float:
        """Probability of a mean at most `away` half widths above the true one."""
        from scipy.special import stdtr

        if math.isinf(self.ci95):
            return 1.0
        if math.isinf(away) or self.ci95 == 0:
            return 0.0 if away < 0 else 1.0
        return float(stdtr(self._freedom, away * self._quantile(1 - CONFIDENCE)))

    def _quantile(self, error: float) -> float:
        """Two-sided quantile of Student's t with the error probability `error`."""
        return _student(self._freedom, error)

    @property
    def _freedom(self) -> float:
        return self.count - 1 if self.count else 1e9

    @property
    def is_known(self) -> bool:
        """True if the half width is at most the absolute value of the mean."""
        return self.ci95 <= abs(self.mean)

    @property
    def shown(self) -> tuple[float, float]:
        """Ends of the interval, cut at zero unless values may be negative."""
        return (self.low if self.signed else max(0.0, self.low), self.high)

    def text(self, digits: int | None = None) -> str:
        """Text "mean ± half width", or "low to high" if the half width exceeds the mean.

        `digits` is the number of decimals, by default chosen by magnitude.
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


def finite(value: float) -> float | None:
    """Value, or `None` for infinity and NaN, which JSON lacks."""
    return value if math.isfinite(value) else None


def _digits(mean: float, ci95: float) -> int:
    """Number of decimals for a mean and its half width."""
    sizes = [abs(value) for value in (mean, ci95) if math.isfinite(value)]
    each = [0 if size >= 100 else 1 if size >= 10 else 3 for size in sizes]  # noqa: PLR2004 - decades
    digits = min(each, default=3)
    return digits if ci95 == 0 or float(f"{ci95:.{digits}f}") else max(each)


def _figures(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def estimate(samples: ArrayLike, *, signed: bool = False) -> Estimate:
    """Mean of independent samples, one per replication.

    `signed` is true if values may be negative, as differences; implied by a negative sample.
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
    """Samples cut to the replications that all have, so that equal indices have equal seeds."""
    common = min(len(one) for one in samples)
    return tuple(one[:common] for one in samples)


def geometric_mean(samples: ArrayLike) -> Estimate:
    """Geometric mean of ratios, one per replication, with the confidence interval of their logarithms.

    Ratios of widely varying values are skewed, and Student's interval around their arithmetic mean misses the
    true value too often; the interval of the logarithms does not. If a ratio is zero or infinite, it has no
    logarithm and the arithmetic mean is returned.
    """
    values = np.asarray(samples, dtype=np.float64)
    if not (np.isfinite(values).all() and (values > 0).all()):
        return estimate(values)
    logs = np.log(values)
    width = half_width(logs.tolist())
    return _around(math.exp(float(logs.mean())), math.inf if width is None else width, len(values))


def _around(mean: float, log_ci95: float, count: int) -> Estimate:
    """Estimate of a ratio whose logarithm has the half width `log_ci95`."""
    log_ci95 = log_ci95 if log_ci95 < _LARGEST else math.inf
    half = mean * math.sinh(log_ci95)
    return Estimate(mean, half, count, signed=False, log_ci95=log_ci95)


_LARGEST = 700.0
"""Logarithm above which a number counts as infinite."""


@functools.cache
def _student(freedom: float, error: float) -> float:
    """Two-sided quantile of Student's t with the error probability `error`."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 1 - error / 2))


def quotient(upper: Floats, lower: Floats) -> Estimate:
    """Ratio of two quantities over the same replications, from the mean difference of their logarithms.

    If a value is zero or less, it has no logarithm, and the ratio of the means is returned
    (`ratio_of_means`).
    """
    upper, lower = paired(upper, lower)
    if (upper > 0).all() and (lower > 0).all():
        return geometric_mean(upper / lower)
    return ratio_of_means(upper, lower)


def ratio_of_means(upper: Floats, lower: Floats) -> Estimate:
    """Ratio of two means over the same replications, with the variance of both.

    The interval is that of the linearised ratio, (upper - ratio·lower) / mean(lower).
    """
    upper, lower = paired(upper, lower)
    below = float(lower.mean())
    ratio = float(upper.mean()) / below
    linear = estimate((upper - ratio * lower) / below)
    return Estimate(ratio, linear.ci95, linear.count, signed=ratio < 0)

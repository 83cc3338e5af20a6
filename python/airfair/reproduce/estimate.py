"""A mean over replications with its confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airfair.statistics import half_width

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean and half the width of its 95 % confidence interval, infinite for one sample."""

    mean: float
    ci95: float

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.mean - self.ci95

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.mean + self.ci95

    def __str__(self) -> str:
        return f"{_figures(self.mean)} ± {_figures(self.ci95)}"


def _figures(value: float) -> str:
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 3  # noqa: PLR2004 - decades
    return f"{value:.{digits}f}"


def estimate(samples: Floats) -> Estimate:
    """Mean of independent samples, one per replication."""
    width = half_width(samples.tolist())
    return Estimate(float(samples.mean()), math.inf if width is None else width)

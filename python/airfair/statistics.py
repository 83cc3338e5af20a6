"""Statistics of independent replications, and Jain's index."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

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
    from scipy.special import stdtrit

    values = np.asarray(samples, dtype=np.float64)
    quantile = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2))
    return quantile * float(values.std(ddof=1)) / math.sqrt(n)


def jain(shares: Iterable[float]) -> float | None:
    """Jain's fairness index (Σx)² / (n Σx²), from 1/n (one has all) to 1 (all have the same).

    `None` if there are no shares or all are zero: nothing was shared.  [arf-aware-tcp eq. 1]
    """
    values = np.fromiter(shares, dtype=np.float64)
    largest = float(values.max(initial=0.0))
    if largest == 0.0:
        return None
    # The index does not depend on the unit; this one keeps the squares from over- and underflow.
    values = values / largest
    return float(values.sum() ** 2 / (values.size * np.square(values).sum()))

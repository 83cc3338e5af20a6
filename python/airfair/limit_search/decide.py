"""Paired tests whether a scheme is better than no scheme, with a controlled false discovery rate.

A difference counts only if it exceeds a threshold: the null hypothesis is |mean| <= matters, so that tiny but
significant differences do not count. The procedure of Benjamini and Hochberg keeps the expected fraction of
wrong wins and losses, over all measures and points of a scheme, at `FALSE_DISCOVERIES` or less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from airfair.statistics import half_width

from .space import Floats

FALSE_DISCOVERIES = 0.05
"""Largest expected fraction of declared wins and losses that are false."""


class Effect(Enum):
    """Effect of a scheme on one measure, or on all judged measures of a point."""

    WINS = "wins"
    LOSES = "loses"
    SAME = "same"
    """The confidence interval excludes differences that matter."""
    UNDECIDED = "undecided"
    """The confidence interval neither shows nor excludes a difference that matters."""
    MIXED = "mixed"
    """Only of a point: the scheme wins by one measure and loses by another."""

    @property
    def sign(self) -> int:
        """1 for a win, -1 for a loss, else 0."""
        return {Effect.WINS: 1, Effect.LOSES: -1}.get(self, 0)


@dataclass(frozen=True)
class Comparison:
    """Effect on one measure at one point; positive if the scheme is better [%, or percentage points]."""

    effect: float
    ci95: float
    p: float
    """p-value of the hypothesis that the difference does not matter."""
    q: float
    """Smallest false discovery rate at which a win or loss is declared."""
    verdict: Effect


def compare(differences: Sequence[Floats], matters: Sequence[float]) -> list[Comparison]:
    """Comparisons from paired differences (one array of replications each) and thresholds."""
    if not differences:
        return []
    p = [beyond(d, m) for d, m in zip(differences, matters, strict=True)]
    q = adjusted(p)
    result = []
    for difference, limit, one_p, one_q in zip(differences, matters, p, q, strict=True):
        mean = float(difference.mean())
        width = half_width(difference.tolist())
        width = math.inf if width is None else width
        result.append(Comparison(mean, width, one_p, one_q, _verdict(mean, width, limit, one_q)))
    return result


def _verdict(mean: float, width: float, matters: float, q: float) -> Effect:
    if q <= FALSE_DISCOVERIES:
        return Effect.WINS if mean > 0 else Effect.LOSES
    return Effect.SAME if abs(mean) + width <= matters else Effect.UNDECIDED


def beyond(differences: Floats, matters: float) -> float:
    """Two-sided p-value (Student's t) of the hypothesis |mean| <= `matters`."""
    from scipy.special import stdtr

    n = len(differences)
    excess = abs(float(differences.mean())) - matters
    if n < 2:  # noqa: PLR2004 - the variance needs two
        return 1.0
    error = float(differences.std(ddof=1)) / math.sqrt(n)
    if error == 0:
        return 0.0 if excess > 0 else 1.0
    return min(1.0, 2 * float(stdtr(n - 1, -excess / error)))


def adjusted(p: Sequence[float]) -> Floats:
    """p-values adjusted for the false discovery rate, by Benjamini and Hochberg."""
    from scipy.stats import false_discovery_control

    values: Floats = false_discovery_control(np.asarray(p), method="bh")
    return values


def of_point(verdicts: Sequence[Effect]) -> Effect:
    """Effect at a point, from those on its judged measures."""
    signs = {verdict.sign for verdict in verdicts}
    if {1, -1} <= signs:
        return Effect.MIXED
    if 1 in signs:
        return Effect.WINS
    if -1 in signs:
        return Effect.LOSES
    return Effect.SAME if all(v is Effect.SAME for v in verdicts) else Effect.UNDECIDED

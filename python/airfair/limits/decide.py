"""Decisions on who is better, and how surely: paired tests beyond what matters, with few false discoveries.

A difference counts only if it is larger than what matters: the hypothesis tested is |mean| <= matters, so
that hundreds of tiny but certain differences decide nothing. Of what is declared a win or a loss at most
`FALSE_DISCOVERIES` is wrong on average, over all measures and points of a scheme, by the procedure of
Benjamini and Hochberg.
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
"""Part of the declared wins and losses that may be none, on average."""


class Effect(Enum):
    """Result of a comparison."""

    WINS = "wins"
    LOSES = "loses"
    SAME = "same"
    """No difference that matters: the confidence interval excludes one."""
    UNDECIDED = "undecided"
    """No difference was shown, nor its absence."""
    MIXED = "mixed"
    """Of a point: it wins by one measure and loses by another."""

    @property
    def sign(self) -> int:
        """1, -1, or 0 where there is neither win nor loss, or both."""
        return {Effect.WINS: 1, Effect.LOSES: -1}.get(self, 0)


@dataclass(frozen=True)
class Comparison:
    """One measure at one point, positive where the scheme is better [%, or points]."""

    effect: float
    ci95: float
    p: float
    """Of the hypothesis that the difference does not matter."""
    q: float
    """Smallest part of false discoveries at which this one is declared."""
    verdict: Effect


def compare(differences: Sequence[Floats], matters: Sequence[float]) -> list[Comparison]:
    """Comparisons from paired differences, one array of replications and one threshold for each."""
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
    """Probability of such a mean if |mean| <= `matters`: p by Student's t, both directions counted."""
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
    """Verdict of the judged measures of a point together."""
    signs = {verdict.sign for verdict in verdicts}
    if {1, -1} <= signs:
        return Effect.MIXED
    if 1 in signs:
        return Effect.WINS
    if -1 in signs:
        return Effect.LOSES
    return Effect.SAME if all(v is Effect.SAME for v in verdicts) else Effect.UNDECIDED

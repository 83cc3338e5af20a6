"""Summary of the points of a scheme: shares of effects, rules, best and worst points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .decide import Effect
from .measures import Criterion
from .search import Found, Point
from .space import Condition, Feature, Floats, described, features
from .tree import PURE, Mask, grow, holdout, importance, pure, words


@dataclass(frozen=True)
class Rule:
    """Rule: a region in which the scheme mostly wins, or loses, by one measure."""

    measure: Criterion
    wins: bool
    region: str
    hits: int
    points: int
    median: float
    """Median effect over all points of the region [%, or percentage points]."""
    elsewhere: tuple[int, int]
    """Cross-validation: number of held-out points for which such rules are right, and number covered."""

    mostly: bool = True
    """True if the rule holds at most points of the region; false if only at more than elsewhere."""


_FEW = 5
"""Smallest number of wins (or losses) for which rules are searched."""


@dataclass(frozen=True)
class Worst:
    """Point with the largest declared win or loss."""

    point: Point
    effect: float
    ci95: float


@dataclass(frozen=True)
class Account:
    """Summary of one measure of a scheme."""

    measure: Criterion
    judged: bool
    shares: dict[Effect, float]
    """Share of each effect among the evenly spread points."""
    points: int
    """Number of evenly spread points at which the measure is defined."""
    median_win: float | None
    median_loss: float | None
    best: Worst | None
    worst: Worst | None
    rules: tuple[Rule, ...]


def accounts(found: Found) -> list[Account]:
    """Summaries of all measures of a scheme that are defined at some point."""
    return [
        _account(found, name)
        for name in found.scheme.measures
        if any(name in comparisons for comparisons in found.comparisons)
    ]


def shares(verdicts: Sequence[Effect | None]) -> dict[Effect, float]:
    """Share of each effect, without undefined ones."""
    counts = Counter(verdict for verdict in verdicts if verdict is not None)
    return {verdict: counts[verdict] / max(counts.total(), 1) for verdict in Effect}


def evenly(found: Found) -> list[int]:
    """Indices of the evenly spread points, which alone represent the space."""
    return [i for i, point in enumerate(found.points) if point.stage == 1]


def _account(found: Found, name: str) -> Account:
    said = [i for i, comparisons in enumerate(found.comparisons) if name in comparisons]
    comparisons = [found.comparisons[i][name] for i in said]
    signs = np.array([c.verdict.sign for c in comparisons])
    effects = np.array([c.effect for c in comparisons])
    points, known = conditions(found, said)
    even = [i for i in evenly(found) if name in found.comparisons[i]]
    return Account(
        measure=found.scheme.criteria[name],
        judged=name in found.scheme.judged,
        shares=shares([found.comparisons[i][name].verdict for i in even]),
        points=len(even),
        median_win=_median(effects[signs > 0]),
        median_loss=_median(effects[signs < 0]),
        best=_extreme(found, said, name, 1),
        worst=_extreme(found, said, name, -1),
        rules=tuple(
            rule
            for sign in (-1, 1)
            for rule in _rules(
                found.scheme.criteria[name], sign, points, signs == sign, effects, known
            )
        ),
    )


def conditions(found: Found, numbers: Sequence[int]) -> tuple[list[Condition], dict[str, Feature]]:
    """Features of the points with these indices, and descriptions of the features."""
    space = found.scheme.space
    return [described(space, found.points[i].where) for i in numbers], features(space)


def _median(effects: Floats) -> float | None:
    return float(np.median(effects)) if effects.size else None


def _extreme(found: Found, said: Sequence[int], name: str, sign: int) -> Worst | None:
    declared = [i for i in said if found.comparisons[i][name].verdict.sign == sign]
    if not declared:
        return None
    i = max(declared, key=lambda i: sign * found.comparisons[i][name].effect)
    comparison = found.comparisons[i][name]
    return Worst(found.points[i], comparison.effect, comparison.ci95)


def _rules(  # noqa: PLR0913, PLR0917 - what a tree needs, and what its rules say
    measure: Criterion,
    sign: int,
    points: Sequence[Condition],
    true: Mask,
    effects: Floats,
    known: dict[str, Feature],
) -> list[Rule]:
    grown = grow(points, true, known)
    leaves = pure(grown, true)
    elsewhere = holdout(points, true, known) if leaves else (0, 0)
    mostly = elsewhere[0] >= PURE * max(elsewhere[1], 1)
    if not mostly:
        # Without a region in which the effect mostly occurs, use the region with the largest share of it.
        densest = max(grown, key=lambda leaf: float(true[leaf.members].mean()))
        leaves = [densest] if true[densest.members].sum() >= _FEW else []
    rules = [
        Rule(
            measure=measure,
            wins=sign > 0,
            region=words(leaf.tests, known),
            hits=int(true[leaf.members].sum()),
            points=len(leaf.members),
            median=float(np.median(effects[leaf.members])),
            elsewhere=elsewhere,
            mostly=mostly,
        )
        for leaf in leaves
    ]
    return sorted(rules, key=lambda rule: -rule.hits)


def telling(found: Found) -> list[Feature]:
    """Features sorted by importance for the judged measures, most important first."""
    total: Counter[str] = Counter()
    known = features(found.scheme.space)
    for name in found.scheme.judged:
        said = [i for i, comparisons in enumerate(found.comparisons) if name in comparisons]
        if said:
            points, known = conditions(found, said)
            signs = np.array([found.comparisons[i][name].verdict.sign for i in said])
            for sign in (-1, 1):
                total.update(importance(points, signs == sign, known))
    return sorted(known.values(), key=lambda feature: -total[feature.id])

"""Shallow decision trees, grown by exhaustive search of splits, and rules from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .space import Condition, Feature

DEPTH = 3
SMALLEST = 12
"""Smallest number of points in a region."""
PURE = 0.5
"""Smallest fraction of the points of a region for which its rule must hold."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Test:
    """Test of a feature: low < value <= high, or membership in a set of values."""

    feature: str
    low: float = -np.inf
    high: float = np.inf
    only: frozenset[str] | None = None

    def holds(self, points: Sequence[Condition]) -> Mask:
        """Mask of the points that pass the test."""
        values = [point[self.feature] for point in points]
        if self.only is not None:
            return np.array([value in self.only for value in values], dtype=bool)
        numbers = np.array(values, dtype=np.float64)
        return (numbers > self.low) & (numbers <= self.high)

    def __and__(self, other: Test) -> Test:
        """Conjunction of two tests of one feature."""
        both = None
        if self.only is not None and other.only is not None:
            both = self.only & other.only
        return replace(
            self, low=max(self.low, other.low), high=min(self.high, other.high), only=both
        )


@dataclass(frozen=True)
class Leaf:
    """Region of the points that pass all tests, and their indices."""

    tests: tuple[Test, ...]
    members: NDArray[np.int64]


def grow(
    points: Sequence[Condition], true: Mask, known: Mapping[str, Feature], depth: int = DEPTH
) -> list[Leaf]:
    """Leaves of a tree that separates true points from false ones by Gini impurity."""
    return _split(points, true, known, Leaf((), np.arange(len(points))), depth)


def _split(
    points: Sequence[Condition],
    true: Mask,
    known: Mapping[str, Feature],
    leaf: Leaf,
    depth: int,
) -> list[Leaf]:
    own = true[leaf.members]
    if depth == 0 or own.all() or not own.any():
        return [leaf]
    inside = [points[i] for i in leaf.members]
    best, least, side = None, impurity(own) - 1e-9, own
    for feature in known.values():
        for pair in _candidates(inside, own, feature):
            left = pair[0].holds(inside)
            if min(left.sum(), (~left).sum()) < SMALLEST:
                continue
            rest = impurity(own[left]) + impurity(own[~left])
            if rest < least:
                best, least, side = pair, rest, left
    if best is None:
        return [leaf]
    parts = [
        Leaf(_narrowed(leaf.tests, test), leaf.members[mask])
        for test, mask in zip(best, (side, ~side), strict=True)
    ]
    return [x for part in parts for x in _split(points, true, known, part, depth - 1)]


def impurity(true: Mask) -> float:
    """Gini impurity times the number of points."""
    n = len(true)
    part = float(true.sum()) / n if n else 0.0
    return 2 * n * part * (1 - part)


def _candidates(
    points: Sequence[Condition], true: Mask, feature: Feature
) -> list[tuple[Test, Test]]:
    """Candidate splits of a feature: pairs of a test and its complement."""
    name = feature.id
    values = [point[name] for point in points]
    if feature.values:
        every = frozenset(feature.values)
        return [
            (Test(name, only=frozenset({word})), Test(name, only=every - {word}))
            for word in sorted(set(map(str, values)))
        ]
    numbers = np.array(values, dtype=np.float64)
    order = np.argsort(numbers, kind="stable")
    numbers, below = numbers[order], np.cumsum(true[order])
    n = len(numbers)
    # Bounds between neighbouring values that differ, with enough points on either side.
    left = np.flatnonzero(numbers[1:] > numbers[:-1]) + 1
    left = left[(left >= SMALLEST) & (n - left >= SMALLEST)]
    if not left.size:
        return []
    hits, others = below[left - 1], below[-1] - below[left - 1]
    rest = hits * (left - hits) / left + others * (n - left - others) / (n - left)
    place = int(left[np.argmin(rest)])
    middle = (numbers[place - 1] + numbers[place]) / 2
    # Bounds are rounded for readability; integer features get integer bounds.
    bound = float(np.floor(middle)) if feature.whole else float(f"{middle:.2g}")
    return [(Test(name, high=bound), Test(name, low=bound))]


def _narrowed(tests: tuple[Test, ...], test: Test) -> tuple[Test, ...]:
    if any(old.feature == test.feature for old in tests):
        return tuple(old & test if old.feature == test.feature else old for old in tests)
    return (*tests, test)


def pure(leaves: Sequence[Leaf], true: Mask) -> list[Leaf]:
    """Leaves in which at least the fraction `PURE` of the points is true."""
    return [leaf for leaf in leaves if true[leaf.members].mean() >= PURE]


def importance(
    points: Sequence[Condition], true: Mask, known: Mapping[str, Feature]
) -> dict[str, float]:
    """Relative reduction of the impurity by two splits of each feature alone."""
    whole = impurity(true)
    if whole == 0:
        return dict.fromkeys(known, 0.0)
    return {
        name: 1
        - sum(impurity(true[leaf.members]) for leaf in grow(points, true, {name: feature}, depth=2))
        / whole
        for name, feature in known.items()
    }


def holdout(
    points: Sequence[Condition], true: Mask, known: Mapping[str, Feature]
) -> tuple[int, int]:
    """Five-fold cross-validation of the rules.

    Returns the number of held-out points that rules cover and that are true, and the number they cover.
    """
    hits, spoken = 0, 0
    for part in range(_PARTS):
        out = np.arange(len(points)) % _PARTS == part
        inside = [point for point, left_out in zip(points, out, strict=True) if not left_out]
        rest = [point for point, left_out in zip(points, out, strict=True) if left_out]
        for leaf in pure(grow(inside, true[~out], known), true[~out]):
            covered = np.ones(len(rest), dtype=bool)
            for test in leaf.tests:
                covered &= test.holds(rest)
            hits += int(true[out][covered].sum())
            spoken += int(covered.sum())
    return hits, spoken


_PARTS = 5


def words(tests: Sequence[Test], known: Mapping[str, Feature]) -> str:
    """Text of a region."""
    return " and ".join(_bound(test, known[test.feature]) for test in tests) or "always"


def _bound(test: Test, feature: Feature) -> str:
    unit = f" {feature.unit}" if feature.unit else ""
    if test.only is not None:
        others = set(feature.values) - test.only
        if len(others) < len(test.only):
            return f"{feature.label} not {' nor '.join(sorted(others))}"
        return f"{feature.label} {' or '.join(sorted(test.only))}"
    if np.isinf(test.low):
        return f"{feature.label} ≤ {test.high:g}{unit}"
    if np.isinf(test.high):
        return f"{feature.label} > {test.low:g}{unit}"
    return f"{feature.label} from {test.low + feature.whole:g} to {test.high:g}{unit}"

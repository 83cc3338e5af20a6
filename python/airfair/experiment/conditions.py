"""Conditions of claims: a measured quantity and the range in which it must lie.

A condition *holds* if the whole confidence interval of the mean (Student's t) lies within the range, *fails*
if all of it lies outside, and is *undecided* if the interval contains a bound. It is *untestable* and does
not count if the effect cannot occur: each replication lies exactly on the bound, or the baseline lacks the
effect. If a condition is tested several times, the intervals together miss the true mean with a probability
of at most 5 % (`error_of_each`).

Of many conditions some fail by chance, so failures are corrected for the number of conditions (`holm`). A
claim that holds needs no correction, because all its conditions have to hold. If many conditions lie just
within their ranges, some are always undecided; `resolution` is the distance from the bound that they need.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeVar

from airfair import lazy
from airfair.estimate import Estimate, Floats, estimate, paired, quotient
from airfair.statistics import CONFIDENCE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike
else:
    np = lazy.Module("numpy")

State = Literal["holds", "fails", "undecided", "untestable"]
Key = tuple[str, str]
"""Setup and variant of runs."""
M = TypeVar("M")
"""Type of the measurements of runs."""
FEWEST_FRESH = 10
"""Smallest number of fresh replications of an undecided point, so that its variance is known well."""
ERROR = 1 - CONFIDENCE
"""Probability that the intervals of all tests of a condition miss the true mean."""
POWER = 0.9
"""Probability that a claim is found to hold if all its points lie `resolution` inside their ranges."""


def error_of_each(looks: int) -> float:
    """Error probability of each interval such that `looks` tests together have one of 5 %."""
    return ERROR / looks


@dataclass(frozen=True)
class Tolerance:
    """Tolerance that a word such as "about" stands for, around a target value."""

    word: str
    allowed: float
    """Largest deviation from `target`, as a fraction of `scale`."""
    target: float
    scale: float

    def __str__(self) -> str:
        return f"“{self.word}”, ± {self.allowed:.3g}"


@dataclass(frozen=True)
class Condition:
    """A measured quantity and the range in which it must lie."""

    what: str
    measured: Estimate
    above: float = -math.inf
    below: float = math.inf
    tolerance: Tolerance | None = None
    """Tolerance from which the bounds follow, if they come from a word."""
    of: tuple[Key, ...] = ()
    """Runs from which the quantity was measured; if empty, all runs that the claim needs."""
    testable: bool = True
    """True if the effect can occur in the baseline."""
    error: float = ERROR
    """Error probability of the interval that decides; the interval that is shown has 5 %."""

    def at(self, error: float) -> Condition:
        """Condition decided by an interval with this error probability."""
        return replace(self, error=error)

    @cached_property
    def deciding(self) -> Estimate:
        """Measured quantity with the interval that decides."""
        return self.measured if self.error == ERROR else self.measured.at(self.error)

    @property
    def state(self) -> State:
        """State, from the position of the deciding interval relative to the range."""
        low, high = self.deciding.low, self.deciding.high
        if not self.testable or low == high == self.above or low == high == self.below:
            return "untestable"
        if self.above < low and high < self.below:
            return "holds"
        if high <= self.above or self.below <= low:
            return "fails"
        return "undecided"

    @property
    def p_outside(self) -> float:
        """p-value: probability of a mean this far outside the range if the true mean were at the bound."""
        if self.state == "untestable":
            return 1.0
        return min(
            1.0 if math.isinf(self.above) else self.measured.p_below(self.above),
            1.0 if math.isinf(self.below) else self.measured.p_above(self.below),
        )

    def replications(self, most: int) -> int:
        """Number of fresh replications that would decide the condition, at most `most`.

        The half width of their interval is then half the distance from the mean to the nearest bound,
        provided that mean and variance stay as they are.
        """
        deciding = self.deciding
        bounds = [bound for bound in (self.above, self.below) if math.isfinite(bound)]
        away = min((abs(deciding.half_widths_from(bound)) for bound in bounds), default=0.0)
        if not deciding.count or not away > 0 or math.isinf(deciding.ci95):
            return most
        needed = deciding.count * (2 / away) ** 2
        return min(most, max(FEWEST_FRESH, math.ceil(needed)))

    @property
    def turns_at(self) -> float | None:
        """Smallest tolerance with which the condition holds (fraction of scale); `None` without a word."""
        if self.tolerance is None:
            return None
        target, deciding = self.tolerance.target, self.deciding
        off = [
            *([target - deciding.low] if self.above > -math.inf else []),
            *([deciding.high - target] if self.below < math.inf else []),
        ]
        return max(0.0, *off) / self.tolerance.scale

    @property
    def figures(self) -> str:
        """Text of the measured quantity and the required range."""
        bounds = []
        if self.above > -math.inf:
            bounds.append(f"> {self.above:.4g}")
        if self.below < math.inf:
            bounds.append(f"< {self.below:.4g}")
        return f"{self.what} = {self.measured} (needs {' and '.join(bounds)})"

    def __str__(self) -> str:
        return f"{self.figures}: {self.state}"


@dataclass(frozen=True)
class Quota:
    """Conditions of which a given fraction must hold, for words such as "almost always"."""

    what: str
    parts: tuple[Condition, ...]
    least: float
    """Fraction of the testable conditions that must hold."""
    of: tuple[Key, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", tuple(key for part in self.parts for key in part.of))

    def at(self, error: float) -> Quota:
        """Quota whose parts are decided by intervals with this error probability."""
        return replace(self, parts=tuple(part.at(error) for part in self.parts))

    @property
    def error(self) -> float:
        """Error probability of the intervals that decide."""
        return self.parts[0].error if self.parts else ERROR

    @property
    def _testable(self) -> list[Condition]:
        return [part for part in self.parts if part.state != "untestable"]

    @property
    def _most_failures(self) -> int:
        """Number of parts that may fail: 1 of 7 if four fifths must hold."""
        return math.floor((1 - self.least) * len(self._testable) + 1e-9)

    @property
    def state(self) -> State:
        """State: holds if enough parts hold, fails if too many fail."""
        parts = self._testable
        if not parts:
            return "untestable"
        held = sum(part.state == "holds" for part in parts)
        if held >= len(parts) - self._most_failures:
            return "holds"
        return "fails" if self.p_outside <= self.error / 2 else "undecided"

    @property
    def p_outside(self) -> float:
        """p-value, corrected for the number of parts, of the first failure beyond those allowed."""
        adjusted = sorted(holm([part.p_outside for part in self._testable]))
        return adjusted[self._most_failures] if len(adjusted) > self._most_failures else 1.0

    def replications(self, most: int) -> int:
        """Number of fresh replications that would decide the quota: always `most`."""
        return most

    @property
    def turns_at(self) -> float | None:
        """Smallest tolerance with which enough parts hold; `None` without a word."""
        each = sorted(part.turns_at for part in self._testable if part.turns_at is not None)
        return each[-1 - self._most_failures] if each else None

    @property
    def figures(self) -> str:
        """Text of the number of parts that hold and the number required."""
        parts = self._testable
        held = sum(part.state == "holds" for part in parts)
        return f"{self.what}: {held} of {len(parts)} (needs {len(parts) - self._most_failures})"

    def __str__(self) -> str:
        return f"{self.figures}: {self.state}"


Point = Condition | Quota
"""Part of a claim: one condition, or a quota of several."""


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted for their number by Holm's method, which bounds the family-wise error rate.

    [holm-1979]
    """
    order = np.argsort(p_values)
    adjusted = [1.0] * len(p_values)
    least = 0.0
    for rank, index in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = least
    return adjusted


def states(points: Sequence[Point]) -> list[State]:
    """State of each point; a failure that is not significant among all points counts as undecided."""
    testable = [point for point in points if point.state != "untestable"]
    corrected = dict(
        zip(map(id, testable), holm([point.p_outside for point in testable]), strict=True)
    )
    return [
        "undecided"
        if point.state == "fails" and corrected[id(point)] > point.error / 2
        else point.state
        for point in points
    ]


def ruled(points: Sequence[Point]) -> list[tuple[Point, State]]:
    """Points with their states."""
    return list(zip(points, states(points), strict=True))


def together(points: Sequence[Point]) -> State:
    """State of a claim with these points, all of which must hold."""
    found = set(states(points)) - {"untestable"}
    if not found:
        return "untestable"
    return "fails" if "fails" in found else "undecided" if "undecided" in found else "holds"


def resolution(count: int, points: int, error: float) -> float:
    """Smallest distance from the bound that `count` replications can show, in standard deviations of one.

    A claim whose `points` all lie that far inside their ranges is found to hold with the probability `POWER`.
    """
    from scipy.special import ndtri, stdtrit

    beyond = stdtrit(count - 1, 1 - error / 2) + ndtri(POWER ** (1 / points))
    return float(beyond) / math.sqrt(count)


# ------------------------------------------------------------------ constructors


def condition(  # noqa: PLR0913 - options, each with a default
    what: str,
    samples: ArrayLike | Estimate,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    of: Iterable[Key] = (),
    testable: bool = True,
) -> Condition:
    """Condition on the mean of `samples`, one per replication."""
    measured = samples if isinstance(samples, Estimate) else estimate(samples)
    if min(abs(above), abs(below)) == 0 or any(-math.inf < bound < 0 for bound in (above, below)):
        # A bound of zero or less means that values can be negative.
        measured = replace(measured, signed=True)
    return Condition(what, measured, above, below, of=tuple(of), testable=testable)


def difference(  # noqa: PLR0913 - options, each with a default
    what: str,
    first: Floats,
    second: Floats,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    of: Iterable[Key] = (),
    testable: bool = True,
) -> Condition:
    """Condition on the mean difference `first` - `second` of paired replications."""
    first, second = paired(first, second)
    less = estimate(first - second, signed=True)
    return condition(what, less, above=above, below=below, of=of, testable=testable)


def ratio(  # noqa: PLR0913 - options, each with a default
    what: str,
    upper: Floats,
    lower: Floats,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    of: Iterable[Key] = (),
) -> Condition:
    """Condition on the ratio `upper` / `lower`, from the differences of logarithms of paired replications."""
    return condition(what, quotient(upper, lower), above=above, below=below, of=of)


def versus(  # noqa: PLR0913, PLR0917 - two runs, and the options of `by`
    by: Callable[..., Condition],
    what: str,
    data: Mapping[Key, M],
    take: Callable[[M], Floats],
    one: Key,
    other: Key,
    **options: float,
) -> Condition:
    """Condition on a quantity of two runs: `by` is `difference` (one - other) or `ratio` (one / other)."""
    return by(what, take(data[one]), take(data[other]), of=[one, other], **options)

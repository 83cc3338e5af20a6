"""Conditions: a measured quantity, and the range in which a claim needs it.

A condition *holds* if the mean's whole confidence interval (Student t) lies in the range, *fails* if all of
it lies outside, and is *undecided* if the interval straddles a bound. Where nothing can be seen (0 against 0
in every replication, or a baseline without the effect) it is *untestable* and counts nowhere. The intervals
of all looks at a condition together miss its true mean in 5 % of all cases (`error_of_each`).

Of many conditions some fail by chance. Failures of a claim are therefore corrected for their number
(`holm`); that all hold needs no correction, since each of them has to. For that same reason many points that
lie just within their ranges are never all seen there: `resolution` says how far inside they have to lie.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from airfair.estimate import Estimate, Floats, estimate, paired, quotient
from airfair.statistics import CONFIDENCE

State = Literal["holds", "fails", "undecided", "untestable"]
Key = tuple[str, str]
"""Setup and variant of runs."""
FEWEST_FRESH = 10
"""Fresh replications of an undecided point at least: a variance is not known well from fewer."""
ERROR = 1 - CONFIDENCE
"""Part of the cases in which an interval may miss the true mean, over all looks at it."""
POWER = 0.9
"""Probability with which a claim is to hold whose points all lie as far inside as `resolution` says."""


def error_of_each(looks: int) -> float:
    """Error that the interval of each of several looks may have, so that all of them keep to 5 %."""
    return ERROR / looks


@dataclass(frozen=True)
class Tolerance:
    """Tolerance of a word such as "about", and the value around which it is."""

    word: str
    allowed: float
    """Largest deviation from `target`, as a part of `scale`."""
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
    """The word that the bounds come from, if they come from one."""
    of: tuple[Key, ...] = ()
    """Runs that it rests on; of none that are named, all that the claim needs."""
    testable: bool = True
    """True if the baseline can show the effect here."""
    error: float = ERROR
    """Error of the interval that decides; the one that is shown has 5 %."""

    def at(self, error: float) -> Condition:
        """The same, decided by an interval with this error."""
        return replace(self, error=error)

    @cached_property
    def deciding(self) -> Estimate:
        """The measured quantity with the interval that decides."""
        return self.measured if self.error == ERROR else self.measured.at(self.error)

    @property
    def state(self) -> State:
        """State by the place of the confidence interval that decides."""
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
        """Probability of a mean so far outside the range if the true one were at its edge."""
        if self.state == "untestable":
            return 1.0
        return min(
            1.0 if math.isinf(self.above) else self.measured.p_below(self.above),
            1.0 if math.isinf(self.below) else self.measured.p_above(self.below),
        )

    def replications(self, most: int) -> int:
        """Fresh replications that would decide it, if they are as these: `most` at most.

        So many that half the width of their interval is half the distance of the mean from the nearest bound.
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
        """Least tolerance with which it holds, as a part of the scale; nothing without a word."""
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
        """Figures: the measured one, and the needed one."""
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
    """Conditions of which a part must hold, for words such as "almost always"."""

    what: str
    parts: tuple[Condition, ...]
    least: float
    """Part of the testable ones that must hold."""
    of: tuple[Key, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", tuple(key for part in self.parts for key in part.of))

    def at(self, error: float) -> Quota:
        """The same, each part decided by an interval with this error."""
        return replace(self, parts=tuple(part.at(error) for part in self.parts))

    @property
    def error(self) -> float:
        """Error of the intervals that decide."""
        return self.parts[0].error if self.parts else ERROR

    @property
    def _testable(self) -> list[Condition]:
        return [part for part in self.parts if part.state != "untestable"]

    @property
    def _most_failures(self) -> int:
        """Parts that may fail: of seven, of which four fifths at least have to hold, one."""
        return math.floor((1 - self.least) * len(self._testable) + 1e-9)

    @property
    def state(self) -> State:
        """State: enough of them hold, or too many fail."""
        parts = self._testable
        if not parts:
            return "untestable"
        held = sum(part.state == "holds" for part in parts)
        if held >= len(parts) - self._most_failures:
            return "holds"
        return "fails" if self.p_outside <= self.error / 2 else "undecided"

    @property
    def p_outside(self) -> float:
        """Probability of so many failures by chance: of the first one too many, corrected."""
        adjusted = sorted(holm([part.p_outside for part in self._testable]))
        return adjusted[self._most_failures] if len(adjusted) > self._most_failures else 1.0

    def replications(self, most: int) -> int:
        """Fresh replications that would decide it: as many as there may be."""
        return most

    @property
    def turns_at(self) -> float | None:
        """Least tolerance with which enough hold."""
        each = sorted(part.turns_at for part in self._testable if part.turns_at is not None)
        return each[-1 - self._most_failures] if each else None

    @property
    def figures(self) -> str:
        """Figures: how many hold, and how many are needed."""
        parts = self._testable
        held = sum(part.state == "holds" for part in parts)
        return f"{self.what}: {held} of {len(parts)} (needs {len(parts) - self._most_failures})"

    def __str__(self) -> str:
        return f"{self.figures}: {self.state}"


Point = Condition | Quota
"""Part of a claim."""


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for their number: at most so often is one true hypothesis refused or more.

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
    """The state of each point among the others: what fails must fail beyond what chance brings to so many."""
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


def together(points: Sequence[Point]) -> State:
    """The state of points that must all hold."""
    found = set(states(points)) - {"untestable"}
    if not found:
        return "untestable"
    return "fails" if "fails" in found else "undecided" if "undecided" in found else "holds"


def resolution(count: int, points: int, error: float) -> float:
    """Least distance from the bound that `count` replications tell, in standard deviations of one of them.

    A claim of so many points, of which all have to hold, then holds with the probability `POWER`.
    """
    from scipy.special import ndtri, stdtrit

    beyond = stdtrit(count - 1, 1 - error / 2) + ndtri(POWER ** (1 / points))
    return float(beyond) / math.sqrt(count)


# ------------------------------------------------------------------ making them


def condition(  # noqa: PLR0913 - options, each with a default
    what: str,
    samples: ArrayLike | Estimate,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    of: Iterable[Key] = (),
    testable: bool = True,
) -> Condition:
    """A condition on the mean of `samples`, one per replication."""
    measured = samples if isinstance(samples, Estimate) else estimate(samples)
    if min(abs(above), abs(below)) == 0 or any(-math.inf < bound < 0 for bound in (above, below)):
        # A bound at zero or below says that there are values on either side of it.
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
    """A condition on `first` less `second`, within each replication."""
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
    """A condition on `upper` over `lower`, by the differences of their logarithms in each replication."""
    return condition(what, quotient(upper, lower), above=above, below=below, of=of)

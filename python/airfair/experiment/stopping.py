"""Rules for the number of replications of a point: a fixed number, or until results are precise enough."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass

from .conditions import error_of_each
from .errors import StudyError
from .measures import Measurable, Measure, measure
from .values import quantity

LEAST, MOST, MOST_DECIDED = 5, 100, 60
"""Default limits of the number of replications; the last one is for `until_decided`."""
_GROWTH = 2.0
"""Largest factor by which the replications of a point grow from one check to the next."""


@dataclass(frozen=True)
class Fixed:
    """Fixed number of replications of each point."""

    count: int

    @property
    def least(self) -> int:
        """Smallest number of replications of a point."""
        return self.count

    @property
    def most(self) -> int:
        """Largest number of replications of a point."""
        return self.count

    def __str__(self) -> str:
        return f"{self.count:,} replications of each"


@dataclass(frozen=True)
class Until:
    """Replications of each point until the 95 % confidence interval of a measure is narrow enough."""

    measure: Measure
    half_width: float
    relative: bool
    """True if `half_width` is a fraction of the mean, false if it is in the unit of the measure."""
    least: int
    most: int

    def is_enough(self, mean: float, half_width: float) -> bool:
        """True if the interval is narrow enough."""
        return half_width <= self._allowed(mean)

    def next(self, count: int, mean: float, half_width: float) -> int:
        """Number of replications to run next, estimated from the present width; at most twice `count`."""
        allowed = self._allowed(mean)
        times = half_width / allowed if allowed > 0 else math.inf
        needed = count * times * times
        return min(self.most, math.ceil(min(count * _GROWTH, max(needed, count + 1))))

    def _allowed(self, mean: float) -> float:
        return self.half_width * abs(mean) if self.relative else self.half_width

    def __str__(self) -> str:
        wide = f"{100 * self.half_width:g} %" if self.relative else f"{self.half_width:g}"
        return f"until {self.measure} is known to ± {wide}, {self.least} to {self.most}"


@dataclass(frozen=True)
class UntilDecided:
    """Replications of all points until no claim of the experiment is undecided.

    Claims are tested after `least` replications and each time the number has doubled. As repeated tests raise
    the probability of an error, each test, including the final verdict, uses the level 5 % divided by the
    number of tests.
    """

    least: int
    most: int

    @property
    def looks(self) -> list[int]:
        """Numbers of replications at which claims are tested."""
        counts = [self.least]
        while counts[-1] < self.most:
            counts.append(min(self.most, 2 * counts[-1]))
        return counts

    @property
    def error(self) -> float:
        """Error probability of the intervals of each test."""
        return error_of_each(len(self.looks))

    def __str__(self) -> str:
        return f"until all claims are decided, {self.least} to {self.most}"


Replications = Fixed | Until | UntilDecided


def until(
    of: Measurable,
    *,
    half_width: float,
    relative: bool = True,
    least: int = LEAST,
    most: int = MOST,
) -> Until:
    """Rule that runs each point until the 95 % confidence interval of the measure `of` is narrow enough.

    `half_width` is the largest half width, as a fraction of the mean, or in the unit of the measure if
    `relative` is false. Each point gets at least `least` and at most `most` replications, even if its
    interval is wider then.

    Raises `StudyError` for an unknown measure or values that are not possible.
    """
    least, most = _range(least, most)
    wide = quantity(half_width)
    if wide is None or wide[1] or not 0 < wide[0] < math.inf:
        raise StudyError(f"until: half_width {half_width!r}; allowed is a number above 0")
    return Until(measure(of), wide[0], bool(relative), least, most)


def until_decided(*, least: int = LEAST, most: int = MOST_DECIDED) -> UntilDecided:
    """Rule that runs all points until no claim of the experiment is undecided.

    Each point gets at least `least` and at most `most` replications.

    Raises `StudyError` for values that are not possible.
    """
    return UntilDecided(*_range(least, most))


def replications(wanted: int | Replications) -> Replications:
    """Rule for a number of replications; a rule is returned as it is.

    Raises `StudyError` for anything else.
    """
    if isinstance(wanted, Fixed | Until | UntilDecided):
        return wanted
    count = _whole(wanted)
    if count is None:
        raise StudyError(
            f"replications: {wanted!r}; allowed is a whole number, until(…) or until_decided(…)"
        )
    if count < 1:
        raise StudyError(f"replications: {count}; allowed is 1 or more")
    return Fixed(count)


def _range(least: int, most: int) -> tuple[int, int]:
    fewest, both = 2, (_whole(least), _whole(most))
    if both[0] is None or both[1] is None:
        raise StudyError(f"until: least = {least!r}, most = {most!r}; allowed are whole numbers")
    if both[0] < fewest:
        raise StudyError(
            f"until: least = {least}; allowed is 2 or more, which a confidence interval needs"
        )
    if both[1] < both[0]:
        raise StudyError(f"until: most = {most}; allowed is least = {least} or more")
    return both[0], both[1]


def _whole(value: object) -> int | None:
    """Whole number, of Python or numpy; `None` for anything else."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return None
    return operator.index(value)

"""Rules that tell how many replications a point gets: so many, or until something is known well enough."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .errors import StudyError
from .measures import Measure, measure

LEAST, MOST = 5, 100
"""Replications at least and at most where nothing is said."""
_GROWTH = 2.0
"""Factor by which a point's replications grow at most from one look at them to the next."""


@dataclass(frozen=True)
class Fixed:
    """So many replications of each point."""

    count: int

    @property
    def least(self) -> int:
        """Replications that each point gets."""
        return self.count

    @property
    def most(self) -> int:
        """Likewise."""
        return self.count


@dataclass(frozen=True)
class Until:
    """Replications until the 95 % interval of a measure is narrow enough, point by point."""

    measure: Measure
    half_width: float
    relative: bool = True
    """True if the half width is a part of the mean, False if it is in the measure's unit."""
    least: int = LEAST
    most: int = MOST

    def is_enough(self, mean: float, half_width: float) -> bool:
        """True if the interval is narrow enough."""
        return half_width <= self._allowed(mean)

    def next(self, count: int, mean: float, half_width: float) -> int:
        """Replications after which it may be narrow enough; at most twice as many as there are."""
        allowed = self._allowed(mean)
        needed = count * (half_width / allowed) ** 2 if allowed > 0 else math.inf
        return min(self.most, math.ceil(min(count * _GROWTH, max(needed, count + 1))))

    def _allowed(self, mean: float) -> float:
        return self.half_width * abs(mean) if self.relative else self.half_width

    def __str__(self) -> str:
        wide = f"{100 * self.half_width:g} %" if self.relative else f"{self.half_width:g}"
        return f"until {self.measure} is known to ± {wide}, {self.least} to {self.most}"


@dataclass(frozen=True)
class UntilDecided:
    """Replications until no claim of the experiment is undecided.

    They are looked at after `least`, and each time that their number has doubled. Whoever looks often is
    often deceived: each look keeps to the level of 5 % divided by the number of looks.
    """

    least: int = LEAST
    most: int = MOST

    @property
    def looks(self) -> list[int]:
        """Replications at each look."""
        counts = [self.least]
        while counts[-1] < self.most:
            counts.append(min(self.most, 2 * counts[-1]))
        return counts

    def __str__(self) -> str:
        return f"until all claims are decided, {self.least} to {self.most}"


Replications = Fixed | Until | UntilDecided


def until(
    of: str | Measure,
    *,
    half_width: float,
    relative: bool = True,
    least: int = LEAST,
    most: int = MOST,
) -> Until:
    """Replications of each point until the 95 % interval of a measure is narrow enough.

    `half_width` is a part of the mean, or in the measure's unit if not `relative`. A point gets `least`
    replications at least and `most` at most, also if the interval is wider then.

    Raises `StudyError` for what can never be.
    """
    _check(least, most)
    if not (math.isfinite(half_width) and half_width > 0):
        raise StudyError(f"until: half_width {half_width!r}; a number above 0 is needed")
    return Until(measure(of), float(half_width), relative, least, most)


def until_decided(*, least: int = LEAST, most: int = 60) -> UntilDecided:
    """Replications of all points until every claim holds or fails, `most` at most.

    Raises `StudyError` for what can never be.
    """
    _check(least, most)
    return UntilDecided(least, most)


def replications(wanted: int | Replications) -> Replications:
    """The rule that is meant by a number, or by one of the rules.

    Raises `StudyError` for anything else.
    """
    if isinstance(wanted, Fixed | Until | UntilDecided):
        return wanted
    try:
        count = wanted.__index__()
    except AttributeError:
        raise StudyError(
            f"replications: {wanted!r}; allowed is a whole number, until(…) or until_decided(…)"
        ) from None
    if count < 1:
        raise StudyError(f"replications: {count}; one at least is needed")
    return Fixed(count)


def _check(least: int, most: int) -> None:
    fewest = 2
    if least < fewest:
        raise StudyError(f"until: least = {least}; an interval needs two replications")
    if most < least:
        raise StudyError(f"until: most = {most} is below least = {least}")

"""A check, and a scenario that checks are made on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airfair import Result, Scenario


@dataclass(frozen=True)
class Check:
    """One comparison."""

    id: str
    expected: float
    measured: float
    tolerance: float
    """Largest allowed |measured - expected| / expected."""
    ci95: float | None = None
    """Half the width of the 95 % confidence interval of what was measured."""
    unit: str = ""

    @property
    def passed(self) -> bool:
        """True if the two are close enough."""
        if not (math.isfinite(self.expected) and math.isfinite(self.measured)):
            return False
        return abs(self.measured - self.expected) <= self.tolerance * abs(self.expected)

    @property
    def deviation(self) -> float:
        """(measured - expected) / expected; 0 if both are 0."""
        if self.measured == self.expected:
            return 0.0
        return (self.measured - self.expected) / self.expected if self.expected else math.inf


@dataclass(frozen=True)
class Plan:
    """A scenario and the checks that its result goes through."""

    scenario: Scenario
    evaluate: Callable[[Result], Iterable[Check]]

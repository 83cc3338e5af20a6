"""Check of a value, and plan of a scenario with its checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airfair import Result, Scenario


@dataclass(frozen=True)
class Check:
    """Comparison of a measured with an expected value."""

    id: str
    expected: float
    measured: float
    tolerance: float
    """Largest allowed |measured - expected| / expected."""
    ci95: float | None = None
    """Half width of the 95 % confidence interval of the measured value."""
    unit: str = ""

    @property
    def passed(self) -> bool:
        """True if the deviation is within the tolerance."""
        if not (math.isfinite(self.expected) and math.isfinite(self.measured)):
            return False
        return abs(self.measured - self.expected) <= self.tolerance * abs(self.expected)

    @property
    def deviation(self) -> float:
        """Relative deviation (measured - expected) / expected; 0 if both are equal."""
        if self.measured == self.expected:
            return 0.0
        return (self.measured - self.expected) / self.expected if self.expected else math.inf


@dataclass(frozen=True)
class Plan:
    """Scenario to run, and the function that makes checks from its result."""

    scenario: Scenario
    evaluate: Callable[[Result], Iterable[Check]]

"""Check of a value, and plan of a scenario with its checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

from airfair.statistics import half_width

if TYPE_CHECKING:
    from airfair import Result, Scenario
    from airfair.estimate import Floats


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

    @classmethod
    def of(
        cls, id_: str, expected: float, samples: Floats, tolerance: float, unit: str = ""
    ) -> Self:
        """Check of the mean of samples, one for each replication."""
        width = half_width(samples.tolist())
        return cls(id_, expected, float(samples.mean()), tolerance, width, unit)

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


class Cell(Protocol):
    """Cell with the checks of its result."""

    def scenario(self) -> Scenario:
        """Scenario of the cell."""

    def evaluate(self, result: Result) -> Iterable[Check]:
        """Checks of the result."""


def plans_of(cells: Iterable[Cell]) -> Iterator[Plan]:
    """Plans for some cells."""
    for cell in cells:
        yield Plan(cell.scenario(), cell.evaluate)

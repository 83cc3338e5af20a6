"""Chooses what a paper leaves open by its printed baseline, before the scheme is looked at.

A candidate is a place or a setting, run with the baseline alone. Its distance is the root mean square of
the relative deviations from the printed rows. It *fits* if each printed figure could be the mean of the
paper's own runs there: if it lies within the 95 % prediction interval of such a mean. The nearest decides,
the others that fit stand beside it as readings that are as near.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airfair.estimate import Estimate, Floats, estimate

from .tables import Cell, Column, Table


@dataclass(frozen=True)
class Candidate:
    """A place, and what the baseline measures there."""

    label: str
    measured: Mapping[str, Floats]
    """Samples of each printed row, one per replication."""
    printed: Mapping[str, float]
    runs: int = 1
    """Runs of the paper behind a printed figure."""

    @property
    def distance(self) -> float:
        """Root mean square of the relative deviations."""
        off = [float(self.measured[row].mean()) / value - 1 for row, value in self.printed.items()]
        return math.sqrt(float(np.mean(np.square(off))))

    @property
    def fits(self) -> bool:
        """True if each printed figure could be a mean of the paper's runs."""
        return all(self._could_be(row, value) for row, value in self.printed.items())

    def _could_be(self, row: str, value: float) -> bool:
        one = estimate(self.measured[row])
        # The interval of the difference of two means, with n and with the paper's runs.
        widened = one.ci95 * math.sqrt(1 + one.count / self.runs)
        return abs(one.mean - value) <= widened

    def estimate(self, row: str) -> Estimate:
        """Measured figure of a row."""
        return estimate(self.measured[row])


def ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, the nearest first."""
    return sorted(candidates, key=lambda one: one.distance)


def chosen(candidates: Sequence[Candidate]) -> Candidate:
    """The nearest of those that fit, or of all if none does."""
    order = ranked(candidates)
    return next((one for one in order if one.fits), order[0])


def table(
    id_: str, title: str, candidates: Sequence[Candidate], digits: Mapping[str, int]
) -> Table:
    """All candidates with their figures beside the printed ones, the nearest first."""
    order = ranked(candidates)
    columns = [
        Column(
            row,
            row,
            [Cell(one.estimate(row), one.printed[row], digits=digits[row]) for one in order],
        )
        for row in order[0].printed
    ]
    distance = Column(
        "distance",
        "distance, %",
        [Cell(Estimate(100 * one.distance, math.nan), digits=1) for one in order],
    )
    rows = [f"{one.label}{' (fits)' if one.fits else ''}" for one in order]
    return Table(id_, title, rows, [*columns, distance])

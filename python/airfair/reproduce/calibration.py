"""Chooses what a paper leaves open by its printed baseline, and tells which candidates are as near.

A candidate is a place or a setting, run with the baseline alone. Its distance is the root mean square of
the relative deviations from the printed rows. It *fits* if each printed figure could be the mean of the
paper's own runs there: if it lies within the prediction interval of such a mean. Several printed figures
share an error of 5 %, so that each has a wider interval.

Those that fit are as near as each other. Where none fits, these are the nearest of all and those whose
distance is within what “the same” allows. Of them the nearest decides, among those that assume the fewest
things.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from airfair.estimate import Estimate, Floats, estimate
from airfair.experiment.conditions import error_of_each
from airfair.experiment.words import SAME

from .paper import Json
from .tables import Column, Table, TableCell

Role = Literal["decides", "near", "beside"]


@dataclass(frozen=True)
class Candidate:
    """A place, and what the baseline measures there."""

    label: str
    measured: Mapping[str, Floats]
    """Samples of each printed row, one per replication."""
    printed: Mapping[str, float]
    runs: int = 1
    """Runs of the paper behind a printed figure."""
    assumed: int = 1
    """Number of things that it assumes beyond what the paper says."""

    @property
    def distance(self) -> float:
        """Root mean square of the relative deviations."""
        off = [float(self.measured[row].mean()) / value - 1 for row, value in self.printed.items()]
        return math.sqrt(float(np.mean(np.square(off))))

    @property
    def fits(self) -> bool:
        """True if each printed figure could be a mean of the paper's runs.

        One run of the paper has no spread of its own, and a few of ours know it too badly: nothing fits then.
        """
        return self.runs > 1 and all(self._could_be(row, one) for row, one in self.printed.items())

    def _could_be(self, row: str, value: float) -> bool:
        one = estimate(self.measured[row]).at(error_of_each(len(self.printed)))
        # The interval of the difference of two means, with n and with the paper's runs.
        widened = one.ci95 * math.sqrt(1 + one.count / self.runs)
        return abs(one.mean - value) <= widened

    def estimate(self, row: str) -> Estimate:
        """Measured figure of a row."""
        return estimate(self.measured[row])


@dataclass(frozen=True)
class Chosen:
    """The candidate that decides, and those that the baseline does not tell from it."""

    decides: Candidate
    near: tuple[Candidate, ...]

    def role(self, candidate: Candidate) -> Role:
        """Part that a candidate has in the verdicts."""
        if candidate is self.decides:
            return "decides"
        return "near" if any(candidate is one for one in self.near) else "beside"


def ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, the nearest first."""
    return sorted(candidates, key=lambda one: one.distance)


def chosen(candidates: Sequence[Candidate]) -> Chosen:
    """The one that decides of those that fit, or of the nearest if none does, and the others of these."""
    order = ranked(candidates)
    alike = [one for one in order if one.fits] or [
        order[0],
        *(one for one in order[1:] if one.distance <= SAME.allowed),
    ]
    decides = min(alike, key=lambda one: (one.assumed, one.distance))
    return Chosen(decides, tuple(one for one in alike if one is not decides))


def entries(candidates: Sequence[Candidate]) -> list[Json]:
    """The candidates for a document, the nearest first, each with its part in the verdicts."""
    of = chosen(candidates)
    return [
        {"label": one.label, "distance": one.distance, "fits": one.fits, "role": of.role(one)}
        for one in ranked(candidates)
    ]


def table(
    id_: str, title: str, candidates: Sequence[Candidate], digits: Mapping[str, int]
) -> Table:
    """All candidates with their figures beside the printed ones, the nearest first."""
    order = ranked(candidates)
    columns = [
        Column(
            row,
            row,
            [TableCell(one.estimate(row), one.printed[row], digits=digits[row]) for one in order],
        )
        for row in order[0].printed
    ]
    distance = Column(
        "distance",
        "distance, %",
        [TableCell(Estimate(100 * one.distance, math.nan), digits=1) for one in order],
    )
    rows = [f"{one.label}{' (fits)' if one.fits else ''}" for one in order]
    return Table(id_, title, rows, [*columns, distance])

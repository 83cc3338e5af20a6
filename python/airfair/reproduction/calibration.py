"""Calibration: chooses settings that a paper leaves open, so that the printed baseline is reproduced.

A candidate is a value of such settings, for example the position of a server, and is run with the baseline
scheme alone. The distance of a candidate is the root mean square of the relative deviations from the printed
values. A candidate *fits* if each printed value lies within the prediction interval of a mean of the paper's
own runs. Several printed values share an error probability of 5 %, so that each has a wider interval.

All candidates that fit are near. If none fits, the candidate with the smallest distance is near, and so are
those whose distance is within the tolerance of “the same”. Among the near candidates with the fewest
assumptions, the one with the smallest distance decides.
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
from .tables import Table, column

Role = Literal["decides", "near", "beside"]


@dataclass(frozen=True)
class Candidate:
    """Candidate for the open settings, with the baseline's measured and printed values."""

    label: str
    measured: Mapping[str, Floats]
    """Measured samples of each printed value by its row, one per replication."""
    printed: Mapping[str, float]
    runs: int = 1
    """Number of runs of the paper from which a printed value was computed."""
    assumed: int = 1
    """Number of assumptions beyond the text of the paper."""

    @property
    def distance(self) -> float:
        """Root mean square of the relative deviations from the printed values."""
        off = [float(self.measured[row].mean()) / value - 1 for row, value in self.printed.items()]
        return math.sqrt(float(np.mean(np.square(off))))

    @property
    def fits(self) -> bool:
        """True if each printed value could be a mean of the paper's runs.

        Always false if the paper made one run, because a single run has no known variance.
        """
        return self.runs > 1 and all(self._could_be(row, one) for row, one in self.printed.items())

    def _could_be(self, row: str, value: float) -> bool:
        one = estimate(self.measured[row]).at(error_of_each(len(self.printed)))
        # Prediction interval: that of the difference of two means, of our runs and of the paper's.
        widened = one.ci95 * math.sqrt(1 + one.count / self.runs)
        return abs(one.mean - value) <= widened


@dataclass(frozen=True)
class Chosen:
    """Result of a calibration: the deciding candidate and the near ones."""

    decides: Candidate
    near: tuple[Candidate, ...]

    def role(self, candidate: Candidate) -> Role:
        """Role of a candidate in verdicts: "decides", "near" or "beside" (decides nothing)."""
        if candidate is self.decides:
            return "decides"
        return "near" if any(candidate is one for one in self.near) else "beside"


def ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates sorted by distance."""
    return sorted(candidates, key=lambda one: one.distance)


def chosen(candidates: Sequence[Candidate]) -> Chosen:
    """Deciding candidate and near ones, by the rules of this module."""
    order = ranked(candidates)
    alike = [one for one in order if one.fits] or [
        order[0],
        *(one for one in order[1:] if one.distance <= SAME.allowed),
    ]
    decides = min(alike, key=lambda one: (one.assumed, one.distance))
    return Chosen(decides, tuple(one for one in alike if one is not decides))


def entries(candidates: Sequence[Candidate]) -> list[Json]:
    """Candidates for a JSON document, sorted by distance, each with its role."""
    of = chosen(candidates)
    return [
        {"label": one.label, "distance": one.distance, "fits": one.fits, "role": of.role(one)}
        for one in ranked(candidates)
    ]


def table(
    id_: str, title: str, candidates: Sequence[Candidate], digits: Mapping[str, int]
) -> Table:
    """Table of candidates, sorted by distance, with measured and printed values."""
    order = ranked(candidates)
    columns = [
        column(
            row,
            [one.measured[row] for one in order],
            digits[row],
            [one.printed[row] for one in order],
        )
        for row in order[0].printed
    ]
    distances = [Estimate(100 * one.distance, math.nan) for one in order]
    distance = column("distance, %", distances, 1)
    rows = [f"{one.label}{' (fits)' if one.fits else ''}" for one in order]
    return Table(id_, title, rows, [*columns, distance])

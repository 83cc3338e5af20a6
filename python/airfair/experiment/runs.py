"""Finished runs of an experiment, point by point, and the tables of all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from airfair.result import Result

if TYPE_CHECKING:
    from airfair._core import Outcome, Scenario

    from .points import Point

_LINK = ("link", "from", "to")
"""Columns that name a row of the table of links."""


@dataclass(frozen=True)
class Runs:
    """Points with their scenarios and what their replications measured, in the replications' order."""

    points: Sequence[Point]
    scenarios: Sequence[Scenario]
    outcomes: Sequence[list[Outcome]] = field(repr=False)

    def count(self, place: int) -> int:
        """Replications of a point that are finished."""
        return len(self.outcomes[place])

    def result(self, place: int) -> Result:
        """The result of one point; where chance decides keys, its scenario is the first replication's."""
        return Result(self.scenarios[place], self.outcomes[place])

    def table(self, name: str) -> pl.DataFrame:
        """A table of all runs, with the columns `point` and `replication` in front."""
        parts = [self._part(name, places) for places in self._alike()]
        table = pl.concat(parts, how="vertical") if parts else pl.DataFrame()
        return table.sort("point", maintain_order=True) if len(parts) > 1 else table

    def _alike(self) -> Iterator[list[int]]:
        """Places of points whose scenarios name the same things, so that one call makes their tables."""
        groups: dict[str, list[int]] = {}
        for place, scenario in enumerate(self.scenarios):
            if self.outcomes[place]:
                named = (scenario.flows, scenario.stations, scenario.cells, scenario.links)
                groups.setdefault(repr(named), []).append(place)
        yield from groups.values()

    def _part(self, name: str, places: Sequence[int]) -> pl.DataFrame:
        """The rows of points that name the same things."""
        scenario = self.scenarios[places[0]]
        outcomes = [outcome for place in places for outcome in self.outcomes[place]]
        together = Result(scenario, outcomes)
        table: pl.DataFrame = getattr(together, name)
        rows = table.height // len(outcomes)
        each = np.repeat(places, [len(self.outcomes[place]) * rows for place in places])
        return table.insert_column(0, pl.Series("point", each, dtype=pl.UInt32))

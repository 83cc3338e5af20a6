"""Measurements of the runs of one variant: one row per replication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airfair.estimate import Floats
from airfair.reproduction.measured import Columns, column, names, summed, taken

if TYPE_CHECKING:
    from airfair.result import Result

OTHER = "-other"
"""End of the names of stations and flows that may be slow."""


def _stations(result: Result) -> tuple[str, ...]:
    return tuple(result.scenario.stations)


@dataclass(frozen=True)
class NeighbourRuns(Columns):
    """Measurements of one variant; names of flows and stations begin with that of their cell."""

    flows: tuple[str, ...] = taken(names)
    stations: tuple[str, ...] = taken(_stations)
    mbps: Floats = column("goodput_bps", 1e6)
    """Goodput of each flow over the measured time [Mb/s], (replication, flow)."""
    delay_p95_ms: Floats = column("delay_p95_ms")
    """95th percentile of the one-way delay of each flow [ms]; NaN if no packet arrived."""
    airtime: Floats = column("airtime_share", table="airtime")
    """Share of the time used by frames of a station's exchanges, (replication, station)."""

    def goodput(self, *cells: str) -> Floats:
        """Total goodput of all flows of some cells [Mb/s], (replication)."""
        return summed(self.mbps, [name.startswith(cells) for name in self.flows])

    def mine(self) -> Floats:
        """Goodput of all flows of my cell [Mb/s], (replication)."""
        return self.goodput("mine")

    def yours(self) -> Floats:
        """Goodput of all flows of your cell [Mb/s], (replication)."""
        return self.goodput("yours")

    def air(self, *cells: str) -> Floats:
        """Share of the time used by frames of some cells, (replication)."""
        return summed(self.airtime, [name.startswith(cells) for name in self.stations])

    def slow_air(self) -> Floats:
        """Share of the time used by frames of your other station, (replication)."""
        return self.air(f"yours{OTHER}")

    def delay(self, cell: str) -> Floats:
        """Largest `delay_p95_ms` of the flows of a cell [ms], (replication)."""
        of = [name.startswith(cell) for name in self.flows]
        longest: Floats = np.max(self.delay_p95_ms[:, of], axis=1)
        return longest

    def middle_part(self) -> Floats:
        """Goodput of the middle cell, divided by the mean of those of the outer cells, (replication)."""
        return self.goodput("middle") / (self.goodput("left", "right") / 2)


Measurements = Mapping[tuple[str, str], NeighbourRuns]
"""Finished runs by (setup, variant)."""

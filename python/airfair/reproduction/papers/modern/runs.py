"""Measurements of the runs of one variant: one row per replication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from airfair.estimate import Floats
from airfair.reproduction.measured import Columns, column, jain, measured, names, summed, taken

if TYPE_CHECKING:
    from airfair.result import Result

Booleans = NDArray[np.bool_]

SLOW, FAST = "slow", "fast"
"""Words in the names of stations and of their flows."""
UP, DOWN = "up", "down"
SHORT = "short"
"""Start of the names of short flows."""


def _stations(result: Result) -> tuple[str, ...]:
    return tuple(result.scenario.stations)


@dataclass(frozen=True)
class ModernRuns(Columns):
    """Measurements of one variant; flows and stations are in the order of the scenario."""

    flows: tuple[str, ...] = taken(names)
    stations: tuple[str, ...] = taken(_stations)
    mbps: Floats = column("goodput_bps", 1e6)
    """Goodput of each flow over the measured time [Mb/s], (replication, flow)."""
    delay_p95_ms: Floats = column("delay_p95_ms")
    """95th percentile of the one-way delay of each flow [ms]; NaN if no packet arrived."""
    sent: Floats = column("packets_sent")
    """Data packets of each flow."""
    dropped: Floats = column("packets_dropped")
    """Data packets that a queue or the MAC dropped."""
    airtime: Floats = column("airtime_share", table="airtime")
    """Share of the time used by frames of a station's exchanges, (replication, station)."""
    occupancy: Floats = column("occupancy", table="airtime")
    """Share of the time used by a station's exchanges with gaps and back-off, (replication, station)."""
    aggregate: Floats = measured("access_points.mean_aggregate")
    """Mean number of MPDUs in a data frame of the access point, (replication); NaN without aggregates."""
    completion_s: Floats = column("completion_s")
    """Completion time of finite flows [s]; NaN if a flow did not complete."""

    def _flows(self, part: str) -> Booleans:
        return np.array([part in name for name in self.flows])

    def _way(self, way: str) -> Booleans:
        return np.array([name.startswith(way) for name in self.flows])

    def goodput(self, part: str) -> Floats:
        """Total goodput of the flows whose names contain `part` [Mb/s], (replication)."""
        return summed(self.mbps, self._flows(part))

    def total(self) -> Floats:
        """Goodput of all flows together [Mb/s], (replication)."""
        return summed(self.mbps)

    def down_over_up(self) -> Floats:
        """Goodput of all downloads divided by that of all uploads, (replication)."""
        down, up = (summed(self.mbps, self._way(way)) for way in (DOWN, UP))
        return down / up

    def slow_part(self) -> Floats:
        """Share of the slow station in the airtime of all frames, (replication)."""
        slow = [SLOW in name for name in self.stations]
        return summed(self.airtime, slow) / summed(self.airtime)

    def slow_stations(self) -> float:
        """Number of slow stations, divided by that of all."""
        return float(np.mean([SLOW in name for name in self.stations]))

    def jain(self) -> Floats:
        """Jain's index of the stations' airtime, (replication)."""
        return jain(self.airtime)

    def delay(self, part: str) -> Floats:
        """Largest `delay_p95_ms` of the flows whose names contain `part`, (replication)."""
        longest: Floats = self.delay_p95_ms[:, self._flows(part)].max(axis=1)
        return longest

    def loss(self, part: str = "") -> Floats:
        """Fraction of the packets dropped, of flows whose names contain `part`, (replication)."""
        of = self._flows(part)
        return summed(self.dropped, of) / summed(self.sent, of)

    def completion(self, quantile: float) -> Floats:
        """Quantile of the completion times of short transfers [s], (replication).

        A transfer that did not complete counts as infinitely long, so the quantile may be infinite.
        """
        times = self.completion_s[:, self._way(SHORT)]
        done = np.where(np.isnan(times), np.inf, times)
        found: Floats = np.quantile(done, quantile, axis=1, method="higher")
        return found

    def unfinished(self) -> Floats:
        """Fraction of the short transfers that did not complete, (replication)."""
        part: Floats = np.isnan(self.completion_s[:, self._way(SHORT)]).mean(axis=1)
        return part


Measurements = Mapping[tuple[str, str], ModernRuns]
"""Finished runs by (setup, variant)."""

"""Measurements of the runs of one variant: one row per replication."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from airfair.estimate import Estimate, Floats, estimate
from airfair.reproduction.measured import Columns, column, jain, measured, over_time, summed, taken


@dataclass(frozen=True)
class OccupancyRuns(Columns):
    """Measurements of one variant; flows and stations are in the order of the scenario."""

    mbps: Floats = column("goodput_bps", 1e6)
    """Goodput of each flow over the measured time [Mb/s], (replication, flow)."""
    sent: Floats = column("packets_sent")
    """Data packets of each flow."""
    dropped: Floats = column("packets_dropped")
    """Data packets that a queue or the MAC dropped."""
    rtt_p95_ms: Floats = column("rtt_p95_ms")
    """95th percentile of the round-trip time of each flow [ms]; NaN if the flow measures none."""
    occupancy: Floats = column("occupancy", table="airtime")
    """Share of the time used by a station's exchanges, with gaps and back-off, (replication, station)."""
    collisions: Floats = measured("channels.collision_ns / channels.elapsed_ns")
    """Share of the time used by collisions, (replication)."""
    series: Floats | None = taken(
        lambda result: (
            over_time(result, "throughput_bps", "throughput", 1e6)
            if result.scenario.series_step_s
            else None
        ),
        None,
    )
    """Goodput of each flow over time [Mb/s], (replication, flow, step); `None` without time series."""
    step_s: float = taken(lambda result: result.scenario.series_step_s or 1.0, 1.0)

    def aggregate(self) -> Floats:
        """Goodput of all flows together [Mb/s], (replication)."""
        return summed(self.mbps)

    def jain(self) -> Floats:
        """Jain's index of the stations' occupancy, (replication).  [occupancy-tfrc eq. 19]"""
        return jain(self.occupancy)

    def drops(self) -> Floats:
        """Mean over the flows of dropped data packets, in percent of those sent, (replication)."""
        share: Floats = 100 * (self.dropped / np.maximum(self.sent, 1)).mean(axis=1)
        return share

    def delay(self) -> Floats:
        """95th percentile of the round trip, mean over the flows that measure it [ms]."""
        known = ~np.isnan(self.rtt_p95_ms)
        return summed(np.where(known, self.rtt_p95_ms, 0)) / np.maximum(summed(known), 1)

    def held_ratio(self) -> Floats:
        """Occupancy of the second station divided by that of the first, (replication)."""
        return self.occupancy[:, 1] / self.occupancy[:, 0]

    def mbps_ratio(self) -> Floats:
        """Goodput of the second flow divided by that of the first, (replication)."""
        return self.mbps[:, 1] / self.mbps[:, 0]


Measurements = Mapping[tuple[str, str], OccupancyRuns]
"""Finished runs by (setup, variant): `data[place.key(scheme)]`."""
Take = Callable[[OccupancyRuns], Floats]


def flow(number: int) -> Take:
    """Function that takes the goodput of the flow with this index [Mb/s]."""
    return lambda runs: runs.mbps[:, number]


def station(number: int) -> Take:
    """Function that takes the occupancy of the station with this index."""
    return lambda runs: runs.occupancy[:, number]


def dropped(number: int) -> Take:
    """Function that takes the dropped data packets of the flow with this index [% of those sent]."""
    return lambda runs: 100 * runs.dropped[:, number] / np.maximum(runs.sent[:, number], 1)


def percent_more(
    first: OccupancyRuns, other: OccupancyRuns, take: Take = OccupancyRuns.aggregate
) -> Estimate:
    """Gain of `other` over `first` in pairs of replications [% of the mean of `first`]."""
    before = take(first)
    return estimate(100 * (take(other) - before) / before.mean(), signed=True)

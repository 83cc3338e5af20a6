"""Measurements of the runs of one variant: one row per replication."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airfair.estimate import Estimate, Floats, estimate

if TYPE_CHECKING:
    from airfair.result import Result


@dataclass(frozen=True)
class Runs:
    """Replications of one cell."""

    mbps: Floats
    """Goodput of each flow over the measured time [Mb/s], (replication, flow)."""
    sent: Floats
    """Data packets of each flow."""
    dropped: Floats
    """Those of them that a queue or the MAC dropped."""
    rtt_p95_ms: Floats
    """Round trip that 95 % of a flow's are below; NaN where none is measured."""
    occupancy: Floats
    """Part of the time that a station's exchanges held the channel, (replication, station)."""
    collisions: Floats
    """Part of the time that collisions took, (replication)."""
    series: Floats | None = None
    """Goodput of each flow over time [Mb/s], (replication, flow, step), where it is recorded."""
    step_s: float = 1.0

    @classmethod
    def of(cls, result: Result) -> Runs:
        """The figures of `result`."""
        flows = result.scenario.flows
        shape = (result.replications, len(flows))

        def column(name: str) -> Floats:
            return result.flows[name].to_numpy().astype(np.float64).reshape(shape)

        held = result.airtime["occupancy"].to_numpy().reshape(result.replications, -1)
        channels = result.channels
        series, step = None, result.scenario.series_step_s
        if step is not None:
            rates = result.series()["throughput_bps"].to_numpy() / 1e6
            series = rates.reshape(*shape, -1)
        return cls(
            mbps=column("throughput_bps") / 1e6,
            sent=column("packets_sent"),
            dropped=column("packets_dropped"),
            rtt_p95_ms=column("rtt_p95_ms"),
            occupancy=held,
            collisions=(channels["collision_ns"] / channels["elapsed_ns"]).to_numpy(),
            series=series,
            step_s=step or 1.0,
        )

    def aggregate(self) -> Floats:
        """Goodput of all flows together [Mb/s], (replication)."""
        total: Floats = self.mbps.sum(axis=1)
        return total

    def jain(self) -> Floats:
        """Jain's index of the stations' occupancy, (replication).  [occupancy-tfrc eq. 19]"""
        squares = (self.occupancy**2).sum(axis=1) * self.occupancy.shape[1]
        index: Floats = self.occupancy.sum(axis=1) ** 2 / np.maximum(squares, 1e-30)
        return index

    def drops(self) -> Floats:
        """Data packets dropped of those sent, mean over the flows [%], (replication)."""
        share: Floats = 100 * (self.dropped / np.maximum(self.sent, 1)).mean(axis=1)
        return share

    def delay(self) -> Floats:
        """95th percentile of the round trip, mean over the flows that measure it [ms]."""
        known = ~np.isnan(self.rtt_p95_ms)
        total = np.where(known, self.rtt_p95_ms, 0).sum(axis=1)
        mean: Floats = total / np.maximum(known.sum(axis=1), 1)
        return mean

    def held_ratio(self) -> Floats:
        """Occupancy of the second station over the first's, (replication)."""
        ratio: Floats = self.occupancy[:, 1] / self.occupancy[:, 0]
        return ratio

    def mbps_ratio(self) -> Floats:
        """Goodput of the second flow over the first's."""
        ratio: Floats = self.mbps[:, 1] / self.mbps[:, 0]
        return ratio


Measurements = Mapping[tuple[str, str], Runs]
"""Finished runs by (setup, variant): `data[place.key(scheme)]`."""
Take = Callable[[Runs], Floats]


def flow(number: int) -> Take:
    """Goodput of a flow [Mb/s]."""
    return lambda runs: runs.mbps[:, number]


def station(number: int) -> Take:
    """Occupancy of a station."""
    return lambda runs: runs.occupancy[:, number]


def dropped(number: int) -> Take:
    """Data packets dropped of a flow [%]."""
    return lambda runs: 100 * runs.dropped[:, number] / np.maximum(runs.sent[:, number], 1)


def percent_more(first: Runs, other: Runs, take: Take = Runs.aggregate) -> Estimate:
    """Gain of `other` over `first`, in pairs [% of the mean of `first`]."""
    before = take(first)
    return estimate(100 * (take(other) - before) / before.mean(), signed=True)


__all__ = ["Measurements", "Runs"]

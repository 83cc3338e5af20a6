"""What the runs of one variant measured: one row per replication."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airfair.reproduce.estimate import Estimate, Floats, estimate

from .plan import NEWRENO, WINDOW, Place

if TYPE_CHECKING:
    from airfair.result import Result


@dataclass(frozen=True)
class Runs:
    """Replications of one scenario; the downloads of the stations that move, and all else together."""

    mbps: Floats
    """Goodput of each download over the measured time [Mb/s], (replication, download)."""
    sent: Floats
    """Data packets of the downloads, (replication)."""
    dropped: Floats
    """Those of them that a queue or the MAC dropped."""
    queue_full: Floats
    """Packets that the access point's queue had no room for, those of other flows included."""
    retry_limit: Floats
    """Packets that the access point gave up after its last attempt."""
    rate_changes_per_s: Floats
    """Of the first station that moves, in both directions."""
    rtt_ms: Floats
    """Mean round trip of the downloads."""
    background_mbps: Floats
    """Goodput of the other flows."""

    @classmethod
    def of(cls, result: Result) -> Runs:
        """The figures of `result`."""
        names = [flow["name"] for flow in result.scenario.flows]
        ours = np.array([name.startswith("download") for name in names])

        def column(name: str) -> Floats:
            values = result.flows[name].to_numpy().astype(np.float64)
            return values.reshape(result.replications, len(names))

        def at_access_point(name: str) -> Floats:
            return result.access_points[name].to_numpy().astype(np.float64)

        goodput = column("throughput_bps") / 1e6
        changes = result.stations["rate_changes"].to_numpy().astype(np.float64)
        elapsed = result.runs["elapsed_ns"].to_numpy() / 1e9
        return cls(
            mbps=goodput[:, ours],
            sent=column("packets_sent")[:, ours].sum(axis=1),
            dropped=column("packets_dropped")[:, ours].sum(axis=1),
            queue_full=at_access_point("dropped_queue_full"),
            retry_limit=at_access_point("dropped_retry_limit"),
            rate_changes_per_s=changes.reshape(result.replications, -1)[:, 0] / elapsed,
            rtt_ms=column("rtt_mean_ms")[:, ours].mean(axis=1),
            background_mbps=goodput[:, ~ours].sum(axis=1),
        )

    def throughput(self) -> Floats:
        """Goodput of all downloads together [Mb/s], (replication)."""
        total: Floats = self.mbps.sum(axis=1)
        return total

    def drops(self) -> Floats:
        """Packet drop rate: data packets dropped, whatever dropped them, over those sent [%]."""
        return self._percent(self.dropped)

    def drops_in_queue(self) -> Floats:
        """Packets for which the access point's queue had no room, over data packets sent [%]."""
        return self._percent(self.queue_full)

    def drops_on_air(self) -> Floats:
        """Packets that the access point gave up on the air, likewise [%]."""
        return self._percent(self.retry_limit)

    def jain(self) -> Floats:
        """Jain's index of the downloads' goodputs, (replication)."""
        squares = (self.mbps**2).sum(axis=1) * self.mbps.shape[1]
        index: Floats = self.mbps.sum(axis=1) ** 2 / np.maximum(squares, np.finfo(float).tiny)
        return index

    def _percent(self, packets: Floats) -> Floats:
        share: Floats = 100 * packets / np.maximum(self.sent, 1)
        return share


Measurements = Mapping[tuple[str, str], Runs]
"""Finished runs by (setup, variant): `data[place.key(scheme)]`."""
Take = Callable[[Runs], Floats]


def difference(data: Measurements, place: Place, take: Take) -> Floats:
    """Proposed scheme less standard TCP under the same seeds, (replication)."""
    more: Floats = take(data[place.key(WINDOW)]) - take(data[place.key(NEWRENO)])
    return more


def gain(data: Measurements, place: Place) -> Estimate:
    """Throughput more than standard TCP's [% of its mean]."""
    return gain_over(data[place.key(NEWRENO)], data[place.key(WINDOW)])


def gain_over(standard: Runs, other: Runs) -> Estimate:
    """Throughput of other runs under the same seeds, more than that of the first [% of its mean]."""
    difference = other.throughput() - standard.throughput()
    return estimate(100 * difference / standard.throughput().mean())

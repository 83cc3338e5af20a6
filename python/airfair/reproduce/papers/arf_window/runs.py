"""Measurements of the runs of one variant: one row per replication."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airfair.estimate import Estimate, Floats, ratio_of_means

from .plan import SCHEMES, Place

if TYPE_CHECKING:
    from airfair.result import Result


@dataclass(frozen=True)
class Runs:
    """Replications of one scenario, its downloads together."""

    mbps: Floats
    """Goodput of each download over the measured time [Mb/s], (replication, download)."""
    sent: Floats
    """Data packets of the downloads, (replication)."""
    dropped: Floats
    """Those of them that a queue or the MAC dropped."""
    queue_full: Floats
    """Packets that the access point's queue had no room for."""
    retry_limit: Floats
    """Packets that the access point gave up after its last attempt."""
    rate_changes_per_s: Floats
    """Of the first station that moves, in both directions."""

    @classmethod
    def of(cls, result: Result) -> Runs:
        """The figures of `result`."""

        def column(name: str) -> Floats:
            values = result.flows[name].to_numpy().astype(np.float64)
            return values.reshape(result.replications, -1)

        def at_access_point(name: str) -> Floats:
            return result.access_points[name].to_numpy().astype(np.float64)

        changes = result.stations["rate_changes"].to_numpy().astype(np.float64)
        elapsed = result.runs["elapsed_ns"].to_numpy() / 1e9
        return cls(
            mbps=column("throughput_bps") / 1e6,
            sent=column("packets_sent").sum(axis=1),
            dropped=column("packets_dropped").sum(axis=1),
            queue_full=at_access_point("dropped_queue_full"),
            retry_limit=at_access_point("dropped_retry_limit"),
            rate_changes_per_s=changes.reshape(result.replications, -1)[:, 0] / elapsed,
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

    def _percent(self, packets: Floats) -> Floats:
        share: Floats = 100 * packets / np.maximum(self.sent, 1)
        return share


Measurements = Mapping[tuple[str, str], Runs]
"""Finished runs by (setup, variant): `data[place.key(scheme)]`."""
Take = Callable[[Runs], Floats]


def gain(data: Measurements, place: Place) -> Estimate:
    """Throughput more than standard TCP's [%], over the replications that both have."""
    standard, proposed = (data[place.key(scheme)].throughput() for scheme in SCHEMES)
    ratio = ratio_of_means(proposed, standard)
    return Estimate(100 * (ratio.mean - 1), 100 * ratio.ci95, ratio.count, signed=True)

"""Measurements of the runs of one variant: one row per replication."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from airfair.estimate import Estimate, Floats, quotient
from airfair.reproduction.measured import Columns, column, measured, of_each, summed, taken

from .plan import SCHEMES, SchemePair


@dataclass(frozen=True)
class ArfWindowRuns(Columns):
    """Measurements of the downloads of one variant."""

    mbps: Floats = column("goodput_bps", 1e6)
    """Goodput of each download over the measured time [Mb/s], (replication, download)."""
    sent: Floats = measured("packets_sent")
    """Data packets of the downloads, (replication)."""
    dropped: Floats = measured("packets_dropped")
    """Data packets that a queue or the MAC dropped."""
    queue_full: Floats = measured("access_points.dropped_queue_full")
    """Packets dropped because the access point's queue was full."""
    retry_limit: Floats = measured("access_points.dropped_retry_limit")
    """Packets that the access point dropped after its last attempt."""
    rate_changes_per_s: Floats = taken(
        lambda result: (
            of_each(result, "rate_changes", table="stations")[:, 0]
            / (result.runs["elapsed_ns"].to_numpy() / 1e9)
        )
    )
    """Rate changes per second of the first moving station, in both directions."""

    def throughput(self) -> Floats:
        """Goodput of all downloads together [Mb/s], (replication)."""
        return summed(self.mbps)

    def drops(self) -> Floats:
        """Packet drop rate: dropped data packets (by any cause), in percent of the packets sent."""
        return self._percent(self.dropped)

    def drops_in_queue(self) -> Floats:
        """Drops by the access point's full queue, in percent of the data packets sent."""
        return self._percent(self.queue_full)

    def drops_on_air(self) -> Floats:
        """Drops by the access point after its last attempt, in percent of the data packets sent."""
        return self._percent(self.retry_limit)

    def _percent(self, packets: Floats) -> Floats:
        return 100 * packets / np.maximum(self.sent, 1)


Measurements = Mapping[tuple[str, str], ArfWindowRuns]
"""Finished runs by (setup, variant): `data[place.key(scheme)]`."""
Take = Callable[[ArfWindowRuns], Floats]


def gain(data: Measurements, place: SchemePair) -> Estimate:
    """Gain in throughput relative to standard TCP [%], over the replications that both have finished."""
    standard, proposed = (data[place.key(scheme)].throughput() for scheme in SCHEMES)
    ratio = quotient(proposed, standard)
    return Estimate(100 * (ratio.mean - 1), 100 * ratio.ci95, ratio.count, signed=True)

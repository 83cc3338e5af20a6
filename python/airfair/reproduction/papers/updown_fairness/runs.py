"""Measurements of the runs of one cell: one row per replication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from airfair.estimate import Floats
from airfair.reproduction.measured import Columns, Take, column, names, of_each, summed, taken

if TYPE_CHECKING:
    from airfair.result import Result

Booleans = NDArray[np.bool_]

SEGMENT = 1448
"""Application octets of a full segment: MTU 1500 less headers and timestamps."""
UP, DOWN = "uplink", "downlink"


def _seen(at_sender: str, at_receiver: str) -> Take:
    """Function that takes a column as seen by the wired host, which receives uplink and sends downlink."""

    def take(result: Result) -> Floats:
        is_up = [flow.startswith("up") for flow in names(result)]
        return np.where(is_up, of_each(result, at_receiver), of_each(result, at_sender))

    return take


@dataclass(frozen=True)
class UpDownRuns(Columns):
    """Measurements of one variant; flows are in the order of the scenario."""

    ways: tuple[str, ...] = taken(
        lambda result: tuple(name.partition("-")[0].rstrip("0123456789") for name in names(result))
    )
    """Direction of each flow: `uplink`, `downlink`, or the name of a short flow without its number."""
    packets_per_s: Floats = taken(lambda result: of_each(result, "goodput_bps", 8) / SEGMENT)
    """Goodput over the measured time [packets/s], (replication, flow)."""
    sent: Floats = column("packets_sent")
    """Packets sent by TCP, (replication, flow)."""
    dropped: Floats = column("packets_dropped")
    """Packets that a queue or the MAC dropped."""
    seen: Floats = taken(_seen("packets_sent", "packets_received"))
    """Data packets in the trace of the wired host."""
    seen_again: Floats = taken(_seen("retransmissions", "packets_repeated"))
    """Retransmissions in the trace of the wired host."""
    completion_s: Floats = column("completion_s")
    """Completion time of finite flows [s]; NaN if a flow did not complete."""

    def of_way(self, way: str) -> Booleans:
        """Mask of the flows in this direction."""
        return np.array([one == way for one in self.ways])

    def goodput(self, way: str) -> Floats:
        """Total goodput of one direction [packets/s], (replication)."""
        return summed(self.packets_per_s, self.of_way(way))

    def total(self) -> Floats:
        """Total goodput of both directions [packets/s], (replication)."""
        return self.goodput(UP) + self.goodput(DOWN)

    def ratio(self) -> Floats:
        """Ratio of downlink to uplink goodput, (replication)."""
        return self.goodput(DOWN) / self.goodput(UP)

    def unfairness(self) -> Floats:
        """Absolute logarithm |ln ratio|, (replication); 0 if both directions are equal."""
        return np.abs(np.log(self.ratio()))

    def loss(self, way: str) -> Floats:
        """Loss of TCP DATA as the paper estimates it, from the trace at the wired host, (replication)."""
        return _part(self.seen_again, self.seen, self.of_way(way))

    def exact_loss(self, way: str) -> Floats:
        """Fraction of sent packets that were dropped, (replication)."""
        return _part(self.dropped, self.sent, self.of_way(way))


def _part(some: Floats, of: Floats, flows: Booleans) -> Floats:
    return summed(some, flows) / np.maximum(summed(of, flows), 1)


Measurements = Mapping[tuple[str, str], UpDownRuns]
"""Finished runs by (setup, variant): `data[place.key]`."""

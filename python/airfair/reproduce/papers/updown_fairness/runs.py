"""Measurements of the runs of one cell: one row per replication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from airfair.estimate import Floats
from airfair.reproduce.measured import Columns, Take, column, names, of_each, taken

if TYPE_CHECKING:
    from airfair.result import Result

Booleans = NDArray[np.bool_]

SEGMENT = 1448
"""Application octets of a full segment: MTU 1500 less headers and timestamps."""
UP, DOWN = "uplink", "downlink"


def _seen(at_sender: str, at_receiver: str) -> Take:
    """Function that takes a column as the wired host sees it: it receives uplink, and sends downlink data."""

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
    """`uplink`, `downlink`, or a short flow's name without its number."""
    packets_per_s: Floats = taken(lambda result: of_each(result, "goodput_bps", 8) / SEGMENT)
    """Goodput over the measured time [packets/s], (replication, flow)."""
    sent: Floats = column("packets_sent")
    """Packets of TCP's senders, (replication, flow)."""
    dropped: Floats = column("packets_dropped")
    """Packets that a queue or the MAC dropped."""
    seen: Floats = taken(_seen("packets_sent", "packets_received"))
    """Data packets that the wired host's trace shows."""
    seen_again: Floats = taken(_seen("retransmissions", "packets_repeated"))
    """Retransmissions among them."""
    completion_s: Floats = column("completion_s")
    """Of finite flows; NaN if they were not done."""

    def of_way(self, way: str) -> Booleans:
        """Mask of the flows in this direction."""
        return np.array([one == way for one in self.ways])

    def goodput(self, way: str) -> Floats:
        """Overall goodput of one way [packets/s], (replication)."""
        total: Floats = self.packets_per_s[:, self.of_way(way)].sum(axis=1)
        return total

    def total(self) -> Floats:
        """Overall goodput of both ways [packets/s], (replication)."""
        return self.goodput(UP) + self.goodput(DOWN)

    def ratio(self) -> Floats:
        """Downlink goodput over uplink goodput, (replication)."""
        return self.goodput(DOWN) / self.goodput(UP)

    def unfairness(self) -> Floats:
        """|ln ratio|, (replication): 0 is 1:1."""
        return np.abs(np.log(self.ratio()))

    def loss(self, way: str) -> Floats:
        """Loss of TCP DATA as the paper estimates it, from the trace at the wired host, (replication)."""
        return _part(self.seen_again, self.seen, self.of_way(way))

    def exact_loss(self, way: str) -> Floats:
        """Packets dropped over packets sent, (replication)."""
        return _part(self.dropped, self.sent, self.of_way(way))


def _part(some: Floats, of: Floats, flows: Booleans) -> Floats:
    total = of[:, flows].sum(axis=1)
    part: Floats = some[:, flows].sum(axis=1) / np.maximum(total, 1)
    return part


Measurements = Mapping[tuple[str, str], UpDownRuns]
"""Finished runs by (setup, variant): `data[place.key]`."""

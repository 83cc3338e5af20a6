"""Delivered packets of a station, and the rate of the frames that delivered them.

Source: [arf-window §III-B] and [occupancy-tfrc §III-C] act when the rate of a link changes. A station knows
the rate of a delivered frame: at once if it receives the frame, and by the ACK if it sends it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from occupancy_meter import Direction, Packets

from airfair.law import FlowEnd, Frame

Aggregates = Literal["full", "seen", "apart"]
"""Number of packets among which the time of an aggregate is divided.

"full": as many as its limits allow. "seen": the mean of the flow's aggregates. "apart": one.
"""


def most_packets(aggregates: Aggregates, seen: int) -> int | None:
    """Return the largest number of packets per aggregate; `None` for as many as its limits allow."""
    return {"full": None, "seen": seen, "apart": 1}[aggregates]


@dataclass
class LocalFlow:
    """A flow that begins or ends at the station, with its delivered packets."""

    end: FlowEnd
    is_controlled: bool
    # Delivered data, and the largest payload of a packet [octets].
    delivered: int = 0
    largest: int = 0
    # Headers of a packet with data, and size of a packet without, LLC/SNAP included [octets].
    headers: int = 0
    answer: int = 0

    @property
    def directions(self) -> tuple[Direction, Direction]:
        """Directions of the data on the wireless link, and of the answers."""
        return ("up", "down") if self.end.side == "sender" else ("down", "up")

    def note(self, delivered: Packets) -> None:
        """Count packets that have been delivered."""
        if delivered.answers:
            self.answer = delivered.answer
        if delivered.data:
            self.delivered += delivered.payload
            self.largest = max(self.largest, delivered.largest)
            self.headers = delivered.headers


class Deliveries:
    """Deliveries of a station with these flows: its last data frame waits for its answer."""

    def __init__(self, me: str, flows: Sequence[LocalFlow]) -> None:
        self.me = me
        self.flows = flows
        # Rate of the last data frame that has no answer yet, and its packets.
        self.sent: int | None = None
        self.packets: dict[str, Packets] = {}

    def hear(self, frame: Frame, packets: dict[str, Packets]) -> tuple[Direction, int] | None:
        """Count what a frame delivers. Return the direction and the rate of the packets [bit/s]."""
        if frame.kind == "data":
            if not packets:
                return None
            if frame.sender == self.me:
                self.sent, self.packets = frame.rate_bps, packets
                return None
            return "down", self._note(frame.rate_bps, packets)
        if frame.kind not in ("ack", "block-ack") or frame.receiver != self.me:
            return None
        rate, self.sent = self.sent, None
        delivered = self.packets if frame.kind == "ack" else packets
        if rate is None or not delivered:
            return None
        return "up", self._note(rate, delivered)

    def _note(self, rate: int, delivered: dict[str, Packets]) -> int:
        for flow in self.flows:
            if flow.end.flow in delivered:
                flow.note(delivered[flow.end.flow])
        return rate

"""Equal shares for uploads and downloads, by two laws at the access point that count TCP connections.

`DataAckWeights` serves TCP data and pure ACKs in the ratio that gives each connection the same share. Source:
[updown-fairness §IV]. It needs a queue with the discipline "data-ack"; its records are those of
`weights = "active-flows"`:

>>> ap_queue = {"discipline": "data-ack", "packets": 100}
>>> airfair.run("cell.toml", set={"bss.home.ap.queue": ap_queue}, laws={"access-point": DataAckWeights})

`SharedWindows` gives each connection an equal part of the queue, by the windows that ACKs advertise. Source:
[pilosof-2003 §V]. Its records are those of `ap.window_sharing = true`:

>>> airfair.run("cell.toml", laws={"access-point": SharedWindows})
"""

import math
from typing import Literal

import airfair
from airfair.law import Node, Packet

Direction = Literal["up", "down"]

ACTIVE_NS = 2_000_000_000
"""Time for which a connection counts after its last data, longer than a retransmission time-out [ns]."""


class Connections:
    """TCP connections through an access point, counted by the data that it forwards."""

    def __init__(self) -> None:
        # Times at which data of a connection was last seen, by direction and flow [ns].
        self.seen: dict[Direction, dict[str, int]] = {"up": {}, "down": {}}
        # Largest data segment of each connection [octets].
        self.segment: dict[str, int] = {}

    def note(self, now_ns: int, packet: Packet) -> bool:
        """Record a packet from a station or to the queue. Return true if it is a data segment.

        A connection counts until its FIN.
        """
        if packet.is_fin:
            for flows in self.seen.values():
                flows.pop(packet.flow, None)
            return False
        if not packet.is_tcp or packet.payload == 0:
            return False
        self.seen[_direction(packet)][packet.flow] = now_ns
        self.segment[packet.flow] = max(self.segment.get(packet.flow, 0), packet.payload)
        return True

    def count(self, now_ns: int, *directions: Direction) -> int:
        """Count the active connections with data in one of the directions."""
        return len(
            {
                flow
                for direction in directions
                for flow, seen_ns in self.seen[direction].items()
                if now_ns - seen_ns < ACTIVE_NS
            }
        )


class DataAckWeights(airfair.Law):
    """Weights of data and ACKs in an access point's queue, as `weights = "active-flows"`.

    With d connections down and u up, and b segments that one ACK releases, each connection has the same share
    if data : ACKs = d : u / b. The law measures b, because a lost ACK leaves its segments to the next one.
    """

    version = "1"
    listen = "packets"

    PERIOD_NS = 100_000_000
    """Length of the period over which packets are counted [ns]."""

    MEMORY = 50
    """Number of periods over which the segments per ACK are averaged."""

    SEGMENTS_PER_ACK = 2
    """Segments per ACK that are assumed before any ACK is seen.  [RFC5681 §4.2]"""

    SCALE = 256
    """The value 1 in the fixed-point numbers of the averages."""

    ROUND = 16
    """ACKs in a round for one connection up. More of them bring the weights nearer to their exact ratio."""

    MAX_WEIGHT = 1 << 20
    """Largest weight."""

    def __init__(self) -> None:
        self.connections = Connections()
        # End of the current period [ns], data segments from stations and ACKs to stations in it.
        self.due_ns = 0
        self.segments = 0
        self.acks = 0
        # Decaying sums of both, in units of 1 / SCALE.
        self.segments_sum = 0
        self.acks_sum = 0

    def packet(self, node: Node, packet: Packet) -> None:
        """Count the packet, and set new weights at the end of each period."""
        if packet.point == "delivered":
            self.acks += packet.is_ack
            return
        is_data = self.connections.note(node.now_ns, packet)
        if packet.point == "from-station":
            self.segments += is_data
        elif node.now_ns >= self.due_ns:
            node.set_weights(*self._weights(node.now_ns))
            self.due_ns = node.now_ns + self.PERIOD_NS
            self.segments = self.acks = 0

    def _weights(self, now_ns: int) -> tuple[int, int]:
        """Return the weights of data and of ACKs in lowest terms.  [updown-fairness §IV]"""
        self.segments_sum += self.segments * self.SCALE - self.segments_sum // self.MEMORY
        self.acks_sum += self.acks * self.SCALE - self.acks_sum // self.MEMORY
        segments, acks = self.SEGMENTS_PER_ACK, 1
        if self.acks_sum >= self.SCALE:
            # Fewer segments than ACKs mean that ACKs of other connections are among them.
            segments, acks = max(self.segments_sum, self.acks_sum), self.acks_sum
        down = max(self.connections.count(now_ns, "down"), 1)
        up = max(self.connections.count(now_ns, "up"), 1)
        data_weight = min(_rounded(down * self.ROUND * segments, acks), self.MAX_WEIGHT)
        ack_weight = min(up * self.ROUND, self.MAX_WEIGHT)
        common = math.gcd(data_weight, ack_weight)
        return data_weight // common, ack_weight // common


class SharedWindows(airfair.Law):
    """Windows that share an access point's queue among all connections, as `window_sharing = true`.

    Each ACK that the access point forwards advertises at most ⌊B / n⌋ segments, for a queue of B packets and
    n connections. `queue_packets` is B, the `packets` of the queue.  [pilosof-2003 §V]
    """

    version = "1"
    listen = "packets"

    def __init__(self, queue_packets: int = 100) -> None:
        self.queue_packets = queue_packets
        self.connections = Connections()

    def packet(self, node: Node, packet: Packet) -> None:
        """Count the packet, and lower the window of an ACK."""
        if packet.point == "delivered":
            return
        self.connections.note(node.now_ns, packet)
        segment = self.connections.segment.get(packet.flow)
        if packet.is_ack and segment is not None:
            flows = max(self.connections.count(node.now_ns, "up", "down"), 1)
            packet.lower_window(max(self.queue_packets // flows, 1) * segment)


def _direction(packet: Packet) -> Direction:
    return "up" if packet.point == "from-station" else "down"


def _rounded(number: int, by: int) -> int:
    """Return the quotient, rounded to the nearest integer."""
    return -(-(2 * number // by) // 2)

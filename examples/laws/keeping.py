"""Station that keeps to the share of the channel that its access point grants, as occupancy-based TFRC does.

Source: [occupancy-tfrc §III]. Each beacon grants a share to every active station. The station divides its
share among its flows, and limits each to the rate, or to the window of TCP, that its share allows. A new rate
of the link is a new limit at once.

Together with `Granting` its records are those of `ap.occupancy = true` and `control = "occupancy"`:

>>> laws = {"access-point": Granting, "station.*": Keeping}
>>> airfair.run("cell.toml", set={"bss.home.beacon": {}}, laws=laws)
"""

import struct
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from deliveries import Aggregates, Deliveries, LocalFlow, most_packets
from occupancy_meter import Direction, FlowUsage, Meter, Slot, Usage, by_flow, merged

import airfair
from airfair.law import Frame, Node

Spare = Literal["printed", "once"]

GRANT = 221
"""Number of the beacon element that contains the grant: vendor specific.  [80211-2020 §9.4.2.25]"""


@dataclass(frozen=True)
class Terms:
    """Observation slot, and times of a channel access up and down."""

    length_s: float
    access_ns: tuple[int, int]

    def part(self, usage: Usage) -> float:
        """Return the part of the channel that was used."""
        return usage.occupancy_ns(*self.access_ns) / 1e9 / self.length_s


@dataclass(frozen=True)
class Allocation:
    """Share of the channel that a flow got with the last beacon, and its usage before that beacon."""

    share: float
    seen: FlowUsage
    terms: Terms


class Keeping(airfair.Law):
    """Station whose flows keep to a granted share of the channel, as `control = "occupancy"`.

    `flows` are the names of the flows that it limits; without them, all TCP and TFRC flows of the station.
    The other parameters are the keys of `ap.occupancy`.
    """

    version = "1"
    listen = "own"

    def __init__(  # noqa: PLR0913 - keys of the scheme
        self,
        flows: Collection[str] | None = None,
        *,
        beacons: int = 3,
        satisfied: float = 0.8,
        spare: Spare = "printed",
        patience: int = 10,
        aggregates: Aggregates = "full",
    ) -> None:
        self.chosen = flows
        self.satisfied = satisfied
        self.spare = spare
        self.patience = patience
        self.aggregates = aggregates
        # The last beacon intervals with their lengths [ns], time of the last beacon, and missed beacons.
        self.intervals: deque[tuple[int, Slot]] = deque(maxlen=beacons)
        self.since_ns = 0
        self.missed = 0
        # Rate of the last delivered frame by direction, and shares by flow.
        self.rates: dict[Direction, int] = {}
        self.allocations: dict[str, Allocation] = {}

    def start(self, node: Node) -> None:
        """Begin to measure."""
        assert node.cell is not None
        self.difs_ns = node.cell.difs_ns
        self.meter = Meter(node.name, node.cell)
        self.flows = [
            LocalFlow(
                end,
                (end.is_tcp or end.is_tfrc) and (self.chosen is None or end.flow in self.chosen),
            )
            for end in node.ends
        ]
        self.deliveries = Deliveries(node.name, self.flows)
        for flow in self.flows:
            if flow.is_controlled and flow.end.is_tcp and flow.end.side == "receiver":
                flow.end.estimate_rtt()

    def frame(self, node: Node, frame: Frame) -> None:
        """Measure the channel, and limit the flows after a grant or at a new rate."""
        packets = by_flow(frame)
        self.meter.hear(frame, packets)
        octets = frame.elements.get(GRANT, b"") if frame.kind == "beacon" else b""
        if len(octets) == struct.calcsize("<HHH"):
            self._take_grant(node, frame.end_ns, struct.unpack("<HHH", octets))
        else:
            delivered = self.deliveries.hear(frame, packets)
            if delivered is None:
                return
            direction, rate = delivered
            before, self.rates[direction] = self.rates.get(direction), rate
            if before == rate:
                return
        self._limit(node)

    def beacon(self, node: Node) -> None:  # noqa: ARG002 - of the interface
        """Count a beacon that is due. After too many that were missed, the limits end."""
        self.missed += 1
        if self.missed == self.patience + 1:
            for flow in self.flows:
                if self.allocations.pop(flow.end.flow, None):
                    flow.end.lift()

    def _take_grant(self, node: Node, now_ns: int, grant: tuple[int, int, int]) -> None:
        """Divide the station's share among its flows.  [occupancy-tfrc eq. 7 to 15]"""
        self.intervals.append((now_ns - self.since_ns, self.meter.end_slot(now_ns)))
        self.since_ns, self.missed = now_ns, 0
        length_ns, slot = merged(self.intervals)
        even, additional, backoff_ns = grant[0] / 65_535, grant[1] / 65_535, grant[2] * 1_000
        access_ns = (self.difs_ns + slot.mean_backoff_ns(backoff_ns), self.difs_ns + backoff_ns)
        terms = Terms(length_ns / 1e9, access_ns)
        own = slot.stations.get(node.name)
        available = even
        if (terms.part(own) if own else 0.0) >= self.satisfied * even:
            available += additional
        active = [
            (flow, slot.flows[flow.end.flow])
            for flow in self.flows
            if flow.end.flow in slot.flows and slot.flows[flow.end.flow].packets
        ]
        need = 0.0
        for flow, seen in active:
            if not flow.is_controlled:
                need += self._needed(node, flow, seen, terms)
        controlled = [(flow, seen) for flow, seen in active if flow.is_controlled]
        shares = self._divided(available, need, [terms.part(seen.usage) for _, seen in controlled])
        for (flow, seen), share in zip(controlled, shares, strict=True):
            self.allocations[flow.end.flow] = Allocation(share, seen, terms)

    def _needed(self, node: Node, flow: LocalFlow, seen: FlowUsage, terms: Terms) -> float:
        """Return the part of the channel of a flow that is not limited.  [occupancy-tfrc eq. 8, 10]"""
        # It has sent its packets, in aggregates of no more than it had.
        aggregates: Aggregates = "seen" if self.aggregates == "full" else self.aggregates
        times = self._packet_times_s(node, flow, seen, terms.access_ns, aggregates)
        if times is None:
            return 0.0
        return seen.packets / terms.length_s * times[0] + seen.answers / terms.length_s * times[1]

    def _divided(self, available: float, need: float, used: list[float]) -> list[float]:
        """Return the shares of flows that have used these parts.  [occupancy-tfrc eq. 11 to 15]"""
        even = (available - need) / max(len(used), 1)
        hungry = [part >= self.satisfied * even for part in used]
        if self.spare == "printed":
            remaining = available - _sum(used) - need
        else:
            remaining = _sum(
                even - part for part, is_hungry in zip(used, hungry, strict=True) if not is_hungry
            )
        additional = remaining / sum(hungry) if any(hungry) else 0.0
        return [even + (additional if is_hungry else 0.0) for is_hungry in hungry]

    def _limit(self, node: Node) -> None:
        """Limit each flow with a share.  [occupancy-tfrc eq. 16 to 18]"""
        for flow in self.flows:
            allocation = self.allocations.get(flow.end.flow)
            rtt_ns = flow.end.rtt_ns
            if allocation is None or not rtt_ns:
                continue
            bps = self._highest_bps(node, flow, allocation, rtt_ns)
            if bps is None:
                continue
            if flow.end.is_tcp:
                window = bps * rtt_ns // 1_000_000_000 // 8
                flow.end.limit_window(octets=max(window, 2 * flow.largest, 1))
            else:
                flow.end.limit_rate(bps)

    def _highest_bps(
        self, node: Node, flow: LocalFlow, allocation: Allocation, rtt_ns: int
    ) -> int | None:
        """Return the highest rate of a flow's data [bit/s]; `None` before its rates are known."""
        seen, terms = allocation.seen, allocation.terms
        times = self._packet_times_s(node, flow, seen, terms.access_ns, self.aggregates)
        if times is None:
            return None
        data_s, answer_s = times
        if flow.end.is_tcp:
            per_second = allocation.share / (
                data_s + answer_s / (seen.packets / max(seen.answers, 1))
            )
        else:
            per_second = (allocation.share - answer_s / (rtt_ns / 1e9)) / data_s
        # A flow without any packet in a slot would be invisible.
        octets = seen.octets / seen.packets * max(per_second, 1.0 / terms.length_s)
        return max(int(8.0 * octets + 0.5), 1)

    def _packet_times_s(
        self,
        node: Node,
        flow: LocalFlow,
        seen: FlowUsage,
        access_ns: tuple[int, int],
        aggregates: Aggregates,
    ) -> tuple[float, float] | None:
        """Return the channel times of a packet with data and of an answer [s]. [occupancy-tfrc eq. 9]"""
        own, answering = flow.directions
        data_bps = self.rates.get(own)
        if data_bps is None:
            return None
        by_direction = {"up": access_ns[0], "down": access_ns[1]}
        data_ns = node.packet_time_ns(
            flow.headers + seen.octets // seen.packets,
            data_bps,
            own,
            most=most_packets(aggregates, seen.usage.of(own).packets_each(seen.packets)),
            access_ns=by_direction[own],
        )
        answer_ns = node.packet_time_ns(
            flow.answer,
            self.rates.get(answering, data_bps),
            answering,
            most=most_packets(aggregates, seen.usage.of(answering).packets_each(seen.answers)),
            access_ns=by_direction[answering],
        )
        return data_ns / 1e9, answer_ns / 1e9


def _sum(parts: Iterable[float]) -> float:
    """Return the sum, added one after the other: since Python 3.12, `sum` compensates for rounding."""
    total = 0.0
    for part in parts:
        total += part
    return total

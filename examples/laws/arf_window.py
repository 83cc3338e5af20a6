"""Windows of TCP by the occupancy of the channel, set when the rate of a station's link changes.

Source: [arf-window §III]. A faster link frees channel time, and a slower one needs more. Each active station
gets an equal part of the freed and the idle time, and each of its long-lived connections an equal part of
that. The window of a connection is what it can send in its time at the new rate, per round trip.

Its records are those of `control = "arf-window"`:

>>> airfair.run("cell.toml", laws={"station.*": ArfWindow})
>>> airfair.run("cell.toml", laws={"station.*": partial(ArfWindow, round_trip="smoothed")})
"""

from collections.abc import Collection
from typing import Literal

from deliveries import Aggregates, Deliveries, LocalFlow, most_packets
from occupancy_meter import Direction, FlowUsage, Meter, Slot, by_flow

import airfair
from airfair.law import Frame, Node

Reading = Literal["projected", "printed"]
RoundTrip = Literal["least", "smoothed"]


class ArfWindow(airfair.Law):
    """Window under ARF at a station, as `control = "arf-window"`.

    `flows` are the names of the flows that it limits; without them, all TCP flows of the station. The other
    parameters are the keys of the scheme.
    """

    version = "1"
    listen = "all"

    def __init__(  # noqa: PLR0913 - keys of the scheme
        self,
        flows: Collection[str] | None = None,
        *,
        slot_ns: int = 300_000_000,
        long_lived: int = 100_000,
        rise: Reading = "projected",
        fall: Reading = "projected",
        round_trip: RoundTrip = "least",
        aggregates: Aggregates = "full",
    ) -> None:
        self.chosen = flows
        self.slot_ns = slot_ns
        self.long_lived_octets = long_lived
        self.rise, self.fall = rise, fall
        self.round_trip = round_trip
        self.aggregates = aggregates
        # Rate of the last delivered frame, by direction.
        self.rates: dict[Direction, int] = {}

    def start(self, node: Node) -> None:
        """Begin to measure."""
        assert node.cell is not None
        self.cell = node.cell
        self.meter = Meter(node.name, node.cell, self.slot_ns)
        self.flows = [
            LocalFlow(end, self.chosen is None or end.flow in self.chosen)
            for end in node.ends
            if end.is_tcp
        ]
        self.deliveries = Deliveries(node.name, self.flows)
        for flow in self.flows:
            if flow.is_controlled and flow.end.side == "receiver":
                flow.end.estimate_rtt()

    def frame(self, node: Node, frame: Frame) -> None:
        """Measure the channel, and set windows if a frame was delivered at another rate."""
        self._report(node, frame.end_ns)
        packets = by_flow(frame)
        self.meter.hear(frame, packets)
        delivered = self.deliveries.hear(frame, packets)
        if delivered is None:
            return
        direction, rate = delivered
        before, self.rates[direction] = self.rates.get(direction), rate
        slot = self.meter.last
        if before is not None and before != rate and slot is not None:
            self._set_windows(node, slot, direction, (before, rate))

    def end(self, node: Node) -> None:
        """Report the last slots."""
        self._report(node, node.now_ns)

    def _report(self, node: Node, now_ns: int) -> None:
        """Report the slots that are over: the one with frames, and the silence after it."""
        ended = self.meter.end_slots(now_ns)
        if ended is None:
            return
        spent_ns = [0, 0]  # of the station itself, and of others
        for station, usage in ended.slot.stations.items():
            spent_ns[station != node.name] += usage.up.exchange_ns + usage.down.exchange_ns
        end_ns = ended.start_ns + self.slot_ns
        node.report(
            ended.start_ns,
            end_ns,
            own_ns=spent_ns[0],
            others_ns=spent_ns[1],
            active=len(ended.slot.stations),
            early_ns=(ended.slot.early_ns[0], ended.slot.early_ns[1]),
        )
        if ended.silent:
            silent_ns = self.slot_ns * ended.silent
            node.report(end_ns, end_ns + silent_ns, own_ns=0, others_ns=0, active=0)

    def _set_windows(
        self, node: Node, slot: Slot, direction: Direction, rates: tuple[int, int]
    ) -> None:
        """Set the windows of long-lived connections whose data has the direction of the change."""
        active = max(len(slot.stations), 1)
        access_ns = self.cell.difs_ns + self.cell.slot_ns * self.cell.cw_min // (active + 1)
        long_lived = self._long_lived(slot)
        extra_s = self._extra_s(slot, direction, rates, access_ns) / max(len(long_lived), 1)
        for flow, seen in long_lived:
            if flow.is_controlled and flow.directions[0] == direction:
                self._set_window(node, (flow, seen), (rates[1], access_ns), extra_s)

    def _long_lived(self, slot: Slot) -> list[tuple[LocalFlow, FlowUsage]]:
        """Return the long-lived connections with data in a slot, and their usage of the channel."""
        active = (
            (flow, slot.flows[flow.end.flow]) for flow in self.flows if flow.end.flow in slot.flows
        )
        least = self.long_lived_octets
        return [(flow, seen) for flow, seen in active if flow.delivered >= least and seen.packets]

    def _extra_s(
        self, slot: Slot, direction: Direction, rates: tuple[int, int], access_ns: int
    ) -> float:
        """Return the channel time that all connections of the station gain, or lose if negative [s].

        [arf-window eq. 5 to 7, 12, 13]. As printed, the time of a connection is that at the old rate;
        projected, it is the time that the same data would take at the new one.
        """
        before, after = rates
        octets = slot.adapted[direction]
        freed_s = octets * 8.0 / before - octets * 8.0 / after
        occupied_ns = sum(it.occupancy_ns(access_ns, access_ns) for it in slot.stations.values())
        remaining_s = max(self.slot_ns - occupied_ns - slot.beacons_ns, 0) / 1e9
        active = max(len(slot.stations), 1)
        if after > before:
            given_s, reading = (freed_s + remaining_s) / active, self.rise
        else:
            given_s, reading = remaining_s / active + freed_s, self.fall
        return given_s if reading == "printed" else given_s - freed_s

    def _set_window(
        self,
        node: Node,
        connection: tuple[LocalFlow, FlowUsage],
        link: tuple[int, int],
        extra_s: float,
    ) -> None:
        """Set the window of a connection: its throughput times its round trip.  [arf-window eq. 8 to 11]"""
        (flow, seen), (rate, access_ns) = connection, link
        smoothed_s, least_s = flow.end.rtt_s, flow.end.least_rtt_s
        if smoothed_s is None or least_s is None:
            return
        own, answering = flow.directions
        segment = seen.octets // seen.packets
        packets = seen.usage.of(own).packets_each(seen.packets)
        answers = seen.usage.of(answering).packets_each(seen.answers)
        data_ns, ack_ns = (
            node.packet_time_ns(
                octets, rate, way, most=most_packets(self.aggregates, each), access_ns=access_ns
            )
            for octets, way, each in (
                (flow.headers + segment, own, packets),
                (flow.answer, answering, answers),
            )
        )
        acks = max(seen.answers, 1)
        per_ack = max((seen.packets + acks // 2) // acks, 1)
        round_s = (data_ns * per_ack + ack_ns) / 1e9
        time_s = max(seen.usage.occupancy_ns(access_ns, access_ns) / 1e9 + extra_s, 0.0)
        throughput = time_s / round_s * (segment * per_ack) / (self.slot_ns / 1e9)
        round_trip_s = smoothed_s if self.round_trip == "smoothed" else least_s
        window = max(int(round_trip_s * throughput), 2 * max(flow.largest, 1))
        if flow.end.buffer is not None:
            window = min(window, flow.end.buffer)
        flow.end.limit_window(octets=window)

"""Meter of channel occupancy: the channel time of stations and flows, by the frames that a node hears.

Source: [arf-window §III-A, eq. 1 to 4]. The first frame of an exchange that a node decodes has the time of
the rest of the exchange in its duration field. The meter counts the frames of exchanges and the channel
accesses apart, because the back-off before an access is an estimate. Flows that share an aggregate get parts
of its time and of its access in proportion to their octets.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from airfair.law import Cell, Frame

Direction = Literal["up", "down"]

ACCESS = 1 << 16
"""One channel access. Flows that share an aggregate have fractions of one."""


@dataclass
class ChannelTime:
    """Channel time of a set of frame exchanges."""

    # Duration of the frames and SIFS of answered exchanges, and of the frames of the others.
    exchange_ns: int = 0
    failed_ns: int = 0
    # Channel accesses, and those of answered exchanges [1/65536].
    accesses: int = 0
    answered: int = 0

    def add(self, other: "ChannelTime") -> None:
        """Add the channel time of other exchanges."""
        self.exchange_ns += other.exchange_ns
        self.failed_ns += other.failed_ns
        self.accesses += other.accesses
        self.answered += other.answered

    def part(self, start: int, end: int, whole: int) -> "ChannelTime":
        """Return the part of an aggregate's time for its octets `start` to `end` of `whole`."""

        def part(value: int) -> int:
            return value * end // whole - value * start // whole

        return ChannelTime(
            part(self.exchange_ns), part(self.failed_ns), part(self.accesses), part(self.answered)
        )

    def occupancy_ns(self, access_ns: int) -> int:
        """Return the channel time if each access takes `access_ns`: a DIFS and a mean back-off."""
        return self.exchange_ns + self.failed_ns + access_ns * self.accesses // ACCESS

    def packets_each(self, packets: int) -> int:
        """Return the mean number of `packets` per answered exchange, at least one."""
        if not self.answered:
            return 1
        return max((packets * ACCESS + self.answered // 2) // self.answered, 1)


@dataclass
class Usage:
    """Usage of the channel by a station, or by one of its flows."""

    up: ChannelTime = field(default_factory=ChannelTime)
    down: ChannelTime = field(default_factory=ChannelTime)

    def of(self, direction: Direction) -> ChannelTime:
        """Return the channel time in one direction."""
        return self.up if direction == "up" else self.down

    def add(self, other: "Usage") -> None:
        """Add other usage."""
        self.up.add(other.up)
        self.down.add(other.down)

    def occupancy_ns(self, up_access_ns: int, down_access_ns: int) -> int:
        """Return the channel time in both directions."""
        return self.up.occupancy_ns(up_access_ns) + self.down.occupancy_ns(down_access_ns)


@dataclass
class FlowUsage:
    """Usage of the channel by a flow of the node."""

    usage: Usage = field(default_factory=Usage)
    # Packets with data and their payload [octets], and packets without data, such as ACKs and reports.
    packets: int = 0
    octets: int = 0
    answers: int = 0

    def add(self, other: "FlowUsage") -> None:
        """Add other usage of the flow."""
        self.usage.add(other.usage)
        self.packets += other.packets
        self.octets += other.octets
        self.answers += other.answers


@dataclass
class Slot:
    """Usage of the channel in an observation slot."""

    stations: dict[str, Usage] = field(default_factory=dict)
    flows: dict[str, FlowUsage] = field(default_factory=dict)
    # Back-offs of the node before its own accesses.
    backoff_ns: int = 0
    backoffs: int = 0
    # Octets of the data frames that the node has sent and received.
    adapted: dict[Direction, int] = field(default_factory=lambda: {"up": 0, "down": 0})
    beacons_ns: int = 0
    # Parts of answered exchanges before the slot: of the node, and of others.
    early_ns: list[int] = field(default_factory=lambda: [0, 0])

    def add(self, other: "Slot") -> None:
        """Add the usage of the slot after this one. The parts before the slot stay."""
        for station, usage in other.stations.items():
            self.stations.setdefault(station, Usage()).add(usage)
        for flow, seen in other.flows.items():
            self.flows.setdefault(flow, FlowUsage()).add(seen)
        self.backoff_ns += other.backoff_ns
        self.backoffs += other.backoffs
        for direction, octets in other.adapted.items():
            self.adapted[direction] += octets
        self.beacons_ns += other.beacons_ns

    def mean_backoff_ns(self, otherwise: int) -> int:
        """Return the mean back-off of the node, or `otherwise` if it has counted none."""
        return self.backoff_ns // self.backoffs if self.backoffs else otherwise


@dataclass
class Packets:
    """Packets of one flow in a frame."""

    # Packets with data and without.
    data: int = 0
    answers: int = 0
    # Octets of the payloads, of the MSDUs, and of the largest payload.
    payload: int = 0
    msdus: int = 0
    largest: int = 0
    # Octets around the payload of the last packet with data, and of the last packet without.
    headers: int = 0
    answer: int = 0

    def add(self, payload: int, msdu: int) -> None:
        """Add a packet."""
        self.payload += payload
        self.msdus += msdu
        if payload:
            self.data += 1
            self.largest = max(self.largest, payload)
            self.headers = msdu - payload
        else:
            self.answers += 1
            self.answer = msdu


def by_flow(frame: Frame) -> dict[str, Packets]:
    """Return the packets that the node knows in a frame, by flow, in the order of the frame."""
    flows: dict[str, Packets] = {}
    for packet in frame.packets:
        flows.setdefault(packet.flow, Packets()).add(packet.payload, packet.msdu_octets or 0)
    return flows


@dataclass
class Exchange:
    """A frame exchange that is not complete, as far as the node knows."""

    sender: str
    # End of the exchange other than the access point, once known.
    station: str | None
    # Channel time so far, and in addition if the exchange is answered [ns].
    spent_ns: int
    promised_ns: int
    # End of the exchange by the duration field of its frames [ns].
    until_ns: int
    is_answered: bool = False
    has_data: bool = False

    def shorten(self, rest_ns: int) -> bool:
        """Shorten the announced time. Return true if it is shorter then."""
        rest_ns = min(max(rest_ns, 0), self.promised_ns)
        self.promised_ns -= rest_ns
        self.until_ns -= rest_ns
        return rest_ns > 0


@dataclass
class Ended:
    """A slot that has ended, and the number of slots without a frame after it."""

    start_ns: int
    slot: Slot
    silent: int


class Meter:
    """Meter of a node with this name. Slots last `slot_ns`; without it, they end with `end_slot`."""

    def __init__(self, me: str, cell: Cell, slot_ns: int | None = None) -> None:
        self.me = me
        self.cell = cell
        self.slot_ns = slot_ns
        self.start_ns = 0
        self.open: Exchange | None = None
        # Packets of the open exchange, by flow.
        self.carried: dict[str, Packets] = {}
        self.current = Slot()
        self.last: Slot | None = None

    def hear(self, frame: Frame, packets: dict[str, Packets]) -> None:
        """Count a frame that the node has decoded or sent."""
        self.end_slots(frame.end_ns)
        # A sender of another cell need not have heard the open exchange, which may go on.
        if self.open and not frame.is_foreign and self.open.until_ns < frame.end_ns:
            self._interrupt(frame)
        if frame.backoff_ns is not None:
            self.current.backoff_ns += frame.backoff_ns
            self.current.backoffs += 1
        kind, sender, receiver = frame.kind, frame.sender, frame.receiver
        if kind == "beacon" or frame.is_foreign:
            self.current.beacons_ns += frame.duration_ns
        elif kind == "rts" and sender is not None:
            self._begin(self._exchange(sender, receiver, frame), frame)
        elif kind in ("cts", "cts-to-self") and receiver is not None:
            self._hear_cts(frame, receiver)
        elif kind in ("data", "block-ack-request") and sender is not None:
            if kind == "data" and self.me in (sender, receiver):
                self.current.adapted["up" if sender == self.me else "down"] += frame.octets
            self._carry(frame, sender)
            if kind == "data":
                self.carried.update(packets)
        elif receiver is not None:
            self._hear_answer(frame, receiver, packets)

    def end_slots(self, now_ns: int) -> Ended | None:
        """End the slots that are over; `None` if the current one goes on."""
        if self.slot_ns is None or now_ns - self.start_ns < self.slot_ns:
            return None
        steps = (now_ns - self.start_ns) // self.slot_ns
        ended = Ended(self.start_ns, self.end_slot(self.start_ns + self.slot_ns), steps - 1)
        self.start_ns += self.slot_ns * steps
        self.last = ended.slot if steps == 1 else Slot()
        return ended

    def end_slot(self, now_ns: int) -> Slot:
        """End the slot. An exchange counts in the slot in which it ends."""
        if self.open and self.open.until_ns <= now_ns:
            self._settle()
        slot, self.current = self.current, Slot()
        return slot

    def _hear_cts(self, frame: Frame, to: str) -> None:
        if self.open and self.open.sender == to and not self.open.has_data:
            self.open.is_answered = True
            return
        # The RTS was not decoded; a CTS-to-self has none.
        granted = self._exchange(to, None, frame)
        granted.is_answered = True
        if frame.request_ns is not None:
            granted.spent_ns += frame.request_ns + self.cell.sifs_ns
        self._begin(granted, frame)

    def _carry(self, frame: Frame, sender: str) -> None:
        """Add data, or the request of a block-ack, to the exchange of its RTS, or begin an exchange."""
        exchange = self._exchange(sender, frame.receiver, frame)
        if self.open and self.open.sender == sender and not self.open.has_data:
            self.open.is_answered = self.open.has_data = True
            self.open.station = exchange.station
            return
        # The node sees whether its own frame is acknowledged. Of others' frames it assumes so.
        exchange.is_answered = sender != self.me
        exchange.has_data = True
        self._begin(exchange, frame)

    def _hear_answer(self, frame: Frame, to: str, acknowledged: dict[str, Packets]) -> None:
        if self.open and self.open.sender == to:
            self.open.is_answered = True
            self.open.shorten(self.open.until_ns - frame.end_ns)
            if frame.kind == "block-ack" and to == self.me:
                self._keep(acknowledged)
            self._settle()
        elif to != self.cell.access_point:
            # The data could not be decoded.
            self._interrupt(frame)
            exchange_ns = self.cell.sifs_ns + frame.duration_ns
            self._note_early(to, exchange_ns, frame.end_ns)
            alone = ChannelTime(exchange_ns, 0, ACCESS, ACCESS)
            self.current.stations.setdefault(to, Usage()).up.add(alone)

    def _keep(self, acknowledged: dict[str, Packets]) -> None:
        """Of the packets sent, count those that a block-ack acknowledges."""
        for flow, sent in self.carried.items():
            known = acknowledged.get(flow, Packets())
            sent.data, sent.answers, sent.payload = known.data, known.answers, known.payload

    def _exchange(self, sender: str, to: str | None, first: Frame) -> Exchange:
        return Exchange(
            sender,
            to if sender == self.cell.access_point else sender,
            first.duration_ns,
            first.duration_field_ns,
            first.end_ns + first.duration_field_ns,
        )

    def _begin(self, exchange: Exchange, first: Frame) -> None:
        self._interrupt(first)
        self.open = exchange

    def _interrupt(self, following: Frame) -> None:
        """End the open exchange, of which a frame may have cut off the rest.

        Without data it has failed then. With data it has lasted until the frame.
        """
        if self.open and self.open.shorten(
            self.open.until_ns + following.duration_ns - following.end_ns
        ):
            self.open.is_answered &= self.open.has_data
        self._settle()

    def _settle(self) -> None:
        """Add the finished exchange to the usage of its station, and of the flows with packets in it."""
        done, self.open = self.open, None
        if done is None:
            return
        if done.is_answered:
            share = ChannelTime(done.spent_ns + done.promised_ns, 0, ACCESS, ACCESS)
        else:
            share = ChannelTime(0, done.spent_ns, ACCESS, 0)
        direction: Direction = "down" if done.sender == self.cell.access_point else "up"
        if done.station is not None:
            self._note_early(done.station, share.exchange_ns, done.until_ns)
            self.current.stations.setdefault(done.station, Usage()).of(direction).add(share)
            for flow, sent, part in _divided(self.carried, share):
                seen = self.current.flows.setdefault(flow, FlowUsage())
                seen.usage.of(direction).add(part)
                if done.is_answered:
                    seen.packets += sent.data
                    seen.answers += sent.answers
                    seen.octets += sent.payload
        self.carried = {}

    def _note_early(self, station: str, exchange_ns: int, end_ns: int) -> None:
        """Note the part of an exchange before the current slot."""
        early_ns = exchange_ns - max(end_ns - self.start_ns, 0)
        self.current.early_ns[station != self.me] += max(early_ns, 0)


def merged(intervals: Iterable[tuple[int, Slot]]) -> tuple[int, Slot]:
    """Return the length [ns] and the usage of an observation slot of beacon intervals."""
    length_ns, slot = 0, Slot()
    for interval_ns, interval in intervals:
        length_ns += interval_ns
        slot.add(interval)
    return length_ns, slot


def _divided(
    carried: dict[str, Packets], share: ChannelTime
) -> Iterator[tuple[str, Packets, ChannelTime]]:
    """Divide the time of an exchange among the flows in it, in proportion to their octets."""
    whole = sum(sent.msdus for sent in carried.values())
    start = 0
    for flow, sent in carried.items():
        end = start + sent.msdus
        yield flow, sent, share.part(start, end, whole)
        start = end

"""Access point that grants its stations shares of the channel, the law of occupancy-based TFRC.

Source: [occupancy-tfrc §III]. The access point measures the channel occupancy of each station by the frames
that it decodes and sends [arf-window §III-A]. Each beacon grants an equal share to every active station, and
what remains to those that use nearly all of their share.

Its records are those of `ap.occupancy = true`:

>>> airfair.run("cell.toml", set={"bss.home.beacon": {}}, laws={"access-point": Granting})
"""

import struct
from collections import deque
from dataclasses import dataclass, field

import airfair
from airfair.law import Cell, Frame, Node


@dataclass
class Exchange:
    """A frame exchange that is not complete, as far as the access point knows."""

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


@dataclass
class Interval:
    """Usage of the channel between two beacons."""

    length_ns: int = 0
    beacons_ns: int = 0
    # Back-offs of the access point before its own exchanges.
    backoff_ns: int = 0
    backoffs: int = 0
    # Duration of the frames and SIFS, and number of channel accesses, by station.
    frames_ns: dict[str, int] = field(default_factory=dict)
    accesses: dict[str, int] = field(default_factory=dict)

    def count(self, station: str, frames_ns: int, accesses: int = 1) -> None:
        """Add frames and accesses of a station."""
        self.frames_ns[station] = self.frames_ns.get(station, 0) + frames_ns
        self.accesses[station] = self.accesses.get(station, 0) + accesses

    def add(self, other: "Interval") -> None:
        """Add the usage of another interval."""
        self.length_ns += other.length_ns
        self.beacons_ns += other.beacons_ns
        self.backoff_ns += other.backoff_ns
        self.backoffs += other.backoffs
        for station, frames_ns in other.frames_ns.items():
            self.count(station, frames_ns, other.accesses[station])


class Meter:
    """Meter of the channel occupancy of stations.  [arf-window §III-A, eq. 2 to 4]

    The first frame of an exchange that the access point decodes has the rest of the exchange in its duration
    field.
    """

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self.open: Exchange | None = None
        self.current = Interval()

    def hear(self, frame: Frame) -> None:
        """Count a frame that the access point has decoded or sent."""
        if self.open and self.open.until_ns < frame.end_ns:
            self._interrupt(frame)
        if frame.backoff_ns is not None:
            self.current.backoff_ns += frame.backoff_ns
            self.current.backoffs += 1
        if frame.kind == "beacon":
            self.current.beacons_ns += frame.duration_ns
        elif frame.kind == "rts" and frame.sender is not None:
            self._begin(self._exchange(frame.sender, frame.receiver, frame), frame)
        elif frame.kind in ("cts", "cts-to-self") and frame.receiver is not None:
            self._hear_cts(frame, frame.receiver)
        elif frame.kind == "data" and frame.sender is not None:
            self._hear_data(frame, frame.sender)
        elif frame.receiver is not None:
            self._hear_answer(frame, frame.receiver)

    def end(self, now_ns: int) -> Interval:
        """End the beacon interval. An exchange counts in the interval in which it ends."""
        if self.open and self.open.until_ns <= now_ns:
            self._settle()
        interval, self.current = self.current, Interval()
        return interval

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

    def _hear_data(self, frame: Frame, sender: str) -> None:
        exchange = self._exchange(sender, frame.receiver, frame)
        if self.open and self.open.sender == sender and not self.open.has_data:
            self.open.is_answered = self.open.has_data = True
            self.open.station = exchange.station
            return
        # The access point sees that its own data is acknowledged. Of data of others it assumes so.
        exchange.is_answered = sender != self.cell.access_point
        exchange.has_data = True
        self._begin(exchange, frame)

    def _hear_answer(self, frame: Frame, to: str) -> None:
        if self.open and self.open.sender == to:
            self.open.is_answered = True
            self._settle()
        elif to != self.cell.access_point:
            # The data could not be decoded.
            self._interrupt(frame)
            self.current.count(to, self.cell.sifs_ns + frame.duration_ns)

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
        if self.open:
            rest_ns = self.open.until_ns + following.duration_ns - following.end_ns
            rest_ns = min(max(rest_ns, 0), self.open.promised_ns)
            if rest_ns > 0:
                self.open.is_answered &= self.open.has_data
                self.open.promised_ns -= rest_ns
        self._settle()

    def _settle(self) -> None:
        """Add the finished exchange to the usage of its station."""
        done, self.open = self.open, None
        if done and done.station is not None:
            promised_ns = done.promised_ns if done.is_answered else 0
            self.current.count(done.station, done.spent_ns + promised_ns)


class Granting(airfair.Law):
    """Access point that grants shares of the channel in its beacons.  [occupancy-tfrc §III-B]

    `beacons` is n, the number of beacon intervals of an observation slot. `satisfied` is r, the part of an
    equal share from which on a station counts as unsatisfied.
    """

    version = "1"
    listen = "own"

    def __init__(self, beacons: int = 3, satisfied: float = 0.8) -> None:
        self.satisfied = satisfied
        self.intervals: deque[Interval] = deque(maxlen=beacons)
        self.since_ns = 0

    def start(self, node: Node) -> None:
        """Begin to measure."""
        assert node.cell is not None
        self.cell = node.cell
        self.meter = Meter(node.cell)
        self.backoff_ns = node.cell.mean_backoff_ns

    def frame(self, node: Node, frame: Frame) -> None:  # noqa: ARG002 - the meter needs the frame alone
        """Count the frame."""
        self.meter.hear(frame)

    def beacon(self, node: Node) -> bytes:
        """Grant shares by the measurements of the last intervals."""
        ended = self.meter.end(node.now_ns)
        ended.length_ns, self.since_ns = node.now_ns - self.since_ns, node.now_ns
        self.intervals.append(ended)
        slot = Interval()
        for interval in self.intervals:
            slot.add(interval)
        if slot.backoffs:
            self.backoff_ns = slot.backoff_ns // slot.backoffs
        even, additional = self._shares(slot)
        micros = min(self.backoff_ns // 1_000, 65_535)
        return struct.pack("<HHH", _encoded(even), _encoded(additional), micros)

    def _shares(self, slot: Interval) -> tuple[float, float]:
        """Return the share of each active station, and that of each unsatisfied one in addition.

        [occupancy-tfrc eq. 2 to 6]
        """
        access_ns = self.cell.difs_ns + self.backoff_ns
        used = [
            _seconds(slot.frames_ns[station] + slot.accesses[station] * access_ns)
            / _seconds(slot.length_ns)
            for station in self.cell.stations
            if station in slot.frames_ns
        ]
        available = 1.0 - _seconds(slot.beacons_ns) / _seconds(slot.length_ns)
        even = available / max(len(used), 1)
        # One after the other: since Python 3.12, `sum` compensates for rounding.
        total = 0.0
        for share in used:
            total += share
        unsatisfied = sum(share >= self.satisfied * even for share in used)
        return even, (available - total) / unsatisfied if unsatisfied else 0.0


def _seconds(ns: int) -> float:
    return ns / 1e9


def _encoded(share: float) -> int:
    """Return a share in units of 1/65535, rounded down."""
    return int(min(max(share * 65_535.0, 0.0), 65_535.0))

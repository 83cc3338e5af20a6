"""Access point that grants its stations shares of the channel, the law of occupancy-based TFRC.

Source: [occupancy-tfrc §III]. The access point measures the channel occupancy of each station by the frames
that it decodes and sends [arf-window §III-A]. Each beacon grants an equal share to every active station, and
what remains to those that use nearly all of their share.

Its records are those of `ap.occupancy = true`:

>>> airfair.run("cell.toml", set={"bss.home.beacon": {}}, laws={"access-point": Granting})
"""

import struct
from collections import deque

from occupancy_meter import Meter, Slot, by_flow, merged

import airfair
from airfair.law import Frame, Node


class Granting(airfair.Law):
    """Access point that grants shares of the channel in its beacons.  [occupancy-tfrc §III-B]

    `beacons` is n, the number of beacon intervals of an observation slot. `satisfied` is r, the part of an
    equal share from which on a station counts as unsatisfied.
    """

    version = "1"
    listen = ("own", "neighbours")

    def __init__(self, beacons: int = 3, satisfied: float = 0.8) -> None:
        self.satisfied = satisfied
        # The last beacon intervals with their lengths.
        self.intervals: deque[tuple[int, Slot]] = deque(maxlen=beacons)
        self.since_ns = 0

    def start(self, node: Node) -> None:
        """Begin to measure."""
        assert node.cell is not None
        self.cell = node.cell
        self.meter = Meter(node.name, node.cell)
        self.backoff_ns = node.cell.mean_backoff_ns

    def frame(self, node: Node, frame: Frame) -> None:  # noqa: ARG002 - the meter needs the frame alone
        """Count the frame."""
        self.meter.hear(frame, by_flow(frame))

    def beacon(self, node: Node) -> bytes:
        """Grant shares by the measurements of the last intervals."""
        now_ns = node.now_ns
        self.intervals.append((now_ns - self.since_ns, self.meter.end_slot(now_ns)))
        self.since_ns = now_ns
        length_ns, slot = merged(self.intervals)
        self.backoff_ns = slot.mean_backoff_ns(self.backoff_ns)
        even, additional = self._shares(slot, length_ns)
        micros = min(self.backoff_ns // 1_000, 65_535)
        return struct.pack("<HHH", _encoded(even), _encoded(additional), micros)

    def _shares(self, slot: Slot, length_ns: int) -> tuple[float, float]:
        """Return the share of each active station, and that of each unsatisfied one in addition.

        [occupancy-tfrc eq. 2 to 6]
        """
        access_ns = self.cell.difs_ns + self.backoff_ns
        used = [
            slot.stations[station].occupancy_ns(access_ns, access_ns) / 1e9 / (length_ns / 1e9)
            for station in self.cell.stations
            if station in slot.stations
        ]
        available = 1.0 - slot.beacons_ns / 1e9 / (length_ns / 1e9)
        even = available / max(len(used), 1)
        # One after the other: since Python 3.12, `sum` compensates for rounding.
        total = 0.0
        for share in used:
            total += share
        unsatisfied = sum(share >= self.satisfied * even for share in used)
        return even, (available - total) / unsatisfied if unsatisfied else 0.0


def _encoded(share: float) -> int:
    """Return a share in units of 1/65535, rounded down."""
    return int(min(max(share * 65_535.0, 0.0), 65_535.0))

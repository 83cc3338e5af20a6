"""Checks of cells whose access point serves several stations in one PPDU, against the closed form of `ofdma`.

The access point alone contends, so only the lengths of its back-offs are random. They have a standard
deviation of 4.6 slots, 2 % of the shortest exchange; the mean of `EXCHANGES` varies by less than 0.1 %. A
replication counts whole exchanges, and the tolerance is two of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import ofdma
from .aggregates import goodput
from .cells import PACKET, PAYLOAD, SOURCE, WIRE_QUEUE, scenario
from .plan import Check

if TYPE_CHECKING:
    from airfair import Result, Scenario

REPLICATIONS = 4
EXCHANGES = 1_000
"""Number of exchanges in a replication."""
TOLERANCE = 2 / EXCHANGES
QUEUED_PPDUS = 4
"""Number of PPDUs for which the access point's queue of a station holds packets."""
WIRE_FACTOR = 2
"""Rate of the wire over the expected goodput."""
MU_BAR_OCTETS = 48
"""Most that an MU-BAR with one user adds to an A-MPDU: padding, delimiter and frame [octets]."""


@dataclass(frozen=True)
class DownlinkCell:
    """Cell with a saturated flow to each of `users` stations, which share each PPDU of the access point."""

    width: int
    """Width of the channel [MHz]."""
    mcs: int
    users: int
    mpdus: int
    """MPDUs for each station in a PPDU."""
    ack: ofdma.Acknowledgement

    @property
    def form(self) -> ofdma.Cell:
        """Cell of the closed form, without a TXOP limit."""
        return ofdma.Cell(
            self.users,
            ack=self.ack,
            width=self.width,
            mcs=self.mcs,
            payload=PAYLOAD,
            txop=math.inf,
            window=self.mpdus,
        )

    def expected(self) -> float:
        """Goodput of IP packets [Mb/s]."""
        return ofdma.figures(self.form).down * PACKET / PAYLOAD

    def scenario(self) -> Scenario:
        """Scenario of the cell, whose A-MPDUs have room for `mpdus` MPDUs and an MU-BAR."""
        octets = ofdma.Airtimes(self.form, ofdma.STANDARD).octets(self.mpdus) + MU_BAR_OCTETS
        packets = EXCHANGES * self.users * self.mpdus
        seconds = packets * 8 * PACKET / (1e6 * self.expected())
        wire = f"{math.ceil(WIRE_FACTOR * self.expected())} Mb/s"
        return scenario(
            {
                "standard": "802.11ax",
                "band": "5 GHz",
                "width": f"{self.width} MHz",
                "aggregation": {"max_bytes": f"{octets} B"},
                "max_attempts": "unlimited",
                "ofdma": {
                    "down": "round-robin",
                    "users": self.users,
                    "ack": self.ack,
                    "up_guard_interval": "1.6 us",
                },
                "ap": {
                    "queue": {"discipline": "round-robin", "packets": QUEUED_PPDUS * self.mpdus}
                },
            },
            {"s": {"rate": f"he-mcs{self.mcs}x1", "count": self.users}},
            {"down": {"from": "sink", "to": "s", "transport": SOURCE}},
            duration=f"{math.ceil(1_000 * seconds)} ms",
            wire={"rate": wire, "queue": WIRE_QUEUE},
            replications=REPLICATIONS,
        )

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Check of the sum of all goodputs."""
        name = f"ofdma/{self.ack}/{self.width}-MHz-mcs{self.mcs}-n={self.users}"
        yield Check.of(name, self.expected(), goodput(result), TOLERANCE, "Mb/s")


CELLS = tuple(
    DownlinkCell(*case, ack)  # type: ignore[arg-type]
    for ack in ("bar", "mu-bar", "aggregated-mu-bar")
    for case in ((20, 5, 2, 6), (20, 7, 9, 2), (40, 3, 4, 4), (80, 11, 8, 16), (160, 9, 16, 8))
)

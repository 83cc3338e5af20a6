"""Checks of cells whose access point serves several stations in one PPDU, against the closed form of `ofdma`.

Where the access point alone contends, only the lengths of its back-offs are random. They have a standard
deviation of 4.6 slots, 2 % of the shortest exchange; the mean of `EXCHANGES` varies by less than 0.1 %. A
replication counts whole exchanges, and the tolerance is two of them.

Where the stations contend as well, the form takes collisions as independent of the past. They are not: the
access point notices a collision 45 µs after its PPDU, when the AIFS of 43 µs of the others is over, and
counts its back-off down from the next slot. It gets up to 3 % less than by the form, and the stations more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from airfair import Result, Scenario
from airfair.scenario import Value

from . import ofdma
from .aggregates import goodput
from .cells import PACKET, PAYLOAD, SOURCE, WIRE_QUEUE, scenario, upload
from .plan import Check

REPLICATIONS = 4
EXCHANGES = 1_000
"""Number of exchanges in a replication."""
TOLERANCE = 2 / EXCHANGES
CONTENDED_EXCHANGES = 5_000
"""Number of downlink exchanges in a replication where the stations contend."""
CONTENDED_TOLERANCE = 0.03
QUEUED_PPDUS = 4
"""Number of PPDUs for which the access point's queue of a station holds packets."""
UPLINK_QUEUE = {"discipline": "fifo", "packets": 128}
WIRE_FACTOR = 2
"""Rate of the wire over the expected goodput."""
MU_BAR_OCTETS = 48
"""Most that an MU-BAR with one user adds to an A-MPDU: padding, delimiter and frame [octets]."""


@dataclass(frozen=True)
class MultiUserCell:
    """Cell with a saturated flow to each of `users` stations, which share each PPDU of the access point."""

    width: int
    """Width of the channel [MHz]."""
    mcs: int
    users: int
    mpdus: int
    """MPDUs for each station in a PPDU."""
    ack: ofdma.Acknowledgement
    contends: bool = False
    """Each station has a saturated flow to the access point, too, and contends for the channel."""

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
            uplink=self.contends,
        )

    def expected(self) -> dict[str, float]:
        """Goodput of IP packets by direction [Mb/s]."""
        of = ofdma.figures(self.form)
        goodputs = {"down": of.down, "up": of.up} if self.contends else {"down": of.down}
        return {way: goodput * PACKET / PAYLOAD for way, goodput in goodputs.items()}

    def scenario(self) -> Scenario:
        """Scenario of the cell, whose A-MPDUs have room for `mpdus` MPDUs and an MU-BAR."""
        octets = ofdma.Airtimes(self.form, ofdma.STANDARD).octets(self.mpdus) + MU_BAR_OCTETS
        exchanges = CONTENDED_EXCHANGES if self.contends else EXCHANGES
        down = self.expected()["down"]
        seconds = exchanges * self.users * self.mpdus * 8 * PACKET / (1e6 * down)
        wire = f"{math.ceil(WIRE_FACTOR * down)} Mb/s"
        flows: dict[str, Value] = {"down": {"from": "sink", "to": "s", "transport": SOURCE}}
        if self.contends:
            flows["up"] = upload("s")
        return scenario(
            {
                "standard": "802.11ax",
                "band": "5 GHz",
                "width": f"{self.width} MHz",
                "aggregation": {"max_bytes": f"{octets} B"},
                "after_collision": "difs",
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
            {"s": {"rate": f"he-mcs{self.mcs}x1", "count": self.users, "queue": UPLINK_QUEUE}},
            flows,
            duration=f"{math.ceil(1_000 * seconds)} ms",
            wire={"rate": wire, "queue": WIRE_QUEUE},
            replications=REPLICATIONS,
        )

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Checks of the sums of the goodputs in each direction."""
        name = f"{self.ack}/{self.width}-MHz-mcs{self.mcs}-n={self.users}"
        tolerance = CONTENDED_TOLERANCE if self.contends else TOLERANCE
        kind = "ofdma-beside-uplink" if self.contends else "ofdma"
        for way, expected in self.expected().items():
            id_ = f"{kind}/{name}/{way}" if self.contends else f"{kind}/{name}"
            yield Check.of(id_, expected, goodput(result, way), tolerance, "Mb/s")


ACKNOWLEDGEMENTS: tuple[ofdma.Acknowledgement, ...] = ("bar", "mu-bar", "aggregated-mu-bar")
CELLS = tuple(
    MultiUserCell(*case, ack)
    for ack in ACKNOWLEDGEMENTS
    for case in ((20, 5, 2, 6), (20, 7, 9, 2), (40, 3, 4, 4), (80, 11, 8, 16), (160, 9, 16, 8))
) + tuple(
    MultiUserCell(*case, ack, contends=True)
    for ack in ACKNOWLEDGEMENTS
    for case in ((20, 5, 2, 6), (20, 5, 4, 6), (80, 7, 4, 8))
)

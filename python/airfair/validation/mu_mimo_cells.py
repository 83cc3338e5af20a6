"""Checks of cells whose access point serves stations by MU-MIMO, against the closed form of `mu_mimo`.

As in `ofdma_cells`, the access point alone contends, and a replication counts whole exchanges. Each begins
with a sounding, and with another one for stations whose first packets come later: 0.1 % of the shortest
replication.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from airfair import Result, Scenario

from . import mu_mimo
from .aggregates import goodput
from .cells import FIFO, PACKET, PAYLOAD, SOURCE, WIRE_QUEUE, scenario
from .ofdma_cells import (
    EXCHANGES,
    MU_BAR_OCTETS,
    QUEUED_PPDUS,
    REPLICATIONS,
    TOLERANCE,
    WIRE_FACTOR,
)
from .plan import Check


@dataclass(frozen=True)
class SharingCell:
    """Cell with a saturated flow to each station, all of which share each PPDU of the access point."""

    form: mu_mimo.Cell

    def expected(self) -> float:
        """Goodput of IP packets [Mb/s]."""
        return self.form.goodput() * PACKET / PAYLOAD

    def scenario(self) -> Scenario:
        """Scenario of the cell, whose A-MPDUs have room for the form's MPDUs and an MU-BAR."""
        form = self.form
        octets = form.airtimes.octets(form.mpdus) + MU_BAR_OCTETS
        packets = EXCHANGES * form.users * form.mpdus
        seconds = packets * 8 * PACKET / (1e6 * self.expected())
        wire = f"{math.ceil(WIRE_FACTOR * self.expected())} Mb/s"
        return scenario(
            {
                "standard": "802.11ax",
                "band": "5 GHz",
                "width": f"{form.width} MHz",
                "streams": form.streams,
                "aggregation": {"max_bytes": f"{octets} B"},
                "max_attempts": "unlimited",
                "mu_mimo": {"users": form.users, "sounding_every": f"{form.interval:g} us"},
                "ofdma": {"down": "off", "ack": form.ack, "up_guard_interval": "1.6 us"},
                "ap": {
                    "queue": {"discipline": "round-robin", "packets": QUEUED_PPDUS * form.mpdus}
                },
            },
            {"s": {"rate": f"he-mcs{form.mcs}x1", "count": form.users, "queue": FIFO}},
            {"down": {"from": "sink", "to": "s", "transport": SOURCE}},
            duration=f"{math.ceil(1_000 * seconds)} ms",
            wire={"rate": wire, "queue": WIRE_QUEUE},
            replications=REPLICATIONS,
        )

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Check of the sum of all goodputs."""
        form = self.form
        name = (
            f"mu-mimo/{form.ack}/{form.width}-MHz-mcs{form.mcs}-n={form.users}"
            f"-every-{form.interval / 1_000:g}-ms"
        )
        yield Check.of(name, self.expected(), goodput(result), TOLERANCE, "Mb/s")


CELLS = tuple(
    SharingCell(
        mu_mimo.Cell(
            width=width,
            mcs=mcs,
            users=users,
            streams=streams,
            mpdus=mpdus,
            payload=PAYLOAD,
            interval=interval,
            ack=ack,
        )
    )
    for ack in ("bar", "mu-bar", "aggregated-mu-bar")
    for width, mcs, users, streams, mpdus, interval in (
        (20, 7, 2, 2, 8, 5_000),
        (40, 3, 3, 4, 8, 20_000),
        (80, 11, 4, 4, 32, 10_000),
        (80, 5, 8, 8, 32, 20_000),
        (160, 9, 4, 8, 64, 3_000),
    )
)

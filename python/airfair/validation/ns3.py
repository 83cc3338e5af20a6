"""Checks of 802.11ax against ns-3: tables of `wifi-bianchi`, and bounds of `wifi-he-network`.

`wifi-bianchi` has conventions of its own [ns3-bianchi]:

- An additional slot follows a success, but not a collision. By the standard (AIFSN 3) it follows both.
- The preamble lasts 44 µs, with a training field of 8 µs. By the standard a guard interval of 800 ns has a
  training field of 7.2 µs, so the preamble lasts 43.2 µs.
- Single MPDUs lack the delimiter of an S-MPDU, and have tail bits, which LDPC lacks. In these cells this
  never changes the number of symbols.
- LDPC never adds a symbol. By the standard it does if a frame nearly fills its symbols, in these cells at
  MCS 9 of 80 and 160 MHz.

Because of the first three, cells in airfair carry up to 2 % less than the table, most with many collisions
and short frames. If LDPC adds a symbol, the expected value is the table's, corrected for that symbol, and the
check is named `ns3-table-and-a-symbol`. Each cell is also checked against Bianchi's form with the standard's
times.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from airfair import Result, Scenario

from . import aggregates, theory
from .aggregates import LONG_GUARD, he_mode
from .cells import FIFO, PACKET, SOURCE, WIRE_QUEUE, scenario
from .plan import Check
from .published import NS3_AX, NS3_AX_STATIONS, NS3_HE_BOUNDS

TABLE_TOLERANCE = 0.03
FRAMES = {5: 10_000, 50: 36_000}
"""Number of frames that arrive in all replications of a cell, by number of stations."""
MODES_OF_MANY = (0, 4, 9, 11)
"""MCS at which the largest cells are checked; small cells are checked at each MCS."""


@dataclass(frozen=True)
class Ns3Cell(aggregates.Saturated):
    """Cell of saturated stations with single MPDUs at one mode of HE."""

    mcs: int
    width: int
    """Channel width [MHz]."""

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Checks of the throughput of IP packets, against the table and against Bianchi's form."""
        samples = aggregates.goodput(result)
        published, table = NS3_AX[self.width][self.mcs][NS3_AX_STATIONS.index(self.n)], "ns3-table"
        if more := self.mode.symbols(1) - math.ceil(
            (16 + 8 * self.mode.octets(1)) / self.mode.bits
        ):
            parts = self.mode.bits, self.mode.control
            published *= theory.ns3_ax_frame_rate(self.n, *parts, more=more)
            published /= theory.ns3_ax_frame_rate(self.n, *parts)
            table = "ns3-table-and-a-symbol"
        where = f"802.11ax-{self.width}/mcs-{self.mcs}-n={self.n}"
        model = self.frame_rate() * PACKET * 8
        yield Check.of(f"{table}/{where}", published, samples, TABLE_TOLERANCE, "Mb/s")
        yield Check.of(f"bianchi-he/{where}", model, samples, aggregates.TOLERANCE, "Mb/s")


HE_PAYLOAD = 700
"""UDP payload of `wifi-he-network` [octets]."""


@dataclass(frozen=True)
class Bounds:
    """Saturated download at the slowest or fastest mode, with one of the settings of `wifi-he-network`."""

    settings: str
    mode: aggregates.Mode

    def scenario(self) -> Scenario:
        """Scenario with an access point and a station."""
        band = self.settings.partition(",")[0]
        window = 256 if "256" in self.settings else 64
        return scenario(
            {
                "standard": self.mode.standard,
                "band": band,
                "width": self.mode.width,
                "guard_interval": f"{1000 * (self.mode.symbol - 12.8):.0f} ns",
                "aggregation": {"window": window},
                "rts_threshold": "0 B" if "RTS" in self.settings else "off",
                "ap": {"queue": {**FIFO, "packets": 1_000}},
            },
            {"s": {"rate": self.mode.rate, "queue": FIFO}},
            {
                "down": {
                    "from": "source",
                    "to": "s",
                    "transport": {**SOURCE, "payload": f"{HE_PAYLOAD} B"},
                }
            },
            duration="250 ms",
            host="source",
            wire={"rate": "10 Gb/s", "queue": WIRE_QUEUE},
        )

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Check that the goodput is between the bounds."""
        low, high = NS3_HE_BOUNDS[self.settings]
        measured = float(result.flows["goodput_bps"][0]) / 1e6
        middle, half = (low + high) / 2, (high - low) / 2
        id_ = f"ns3-bounds/{self.settings.replace(', ', '-').replace(' ', '-')}/{self.mode.rate}"
        yield Check(id_, middle, measured, half / middle, None, "Mb/s")


CELLS: tuple[Ns3Cell | Bounds, ...] = (
    *(
        Ns3Cell(he_mode(mcs, width), 1, n, FRAMES[n], mcs, width)
        for width, rows in NS3_AX.items()
        for n in FRAMES
        for mcs in (range(len(rows)) if n == min(FRAMES) else MODES_OF_MANY)
    ),
    *(
        Bounds(settings, mode)
        for settings in NS3_HE_BOUNDS
        for mode in (
            he_mode(0, 20, LONG_GUARD),
            he_mode(11, 40 if settings.startswith("2") else 160),
        )
    ),
)

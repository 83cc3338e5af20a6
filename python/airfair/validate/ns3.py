"""ns-3's published figures of 802.11ax: tables of `wifi-bianchi`, and bounds of `wifi-he-network`.

`wifi-bianchi` reckons with conventions of its own [ns3-bianchi]:

- A slot more follows a success, and none a collision. Best effort waits for that slot after both: AIFSN 3.
- The preamble has 44 µs, with a training field of 8 µs. The one of 7.2 µs goes with 800 ns: 43.2 µs.
- Single MPDUs lack the delimiter of an S-MPDU, and have tail bits that LDPC lacks: here never a symbol.
- LDPC takes no symbol more. By the standard it does where a frame nearly fills its symbols: here at MCS 9 of
  80 and 160 MHz.

But for the last one our cells carry up to 2 % less than the table, most where collisions are many and frames
short. Where a symbol is added, what the table would say with that symbol is expected, and the name of the
check says so. Bianchi's form with the standard's times is checked beside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airfair.scenario import load
from airfair.statistics import half_width

from . import aggregates, theory
from .aggregates import LONG_GUARD, he_mode
from .cells import FIFO, PACKET, WIRE_QUEUE
from .plan import Check, Plan
from .published import NS3_AX, NS3_AX_STATIONS, NS3_HE_BOUNDS
from .theory import DOT11A

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airfair import Result, Scenario
    from airfair.scenario import Value

TABLE_TOLERANCE = 0.03
FRAMES = {5: 10_000, 50: 36_000}
"""Frames that arrive in all replications of a cell of so many stations."""
MODES_OF_MANY = (0, 4, 9, 11)
"""MCS that the largest cell is checked at; few stations are checked at each."""


@dataclass(frozen=True)
class Ns3Cell:
    """Saturated stations at one mode of HE."""

    mcs: int
    width: int
    """[MHz]"""
    n: int

    @property
    def mode(self) -> aggregates.Mode:
        """Mode of HE."""
        return he_mode(self.mcs, self.width)

    def frame_rate(self) -> float:
        """Frames per µs by Bianchi's form, with the standard's times."""
        return theory.classic_frame_rate(self.n, DOT11A, self.mode.exchange(1))

    def scenario(self) -> Scenario:
        """The cell, for as many frames as its interval needs."""
        seconds = FRAMES[self.n] / aggregates.REPLICATIONS / self.frame_rate() / 1e6
        return aggregates.scenario(self.mode, 1, self.n, seconds)

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Throughput of IP packets, against both."""
        samples = aggregates.goodput(result)
        mean, ci95 = float(samples.mean()), half_width(samples.tolist())
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
        yield Check(f"{table}/{where}", published, mean, TABLE_TOLERANCE, ci95, "Mb/s")
        yield Check(f"bianchi-he/{where}", model, mean, aggregates.TOLERANCE, ci95, "Mb/s")


HE_PAYLOAD = 700
"""UDP payload of `wifi-he-network` [octets]."""


@dataclass(frozen=True)
class Bounds:
    """A saturated download at the slowest or the fastest mode of one of the settings of `wifi-he-network`."""

    settings: str
    mode: aggregates.Mode

    def scenario(self) -> Scenario:
        """Scenario with an access point and a station."""
        band = self.settings.partition(",")[0]
        window = 256 if "256" in self.settings else 64
        document: Mapping[str, Value] = {
            "duration": "250 ms",
            "series": "off",
            "bss": {
                "cell": {
                    "standard": self.mode.standard,
                    "band": band,
                    "width": self.mode.width,
                    "guard_interval": f"{1000 * (self.mode.symbol - 12.8):.0f} ns",
                    "aggregation": {"window": window},
                    "rts_threshold": "0 B" if "RTS" in self.settings else "off",
                    "ap": {"queue": {**FIFO, "packets": 1_000}},
                }
            },
            "station": {"s": {"rate": self.mode.rate, "queue": FIFO}},
            "host": {"source": {"link": {"rate": "10 Gb/s", "queue": WIRE_QUEUE}}},
            "flow": {
                "down": {
                    "from": "source",
                    "to": "s",
                    "transport": {"kind": "udp", "payload": f"{HE_PAYLOAD} B", "rate": "saturated"},
                }
            },
        }
        return load(document)

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Goodput is between the bounds."""
        low, high = NS3_HE_BOUNDS[self.settings]
        measured = float(result.flows["goodput_bps"][0]) / 1e6
        middle, half = (low + high) / 2, (high - low) / 2
        id_ = f"ns3-bounds/{self.settings.replace(', ', '-').replace(' ', '-')}/{self.mode.rate}"
        yield Check(id_, middle, measured, half / middle, None, "Mb/s")


def plans() -> Iterator[Plan]:
    """Each cell."""
    cells = [
        Ns3Cell(mcs, width, n)
        for width, rows in NS3_AX.items()
        for n in FRAMES
        for mcs in (range(len(rows)) if n == min(FRAMES) else MODES_OF_MANY)
    ]
    bounds = [
        Bounds(settings, mode)
        for settings in NS3_HE_BOUNDS
        for mode in (
            he_mode(0, 20, LONG_GUARD),
            he_mode(11, 40 if settings.startswith("2") else 160),
        )
    ]
    checked: tuple[Ns3Cell | Bounds, ...] = (*cells, *bounds)
    for cell in checked:
        yield Plan(cell.scenario(), cell.evaluate)

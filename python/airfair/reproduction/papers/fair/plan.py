"""Names of the variants of `fair`: cells and schemes. Study files declare each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from airfair.experiment.conditions import Key

STANDARDS: Mapping[str, str] = {"g": "802.11g", "n": "802.11n", "ax": "802.11ax"}
WAYS = ("down", "up", "both")
ROUND_TRIPS = ("10 ms", "50 ms", "200 ms")
STATIONS = ("1 + 1", "5 + 1", "mixed")
RIVAL_STATIONS = "5 + 1"
"""Stations of the cells in which rivals run."""
MIDDLE = "50 ms"
"""Round trip of the studies of parts, transports and conditions."""
AIRTIME, FAIR, GRANTS, FQ_CODEL, TXOP = "airtime", "fair", "grants", "fq-codel", "txop"
RIVALS: Mapping[str, str] = {
    "fifo": "FIFO",
    FQ_CODEL: "FQ-CoDel",
    "window-sharing": "windows shared",
    "regulator": "time regulator",
    AIRTIME: "airtime scheduler",
    TXOP: "airtime + TXOP limit",
    "occupancy": "airtime + granted shares",
}
"""Labels of the rivals."""
FAIR_LABEL = "fair access point"
PARTS: Mapping[str, str] = {
    "no holds": "without holds",
    "no windows": "without windows",
    "no TXOP limit": "without a TXOP limit",
    "access 0.2 ms": "accesses of 0.2 ms",
    "access 0.8 ms": "accesses of 0.8 ms",
    "unused 0.005": "f* = 0.5 %",
    "unused 0.02": "f* = 2 %",
    "level 0.5 s": "level twice as fast",
    "level 2 s": "level half as fast",
    "window 0.25 s": "windows twice as fast",
    "window 1 s": "windows half as fast",
}
"""Labels of the changes of the fair access point."""
SENDERS: Mapping[str, str] = {
    "cubic": "CUBIC",
    "bbr": "BBR",
    "prague": "Prague",
    "quic": "QUIC",
    "tfrc": "TFRC",
    "udp": "saturated UDP",
}
TODAY = ("bbr", "prague")
"""Transports beside CUBIC whose windows the access point can lower."""
UNFRIENDLY = ("quic", "tfrc", "udp")
"""Transports whose windows the access point cannot lower."""
SENT_WAYS = ("up", "both")
"""Directions of the study of transports."""
OFDMA_SENDERS = ("cubic", *UNFRIENDLY)
"""Transports of the study of OFDMA."""
OFDMA_SCHEMES = (AIRTIME, "credits", FAIR, "credits, contending", "fair, contending")
"""Schemes of the study of OFDMA, of which the first is without OFDMA."""
NEIGHBOUR = "neighbour"
CONDITIONS: Mapping[str, str] = {
    "2 ms": "round trip of 2 ms",
    "300 ms": "round trip of 300 ms",
    "50 stations": "50 stations",
    "10 % errors": "10 % frame errors",
    "no aggregates": "no aggregates",
    "minstrel": "rates from Minstrel",
    "hidden": "slow station hidden",
    "queue of 5000": "station queues of 5000",
    NEIGHBOUR: "neighbour that always sends",
}
WINDOW_TIMES = ("0.1 s", "0.25 s", "0.5 s", "1 s", "2 s", "4 s")
DELAYS = ("2 ms", "20 ms", "50 ms", "100 ms", "200 ms", "300 ms")
"""Plane of the study of stability: time in which a window changes by a factor e, and round trip."""
CHANGES: Mapping[str, str] = {
    "slow": "a station becomes slow",
    "comes": "a slow station comes",
    "goes": "the slow station goes",
}
"""Labels of the changes of a cell."""
CHANGED_AT = 2.0
"""Measured time of the change [s]."""


@dataclass(frozen=True)
class Cell:
    """One of the cells in which the access point is judged."""

    standard: str
    way: str
    round_trip: str
    stations: str

    def key(self, scheme: str) -> Key:
        """Runs of the cell under a scheme."""
        setup = {AIRTIME: "cells", FAIR: "cells"}.get(scheme, "rivals")
        if self.stations == "mixed":
            setup = "mixed"
        if scheme == TXOP:
            scheme = f"{TXOP}-{self.standard}"
        return setup, f"{self.label}, {scheme}"

    def part(self, change: str) -> Key:
        """Runs of the cell with a change of the fair access point, or without one."""
        return "parts", f"{self.label}, {change}"

    @property
    def label(self) -> str:
        """Name of the cell in tables."""
        return f"{self.standard}, {self.way}, {self.round_trip}, {self.stations}"


def cells(
    standard: str | None = None,
    way: str | None = None,
    stations: Sequence[str] = STATIONS,
    round_trips: Sequence[str] = ROUND_TRIPS,
) -> list[Cell]:
    """Cells of a standard and a direction, by default of all, in the order of the studies."""
    return [
        Cell(*names)
        for names in product(
            [standard] if standard else STANDARDS, [way] if way else WAYS, round_trips, stations
        )
    ]


def sent(standard: str, way: str, sender: str, scheme: str) -> Key:
    """Runs with a transport."""
    return "transports", f"{standard}, {way}, {sender}, {scheme}"


def triggered(way: str, sender: str, scheme: str) -> Key:
    """Runs of 802.11ax with a transport, all but the airtime scheduler's with OFDMA."""
    return "ofdma", f"ax, {way}, {sender}, {scheme}"


def under(standard: str, condition: str, scheme: str) -> Key:
    """Runs under another condition."""
    setup = NEIGHBOUR if condition == NEIGHBOUR else "conditions"
    return setup, f"{standard}, {condition}, {scheme}"


def changed(standard: str, change: str, scheme: str) -> Key:
    """Runs in which the cell changes."""
    return "changes", f"{standard}, {change}, {scheme}"


def loop(window_time: str, delay: str) -> Key:
    """Runs at a point of the plane of gain and delay."""
    return "stability", f"{window_time}, {delay}"


def has(standard: str, condition: str) -> bool:
    """False for aggregates in 802.11g, which has none."""
    return (standard, condition) != ("g", "no aggregates")

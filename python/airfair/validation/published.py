"""Published numbers with which closed forms and the simulator are compared.

`published.toml` has those of Bianchi's model, with their sources.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Published(NamedTuple):
    """Row of ns-3's tables: throughput with EIFS and with DIFS after a collision [Mb/s]."""

    eifs: float
    difs: float


_PUBLISHED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

NS3_TABLES: Mapping[tuple[str, float], Mapping[int, Published]] = {
    (standard, float(rate)): {int(n): Published(*row) for n, row in rows.items()}
    for standard, rates in _PUBLISHED["saturation"].items()
    for rate, rows in rates.items()
}
"""Saturation throughput by standard and rate [Mb/s], then by number of stations."""

NS3_AX_STATIONS: Sequence[int] = _PUBLISHED["ax"]["stations"]
NS3_AX: Mapping[int, Sequence[Sequence[float]]] = {
    int(width): rows for width, rows in _PUBLISHED["ax"]["width"].items()
}
"""Saturation throughput in 802.11ax [Mb/s]: by width [MHz], by MCS from 0 on, for `NS3_AX_STATIONS`."""

NS3_HE_BOUNDS: Mapping[str, Sequence[float]] = _PUBLISHED["bounds"]
"""Smallest and largest goodput that ns-3 expects of its `wifi-he-network` [Mb/s], by settings."""

MAGRIN_USERS = (1, 2, 4, 5, 8, 9, 18)
MAGRIN_DOWN = {
    "single user": (61.629,) * 7,
    "bar": (61.146, 51.812, 46.673, 46.673, 46.673, 45.886, 45.886),
    "mu-bar": (59.278, 51.281, 48.035, 48.035, 48.035, 52.538, 52.538),
    "aggregated-mu-bar": (59.949, 52.173, 48.839, 48.839, 48.839, 53.253, 53.253),
}
"""Downlink of the form of [magrin-2021] [Mb/s], by acknowledgement, for `MAGRIN_USERS` stations."""
MAGRIN_BESIDE_UPLINK = {
    False: (28.508, 15.429, 11.149, 8.087, 6.577, 5.522, 4.747, 4.154, 3.606),
    True: (28.508, 15.429, 7.811, 8.087, 3.610, 3.624, 3.624, 3.617, 3.606),
}
"""Its downlink by aggregated MU-BARs beside an uplink that contends [Mb/s], for 1 to 9 stations: equal units
for those served, or (`True`) as many stations as possible."""
MAGRIN_DELAY = {
    False: (4.795, 4.591, 6.887, 4.578, 5.722, 6.866, 8.011, 9.155, 4.047),
    True: (4.795, 4.591, 4.578, 4.578, 4.006, 4.020, 4.033, 4.047, 4.047),
}
"""Its delay without an uplink [ms], likewise."""
MAGRIN_CONTENDERS = (1, 3, 5, 9, 19)
MAGRIN_SINGLE_USER = {
    15: (58.645, 54.377, 51.711, 48.461, 44.227),
    127: (58.475, 59.299, 59.057, 58.038, 55.458),
    1023: (42.008, 50.113, 53.498, 56.439, 58.510),
}
"""Its sum of down and up with single-user PPDUs [Mb/s], by CWmin, for `MAGRIN_CONTENDERS` stations."""


class TwoPrograms(NamedTuple):
    """Goodput of cells A and B [Mb/s], by a Markov network and in Komondor."""

    markov: tuple[float, float]
    komondor: tuple[float, float]


WILHELMI: Mapping[int, TwoPrograms] = {
    int(level): TwoPrograms((row[0], row[1]), (row[2], row[3]))
    for level, row in _PUBLISHED["reuse"].items()
}
"""Goodput of two cells with spatial reuse in cell A, by A's OBSS-PD level [dBm].  [wilhelmi-2021]"""
KOMONDOR: Mapping[str, Sequence[float]] = _PUBLISHED["komondor"]
"""Goodput of cells in Komondor's own tests [Mb/s], by the name of their input.  [komondor]"""

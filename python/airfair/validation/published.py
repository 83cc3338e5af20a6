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

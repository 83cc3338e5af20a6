"""Several cells on one channel: rows of `compare_neighbours.py`, and the goodput that calculations expect.

Where all nodes receive each other, saturated cells are one cell with the senders of all, and Bianchi's model
applies. For other layouts with a constant window there is the Markov network of `airfair.validation.markov`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

from compare_cells import (
    ACK,
    AIFS,
    BLOCK_ACK,
    DELIMITER,
    MPDU,
    PAYLOAD,
    SIFS,
    SLOT,
    aggregate,
    mpdus,
    ppdu,
)
from compare_cells import Cell as OneCell

from airfair.validation import markov, theory
from airfair.validation.theory import DOT11A, Exchange

NAMES = "abcdefgh"
WIDEST = 1023


@dataclass(frozen=True)
class Row:
    """Cells of a row of the comparison, which are equal. Fields have the names of the program's options."""

    name: str
    layout: str
    cells: int
    standard: str = "a"
    width: int = 20
    mcs: int = 7
    aggregation: bool = False
    stations: int = 1
    up: bool = True
    max_octets: int = 65535
    cw_min: int = 15
    cw_max: int = WIDEST
    eifs: bool = True

    def options(self) -> list[str]:
        """Options of the program."""
        named = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "name"}
        return [
            f"--{name.replace('_', '-')}={int(value) if isinstance(value, bool) else value}"
            for name, value in named.items()
        ]

    @property
    def senders(self) -> int:
        """Senders of each cell."""
        return self.stations if self.up else 1

    @property
    def seconds(self) -> int:
        """Simulated seconds of each run: more where cells starve, fewer where ns-3 is slow."""
        seconds = 2 if self.layout in {"all", "apart"} else 5
        is_slow = self.standard == "ax" or not (self.aggregation or self.mcs == SLOW.mcs)
        return seconds if is_slow else 2 * seconds

    @property
    def groups(self) -> dict[str, list[int]]:
        """Cells whose places are alike, by the name of the group."""
        if self.layout != "middle":
            return {"each": list(range(self.cells))}
        last = self.cells - 1
        return {"outer": [0, last], "middle": list(range(1, last))}

    def hears(self) -> dict[str, list[str]]:
        """Cells that each cell hears, by name; access points that are hidden are not in this form."""
        names = NAMES[: self.cells]
        near = {"apart": 0, "middle": 1}.get(self.layout, self.cells)
        return {
            one: [other for j, other in enumerate(names) if 0 < abs(i - j) <= near]
            for i, one in enumerate(names)
        }


def exchange(row: Row, *, by_ns3: bool = True) -> tuple[Exchange, int]:
    """Return the cost of an exchange, and its payload [octets]."""
    if row.standard == "a":
        without_qos = MPDU - 2
        return theory.exchange(DOT11A, without_qos, row.mcs), PAYLOAD
    cell = OneCell(
        row.standard, row.width, row.mcs, 1, aggregates=row.aggregation, max_bytes=row.max_octets
    )
    count = mpdus(cell)
    octets, response = MPDU + (0 if row.standard == "n" else DELIMITER), ACK
    if row.aggregation:
        octets, response = aggregate(count), BLOCK_ACK
    on_air = ppdu(cell, octets, by_ns3=by_ns3)
    return Exchange(on_air + SIFS + response + AIFS, on_air + AIFS), count * PAYLOAD


def in_range(row: Row, cost: Exchange, senders: int) -> float:
    """Return the exchanges per µs of all senders, which receive each other.  [bianchi-2000]"""
    if row.standard == "a":
        phy = replace(DOT11A, cw_min=row.cw_min, cw_max=row.cw_max)
        return theory.refined_frame_rate(senders, phy, cost)
    stages = round(math.log2((row.cw_max + 1) / (row.cw_min + 1)))
    tau = theory.classic_attempt_rate(senders, row.cw_min + 1, stages)
    share = theory.slot_shares(senders, tau)
    time = share.idle * SLOT + share.success * cost.success + share.collision * cost.collision
    return share.success / time


def alone(row: Row, *, by_ns3: bool = True) -> float:
    """Return the goodput of one of the cells without neighbours, the capacity of the channel [Mb/s]."""
    cost, octets = exchange(row, by_ns3=by_ns3)
    return in_range(row, cost, row.senders) * octets * 8


def expected(row: Row) -> dict[str, float]:
    """Return the goodput of a cell of each group [Mb/s]; empty if no model describes the row."""
    cost, octets = exchange(row)
    if row.layout == "apart":
        return {"each": alone(row)}
    if row.layout == "all":
        return {"each": in_range(row, cost, row.cells * row.senders) * octets * 8 / row.cells}
    if row.layout != "middle" or row.cw_min != row.cw_max:
        return {}
    cell = markov.Cell(row.cw_min / 2 * SLOT, cost.success, row.senders)
    rates = markov.frame_rates(dict.fromkeys(row.hears(), cell), row.hears())
    return {
        group: sum(rates[NAMES[i]] for i in places) / len(places) * octets * 8
        for group, places in row.groups.items()
    }


# Not slower: ns-3's error model lets BPSK survive an equally strong frame.
SLOW = Row("a 12 Mb/s", "", 0, mcs=12)
FAST = Row("a 54 Mb/s", "", 0, mcs=54)
SINGLE = Row("n MCS 7, no aggregation", "", 0, standard="n")
HT = replace(SINGLE, name="n MCS 7, A-MPDU", aggregation=True)
HE = Row("ax 80 MHz MCS 11, A-MPDU", "", 0, "ax", 80, 11, aggregation=True, max_octets=131071)
HE_SINGLE = replace(HE, name="ax 80 MHz MCS 11, no aggregation", aggregation=False)
KINDS = (FAST, SLOW, SINGLE, HT, HE_SINGLE, HE)


def named(kind: Row, text: str, **keys: object) -> Row:
    """Return a row of a kind with other keys, with the text before its name."""
    return replace(kind, name=f"{text}, {kind.name}", **keys)  # type: ignore[arg-type]


def markov_rows() -> list[Row]:
    """Rows with a constant window and no EIFS, which the Markov network describes."""
    return [
        named(
            kind,
            f"middle, no EIFS, window {window}",
            layout="middle",
            cells=3,
            eifs=False,
            cw_min=window,
            cw_max=window,
        )
        for kind, window in (
            (FAST, 63),
            (FAST, 255),
            (SLOW, 63),
            (SLOW, 255),
            (SLOW, WIDEST),
            (HT, 255),
            (HT, WIDEST),
            (HE, 255),
        )
    ]


ROWS = [
    *(named(kind, "2 in range, 1 up each", layout="all", cells=2) for kind in KINDS),
    named(FAST, "2 in range, 1 down each", layout="all", cells=2, up=False),
    named(HE, "2 in range, 3 down each", layout="all", cells=2, up=False, stations=3),
    *(
        named(kind, "3 in range, 3 up each", layout="all", cells=3, stations=3)
        for kind in (FAST, HT, HE)
    ),
    *(named(kind, "2 apart, 1 up each", layout="apart", cells=2) for kind in (FAST, HE)),
    *(named(kind, "middle, 1 up each", layout="middle", cells=3) for kind in KINDS),
    *(
        named(kind, "middle, no EIFS, 1 up each", layout="middle", cells=3, eifs=False)
        for kind in KINDS
    ),
    *(
        named(kind, "middle, 1 down each", layout="middle", cells=3, up=False)
        for kind in (FAST, HE)
    ),
    *(
        named(kind, "middle, 3 up each", layout="middle", cells=3, stations=3)
        for kind in (FAST, HT)
    ),
    *markov_rows(),
    *(
        named(kind, "hidden APs, 1 down each", layout="hidden-aps", cells=2, up=False)
        for kind in KINDS
    ),
    *(
        named(kind, "hidden APs, 3 down each", layout="hidden-aps", cells=2, up=False, stations=3)
        for kind in (FAST, HE)
    ),
    *(
        named(kind, "hidden APs, 2 up each", layout="hidden-aps", cells=2, stations=2)
        for kind in (FAST, HE)
    ),
]

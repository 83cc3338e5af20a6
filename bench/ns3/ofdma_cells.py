"""Cells of `compare_ofdma.py`, and the goodput that a calculation by hand expects where nobody contends.

A cycle is the exchanges that repeat, each with AIFS and the mean back-off of 7.5 slots before it. The
calculation follows ns-3.37's conventions, or else the standard's (`by_ns3=False`): `compare_ofdma.py` lists
them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

SLOT, SIFS = 9.0, 16.0
ACCESS = SIFS + 3 * SLOT + 7.5 * SLOT
"""AIFS and mean back-off with a window of 15 [µs]."""
LONGEST_PPDU = 5484.0
DELIMITER, MAC_OCTETS = 4, 28 + 8 + 26 + 4
"""Octets of a delimiter, and of the headers and check sequence of an MPDU: IP and UDP, LLC/SNAP, MAC, FCS."""
BITS = (0.5, 1, 1.5, 2, 3, 4, 4.5, 5, 6, 20 / 3, 7.5, 25 / 3)
"""Data bits per subcarrier and symbol, by MCS."""
LAYOUTS = {
    20: {9: 24, 4: 48, 2: 102, 1: 234},
    40: {18: 24, 8: 48, 4: 102, 2: 234, 1: 468},
    80: {37: 24, 16: 48, 8: 102, 4: 234, 2: 468, 1: 980},
    160: {74: 24, 32: 48, 16: 102, 8: 234, 4: 468, 2: 980, 1: 1960},
}
"""Data subcarriers of a unit, by width [MHz] and number of equal units."""
SHORT_WINDOW = 64
"""Greatest window whose block ack has a bitmap of 64 bits; the next has 256."""
LOW, HIGH = 6, 24
"""Rates of triggers and CF-End, and of MU-BARs and responses [Mb/s]."""


@dataclass(frozen=True)
class Cell:
    """Cell of the comparison. Fields have the names of the program's options."""

    name: str
    users: int = 8
    down: str = "mu"
    up: str = "off"
    ack: str = "mu-bar"
    per_ppdu: int = 0
    width: int = 80
    mcs: int = 11
    streams: int = 1
    guard: int = 800
    payload: int = 1472
    txop: int = 0
    max_octets: int = 6500631
    window: int = 64
    mended: bool = True
    forced: bool = False
    poll: bool = True
    reports: bool = False
    interval: int = 0
    mu_timer: int = 0
    cw_min: int = 15
    ask: bool = False

    def options(self) -> list[str]:
        """Options of the program."""
        named = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "name"}
        return [
            f"--{name.replace('_', '-')}={int(value) if isinstance(value, bool) else value}"
            for name, value in named.items()
        ]

    @property
    def contends(self) -> bool:
        """True if several nodes contend, so that chance decides."""
        silent = self.up == "off" or (self.up == "mu" and self.mu_timer > 0)
        return not silent and (self.users > 1 or self.down != "off")


ACKS = ("bar", "mu-bar", "aggregated-mu-bar")
MAGRIN = Cell("", width=20, mcs=5, payload=1000, txop=4800, forced=True)
SILENT = 262144
"""MU EDCA timer that keeps stations silent between two acknowledged trigger-based PPDUs [µs]."""


def magrin() -> list[Cell]:
    """Cells of [magrin-2021]: downlink alone, beside a contending uplink, and both single-user."""
    cells = []
    for users in (1, 2, 4, 5, 8, 9):
        cell = replace(MAGRIN, users=users)
        cells.append(replace(cell, name=f"Magrin, N = {users}, single user", down="su"))
        cells += [replace(cell, name=f"Magrin, N = {users}, {ack}", ack=ack) for ack in ACKS]
    for ack in ACKS:
        name = f"Magrin, N = 4, {ack}, single users fill the TXOP"
        cells.append(replace(MAGRIN, name=name, users=4, ack=ack, forced=False))
    name = "Magrin, N = 4, mu-bar, lengths as in ns-3"
    cells.append(replace(MAGRIN, name=name, users=4, mended=False))
    for users in (1, 2, 4, 5, 8, 9):
        name = f"Magrin, N = {users}, mu-bar, single-user uplink"
        cells.append(replace(MAGRIN, name=name, users=users, up="su"))
    for window in (15, 127, 1023):
        for users in (1, 5, 9):
            name = f"Magrin, N = {users}, both single user, CWmin {window}"
            both = replace(MAGRIN, name=name, users=users, down="su", up="su", cw_min=window)
            cells.append(both)
    return cells


def eight_users() -> list[Cell]:
    """Cells of eight users at 80 MHz and MCS 11: down, up and both."""
    triggered = Cell("", up="mu", reports=True, mu_timer=SILENT)
    alone = replace(triggered, down="off", poll=False, interval=1000)
    return [
        Cell("8 users down, single user", down="su"),
        *(Cell(f"8 users down, {ack}", ack=ack) for ack in ACKS),
        replace(alone, name="8 users up, triggered each ms"),
        replace(alone, name="8 users up, triggered each ms and contending", mu_timer=0),
        replace(triggered, name="8 users both, no poll", poll=False),
        replace(triggered, name="8 users both, polled"),
        replace(triggered, name="8 users both, polled, contending", mu_timer=0),
        replace(
            triggered, name="8 users both, aggregated, GI 3.2", ack="aggregated-mu-bar", guard=3200
        ),
        Cell("8 users down by mu-bar, single-user uplink", up="su"),
        Cell("8 users, 4 in a PPDU, mu-bar", per_ppdu=4),
    ]


def spread() -> list[Cell]:
    """Cells that span widths, rates, guard intervals, sizes and limits."""
    aggregated = "aggregated-mu-bar"
    return [
        Cell("80 MHz MCS 11, 8 users, GI 1.6", guard=1600),
        Cell("80 MHz MCS 11, 8 users, GI 3.2", guard=3200),
        Cell("80 MHz MCS 0, 8 users", mcs=0),
        Cell("80 MHz MCS 11, 16 users", users=16),
        Cell("80 MHz MCS 11x2, 4 users", users=4, streams=2),
        Cell("80 MHz MCS 11, 2 users, window 256", users=2, window=256),
        Cell("80 MHz MCS 7, 8 users, A-MPDU of 20 000 octets", mcs=7, max_octets=20000),
        Cell("80 MHz MCS 11, 8 users, TXOP 2.528 ms", txop=2528, forced=True),
        Cell("80 MHz MCS 11, 8 users, 200 octets", payload=200),
        Cell(
            "40 MHz MCS 7, 4 users, GI 1.6, aggregated",
            width=40,
            mcs=7,
            users=4,
            guard=1600,
            ack=aggregated,
        ),
        Cell("40 MHz MCS 3, 8 users, bar", width=40, mcs=3, ack="bar"),
        Cell("40 MHz MCS 9, 11 users, aggregated", width=40, mcs=9, users=11, ack=aggregated),
        Cell("20 MHz MCS 7, 9 users, GI 1.6, bar", width=20, mcs=7, users=9, guard=1600, ack="bar"),
        Cell("160 MHz MCS 11, 8 users, window 256", width=160, window=256),
        Cell(
            "40 MHz MCS 7, 4 users both, GI 1.6, polled",
            width=40,
            mcs=7,
            users=4,
            guard=1600,
            up="mu",
            mu_timer=SILENT,
        ),
        Cell(
            "20 MHz MCS 5, 4 users both, TXOP 4.8 ms",
            width=20,
            mcs=5,
            users=4,
            payload=1000,
            txop=4800,
            forced=True,
            up="mu",
            poll=False,
            reports=True,
            mu_timer=SILENT,
        ),
    ]


CELLS = [*magrin(), *eight_users(), *spread()]


def legacy(octets: int, rate: int) -> float:
    """Return the duration of a frame at a rate of 802.11a [µs]."""
    return 20 + 4 * math.ceil((22 + 8 * octets) / (4 * rate))


@dataclass(frozen=True)
class Airtimes:
    """Durations of the frames of a cell [µs]."""

    cell: Cell
    by_ns3: bool

    @property
    def served(self) -> int:
        """Number of stations in a PPDU: the most equal units that are not more than the stations."""
        most = min(self.cell.users, self.cell.per_ppdu or self.cell.users)
        return max(count for count in LAYOUTS[self.cell.width] if count <= most)

    @property
    def up_guard(self) -> float:
        """Guard interval of trigger-based PPDUs [µs]."""
        return max(1.6, self.cell.guard / 1000)

    def training(self, guard: float) -> float:
        """Duration of the HE-LTFs; ns-3's have 8 µs each."""
        each = 8.0 if self.by_ns3 else {0.8: 7.2, 1.6: 8.0, 3.2: 16.0}[guard]
        return each * {1: 1, 2: 2}[self.cell.streams]

    def symbols(self, octets: int, guard: float, mcs: int, units: int) -> float:
        """Duration of the data field in one of `units` equal units, or in the whole channel."""
        bits = LAYOUTS[self.cell.width][units] * BITS[mcs] * self.cell.streams
        return (12.8 + guard) * math.ceil(round((22 + 8 * octets) / bits, 9))

    def sig_b(self) -> float:
        """Duration of HE-SIG-B: common field and users of the content channel with more of them."""
        channels = min(2, self.cell.width // 20)
        users = math.ceil(self.served / channels)
        allocations = max(1, self.cell.width // 40)
        common = 10 + 8 * allocations + int(allocations > 1)
        bits = common + 52 * (users // 2) + 31 * (users % 2)
        return 4.0 * math.ceil(bits / (52 * BITS[min(5, self.cell.mcs)]))

    def single(self, octets: int) -> float:
        """Duration of a single-user PPDU."""
        guard = self.cell.guard / 1000
        return 36 + self.training(guard) + self.symbols(octets, guard, self.cell.mcs, 1)

    def multi(self, octets: int) -> float:
        """Duration of a downlink PPDU with `octets` for each station."""
        guard = self.cell.guard / 1000
        data = self.symbols(octets, guard, self.cell.mcs, self.served)
        return 36 + self.sig_b() + self.training(guard) + data

    def triggered(self, octets: int, mcs: int) -> float:
        """Duration of a trigger-based PPDU with `octets` of each station."""
        data = self.symbols(octets, self.up_guard, mcs, self.served)
        return 40 + self.training(self.up_guard) + data

    def acknowledgement(self) -> float:
        """Time from the end of a downlink PPDU to the end of its last block ack."""
        octets = 32 if self.cell.window <= SHORT_WINDOW else 56
        served, ack = self.served, legacy(octets, HIGH)
        if self.cell.down == "su":
            return SIFS + ack
        if self.cell.ack == "bar":
            return SIFS + ack + (served - 1) * (2 * SIFS + legacy(24, HIGH) + ack)
        octets += 0 if self.by_ns3 else DELIMITER
        together = SIFS + self.triggered(octets, min(5, self.cell.mcs))
        if self.cell.ack == "mu-bar":
            together += SIFS + legacy(30 + 9 * served, HIGH)
        return together


def aggregate(cell: Cell, mpdus: int) -> int:
    """Return the octets of an A-MPDU; each subframe except the last is padded to a multiple of four."""
    subframe = DELIMITER + MAC_OCTETS + cell.payload
    return (mpdus - 1) * (subframe + -subframe % 4) + subframe


def down_exchange(cell: Cell, air: Airtimes) -> tuple[float, int]:
    """Return the duration of a downlink exchange, CF-End included, and the MPDUs of each station."""
    longest = min(LONGEST_PPDU, cell.txop - air.acknowledgement() if cell.txop else LONGEST_PPDU)

    def duration(mpdus: int) -> float:
        octets = aggregate(cell, mpdus)
        if cell.down == "su":
            return air.single(octets)
        if cell.ack == "aggregated-mu-bar":
            octets += -octets % 4 + DELIMITER + 39
        return air.multi(octets)

    fitting = (
        count
        for count in range(1, cell.window + 1)
        if aggregate(cell, count) <= cell.max_octets and duration(count) <= longest
    )
    mpdus = max(fitting)
    took = duration(mpdus) + air.acknowledgement()
    return took + cf_end(cell, air, took), mpdus


def cf_end(cell: Cell, air: Airtimes, took: float) -> float:
    """Return the time of a CF-End, which ns-3 sends if the rest of the TXOP is long enough."""
    end = legacy(20, LOW)
    return SIFS + end if air.by_ns3 and cell.txop - took - SIFS > end else 0.0


def up_exchange(cell: Cell, air: Airtimes) -> tuple[float, int]:
    """Return the duration of Basic trigger, data and block ack, and the MPDUs of each station."""
    fixed = 2 * SIFS + legacy(30 + 6 * air.served, LOW) + legacy(22 + 2 * air.served, HIGH)
    longest = min(LONGEST_PPDU, cell.txop - fixed if cell.txop else LONGEST_PPDU)
    symbol, preamble = 12.8 + air.up_guard, air.triggered(0, cell.mcs) - 12.8 - air.up_guard
    data = preamble + symbol * math.floor((longest - preamble) / symbol)
    mpdus = max(
        count
        for count in range(1, cell.window + 1)
        if air.triggered(aggregate(cell, count), cell.mcs) <= data
    )
    return fixed + data + cf_end(cell, air, fixed + data), mpdus


def poll(cell: Cell, air: Airtimes) -> float:
    """Return the duration of a BSRP trigger and the buffer reports."""
    return legacy(30 + 5 * air.served, LOW) + SIFS + air.triggered(34, cell.mcs)


def expected(cell: Cell, *, by_ns3: bool = True) -> tuple[float, float] | None:
    """Return the goodput down and up [Mb/s]; None where chance or several kinds of PPDU decide."""
    filled = cell.txop and not cell.forced and cell.down == "mu"
    if cell.contends or filled or (by_ns3 and not cell.mended) or cell.ask:
        return None
    air = Airtimes(cell, by_ns3)
    stations = air.served if cell.down != "su" else 1
    octets = 8 * cell.payload
    if cell.up == "off":
        took, mpdus = down_exchange(cell, air)
        return stations * mpdus * octets / (took + ACCESS), 0.0
    up_took, up_mpdus = up_exchange(cell, air)
    if cell.down == "off":
        # Access is requested at multiples of the interval, and the back-off ends before them.
        cycle = cell.interval * math.ceil((up_took + ACCESS) / cell.interval)
        return 0.0, air.served * up_mpdus * octets / cycle
    took, mpdus = down_exchange(cell, air)
    cycle = took + up_took + 2 * ACCESS + (poll(cell, air) + ACCESS if cell.poll else 0.0)
    return stations * mpdus * octets / cycle, air.served * up_mpdus * octets / cycle

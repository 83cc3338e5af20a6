"""Checks of saturated cells with A-MPDUs against Bianchi's model, in which a frame carries K MPDUs.

An exchange consists of the PPDU of K MPDUs, a SIFS and the `BlockAck`, or an ACK for a single MPDU. A
collision destroys all MPDUs, and the same aggregate is sent again. So the model changes in two points only:
AIFS replaces DIFS, and each success delivers K packets. EDCA counts a slot at its start, so the form is
Bianchi's own [bianchi-2000 eq. 13], without the extra slot that the countdown of the DCF gives to the last
sender.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from . import cells, theory
from .cells import FIFO, PACKET, PAYLOAD, WIRE_QUEUE
from .plan import Check
from .theory import DOT11A, LLC_SNAP_OCTETS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from airfair import Result, Scenario

TOLERANCE = 0.015
REPLICATIONS = 8
FRAMES = {1: 12_000, 2: 24_000, 5: 14_000, 10: 20_000, 20: 24_000, 50: 40_000}
"""Number of PPDUs that arrive in all replications of a cell, by number of stations."""
MPDU = PACKET + LLC_SNAP_OCTETS + 30
"""Size of an MPDU [octets], with a QoS data header (26) and FCS (4).  [80211-2020 §9.3.2.1]"""
BLOCK_ACK_OCTETS = 32
"""Size of a compressed `BlockAck` for a window of 64.  [80211-2020 §9.3.1.8.2]"""
AIFSN = 3
"""AIFSN of best effort.  [80211-2020 Table 9-155]"""


CODE_BITS = (
    (648, 648, 912, 1_296),
    (1_296, 1_296, 1_464, 1_944),
    (1_944, 1_944, 0, 1_944),
    (2_592, 2_592, 2_916, 3_888),
)
"""Rows of the total length of codewords: the most bits in all symbols, the length, the number of spare bits
from which the length is another, divided by 1 - R, and that other length.  [80211-2020 Table 19-16]"""


@dataclass(frozen=True)
class Ldpc:
    """LDPC coding of HE."""

    segment: int
    """Coded bits of a quarter of a symbol."""
    coded: int
    """Coded bits of a symbol."""
    coding: Fraction

    def needs_a_symbol(self, bits: int, per_symbol: int) -> bool:
        """True if a symbol is added, because the data leave too little room for parity bits.

        If the data do not fill the last symbol, one more segment of it is used, which costs no time.
        [80211-2020 §19.3.11.7.5], [80211ax-2021 §27.3.12.5]
        """
        rest = bits % per_symbol
        if 0 < rest <= 3 * int(self.segment * self.coding):
            return False
        symbols = math.ceil(bits / per_symbol)
        payload, available = symbols * per_symbol, symbols * self.coded
        whole = self.code_bits(payload, available)
        parity = whole * (1 - self.coding)
        shortened = max(Fraction(0), whole * self.coding - payload)
        punctured = max(Fraction(0), whole - available - shortened)
        few = shortened < Fraction(6, 5) * punctured * self.coding / (1 - self.coding)
        return (punctured > parity / 10 and few) or punctured > Fraction(3, 10) * parity

    def code_bits(self, payload: int, available: int) -> int:
        """Total length of the codewords for `payload` bits in symbols with `available` bits.

        [80211-2020 Table 19-16]
        """
        spare = (available - payload) / (1 - self.coding)
        for room, short, enough, long in CODE_BITS:
            if available <= room:
                return long if spare >= enough else short
        return 1_944 * math.ceil(payload / (1_944 * self.coding))


@dataclass(frozen=True)
class Mode:
    """Mode of HT, VHT or HE at 5 GHz, with the properties of its PPDUs."""

    standard: str
    rate: str
    width: str
    bits: int
    """Data bits of a symbol."""
    symbol: float
    """Duration of a symbol [µs]."""
    preamble: float
    """Duration of the PPDU before its data field [µs]."""
    tail: int
    """Number of tail bits of BCC; 0 for LDPC."""
    most: int
    """Largest number of MPDUs in an A-MPDU, limited by the duration of a PPDU (5484 µs) or by the window."""
    control: float = 24
    """Rate of responses [Mb/s]."""
    ldpc: Ldpc | None = None

    def octets(self, mpdus: int) -> int:
        """Size of an A-MPDU [octets]: delimiters have 4, and subframes but the last are padded to 4.

        In VHT and HE a single MPDU has a delimiter too.  [80211-2020 §9.7.1, §10.12.8]
        """
        if mpdus == 1 and self.standard == "802.11n":
            return MPDU
        return (mpdus - 1) * 4 * math.ceil((4 + MPDU) / 4) + 4 + MPDU

    def airtime(self, mpdus: int) -> float:
        """Duration of a PPDU [µs].  [80211-2020 §19.4.3, §21.4.3], [80211ax-2021 §27.4.3]"""
        return self.preamble + self.symbol * self.symbols(mpdus)

    def symbols(self, mpdus: int) -> int:
        """Number of symbols of the data field, including the one that LDPC may add."""
        bits = 16 + 8 * self.octets(mpdus) + self.tail
        whole = math.ceil(bits / self.bits)
        return whole + (self.ldpc is not None and self.ldpc.needs_a_symbol(bits, self.bits))

    def exchange(self, mpdus: int) -> theory.Exchange:
        """Costs of an aggregate that is received and of one that collides."""
        data, aifs = self.airtime(mpdus), DOT11A.sifs + AIFSN * DOT11A.slot
        octets = theory.ACK_OCTETS if mpdus == 1 else BLOCK_ACK_OCTETS
        response = DOT11A.sifs + theory.ofdm_airtime(octets, self.control)
        return theory.Exchange(data + response + aifs, data + aifs)


SHORT_GUARD, LONG_GUARD = 0.8, 3.2
"""Guard intervals of HE [µs]; the long one goes with the long training field.  [D-123]"""
HE_SUBCARRIERS = {20: (234, 60), 40: (468, 120), 80: (980, 240), 160: (1_960, 492)}
"""Data subcarriers of a symbol and of a quarter symbol, by width [MHz].  [80211ax-2021 §27.3.12.5, §27.5]"""
HE_MODULATIONS = (
    (1, Fraction(1, 2), 6),
    (2, Fraction(1, 2), 12),
    (2, Fraction(3, 4), 12),
    (4, Fraction(1, 2), 24),
    (4, Fraction(3, 4), 24),
    (6, Fraction(2, 3), 24),
    (6, Fraction(3, 4), 24),
    (6, Fraction(5, 6), 24),
    (8, Fraction(3, 4), 24),
    (8, Fraction(5, 6), 24),
    (10, Fraction(3, 4), 24),
    (10, Fraction(5, 6), 24),
)
"""Bits per subcarrier, code rate and rate of responses [Mb/s], by MCS.  [80211ax-2021 §27.5]"""


def he_mode(mcs: int, width: int, guard: float = SHORT_GUARD) -> Mode:
    """HE mode with one stream, a width [MHz] and a guard interval [µs], which the training field has too.

    [80211ax-2021 §27.3.4]
    """
    bits, coding, control = HE_MODULATIONS[mcs]
    coded, segment = (bits * subcarriers for subcarriers in HE_SUBCARRIERS[width])
    training = guard + (12.8 if guard == LONG_GUARD else 6.4)
    return Mode(
        standard="802.11ax",
        rate=f"he-mcs{mcs}x1",
        width=f"{width} MHz",
        bits=int(coded * coding),
        symbol=12.8 + guard,
        preamble=36 + training,
        tail=0,
        most=64,
        control=control,
        ldpc=Ldpc(segment, coded, coding),
    )


HT = Mode("802.11n", "ht-mcs7", "20 MHz", 260, 4, 36, 6, 28)
VHT = Mode("802.11ac", "vht-mcs9x1", "80 MHz", 1_560, 4, 40, 6, 64)
HE = he_mode(11, 80)


def goodput(result: Result, flow: str = "") -> NDArray[np.float64]:
    """Throughput of IP packets of all flows whose names begin with `flow` [Mb/s], one per replication."""
    chosen = result.flows.filter(result.flows["flow"].str.starts_with(flow))
    flows = chosen["goodput_bps"].to_numpy().reshape(result.replications, -1)
    total: NDArray[np.float64] = flows.sum(axis=1) / 1e6 * PACKET / PAYLOAD
    return total


@dataclass(frozen=True)
class Saturated:
    """Cell of `n` saturated stations with aggregates of `mpdus` MPDUs, under Bianchi's assumptions."""

    mode: Mode
    mpdus: int
    n: int
    frames: int
    """Number of PPDUs that arrive in all replications."""

    def frame_rate(self) -> float:
        """PPDUs per µs by Bianchi's form."""
        return theory.classic_frame_rate(self.n, DOT11A, self.mode.exchange(self.mpdus))

    def scenario(self) -> Scenario:
        """Scenario of the cell, long enough for `frames`."""
        seconds = max(0.2, self.frames / REPLICATIONS / self.frame_rate() / 1e6)
        limit = "off" if self.mpdus == 1 else {"max_bytes": f"{self.mode.octets(self.mpdus)} B"}
        queue = {**FIFO, "packets": 128}
        return cells.scenario(
            {
                "standard": self.mode.standard,
                "band": "5 GHz",
                "width": self.mode.width,
                "aggregation": limit,
                "after_collision": "difs",
                "max_attempts": "unlimited",
                "ap": {"queue": FIFO},
            },
            {"s": {"rate": self.mode.rate, "count": self.n, "queue": queue}},
            {"up": cells.upload("s")},
            duration=f"{math.ceil(seconds * 1000)} ms",
            wire={"rate": "10 Gb/s", "queue": WIRE_QUEUE},
            replications=REPLICATIONS,
        )

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Check of the throughput of IP packets against Bianchi's form."""
        id_ = f"bianchi-aggregates/{self.mode.rate}/{self.mpdus}/n={self.n}"
        expected = self.frame_rate() * self.mpdus * PACKET * 8
        yield Check.of(id_, expected, goodput(result), TOLERANCE, "Mb/s")


CELLS = tuple(
    Saturated(mode, mpdus, n, FRAMES[n])
    for mode, mpdus, n in (
        *((mode, mode.most, n) for mode in (HT, HE) for n in FRAMES),
        *((VHT, VHT.most, n) for n in (1, 2, 10)),
        *((mode, mpdus, n) for mode in (HT, HE) for mpdus in (1, 8) for n in (1, 2, 10, 50)),
    )
)

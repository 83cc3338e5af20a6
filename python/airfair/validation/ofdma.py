"""Closed form of a saturated cell of 802.11ax whose access point serves several stations in one PPDU.

The form is that of [magrin-2021]: an access point and `users` stations contend as in Bianchi's model, and a
slot in which the access point alone transmits carries a downlink PPDU with equal units. The paper's program
has conventions that the standard lacks. `Conventions` has one field for each of them; its defaults are the
standard's, and `PAPER` gives the figures of the paper. `ofdma_cells` checks the simulator against the form
with the standard's.

Sources: [magrin-2021] D. Magrin, S. Avallone, S. Roy, M. Zorzi, "Validation of the ns-3 802.11ax OFDMA
implementation", WNS3 2021, with its public program. [80211ax-2021] for durations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .aggregates import BLOCK_ACK_OCTETS, HE_MODULATIONS, Ldpc
from .theory import DOT11A, IP_UDP_OCTETS, LLC_SNAP_OCTETS, attempt_rate, bisect, ofdm_airtime

Acknowledgement = Literal["bar", "mu-bar", "aggregated-mu-bar"]
"""Acknowledgement of a downlink PPDU: BARs in turn, a trigger after it, or triggers in it."""

LAYOUTS = {
    20: {9: 24, 4: 48, 2: 102, 1: 234},
    40: {18: 24, 8: 48, 4: 102, 2: 234, 1: 468},
    80: {37: 24, 16: 48, 8: 102, 4: 234, 2: 468, 1: 980},
    160: {74: 24, 32: 48, 16: 102, 8: 234, 4: 468, 2: 980, 1: 1_960},
}
"""Data subcarriers of each unit, by width [MHz] and number of equal units.  [80211ax-2021 §27.3.2]"""
SHORT = {24: 6, 48: 12, 102: 24, 234: 60, 468: 120, 980: 240, 1_960: 492}
"""Data subcarriers of a quarter of a symbol, by those of the unit.  [80211ax-2021 §27.3.12.5, §27.5]"""
DELIMITER_OCTETS, QOS_OCTETS, FCS_OCTETS = 4, 26, 4
SERVICE_BITS = 16
BAR_OCTETS = 24
TRIGGER_RATE = 24
"""Rate of MU-BARs, BARs and block acks outside trigger-based PPDUs [Mb/s]."""
ACK_MCS = 5
"""Highest MCS of block acks in trigger-based PPDUs, as in ns-3."""
AIFS = DOT11A.sifs + 3 * DOT11A.slot
"""AIFS of best effort [µs].  [80211-2020 Table 9-155]"""


@dataclass(frozen=True)
class Conventions:
    """Conventions of the form. The defaults are the standard's."""

    one_mpdu_short: bool = False
    """A single-user aggregate has one MPDU less than fit."""
    limit_without_response: bool = False
    """The TXOP limit holds for a single-user PPDU alone, and for a multi-user exchange with the AIFS."""
    sifs_after_single_user: bool = False
    """SIFS and a slot follow a single-user exchange, not AIFS. So they do after each collision."""
    fixed_responses: bool = False
    """Block acks in trigger-based PPDUs last 112 µs and BARs 32 µs, whatever the unit."""
    block_ack_octets: int = BLOCK_ACK_OCTETS
    bare_frames: bool = False
    """PSDUs and block acks lack the service bits, and LDPC adds no symbol."""
    training: float = 7.2
    """Duration of the HE-LTF with a guard interval of 0.8 µs [µs].  [80211ax-2021 §27.3.11.10]"""
    mu_preamble: float | None = None
    """Duration of the preamble of a multi-user PPDU [µs]; `None` computes HE-SIG-B."""
    short_trigger: bool = False
    """The MU-BAR has a delimiter but no MAC header, and 6 Mb/s; in an aggregate it lists all stations."""
    collisions_with_responses: bool = False
    """A multi-user PPDU that collides takes as long as one that is received, but only for the downlink."""
    delay_lacks_a_slot: bool = False
    """The delay lacks the last slot of AIFS."""
    answers_to_collided: bool = True
    """Stations answer an MU-BAR that follows a PPDU which has collided. The access point's window never grows
    then, and a collision lasts as long as an exchange. The PPDU must outlast those of the stations."""


STANDARD = Conventions()
PAPER = Conventions(
    one_mpdu_short=True,
    limit_without_response=True,
    sifs_after_single_user=True,
    fixed_responses=True,
    block_ack_octets=56,
    bare_frames=True,
    training=8,
    mu_preamble=64,
    short_trigger=True,
    collisions_with_responses=True,
    delay_lacks_a_slot=True,
    answers_to_collided=False,
)


@dataclass(frozen=True)
class Cell:
    """Saturated cell. The defaults are those of [magrin-2021], with a guard interval of 0.8 µs."""

    users: int
    multi_user: bool = True
    """The access point sends multi-user PPDUs, not single-user ones."""
    ack: Acknowledgement = "mu-bar"
    uplink: bool = False
    """Each station is saturated too, and contends with single-user PPDUs."""
    most_users: bool = False
    """As many stations as possible share a PPDU, even if units are left over. Else units are equal to the
    stations served, and the other stations wait."""
    width: int = 20
    mcs: int = 5
    payload: int = 1_000
    txop: float = 4_800
    """TXOP limit [µs]."""
    window: int = 64
    """Most MPDUs in an aggregate."""
    cw_min: int = 15

    @property
    def units(self) -> int:
        """Number of units in a multi-user PPDU."""
        counts = sorted(LAYOUTS[self.width])
        if self.most_users:
            return next((count for count in counts if count >= self.users), counts[-1])
        return max(count for count in counts if count <= self.users)

    @property
    def served(self) -> int:
        """Number of stations in a multi-user PPDU."""
        return min(self.users, self.units)


@dataclass(frozen=True)
class Figures:
    """Results of the form."""

    down: float
    """Goodput of the access point [Mb/s]."""
    up: float
    """Goodput of all stations [Mb/s]."""
    delay: float
    """Time between two services of a station, without the time of collisions and of uplinks [ms]."""


def figures(cell: Cell, conventions: Conventions = STANDARD) -> Figures:
    """Return the goodput and the delay of the cell.  [magrin-2021], [bianchi-2000 eq. 13]"""
    air = Airtimes(cell, conventions)
    single, multi = air.single_user(), air.multi_user()
    downlink = multi if cell.multi_user else single
    stations = cell.served if cell.multi_user else 1
    hides = conventions.answers_to_collided and cell.multi_user and cell.ack == "mu-bar"
    ap, station = attempt_rates(cell, doubles=not hides)
    silent = (1 - station) ** cell.users
    one = cell.users * station * (1 - station) ** (cell.users - 1)
    down, up, idle = ap * silent, one * (1 - ap), (1 - ap) * silent
    among_stations = (1 - ap) * (1 - silent - one)

    gap = DOT11A.sifs + DOT11A.slot if conventions.sifs_after_single_user else AIFS
    after = AIFS if cell.multi_user else gap
    collision = single.data + gap
    if conventions.collisions_with_responses and cell.multi_user:
        of_ap, of_stations = downlink.whole + AIFS, collision
    elif hides:
        of_ap = of_stations = downlink.whole + AIFS
    else:
        of_ap = of_stations = max(downlink.data, single.data) + gap
    common = idle * DOT11A.slot + among_stations * collision
    common += down * (downlink.whole + after) + up * (single.whole + gap)
    with_ap = ap * (1 - silent)
    bits = 8 * cell.payload
    slots = 1 / ap - 1 - int(conventions.delay_lacks_a_slot)
    between = downlink.whole + after + DOT11A.slot * slots
    return Figures(
        down * stations * downlink.mpdus * bits / (common + with_ap * of_ap),
        up * single.mpdus * bits / (common + with_ap * of_stations),
        cell.users / stations * between / 1_000,
    )


def attempt_rates(cell: Cell, *, doubles: bool) -> tuple[float, float]:
    """Probabilities that the access point and a station transmit in a slot.  [bianchi-2000 eq. 7]

    `doubles` is false if the access point takes each of its collisions for a success.
    """
    window = cell.cw_min + 1
    if not cell.uplink:
        return attempt_rate(0, window, DOT11A.stages), 0.0

    def of_ap(station: float) -> float:
        fails = 1 - (1 - station) ** cell.users if doubles else 0.0
        return attempt_rate(fails, window, DOT11A.stages)

    def excess(station: float) -> float:
        fails = 1 - (1 - of_ap(station)) * (1 - station) ** (cell.users - 1)
        return station - attempt_rate(fails, window, DOT11A.stages)

    station = bisect(excess, 0, 1)
    return of_ap(station), station


@dataclass(frozen=True)
class Exchange:
    """Aggregate and its acknowledgement."""

    mpdus: int
    """MPDUs for each station."""
    data: float
    """Duration of the PPDU [µs]."""
    whole: float
    """Time from its start to the end of the last block ack [µs]."""


@dataclass(frozen=True)
class Airtimes:
    """Durations of the PPDUs of a cell [µs]."""

    cell: Cell
    conventions: Conventions

    def octets(self, mpdus: int) -> int:
        """Size of an A-MPDU; each subframe but the last is padded to a multiple of four."""
        headers = IP_UDP_OCTETS + LLC_SNAP_OCTETS + QOS_OCTETS + FCS_OCTETS
        subframe = DELIMITER_OCTETS + headers + self.cell.payload
        return mpdus * subframe + (mpdus - 1) * (-subframe % 4)

    def symbols(self, octets: int, units: int, mcs: int) -> int:
        """Number of symbols of a data field with `octets` for each unit."""
        modulation, coding, _ = HE_MODULATIONS[mcs]
        subcarriers = LAYOUTS[self.cell.width][units]
        coded = modulation * subcarriers
        per_symbol = int(coded * coding)
        if self.conventions.bare_frames:
            return math.ceil(8 * octets / per_symbol)
        bits = SERVICE_BITS + 8 * octets
        ldpc = Ldpc(modulation * SHORT[subcarriers], coded, coding)
        return math.ceil(bits / per_symbol) + ldpc.needs_a_symbol(bits, per_symbol)

    def block_ack(self) -> float:
        """Duration of a block ack outside a trigger-based PPDU."""
        octets = self.conventions.block_ack_octets
        if self.conventions.bare_frames:
            return 20 + 4 * math.ceil(8 * octets / (4 * TRIGGER_RATE))
        return ofdm_airtime(octets, TRIGGER_RATE)

    def triggered(self, octets: int) -> float:
        """Duration of trigger-based PPDUs of `octets` each with a guard interval of 1.6 µs."""
        return 48 + 14.4 * self.symbols(octets, self.cell.units, min(ACK_MCS, self.cell.mcs))

    def triggered_block_ack(self) -> float:
        """Duration of a block ack in a trigger-based PPDU."""
        if self.conventions.fixed_responses:
            return 112
        return self.triggered(DELIMITER_OCTETS + self.conventions.block_ack_octets)

    def trigger(self) -> float:
        """Duration of the MU-BAR trigger."""
        if self.conventions.short_trigger:
            octets = DELIMITER_OCTETS + 10 + 9 * self.cell.served
            return 20 + 4 * math.ceil(8 * octets / (4 * 6))
        return ofdm_airtime(28 + 9 * self.cell.served, TRIGGER_RATE)

    def sig_b(self, *, is_ofdma: bool = True) -> float:
        """Duration of HE-SIG-B; without OFDMA it has no common field.  [80211ax-2021 §27.3.11.8]

        The common field has 8 bits for each 20 MHz of the content channel, a bit for the centre unit from
        80 MHz on, and 10 of check and tail. Two users have 52 bits, a last one 31. Its MCS is that of the
        data, at most 5.
        """
        channels = min(2, self.cell.width // 20)
        allocations = max(1, self.cell.width // 40)
        users = math.ceil(self.cell.served / channels)
        common = 10 + 8 * allocations + int(allocations > 1)
        bits = common * is_ofdma + 52 * (users // 2) + 31 * (users % 2)
        modulation, coding, _ = HE_MODULATIONS[min(5, self.cell.mcs)]
        return 4.0 * math.ceil(bits / (52 * modulation * coding))

    def single_user(self) -> Exchange:
        """Largest single-user exchange."""
        response = DOT11A.sifs + self.block_ack()
        spared = 0.0 if self.conventions.limit_without_response else response

        def data(mpdus: int) -> float:
            symbols = self.symbols(self.octets(mpdus), 1, self.cell.mcs)
            return 36 + self.conventions.training + 13.6 * symbols

        mpdus = self._fitting(lambda count: data(count) + spared)
        mpdus -= int(self.conventions.one_mpdu_short)
        return Exchange(mpdus, data(mpdus), data(mpdus) + response)

    def response(self) -> float:
        """Time from the end of a multi-user PPDU to the end of its last block ack."""
        sifs = DOT11A.sifs
        if self.cell.ack == "bar":
            answer = sifs + self.block_ack()
            bar = ofdm_airtime(BAR_OCTETS, TRIGGER_RATE)
            return answer + (self.cell.served - 1) * (sifs + bar + answer)
        together = sifs + self.triggered_block_ack()
        return together + (sifs + self.trigger() if self.cell.ack == "mu-bar" else 0)

    def carried(self, mpdus: int) -> int:
        """Size of the A-MPDU for a station in a multi-user PPDU, with an MU-BAR if that is in it."""
        octets = self.octets(mpdus)
        if self.cell.ack != "aggregated-mu-bar":
            return octets
        trigger = 10 + 9 * self.cell.served if self.conventions.short_trigger else 28 + 9
        return octets + -octets % 4 + DELIMITER_OCTETS + trigger

    def multi_user(self) -> Exchange:
        """Largest multi-user exchange."""
        response = self.response()
        preamble = self.conventions.mu_preamble
        if preamble is None:
            preamble = 36 + self.sig_b() + self.conventions.training
        spared = AIFS - DOT11A.slot if self.conventions.limit_without_response else 0.0

        def data(mpdus: int) -> float:
            return preamble + 13.6 * self.symbols(
                self.carried(mpdus), self.cell.units, self.cell.mcs
            )

        mpdus = self._fitting(lambda count: data(count) + response + spared)
        return Exchange(mpdus, data(mpdus), data(mpdus) + response)

    def _fitting(self, duration: Callable[[int], float]) -> int:
        counts = range(1, self.cell.window + 1)
        return max(count for count in counts if duration(count) <= self.cell.txop)

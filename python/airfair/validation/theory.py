"""Closed forms for simulated cells, computed from the numbers of the standard alone.

This module uses no code of the simulator. Durations are computed again, in microseconds, from the clauses of
the standard, so that a mistake in the simulator's timing does not change the expected values too.

Sources: [bianchi-2000] G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination
function", IEEE JSAC 18(3), 2000. [tinnirello-2010] I. Tinnirello, G. Bianchi, Y. Xiao, "Refinements on
IEEE 802.11 distributed coordination function modeling approaches", IEEE TVT 59(3), 2010.
[heusse-2003] M. Heusse et al., "Performance anomaly of 802.11b", INFOCOM 2003.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ACK_OCTETS = CTS_OCTETS = 14
RTS_OCTETS = 20
MAC_OCTETS = 28
"""Size of a MAC header with three addresses (24) and FCS (4).  [80211-2020 §9.3.2.1]"""
LLC_SNAP_OCTETS = 8
IP_UDP_OCTETS = 28


@dataclass(frozen=True)
class Phy:
    """Rates, gaps and windows of one amendment; times in microseconds."""

    standard: str
    slot: float
    sifs: float
    cw_min: int
    cw_max: int
    basic_rates: tuple[float, ...]
    """Rates of control frames [Mb/s], ascending."""
    airtime: Callable[[int, float], float]
    """Duration of a PPDU [µs] from its PSDU [octets] and rate [Mb/s]."""

    @property
    def difs(self) -> float:
        """Duration of the DIFS: SIFS + 2 slots.  [80211-2020 §10.3.7]"""
        return self.sifs + 2 * self.slot

    @property
    def stages(self) -> int:
        """Number of times that the window doubles until it reaches CWmax."""
        return round(math.log2((self.cw_max + 1) / (self.cw_min + 1)))

    @property
    def lowest_rate(self) -> float:
        """Rate of the ACK whose duration is part of EIFS [Mb/s].  [80211-2020 §10.3.7]"""
        return 1 if self.standard == "802.11b" else 6

    def control_rate(self, rate: float) -> float:
        """Highest basic rate that is not above `rate`.  [80211-2020 §10.6.6.5]"""
        return max(basic for basic in self.basic_rates if basic <= rate)


def dsss_airtime(psdu: int, rate: float) -> float:
    """Duration of a DSSS PPDU: long preamble and header (192 µs), PSDU in whole µs.  [80211-2020 §16.3.4]"""
    return 192 + math.ceil(round(psdu * 8 / rate, 9))


def ofdm_airtime(psdu: int, rate: float) -> float:
    """Duration of an OFDM PPDU: preamble and SIGNAL (20 µs), symbols of 4 µs.  [80211-2020 §17.4.3]"""
    return 20 + 4 * math.ceil((16 + 8 * psdu + 6) / (4 * rate))


DOT11B = Phy("802.11b", 20, 10, 31, 1023, (1, 2), dsss_airtime)
DOT11A = Phy("802.11a", 9, 16, 15, 1023, (6, 12, 24), ofdm_airtime)


@dataclass(frozen=True)
class Exchange:
    """Channel time of one frame [µs]."""

    success: float
    """Time from the start of a frame that is received to the end of the DIFS after its exchange [µs]."""
    collision: float
    """Time from the start of a frame that collides to the end of the DIFS that follows [µs]."""


def exchange(
    phy: Phy, psdu: int, rate: float, *, rts: bool = False, eifs_extra: float = 0
) -> Exchange:
    """Costs of a data frame that is received and of one that collides.  [bianchi-2000 eq. 14, 17]

    `eifs_extra` is the time after a collision in addition to DIFS: 0 in Bianchi's model, SIFS + ACK with
    EIFS.
    """
    control = phy.control_rate(rate)
    data = phy.airtime(psdu, rate)
    response = phy.sifs + phy.airtime(ACK_OCTETS, control)
    if not rts:
        return Exchange(data + response + phy.difs, data + phy.difs + eifs_extra)
    request = phy.airtime(RTS_OCTETS, control)
    clear = phy.sifs + phy.airtime(CTS_OCTETS, control) + phy.sifs
    return Exchange(request + clear + data + response + phy.difs, request + phy.difs + eifs_extra)


def bisect(f: Callable[[float], float], low: float, high: float) -> float:
    """Root of a function that changes sign once between `low` and `high`, to the last bit."""
    rising = f(high) > 0
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if (f(middle) > 0) == rising else (middle, high)
    return (low + high) / 2


def attempt_rate(p: float, window: int, stages: int) -> float:
    """Probability that a station transmits in a slot if attempts fail with `p`.  [bianchi-2000 eq. 7]"""
    doublings = sum((2 * p) ** i for i in range(stages))
    return 2 / (1 + window + p * window * doublings)


def classic_attempt_rate(n: int, window: int, stages: int) -> float:
    """Probability τ that a station transmits in a slot.  [bianchi-2000 eq. 7, 9]"""
    return bisect(lambda t: t - attempt_rate(1 - (1 - t) ** (n - 1), window, stages), 0, 1)


@dataclass(frozen=True)
class Attempts:
    """Rate at which a saturated station transmits when its countdown follows the standard."""

    common: float
    """Probability τ of a transmission in a slot that is open to every station."""
    private: float
    """Transmissions in the slot after the station's own collision, per common slot."""


def refined_attempts(n: int, window: int, stages: int) -> Attempts:
    """Attempt rates of each of `n` stations.  [tinnirello-2010 §III]

    The standard decrements a counter only after DIFS and one whole idle slot. So the slot after each
    transmission is private to those who just transmitted and drew 0: the others' counters are at least
    1. A counter b ≥ 1 waits b - 1 common slots and transmits in the next, W/2 slots on average. In stage
    i, whose window is W_i = 2^i W, a station draws 0 with probability 1/W_i; then its private attempt
    succeeds (a tie of two who collided and both drew 0 is neglected), else its common attempt collides
    with probability p = 1 - (1 - τ)^(n - 1). With q_i the probability that a frame reaches stage i:

        q_0 = 1,  q_(i+1) = q_i·a_i·p,  a_i = 1 - 1/W_i, but a_0 = 1 (0 is drawn until b ≥ 1)
        τ = Σ q_i·a_i / Σ q_i·a_i·W_i/2
    """

    def sums(tau: float) -> tuple[float, float, float]:
        p = 1 - (1 - tau) ** (n - 1)
        reach, attempts, slots, private = 1.0, 0.0, 0.0, 0.0
        for stage in range(stages + 1):
            w = window << stage
            stay = 1.0 if stage == 0 else 1 - 1 / w
            # Infinitely many retries in the last stage: a geometric series of the same terms.
            visits = reach / (1 - stay * p) if stage == stages else reach
            attempts += visits * stay
            slots += visits * stay * w / 2
            private += visits * (1 - stay)
            reach *= stay * p
        return attempts, slots, private

    def excess(tau: float) -> float:
        attempts, slots, _ = sums(tau)
        return tau - attempts / slots

    tau = bisect(excess, 0, 1)
    _, slots, private = sums(tau)
    return Attempts(tau, private / slots)


@dataclass(frozen=True)
class SlotShares:
    """Probabilities that a slot is idle, has a success or has a collision."""

    idle: float
    success: float
    collision: float


def slot_shares(n: int, tau: float) -> SlotShares:
    """Probabilities that none, exactly one or several of `n` stations transmit.  [bianchi-2000 eq. 10, 11]"""
    idle = (1 - tau) ** n
    success = n * tau * (1 - tau) ** (n - 1)
    return SlotShares(idle, success, max(0.0, 1 - idle - success))


def classic_frame_rate(n: int, phy: Phy, cost: Exchange) -> float:
    """Frames per µs of `n` saturated stations, in Bianchi's own form.  [bianchi-2000 eq. 13]"""
    share = slot_shares(n, classic_attempt_rate(n, phy.cw_min + 1, phy.stages))
    time = share.idle * phy.slot + share.success * cost.success + share.collision * cost.collision
    return share.success / time


def ns3_ax_frame_rate(n: int, bits: int, control: float, *, more: int = 0) -> float:
    """Frames per µs by the form of ns-3's `wifi-bianchi` for 802.11ax; a symbol has `bits` data bits.

    An additional slot follows a success but not a collision, the preamble lasts 44 µs, and the PSDU has no
    delimiter. `more` is a number of symbols to add to the form.  [ns3-bianchi]
    """
    psdu = 1_500 + LLC_SNAP_OCTETS + 30
    data = 44 + 13.6 * (math.ceil((16 + 8 * psdu + 6) / bits) + more)
    response = DOT11A.sifs + ofdm_airtime(ACK_OCTETS, control)
    cost = Exchange(data + response + DOT11A.difs + DOT11A.slot, data + DOT11A.difs)
    return classic_frame_rate(n, DOT11A, cost)


def refined_frame_rate(n: int, phy: Phy, cost: Exchange) -> float:
    """Frames per µs of `n` saturated stations whose countdown follows the standard.

    B0 = 1/(CWmin + 1) is the probability to draw 0 and to continue at once. So a success is a run of
    1/(1 - B0) frames on average. No other station can use the slot after a run or a collision:

        Ts' = Ts/(1 - B0) + σ,  E[P]' = E[P]/(1 - B0),  Tc' = Tc + σ

    In addition, a private attempt after a collision may start a run, which costs no further slot.
    For n = 1 the form is exact: each frame takes Ts and CWmin/2 slots.  [tinnirello-2010 §III]
    """
    return mixed_rate_frame_rate([cost] * n, phy) * n


def mixed_rate_frame_rate(costs: Sequence[Exchange], phy: Phy) -> float:
    """Frames per µs of *each* of several saturated stations whose exchanges differ in length.

    All stations have the same chance of the channel, regardless of their rates. A collision lasts as long as
    its longest frame.
    """
    n = len(costs)
    attempts = refined_attempts(n, phy.cw_min + 1, phy.stages)
    tau = attempts.common
    share = slot_shares(n, tau)
    repeat = 1 / (1 - 1 / (phy.cw_min + 1))
    run = repeat * sum(cost.success for cost in costs) / n
    # In ascending order, entry i is the longest of a collision if it and one before it take part.
    collisions = sum(
        tau * (1 - tau) ** (n - 1 - i) * (1 - (1 - tau) ** i) * (cost + phy.slot)
        for i, cost in enumerate(sorted(cost.collision for cost in costs))
    )
    private = n * attempts.private
    time = share.idle * phy.slot + share.success * (run + phy.slot) + collisions + private * run
    return (share.success + private) * repeat / time / n


def heusse_frame_rate(n: int, phy: Phy, psdu: int, fast: float, slow: float) -> float:
    """Frames per µs of each of `n` stations, one of them slow, in closed form.  [heusse-2003 eq. 1 to 9]

    The form has two approximations. All stations contend with CWmin even after collisions, with t_cont(N) =
    SLOT·(1 + P_c(N))/(2N)·CWmin/2 and P_c(N) = 1 − (1 − 1/CWmin)^(N−1). A collision has two frames.
    """
    collide = 1 - (1 - 1 / phy.cw_min) ** (n - 1)
    contention = phy.slot * (1 + collide) / (2 * n) * phy.cw_min / 2
    t_fast = exchange(phy, psdu, fast).success + contention
    t_slow = exchange(phy, psdu, slow).success + contention
    jam = 2 / n * t_slow + (1 - 2 / n) * t_fast
    return 1 / ((n - 1) * t_fast + t_slow + collide * jam * n)

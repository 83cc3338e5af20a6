"""Tests that closed forms give published values, and that durations are those of the standard."""

from __future__ import annotations

import pytest

from airfair.validation import theory
from airfair.validation.aggregates import he_mode
from airfair.validation.published import NS3_AX, NS3_AX_STATIONS, NS3_TABLES
from airfair.validation.theory import DOT11A, DOT11B, Exchange, Phy


def test_durations_are_those_of_the_standard() -> None:
    # 1536·8 = 12 288 bits: 192 + 12 288, 6 144, ⌈2 234.2⌉, ⌈1 117.1⌉ µs
    assert [DOT11B.airtime(1536, rate) for rate in (1, 2, 5.5, 11)] == [12_480, 6_336, 2_427, 1_310]
    # 22 + 12 288 bits, /24, /96, /216 per symbol: 513, 129, 57 symbols of 4 µs, + 20
    assert [DOT11A.airtime(1536, rate) for rate in (6, 24, 54)] == [2_072, 536, 248]
    assert [DOT11B.airtime(14, DOT11B.control_rate(rate)) for rate in (1, 11)] == [304, 248]
    assert (DOT11B.difs, DOT11A.difs, DOT11B.stages, DOT11A.stages) == (50, 34, 5, 6)


def test_an_exchange_adds_up() -> None:
    # 1310 + 10 + 248 + 50; 1310 + 50
    assert theory.exchange(DOT11B, 1536, 11) == Exchange(1618, 1360)
    # RTS 192 + 80, CTS 248: 272 + 10 + 248 + 10 + 1618; 272 + 50
    assert theory.exchange(DOT11B, 1536, 11, rts=True) == Exchange(2158, 322)


# [bianchi-2000 table II]: 1 Mb/s, slot 50, SIFS 28, DIFS 128, propagation 1 µs; Ts and Tc in µs
FHSS_COSTS = {False: Exchange(8982, 8713), True: Exchange(9568, 417)}


BIANCHI_2000: dict[tuple[bool, int, int], dict[int, float]] = {
    (False, 32, 3): {5: 0.8097, 10: 0.7532, 20: 0.6788, 30: 0.6273, 50: 0.5529},
    (False, 32, 5): {5: 0.8102, 10: 0.7579, 20: 0.6975, 30: 0.6603, 50: 0.6109},
    (False, 128, 3): {5: 0.8250, 10: 0.8263, 20: 0.7981, 30: 0.7702, 50: 0.7252},
    (True, 32, 3): {5: 0.8342, 10: 0.8371, 20: 0.8356, 30: 0.8329, 50: 0.8270},
    (True, 32, 5): {5: 0.8342, 10: 0.8370, 20: 0.8362, 30: 0.8346, 50: 0.8317},
    (True, 128, 3): {5: 0.7979, 10: 0.8217, 20: 0.8327, 30: 0.8355, 50: 0.8363},
}
"""Normalised throughput by (RTS/CTS, window, stages) and number of stations, with the FHSS parameters of
[bianchi-2000 table II]."""


@pytest.mark.parametrize(("access", "window", "stages"), BIANCHI_2000)
def test_the_classic_form_gives_bianchis_own_table(access: bool, window: int, stages: int) -> None:  # noqa: FBT001
    cw_max = window * 2**stages - 1
    phy = Phy("FHSS", 50, 28, window - 1, cw_max, (1,), theory.dsss_airtime)
    for n, published in BIANCHI_2000[access, window, stages].items():
        throughput = 8184 * theory.classic_frame_rate(n, phy, FHSS_COSTS[access])
        assert throughput == pytest.approx(published, abs=1e-4)


def test_the_classic_fixed_point_is_bianchis() -> None:
    for n, tau, p in ((5, 0.04816, 0.17918), (10, 0.03869, 0.29888), (50, 0.01900, 0.60943)):
        solved = theory.classic_attempt_rate(n, 32, 3)
        assert solved == pytest.approx(tau, abs=1e-5)
        assert 1 - (1 - solved) ** (n - 1) == pytest.approx(p, abs=1e-5)


def half_refined_frame_rate(n: int, phy: Phy, cost: Exchange) -> float:
    """Frames per µs by the form of ns-3's `wifi-bianchi`: Bianchi's τ, with successes that may repeat."""
    share = theory.slot_shares(n, theory.classic_attempt_rate(n, phy.cw_min + 1, phy.stages))
    repeat = 1 / (1 - 1 / (phy.cw_min + 1))
    success = cost.success * repeat + phy.slot
    time = share.idle * phy.slot + share.success * success + share.collision * cost.collision
    return share.success * repeat / time


@pytest.mark.parametrize(("standard", "rate"), NS3_TABLES)
def test_the_form_of_ns_3_gives_its_tables(standard: str, rate: float) -> None:
    phy = DOT11B if standard == "802.11b" else DOT11A
    # In ns-3's EIFS the ACK has the control rate of the data frame.
    ack = phy.sifs + phy.airtime(14, phy.control_rate(rate))
    for n, published in NS3_TABLES[standard, rate].items():
        for extra, expected in ((ack, published.eifs), (0, published.difs)):
            cost = theory.exchange(phy, 1536, rate, eifs_extra=extra)
            throughput = 12_000 * half_refined_frame_rate(n, phy, cost)
            # ns-3 finds τ on a grid of 10 000 points.
            assert throughput == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("width", NS3_AX)
def test_the_form_of_ns_3_gives_its_tables_of_ax(width: int) -> None:
    for mcs, row in enumerate(NS3_AX[width]):
        mode = he_mode(mcs, width)
        for n, published in zip(NS3_AX_STATIONS, row, strict=True):
            throughput = 12_000 * theory.ns3_ax_frame_rate(n, mode.bits, mode.control)
            # ns-3 finds τ on a grid of 100 000 points.
            assert throughput == pytest.approx(published, rel=1e-4)


@pytest.mark.parametrize("phy", [DOT11B, DOT11A])
def test_with_one_station_the_refined_form_is_exact(phy: Phy) -> None:
    # Each frame costs its exchange and CWmin/2 slots on average.
    cost = theory.exchange(phy, 1536, 6 if phy is DOT11A else 11)
    frame = cost.success + phy.cw_min / 2 * phy.slot
    assert theory.refined_frame_rate(1, phy, cost) == pytest.approx(1 / frame, rel=1e-12)


def test_refined_and_classic_forms_stay_within_a_few_percent() -> None:
    for n in (2, 5, 10, 20, 50):
        cost = theory.exchange(DOT11B, 1536, 11)
        refined = theory.refined_frame_rate(n, DOT11B, cost)
        assert refined == pytest.approx(theory.classic_frame_rate(n, DOT11B, cost), rel=0.02)


def test_equal_rates_are_a_special_case_of_mixed_ones() -> None:
    cost = theory.exchange(DOT11B, 1536, 11)
    each = theory.mixed_rate_frame_rate([cost] * 7, DOT11B)
    assert 7 * each == pytest.approx(theory.refined_frame_rate(7, DOT11B, cost))


@pytest.mark.parametrize(("n", "difference"), [(2, 0.0073), (5, -0.0156), (10, -0.0624)])
def test_heusses_approximation_costs_what_its_tolerance_says(n: int, difference: float) -> None:
    costs = [theory.exchange(DOT11B, 1536, rate) for rate in (*[11.0] * (n - 1), 1.0)]
    closed = theory.heusse_frame_rate(n, DOT11B, 1536, 11, 1)
    assert closed / theory.mixed_rate_frame_rate(costs, DOT11B) - 1 == pytest.approx(
        difference, abs=2e-3
    )


def test_bisection_finds_falling_and_rising_roots() -> None:
    assert theory.bisect(lambda x: x * x - 2, 0, 2) == pytest.approx(2**0.5, rel=1e-15)
    assert theory.bisect(lambda x: 2 - x * x, 0, 2) == pytest.approx(2**0.5, rel=1e-15)

"""Tests of the theory of radio, noise, hidden stations and airtime against numbers worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from airfair.validation import hidden, noise, occupancy, propagation
from airfair.validation.hidden import Pair
from airfair.validation.propagation import Range
from airfair.validation.theory import DOT11A, DOT11B


def test_free_space_costs_what_friis_says() -> None:
    # λ = 299.792/2400 = 0.124914 m; λ/4π = 9.94031 mm; 10^(80/20) = 10 000
    assert propagation.friis_distance(80, 2.4e9) == pytest.approx(99.4031, rel=1e-5)
    assert propagation.friis_distance(86, 2.4e9) == pytest.approx(99.4031 * 1.995262, rel=1e-5)


def test_over_ground_40_dB_are_ten_times_as_far_beyond_the_crossover() -> None:  # noqa: N802
    # Crossover: 4π·2.25/λ = 28.2743/0.124914 = 226.35 m. A loss of 80 dB is nearer, 120 dB is at 1.5·1000 m.
    low = (1.5, 1.5)
    assert propagation.two_ray_distance(80, 2.4e9, low) == pytest.approx(99.4031, rel=1e-5)
    assert propagation.two_ray_distance(120, 2.4e9, low) == pytest.approx(1_500)
    assert propagation.two_ray_distance(160, 2.4e9, (9.0, 0.25)) == pytest.approx(15_000)
    # both laws meet: 20·log10(226.35/0.00994031) = 87.147 dB
    for side in (87.146, 87.148):
        assert propagation.two_ray_distance(side, 2.4e9, low) == pytest.approx(226.35, rel=1e-3)


def test_the_tolerance_of_a_range_is_that_of_the_roundings() -> None:
    free, ground = propagation.RANGES[0], propagation.RANGES[-1]
    # 0.0005 dB: 0.0005·ln(10)/20 = 5.756e-5, over ground half of it; 1 mm of 617.7 and of 3552 m
    assert free.tolerance == pytest.approx(5.756e-5 + 1.62e-6, rel=1e-3)
    assert ground.tolerance == pytest.approx(2.878e-5 + 2.8e-7, rel=1e-2)


def test_a_range_that_is_not_between_its_bounds_fails() -> None:
    wrong = Range("wrong", "802.11b", 11, 20, 0.2437)
    assert math.isnan(Shortened(**vars(wrong)).measured())


class Shortened(Range):
    """Range of a radio that receives nothing."""

    def reaches(self, distance: float) -> bool:
        """Return False for each possible distance."""
        return distance < 0


def test_the_weights_of_the_code_are_the_published_ones() -> None:
    # Information weights of 133 and 171 octal from distance 10 on, odd ones empty
    published = [36, 211, 1_404, 11_633, 77_433, 502_690, 3_322_763]
    assert noise.path_weights() == dict(zip(range(10, 23, 2), published, strict=True))


def test_bit_errors_are_the_textbooks() -> None:
    # Eb/N0 = 22·0.4 = 8.8: ½·e^-8.8
    assert noise.dbpsk_bit_error(0.4) == pytest.approx(7.537e-5, rel=1e-4)
    # p = ½·erfc(√2.7055) = 0.0100; D² = 4·0.01·0.99 = 0.0396:
    # ½(36·0.0396⁵ + 211·0.0396⁶ + 1404·0.0396⁷ + 11633·0.0396⁸ + …) = 2.3144e-6
    assert noise.coded_bpsk_bit_error(2.70594) == pytest.approx(2.3144e-6, rel=1e-3)
    assert noise.coded_bpsk_bit_error(0) == 0.5


def test_a_frame_is_lost_by_any_of_its_bits() -> None:
    # 0.4 = -3.9794 dB: 48 + 8·100 bits: 1 - (1 - 7.537e-5)^848
    decibels = 10 * math.log10(0.4)
    assert noise.frame_error(DOT11B, 100, decibels) == pytest.approx(0.061917, rel=1e-4)
    # 24 + 16 + 800 + 6 bits at 2.3144e-6
    decibels = 10 * math.log10(2.70594)
    assert noise.frame_error(DOT11A, 100, decibels) == pytest.approx(1.9561e-3, rel=2e-3)


def test_a_share_may_be_off_by_four_standard_errors() -> None:
    # √(0.5·0.5/10 000) = 0.005
    check = noise.share("x", 0.5, 5_199, 10_000)
    assert check.tolerance == pytest.approx(0.04)
    assert check.passed
    assert not noise.share("x", 0.5, 5_201, 10_000).passed


def test_who_always_starts_together_always_fails() -> None:
    assert hidden.failed_share(Pair(DOT11B, 11, 0, 0, 1), 100, 1) == 1
    # Back-offs differ by a slot at most. Frames of 1310 µs outlast a slot, and so does an RTS of 28 µs.
    assert hidden.failed_share(Pair(DOT11B, 11, 1, 1, 1), 100, 1) == 1
    assert hidden.failed_share(Pair(DOT11A, 54, 1, 1, 1, rts=True), 100, 1) == 1


def test_the_first_attempt_fails_if_the_rivals_begins_within_its_frame() -> None:
    # 1310 µs are 65.5 slots, so both frames fail if the back-offs differ by 65 slots or less:
    # (256 + 2·Σ(256 - k), k = 1 … 65)/256² = (256 + 2·14 495)/65 536 = 0.44626
    n = 6_000
    pair = Pair(DOT11B, 11, 255, 255, 1)
    failed = sum(hidden.failed_share(pair, 1, seed) for seed in range(n))
    assert abs(failed / n - 0.44626) < 4 * math.sqrt(0.44626 * 0.55374 / n)


def test_rts_and_wider_windows_help_and_names_are_distinct() -> None:
    shares = {pair.id: hidden.failed_share(pair, 4_000, 1) for pair in hidden.PAIRS}
    assert len(shares) == len(hidden.PAIRS)
    assert (
        shares["802.11b/rts/11-cw-255-1-attempt"] < shares["802.11b/basic/11-cw-255-1-attempt"] / 2
    )
    assert (
        shares["802.11a/rts/54-cw-127-1-attempt"] < shares["802.11a/basic/54-cw-127-1-attempt"] / 2
    )


def test_the_margin_is_that_of_students_t() -> None:
    # variances 1 and 1 of 2 samples each: √(½ + ½) = 1 by t(2 degrees, 99.95 %) = 31.599
    a, b = np.array([0.0, math.sqrt(2)]), np.array([5.0, 5.0 + math.sqrt(2)])
    assert hidden.margin(a, b) == pytest.approx(31.599, rel=1e-4)


def test_a_station_measures_its_airtime_and_the_sifs_in_between() -> None:
    # 11 Mb/s: ACKs of 248 µs; 0.248 of the time are 1000 of them a second, each with a SIFS of 10 µs
    basic, rts = (occupancy.OccupancyCell(DOT11B, (11,), "u", rts) for rts in (False, True))
    assert basic.expected(11, 0.5, 0.248) == pytest.approx(0.51)
    # RTS 272 and CTS 248 as well: 0.768 for 1000 exchanges, three SIFS each
    assert rts.expected(11, 0.9, 0.768) == pytest.approx(0.93)
    # 1536 octets 1310 µs, SIFS 10, ACK 248
    assert basic.edge(11) == pytest.approx(1_568e-6)

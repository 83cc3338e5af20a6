"""Durations of aggregates, by hand."""

from __future__ import annotations

import pytest

from airfair.validate.aggregates import HE, HT, MPDU, VHT


def test_an_mpdu_of_1500_octets_of_ip_has_1538() -> None:
    assert MPDU == 1_538


def test_subframes_have_delimiters_and_are_filled_but_for_the_last() -> None:
    # 4 + 1538 = 1542, filled 1544
    assert [HT.octets(k) for k in (1, 2, 28)] == [1_538, 3_086, 27 * 1_544 + 1_542]
    assert [HE.octets(k) for k in (1, 2)] == [1_542, 3_086]


def test_the_largest_of_ht_lasts_almost_as_long_as_a_ppdu_may() -> None:
    # 43 230 octets: 345 862 bits in 1331 symbols; one MPDU more: 358 214 bits in 1378, 5548 µs
    assert (HT.airtime(28), HT.airtime(29)) == (36 + 4 * 1_331, 5_548)


def test_of_vht_and_he_the_window_is_the_limit() -> None:
    # 98 814 octets: 790 534 bits of 1560: 507 symbols; 790 528 of 8166: 97 of 13.6 µs
    assert VHT.airtime(64) == 40 + 4 * 507
    assert HE.airtime(64) == pytest.approx(43.2 + 13.6 * 97)

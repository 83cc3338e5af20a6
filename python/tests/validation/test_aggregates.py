"""Tests of the durations of aggregates against values worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from airfair.validation.aggregates import HE, HT, MPDU, VHT, Ldpc, he_mode


def test_an_mpdu_of_1500_octets_of_ip_has_1538() -> None:
    assert MPDU == 1_538


def test_subframes_have_delimiters_and_are_filled_but_for_the_last() -> None:
    # 4 + 1538 = 1542 octets, padded to 1544
    assert [HT.octets(k) for k in (1, 2, 28)] == [1_538, 3_086, 27 * 1_544 + 1_542]
    assert [HE.octets(k) for k in (1, 2)] == [1_542, 3_086]


def test_the_largest_of_ht_lasts_almost_as_long_as_a_ppdu_may() -> None:
    # 43 230 octets: 345 862 bits in 1331 symbols; one MPDU more: 358 214 bits in 1378, 5548 µs
    assert (HT.airtime(28), HT.airtime(29)) == (36 + 4 * 1_331, 5_548)


def test_of_vht_and_he_the_window_is_the_limit() -> None:
    # 98 814 octets: 790 534 bits of 1560: 507 symbols; 790 528 of 8166: 97 of 13.6 µs
    assert VHT.airtime(64) == 40 + 4 * 507
    assert HE.airtime(64) == pytest.approx(43.2 + 13.6 * 97)


def test_the_preamble_of_he_has_the_training_field_of_its_guard_interval() -> None:
    # 20 + 4 + 8 + 4 and 6.4 + 0.8, 6.4 + 1.6 or 12.8 + 3.2
    assert [he_mode(0, 20, guard).preamble for guard in (0.8, 1.6, 3.2)] == pytest.approx(
        [43.2, 44, 52]
    )


def test_ldpc_takes_a_symbol_more_where_the_data_nearly_fills_its_own() -> None:
    # MCS 9 at 80 MHz: 6533 bits, 12 352 are 1.9 symbols, all four quarters of the second. Two have 15 680
    # coded bits; 13 066 of data are 9 codewords of 1944, of which 1514 bits are shortened and
    # 17 496 - 15 680 - 1514 = 302 are punctured: more than a tenth of 2916, and 1514 < 1.2·302·5.
    assert he_mode(9, 80).symbols(1) == 3
    # MCS 10: 7350 bits, 12 352 are 1.7 symbols, three quarters of the second.
    assert he_mode(10, 80).symbols(1) == 2


def test_ldpc_takes_shorter_codewords_for_short_frames() -> None:
    # 304 bits in one symbol of 102 subcarriers at MCS 5: 408 bits of data and 612 in all. With 648 and not
    # 1296, since 204 · 3 < 912: 24 bits are shortened, and 12 of 216 parity bits punctured, not a tenth.
    ldpc = Ldpc(144, 612, Fraction(2, 3))
    assert ldpc.code_bits(408, 612) == 648
    assert not ldpc.needs_a_symbol(304, 408)
    assert ldpc.code_bits(100, 612) == 1_296

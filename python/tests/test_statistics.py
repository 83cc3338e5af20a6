"""Tests of statistics against numbers worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from airfair import statistics

shares = st.lists(st.floats(0, 1e200, allow_nan=False), min_size=1, max_size=50)


def test_the_interval_of_three_samples() -> None:
    # 1, 2, 3: s = 1, t(2 degrees of freedom, 97.5 %) = 4.302653; 4.302653 / √3 = 2.484138
    assert statistics.mean([1, 2, 3]) == 2
    assert statistics.half_width([1, 2, 3]) == pytest.approx(2.4841377, abs=1e-6)


def test_the_interval_of_ten_samples() -> None:
    # 1 to 10: s² = 82.5 / 9, t(9) = 2.262157; 2.262157 · 3.027650 / √10 = 2.165851
    assert statistics.half_width(list(range(1, 11))) == pytest.approx(2.165851, abs=1e-5)


def test_students_quantile_is_that_of_scipy() -> None:
    """Verifies: [abramowitz-1964 26.7.3, 26.7.4]."""
    for freedom in (*range(1, 200), 1000, 9999, 20_000):
        expected = stdtrit(freedom, 0.975)
        assert statistics.student_quantile(freedom) == pytest.approx(expected, rel=1e-10)


def test_equal_samples_leave_no_doubt() -> None:
    assert statistics.half_width([5.0, 5.0, 5.0]) == 0


def test_one_sample_has_a_mean_and_no_interval() -> None:
    assert statistics.mean([7.5]) == 7.5
    assert statistics.half_width([7.5]) is None


def test_no_samples_have_neither() -> None:
    assert statistics.mean([]) is None
    assert statistics.half_width([]) is None


def test_jain_of_one_two_three() -> None:
    # (1 + 2 + 3)² / (3 · (1 + 4 + 9)) = 36 / 42
    assert statistics.jain([1, 2, 3]) == pytest.approx(36 / 42)


def test_jain_of_equal_shares_is_one_and_of_one_winner_is_one_nth() -> None:
    assert statistics.jain([3, 3, 3, 3]) == 1
    assert statistics.jain([0, 5, 0, 0]) == 0.25


def test_jain_over_link_rates_is_one_when_goodput_follows_the_rate() -> None:
    """Verifies: [arf-aware-tcp eq. 1 to 3]."""
    # x = (500 / 1, 1000 / 2, 5500 / 11) = (500, 500, 500)
    rates = zip([500, 1000, 5500], [1, 2, 11], strict=True)
    assert statistics.jain([goodput / rate for goodput, rate in rates]) == 1


@pytest.mark.parametrize("nothing", [[], [0.0], [0.0, 0.0]])
def test_jain_of_nothing_is_not_a_number_but_none(nothing: list[float]) -> None:
    assert statistics.jain(nothing) is None


@given(shares)
def test_jain_lies_between_one_nth_and_one(values: list[float]) -> None:
    index = statistics.jain(values)
    if index is None:
        assert not any(values)
    else:
        slack = 1e-12
        assert 1 / len(values) - slack <= index <= 1 + slack


@given(shares, st.floats(1e-6, 1e6))
def test_jain_does_not_depend_on_the_unit(values: list[float], unit: float) -> None:
    index = statistics.jain(values)
    scaled = statistics.jain([value * unit for value in values])
    if index is not None and scaled is not None:
        assert scaled == pytest.approx(index, rel=1e-9)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_the_interval_is_never_negative_and_never_nan(values: list[float]) -> None:
    width = statistics.half_width(values)
    assert width is not None
    assert width >= 0
    assert math.isfinite(width)

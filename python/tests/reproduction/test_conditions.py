"""Tests of conditions against results worked out by hand: intervals, bounds, and Holm's correction."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from airfair.estimate import Estimate, estimate, ratio_of_means
from airfair.experiment.conditions import Quota, condition, difference, holm, states, together
from airfair.experiment.words import INDEX, SAME


def test_a_condition_holds_if_its_whole_interval_lies_in_the_range() -> None:
    # Mean 1.0, standard deviation 0.1, t(2) = 4.303: 1 ± 4.303·0.1/√3 = 1 ± 0.248
    samples = [0.9, 1.0, 1.1]
    assert condition("x", samples).measured.ci95 == pytest.approx(0.2484, abs=1e-4)
    assert condition("x", samples, above=0.75).state == "holds"
    assert condition("x", samples, above=0.76).state == "undecided"
    assert condition("x", samples, above=1.24).state == "undecided"
    assert condition("x", samples, above=1.25).state == "fails"
    assert condition("x", samples, below=0.75).state == "fails"
    assert condition("x", samples, above=0.7, below=1.3).state == "holds"
    assert condition("x", samples, above=0.7, below=1.2).state == "undecided"


def test_one_replication_decides_nothing() -> None:
    one = condition("x", [5.0], above=6)
    assert one.state == "undecided"
    assert one.p_outside == 1.0


def test_a_condition_says_what_it_needs() -> None:
    text = str(condition("ratio", [1.0, 1.0], above=0.9, below=1.1))
    assert text == "ratio = 1.000 ± 0.000 (needs > 0.9 and < 1.1): holds"


def test_nothing_against_nothing_is_no_failure() -> None:
    zero = np.zeros(5)
    assert difference("drops", zero, zero, below=0).state == "untestable"
    assert difference("drops", zero + 1, zero, below=0).state == "fails"
    assert condition("x", [2.0, 3.0], above=0, testable=False).state == "untestable"
    assert together([difference("drops", zero, zero, below=0)]) == "untestable"


def test_p_values_are_those_of_students_test() -> None:
    samples = [1.2, 0.7, 1.1, 0.4, 0.8]
    theirs = stats.ttest_1samp(samples, 1.5, alternative="less").pvalue
    assert estimate(samples).p_below(1.5) == pytest.approx(theirs, rel=1e-9)
    theirs = stats.ttest_1samp(samples, 0.1, alternative="greater").pvalue
    assert estimate(samples).p_above(0.1) == pytest.approx(theirs, rel=1e-9)


def test_an_interval_that_ends_at_a_bound_has_a_p_value_of_its_tail() -> None:
    one = estimate([0.9, 1.0, 1.1])
    assert one.p_below(one.high) == pytest.approx(0.025)


def test_holms_correction_by_hand() -> None:
    # The sorted p-values 0.01, 0.02, 0.03, 0.04 times 4, 3, 2, 1 are 0.04, 0.06, 0.06, 0.04. An adjusted
    # value is at least the one before it, so the last is 0.06.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([]) == []


def test_one_failure_of_twenty_may_be_chance_and_a_clear_one_is_not() -> None:
    good = [condition(f"good {i}", Estimate(1.0, 0.1, 10), above=0) for i in range(19)]
    # The interval ends just below the bound. One interval in forty does so by chance.
    barely = condition("barely", Estimate(-0.11, 0.1, 10), above=0)
    clear = condition("clear", Estimate(-0.5, 0.1, 10), above=0)
    assert together([barely]) == "fails"
    assert states([*good, barely])[-1] == "undecided"
    assert together([*good, barely]) == "undecided"
    assert together([*good, clear]) == "fails"


def test_true_points_are_called_failures_no_more_often_than_one_claim_in_forty() -> None:
    generator = np.random.default_rng(7)
    claims = [
        together([condition("x", generator.normal(0, 1, 5), above=0) for _ in range(8)])
        for _ in range(400)
    ]
    # 2.5 % of 400 are 10; a binomial's 99.9th percentile is 20.
    assert claims.count("fails") <= 20


def test_almost_always_needs_its_part_and_refuses_only_beyond_chance() -> None:
    holds = [condition(f"{i}", Estimate(1.0, 0.1, 10), above=0) for i in range(7)]
    fails = [condition(f"-{i}", Estimate(-1.0, 0.1, 10), above=0) for i in range(3)]
    opens = [condition(f"?{i}", Estimate(0.0, 0.1, 10), above=0) for i in range(3)]
    assert Quota("most", (*holds, *fails[:1]), 0.8).state == "holds"
    assert Quota("most", (*holds, *fails), 0.8).state == "fails"
    assert Quota("most", (*holds, *opens), 0.8).state == "undecided"
    assert Quota("most", (), 0.8).state == "untestable"
    assert Quota("most", (*holds, *fails[:1]), 0.8).figures == "most: 7 of 8 (needs 7)"


def test_a_ratio_has_the_variance_of_its_divisor() -> None:
    upper, lower = np.array([10.0, 12.0, 11.0, 9.0]), np.array([5.0, 6.0, 5.5, 4.5])
    assert ratio_of_means(upper, lower).ci95 == pytest.approx(0, abs=1e-12)
    apart = np.array([5.0, 4.5, 6.0, 5.5])
    assert ratio_of_means(upper, apart).mean == pytest.approx(2.0)
    # Residuals (upper - 2·lower)/5.25: 0, 3, -1, -2 over 5.25; s = 2.160/5.25, t(3) = 3.182, √4 = 2
    assert ratio_of_means(upper, apart).ci95 == pytest.approx(3.1824 * 2.1602 / 5.25 / 2, rel=1e-3)


def test_only_replications_that_both_have_are_compared() -> None:
    longer, shorter = np.array([1.0, 2.0, 100.0]), np.array([0.0, 1.0])
    assert difference("x", longer, shorter, above=0).measured.mean == pytest.approx(1.0)


def test_a_word_says_with_which_tolerance_it_would_turn() -> None:
    same = SAME.condition("x", Estimate(1.02, 0.03, 10))
    assert same.state == "holds"
    # 1.02 ± 0.03 ends at 1.05.
    assert same.turns_at == pytest.approx(0.05)
    kept = SAME.condition("x", Estimate(8.6, 0.6, 10), 10.0, side="least")
    assert kept.state == "undecided"
    assert kept.turns_at == pytest.approx(0.2)
    assert SAME.condition("x", Estimate(20.0, 0.5, 10), 10.0, side="least").turns_at == 0.0
    assert INDEX.condition("x", Estimate(0.58, 0.01, 10), 0.6).turns_at == pytest.approx(0.03)
    assert condition("x", [1.0, 2.0], above=0).turns_at is None


def test_fresh_replications_are_as_many_as_the_first_ones_say() -> None:
    # 2 ± 3 from 16 runs, with a bound at 0: half the distance is 1. The interval of 16·3² runs is three
    # times as narrow.
    near = condition("near", Estimate(2.0, 3.0, 16), above=0)
    assert near.replications(1000) == 16 * 3**2
    assert near.replications(60) == 60
    # 10 ± 11, with a bound at 0: 16·(11 / 5)² = 77.44
    assert condition("off", Estimate(10.0, 11.0, 16), above=0).replications(1000) == 78
    # 10 ± 10.1 from 2 runs: 2·2.02² = 8.2, below the least number of 10.
    assert condition("few", Estimate(10.0, 10.1, 2), above=0).replications(1000) == 10


def test_fresh_replications_are_all_there_may_be_where_the_mean_is_at_its_bound() -> None:
    assert condition("at", Estimate(0.0, 1.0, 5), above=0).replications(60) == 60
    assert condition("one run", Estimate(1.0, math.inf, 1), above=0).replications(60) == 60

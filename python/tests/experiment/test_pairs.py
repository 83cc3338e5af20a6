"""Tests of paired comparisons against results worked out by hand and results of scipy."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import airfair
from airfair.experiment.conditions import holm
from airfair.experiment.samples import Samples
from small_experiments import RATES, SCHEMES, run


def samples(values: list[float], lower: list[float] | None = None, first: int = 0) -> Samples:
    below = None if lower is None else np.array(lower, dtype=np.float64)
    return Samples(np.arange(first, first + len(values)), np.array(values, dtype=np.float64), below)


def test_differences_are_taken_pair_by_pair() -> None:
    # 3−1, 5−2, 7−6: mean 2, variance ((0)² + 1² + (−1)²)/2 = 1; t(0.975, 2) = 4.302653
    # half width 4.302653 · √(1/3) = 2.484138
    less = samples([3, 5, 7]).less(samples([1, 2, 6]))
    assert less.mean == 2
    assert less.ci95 == pytest.approx(2.484138, rel=1e-6)
    assert less.count == 3


def test_replications_that_one_of_two_has_not_are_left_out() -> None:
    # Replications 0 to 3 and 2 to 4 have 2 and 3 in common, with differences 9 − 1 = 8 and 9 − 5 = 4.
    less = samples([0, 0, 9, 9]).less(samples([1, 5, 7], first=2))
    assert (less.mean, less.count) == (6, 2)
    assert math.isnan(samples([1, 2]).less(samples([1, 2], first=5)).mean)


def test_a_ratio_is_the_mean_difference_of_logarithms() -> None:
    # ln(3/1) = 1.098612, ln(5/3) = 0.510826: mean 0.804719; e^0.804719 = √5 = 2.236068
    # half width t(0.975, 1) · 0.587787 / √2 / √2 = 12.706205 · 0.293893 = 3.734269
    ratio = samples([3, 5]).ratio_to(samples([1, 3]))
    assert ratio.mean == pytest.approx(math.sqrt(5))
    assert ratio.log_ci95 == pytest.approx(3.734269, rel=1e-6)
    assert ratio.low == pytest.approx(math.sqrt(5) / math.exp(3.734269), rel=1e-5)


def test_a_ratio_of_means_has_the_variance_of_both() -> None:
    # Means 4 and 2: ratio 2. Linearised (3 − 2·1, 5 − 2·3)/2 = 0.5, −0.5: mean 0, variance 0.5
    # half width t(0.975, 1) · √(0.5/2) = 12.706205 · 0.5 = 6.353102
    of_measures = samples([3, 5], lower=[1, 3]).estimate
    assert of_measures.mean == 2
    assert of_measures.ci95 == pytest.approx(6.353102, rel=1e-6)
    relative = samples([3, 5]).relative_to(samples([1, 3]))
    assert (relative.mean, relative.ci95) == (of_measures.mean, of_measures.ci95)
    # Zero has no logarithm. The ratio of the means of (0, 8) and (1, 3) is 4/2 = 2 as well.
    ratio = samples([0, 8]).ratio_to(samples([1, 3]))
    assert (ratio.mean, ratio.log_ci95) == (2, None)


def test_a_ratio_to_nothing_has_no_value() -> None:
    assert math.isnan(samples([3, 5]).ratio_to(samples([0, 0])).mean)
    assert math.isnan(samples([3, 5], lower=[-1, 1]).estimate.mean)


def test_one_run_that_has_no_value_leaves_the_point_without() -> None:
    assert math.isnan(samples([1, math.nan, 3]).estimate.mean)
    assert samples([1, math.nan]).p_no_difference(samples([1, 2])) == 1


@given(
    values=st.lists(
        st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=2, max_size=30
    ).filter(lambda pairs: np.std([a - b for a, b in pairs]) > 1e-3)
)
def test_the_probability_is_that_of_scipys_paired_t_test(
    values: list[tuple[float, float]],
) -> None:
    first, second = zip(*values, strict=True)
    here, there = samples(list(first)), samples(list(second))
    test = stats.ttest_rel(first, second)
    assert here.p_no_difference(there) == pytest.approx(test.pvalue, rel=1e-6, abs=1e-12)
    low, high = test.confidence_interval(0.95)
    less = here.less(there)
    assert (less.low, less.high) == pytest.approx((low, high), rel=1e-6, abs=1e-6)


def test_equal_runs_do_not_differ_and_one_pair_says_nothing() -> None:
    assert samples([1, 2]).p_no_difference(samples([1, 2])) == 1
    assert samples([9]).p_no_difference(samples([1])) == 1


def test_holm_corrects_the_smallest_by_all_and_keeps_the_order() -> None:
    # The sorted p-values 0.01, 0.02, 0.04 times 3, 2, 1 are 0.03, 0.04, 0.04.
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@given(values=st.lists(st.floats(0, 1), max_size=20))
def test_holm_lies_between_the_value_itself_and_bonferronis(values: list[float]) -> None:
    adjusted = holm(values)
    for p, corrected in zip(values, adjusted, strict=True):
        assert p <= corrected <= min(1.0, p * len(values)) + 1e-12
    order = np.argsort(values, kind="stable")
    assert all(np.diff(np.array(adjusted)[order]) >= 0)


def test_a_comparison_has_a_row_for_each_other_level_and_measure(
    grid: airfair.ExperimentResult,
) -> None:
    table = grid.compare("scheme", "plain", ["goodput", "retransmissions"])
    assert table.select("station.slow.rate", "scheme", "measure").rows() == [
        (rate, "short", measure)
        for measure in ("goodput_bps", "retransmissions")
        for rate in ("1 Mb/s", "2 Mb/s")
    ]
    assert table["pairs"].to_list() == [4] * 4
    for row in table.to_dicts():
        both = {
            scheme: grid.values(row["measure"]).filter(
                pl.col("station.slow.rate") == row["station.slow.rate"],
                pl.col("scheme") == scheme,
            )["value"]
            for scheme in ("plain", "short")
        }
        assert row["mean"] == pytest.approx(both["short"].mean())
        assert row["baseline_mean"] == pytest.approx(both["plain"].mean())
        assert row["difference"] == pytest.approx((both["short"] - both["plain"]).mean())
        assert row["p"] == pytest.approx(stats.ttest_rel(both["short"], both["plain"]).pvalue)
    assert table["p_adjusted"].to_list() == holm(table["p"].to_list())
    assert table["is_significant"].to_list() == [p < 0.05 for p in table["p_adjusted"]]


def test_a_point_without_a_partner_is_left_out_and_a_design_without_pairs_is_told() -> None:
    slow, fast = RATES["station.slow.rate"]
    three = [
        {"station.slow.rate": slow, "scheme": "plain"},
        {"station.slow.rate": slow, "scheme": "short"},
        {"station.slow.rate": fast, "scheme": "short"},
    ]
    some = run(factors={**RATES, **SCHEMES}, design=three)
    assert some.compare("scheme", "plain").select("station.slow.rate").rows() == [(slow,)]
    none = run(factors={**RATES, **SCHEMES}, design=[three[0], three[2]])
    with pytest.raises(airfair.StudyError, match="has a partner that differs only in"):
        none.compare("scheme", "plain")


def test_a_factor_or_level_that_there_is_not_is_told(grid: airfair.ExperimentResult) -> None:
    with pytest.raises(airfair.StudyError, match=r"allowed station\.slow\.rate, scheme"):
        grid.compare("schema", "plain")
    with pytest.raises(airfair.StudyError, match="has no level 'plan'; allowed plain, short"):
        grid.compare("scheme", "plan")
    with pytest.raises(airfair.StudyError, match="a quotient of two measures cannot be compared"):
        grid.compare("scheme", "plain", "goodput[a] / goodput")
    with pytest.raises(airfair.StudyError, match="measures are missing"):
        grid.compare("scheme", "plain", [])


def test_a_baseline_of_numpy_is_a_baseline() -> None:
    made = run(factors={"station.slow.queue.packets": np.array([5, 50])})
    table = made.compare("station.slow.queue.packets", np.int64(5))
    assert table["station.slow.queue.packets"].to_list() == [50]

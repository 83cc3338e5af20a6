"""Tests of stopping rules: replications until an interval is narrow enough, or until claims are decided."""

# ruff: noqa: ANN401 - wrong values have any type

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import airfair
from small_experiments import RATES, experiment, run


@given(
    count=st.integers(2, 99),
    mean=st.floats(-1e9, 1e9),
    wide=st.floats(0, 1e300),
    half_width=st.floats(1e-300, 10),
    relative=st.booleans(),
)
def test_the_next_look_is_later_at_most_twice_as_late_and_never_beyond_most(
    count: int,
    mean: float,
    wide: float,
    half_width: float,
    relative: bool,  # noqa: FBT001 - Hypothesis draws it
) -> None:
    rule = airfair.until("goodput", half_width=half_width, relative=relative, least=2, most=100)
    assert count < rule.next(count, mean, wide) <= min(100, 2 * count)


def test_the_next_look_is_where_the_interval_would_be_narrow_enough() -> None:
    rule = airfair.until("goodput", half_width=0.1, most=100)
    # The half width is 12, and 10 is allowed: 10·(12/10)² = 14.4 replications are needed.
    assert rule.next(10, 100.0, 12.0) == 15
    assert rule.next(10, 100.0, 90.0) == 20
    assert rule.next(10, 100.0, 10.0001) == 11
    assert rule.is_enough(100.0, 10.0)
    assert not rule.is_enough(100.0, 10.001)
    assert rule.is_enough(-100.0, 10.0)
    assert airfair.until("goodput", half_width=3, relative=False).is_enough(0.1, 3.0)


def test_a_point_gets_replications_until_it_is_known_and_none_gets_more_than_most() -> None:
    rule = airfair.until("goodput", half_width=0.1, least=3, most=24)
    made = run(factors=RATES, replications=rule)
    summary = made.summary("goodput")
    counts = made.points["replications"].to_list()
    assert all(3 <= count <= 24 for count in counts)
    for count, mean, ci95 in zip(counts, summary["mean"], summary["ci95"], strict=True):
        assert count == 24 or ci95 <= 0.1 * mean
    assert made.spent.runs == sum(counts)


def test_replications_that_were_run_for_an_interval_are_the_first_ones() -> None:
    made = run(replications=airfair.until("goodput", half_width=1e-9, least=2, most=7))
    assert made.runs["replication"].to_list() == list(range(7))
    fixed = run(replications=7)
    assert made.flows.equals(fixed.flows)


def test_what_has_no_value_is_not_run_again_and_again() -> None:
    made = run(replications=airfair.until("completion", half_width=0.1, least=2, most=50))
    assert made.points["replications"].to_list() == [2]


def test_claims_are_looked_at_each_time_that_the_runs_have_doubled() -> None:
    rule = airfair.until_decided(least=5, most=60)
    assert rule.looks == [5, 10, 20, 40, 60]
    # Five tests share an error of 5 %.
    assert rule.error == pytest.approx(0.01)
    assert airfair.until_decided(least=4, most=4).error == pytest.approx(0.05)


def test_each_look_and_the_verdict_keep_to_the_error_that_all_looks_share() -> None:
    mean = run(replications=8).summary("goodput")["mean"][0]
    # The mean is so close to this bound that 8 replications cannot decide the claim.
    near = airfair.claim("near", "goodput", above=mean * 0.999)
    clear = airfair.claim("clear", "goodput", above=mean * 0.1)
    rule = airfair.until_decided(least=4, most=8)
    made = run(replications=rule, claims=[near, clear])
    assert made.points["replications"].to_list() == [8]
    assert made.error == pytest.approx(0.025)
    point = made.decide()[0].points[0]
    usual = made.summary("goodput")["ci95"][0]
    # t(0.9875, 7) / t(0.975, 7) = 2.84124 / 2.36462
    assert point.deciding.ci95 / usual == pytest.approx(2.84124 / 2.36462, rel=1e-4)
    # The displayed interval stays the 95 % interval.
    assert point.measured.ci95 == usual
    assert run(replications=rule, claims=[clear]).points["replications"].to_list() == [4]


@pytest.mark.parametrize("count", [5, np.int64(5), np.uint8(5)])
def test_a_whole_number_is_so_many_replications(count: Any) -> None:
    assert experiment(replications=count).replications.most == 5


@pytest.mark.parametrize("count", [0, -1, 2.5, np.float64(5), "5", True, None, [5]])
def test_anything_else_is_none(count: Any) -> None:
    with pytest.raises(airfair.StudyError, match="replications"):
        experiment(replications=count)


@pytest.mark.parametrize(
    "options",
    [
        {"half_width": 0},
        {"half_width": -0.1},
        {"half_width": math.nan},
        {"half_width": math.inf},
        {"half_width": "a tenth"},
        {"half_width": None},
        {"half_width": 0.1, "least": 1},
        {"half_width": 0.1, "least": 9, "most": 8},
        {"half_width": 0.1, "least": 2.5},
        {"half_width": 0.1, "most": "many"},
    ],
)
def test_a_rule_that_can_never_be_is_refused(options: Any) -> None:
    with pytest.raises(airfair.StudyError, match="until"):
        airfair.until("goodput", **options)


def test_a_rule_that_decides_claims_needs_one() -> None:
    with pytest.raises(airfair.StudyError, match="the study has no claims"):
        experiment(replications=airfair.until_decided())


def test_a_rule_on_a_flow_that_there_is_not_is_told_before_anything_runs() -> None:
    with pytest.raises(airfair.StudyError, match="matches no flow; allowed a, b"):
        experiment(replications=airfair.until("goodput[c]", half_width=0.1))

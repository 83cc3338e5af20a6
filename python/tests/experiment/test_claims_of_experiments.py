"""Tests of claims that a user declares on measures: their verdicts, and errors in their declarations."""

# ruff: noqa: ANN401 - wrong values have any type

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import airfair
from small_experiments import RATES, SCHEMES, experiment, run


def test_a_verdict_prints_as_a_sentence(grid: airfair.ExperimentResult) -> None:
    (verdict,) = grid.decide(
        airfair.claim("some", "goodput", above=1.0, text="Some comes through.")
    )
    assert str(verdict).startswith("The claim some (“Some comes through.”) holds: 4 of 4 points – ")
    assert str(verdict).endswith(".")
    assert repr(verdict) == f"<{verdict}>"
    (none,) = grid.decide(airfair.claim("none", "goodput", above=1e9))
    assert " does not hold: " in str(none)


def test_a_claim_on_a_measure_is_decided_at_each_point(grid: airfair.ExperimentResult) -> None:
    means = grid.summary("goodput")["mean"].to_list()
    (verdict,) = grid.decide(airfair.claim("some", "goodput", above=1.0))
    assert [point.measured.mean for point in verdict.points] == means
    assert verdict.state == "holds"
    (none,) = grid.decide(airfair.claim("none", "goodput", above=1e9))
    assert none.state == "fails"


def test_a_claim_is_confined_to_levels(grid: airfair.ExperimentResult) -> None:
    claim = airfair.claim("x", "goodput", at={"scheme": "plain"}, above=1)
    assert len(grid.decide(claim)[0].points) == 2
    both = airfair.claim("x", "goodput", at={"scheme": ["plain", "short"]}, above=1)
    assert len(grid.decide(both)[0].points) == 4


@pytest.mark.parametrize("form", ["ratio", "difference"])
def test_a_claim_on_two_levels_compares_them_in_pairs(
    grid: airfair.ExperimentResult, form: Any
) -> None:
    claim = airfair.claim(
        "x", "goodput", factor="scheme", level="short", baseline="plain", form=form, above=-1e9
    )
    (verdict,) = grid.decide(claim)
    rows = grid.compare("scheme", "plain").to_dicts()
    wanted = [row["difference"] for row in rows]
    if form == "ratio":
        of = {
            at: grid.values("goodput").filter(scheme=at)["value"].to_numpy()
            for at in SCHEMES["scheme"]
        }
        logs = np.log(of["short"] / of["plain"]).reshape(len(rows), -1)
        wanted = np.exp(logs.mean(axis=1)).tolist()
    assert [point.measured.mean for point in verdict.points] == pytest.approx(wanted)
    assert [point.what for point in verdict.points] == [
        "station.slow.rate 1 Mb/s",
        "station.slow.rate 2 Mb/s",
    ]


def test_a_claim_on_a_quotient_is_on_the_quotient_of_the_means(
    grid: airfair.ExperimentResult,
) -> None:
    (verdict,) = grid.decide(airfair.claim("x", "goodput[a] / goodput", below=1))
    means = grid.summary("goodput[a] / goodput")["mean"].to_list()
    assert [point.measured.mean for point in verdict.points] == means
    with pytest.raises(airfair.StudyError, match="a quotient of two measures cannot be compared"):
        grid.decide(
            airfair.claim(
                "x",
                "goodput[a] / goodput",
                factor="scheme",
                level="short",
                baseline="plain",
                above=0,
            )
        )


def test_a_word_stands_for_its_tolerance(grid: airfair.ExperimentResult) -> None:
    mean = grid.summary("goodput")["mean"][0]
    claim = airfair.claim(
        "x", "goodput", at=dict(grid.finished.points[0].labels), word="roughly", target=mean
    )
    (point,) = grid.decide(claim)[0].points
    assert (point.above, point.below) == pytest.approx((0.75 * mean, 1.25 * mean))
    assert claim.in_words == f"goodput_bps is roughly {mean:g}"


def test_a_claim_without_data_cannot_be_tested_and_says_so() -> None:
    made = run(claims=[airfair.claim("done", "completion", below=1)])
    (verdict,) = made.decide()
    assert verdict.state == "untestable"
    assert "no value" in verdict.line
    assert "nan" not in verdict.line


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({}, "has no bound"),
        ({"above": 2, "below": 1}, "above must be smaller than below"),
        ({"above": math.nan}, "allowed are numbers"),
        ({"word": "the same", "above": 1}, "both a word and a bound"),
        ({"target": 2, "above": 1}, "has a target without a word"),
        ({"form": "ratio", "above": 1}, "needs a baseline"),
        ({"at": {"schema": "plain"}, "above": 1}, "unknown factor schema; allowed"),
        ({"at": {"scheme": ["plain", "plan"]}, "above": 1}, "scheme has no level 'plan'"),
        (
            {"factor": "scheme", "level": "short", "baseline": "short", "above": 1},
            "level and baseline are both",
        ),
    ],
)
def test_a_claim_that_can_mean_nothing_is_told_when_it_is_declared(
    options: Any, wrong: str
) -> None:
    claim = airfair.claim("faster", "goodput", **options)
    with pytest.raises(airfair.StudyError, match=f"claim faster: .*{wrong}"):
        experiment(factors={**RATES, **SCHEMES}, claims=[claim])


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"word": "similar"}, "word 'similar'; allowed the same, roughly"),
        ({"form": "quotient"}, "form 'quotient'; allowed value"),
        ({"factor": "scheme", "level": "a"}, "allowed are all three or none"),
        ({"above": "1"}, "is a number"),
        ({"below": True}, "is a number"),
    ],
)
def test_a_claim_that_is_none_is_refused_at_once(options: Any, wrong: str) -> None:
    with pytest.raises(airfair.StudyError, match=f"claim x: .*{wrong}"):
        airfair.claim("x", "goodput", **options)


def test_all_mistakes_of_all_claims_come_at_once() -> None:
    claims = [
        airfair.claim("one", "goodput[zz]", above=1),
        airfair.claim("two", "goodput", at={"x": 1}),
        airfair.claim("two", "goodput", above=1),
    ]
    with pytest.raises(airfair.StudyError) as caught:
        experiment(claims=claims)
    assert caught.value.problems == [
        "claim two: two claims have this name",
        "claim one: goodput_bps[zz]: matches no flow; allowed a, b",
        "claim two: unknown factor x; allowed none",
        "claim two: has no bound; add above, below or word",
    ]


def test_a_level_that_no_point_has_or_a_pair_that_there_is_not_is_told_before_anything_runs() -> (
    None
):
    points = [
        {"station.slow.rate": "1 Mb/s", "scheme": "plain"},
        {"station.slow.rate": "2 Mb/s", "scheme": "short"},
    ]
    less = {**SCHEMES["scheme"], "never": {}}
    for claim, wrong in (
        (airfair.claim("x", "goodput", at={"scheme": "never"}, above=1), "no level 'never'"),
        (
            airfair.claim(
                "x", "goodput", factor="scheme", level="short", baseline="plain", above=1
            ),
            "no two points differ only in scheme",
        ),
    ):
        with pytest.raises(airfair.StudyError, match=wrong):
            experiment(factors={**RATES, "scheme": less}, design=points, claims=[claim])


def test_numbers_of_numpy_are_levels_and_bounds() -> None:
    made = run(factors={"station.slow.queue.packets": np.array([5, 50])})
    claim = airfair.claim(
        "x",
        "goodput",
        factor="station.slow.queue.packets",
        level=np.int64(50),
        baseline=np.int64(5),
        above=np.float64(0),
    )
    assert len(made.decide(claim)[0].points) == 1
    held = airfair.claim("x", "goodput", at={"station.slow.queue.packets": np.array([5])}, above=0)
    assert len(made.decide(held)[0].points) == 1

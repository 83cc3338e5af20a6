"""Tests of verdicts: deciding readings, equally near readings, and fresh replications."""

from __future__ import annotations

import numpy as np
import pytest

from airfair.estimate import Estimate, Floats
from airfair.experiment.claims import (
    NOTHING_SEEN,
    Elsewhere,
    Predicate,
    Reading,
    Readings,
    Verdict,
)
from airfair.experiment.conditions import Condition, condition, difference
from airfair.experiment.words import SAME
from airfair.reproduction.document import claim as claim_entry

HOLDS = Condition("a", Estimate(2.0, 0.1), above=1)
FAILS = Condition("b", Estimate(0.0, 0.1), above=1)
OPENS = Condition("c", Estimate(1.0, 0.1), above=1)
BLIND = Condition("d", Estimate(0.0, 0.0), below=0)

Data = dict[tuple[str, str], Floats]


def verdict(*points: Condition, near: Condition | None = None) -> Verdict:
    beside = [] if near is None else [Elsewhere("read otherwise", (near,), near=True)]
    return Verdict("claim", "As printed", points, elsewhere=tuple(beside))


@pytest.mark.parametrize(
    ("points", "state", "counted"),
    [
        ((HOLDS,), "holds", "1 of 1 point"),
        ((HOLDS, FAILS), "fails", "1 of 2 points"),
        ((HOLDS, OPENS), "undecided", "1 of 2 points"),
        ((HOLDS, BLIND), "holds", "1 of 1 point, 1 cannot be tested"),
        ((BLIND,), "untestable", "0 of 0 points, 1 cannot be tested"),
    ],
)
def test_the_points_decide(points: tuple[Condition, ...], state: str, counted: str) -> None:
    assert verdict(*points).state == state
    assert verdict(*points).counted == counted


def test_what_shows_nothing_says_so() -> None:
    assert verdict(BLIND).why == [NOTHING_SEEN]
    assert verdict(BLIND).evidence.startswith("untestable: ")


@pytest.mark.parametrize(
    ("here", "near", "state"),
    [
        (HOLDS, FAILS, "depends"),
        (FAILS, HOLDS, "depends"),
        (HOLDS, OPENS, "depends"),
        (FAILS, OPENS, "depends"),
        (OPENS, HOLDS, "depends"),
        (OPENS, FAILS, "depends"),
        (HOLDS, HOLDS, "holds"),
        (FAILS, FAILS, "fails"),
        (OPENS, OPENS, "undecided"),
        (FAILS, BLIND, "fails"),
        (BLIND, FAILS, "untestable"),
    ],
)
def test_a_reading_as_near_turns_a_claim_and_is_named(
    here: Condition, near: Condition, state: str
) -> None:
    told = verdict(here, near=near)
    assert told.state == state
    assert told.holds == (state == "holds")
    assert told.turned_by == (["read otherwise"] if state == "depends" else [])
    assert any("under read otherwise" in why for why in told.why) == (state == "depends")


def test_a_claim_that_depends_says_what_it_is_under_each_reading() -> None:
    beside = [
        Elsewhere("the letter", (FAILS,), near=True),
        Elsewhere("the other place", (OPENS,), near=True),
        Elsewhere("a place further away", (FAILS,)),
    ]
    told = Verdict("claim", "", (HOLDS,), under="eq. 1", elsewhere=tuple(beside))
    assert told.state == "depends"
    assert told.turned_by == ["the letter", "the other place"]
    assert told.undecided_under == ["the other place"]
    assert told.depends_on == (
        "holds under eq. 1; does not hold under the letter; is undecided under the other place"
    )
    assert told.label == "depends on the reading, undecided under the other place"
    entry = claim_entry(told)
    assert [(one["reading"], one["role"], one["state"]) for one in entry["readings"]] == [
        ("eq. 1", "decides", "holds"),
        ("the letter", "near", "fails"),
        ("the other place", "near", "undecided"),
        ("a place further away", "beside", "fails"),
    ]
    assert entry["turned_by"] == told.turned_by
    assert entry["undecided_under"] == told.undecided_under


def test_a_claim_that_is_undecided_under_all_readings_does_not_depend() -> None:
    told = verdict(OPENS, near=OPENS)
    assert (told.state, told.turned_by, told.undecided_under) == ("undecided", [], [])


def test_readings_are_declared_by_name_and_each_makes_the_claims_points() -> None:
    readings = Readings("here", near=("letter",), beside=("far",))
    points = {"here": HOLDS, "letter": FAILS, "far": OPENS}

    def reading(name: str) -> Reading[Data]:
        return Reading(name, ("s",), lambda _: [points[name]])

    told = readings.predicate("claim", reading).decide({}, "as printed")
    assert (told.here, told.state, told.turned_by) == ("holds", "depends", ["letter"])
    assert [(one.where, one.near) for one in told.elsewhere] == [("letter", True), ("far", False)]
    assert list(readings) == ["here", "letter", "far"]
    only = readings.only(["far"]).predicate("claim", reading).decide({}, "as printed")
    assert only.state == "holds"


def test_a_reading_further_away_decides_nothing() -> None:
    far = Elsewhere("over there", (FAILS,))
    told = Verdict("claim", "As printed", (HOLDS,), elsewhere=(far,))
    assert told.holds
    assert told.evidence == (
        "a = 2.000 ± 0.100 (needs > 1): holds; "
        "over there, not deciding: b = -0.100 to 0.100 (needs > 1): fails"
    )


def test_a_verdict_turns_at_the_largest_tolerance_that_it_needs() -> None:
    near, far = (SAME.condition("x", Estimate(mean, 0.01, 10)) for mean in (1.02, 1.2))
    assert verdict(near).turns_at == pytest.approx(0.03)
    assert verdict(near, far).turns_at == pytest.approx(0.21)
    assert verdict(near, HOLDS).turns_at == pytest.approx(0.03)
    # Another point fails with any tolerance.
    assert verdict(near, FAILS).turns_at is None


def claim(*keys: tuple[str, str]) -> Predicate[Data]:
    def points(data: Data) -> list[Condition]:
        return [
            difference(
                f"{v} - base", data[s, v], data["s", "base"], above=0, of=[(s, v), ("s", "base")]
            )
            for s, v in keys
        ]

    return Predicate("claim", Reading("as printed", ("s",), points))


def test_fresh_replications_alone_decide_what_was_undecided() -> None:
    base = np.zeros(4)
    data = {
        ("s", "base"): base,
        ("s", "sure"): base + np.array([1, 2, 1, 2]),
        ("s", "open"): np.array([3.0, -1, 2, -2]),
    }
    predicate = claim(("s", "sure"), ("s", "open"))
    first = predicate.decide(data, "as printed")
    assert first.state == "undecided"
    assert set(predicate.undecided(first, 60)) == {("s", "open"), ("s", "base")}
    # Fresh replications decide the undecided point. Those of the other point, which would fail, do not count.
    fresh = {
        ("s", "base"): np.zeros(20),
        ("s", "sure"): np.full(4, -1.0),
        ("s", "open"): np.linspace(1, 2, 20),
    }
    again = predicate.decide(data, "as printed", fresh=fresh)
    assert again.state == "holds"
    assert again.points[0] == first.points[0]
    assert again.points[1].measured.count == 20  # type: ignore[union-attr]


def test_no_more_replications_are_asked_where_one_point_fails_already() -> None:
    base = np.zeros(4)
    data = {
        ("s", "base"): base,
        ("s", "bad"): base - np.array([1, 2, 1, 2]),
        ("s", "open"): np.array([3.0, -1, 2, -2]),
    }
    predicate = claim(("s", "bad"), ("s", "open"))
    assert predicate.undecided(predicate.decide(data, "as printed"), 60) == {}


def test_readings_that_contradict_each_other_are_not_asked_anew() -> None:
    """A claim whose verdicts differ under two readings gets no fresh runs for a third, undecided reading."""
    means = {"here": 2.0, "letter": -2.0, "open": 0.0}

    def reading(name: str) -> Reading[Data]:
        key = (name, "x")
        return Reading(name, (name,), lambda data: [condition(name, data[key], above=0, of=[key])])

    data = {(name, "x"): mean + np.array([1.0, -1, 1, -1]) / 4 for name, mean in means.items()}
    both = Readings("here", near=("letter", "open")).predicate("claim", reading)
    assert both.undecided(both.decide(data, ""), 60) == {}
    one = Readings("here", near=("open",)).predicate("claim", reading)
    assert set(one.undecided(one.decide(data, ""), 60)) == {("open", "x")}


def test_fresh_runs_of_a_point_are_not_compared_with_first_runs_of_another() -> None:
    """A point of which only the baseline has fresh runs is decided by its first runs alone."""
    data = {("s", "base"): np.zeros(4), ("s", "open"): np.array([3.0, -1, 2, -2])}
    fresh = {("s", "base"): np.full(20, -9.0), ("s", "open"): data["s", "open"]}
    predicate = claim(("s", "open"))
    told = predicate.decide(data, "", fresh=fresh, anew=[("s", "base")])
    assert told.points == predicate.decide(data, "").points
    both = predicate.decide(data, "", fresh=fresh, anew=list(fresh))
    assert both.points != told.points


def test_a_point_that_names_no_runs_asks_for_all_setups() -> None:
    reading: Reading[Data] = Reading(
        "as printed", ("s",), lambda data: [condition("x", data["s", "open"], above=0)]
    )
    predicate = Predicate("claim", reading)
    data = {("s", "open"): np.array([3.0, -1, 2, -2])}
    assert set(predicate.undecided(predicate.decide(data, "as printed"), 60)) == {"s"}


def test_readings_that_were_not_run_are_left_out() -> None:
    def points(_: Data) -> list[Condition]:
        return [HOLDS]

    far: Reading[Data] = Reading("elsewhere", ("other",), points)
    predicate = Predicate("claim", Reading("as printed", ("s",), points), (far,))
    assert len(predicate.decide({}, "as printed").elsewhere) == 1
    assert predicate.decide({}, "as printed", run=["s"]).elsewhere == ()

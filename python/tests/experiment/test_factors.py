"""Tests of factors and designs: the levels of factors, and the points that a design selects."""

# ruff: noqa: ANN401 - wrong values have any type

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import airfair
from airfair.experiment import designs
from airfair.experiment.factors import factors
from airfair.experiment.values import on_an_axis, quantity
from small_experiments import RATES, SCHEMES, experiment


def labels(exp: airfair.Experiment) -> list[tuple[Any, ...]]:
    return [tuple(point.labels.values()) for point in exp.points]


# ------------------------------------------------------------------ grids and lists


@given(sizes=st.lists(st.integers(1, 4), min_size=0, max_size=4))
def test_a_grid_has_each_combination_once_and_the_last_factor_changes_first(
    sizes: list[int],
) -> None:
    made = factors({f"f{i}": list(range(size)) for i, size in enumerate(sizes)})
    points = [tuple(level.label for level in each) for each in designs.Grid().points(made)]
    assert len(points) == designs.Grid().size(made) == math.prod(sizes)
    assert points == sorted(set(points))


def test_no_factors_are_one_point() -> None:
    assert labels(experiment()) == [()]
    assert labels(experiment(factors={})) == [()]


def test_a_list_has_the_points_that_are_named_in_their_order() -> None:
    points = [
        {"station.slow.rate": "2 Mb/s", "scheme": "short"},
        {"scheme": "plain", "station.slow.rate": "1 Mb/s"},
    ]
    made = labels(experiment(factors={**RATES, **SCHEMES}, design=points))
    assert made == [("2 Mb/s", "short"), ("1 Mb/s", "plain")]


def test_all_mistakes_of_a_list_come_at_once() -> None:
    points = [{"scheme": "plain"}, {"station.slow.rate": "3 Mb/s", "scheme": "x", "other": 1}]
    with pytest.raises(airfair.StudyError) as caught:
        experiment(factors={**RATES, **SCHEMES}, design=points)
    assert caught.value.problems == [
        "design, point 1: factor station.slow.rate is missing",
        "design, point 2: unknown factor other; allowed station.slow.rate, scheme",
        "design, point 2: factor station.slow.rate has no level '3 Mb/s'; allowed 1 Mb/s, 2 Mb/s",
        "design, point 2: factor scheme has no level 'x'; allowed plain, short",
    ]


def test_a_listed_value_of_a_range_is_a_number() -> None:
    ranged = {"station.slow.queue.packets": airfair.between(1, 50)}
    made = experiment(factors=ranged, design=[{"station.slow.queue.packets": np.int64(7)}])
    assert [type(label) for (label,) in labels(made)] == [int]
    with pytest.raises(airfair.StudyError, match="'seven'; allowed is a number"):
        experiment(factors=ranged, design=[{"station.slow.queue.packets": "seven"}])


# ------------------------------------------------------------------ sampled designs


@given(count=st.integers(1, 40), dimensions=st.integers(1, 3), seed=st.integers(0, 2**32 - 1))
def test_a_latin_hypercube_has_one_point_in_each_stratum(
    count: int, dimensions: int, seed: int
) -> None:
    made = factors({f"f{i}": airfair.between(0.0, 1.0) for i in range(dimensions)})
    points = list(airfair.latin_hypercube(count, seed=seed).points(made))
    for each in zip(*points, strict=True):
        assert sorted(int(float(level.label) * count) for level in each) == list(range(count))


@given(power=st.integers(0, 6), seed=st.integers(0, 1000))
def test_two_to_the_n_sobol_points_have_one_in_each_of_as_many_parts_of_every_factor(
    power: int, seed: int
) -> None:
    made = factors({"a": airfair.between(0.0, 1.0), "b": airfair.between(0.0, 1.0)})
    points = list(airfair.sobol(2**power, seed=seed).points(made))
    for each in zip(*points, strict=True):
        parts = sorted(int(float(level.label) * 2**power) for level in each)
        assert parts == list(range(2**power))


def test_four_sobol_points_have_one_in_each_quarter_of_the_square() -> None:
    made = factors({"a": airfair.between(0.0, 1.0), "b": airfair.between(0.0, 1.0)})
    points = list(airfair.sobol(4).points(made))
    assert {tuple(int(2 * float(level.label)) for level in each) for each in points} == {
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    }


@pytest.mark.parametrize("make", [airfair.random, airfair.latin_hypercube, airfair.sobol])
def test_a_sampled_design_is_the_same_for_the_same_seed_and_another_for_another(make: Any) -> None:
    ranged = {"station.slow.queue.packets": airfair.between(1, 1000)}
    first, again, other = (
        labels(experiment(factors=ranged, design=make(8, seed=seed))) for seed in (3, 3, 4)
    )
    assert len(first) == 8
    assert first == again
    assert first != other


def test_a_latin_hypercube_takes_each_level_equally_often() -> None:
    made = experiment(factors={**RATES, **SCHEMES}, design=airfair.latin_hypercube(10))
    for name in ("station.slow.rate", "scheme"):
        assert set(Counter(point.labels[name] for point in made.points).values()) == {5}


@pytest.mark.parametrize(
    ("design", "wrong"),
    [
        (airfair.random(0), "points 0; allowed is a whole number, 1 or more"),
        (airfair.sobol(4, seed=-1), "seed -1; allowed is a whole number, 0 or more"),
        (designs.Sampled("random", 2.5), "points 2.5"),  # type: ignore[arg-type]
        (designs.Sampled("halton", 4), "allowed"),  # type: ignore[arg-type]
        ("latin", "unknown"),
        (5, "unknown"),
        ([], "at least one"),
        ([5], "unknown"),
    ],
)
def test_a_design_that_is_none_says_what_is_allowed(design: Any, wrong: str) -> None:
    with pytest.raises(airfair.StudyError, match=wrong):
        experiment(factors=RATES, design=design)


def test_a_sampled_design_needs_a_factor_and_a_grid_needs_levels() -> None:
    with pytest.raises(airfair.StudyError, match="the study has no factors"):
        experiment(design=airfair.random(3))
    with pytest.raises(airfair.StudyError, match="has a range, but a grid needs a list of levels"):
        experiment(factors={"station.slow.queue.packets": airfair.between(1, 9)})


# ------------------------------------------------------------------ ranges


@given(place=st.floats(0, 1, exclude_max=True))
def test_a_linear_range_is_cut_in_proportion(place: float) -> None:
    assert airfair.between(10.0, 30.0).at(place) == 10 + 20 * place


@given(place=st.floats(0, 1, exclude_max=True))
def test_a_logarithmic_range_has_as_many_points_in_each_decade(place: float) -> None:
    value = airfair.between(1.0, 1000.0, scale="log").at(place)
    assert math.log10(float(str(value))) == pytest.approx(3 * place, abs=1e-9)


def test_whole_numbers_of_a_range_each_have_as_much_of_it_both_ends_included() -> None:
    made = airfair.between(1, 4)
    assert Counter(made.at(i / 400) for i in range(400)) == {1: 100, 2: 100, 3: 100, 4: 100}
    assert made.at(1.0) == 4


@given(place=st.floats(0, 1), ends=st.tuples(st.integers(-99, 99), st.integers(1, 99)))
def test_no_value_lies_beyond_the_ends(place: float, ends: tuple[int, int]) -> None:
    low, high = ends[0], ends[0] + ends[1]
    for made in (airfair.between(low, high), airfair.between(f"{low} ms", f"{high} ms")):
        number = quantity(made.at(place))
        assert number is not None
        assert low <= number[0] <= high


def test_a_range_takes_the_unit_of_its_first_end() -> None:
    assert airfair.between("500 kb/s", "2 Mb/s").at(0.5) == "1250 kb/s"
    assert on_an_axis(["1 Mb/s", "500 kb/s"]) == ([1.0, 0.5], "Mb/s")
    assert on_an_axis(["1 Mb/s", "5 ms"]) is None
    assert on_an_axis(["plain", "short"]) is None


@pytest.mark.parametrize(
    ("low", "high", "scale"),
    [
        (2, 1, "linear"),
        (1, 1, "linear"),
        ("1 Mb/s", "5 ms", "linear"),
        ("1 Mb/s", 5, "linear"),
        (0, 5, "log"),
        (1, 5, "cubic"),
        (1, math.inf, "linear"),
        (math.nan, 1, "linear"),
        (True, 2, "linear"),
        (None, 2, "linear"),
    ],
)
def test_what_is_no_range_is_refused(low: Any, high: Any, scale: Any) -> None:
    with pytest.raises(airfair.StudyError, match="between"):
        airfair.between(low, high, scale=scale)


# ------------------------------------------------------------------ levels


def test_numbers_of_numpy_and_polars_are_levels_like_any_other() -> None:
    wanted = [(1,), (2,), (5,)]
    for values in (np.array([1, 2, 5]), pl.Series([1, 2, 5]), [np.int64(1), np.int32(2), 5]):
        made = labels(experiment(factors={"station.slow.queue.packets": values}))
        assert made == wanted
        assert {type(label) for (label,) in made} == {int}
    assert airfair.between(np.int64(1), np.float64(3)).at(0.5) == 2.0
    assert airfair.between(np.int64(1), np.int64(3)).whole


@pytest.mark.parametrize(
    ("levels", "wrong"),
    [
        ([], "has no levels"),
        ({}, "has no levels"),
        ("1 Mb/s", "allowed is a list"),
        (5, "allowed is a list"),
        ([None], "None"),
        ([1, 2, 1], "level 1 twice"),
        ([1, 1.0], "level 1.0 twice"),
        ([1, "1"], "level '1' twice"),
        ([math.nan], "nan; allowed are finite numbers"),
        ({"a": 5}, "level a: 5; allowed is a mapping"),
        ({"a": {"duration": None}}, "level a: duration: None"),
        ({"a": {5: 1}}, "5; allowed as a key is text"),
        ({None: {}}, "allowed as a label is text or a number"),
    ],
)
def test_what_is_no_level_is_refused_with_the_factor(levels: Any, wrong: str) -> None:
    with pytest.raises(airfair.StudyError, match=rf"^factor x.*{wrong}"):
        experiment(factors={"x": levels})


def test_mistakes_of_several_parts_come_at_once() -> None:
    with pytest.raises(airfair.StudyError) as caught:
        experiment(
            factors={"a": [], "b": 5},
            design="x",
            replications=0,
            set={"duration": None},
            draw=5,
            claims=[5],
            title=5,
        )
    assert [problem.split(":")[0] for problem in caught.value.problems] == [
        "factor a",
        "factor b",
        "design 'x'",
        "replications",
        "set",
        "draw",
        "claims",
        "title",
    ]


@pytest.mark.parametrize(
    "name", ["flow", "goodput_bps", "replication", "seed", "point", "mean", "p", "value", "from"]
)
def test_a_factor_is_not_called_like_a_column(name: str) -> None:
    with pytest.raises(airfair.StudyError, match=rf"{name}: a column of the tables has this name"):
        experiment(factors={name: {"a": {}}})


@pytest.mark.parametrize("key", ["seed", "replications"])
def test_a_key_that_is_an_option_is_not_set_behind_its_back(key: str) -> None:
    with pytest.raises(airfair.StudyError, match=f"{key}: cannot be set as a key"):
        experiment(set={key: 5})
    with pytest.raises(airfair.StudyError, match=f"{key}: cannot be set as a key"):
        experiment(factors={"x": {"a": {key: 5}}})

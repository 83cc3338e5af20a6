"""Tests of keys: patterns, quoted names, the precedence between keys, and drawn values."""

# ruff: noqa: ANN401 - wrong values have any type

from __future__ import annotations

import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import airfair
from airfair.experiment import draws, keys
from small_experiments import CELL, RATES, experiment, run

KNOWN = {"station": ["slow", "fast", "fast 2", "a*b"], "flow": [], "bss": ["home"]}


def rates(exp: airfair.Experiment, place: int = 0) -> list[str]:
    text = exp.scenario(exp.points[place]).to_toml()
    return [line for line in text.splitlines() if line.startswith("rate = ")]


def test_a_pattern_stands_for_all_names_that_match_in_their_order() -> None:
    assert keys.expanded("station.fa*.rate", KNOWN) == ["station.fast.rate", "station.fast 2.rate"]
    assert keys.expanded("station.?low.rate", KNOWN) == ["station.slow.rate"]
    assert keys.expanded("station.[sf]*t.rate", KNOWN) == ["station.fast.rate"]


def test_a_quoted_name_is_no_pattern_and_loses_its_quotes() -> None:
    assert keys.expanded('station."a*b".rate', KNOWN) == ["station.a*b.rate"]
    assert keys.expanded("station.'fast 2'.rate", KNOWN) == ["station.fast 2.rate"]


def test_a_quoted_name_is_set_in_the_scenario() -> None:
    exp = experiment(factors={'station."slow".rate': ["2 Mb/s"]})
    assert rates(exp)[0] == 'rate = "2 Mb/s"'


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("station.zz*.rate", "matches no station; allowed slow, fast"),
        ("flow.*.start", "matches no flow; allowed none"),
        ("*.slow.rate", "a pattern is allowed only as the second name"),
        ("station.slow.*", "a pattern is allowed only as the second name"),
        ('station."x\\q".rate', "not a valid quoted name"),
    ],
)
def test_a_pattern_that_leads_nowhere_says_why(path: str, wrong: str) -> None:
    with pytest.raises(airfair.StudyError, match=wrong):
        keys.expanded(path, KNOWN)


def test_all_patterns_that_match_nothing_are_told_when_the_experiment_is_declared() -> None:
    with pytest.raises(airfair.StudyError) as caught:
        experiment(
            factors={"x": {"a": {"station.q*.rate": "1 Mb/s"}}},
            set={"flow.q*.start": "1 s"},
            draw={"host.q*.x": airfair.choice([1])},
        )
    assert [problem.split(":")[0] for problem in caught.value.problems] == [
        "flow.q*.start",
        "station.q*.rate",
        "host.q*.x",
    ]


def test_stations_with_a_count_have_one_name() -> None:
    text = CELL.replace('rate = "11 Mb/s"', 'rate = "11 Mb/s"\ncount = 3')
    exp = airfair.Experiment(
        text,
        factors={"x": {"a": {"station.*.rate": "2 Mb/s", "flow.*.start": "50 ms"}}},
        replications=1,
    )
    assert rates(exp) == ['rate = "2 Mb/s"'] * 4
    table = exp.run(store=None, progress=False).stations
    assert table["station"].to_list() == ["slow", "fast1", "fast2", "fast3"]


def test_what_is_said_by_name_wins_over_what_is_said_by_a_pattern() -> None:
    for one in ({"station.slow.rate": "2 Mb/s"}, {" station . 'slow' . rate": "2 Mb/s"}):
        for both in ({**one, "station.*.rate": "5.5 Mb/s"}, {"station.*.rate": "5.5 Mb/s", **one}):
            assert rates(experiment(set=both)) == ['rate = "2 Mb/s"', 'rate = "5.5 Mb/s"']


def test_of_a_key_that_two_factors_set_the_last_ones_value_counts() -> None:
    both = {
        "first": {"a": {"station.slow.rate": "2 Mb/s"}},
        "second": {"b": {"station.slow.rate": "5.5 Mb/s"}, "c": {}},
    }
    exp = experiment(factors=both)
    assert [rates(exp, place)[0] for place in (0, 1)] == ['rate = "5.5 Mb/s"', 'rate = "2 Mb/s"']


def test_a_factor_wins_over_what_is_set_at_all_points() -> None:
    exp = experiment(factors=RATES, set={"station.slow.rate": "11 Mb/s"})
    assert [rates(exp, place)[0] for place in (0, 1)] == ['rate = "1 Mb/s"', 'rate = "2 Mb/s"']


def test_what_is_set_belongs_to_the_scenario_from_the_beginning() -> None:
    assert experiment(set={"title": "Another"}).title == "Another"
    with pytest.raises(airfair.ScenarioError, match=r"station\.slow\.rate"):
        experiment(set={"station.slow.rate": "3 Mb/s"})


def test_a_scenario_may_lack_what_the_factors_set() -> None:
    text = CELL.replace('from = "slow"\nto   = "server"\n', "", 1)
    ways = {"up": {"flow.a.from": "slow", "flow.a.to": "server"}, "none": {}}
    exp = airfair.Experiment(text, factors={"way": {"up": ways["up"]}}, replications=1)
    assert exp.run(store=None, progress=False).flows["flow"].to_list() == ["a", "b"]
    with pytest.raises(airfair.ScenarioError, match=r"^flow\.a\.from: missing"):
        airfair.Experiment(text, factors={"way": {"none": {}}})
    with pytest.raises(airfair.ScenarioError, match=r"at way none: flow\.a\.from: missing"):
        airfair.Experiment(text, factors={"way": ways}).run(store=None, progress=False)


# ------------------------------------------------------------------ draws


@given(seed=st.integers(0, 2**63 - 1), replication=st.integers(0, 10**6), other=st.text(max_size=9))
def test_a_draw_depends_on_seed_key_and_replication_and_on_nothing_else(
    seed: int, replication: int, other: str
) -> None:
    one = {"flow.a.start": airfair.between(0.0, 1.0)}
    many = {f"flow.{other}.stop": airfair.choice([1, 2]), **one, "x": airfair.between(1, 6)}
    alone, among = (
        draws.drawn(each, seed, replication, lambda path: [path])["flow.a.start"]
        for each in (one, many)
    )
    assert alone == among
    again = draws.drawn(one, seed, replication + 1, lambda path: [path])["flow.a.start"]
    assert again != alone


def test_draws_are_uniform() -> None:
    one = {"x": airfair.between(0.0, 1.0), "y": airfair.choice(["a", "b", "c", "d"])}
    made = [draws.drawn(one, 1, number, lambda path: [path]) for number in range(4000)]
    values = [float(str(each["x"])) for each in made]
    # Of 16 000 means of 4000 draws, one is outside 0.5 ± 4·√(1/12/4000). The count in a quarter has
    # a bound of four standard deviations as well.
    assert abs(statistics.mean(values) - 0.5) < 0.0183
    for low in (0.0, 0.25, 0.5, 0.75):
        assert abs(sum(low <= value < low + 0.25 for value in values) - 1000) < 110
    for letter in "abcd":
        assert abs(sum(each["y"] == letter for each in made) - 1000) < 110


def test_a_draw_by_name_wins_over_one_by_a_pattern() -> None:
    by_name = {"station.slow.queue.packets": airfair.choice([7])}
    for both in (
        {**by_name, "station.*.queue.packets": airfair.choice([9])},
        {"station.*.queue.packets": airfair.choice([9]), **by_name},
    ):
        exp = experiment(draw=both)
        assert exp.keys(exp.points[0], 0) == {
            "station.slow.queue.packets": 7,
            "station.fast.queue.packets": 9,
        }


def test_points_have_the_same_draws_and_other_replications_have_others() -> None:
    exp = experiment(factors=RATES, draw={"station.fast.queue.packets": airfair.between(2, 10**4)})
    first, second = (
        [exp.keys(point, n)["station.fast.queue.packets"] for n in range(3)] for point in exp.points
    )
    assert first == second
    assert len(set(map(str, first))) == 3


def test_a_function_can_decide_the_keys_of_a_replication() -> None:
    made = run(draw=lambda replication: {"station.fast.queue.packets": 2 + replication})
    assert made.runs["record_hash"].n_unique() == 2
    with pytest.raises(airfair.StudyError, match="allowed is a mapping of keys"):
        run(draw=lambda _: 5)


def test_chance_does_not_decide_who_takes_part() -> None:
    with pytest.raises(airfair.StudyError, match="draws may change values only"):
        run(draw={"station.slow.count": airfair.choice([1, 2, 3])}, replications=6)


def test_a_draw_that_a_factor_sets_as_well_is_refused() -> None:
    with pytest.raises(
        airfair.StudyError, match=r"draw\.station\.\*\.rate: a factor sets this key too"
    ):
        experiment(factors=RATES, draw={"station.*.rate": airfair.choice(["1 Mb/s"])})


def test_a_drawn_value_that_is_wrong_names_replication_and_point() -> None:
    wrong = {"station.fast.rate": airfair.choice(["11 Mb/s", "3 Mb/s"])}
    with pytest.raises(
        airfair.ScenarioError, match=r"replication \d at station\.slow\.rate 1 Mb/s: "
    ):
        # The seed gives replication 0 a valid value, and a later replication an invalid one.
        run(factors={"station.slow.rate": ["1 Mb/s"]}, draw=wrong, replications=9, seed=_lucky())


def _lucky() -> int:
    """Seed with which the first draw is valid and a later one is not."""
    draw = {"station.fast.rate": airfair.choice(["11 Mb/s", "3 Mb/s"])}
    for seed in range(1, 99):
        made = [draws.drawn(draw, seed, n, lambda path: [path]) for n in range(9)]
        values = [each["station.fast.rate"] for each in made]
        if values[0] == "11 Mb/s" and "3 Mb/s" in values:
            return seed
    raise AssertionError


@pytest.mark.parametrize("values", ["ab", [], 5, None, [None]])
def test_a_choice_needs_a_list_of_values(values: Any) -> None:
    with pytest.raises(airfair.StudyError):
        airfair.choice(values)

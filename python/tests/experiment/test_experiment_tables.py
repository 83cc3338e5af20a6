"""Tests of an experiment's tables: they have the runs of all points, and the factors as first columns."""

# ruff: noqa: ANN401 - labels are of any type

from __future__ import annotations

import html.parser
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import airfair
from airfair.experiment.tables import SUBJECTS
from small_experiments import CELL, RATES, SCHEMES, StopsAfter, experiment, interrupted, run

TABLES = tuple(SUBJECTS)


def adds_up(made: airfair.ExperimentResult) -> None:
    """Assert that each table is the concatenation of that table over the results of all points."""
    numbers = {"station.slow.rate": ["station.slow.rate [Mb/s]"], "duration": ["duration [ms]"]}
    factors = [factor.name for factor in made.factors]
    names = [name for factor in factors for name in (factor, *numbers.get(factor, []))]
    for table in TABLES:
        whole = getattr(made, table)
        parts = [
            getattr(made.finished.result(place), table)
            for place in range(len(made.finished.points))
        ]
        assert whole.drop("point", *names).equals(pl.concat(parts)), table
        assert whole.columns[: 2 + len(names)] == ["point", *names, "replication"]
        heights = [part.height for part in parts]
        assert whole["point"].to_list() == [i for i, n in enumerate(heights) for _ in range(n)]


def test_tables_are_those_of_single_runs_bit_for_bit(grid: airfair.ExperimentResult) -> None:
    adds_up(grid)
    for place, point in enumerate(grid.finished.points):
        text = CELL.replace("[station.slow]", "[station.slow]", 1)
        changed = airfair.load(text, set=dict(experiment(factors={**RATES, **SCHEMES}).keys(point)))
        alone = airfair.run(changed, replications=4)
        assert grid.finished.result(place).flows.equals(alone.flows)
        assert grid.finished.result(place).runs.equals(alone.runs)


def test_points_with_other_stations_durations_and_flows_stand_in_one_table() -> None:
    adds_up(
        run(
            factors={
                "station.slow.count": [1, 3],
                "duration": ["100 ms", "200 ms"],
                "flow.b.from": ["fast", "server"],
                "flow.b.to": {"server": {}, "slow": {"flow.b.to": "fast"}},
            },
            design=[
                {"station.slow.count": count, "duration": time, "flow.b.from": end, "flow.b.to": to}
                for count in (1, 3)
                for time in ("100 ms", "200 ms")
                for end, to in (("fast", "server"), ("server", "slow"))
            ],
        )
    )


def test_no_factors_and_no_links_make_tables_all_the_same() -> None:
    made = run()
    adds_up(made)
    assert made.points.columns == ["point", "replications"]
    assert made.summary().height == 1


@pytest.mark.parametrize(
    ("labels", "kind", "shown"),
    [
        ([5, 50], pl.Int64, [5, 50]),
        ([0.5, 2], pl.Float64, [0.5, 2.0]),
        ([True, False], pl.Boolean, [True, False]),
        (["off", 500], pl.String, ["off", "500"]),
        ([[1], [2]], pl.String, ["[1]", "[2]"]),
    ],
)
def test_a_column_has_the_kind_of_its_levels(labels: list[Any], kind: Any, shown: Any) -> None:
    from airfair.experiment.factors import factors
    from airfair.experiment.points import points
    from airfair.experiment.results import ExperimentResult, Spent
    from airfair.experiment.runs import Runs

    made = factors({"x": labels})
    every = points(["x"], [(level,) for level in made[0].levels])
    scenario = airfair.load(CELL)
    table = ExperimentResult("t", made, Runs(every, [scenario] * 2, [[], []]), Spent()).points
    assert table["x"].dtype == kind
    assert table["x"].to_list() == shown


def test_all_points_run_under_the_same_seeds_and_equal_scenarios_are_run_once() -> None:
    made = run(factors={"x": {"a": {}, "b": {"station.slow.rate": "1 Mb/s"}}})
    hashes = made.runs.group_by("x", maintain_order=True).agg("record_hash")["record_hash"]
    assert hashes[0].to_list() == hashes[1].to_list()
    assert (made.spent.runs, made.spent.found) == (4, 2)
    assert made.in_pairs


def test_points_have_seeds_of_their_own_without_common_random_numbers() -> None:
    made = run(factors=RATES, common_random_numbers=False)
    assert made.runs["seed"].n_unique() == 2
    assert not made.in_pairs
    again = run(factors=RATES, common_random_numbers=False)
    assert made.runs.equals(again.runs)


def test_a_point_is_found_by_its_levels(grid: airfair.ExperimentResult) -> None:
    one = grid.result(scheme="short", **{"station.slow.rate": "2 Mb/s"})
    assert one.runs.equals(grid.finished.result(3).runs)
    with pytest.raises(airfair.StudyError, match="scheme = short: 2 of 4 points match"):
        grid.result(scheme="short")
    with pytest.raises(airfair.StudyError, match="unknown factor schema"):
        grid.result(schema="short")


# ------------------------------------------------------------------ runs


def test_an_interrupted_experiment_keeps_what_is_finished_and_goes_on_from_there(
    tmp_path: Path,
) -> None:
    exp = experiment(factors=RATES, replications=3)
    store = tmp_path / "runs.sqlite"
    first = interrupted(exp, store=store, engine=StopsAfter(4))
    assert first.interrupted
    assert first.points["replications"].to_list() == [2, 2]
    assert first.spent.runs == 4
    adds_up(first)
    rest = StopsAfter(99)
    second = exp.run(store=store, engine=rest, progress=False)
    assert not second.interrupted
    assert rest.done == 2
    assert second.spent.found == 4
    assert second.runs.equals(exp.run(store=None, progress=False).runs)


def test_an_experiment_that_was_interrupted_at_once_has_empty_tables() -> None:
    made = interrupted(experiment(factors=RATES), engine=StopsAfter(0))
    assert made.interrupted
    assert made.flows.height == 0
    assert made.flows.columns[:3] == ["point", "station.slow.rate", "station.slow.rate [Mb/s]"]
    assert made.flows.columns[3] == "replication"
    assert made.summary("goodput")["mean"].to_list() == [None, None]
    assert "interrupted" in made._repr_html_()


def test_a_rule_stops_asking_when_it_is_interrupted() -> None:
    rule = airfair.until("goodput", half_width=1e-6, least=4, most=64)
    engine = StopsAfter(3)
    made = interrupted(experiment(replications=rule), engine=engine)
    assert (made.interrupted, engine.done) == (True, 3)


@pytest.mark.parametrize(
    "options",
    [
        {"factors": {f"f{i}": {f"{j}": {} for j in range(1000)} for i in range(3)}},
        {
            "factors": {"station.slow.queue.packets": airfair.between(1, 9)},
            "design": airfair.sobol(10**9),
        },
        {
            "factors": {"station.slow.queue.packets": airfair.between(1, 9)},
            "design": airfair.latin_hypercube(10**9),
        },
    ],
)
def test_a_billion_points_are_refused_at_once_with_the_time_that_they_would_take(
    options: Any,
) -> None:
    made = experiment(**options)
    assert made.size == 10**9
    wrong = r"1,000,000,000 points .* 2,000,000,000 runs, which would take about [\d,]+ (days|years|h) on"
    with pytest.raises(airfair.StudyError, match=wrong):
        made.run(store=None, progress=False)


def test_a_limit_can_be_said() -> None:
    with pytest.raises(airfair.StudyError, match="allowed are 3 runs; raise limit"):
        experiment(factors=RATES).run(store=None, progress=False, limit=3)
    assert experiment(factors=RATES).run(store=None, progress=False, limit=4).spent.runs == 4


def test_a_mistake_at_one_point_names_it_before_anything_runs() -> None:
    engine = StopsAfter(9)
    exp = experiment(factors={"station.slow.rate": ["1 Mb/s", "3 Mb/s"], **SCHEMES})
    with pytest.raises(airfair.ScenarioError) as caught:
        exp.run(store=None, engine=engine, progress=False)
    (problem,) = caught.value.problems
    assert problem.startswith("at station.slow.rate 3 Mb/s, scheme plain: station.slow.rate")
    assert engine.done == 0


def test_an_experiment_and_its_result_say_in_short_what_they_are(
    grid: airfair.ExperimentResult,
) -> None:
    text = repr(experiment(factors={**RATES, **SCHEMES}))
    assert "4 points of station.slow.rate: 1 Mb/s, 2 Mb/s; scheme: plain, short" in text
    assert len(repr(grid)) < 2000


# ------------------------------------------------------------------ notebooks


class Elements(html.parser.HTMLParser):
    """Parser that collects the names, attributes and text of HTML elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"


def test_a_notebook_shows_points_measures_and_verdicts(grid: airfair.ExperimentResult) -> None:
    made = Elements(grid._repr_html_())
    assert "4 points, 4 replications, seed 1; 16 runs" in made.words
    assert made.tags.count("tr") == 5
    assert len(grid._repr_html_()) < 5000
    claimed = run(claims=[airfair.claim("quick", "delay_p95[a]", below=1e6)])
    assert "✓ quick: holds, 1 of 1 point" in Elements(claimed._repr_html_()).words


def test_what_others_wrote_reaches_no_notebook_as_it_is() -> None:
    made = run(
        factors={HOSTILE: {HOSTILE: {}, "b": {}}},
        title=HOSTILE,
        claims=[airfair.claim(HOSTILE, "goodput", above=1)],
    )
    text = made._repr_html_()
    assert "<script" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "alert(1)" in text


def test_a_result_prints_its_extent_and_the_goodput_of_few_points(
    grid: airfair.ExperimentResult,
) -> None:
    first, second = repr(grid).splitlines()
    assert first == (
        "<ExperimentResult 'One slow station drags the fast one down': "
        "4 points, 4 replications, seed 1; 16 runs"
    )
    row = grid.summary("goodput").filter(
        pl.col("station.slow.rate") == "2 Mb/s", pl.col("scheme") == "short"
    )
    assert second.startswith("  goodput [Mb/s]: 1 Mb/s, plain: ")
    assert f"; 2 Mb/s, short: {row['mean'].item() / 1e6:.3f} ± " in second
    many = run(factors={"station.slow.queue.packets": [5, 6, 7, 8, 9, 10, 11]}, replications=1)
    assert len(repr(many).splitlines()) == 1
    assert "7 points, 1 replication," in repr(many)

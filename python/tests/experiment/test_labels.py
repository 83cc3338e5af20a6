"""Tests that levels with a unit are numbers in tables, and are found by their number."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import airfair
from airfair.experiment.factors import Label
from airfair.experiment.labels import find, numbers
from small_experiments import RATES, experiment, run

RATE = "station.slow.rate"


@pytest.fixture(scope="module")
def results() -> airfair.ExperimentResult:
    return run(factors={RATE: ["1 Mb/s", "2 Mb/s", "5500 kb/s"]}, replications=3)


@pytest.mark.parametrize(
    ("wanted", "label"),
    [
        ("2 Mb/s", "2 Mb/s"),
        (2, "2 Mb/s"),
        (2.0, "2 Mb/s"),
        ("2", "2 Mb/s"),
        ("2000 kb/s", "2 Mb/s"),
        ("2e6 b/s", "2 Mb/s"),
        (5.5, "5500 kb/s"),
        # A number is in the unit of the first label.
        (5500, None),
        ("2 ms", None),
        ("two", None),
        (True, None),
    ],
)
def test_a_level_is_found_by_its_quantity(wanted: Label, label: Label | None) -> None:
    assert find(wanted, ["1 Mb/s", "2 Mb/s", "5500 kb/s"]) == label


def test_names_and_plain_numbers_stay_what_they_are() -> None:
    assert find(10.0, [10, 20]) == 10
    assert isinstance(find(10.0, [10, 20]), int)
    assert find("off", ["off", "1 Mb/s"]) == "off"
    assert find(1, ["off", "1 Mb/s"]) is None
    # 802.11 is no number of b.
    assert find(802.11, ["802.11b"]) is None
    assert numbers(["802.11b"]) is None
    assert numbers([10, 20]) is None
    assert numbers(["off", "1 Mb/s"]) is None
    assert numbers(["20 ms", "1 s"]) == ([20.0, 1000.0], "ms")


def test_tables_have_a_column_of_numbers_behind_that_of_labels(
    results: airfair.ExperimentResult,
) -> None:
    column = f"{RATE} [Mb/s]"
    for table in (results.flows, results.points, results.values("goodput"), results.summary()):
        place = table.columns.index(RATE)
        assert table.columns[place + 1] == column
        assert table.schema[RATE] == pl.String
        assert table.schema[column] == pl.Float64
    assert results.points[column].to_list() == [1.0, 2.0, 5.5]
    faster = results.flows.filter(pl.col(column) > 1.5)
    assert faster[RATE].unique(maintain_order=True).to_list() == ["2 Mb/s", "5500 kb/s"]
    compared = results.compare(RATE, 1)
    assert compared[column].to_list() == [2.0, 5.5]


def test_a_range_has_numbers_too() -> None:
    made = run(
        factors={RATE: ["11 Mb/s"], "duration": airfair.between("100 ms", "300 ms")},
        design=airfair.sobol(4),
    )
    times = made.points["duration [ms]"]
    assert [f"{time:.6f}".rstrip("0") + " ms" for time in times] == made.points[
        "duration"
    ].to_list()


def test_results_comparisons_figures_and_claims_find_a_level_by_number(
    results: airfair.ExperimentResult,
) -> None:
    named = results.result(**{RATE: "2 Mb/s"})
    for wanted in (2, 2.0, "2000 kb/s"):
        assert results.result(**{RATE: wanted}).runs.equals(named.runs)
    assert results.compare(RATE, 1).equals(results.compare(RATE, "1 Mb/s"))
    by_name, by_number = (
        airfair.claim("faster", "goodput", factor=RATE, level=level, baseline=baseline, above=1)
        for level, baseline in (("5500 kb/s", "1 Mb/s"), (5.5, "1000 kb/s"))
    )
    first, second = results.decide(by_name)[0], results.decide(by_number)[0]
    assert first.points == second.points
    at = [airfair.claim("some", "goodput", at={RATE: level}, above=0) for level in ("1 Mb/s", 1)]
    assert results.decide(at[0])[0].points == results.decide(at[1])[0].points
    both = run(factors={**RATES, "station.fast.rate": ["1 Mb/s", "11 Mb/s"]})
    assert both.plot(x=RATE, at={"station.fast.rate": 11}).axes
    with pytest.raises(airfair.StudyError, match="has no level 3; allowed 1 Mb/s, 11 Mb/s"):
        both.plot(x=RATE, at={"station.fast.rate": 3})


def test_declarations_find_a_level_by_number() -> None:
    listed = experiment(factors=RATES, design=[{RATE: 2}, {RATE: "1000 kb/s"}])
    assert [point.labels[RATE] for point in listed.points] == ["2 Mb/s", "1 Mb/s"]
    claims = [airfair.claim("c", "goodput", factor=RATE, level=2, baseline=1, above=0.1)]
    made = experiment(factors=RATES, claims=claims).run(store=None, progress=False)
    assert [point.what for point in made.decide()[0].points] == ["2 Mb/s, 1 Mb/s"]
    with pytest.raises(airfair.StudyError, match="level and baseline are both 1 Mb/s"):
        experiment(
            factors=RATES,
            claims=[
                airfair.claim("c", "goodput", factor=RATE, level=1, baseline="1 Mb/s", above=0.1)
            ],
        )
    with pytest.raises(airfair.StudyError, match="has no level 3; allowed 1 Mb/s, 2 Mb/s"):
        experiment(factors=RATES, claims=[airfair.claim("c", "goodput", at={RATE: 3}, above=0.1)])


def test_scenarios_and_keys_of_the_store_are_those_of_the_labels(tmp_path: Path) -> None:
    """A design by number runs the same scenarios, so that the store has them already."""
    store = tmp_path / "runs.sqlite"
    first = experiment(factors=RATES).run(store=store, progress=False)
    listed = experiment(factors=RATES, design=[{RATE: 1}, {RATE: 2}])
    second = listed.run(store=store, progress=False)
    assert (first.spent.found, second.spent.found) == (0, 4)
    assert second.runs.equals(first.runs)


def test_a_directory_has_the_numbers_with_their_unit(
    results: airfair.ExperimentResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results.save(tmp_path / "out")
    assert pl.read_parquet(tmp_path / "out/flows.parquet")[f"{RATE} [Mb/s]"].max() == 5.5
    assert airfair.load_experiment(tmp_path / "out").flows.equals(results.flows)
    monkeypatch.setattr("airfair.experiment.loading.build", lambda: b"another")
    loaded = airfair.load_experiment(tmp_path / "out")
    assert loaded.flows.equals(results.flows)
    assert loaded.points.equals(results.points)


def test_a_cube_has_numbers_with_their_unit_as_coordinates(
    results: airfair.ExperimentResult,
) -> None:
    from airfair.experiment.cube import Axes

    axis, values, about = Axes(results).coordinates[RATE]
    assert (axis, values.tolist(), about) == (RATE, [1.0, 2.0, 5.5], {"units": "Mb/s"})

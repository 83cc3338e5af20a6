"""Tests of measures that are written in Python: expressions of polars, and functions of a run."""

# ruff: noqa: ANN401 - wrong measures have any type

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import airfair
from airfair.experiment.measures import Measurable
from small_experiments import RATES, experiment, run

TEXT = "max goodput"


def fastest(result: airfair.Result) -> float:
    """Goodput of the fastest flow of a run."""
    return float(result.flows["goodput_bps"].max())  # type: ignore[arg-type]


SAME: list[Measurable] = [TEXT, pl.col("goodput_bps").max(), fastest]
"""One measure in three ways."""


@pytest.fixture(scope="module")
def results() -> airfair.ExperimentResult:
    return run(factors=RATES, replications=3)


def test_text_expression_and_function_have_the_same_values(
    results: airfair.ExperimentResult,
) -> None:
    first, *others = [results.values(one) for one in SAME]
    assert first["value"].null_count() == 0
    assert all(other.equals(first) for other in others)
    numbers = [results.summary(one).drop("measure", "unit") for one in SAME]
    assert numbers[0].equals(numbers[1])
    assert numbers[0].equals(numbers[2])


def test_comparisons_figures_and_claims_take_each_of_them(
    results: airfair.ExperimentResult,
) -> None:
    factor = "station.slow.rate"
    baseline, level = results.levels[factor]
    tables = [results.compare(factor, baseline, one).drop("measure", "unit") for one in SAME]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])
    assert results.compare(factor, baseline, SAME).height == 3
    verdicts = results.decide(
        *(
            airfair.claim(f"c{i}", one, factor=factor, level=level, baseline=baseline, above=0.5)
            for i, one in enumerate(SAME)
        )
    )
    measured = [verdict.points[0].measured for verdict in verdicts]  # type: ignore[union-attr]
    assert measured[0] == measured[1] == measured[2]
    for one in SAME[1:]:
        assert results.plot(y=one).axes


@pytest.mark.parametrize("one", SAME[1:])
def test_a_rule_for_replications_takes_each_of_them(one: Measurable) -> None:
    made = [
        experiment(replications=airfair.until(of, half_width=0.02, least=2, most=6)).run(
            store=None, progress=False
        )
        for of in (TEXT, one)
    ]
    assert made[0].runs.equals(made[1].runs)


def test_a_name_and_a_unit_are_shown(results: airfair.ExperimentResult) -> None:
    named = airfair.measure(fastest, name="fastest flow", unit="bit/s")
    assert (str(named), named.label) == ("fastest flow", "fastest flow [Mb/s]")
    assert results.summary(named)["unit"].unique().to_list() == ["bit/s"]
    assert str(airfair.measure(fastest)) == "fastest"
    assert str(airfair.measure(pl.col("loss").mean().alias("lost"))) == "lost"
    assert str(airfair.measure(pl.col("loss").mean())) == 'col("loss").mean()'


def test_an_expression_is_one_of_the_first_table_with_all_its_columns() -> None:
    def table(expression: pl.Expr, **options: Any) -> str:
        part = airfair.measure(expression, **options).upper
        return part.table  # type: ignore[union-attr]

    assert table(pl.col("goodput_bps").sum()) == "flows"
    assert table(pl.col("loss").filter(pl.col("link") == "server").sum()) == "links"
    assert table(pl.col("loss").sum()) == "flows"
    assert table(pl.col("loss").sum(), table="links") == "links"
    assert table(pl.len(), table="stations") == "stations"
    assert table(pl.col("events")) == "runs"


def test_a_table_with_one_row_per_run_needs_no_aggregation(
    results: airfair.ExperimentResult,
) -> None:
    index = results.values(pl.col("airtime"))
    assert index["value"].equals(results.fairness["airtime"].alias("value"))


def test_a_run_without_a_value_has_null(results: airfair.ExperimentResult) -> None:
    for nothing in (
        lambda _: None,
        lambda _: float("nan"),
        pl.col("goodput_bps").filter(pl.col("goodput_bps") < 0).max(),
    ):
        assert results.values(nothing)["value"].null_count() == results.runs.height
        assert results.summary(nothing)["mean"].null_count() == 2


def test_a_function_sees_one_run_at_a_time(results: airfair.ExperimentResult) -> None:
    seen: list[int] = []

    def hashed(result: airfair.Result) -> bool:
        seen.append(result.runs.item(0, "record_hash"))
        return result.replications == 1

    assert results.values(hashed)["value"].to_list() == [1.0] * results.runs.height
    assert seen == results.runs["record_hash"].to_list()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (pl.col("goodput").max(), "unknown column goodput, did you mean"),
        (pl.col("goodput_bps"), r"a value for each flow; .* end the expression with \.sum"),
        (pl.col("goodput_bps").max() + pl.col("busy").max(), "no table has all of"),
        (pl.len(), "names no column"),
        (pl.col("flow").first(), "gives String; allowed are numbers"),
        (lambda result: result.flows, "returns a DataFrame; allowed is one number"),
        (lambda _: "3", "returns a str; allowed is one number"),
        (3.0, "allowed is text, for example goodput, an expression of polars, or a function"),
    ],
)
def test_mistakes_have_their_measure_and_what_is_allowed(
    results: airfair.ExperimentResult, wrong: Any, message: str
) -> None:
    with pytest.raises(airfair.StudyError, match=f"measure .*{message}"):
        results.summary(wrong)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"of": "goodput", "name": "x"}, "a text has its own"),
        ({"of": fastest, "table": "flows"}, "allowed is a table for an expression only"),
        ({"of": pl.col("loss").sum(), "table": "flow"}, "unknown table flow; allowed flows"),
        ({"of": pl.col("busy").sum(), "table": "flows"}, "unknown column busy"),
    ],
)
def test_options_of_another_kind_of_measure_are_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(airfair.StudyError, match=message):
        airfair.measure(**options)


def test_an_error_of_a_function_is_the_users_own(results: airfair.ExperimentResult) -> None:
    with pytest.raises(ZeroDivisionError):
        results.values(lambda _: 1 / 0)


def test_a_saved_experiment_has_the_names_of_such_measures_alone(tmp_path: Path) -> None:
    def claim(of: Measurable) -> airfair.experiment.Claim:
        return airfair.claim("fast", of, above=-1e9)

    made = experiment(claims=[claim(fastest)]).run(store=None, progress=False)
    assert made.decide()[0].holds
    made.save(tmp_path / "out")
    loaded = airfair.load_experiment(tmp_path / "out")
    with pytest.raises(airfair.StudyError, match="fastest: was written in Python"):
        loaded.decide()
    assert loaded.decide(claim(fastest))[0].holds
    assert loaded.values(fastest).equals(made.values(fastest))
    assert loaded.values(SAME[1]).equals(made.values(SAME[1]))


def test_a_directory_of_another_build_has_the_values_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = experiment(factors=RATES, replications=2).run(store=None, progress=False)
    made.save(tmp_path / "out")
    monkeypatch.setattr("airfair.experiment.loading.build", lambda: b"another")
    loaded = airfair.load_experiment(tmp_path / "out")
    assert type(loaded.finished).__name__ == "WrittenRuns"
    assert loaded.values(fastest).equals(made.values(fastest))

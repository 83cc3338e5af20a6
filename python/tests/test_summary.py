"""Tests of `Result.summary` and of the text of a result."""

from __future__ import annotations

import math
import statistics

import polars as pl
import pytest

import airfair
from support import SCENARIO


@pytest.fixture(scope="module")
def result() -> airfair.Result:
    return airfair.run(SCENARIO, seed=3, replications=3)


STUDENT = 4.302652729911275
"""Two-sided 95 % quantile of Student's t with 2 degrees of freedom."""


def test_a_summary_has_a_mean_and_its_interval_for_each_flow_and_station(
    result: airfair.Result,
) -> None:
    table = result.summary()
    assert table.columns == [
        "flow", "station", "measure", "unit", "mean", "ci95", "replications",
    ]  # fmt: skip
    assert table["flow"].unique(maintain_order=True).to_list() == ["a", "b", None]
    assert table["station"].unique(maintain_order=True).to_list() == [None, "slow", "fast"]
    (row,) = table.filter(flow="a", measure="goodput_bps").to_dicts()
    values = result.flows.filter(flow="a")["goodput_bps"].to_list()
    assert row["mean"] == pytest.approx(statistics.mean(values))
    # half width = t(2) · s / √3
    assert row["ci95"] == pytest.approx(STUDENT * statistics.stdev(values) / math.sqrt(3))
    assert (row["unit"], row["replications"]) == ("bit/s", 3)


def test_a_summary_of_measures_has_a_row_for_each(result: airfair.Result) -> None:
    table = result.summary("goodput", "airtime_share[slow]", "max goodput / min goodput")
    assert table["measure"].to_list() == [
        "goodput_bps",
        "airtime_share[slow]",
        "max goodput_bps / min goodput_bps",
    ]
    sums = result.flows.group_by("replication").agg(pl.col("goodput_bps").sum())["goodput_bps"]
    assert table.item(0, "mean") == pytest.approx(sums.mean())
    slow = result.stations.filter(station="slow")["airtime_share"]
    assert table.item(1, "mean") == pytest.approx(slow.mean())


def test_a_summary_is_that_of_an_experiment_without_factors(result: airfair.Result) -> None:
    exp = airfair.Experiment(SCENARIO, replications=3, seed=3)
    whole = exp.run(store=None, progress=False).summary("goodput", "loss[a]")
    assert whole.drop("point").equals(result.summary("goodput", "loss[a]"))


def test_one_run_has_no_interval() -> None:
    table = airfair.run(SCENARIO).summary()
    assert table["ci95"].null_count() == table.height


def test_a_summary_names_what_it_does_not_know(result: airfair.Result) -> None:
    with pytest.raises(airfair.StudyError, match="unknown column goodputs, did you mean"):
        result.summary("goodputs")
    with pytest.raises(airfair.StudyError, match="matches no flow; allowed a, b"):
        result.summary("goodput[c]")


def test_a_result_prints_its_title_its_replications_and_each_flow(result: airfair.Result) -> None:
    first, second = repr(result).splitlines()
    assert first == "<Result 'One slow station drags the fast one down': 3 replications of 4 s"
    summary = result.summary()
    for flow in ("a", "b"):
        (row,) = summary.filter(flow=flow, measure="goodput_bps").to_dicts()
        assert f"{flow} {row['mean'] / 1e6:.3f} ± {row['ci95'] / 1e6:.3f}" in second
    assert second.startswith("  goodput: a ")
    assert second.endswith(" Mb/s>")


def test_a_result_with_many_flows_still_prints_in_two_lines() -> None:
    crowd = SCENARIO.replace("[flow.a]", "[flow.a]\ncount = 30")
    text = repr(airfair.run(crowd))
    assert len(text.splitlines()) == 2
    assert "a1 " in text
    assert ", 25 more, all " in text
    assert "± " not in text


def test_a_point_of_an_experiment_prints_how_many_replications_it_has() -> None:
    made = airfair.Experiment(SCENARIO, factors={}, replications=2).run(store=None, progress=False)
    # The scenario itself asks for one.
    assert "2 replications of 4 s" in repr(made.result())


def test_an_interrupted_result_says_so() -> None:
    result = airfair.run(SCENARIO, replications=2)
    cut = airfair.Result(result.scenario, result.outcomes[:1], interrupted=True)
    assert "1 of 2 replications of 4 s" in repr(cut)
    nothing = airfair.Result(result.scenario, [], interrupted=True)
    assert repr(nothing).endswith("0 of 2 replications of 4 s>")
    assert nothing.summary().height == 0
    assert nothing.summary("goodput")["mean"].to_list() == [None]

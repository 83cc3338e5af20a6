"""Tests of measures: the parsing of their texts, their values from the tables, and their names."""

# ruff: noqa: ANN401 - wrong values have any type

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import airfair
from airfair.experiment.tables import SUBJECTS, columns
from small_experiments import run


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("goodput", "goodput_bps"),
        ("flow_rate", "flow_rate_bps"),
        (" min goodput ", "min goodput_bps"),
        ("sum goodput_bps", "goodput_bps"),
        ("delay_p95[voice*, x]", "delay_p95_ms[voice*, x]"),
        ("stations.airtime_share", "stations.airtime_share"),
        ("airtime.airtime_share", "airtime.airtime_share"),
        ("fairness.airtime", "fairness.airtime"),
        ("links.loss[a/b]", "links.loss[a/b]"),
        ("goodput[a] / goodput", "goodput_bps[a] / goodput_bps"),
    ],
)
def test_a_text_names_one_measure(text: str, whole: str) -> None:
    made = airfair.measure(text)
    assert airfair.measure(str(made)) == made == airfair.measure(made)
    if not text.startswith("stations"):
        assert str(made) == whole


def test_every_column_can_be_named_and_is_called_by_what_names_it() -> None:
    every = [(table, name) for table, there in columns().items() for name in there]
    assert len(every) > 80
    for table, name in every:
        for how in ("", "max "):
            made = airfair.measure(f"{how}{table}.{name}[a*]")
            assert airfair.measure(str(made)) == made
            assert (made.upper.table, made.upper.column) == (table, name)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("godput", 'did you mean "goodput"'),
        ("", "allowed is a column"),
        ("goodput /", "allowed is a column"),
        ("goodput / loss / loss", "allowed is a column"),
        ("tables.goodput", "unknown table tables; allowed flows"),
        ("flows.airtime_share", "unknown column airtime_share"),
        ("goodput[a", "allowed is a column"),
        ("median goodput", "allowed is a column"),
        (5, "allowed is text"),
        (None, "allowed is text"),
    ],
)
def test_a_text_that_names_none_says_what_comes_near(text: Any, wrong: str) -> None:
    with pytest.raises(airfair.StudyError, match=wrong):
        airfair.measure(text)


def test_goodput_is_added_up_and_delay_is_averaged_unless_a_word_says_otherwise(
    grid: airfair.ExperimentResult,
) -> None:
    flows = grid.flows.group_by("point", "replication", maintain_order=True)
    for text, wanted in {
        "goodput": pl.col("goodput_bps").sum(),
        "mean goodput": pl.col("goodput_bps").mean(),
        "min goodput": pl.col("goodput_bps").min(),
        "max goodput": pl.col("goodput_bps").max(),
        "flow_rate": pl.col("flow_rate_bps").mean(),
        "rtt_mean": pl.col("rtt_mean_ms").mean(),
        "retransmissions": pl.col("retransmissions").sum().cast(pl.Float64),
        "goodput[s*,b]": pl.col("goodput_bps").filter(pl.col("flow") == "b").sum(),
    }.items():
        made = grid.values(text)["value"]
        assert made.to_list() == pytest.approx(flows.agg(value=wanted)["value"].to_list())


def test_goodput_of_all_is_what_they_delivered_over_the_measured_time() -> None:
    # The second flow starts when the first has ended, so the sum of their rates exceeds the goodput.
    apart = run(
        set={"flow.a.stop": "100 ms", "flow.b.start": "100 ms"},
        factors={"station.slow.rate": ["1 Mb/s"]},
    )
    made = apart.values("goodput")["value"].to_list()
    runs = apart.flows.group_by("replication", maintain_order=True)
    octets = runs.agg(pl.col("delivered_bytes").sum())["delivered_bytes"].to_list()
    elapsed_s = apart.runs["elapsed_ns"][0] / 1e9
    assert made == pytest.approx([8 * each / elapsed_s for each in octets])
    rates = apart.values("sum flow_rate")["value"].to_list()
    assert all(rate > 1.1 * goodput for rate, goodput in zip(rates, made, strict=True))


def test_a_quotient_is_that_of_the_runs_in_values_and_that_of_the_means_in_a_summary(
    grid: airfair.ExperimentResult,
) -> None:
    both = {flow: grid.values(f"goodput[{flow}]") for flow in ("a", "b")}
    made = grid.values("goodput[a] / goodput[b]")
    assert made.columns == both["a"].columns
    assert made["value"].to_list() == (both["a"]["value"] / both["b"]["value"]).to_list()
    means = {
        flow: table.group_by("point", maintain_order=True).agg(pl.col("value").mean())["value"]
        for flow, table in both.items()
    }
    summary = grid.summary("goodput[a] / goodput[b]")["mean"]
    assert summary.to_list() == pytest.approx((means["a"] / means["b"]).to_list())


def test_a_value_that_a_run_has_not_is_null() -> None:
    idle = run(factors={"start": {"late": {"flow.a.start": "150 ms"}, "now": {}}})
    made = idle.values("completion[a]")
    assert made["value"].null_count() == 4
    assert idle.summary("completion")["mean"].to_list() == [None, None]
    # The quotient 0/0 is null, not NaN.
    nothing = idle.values("links.dropped_early / links.dropped_early")["value"]
    assert nothing.to_list() == [None] * 4


def test_a_name_that_no_flow_has_is_told(grid: airfair.ExperimentResult) -> None:
    with pytest.raises(
        airfair.StudyError, match=r"goodput_bps\[q\*\]: matches no flow; allowed a, b"
    ):
        grid.values("goodput[q*]")


@pytest.mark.parametrize(
    ("text", "name", "label"),
    [
        ("goodput[a]", "goodput[a]", "goodput[a] [Mb/s]"),
        ("delay_p95", "delay_p95", "delay_p95 [ms]"),
        ("goodput[a] / goodput", "goodput[a] / goodput", "goodput[a] / goodput"),
        ("fairness.airtime", "fairness.airtime", "fairness.airtime"),
        ("retransmissions", "retransmissions", "retransmissions [segments]"),
    ],
)
def test_people_read_a_measure_without_its_ending_and_with_its_unit(
    text: str, name: str, label: str
) -> None:
    made = airfair.measure(text)
    assert (made.name, made.label) == (name, label)


def test_every_table_has_its_subject() -> None:
    assert set(SUBJECTS) == set(columns())

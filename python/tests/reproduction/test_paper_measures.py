"""Tests that papers measure as summaries do: fields of a paper from measures, and measures from a paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import airfair
from airfair.estimate import Floats
from airfair.reproduction.measured import Columns, measured, of_each
from airfair.reproduction.papers.arf_window.runs import ArfWindowRuns
from support import SCENARIO


@pytest.fixture(scope="module")
def result() -> airfair.Result:
    return airfair.run(SCENARIO, replications=3)


def test_a_quantity_of_a_paper_is_a_measure(result: airfair.Result) -> None:
    """It has the value of the paper's class for each run, and of the text where one says the same."""
    whole = ArfWindowRuns.of(result)
    drops = ArfWindowRuns.measure(ArfWindowRuns.drops, unit="%")
    table = result.summary(drops, "packets_dropped / packets_sent", "goodput")
    assert table["measure"].to_list() == ["drops", "packets_dropped / packets_sent", "goodput_bps"]
    assert table["unit"][0] == "%"
    assert table["mean"][0] == pytest.approx(whole.drops().mean())
    assert whole.sent.tolist() == of_each(result, "packets_sent").sum(axis=1).tolist()
    assert table["mean"][2] / 1e6 == pytest.approx(whole.throughput().mean())


def test_a_measure_without_a_value_is_not_a_number(result: airfair.Result) -> None:
    @dataclass(frozen=True)
    class Some(Columns):
        nothing: Floats = measured("completion_s")
        whole: Floats = measured(lambda one: one.flows["packets_sent"].sum())

    some = Some.of(result)
    assert np.isnan(some.nothing).all()
    assert some.whole.tolist() == of_each(result, "packets_sent").sum(axis=1).tolist()

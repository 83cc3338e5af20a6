"""Tests of the criteria of a search: their values are those of the tables of results, by plain arithmetic."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import fmean, pstdev

import numpy as np
import polars as pl
import pytest

import airfair
from airfair.experiment.evaluation import singles
from airfair.limit_search.cells import QUICK, Flow, pair
from airfair.limit_search.measures import CRITERIA, UNIT, Groups, sampled
from airfair.limit_search.schemes import SCHEMES
from airfair.limit_search.space import condition
from airfair.scenario import load
from airfair.statistics import jain

Run = tuple[airfair.Result, tuple[Flow, ...]]


@pytest.fixture(scope="module")
def run() -> Run:
    """Two replications of a cell with flows in both directions, of which some are short transfers."""
    scheme = SCHEMES["data-ack"]
    where = condition(scheme.space, [0.5] * len(scheme.space))
    where |= {"stations": 5, "up_share": 50.0, "load": "short beside greedy"}
    both = pair(where, scheme.switch, QUICK)
    return airfair.run(load(both.using, replications=2)), both.flows


def test_the_groups_are_those_of_the_scenario(run: Run) -> None:
    result, flows = run
    groups = Groups.of(result, flows)
    assert len(groups.flows) == len(result.scenario.flows)
    assert {name[:2] for name in groups.short} == {
        f"f{flow.number}" for flow in flows if flow.role == "short"
    }
    assert set(groups.lasting).isdisjoint(groups.short)
    for each in result.scenario.flows:
        assert (each["name"] in groups.up) == (each["to"] == "server")
    assert groups.holders == tuple(f"s{name[1:]}" for name in groups.lasting)


def test_each_criterion_is_what_it_says(run: Run) -> None:
    result, flows = run
    groups = Groups.of(result, flows)
    found = sampled(result, flows, CRITERIA.values())
    for place, one in enumerate(singles(result)):
        rows = {row["flow"]: row for row in one.flows.iter_rows(named=True)}
        held = {row["station"]: row for row in one.airtime.iter_rows(named=True)}
        goodput = {name: row["goodput_bps"] for name, row in rows.items()}
        lasting = [goodput[name] for name in groups.lasting]
        up = fmean(goodput[name] for name in groups.lasting if name in groups.up)
        down = fmean(goodput[name] for name in groups.lasting if name not in groups.up)
        round_trips = [rows[name]["rtt_p95_ms"] for name in groups.lasting]
        times = [rows[name]["completion_s"] for name in groups.short]
        longest = result.scenario.duration_s - result.scenario.warmup_s
        expected = {
            "total": sum(goodput.values()),
            "goodput_fairness": jain(lasting),
            "airtime_fairness": jain(held[name]["airtime_share"] for name in groups.holders),
            "occupancy_fairness": jain(held[name]["occupancy"] for name in groups.holders),
            "balance": min(up, down) / max(up, down),
            "slowest": min(lasting),
            "loss": sum(row["packets_dropped"] for row in rows.values())
            / sum(row["packets_sent"] for row in rows.values()),
            "delay": fmean(each for each in round_trips if each is not None),
            "completion": fmean(longest if each is None else each for each in times),
            UNIT: fmean(lasting),
        }
        for name, value in expected.items():
            assert value is not None
            assert found[name][place] == pytest.approx(value, rel=1e-12), name
    # The balance is the same if up and down change places.
    others = tuple(name for name in groups.flows if name not in groups.up)
    swapped = CRITERIA["balance"].of(replace(groups, up=others))
    assert swapped is not None
    means = result.summary(swapped)["mean"].to_list()
    assert means == pytest.approx([found["balance"].mean()])
    # The scheme belongs to the access point, so all flows use it.
    assert groups.users == groups.flows
    assert found["own"] == pytest.approx(found["total"])
    assert np.isnan(found["others"]).all()


def test_unevenness_is_that_of_the_steps_after_the_warm_up() -> None:
    scheme = SCHEMES["tfrc"]
    where = condition(scheme.space, [0.5] * len(scheme.space)) | {"stations": 3, "load": "greedy"}
    both = pair(where, scheme.switch, QUICK)
    result = airfair.run(load(both.using, replications=1))
    groups = Groups.of(result, both.flows)
    each = []
    for name in groups.users:
        rates = result.series().filter(flow=name)["throughput_bps"].to_list()
        assert len(rates) == QUICK.end
        measured = rates[round(QUICK.warmup) :]
        each.append(pstdev(measured) / fmean(measured))
    found = sampled(result, both.flows, CRITERIA.values())
    assert found["unevenness"] == pytest.approx([fmean(each)])
    assert found["own"] + found["others"] == pytest.approx(found["total"])


def test_a_criterion_of_ones_own_is_a_text_an_expression_or_a_function(run: Run) -> None:
    result, flows = run
    made = [
        airfair.criterion("goodput[f1]", better="more", matters=1),
        airfair.criterion(
            pl.col("goodput_bps").filter(pl.col("flow") == "f1").sum(),
            better="more",
            matters=1,
            name="First flow",
        ),
        airfair.criterion(
            lambda one: one.flows.item(0, "goodput_bps"), better="more", matters=1, name="of item"
        ),
    ]
    assert [one.id for one in made] == ["goodput_f1", "first_flow", "of_item"]
    found = sampled(result, flows, made)
    first = found["goodput_f1"]
    assert len(first) == 2
    assert all(math.isfinite(value) and value > 0 for value in first)
    assert np.array_equal(found["first_flow"], first)
    assert np.array_equal(found["of_item"], first)
    with pytest.raises(airfair.StudyError, match="unknown column goodputs"):
        airfair.criterion("goodputs", better="more", matters=1)
    with pytest.raises(airfair.OptionError, match="the name 'total' is taken"):
        airfair.limits(
            "tfrc", criteria=[airfair.criterion("goodput", better="more", matters=1, name="total")]
        )


@pytest.mark.slow
def test_a_criterion_of_ones_own_is_reported() -> None:
    loss = airfair.criterion("loss[f1]", better="less", scale="points", matters=0.1)
    found = airfair.limits(
        "data-ack",
        criteria=[loss],
        quick=True,
        points=16,
        replications=3,
        store=None,
        progress=False,
    )
    # The first flow lasts at each point, so its loss has a value at all of them.
    assert found.table.filter(measure="loss_f1")["points"].to_list() == [16]
    assert found.document()["schemes"][0]["measures"][-1]["about"] == "loss[f1]"

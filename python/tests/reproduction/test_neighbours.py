"""Tests of the claims of `neighbours`, with runs made by hand and short runs of the study's scenarios."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import airfair
from airfair.experiment.claims import Verdict
from airfair.reproduction.catalogue import load
from airfair.reproduction.papers.neighbours import plan
from airfair.reproduction.papers.neighbours.claims import PREDICATES
from airfair.reproduction.papers.neighbours.runs import NeighbourRuns
from airfair.scenario import load as load_scenario
from support import unused_reasons

Data = dict[tuple[str, str], NeighbourRuns]
REPLICATIONS = 6


def made_up(first: float, *others: float) -> NeighbourRuns:
    """Runs with given goodputs of cells [Mb/s]: mine and yours, or left, middle and right."""
    cells = ("left", "middle", "right") if len(others) > 1 else ("mine", "yours")
    names = tuple(f"{cell}-{one}" for cell, one in product(cells, ("fast", "other")))
    chance = np.random.default_rng(1).normal(1, 1e-3, (REPLICATIONS, len(names)))
    return NeighbourRuns(
        flows=names,
        stations=names,
        mbps=np.repeat([first, *others], 2) / 2 * chance,
        delay_p95_ms=10 * chance,
        airtime=chance / len(names),
    )


def expected(setup: str, variant: str) -> NeighbourRuns:
    """Runs of a variant with which its claims hold."""
    if setup == "middle":
        return made_up(20, 1, 20)
    if setup == "reuse" and "colour on" in variant:
        return made_up(100, 100 if variant.endswith(("yours", "both")) else 50)
    if plan.NOBODY in variant:
        return made_up(100, 100)
    if plan.TURNS in variant or variant.endswith(("yours", "both")):
        return made_up(60, 60)
    return made_up(30, 30)


@pytest.fixture
def data() -> Data:
    """Measurements with which each claim holds."""
    return {
        (setup.id, variant.id): expected(setup.id, variant.id)
        for setup in load("neighbours").setups.values()
        for variant in setup.variants
    }


def decide(data: Data, claim: str) -> Verdict:
    (predicate,) = [one for one in PREDICATES if one.id == claim]
    return predicate.decide(data, "as written")


@pytest.mark.parametrize("claim", [one.id for one in PREDICATES])
def test_in_the_world_that_we_expected_the_claim_holds(claim: str, data: Data) -> None:
    verdict = decide(data, claim)
    assert verdict.holds, verdict.evidence


@pytest.mark.parametrize(
    ("claim", "where", "runs"),
    [
        ("slow-neighbour-drags", plan.two("up", "g", plan.YOURS), made_up(58, 50)),
        (
            "cure-in-yours-helps",
            plan.two("down", "ax", plan.YOURS, "airtime", "yours"),
            made_up(31, 60),
        ),
        (
            "cure-in-mine-fails",
            plan.two("up", "g", plan.YOURS, "arf-aware", "mine"),
            made_up(40, 30),
        ),
        (
            "longer-turns-help",
            plan.two("up", "ax", plan.YOURS, plan.TURNS, "mine"),
            made_up(31, 30),
        ),
        (
            "both-beat-mine",
            plan.two("down", "g", plan.BOTH, "occupancy", "both"),
            made_up(31, 30),
        ),
        ("reuse-frees", plan.reuse("on", plan.YOURS), made_up(80, 50)),
        ("reuse-replaces-cure", plan.reuse("on", plan.YOURS, "airtime", "yours"), made_up(100, 51)),
        ("middle-starves", plan.three("ax", plan.OUTER, "occupancy", "all"), made_up(20, 10, 20)),
    ],
)
def test_elsewhere_it_does_not(
    claim: str, where: tuple[str, str], runs: NeighbourRuns, data: Data
) -> None:
    assert where in data
    assert decide({**data, where: runs}, claim).here == "fails"


def test_reasons_explain_conditions_that_exist(data: Data) -> None:
    assert unused_reasons(load("neighbours"), data) == []


def test_goodput_and_air_are_those_of_a_cell() -> None:
    runs = made_up(30, 60)
    assert runs.mine().mean() == pytest.approx(30, rel=1e-2)
    assert runs.goodput("yours").mean() == pytest.approx(60, rel=1e-2)
    assert (runs.air("mine") + runs.air("yours")).mean() == pytest.approx(1, rel=1e-2)
    assert runs.slow_air().mean() == pytest.approx(0.25, rel=1e-2)
    assert made_up(20, 5, 20).middle_part().mean() == pytest.approx(0.25, rel=1e-2)


def test_cells_of_the_study_share_a_channel_and_outer_cells_do_not_hear_each_other() -> None:
    """Of the air of an outer cell, frames of the middle one are a small part; mine and yours share theirs."""
    short = {"duration": "2 s", "warmup": "1 s"}
    setups = load("neighbours").setups
    both = airfair.run(load_scenario(setups["cells-down"].path, set=short)).channel_shares
    assert min(both["neighbours"]) > 0.2
    three = airfair.run(load_scenario(setups["middle"].path, set=short)).channel_shares
    by_cell = dict(zip(three["channel"], three["neighbours"], strict=True))
    assert by_cell["middle"] > 0.6
    assert max(by_cell["left"], by_cell["right"]) < 0.2


def test_cells_side_by_side_wait_for_each_other_without_spatial_reuse_alone() -> None:
    short = {"duration": "1.5 s", "warmup": "0.5 s"}
    held = {}
    setup = load("neighbours").setups["reuse"]
    for variant in setup.variants:
        if plan.NOBODY in variant.id:
            scenario = load_scenario(setup.path, set={**variant.set, **short})
            held[variant.id] = max(airfair.run(scenario).channel_shares["neighbours"])
    assert held["colour off, nobody slow, none"] > 0.3
    assert held["colour on, nobody slow, none"] == 0

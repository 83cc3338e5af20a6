"""Tests of the claims of `fair`, with runs made by hand and short runs of the study's scenarios."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import airfair
from airfair.experiment.claims import Verdict
from airfair.reproduction.catalogue import load
from airfair.reproduction.papers.fair import plan
from airfair.reproduction.papers.fair.claims import PREDICATES, best_rival
from airfair.reproduction.papers.fair.runs import FairRuns
from support import unused_reasons

Data = dict[tuple[str, str], FairRuns]
REPLICATIONS = 6
STATIONS = ("fast1", "fast2", "slow", "phone", "web")
FLOWS = (*(f"bulk-up-{name}" for name in STATIONS[:3]), "call-down", "call-up", "page1", "page2")
STEPS = 50


def made_up(  # noqa: PLR0913 - quantities of runs, each with a default
    *,
    slow: float = 0.3,
    goodput: float = 30,
    call_ms: float = 30,
    completion_s: float = 0.3,
    later: float = 0.3,
    call: float = 0.07,
    wanting: int = 3,
) -> FairRuns:
    """Runs in which a slow station has a share of the air, and `later` from 2 s on."""
    chance = np.random.default_rng(1).normal(1, 1e-4, (REPLICATIONS, 1))
    air = np.array([0.3, 0.3, slow, 0.01, 0.02])
    steps = np.repeat(air[:, None], STEPS, axis=1)
    steps[2, 10:] = later
    return FairRuns(
        flows=FLOWS,
        stations=STATIONS,
        mbps=np.array([goodput / 3] * 3 + [call] * 2 + [0.04] * 2) * chance,
        delay_p95_ms=np.array([50] * 3 + [call_ms, call_ms / 2] + [60] * 2) * chance,
        completion_s=np.array([math.nan] * 5 + [completion_s] * 2) * chance,
        airtime=air * chance ** np.arange(5),
        has_backlog=np.tile(np.arange(5) < wanting, (REPLICATIONS, 1)),
        steps=steps * chance[:, :, None] ** np.arange(5)[:, None],
    )


def expected(setup: str, variant: str) -> FairRuns:
    """Runs of a variant with which its claims hold."""
    if setup == "rivals" and "fq-codel" in variant:
        return made_up(slow=0.9, later=0.9)
    if variant.endswith("fair"):
        return made_up(goodput=30.1)
    return made_up()


@pytest.fixture
def data() -> Data:
    """Measurements with which each claim holds."""
    return {
        (setup.id, variant.id): expected(setup.id, variant.id)
        for setup in load("fair").setups.values()
        for variant in setup.variants
    }


def decide(data: Data, claim: str) -> Verdict:
    (predicate,) = [one for one in PREDICATES if one.id == claim]
    return predicate.decide(data, "as written")


@pytest.mark.parametrize("claim", [one.id for one in PREDICATES])
def test_in_the_world_that_we_expected_the_claim_holds(claim: str, data: Data) -> None:
    verdict = decide(data, claim)
    assert verdict.holds, verdict.evidence


CELL = plan.Cell("n", "up", "50 ms", "5 + 1")


@pytest.mark.parametrize(
    ("claim", "where", "runs"),
    [
        ("equal-airtime", CELL.key(plan.FAIR), made_up(slow=0.4)),
        ("equal-in-a-second", CELL.key(plan.FAIR), made_up(later=0.6)),
        ("goodput-in-each", CELL.key(plan.FAIR), made_up(goodput=28)),
        ("goodput-in-all", CELL.key(plan.FAIR), made_up(goodput=25)),
        ("call-quick", CELL.key(plan.FAIR), made_up(call_ms=31.5)),
        ("short-downloads-quick", CELL.key(plan.FAIR), made_up(completion_s=0.302)),
        ("content-keeps", CELL.key(plan.FAIR), made_up(call=0.069)),
        ("today-equal", plan.sent("g", "both", "bbr", plan.FAIR), made_up(slow=0.4)),
        ("unfriendly-equal", plan.sent("ax", "up", "udp", plan.FAIR), made_up(slow=0.4)),
        ("conditions-equal", plan.under("n", "hidden", plan.FAIR), made_up(slow=0.4)),
        ("settles-soon", plan.changed("ax", "slow", plan.FAIR), made_up(later=0.6)),
    ],
)
def test_elsewhere_it_does_not(
    claim: str, where: tuple[str, str], runs: FairRuns, data: Data
) -> None:
    assert where in data
    assert decide({**data, where: runs}, claim).here == "fails"


def test_a_cell_whose_hosts_cannot_fill_their_shares_decides_nothing(data: Data) -> None:
    keys = [cell.key(plan.FAIR) for cell in plan.cells("g", "down")]
    without = {**data, **dict.fromkeys(keys, made_up(slow=0.9, wanting=1))}
    verdict = decide(without, "equal-airtime")
    assert verdict.holds
    assert verdict.count == (8, 8)


def test_only_a_fair_rival_counts(data: Data) -> None:
    quick = {
        CELL.key("fifo"): made_up(slow=0.9, goodput=90),
        CELL.key("regulator"): made_up(goodput=31),
    }
    assert best_rival({**data, **quick}, CELL) == "regulator"


def test_reasons_explain_conditions_that_exist(data: Data) -> None:
    assert unused_reasons(load("fair"), data) == []


def test_indices_are_over_bulk_stations_and_windows_over_their_time() -> None:
    # (0.3 + 0.3 + 0.6)² / (3 · (0.09 + 0.09 + 0.36)) = 1.44 / 1.62
    runs = made_up(slow=0.6, later=0.6)
    assert runs.jain().mean() == pytest.approx(1.44 / 1.62, rel=1e-3)
    assert runs.windows(1).mean() == pytest.approx(1.44 / 1.62, rel=1e-3)
    # Of ten windows of 1 s, eight are after the change.
    assert made_up(later=0.6).windows(5).mean() == pytest.approx(0.2 + 0.8 * 1.44 / 1.62, rel=1e-3)
    # Two of the three stations have backlog, and equal airtime.
    assert made_up(slow=0.6, wanting=2).jain_with_backlog().mean() == pytest.approx(1, rel=1e-3)
    assert np.isnan(made_up(wanting=1).jain_with_backlog()).all()


def test_the_time_to_settle_is_that_to_the_end_of_the_first_fair_second() -> None:
    assert made_up().settled().mean() == pytest.approx(1)
    # Ten seconds are measured, of which eight are after the change.
    assert made_up(later=0.9).settled().mean() == pytest.approx(8)


def test_scenarios_have_the_stations_and_directions_of_their_names() -> None:
    setups = load("fair").setups
    flows = {"1 + 1": 2, "5 + 1": 6, "mixed": 10}
    for way, stations in product(plan.WAYS, plan.STATIONS):
        cell = plan.Cell("g", way, "10 ms", stations)
        setup, name = cell.key(plan.FAIR)
        (variant,) = [one for one in setups[setup].variants if one.id == name]
        scenario = variant.job(0, {}).scenario
        bulk = [flow["name"] for flow in scenario.flows if flow["name"].startswith("bulk")]
        assert len(bulk) == flows[stations] * (2 if way == "both" else 1)
        assert len(scenario.stations) == flows[stations] + 2


def test_the_fair_access_point_helps_uploads_within_seconds() -> None:
    setup = load("fair").setups["cells"]
    index = {}
    for scheme in (plan.AIRTIME, plan.FAIR):
        key = plan.Cell("g", "up", "10 ms", "1 + 1").key(scheme)
        (variant,) = [one for one in setup.variants if one.id == key[1]]
        short = {"duration": "10 s", "warmup": "5 s", "flow.page.count": 1, "flow.page.start": "5 s",
                 "flow.page.start_jitter": "1 s"}  # fmt: skip
        runs = FairRuns.of(airfair.run(variant.job(0, short).scenario, replications=1))
        index[scheme] = float(runs.jain()[0])
    assert index[plan.AIRTIME] < 0.9
    assert index[plan.FAIR] > 0.98

"""Tests of the claims of `modern`, with runs made by hand and short runs of the study's scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from airfair.experiment.claims import Verdict
from airfair.reproduction.catalogue import load
from airfair.reproduction.papers.modern.claims import PREDICATES
from airfair.reproduction.papers.modern.findings import SEARCHES
from airfair.reproduction.papers.modern.plan import (
    AGGREGATED,
    AGGREGATES,
    AIRTIME,
    ALONE,
    AQL,
    BULK,
    COMMITTED,
    DRIVER,
    EQUAL,
    FOUND,
    FQ_MAC,
    FULL,
    ONE,
    PRINTED,
    SHARED,
    SMALL,
    TWO_SLOW,
    anomaly,
    ath9k,
    ending,
    reading,
    scheme,
    short_flows,
    sold,
    users,
)
from airfair.reproduction.papers.modern.runs import ModernRuns
from airfair.scenario import load as load_scenario
from support import unused_reasons

Data = dict[tuple[str, str], ModernRuns]
REPLICATIONS = 6


def made_up(fast: float, slow: float, part: float, *, up: bool = False) -> ModernRuns:
    """Runs of a fast and a slow flow with given goodputs [Mb/s], and the slow station's share of airtime."""
    chance = np.random.default_rng(1).normal(1, 1e-3, (REPLICATIONS, 2))
    ones = np.ones((REPLICATIONS, 2))
    air = np.array([0.9 * (1 - part), 0.9 * part]) * chance
    way = "up" if up else "down"
    return ModernRuns(
        flows=(f"{way}-fast", f"{way}-slow"),
        stations=("fast", "slow"),
        mbps=np.array([fast, slow]) * chance,
        delay_p95_ms=10 * ones,
        sent=1000 * ones,
        dropped=ones,
        airtime=air,
        occupancy=air,
        aggregate=10 * ones[:, 0],
        completion_s=np.nan * ones,
    )


def three(printed: str, rates: Sequence[float] | None = None) -> ModernRuns:
    """Runs of three stations with the airtime and the goodputs [Mb/s] that a source prints."""
    chance = np.random.default_rng(2).normal(1, 1e-3, (REPLICATIONS, 3))
    air = 0.9 * np.array(PRINTED[printed]["air"]) * chance
    mbps = np.array(rates or PRINTED[printed]["mbps"]) * chance
    names = ("fast1", "fast2", "slow")
    return replace(
        made_up(1, 1, 0.5), flows=names, stations=names, mbps=mbps, airtime=air, occupancy=air
    )


def eight(mbps: float, part: float = 0.25) -> ModernRuns:
    """Runs of six fast and two slow stations: goodput of all [Mb/s], part of the air of the slow ones."""
    chance = np.random.default_rng(4).normal(1, 1e-3, (REPLICATIONS, 8))
    names = (*(f"fast{i}" for i in range(6)), "slow1", "slow2")
    air = 0.9 * np.array([(1 - part) / 6] * 6 + [part / 2] * 2) * chance
    ones = np.ones((REPLICATIONS, 8))
    return replace(
        made_up(1, 1, 0.5),
        flows=names,
        stations=names,
        mbps=mbps / 8 * chance,
        delay_p95_ms=10 * ones,
        sent=1000 * ones,
        dropped=ones,
        airtime=air,
        occupancy=air,
        completion_s=np.nan * ones,
    )


def shorts(seconds: float) -> ModernRuns:
    """Runs of a slow download, and of a short transfer that takes `seconds`."""
    chance = np.random.default_rng(3).normal(1, 1e-3, (REPLICATIONS, 2))
    times = np.array([np.nan, seconds]) * chance
    return replace(made_up(1, 1, 0.5), flows=("bulk", "short1"), completion_s=times)


def expected(setup: str, variant: str) -> ModernRuns:
    """Runs of a variant with which its claims hold."""
    if setup.startswith("anomaly"):
        equal = variant.rpartition(" ")[2] in {"54", "144.4", "866.7", "1201"}
        scheduled = AIRTIME in variant and setup.endswith("down")
        part = 0.5 if equal or scheduled else 0.7 if ALONE in variant else 0.9
        return made_up(100 if equal or scheduled else 10, 10, part)
    if setup.startswith("users"):
        shared = variant.endswith(SHARED)
        if variant.startswith(EQUAL):
            return eight(200 if shared else 100)
        return eight(100 if shared or AIRTIME not in variant else 200)
    if setup.startswith("today"):
        return made_up(10, 10, 0.9)
    if setup.startswith(("schemes", "readings")):
        both = (
            made_up(20, 10, 0.5) if "none" in variant or variant == "tfrc" else made_up(40, 5, 0.5)
        )
        if setup.endswith("both"):
            flows = ("down-fast", "up-slow")
            return replace(
                both, flows=flows, mbps=both.mbps.mean(axis=1, keepdims=True) * [[1, 1.01]]
            )
        return both
    if setup.startswith("sold"):
        waits = 100 if variant.endswith("driver") else 10
        part = 0.9 if "off, fifo" in variant else 0.8 if "fifo" in variant else 0.5
        runs = made_up(40, 5, part, up=setup.endswith("up"))
        return replace(runs, delay_p95_ms=runs.delay_p95_ms * waits)
    if setup == "ath9k":
        return three("airtime", COMMITTED[variant])
    if setup == "ending":
        return three("airtime" if variant.endswith(AIRTIME) else "fifo")
    return shorts(2.0 if variant.endswith("fifo") else 0.3)


@pytest.fixture
def data() -> Data:
    """Measurements with which each claim holds."""
    setups = load("modern").setups.values()
    return {
        (setup.id, variant.id): expected(setup.id, variant.id)
        for setup in setups
        if not setup.extension
        for variant in setup.variants
    }


def decide(data: Data, claim: str) -> Verdict:
    (predicate,) = [p for p in PREDICATES if p.id == claim]
    return predicate.decide(data, "as written")


CALCULATED = "ending-fifo-air"
"""Claim on printed values that were calculated, not measured."""


@pytest.mark.parametrize("claim", [one.id for one in PREDICATES if one.id != CALCULATED])
def test_in_the_world_that_we_expected_the_claim_holds(claim: str, data: Data) -> None:
    verdict = decide(data, claim)
    assert verdict.holds, verdict.evidence


@pytest.mark.parametrize(
    ("claim", "where", "runs"),
    [
        ("dragged-down", anomaly("n", "up", AGGREGATED), made_up(90, 3, 0.55)),
        ("aggregation-worse", anomaly("ac", "down", AGGREGATED), made_up(90, 3, 0.6)),
        ("airtime-ends", anomaly("ax", "down", AGGREGATED, AIRTIME), made_up(90, 3, 0.6)),
        ("airtime-not-up", anomaly("ax", "up", AGGREGATED, AIRTIME), made_up(90, 3, 0.5)),
        ("fq-codel-no-cure", anomaly("n", "down", AGGREGATED, "fq-codel"), made_up(9, 9, 0.5)),
        ("ending-fifo-goodput", ending(FULL, DRIVER), three("airtime")),
        ("ath9k-turns", ath9k(FQ_MAC), three("airtime")),
        ("ending-fair-goodput", ending(FULL, AIRTIME), three("fifo")),
        ("occupancy-helps", scheme("ax", "up", "occupancy"), made_up(5, 5, 0.5)),
        ("arf-aware-helps", scheme("ax", "up", "arf-aware"), made_up(60, 1, 0.5)),
        ("short-flows-faster", short_flows("ax", AIRTIME), shorts(1.5)),
        ("found-rates-drag", sold("n", "down", FOUND, "fifo"), made_up(9, 9, 0.5)),
        ("found-rates-fair", sold("ac", "down", FOUND, AIRTIME), made_up(9, 9, 0.7)),
        ("aql-short-waits", sold("ax", "down", FOUND, AQL), made_up(9, 9, 0.5)),
        ("amsdu-eases", sold("ax", "up", FOUND, "fifo", joined=True), made_up(9, 9, 0.95)),
        ("multi-user-fair", users(BULK, TWO_SLOW, "fifo", SHARED), eight(100, 0.6)),
        ("fairness-keeps-users", users(SMALL, TWO_SLOW, AIRTIME, SHARED), eight(80)),
        ("users-help-small", users(SMALL, EQUAL, AIRTIME, SHARED), eight(100)),
        ("users-help-bulk", users(BULK, EQUAL, "fifo", ONE), eight(300)),
        ("slow-users-cost", users(SMALL, TWO_SLOW, AIRTIME, SHARED), eight(190)),
    ],
)
def test_elsewhere_it_does_not(
    claim: str, where: tuple[str, str], runs: ModernRuns, data: Data
) -> None:
    assert decide({**data, where: runs}, claim).here == "fails"


@pytest.mark.parametrize("how", ["seen", "apart"])
def test_each_reading_of_a_packets_time_turns_a_claim_on_the_schemes_that_compute_it(
    how: str, data: Data
) -> None:
    where = reading("ax", "up", "occupancy", how)
    assert where in data
    verdict = decide({**data, where: made_up(5, 5, 0.5)}, "occupancy-helps")
    assert (verdict.here, verdict.state) == ("holds", "depends")
    assert verdict.turned_by == [AGGREGATES[how]]
    assert decide(data, "arf-aware-helps").elsewhere == ()


def test_parts_of_the_air_that_are_calculated_cannot_be_tested(data: Data) -> None:
    verdict = decide(data, CALCULATED)
    assert (verdict.state, verdict.unresolved) == ("untestable", "")


def test_what_a_station_has_as_remembered_stands_beside(data: Data) -> None:
    where = ending(FULL, AIRTIME)
    other = replace(data[where], mbps=data[where].mbps[:, ::-1])
    verdict = decide({**data, where: other}, "ending-fair-goodput")
    assert verdict.holds
    (remembered,) = [one for one in verdict.elsewhere if "remembered" in one.where]
    assert (remembered.state, remembered.near) == ("fails", False)


def test_reasons_explain_conditions_that_exist(data: Data) -> None:
    assert unused_reasons(load("modern"), data) == []


def test_a_report_calls_it_a_study_and_others_papers() -> None:
    assert load("modern").noun == "study"
    assert load("arf-window").noun == "paper"


def test_a_transfer_that_was_not_done_has_taken_longest() -> None:
    times = np.array([[np.nan, 1.0, 2.0, np.nan], [np.nan, 1.0, 2.0, 3.0]])
    flows = ("bulk", "short1", "short2", "short3")
    runs = replace(made_up(1, 1, 0.5), flows=flows, completion_s=times)
    assert runs.completion(0.5).tolist() == [2.0, 2.0]
    assert runs.completion(0.9).tolist() == [np.inf, 3.0]
    assert runs.unfinished().tolist() == [1 / 3, 0.0]


def test_the_printed_goodputs_take_other_parts_of_the_air_than_those_printed() -> None:
    """The shares of airtime computed from the printed goodputs are 6.3, 5.7 and 88.0 %.

    7.1 Mb/s are 603 packets a second. Each takes 85.5 us, and 4.5 packets share a preamble: 5.6 % of the
    time. The other stations take 5.1 and 78.1 %.
    """
    (search,) = [one for one in SEARCHES if one.id == "printed-air"]
    implied = search.find({}).numbers["implied"]
    assert implied == pytest.approx([0.063, 0.057, 0.880], abs=0.002)


def test_a_scheme_of_the_sender_runs_where_stations_send() -> None:
    setups = load("modern").setups
    ids = {way: {v.id for v in setups[f"schemes-ax-{way}"].variants} for way in ("down", "up")}
    assert ids["up"] - ids["down"] == {"arf-aware", "rate-cap"}


def test_aggregates_are_as_long_as_the_driver_lets_them() -> None:
    """At 7.2 Mb/s an aggregate has two packets with the driver's 4 ms, three with the standard's 5.484 ms."""
    import airfair

    setup = load("modern").setups["ending"]
    for variant, packets in (("standard, airtime", 3), ("4 ms, airtime", 2)):
        (found,) = [v for v in setup.variants if v.id == variant]
        alone = {"flow.fast1.transport.rate": "1 kb/s", "flow.fast2.transport.rate": "1 kb/s"}
        short = {"duration": "2 s", "warmup": "1 s"}
        result = airfair.run(load_scenario(setup.path, set={**found.set, **alone, **short}))
        assert result.access_points["mean_aggregate"][0] == pytest.approx(packets, abs=0.02)

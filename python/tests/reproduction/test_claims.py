"""Tests of the claims of `arf-aware-tcp` with runs made by hand: claims hold, fail or are undecided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from airfair.experiment.claims import Verdict
from airfair.reproduction.catalogue import load
from airfair.reproduction.papers.arf_aware_tcp.claims import PREDICATES
from airfair.reproduction.papers.arf_aware_tcp.plan import AS_READ, CAPS, NEWRENO
from airfair.reproduction.papers.arf_aware_tcp.runs import ArfAwareRuns
from support import assert_all_is_said, unused_reasons

Data = dict[tuple[str, str], ArfAwareRuns]
MakeRuns = Callable[..., ArfAwareRuns]

TWO = [3.0, 11.0]
FAIR = (20, [1050, 1050])


def decide(data: Data, claim: str) -> Verdict:
    (predicate,) = [p for p in PREDICATES if p.id == claim]
    return predicate.decide(data, "as printed")


@pytest.mark.parametrize("predicate", PREDICATES, ids=lambda p: p.id)
def test_in_the_papers_world_every_claim_holds(predicate: object, measurements: Data) -> None:
    verdict = decide(measurements, predicate.id)  # type: ignore[attr-defined]
    assert verdict.holds, verdict.evidence


@pytest.mark.parametrize(
    ("claim", "where", "after"),
    [
        ("fairness-above-0.9", ("table1", "arf_aware"), [490, 490]),
        ("anomaly-equalises", ("table1", "newreno"), [400, 600]),
        ("anomaly-equalises", ("table1", "newreno"), [1000, 1000]),
        ("fast-session-kept", ("table1", "arf_aware"), [350, 800]),
        ("aggregate-gain-2", ("table1", "arf_aware"), [480, 500]),
        ("aggregate-gain-2", ("table1", "arf_aware"), [800, 1200]),
    ],
)
def test_a_world_against_the_claim_refutes_it(
    claim: str,
    where: tuple[str, str],
    after: list[float],
    measurements: Data,
    make_runs: MakeRuns,
) -> None:
    measurements[where] = make_runs([FAIR, (100, after)], TWO)
    verdict = decide(measurements, claim)
    assert verdict.here == "fails"
    assert not verdict.holds
    assert "fails" in verdict.evidence


@pytest.mark.parametrize(
    ("claim", "where", "after"),
    [
        ("aggregate-gain-5", ("table4", "arf_aware"), [280] * 5),
        ("no-harm-when-fair", ("table3", "arf_aware"), [100, 300]),
        ("multi-rate-order", ("table5", "arf_aware"), [200, 150, 300, 700, 700]),
        ("multi-rate-order", ("table5", "newreno"), [150, 200, 300, 700, 700]),
        ("aggregate-held", ("table5", "arf_aware"), [230] * 5),
        ("aggregate-held", ("table5", "newreno"), [150, 200, 300, 700, 700]),
        ("quick-recovery", ("recovery", "arf_aware"), [350, 1000]),
        ("quick-recovery", ("recovery", "newreno"), [350, 1000]),
    ],
)
def test_the_other_experiments_can_refute_their_claims(
    claim: str,
    where: tuple[str, str],
    after: list[float],
    measurements: Data,
    make_runs: MakeRuns,
) -> None:
    before = FAIR if len(after) == 2 else (20, [420] * 5)
    rates = list(measurements[where].mean_link_rate_bps / 1e6)
    measurements[where] = make_runs([before, (100, after)], rates)
    assert decide(measurements, claim).here == "fails"


@pytest.mark.parametrize("scheme", AS_READ.near)
@pytest.mark.parametrize("claim", [one.id for one in PREDICATES if one.beside])
def test_each_reading_of_the_cap_turns_the_claims_on_the_scheme(
    claim: str, scheme: str, measurements: Data
) -> None:
    for setup in ("table1", "table3", "table4", "table5", "recovery"):
        measurements[setup, scheme] = measurements[setup, NEWRENO]
    if claim == "no-harm-when-fair":
        less = measurements["table3", scheme]
        measurements["table3", scheme] = replace(less, delivered=less.delivered // 2)
    verdict = decide(measurements, claim)
    assert (verdict.here, verdict.state) == ("holds", "depends")
    assert verdict.turned_by == [CAPS[scheme]]


def test_a_claim_on_newreno_alone_has_no_reading_of_the_scheme() -> None:
    assert [one.id for one in PREDICATES if not one.beside] == ["anomaly-equalises"]


def test_a_point_names_the_runs_that_it_rests_on(measurements: Data) -> None:
    for predicate in PREDICATES:
        for reading in (predicate.deciding, *predicate.beside):
            for point in reading.points(measurements):
                assert point.of, point.what
                assert {setup for setup, _ in point.of} <= set(reading.setups)


def test_an_interval_across_the_bound_is_undecided_and_does_not_hold(
    measurements: Data, make_runs: MakeRuns
) -> None:
    # Ten replications keep 850 of 1050 kb/s, ten keep 1050: the interval of the mean 0.905 contains 0.9.
    parts = [make_runs([FAIR, (100, [350, kept])], TWO) for kept in (850, 1050)]
    measurements["table1", "arf_aware"] = replace(
        parts[0],
        delivered=np.concatenate([runs.delivered for runs in parts]),
        series=np.concatenate([runs.series for runs in parts]),
    )
    for scheme in AS_READ:
        measurements["table1", scheme] = measurements["table1", "arf_aware"]
    verdict = decide(measurements, "fast-session-kept")
    assert verdict.state == "undecided"
    assert not verdict.holds
    assert verdict.evidence.startswith("undecided: ")


def test_levels_are_means_over_their_interval(make_runs: MakeRuns) -> None:
    runs = make_runs([FAIR, (100, [400, 800])], TWO, noise=0)
    assert np.allclose(runs.throughput_between(25, 100), [400, 800], rtol=1e-4)
    # (19·1050 + 80·400)/100 = 519.5
    assert np.allclose(runs.throughput_kbps[:, 0], 519.5, rtol=1e-4)


def test_reasons_explain_conditions_that_exist(measurements: Data) -> None:
    assert unused_reasons(load("arf-aware-tcp"), measurements) == []


def test_each_text_has_its_numbers_and_says_all_of_them(papers_world: Data) -> None:
    assert_all_is_said(load("arf-aware-tcp"), papers_world)

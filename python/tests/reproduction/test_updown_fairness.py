"""Tests of the claims of `updown-fairness`, with runs made by hand and short runs of its scenarios."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from airfair.experiment.claims import Verdict
from airfair.reproduction.catalogue import load
from airfair.reproduction.paper_result import PaperResult
from airfair.reproduction.papers.updown_fairness.claims import PREDICATES
from airfair.reproduction.papers.updown_fairness.findings import candidates
from airfair.reproduction.papers.updown_fairness.plan import (
    DECIDES,
    FOUR,
    NEAR,
    ONE_WEAK,
    RESIDUAL,
    SCOPES,
    SMALL,
    SYMMETRIC,
    SYSTEMS,
    TWO,
    FigurePoint,
    in_group,
    setup_id,
)
from airfair.reproduction.papers.updown_fairness.runs import DOWN, UP, UpDownRuns
from airfair.reproduction.results import Outcome
from airfair.reproduction.runs import Choice, measure
from airfair.scenario import load as load_scenario
from support import assert_all_is_said, unused_reasons

Data = dict[tuple[str, str], UpDownRuns]
REPLICATIONS = 6
SENT = 10_000.0


def made_up(
    up: float, down: float, *, loss_up: float = 0.0, loss_down: float = 0.0, flows: int = 1
) -> UpDownRuns:
    """Runs of equal flows with given total goodputs by direction [packets/s] and estimated losses."""
    generator = np.random.default_rng(1)
    shape = (REPLICATIONS, 2 * flows)
    is_up = np.arange(2 * flows) < flows
    rates = np.where(is_up, up / flows, down / flows) * generator.normal(1, 1e-3, shape)
    losses = np.where(is_up, loss_up, loss_down) * generator.normal(1, 1e-3, shape)
    sent = np.full(shape, SENT)
    return UpDownRuns(
        ways=(UP,) * flows + (DOWN,) * flows,
        packets_per_s=rates,
        sent=sent,
        dropped=losses * sent / 2,
        seen=sent,
        seen_again=losses * sent,
        completion_s=np.full(shape, np.nan),
    )


def ratio(value: float, **losses: float) -> UpDownRuns:
    """Runs with a given ratio of downlink to uplink goodput."""
    return made_up(200.0, 200.0 * value, **losses)


def papers_world(place: FigurePoint) -> UpDownRuns:
    """Runs of a point as the paper describes them."""
    m, q = place.attempts, place.packets
    fair = place.scheme == "scheduler"
    loss_up = 0.1 / 4**m
    if m == 1:
        level = 0.8 if q in SMALL and place.scenario == "dl2-ul2" else 1.1
        return (
            made_up(100, 150, loss_up=loss_up, loss_down=0.06)
            if place.scenario == "dl1-ul1"
            else ratio(
                1.3 if place.scenario == "dl4-ul4" else level, loss_up=loss_up, loss_down=0.06
            )
        )
    if m == 2:
        return made_up(150, 150 * (1.2 + q / 200), loss_up=loss_up, loss_down=0.02)
    if m == 3:
        return ratio(1.05, loss_up=loss_up, loss_down=0.05)
    if fair:
        return ratio(1.0, loss_up=loss_up, loss_down=0.05)
    return made_up(400, 20 + q / 20, loss_up=loss_up, loss_down=0.3)


def run() -> Iterator[FigurePoint]:
    """Points of the systems under which claims are decided."""
    setups = load("updown-fairness").setups
    for system, scheme, scenario in product(SCOPES, ("fifo", "scheduler"), SYMMETRIC):
        setup = setups.get(setup_id(system, scheme, scenario))
        for variant in setup.variants if setup else ():
            m, q = re.findall(r"[0-9]+", variant.id)
            yield FigurePoint(system, scheme, scenario, int(m), int(q))


@pytest.fixture(scope="module")
def everywhere() -> list[FigurePoint]:
    return list(run())


@pytest.fixture
def data(everywhere: list[FigurePoint]) -> Data:
    """Measurements with which each claim holds, except one that cannot hold without noise."""
    found = {place.key: papers_world(place) for place in everywhere}
    small = [
        FigurePoint(DECIDES, "fifo", scenario, 1, q) for scenario in (TWO, FOUR) for q in SMALL
    ]
    return {**found, **{in_group("small", place): papers_world(place) for place in small}}


def decide(data: Data, claim: str) -> Verdict:
    (predicate,) = [p for p in PREDICATES if p.id == claim]
    return predicate.decide(data, "as printed")


@pytest.mark.parametrize("claim", [predicate.id for predicate in PREDICATES])
def test_in_the_papers_world_the_claim_holds_everywhere(claim: str, data: Data) -> None:
    verdict = decide(data, claim)
    assert verdict.holds, verdict.evidence
    assert all(elsewhere.state == "holds" for elsewhere in verdict.elsewhere)


def place(scheme: str, scenario: str, attempts: int, packets: int = 100) -> FigurePoint:
    return FigurePoint(DECIDES, scheme, scenario, attempts, packets)


def test_reasons_explain_conditions_that_exist(data: Data) -> None:
    assert unused_reasons(load("updown-fairness"), data) == []


@pytest.mark.parametrize(
    ("claim", "where", "runs"),
    [
        ("mt1-dl2ul2", place("fifo", "dl2-ul2", 1, 200), ratio(1.3)),
        ("mt1-dl2ul2", place("fifo", "dl2-ul2", 1, 50), ratio(0.7)),
        ("mt1-dl4ul4", place("fifo", "dl4-ul4", 1, 50), ratio(0.9)),
        ("mt2-downlink", place("fifo", "dl4-ul4", 2, 50), ratio(0.9)),
        ("mt2-downlink", place("fifo", "dl2-ul2", 2, 200), ratio(1.1)),
        ("large-mt-starves-downlink", place("fifo", "dl2-ul2", 8, 200), ratio(0.6)),
        ("large-mt-starves-downlink", place("fifo", "dl4-ul4", 4, 50), ratio(0.9)),
        ("large-mt-starves-downlink", place("fifo", "dl4-ul4", 6, 200), ratio(0.01)),
        ("reversal", place("fifo", "dl1-ul1", 8), made_up(120, 100)),
        ("reversal", place("fifo", "dl1-ul1", 3), ratio(0.9)),
        ("reversal", place("fifo", "dl1-ul1", 4), ratio(1.1)),
        ("uplink-loss-falls", place("fifo", "dl4-ul4", 3), ratio(1, loss_up=0.05)),
        ("uplink-loss-falls", place("fifo", "dl4-ul4", 2), ratio(1.7, loss_up=0.2)),
        ("downlink-loss-turns", place("fifo", "dl4-ul4", 2), ratio(1, loss_down=0.07)),
        ("downlink-loss-turns", place("fifo", "dl4-ul4", 8), ratio(1, loss_down=0.01)),
        ("below-1-over-n-plus-1", place("fifo", "dl4-ul4", 8), ratio(0.15)),
        ("scheduler-1-1", place("scheduler", "dl4-ul4", 6, 200), ratio(0.7)),
        ("scheduler-losses", place("scheduler", "dl4-ul4", 8), ratio(1, loss_up=0.01)),
        ("scheduler-losses", place("scheduler", "dl4-ul4", 6), ratio(1, loss_down=0.4)),
        ("scheduler-no-help-below", place("scheduler", "dl2-ul2", 2), ratio(1.0)),
    ],
)
def test_one_figure_that_is_off_takes_the_claim_down(
    claim: str, where: FigurePoint, runs: UpDownRuns, data: Data
) -> None:
    assert where.key in data
    data[where.key] = runs
    assert not decide(data, claim).holds


def test_points_of_our_own_stand_beside_and_do_not_decide(data: Data) -> None:
    """Buffers below 50 packets, which the paper's text does not name, do not decide a claim."""
    data[in_group("small", place("fifo", TWO, 1, 10))] = ratio(1.5)
    verdict = decide(data, "mt1-dl2ul2")
    assert verdict.holds
    (ours,) = [one for one in verdict.elsewhere if "does not name" in one.where]
    assert (ours.state, ours.near) == ("fails", False)


def test_the_other_system_that_comes_as_near_turns_a_claim(data: Data) -> None:
    near = NEAR[0]
    data[FigurePoint(near, "fifo", "dl1-ul1", 3, 100).key] = ratio(0.9)
    verdict = decide(data, "reversal")
    assert verdict.state == "depends"
    assert verdict.turned_by == [SYSTEMS[near]]
    data[FigurePoint("ideal", "fifo", "dl1-ul1", 3, 100).key] = ratio(0.9)
    assert decide(data, "reversal").turned_by == [SYSTEMS[near]]


def test_the_row_that_chose_the_system_has_no_part_in_a_claim(data: Data) -> None:
    """The claim "reversal" does not depend on Figure 3's row, which is dl1-ul1 at M_t = 1."""
    for system in SCOPES:
        data[FigurePoint(system, "fifo", "dl1-ul1", 1, 100).key] = ratio(0.1)
    assert decide(data, "reversal").holds


def test_where_one_sender_is_weak_the_others_are_not() -> None:
    setups = load("updown-fairness").setups
    for scenario, senders in ((TWO, 2), (FOUR, 4)):
        setup = setups[setup_id(ONE_WEAK, "fifo", scenario)]
        variant = setup.variants[0]
        cell = tomllib.loads(load_scenario(setup.path, set=variant.set).to_toml())
        sending = {flow["from"] for flow in cell["flow"].values()} - {"A"}
        assert len(sending) == senders
        errored = [
            name for name in sending if cell["station"][name].get("errors", "none") != "none"
        ]
        assert errored == ["weak"]


def test_a_point_names_the_runs_that_it_rests_on(data: Data) -> None:
    for predicate in PREDICATES:
        for point in predicate.deciding.points(data):
            assert point.of, point.what
            assert set(point.of) <= data.keys()


def test_no_loss_cannot_fall_and_no_surplus_cannot_be_mended(data: Data) -> None:
    # From M_t = 4 on the loss is 0.1/4⁴ or less, below a thousandth.
    states = decide(data, "uplink-loss-falls").states
    assert states == ["holds"] * 3 + ["untestable"] * 4
    data[place("fifo", TWO, 2).key] = ratio(0.8)
    assert decide(data, "scheduler-no-help-below").states[1] == "untestable"


def test_goodputs_are_sums_and_losses_parts_of_what_was_seen() -> None:
    runs = made_up(100, 300, loss_up=0.04, loss_down=0.1, flows=4)
    assert runs.goodput(UP) == pytest.approx(100, rel=5e-3)
    assert runs.total() == pytest.approx(400, rel=5e-3)
    assert runs.ratio() == pytest.approx(3, rel=5e-3)
    assert runs.unfairness() == pytest.approx(np.log(3), rel=5e-3)
    assert runs.loss(UP) == pytest.approx(0.04, rel=5e-3)
    assert runs.exact_loss(DOWN) == pytest.approx(0.05, rel=5e-3)


def test_the_scheme_of_a_place_sets_its_queue() -> None:
    setup, variant = FigurePoint(DECIDES, "scheduler", TWO, 6, 50).key
    found = load("updown-fairness").setups[setup]
    (one,) = [one for one in found.variants if one.id == variant]
    scenario = tomllib.loads(load_scenario(found.path, set=one.set).to_toml())
    queue = scenario["bss"]["cell"]["ap"]["queue"]
    assert (queue["discipline"], queue["packets"]) == ("data-ack", 50)
    assert list(SYMMETRIC.values()) == [1, 2, 4]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    paper = load("updown-fairness")
    out: Path = tmp_path_factory.mktemp("out")
    choice = Choice(paper, (paper.experiments["fig4"],), 3, out, quick=True)
    return Outcome(choice, measure(choice))


def test_downlink_loss_turns_where_the_queue_overflows(outcome: Outcome) -> None:
    (figure,) = outcome.document()["experiments"]
    loss = figure["measured"][DOWN]["estimated"]["Q100"]
    assert loss["M2"] < loss["M1"] < loss["M8"]
    exact = figure["measured"][DOWN]["exact"]["Q100"]
    assert all(exact[m] == pytest.approx(loss[m], rel=0.8) for m in loss)
    claims = {claim["id"]: claim["holds"] for claim in outcome.document()["claims"]}
    assert claims.keys() == {"mt1-dl4ul4", "uplink-loss-falls", "downlink-loss-turns"}
    assert claims["downlink-loss-turns"]


def test_a_first_look_has_one_of_the_readings_that_are_as_near(outcome: Outcome) -> None:
    for verdict in outcome.verdicts:
        assert [one.where for one in verdict.elsewhere] == [SYSTEMS[RESIDUAL[0]]]
    text = PaperResult.of(outcome).text()
    assert f"as near: {SYSTEMS[RESIDUAL[0]]}: " in " ".join(text.split())
    assert max(len(line) for line in text.splitlines()) <= 80
    assert {"report.html", "fig4.png", "cell.toml"} <= outcome.files().keys()


def test_the_system_that_decides_comes_nearest_to_the_printed_row(tmp_path: Path) -> None:
    """Of some candidates, the deciding and the equally near ones are nearest to Figure 3's row."""
    paper = load("updown-fairness")
    kept = ("ideal", "frames-0.02", DECIDES, *NEAR)
    setup = paper.setups["calibration"]
    variants = tuple(one for one in setup.variants if one.id in kept)
    setups = {**paper.setups, "calibration": replace(setup, variants=variants)}
    only = replace(paper.experiments["fig3"], setups=("calibration",))
    measured = measure(Choice(replace(paper, setups=setups), (only,), 4, tmp_path, quick=True))
    distance = {id_: one.distance for id_, one in candidates(measured.data, kept).items()}
    assert max(distance[id_] for id_ in (DECIDES, *NEAR)) < 0.2
    assert min(distance["ideal"], distance["frames-0.02"]) > 0.35


def test_each_text_has_its_numbers_and_says_all_of_them() -> None:
    paper = load("updown-fairness")
    runs = made_up(200, 150, loss_up=0.1, loss_down=0.05, flows=2)
    ways = (UP, DOWN, "upload", "download")
    mixed = replace(runs, ways=ways, completion_s=np.full((REPLICATIONS, len(ways)), 2.0))
    keys = [(setup.id, one.id) for setup in paper.setups.values() for one in setup.variants]
    data = {key: mixed if key[0] == "short-flows" else runs for key in keys}
    assert_all_is_said(paper, data)

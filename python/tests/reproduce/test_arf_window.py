"""The claims of `arf-window` on hand-made runs, and a short run of its own scenarios."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from airfair import engine
from airfair.reproduce.catalogue import load
from airfair.reproduce.claims import Verdict
from airfair.reproduce.paper import Paper
from airfair.reproduce.papers.arf_window import findings
from airfair.reproduce.papers.arf_window.plan import (
    BELTS,
    DECIDING,
    NEAR,
    NEWRENO,
    ONCE,
    SCHEMES,
    SPEEDS,
    SYSTEMS,
    WINDOW,
    Place,
    at_random,
    at_rest,
    claimed,
    in_grid,
    on_the_way,
    once_key,
    straight,
    with_stations,
)
from airfair.reproduce.papers.arf_window.runs import Runs, gain
from airfair.reproduce.results import Outcome
from airfair.reproduce.runs import Choice, measure
from airfair.scenario import load as load_scenario
from support import unused_reasons

Data = dict[tuple[str, str], Runs]
REPLICATIONS = 6
SENT = 100_000.0
CLAIMS = [
    "away-throughput",
    "away-drops",
    "toward-throughput",
    "toward-drops",
    "random-waypoint",
]


def made_up(mbps: float, drop_percent: float, *, noise: float = 1e-3, seed: int = 1) -> Runs:
    """One download with this throughput and drop rate; runs of one seed are comparable in pairs."""
    generator = np.random.default_rng(seed)
    rates = mbps * generator.normal(1, noise, (REPLICATIONS, 1))
    dropped = drop_percent / 100 * SENT * generator.normal(1, noise, REPLICATIONS)
    return Runs(
        mbps=rates,
        sent=np.full(REPLICATIONS, SENT),
        dropped=dropped,
        queue_full=0.75 * dropped,
        retry_limit=0.25 * dropped,
        rate_changes_per_s=np.full(REPLICATIONS, 100.0),
        rtt_ms=np.full(REPLICATIONS, 50.0),
        background_mbps=np.zeros(REPLICATIONS),
    )


def papers_world(scheme: str) -> Runs:
    """Table I, everywhere."""
    return made_up(8.44, 0.351) if scheme == NEWRENO else made_up(8.85, 0.017)


@pytest.fixture
def data() -> Data:
    """A world in which every claim of the paper holds."""
    places = [place for system in SYSTEMS for place in claimed(system)]
    return {place.key(scheme): papers_world(scheme) for place in places for scheme in SCHEMES}


@pytest.fixture(scope="module")
def paper() -> Paper[Runs]:
    return load("arf-window")


Decide = Callable[[Data, str], Verdict]


@pytest.fixture
def decide(paper: Paper[Runs]) -> Decide:
    def of(data: Data, claim: str) -> Verdict:
        (predicate,) = [p for p in paper.predicates if p.id == claim]
        return predicate.decide(data, "as printed")

    return of


@pytest.mark.parametrize("claim", CLAIMS)
def test_in_the_papers_world_the_claim_holds_everywhere(
    claim: str, data: Data, decide: Decide
) -> None:
    verdict = decide(data, claim)
    assert verdict.holds, verdict.evidence
    assert all(elsewhere.state == "holds" for elsewhere in verdict.elsewhere)


def test_reasons_explain_conditions_that_exist(data: Data) -> None:
    assert unused_reasons(load("arf-window"), data) == []


@pytest.mark.parametrize(
    ("claim", "where", "proposed"),
    [
        ("away-throughput", on_the_way(DECIDING, "away", 7), made_up(8.43, 0.017)),
        ("away-drops", on_the_way(DECIDING, "away", 1), made_up(8.85, 0.36)),
        ("toward-throughput", on_the_way(DECIDING, "toward", 10), made_up(8.0, 0.017)),
        ("toward-drops", on_the_way(DECIDING, "toward", 3), made_up(8.85, 0.4)),
        ("random-waypoint", at_random(DECIDING), made_up(8.5, 0.017)),
        ("random-waypoint", at_random(DECIDING), made_up(9.4, 0.017)),
        ("random-waypoint", at_random(DECIDING), made_up(8.85, 0.1)),
    ],
)
def test_one_speed_that_is_off_takes_the_claim_down(
    claim: str, where: Place, proposed: Runs, data: Data, decide: Decide
) -> None:
    assert where.key(WINDOW) in data
    data[where.key(WINDOW)] = proposed
    assert decide(data, claim).state == "fails"


@pytest.mark.parametrize("claim", CLAIMS[:4])
def test_a_difference_within_the_noise_is_undecided(claim: str, data: Data, decide: Decide) -> None:
    direction = claim.split("-", maxsplit=1)[0]
    place = on_the_way(DECIDING, direction, 5)
    data[place.key(NEWRENO)] = made_up(8.44, 0.3, noise=0.1, seed=2)
    data[place.key(WINDOW)] = made_up(8.44, 0.3, noise=0.1, seed=3)
    assert decide(data, claim).state == "undecided"


@pytest.mark.parametrize("claim", ["away-drops", "toward-drops"])
def test_where_nothing_is_dropped_there_is_nothing_to_see(
    claim: str, data: Data, decide: Decide
) -> None:
    for place in claimed(DECIDING):
        for scheme in SCHEMES:
            runs = data[place.key(scheme)]
            data[place.key(scheme)] = replace(runs, dropped=np.zeros(REPLICATIONS))
    assert decide(data, claim).state == "untestable"


def test_the_other_readings_decide_nothing(data: Data, decide: Decide) -> None:
    for speed in SYSTEMS[NEAR].speeds:
        data[on_the_way(NEAR, "away", speed).key(WINDOW)] = made_up(5.0, 1.0)
    verdict = decide(data, "away-throughput")
    assert verdict.holds
    assert [one.state for one in verdict.elsewhere] == ["holds", "holds", "fails"]


def test_rates_are_parts_of_the_packets_sent_and_gains_of_the_mean() -> None:
    place = in_grid(50, 100)
    runs = {place.key(NEWRENO): made_up(8.0, 0.4), place.key(WINDOW): made_up(8.4, 0.1)}
    standard = runs[place.key(NEWRENO)]
    assert standard.drops() == pytest.approx(0.4, rel=5e-3)
    assert standard.drops_in_queue() == pytest.approx(0.3, rel=5e-3)
    assert standard.drops_on_air() == pytest.approx(0.1, rel=5e-3)
    assert gain(runs, place).mean == pytest.approx(5, rel=1e-2)
    assert standard.jain() == pytest.approx(1)
    assert replace(standard, mbps=np.array([[3.0, 1.0]])).jain() == pytest.approx(0.8)


def test_a_straight_way_takes_as_long_as_the_speed_says() -> None:
    # 20 s at rest, then 360 m at 4 m/s
    keys = straight("toward", 4)
    assert keys["duration"] == "110.000 s"
    assert keys["station.mobile.mobility"] == {
        "model": "waypoints",
        "points": [["20 s", "365 m", "0 m"], ["110.000 s", "5 m", "0 m"]],
    }


def test_the_scenario_has_the_settings_of_the_paper(paper: Paper[Runs]) -> None:
    setup = paper.reference["setup"]
    assert (setup["theta_up"], setup["theta_down"], setup["t_up_ms"]) == (10, 2, 60)
    assert (setup["speeds_mps"][0], setup["speeds_mps"][-1]) == (SPEEDS[0], SPEEDS[-1])
    assert setup["runs"] == paper.replications
    text = (paper.setups["grid"].path).read_text(encoding="utf-8")
    assert f'receive_window = "{setup["socket_buffer_bytes"]} B"' in text
    assert '{ "6 Mb/s" = "370 m", "54 Mb/s" = "37 m" }' in text


def test_findings_say_where_the_scheme_helps() -> None:
    data: Data = {}
    for delay in (5, 20, 50, 100):
        for packets in (25, 50, 100, 150):
            place = in_grid(delay, packets)
            helps = (delay, packets) == (5, 25)
            data[place.key(NEWRENO)] = made_up(8.0, 0.35 if helps else 0.0)
            data[place.key(WINDOW)] = made_up(8.5 if helps else 7.5, 0.3 if helps else 0.0)
    text = findings.network(data).text
    assert "more throughput in 1 (5 ms, 25 packets) and less in 15 (" in text
    assert "Table I come at 5 ms, 25 packets: 0.350 % with standard TCP, 0.300 %" in text


def test_findings_compare_a_fall_that_counts_once_with_standard_tcp() -> None:
    data: Data = {}
    for label, place in ONCE.items():
        data[place.key(NEWRENO)] = made_up(8.0, 0.0)
        data[place.key(WINDOW)] = made_up(7.6, 0.0)
        data[once_key(label)] = made_up(7.84, 0.0)
    assert "random waypoint -2.0 ± 0.0 % instead of -5.0 ± 0.0 %" in findings.once(data).text


def test_findings_count_the_runs_that_stay_with_a_small_window(data: Data) -> None:
    for belt in BELTS:
        data[at_rest(belt).key(NEWRENO)] = made_up(9.3, 0.0)
        data[at_rest(belt).key(WINDOW)] = made_up(8.8 if belt == "18 Mb/s" else 9.3, 0.0)
    data[on_the_way(DECIDING, "away", 9).key(WINDOW)] = made_up(7.0, 0.0)
    text = findings.belts(data).text
    assert "where 18 Mb/s is the highest rate that gets through: -5.4 ± 0.0 %" in text
    # 10 speeds, 6 replications; those at 9 m/s have 7.0 Mb/s of 8.44
    assert "6 of 60 of the runs away lose more than 6%" in text
    assert "0 of 60 of those toward" in text


@pytest.fixture(scope="module")
def outcome(paper: Paper[Runs], tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Figure 5, two replications."""
    choice = Choice(
        paper, (paper.experiments["fig5"],), 2, tmp_path_factory.mktemp("o"), quick=True
    )
    return Outcome(choice, measure(choice))


def test_with_150_kb_in_the_access_point_nothing_is_dropped(outcome: Outcome) -> None:
    (figure,) = outcome.document()["experiments"]
    for scheme in SCHEMES:
        assert set(figure["measured"][scheme]["drop rate"].values()) == {0.0}
        assert all(7 < mbps < 10 for mbps in figure["measured"][scheme]["throughput"].values())
    claims = {claim["id"]: claim["holds"] for claim in outcome.document()["claims"]}
    assert claims == {"toward-throughput": False, "toward-drops": False}


def test_with_fifty_packets_there_are_drops_like_the_papers(outcome: Outcome) -> None:
    drops = outcome.measured.data[on_the_way(NEAR, "toward", 4).key(NEWRENO)].drops()
    assert drops.mean() == pytest.approx(0.25, abs=0.1)


def test_a_terminal_is_wide_enough(outcome: Outcome) -> None:
    text = outcome.text(saved=True)
    assert "not deciding: RTS/CTS before every frame: " in text
    assert max(len(line) for line in text.splitlines()) <= 80
    assert {"report.html", "fig5.png", "cell.toml"} <= outcome.files().keys()


def test_the_scheme_drops_less_where_ten_stations_share_the_queue(paper: Paper[Runs]) -> None:
    setup = paper.setups["stations"]
    place = with_stations(10)
    standard, proposed = (
        Runs.of(result)
        for result in engine.run_many(
            [
                load_scenario(setup.path, replications=4, set=variant.set)
                for variant in setup.variants
                if (setup.id, variant.id) in {place.key(scheme) for scheme in SCHEMES}
            ]
        )
    )
    assert proposed.drops().mean() < 0.9 * standard.drops().mean()

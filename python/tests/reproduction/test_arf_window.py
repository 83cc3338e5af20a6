"""Tests of the claims of `arf-window`, with runs made by hand and short runs of the paper's scenarios."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from airfair import engine
from airfair.experiment.claims import Verdict
from airfair.reproduction.catalogue import load
from airfair.reproduction.paper import Paper
from airfair.reproduction.paper_result import PaperResult
from airfair.reproduction.papers.arf_window.figures import scheme_columns
from airfair.reproduction.papers.arf_window.plan import (
    ALSO_FIT,
    CANDIDATES,
    DECIDING,
    NEWRENO,
    PLACE,
    PRINTED,
    PROJECTED,
    READINGS,
    SCHEMES,
    SLOW,
    SPEEDS,
    STRAIGHT,
    SYSTEMS,
    WINDOW,
    SchemePair,
    at_random,
    at_spot,
    baseline_key,
    claimed,
    in_region,
    on_the_way,
    with_reading,
)
from airfair.reproduction.papers.arf_window.runs import ArfWindowRuns, gain
from airfair.reproduction.results import Outcome
from airfair.reproduction.runs import Choice, measure
from airfair.scenario import load as load_scenario
from support import assert_all_is_said, told, unused_reasons

Data = dict[tuple[str, str], ArfWindowRuns]
REPLICATIONS = 6
SENT = 100_000.0
CLAIMS = [
    "away-throughput",
    "away-drops",
    "toward-throughput",
    "toward-drops",
    "random-waypoint",
]


def made_up(
    mbps: float,
    drop_percent: float,
    *,
    noise: float = 1e-3,
    seed: int = 1,
    replications: int = REPLICATIONS,
) -> ArfWindowRuns:
    """Runs of one download with a given throughput and drop rate; equal seeds make paired runs."""
    generator = np.random.default_rng(seed)
    rates = mbps * generator.normal(1, noise, (replications, 1))
    dropped = drop_percent / 100 * SENT * generator.normal(1, noise, replications)
    return ArfWindowRuns(
        mbps=rates,
        sent=np.full(replications, SENT),
        dropped=dropped,
        queue_full=0.75 * dropped,
        retry_limit=0.25 * dropped,
        rate_changes_per_s=np.full(replications, 100.0),
    )


def papers_world(scheme: str) -> ArfWindowRuns:
    """Runs with the throughput and drop rate of Table I for a scheme."""
    return made_up(8.44, 0.351) if scheme == NEWRENO else made_up(8.85, 0.017)


@pytest.fixture
def data() -> Data:
    """Measurements with which each claim holds."""
    places = [place for system in SYSTEMS for place in claimed(system)]
    return {place.key(scheme): papers_world(scheme) for place in places for scheme in SCHEMES}


@pytest.fixture(scope="module")
def paper() -> Paper[ArfWindowRuns]:
    return load("arf-window")


Decide = Callable[[Data, str], Verdict]


@pytest.fixture
def decide(paper: Paper[ArfWindowRuns]) -> Decide:
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
    claim: str, where: SchemePair, proposed: ArfWindowRuns, data: Data, decide: Decide
) -> None:
    assert where.key(WINDOW) in data
    data[where.key(WINDOW)] = proposed
    verdict = decide(data, claim)
    assert verdict.here == "fails"
    assert verdict.count[0] == verdict.count[1] - 1


@pytest.mark.parametrize("claim", CLAIMS[:4])
def test_a_difference_within_the_noise_is_undecided(claim: str, data: Data, decide: Decide) -> None:
    direction = claim.split("-", maxsplit=1)[0]
    place = on_the_way(DECIDING, direction, 5)
    data[place.key(NEWRENO)] = made_up(8.44, 0.3, noise=0.1, seed=2)
    data[place.key(WINDOW)] = made_up(8.44, 0.3, noise=0.1, seed=3)
    assert decide(data, claim).here == "undecided"


@pytest.mark.parametrize("claim", ["away-drops", "toward-drops"])
def test_where_standard_tcp_drops_nothing_nothing_can_be_dropped_less(
    claim: str, data: Data, decide: Decide
) -> None:
    for place in claimed(DECIDING):
        for scheme in SCHEMES:
            runs = data[place.key(scheme)]
            data[place.key(scheme)] = replace(runs, dropped=np.zeros(REPLICATIONS))
    assert decide(data, claim).here == "untestable"


def test_a_place_that_fits_as_well_turns_the_claim_and_so_does_the_letter(
    data: Data, decide: Decide
) -> None:
    data[on_the_way("smoothed", "away", 5).key(WINDOW)] = made_up(5.0, 1.0)
    verdict = decide(data, "away-throughput")
    assert verdict.holds
    assert [one.state for one in verdict.elsewhere].count("fails") == 1
    as_printed = data[on_the_way("printed", "away", 5).key(WINDOW)]
    data[on_the_way("printed", "away", 5).key(WINDOW)] = made_up(5.0, 1.0)
    verdict = decide(data, "away-throughput")
    assert (verdict.state, verdict.turned_by) == ("depends", [SYSTEMS["printed"].label])
    data[on_the_way("printed", "away", 5).key(WINDOW)] = as_printed
    other = at_spot(ALSO_FIT[0])
    data[on_the_way(other, "away", 5).key(WINDOW)] = made_up(5.0, 0.1)
    verdict = decide(data, "away-throughput")
    assert (verdict.state, verdict.turned_by) == ("depends", [SYSTEMS[other].label])


def test_rates_are_parts_of_the_packets_sent_and_gains_of_the_mean() -> None:
    place = on_the_way(DECIDING, "away", 5)
    runs = {place.key(NEWRENO): made_up(8.0, 0.4), place.key(WINDOW): made_up(8.4, 0.1)}
    standard = runs[place.key(NEWRENO)]
    assert standard.drops() == pytest.approx(0.4, rel=5e-3)
    assert standard.drops_in_queue() == pytest.approx(0.3, rel=5e-3)
    assert standard.drops_on_air() == pytest.approx(0.1, rel=5e-3)
    assert gain(runs, place).mean == pytest.approx(5, rel=1e-2)


def test_a_gain_is_of_the_replications_that_both_have() -> None:
    place = on_the_way("printed", "away", 5)
    runs = {
        place.key(NEWRENO): made_up(8.0, 0.4, replications=9),
        place.key(WINDOW): made_up(8.4, 0.1),
    }
    assert gain(runs, place).count == REPLICATIONS
    columns = scheme_columns(runs, [place])
    assert [column.cells[0].measured.count for column in columns] == [REPLICATIONS] * len(columns)


@pytest.mark.parametrize(("way", "ends"), [("away", (5, 365)), ("toward", (365, 5))])
def test_a_straight_way_takes_as_long_as_the_speed_says(
    way: str, ends: tuple[int, int], paper: Paper[ArfWindowRuns]
) -> None:
    # The station rests for 20 s and then moves 360 m: at 4 m/s the run ends after 110 s.
    for speed in SPEEDS:
        end = round(20 + 360 / speed, 3)
        for setup, id_ in on_the_way(DECIDING, way, speed).keys_of_both:
            (variant,) = [it for it in paper.setups[setup].variants if it.id == id_]
            assert variant.set["duration"] == f"{end:g} s"
            first, last = (["20 s", f"{ends[0]} m", "0 m"], [f"{end:g} s", f"{ends[1]} m", "0 m"])
            mobility = {"model": "waypoints", "points": [first, last]}
            assert variant.set["station.mobile.mobility"] == mobility


def test_the_scenario_has_the_settings_of_the_paper(paper: Paper[ArfWindowRuns]) -> None:
    setup = paper.reference["setup"]
    assert (setup["theta_up"], setup["theta_down"], setup["t_up_ms"]) == (10, 2, 60)
    assert (setup["speeds_mps"][0], setup["speeds_mps"][-1]) == (SPEEDS[0], SPEEDS[-1])
    table1, region = paper.setups["place-random"], paper.setups["region"]
    assert table1.replications == setup["runs"]
    text = region.path.read_text(encoding="utf-8")
    assert f'receive_window = "{setup["socket_buffer_bytes"]} B"' in text
    assert '{ "6 Mb/s" = "370 m", "54 Mb/s" = "37 m" }' in text


def test_every_run_is_made_once_and_slow_ways_less_often(paper: Paper[ArfWindowRuns]) -> None:
    keys = [(setup.id, variant.id) for setup in paper.setups.values() for variant in setup.variants]
    assert len(keys) == len(set(keys))
    slow = [setup for setup in paper.setups.values() if setup.id.endswith("-slow")]
    assert {setup.replications for setup in slow} == {5}
    assert {len(setup.variants) for setup in slow} == {2 * SLOW}
    # Readings that differ in the scheme's law alone share the runs of standard TCP.
    assert on_the_way("printed", "away", 5).standard == on_the_way(DECIDING, "away", 5).standard
    assert {p.standard for p in (with_reading(r, "away") for r in READINGS)} == {
        on_the_way(DECIDING, "away", 5).standard
    }


def candidates_world() -> Data:
    """Runs of standard TCP that are equal to Table I at the deciding candidate, and deviate at others."""
    data: Data = {}
    for number, spot in enumerate(CANDIDATES):
        drops = 0.0 if spot[1] == 100 else 0.351 * (1 + 0.1 * number)
        data[baseline_key(spot)] = made_up(8.44, drops, noise=0.01)
    return data


def test_the_place_is_the_one_whose_standard_tcp_is_the_papers(paper: Paper[ArfWindowRuns]) -> None:
    assert paper.calibration is not None
    found = paper.finding(paper.calibration, candidates_world())
    at = "20 ms, 25 packets"
    assert f"the nearest is {at}" in found.text
    assert "These fit as well: none" in found.text
    assert "decide nothing: 50 ms, 100 packets" in found.text
    assert found.tables[0].rows[0] == f"{at} (fits)"
    assert len(found.tables[0].rows) == len(CANDIDATES)
    assert PLACE == (20, 25)


def test_findings_say_which_reading_gains(paper: Paper[ArfWindowRuns]) -> None:
    data: Data = {}
    for reading in READINGS:
        for way in STRAIGHT:
            place = with_reading(reading, way)
            data[place.key(NEWRENO)] = made_up(8.0, 0.3)
            better = reading == PROJECTED
            data[place.key(WINDOW)] = made_up(8.8 if better else 7.6, 0.03 if better else 0.3)
    text = told(paper, "readings", data)
    assert "gains +10.0 ± 0.0 % away and +10.0 ± 0.0 % toward with τ projected" in text
    assert (
        "-5.0 ± 0.0 % away and -5.0 ± 0.0 % toward by the letter. All three choices are needed"
        in text
    )
    data[with_reading(PRINTED, "away").key(WINDOW)] = made_up(8.8, 0.03)
    data[with_reading(PRINTED, "toward").key(WINDOW)] = made_up(8.8, 0.03)
    assert "2 of them gain throughput both ways" in told(paper, "readings", data)


def test_findings_say_where_the_scheme_helps(paper: Paper[ArfWindowRuns]) -> None:
    data: Data = {}
    for spot in CANDIDATES:
        place = in_region(spot)
        data[place.key(NEWRENO)] = made_up(8.0, 0.35)
        data[place.key(WINDOW)] = made_up(8.8 if spot == PLACE else 7.6, 0.3)
    text = told(paper, "region", data)
    assert "more throughput with 1 of them: 20 ms, 25 packets (+10.0 ± 0.0 %)" in text
    assert "It has less with 7: 10 ms" in " ".join(text.split())


def test_each_text_has_its_numbers_and_says_all_of_them(paper: Paper[ArfWindowRuns]) -> None:
    keys = [(setup.id, one.id) for setup in paper.setups.values() for one in setup.variants]
    assert_all_is_said(paper, {key: made_up(8.0, 0.3, seed=i) for i, key in enumerate(keys)})


@pytest.fixture(scope="module")
def outcome(paper: Paper[ArfWindowRuns], tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Outcome of Figure 5: two replications of 30 s for each way."""
    setups = {
        id_: replace(setup, quick={"duration": "30 s"}) for id_, setup in paper.setups.items()
    }
    short = replace(paper, setups=setups)
    choice = Choice(
        short, (short.experiments["fig5"],), 2, tmp_path_factory.mktemp("o"), quick=True
    )
    return Outcome(choice, measure(choice))


def test_a_terminal_is_wide_enough(outcome: Outcome) -> None:
    text = PaperResult.of(outcome).text()
    assert "the letter: τ as measured, mean RTT" in text
    assert max(len(line) for line in text.splitlines()) <= 80
    assert {"report.html", "fig5.png", "cell.toml"} <= outcome.files().keys()


def test_at_the_place_the_scheme_gains_and_drops_little(paper: Paper[ArfWindowRuns]) -> None:
    place = on_the_way(DECIDING, "away", 5)
    setup = paper.setups[place.standard[0]]
    data = dict(
        zip(
            place.keys_of_both,
            [
                ArfWindowRuns.of(result)
                for result in engine.run_many(
                    [
                        load_scenario(setup.path, replications=4, set=variant.set)
                        for key in place.keys_of_both
                        for variant in setup.variants
                        if variant.id == key[1]
                    ]
                )
            ],
            strict=True,
        )
    )
    assert gain(data, place).low > 0
    standard, proposed = (data[key].drops().mean() for key in place.keys_of_both)
    assert standard == pytest.approx(0.35, abs=0.1)
    assert proposed < 0.3 * standard

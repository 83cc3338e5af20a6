"""Tests of the claims of `occupancy-tfrc`, with runs made by hand and short runs of the paper's scenarios."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from airfair import engine
from airfair.experiment.claims import Verdict
from airfair.reproduction.catalogue import load
from airfair.reproduction.paper import Paper, Setup
from airfair.reproduction.paper_result import PaperResult
from airfair.reproduction.papers.occupancy_tfrc.plan import (
    BOTH,
    COUNTS,
    EQUAL,
    MIXTURES,
    ON,
    ONCE,
    PLAIN,
    PROFILES,
    RATES,
    SETTINGS,
    SOME_COUNTS,
    SOME_RATES,
    WAYS,
    drawn_rates,
    equal,
    figure3,
    figure3_2008,
    figure4,
    figure4_2008,
    mixture,
    once,
    rival_place,
    tuned,
)
from airfair.reproduction.papers.occupancy_tfrc.runs import OccupancyRuns, percent_more
from airfair.reproduction.results import Outcome
from airfair.reproduction.runs import Choice, measure
from airfair.scenario import Value
from airfair.scenario import load as load_scenario
from support import assert_all_is_said, told, unused_reasons

Data = dict[tuple[str, str], OccupancyRuns]
REPLICATIONS = 6
SENT = 100_000.0
CLAIMS = [
    "anomaly",
    "equal-occupancy",
    "sta1-unaffected",
    "aggregate-higher",
    "n-stations-aggregate",
    "n-stations-fairness",
    "n-stations-drops",
]

CLAIMED = ("fig3", "fig4", "fig4-many")
"""Setups of the deciding reading."""


def made_up(
    mbps: list[float],
    occupancy: list[float],
    drop_percent: float = 0.1,
    *,
    noise: float = 1e-3,
    seed: int = 1,
) -> OccupancyRuns:
    """Runs with given goodputs of flows and occupancies of stations; equal seeds make paired runs."""
    generator = np.random.default_rng(seed)
    luck = generator.normal(1, noise, (REPLICATIONS, 1))
    shape = (REPLICATIONS, len(mbps))
    return OccupancyRuns(
        mbps=np.array(mbps) * luck,
        sent=np.full(shape, SENT),
        dropped=np.full(shape, drop_percent / 100 * SENT) * luck,
        rtt_p95_ms=np.full(shape, 150.0),
        occupancy=np.array(occupancy) * luck,
        collisions=np.zeros(REPLICATIONS),
    )


def papers_pair(mbps: int, scheme: str) -> OccupancyRuns:
    """Runs of Figure 3: plain TFRC has equal throughputs, the scheme equal occupancies."""
    if scheme == PLAIN:
        part = 54 / (mbps + 54)
        return made_up([27 * mbps / (mbps + 54)] * 2, [1 - part, part], 0.2)
    return made_up([14.5, 14.5 * mbps / 54], [0.49, 0.49])


def papers_many(count: int, scheme: str) -> OccupancyRuns:
    """Runs of Figure 4 for a number of stations."""
    slow = 3.0 if scheme == PLAIN and count > 1 else 1.0
    held = [slow, *[1.0] * (count - 1)]
    more = 1.0 if scheme == PLAIN else 1.1
    drops = 0.2 if scheme == PLAIN else 0.1
    return made_up([20 * more / count] * count, [one / sum(held) for one in held], drops)


@pytest.fixture
def data() -> Data:
    """Measurements with which each claim holds."""
    world: Data = {}
    for scheme in BOTH:
        world |= {figure3(mbps).key(scheme): papers_pair(mbps, scheme) for mbps in RATES}
        world |= {figure4(count).key(scheme): papers_many(count, scheme) for count in COUNTS}
        world |= {figure3_2008(mbps).key(scheme): papers_pair(mbps, scheme) for mbps in SOME_RATES}
        world |= {figure4_2008(n).key(scheme): papers_many(n, scheme) for n in SOME_COUNTS}
    world |= {once(mbps).key(ONCE): papers_pair(mbps, ON) for mbps in SOME_RATES}
    return world


@pytest.fixture(scope="module")
def paper() -> Paper[OccupancyRuns]:
    return load("occupancy-tfrc")


Decide = Callable[[Data, str], Verdict]


@pytest.fixture
def decide(paper: Paper[OccupancyRuns]) -> Decide:
    def of(data: Data, claim: str) -> Verdict:
        (predicate,) = [p for p in paper.predicates if p.id == claim]
        return predicate.decide(data, "as printed")

    return of


def test_the_paper_has_its_claims_and_experiments(paper: Paper[OccupancyRuns]) -> None:
    assert list(paper.claim_texts()) == CLAIMS
    assert list(paper.experiments) == ["fig3", "fig4"]
    assert paper.replications >= 10


@pytest.mark.parametrize("claim", CLAIMS)
def test_in_the_papers_world_the_claim_holds(claim: str, data: Data, decide: Decide) -> None:
    verdict = decide(data, claim)
    assert verdict.holds, verdict.evidence
    assert "RFC 3448" in verdict.under
    assert any("RFC 5348" in elsewhere.where for elsewhere in verdict.elsewhere)
    assert all(elsewhere.state == "holds" for elsewhere in verdict.elsewhere)


def test_reasons_explain_conditions_that_exist(data: Data, paper: Paper[OccupancyRuns]) -> None:
    assert unused_reasons(paper, data) == []


@pytest.mark.parametrize(
    ("claim", "key", "runs"),
    [
        ("anomaly", figure3(12).key(PLAIN), made_up([7.0, 5.0], [0.3, 0.7])),
        ("anomaly", figure3(48).key(PLAIN), made_up([14.6, 14.6], [0.48, 0.52])),
        ("equal-occupancy", figure3(18).key(ON), made_up([13.0, 7.0], [0.46, 0.52])),
        ("equal-occupancy", figure3(9).key(ON), made_up([15.5, 3.0], [0.54, 0.46])),
        ("sta1-unaffected", figure3(24).key(ON), made_up([12.8, 9.0], [0.49, 0.49])),
        ("aggregate-higher", figure3(54).key(ON), made_up([13.4, 13.4], [0.49, 0.49])),
        ("n-stations-aggregate", figure4(1).key(ON), made_up([19.9], [0.9])),
        ("n-stations-fairness", figure4(20).key(ON), made_up([1.2] * 20, [0.05] * 19 + [0.2])),
        ("n-stations-drops", figure4(7).key(ON), made_up([3.0] * 7, [0.1] * 7, 0.3)),
    ],
)
def test_one_point_that_is_off_takes_the_claim_down(
    claim: str, key: tuple[str, str], runs: OccupancyRuns, data: Data, decide: Decide
) -> None:
    assert key in data
    data[key] = runs
    assert decide(data, claim).here == "fails"


@pytest.mark.parametrize("claim", ["aggregate-higher", "n-stations-aggregate"])
def test_a_difference_within_the_noise_is_undecided(claim: str, data: Data, decide: Decide) -> None:
    place = figure3(36) if claim == "aggregate-higher" else figure4(2)
    for seed, scheme in enumerate(BOTH, start=2):
        data[place.key(scheme)] = made_up([12.0] * 2, [0.5] * 2, noise=0.1, seed=seed)
    assert decide(data, claim).here == "undecided"


def test_where_nothing_is_dropped_there_is_nothing_to_see(data: Data, decide: Decide) -> None:
    for scheme in BOTH:
        data[figure4(3).key(scheme)] = made_up([6.0] * 3, [0.3] * 3, 0.0)
    verdict = decide(data, "n-stations-drops")
    assert verdict.holds
    assert verdict.counted == "19 of 19 points, 1 cannot be tested"


def test_a_scheme_no_fairer_than_plain_does_not_hold(data: Data, decide: Decide) -> None:
    data[figure4(2).key(PLAIN)] = made_up([9.0, 9.0], [0.4, 0.4])
    data[figure4(2).key(ON)] = made_up([9.0, 9.0], [0.4, 0.45])
    assert decide(data, "n-stations-fairness").here == "fails"


def test_rfc_5348_which_the_paper_cites_is_as_near_as_its_eq_1_and_what_is_ours_is_not(
    data: Data, decide: Decide
) -> None:
    data[once(18).key(ONCE)] = made_up([12.0, 7.4], [0.42, 0.56])
    verdict = decide(data, "equal-occupancy")
    assert verdict.holds
    assert [one.state for one in verdict.elsewhere] == ["holds", "fails"]
    data[figure3_2008(18).key(ON)] = made_up([12.0, 7.4], [0.42, 0.56])
    verdict = decide(data, "equal-occupancy")
    assert verdict.state == "depends"
    assert verdict.turned_by == ["RFC 5348, the largest report of two round trips"]


def test_what_sta1_has_beside_54_is_uncertain_itself(data: Data, decide: Decide) -> None:
    # The bound is 14.5 less a tenth, 13.05. With a spread of 10 % in the divisor, 13.3 is undecided.
    data[figure3(24).key(ON)] = made_up([13.3, 9.0], [0.49, 0.49])
    assert decide(data, "sta1-unaffected").state == "holds"
    data[figure3(54).key(ON)] = made_up([14.5, 14.5], [0.49, 0.49], noise=0.1, seed=2)
    assert decide(data, "sta1-unaffected").here == "undecided"


@pytest.mark.parametrize("claim", CLAIMS)
def test_an_undecided_point_is_asked_of_its_own_runs(
    claim: str, data: Data, paper: Paper[OccupancyRuns]
) -> None:
    (predicate,) = [p for p in paper.predicates if p.id == claim]
    for point in predicate.deciding.points(data):
        assert point.of
        assert set(point.of) <= data.keys()
        assert {setup for setup, _ in point.of} <= set(predicate.setups)


def as_run(paper: Paper[OccupancyRuns], key: tuple[str, str]) -> dict[str, Any]:
    """Scenario of a variant, with all keys."""
    setup = paper.setups[key[0]]
    (variant,) = [one for one in setup.variants if one.id == key[1]]
    return tomllib.loads(load_scenario(setup.path, set=variant.set).to_toml())


def test_claims_rest_on_eq_1_which_rfc_3448_has(paper: Paper[OccupancyRuns]) -> None:
    used = {
        id_: {
            flow["transport"]["profile"]
            for variant in setup.variants
            for flow in as_run(paper, (id_, variant.id))["flow"].values()
            if flow["transport"]["kind"] == "tfrc"
        }
        for id_, setup in paper.setups.items()
    }
    assert used["fig3"] == used["fig4"] == {"rfc3448"}
    assert {id_ for id_, profiles in used.items() if "rfc5348" in profiles} == {
        "rfc5348",
        "rfc5348-many",
        "law",
    }


def test_a_first_look_needs_what_decides_claims_and_leaves_the_start_out(
    paper: Paper[OccupancyRuns],
) -> None:
    needed = {*CLAIMED, "rfc5348", "rfc5348-many"}
    assert {id_ for id_, setup in paper.setups.items() if not setup.extension} == needed
    readings = [one for p in paper.predicates for one in (p.deciding, *p.beside)]
    assert {id_ for one in readings if one.near for id_ in one.setups} <= needed
    assert all(set(p.setups) <= set(CLAIMED) for p in paper.predicates)
    assert all(paper.setups[id_].quick["warmup"] != "0 s" for id_ in needed)
    assert {setup.replications for setup in paper.setups.values()} == {None, 5}


def test_figures_of_runs() -> None:
    runs = made_up([3.0, 1.0], [0.3, 0.1], 0.4, noise=0)
    assert runs.aggregate() == pytest.approx(4)
    assert runs.jain() == pytest.approx(0.8)  # 0.4² / (2 · 0.1)
    assert runs.drops() == pytest.approx(0.4)
    assert runs.held_ratio() == pytest.approx(1 / 3)
    other = made_up([3.0, 1.2], [0.3, 0.1], noise=0)
    assert percent_more(runs, other).mean == pytest.approx(5)


def test_rates_are_drawn_anew_in_each_replication_and_alike_for_both_schemes(
    paper: Paper[OccupancyRuns],
) -> None:
    draws = [tuple(drawn_rates(20, replication)) for replication in range(10)]
    assert len(set(draws)) == len(draws)
    assert {rate for draw in draws for rate in draw} == set(RATES)
    assert drawn_rates(20, 3) == drawn_rates(20, 3)
    variants = {variant.id: variant for variant in paper.setups["fig4-many"].variants}
    plain, on = (variants[figure4(20).key(scheme)[1]] for scheme in BOTH)
    assert plain.draw
    assert on.draw
    assert plain.draw(0)["station"] == on.draw(0)["station"] != on.draw(1)["station"]


def test_drawn_variants_run_with_the_rates_of_their_replication(
    paper: Paper[OccupancyRuns],
) -> None:
    setup = paper.setups["fig4"]
    (variant,) = [v for v in setup.variants if v.id == figure4(3).key(PLAIN)[1]]
    assert variant.draw
    scenarios = [
        load_scenario(
            setup.path, replications=2, set={**variant.set, **variant.draw(r), "duration": "3 s"}
        )
        for r in range(2)
    ]
    (result,) = engine.run_many(scenarios[:1], draws={0: scenarios})
    alone = engine.run_many(scenarios)[1]
    rates = result.stations.filter(replication=1)["mean_rate_down_bps"].to_list()
    assert rates == alone.stations.filter(replication=1)["mean_rate_down_bps"].to_list()
    assert [rate / 1e6 for rate in rates] == drawn_rates(3, 1)


def test_the_scenario_has_the_settings_of_the_paper(paper: Paper[OccupancyRuns]) -> None:
    printed = paper.reference["setup"]
    scenario = as_run(paper, figure3(6).key(ON))
    assert (scenario["duration"], scenario["warmup"]) == (f"{printed['duration_s']} s", "0 s")
    assert tuple(printed["rates_mbps"]) == RATES
    assert printed["n_stations"] == [COUNTS[0], COUNTS[-1]]
    # 1500 octets: IP 20, UDP 8, RTP and TFRC 24, and the segment
    segment = scenario["flow"]["of-sta1"]["transport"]["segment"]
    assert segment == f"{printed['ip_packet_bytes'] - 52} B"
    text = paper.setups["fig3"].path.read_text(encoding="utf-8")
    assert f'interval = "{printed["beacon_ms"]} ms"' in text
    assert f'delay = "{printed["wired_delay_ms"]} ms"' in text
    assert f"packets = {printed['router_buffer_kB'] * 1000 // printed['ip_packet_bytes']}" in text


def test_a_scheme_controls_the_flows_that_can_be(paper: Paper[OccupancyRuns]) -> None:
    place = mixture("TFRC, TCP, CBR at both")
    for scheme, control in ((PLAIN, "none"), (ON, "occupancy")):
        flows = as_run(paper, place.key(scheme))["flow"]
        kinds = [(flow["transport"]["kind"], flow.get("control")) for flow in flows.values()]
        assert kinds == [("tfrc", control), ("tcp", control), ("udp", "none")] * 2
    thirds = [as_run(paper, mixture(label).key(ON))["flow"] for label in MIXTURES[:2]]
    assert {flow["control"] for flows in thirds for flow in flows.values()} == {"occupancy"}
    ends = [
        (flow["from"], flow["to"])
        for flow in as_run(paper, equal(6, "up", "cubic").key(ON))["flow"].values()
    ]
    assert ends == [("sta1", "server"), ("sta2", "server")]


def data_us(octets: int, mbps: int) -> int:
    """Duration of an OFDM frame: a preamble, and symbols of 4 us with service and tail bits."""
    return 20 + 4 * math.ceil((22 + 8 * octets) / (4 * mbps))


def exchange_us(mbps: int) -> int:
    """Duration of a frame of 1536 octets (a packet of 1500), a SIFS, and an ACK at the basic rate."""
    return data_us(1536, mbps) + 16 + data_us(14, max(r for r in (6, 12, 24) if r <= mbps))


def test_what_rivals_set_by_rate(paper: Paper[OccupancyRuns]) -> None:
    # 1536 octets: 57 symbols at 54 Mb/s, 513 at 6; SIFS; ACK of 14 octets, 2 symbols at 24, 6 at 6 Mb/s
    assert exchange_us(54) == 20 + 4 * 57 + 16 + 28
    assert exchange_us(6) == 20 + 4 * 513 + 16 + 44
    rates = (54, 36, 24, 12, 6)
    for way, (transport, headers) in product(WAYS, (("tfrc", 52), ("newreno", 40))):
        place = rival_place(way, transport)
        cells = {id_: as_run(paper, place.key(id_)) for id_ in ("txop", "window", "payload")}
        stations = {id_: cell["station"].values() for id_, cell in cells.items()}
        assert [it["rate"] for it in stations["txop"]] == [f"{mbps} Mb/s" for mbps in rates]
        # The duration of a packet's exchange at 6 Mb/s, in units of 32 us
        limit = 32 * math.ceil(exchange_us(6) / 32)
        assert {it["edca"]["txop_limit"] for it in stations["txop"]} == {f"{limit / 1000} ms"}
        # (101.5 + 292) : (101.5 + 1112) : (101.5 + 2132) = 1 : 3.0 : 5.7 at 54, 12, 6 Mb/s
        access = 34 + 9 * 15 / 2
        longer = [(access + exchange_us(r)) / (access + exchange_us(54)) for r in rates]
        windows = [16 * 2 ** round(math.log2(one)) - 1 for one in longer]
        assert [it["edca"]["cw_min"] for it in stations["window"]] == windows
        # 57 symbols at 12 Mb/s have 48 bits each. Less 22 bits of service and tail these are 339 octets, from
        # which the frame's 36 octets and the headers are subtracted.
        symbols = (data_us(1536, 54) - 20) // 4
        octets = [max(100, (4 * r * symbols - 22) // 8 - 36 - headers) for r in rates]
        segments = [it["transport"]["segment"] for it in cells["payload"]["flow"].values()]
        assert segments == [f"{one} B" for one in octets]


def test_findings_say_where_occupancy_is_equal(paper: Paper[OccupancyRuns], data: Data) -> None:
    for way, transport in EQUAL:
        for mbps in SOME_RATES:
            data[equal(mbps, way, transport).key(ON)] = papers_pair(mbps, ON)
    data[equal(6, "up", "tfrc").key(ON)] = made_up([12.0, 2.7], [0.4, 0.52], noise=0)
    text = told(paper, "equality", data)
    assert "uplink, TFRC, 1.300 ± 0.000 at 6 Mb/s" in text


def test_findings_compare_the_bound_of_eq_1_with_that_of_rfc_5348(
    paper: Paper[OccupancyRuns], data: Data
) -> None:
    data[figure3_2008(18).key(ON)] = made_up([12.0, 7.4], [0.4, 0.56], noise=0)
    text = told(paper, "bound", data)
    assert "RFC 5348 1.400 ± 0.000 at 18 Mb/s" in text
    for label in SETTINGS:
        for profile in PROFILES:
            data[tuned(label, profile).key(ON)] = made_up([14.5, 6.7], [0.5, 0.5], noise=0)
    assert "n = 10 1.000 ± 0.000 by eq. 1" in told(paper, "settings", data)


def _look(paper: Paper[OccupancyRuns], out: Path, setups: Mapping[str, Setup]) -> Outcome:
    chosen = replace(
        paper,
        setups=setups,
        experiments={
            id_: replace(one, setups=tuple(it for it in one.setups if it in setups))
            for id_, one in paper.experiments.items()
        },
    )
    choice = Choice(chosen, tuple(chosen.experiments.values()), 2, out, quick=True)
    return Outcome(choice, measure(choice))


@pytest.fixture(scope="module")
def first_look(paper: Paper[OccupancyRuns], tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Outcome of the setups that decide claims, with runs of 30 s."""
    setups = {id_: replace(paper.setups[id_], quick={"duration": "30 s"}) for id_ in CLAIMED}
    return _look(paper, tmp_path_factory.mktemp("first"), setups)


@pytest.fixture(scope="module")
def everything(paper: Paper[OccupancyRuns], tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Outcome of all setups, with runs of 4 s."""
    short: dict[str, Value] = {"duration": "4 s", "warmup": "0 s"}
    guest: dict[str, Value] = {"flow.of-guest.start": "1 s", "flow.of-guest.stop": "3 s"}
    setups = {
        id_: replace(setup, quick={**short, **(guest if id_ == "guests" else {})}, extension=False)
        for id_, setup in paper.setups.items()
    }
    return _look(paper, tmp_path_factory.mktemp("all"), setups)


def test_a_first_look_shows_the_anomaly_and_its_cure(first_look: Outcome) -> None:
    figure3_, figure4_ = first_look.document()["experiments"]
    plain, on = (figure3_["measured"][scheme]["6"] for scheme in BOTH)
    # Runs are short and contain TFRC's slow start, so the bounds are wider than those of the claims.
    assert on["throughput_mbps"][0] > 1.5 * plain["throughput_mbps"][0]
    assert plain["occupancy"][1] > 2.5 * plain["occupancy"][0]
    assert on["occupancy"][1] < 1.5 * on["occupancy"][0]
    fairness = figure4_["measured"][ON]["fairness"]
    assert fairness["1"] == 1
    assert min(fairness.values()) > 0.9
    assert len(first_look.verdicts) == len(CLAIMS)
    assert set(first_look.drawings) == {"fig3", "fig4"}


@pytest.fixture(scope="module")
def files(everything: Outcome) -> Mapping[str, bytes]:
    return everything.files()


def test_a_terminal_is_wide_enough(everything: Outcome) -> None:
    text = PaperResult.of(everything).text()
    assert max(len(line) for line in text.splitlines()) <= 80


def test_all_that_was_run_is_told(everything: Outcome, files: Mapping[str, bytes]) -> None:
    assert {"report.html", "fig3.png", "fig4.png", "fig3-equal.png", "cell.toml"} <= files.keys()
    assert len(everything.findings) == len(everything.choice.paper.searches)


def test_the_document_has_every_table_of_the_report(everything: Outcome) -> None:
    tables = {table["id"]: table for table in everything.document()["tables"]}
    found = [table for finding in everything.findings for table in finding.tables]
    assert set(tables) == {table.id for table in (*everything.tables, *found)}
    for table in tables.values():
        labels = [column["label"] for column in table["columns"]]
        assert len(set(labels)) == len(labels)
        assert len(set(table["rows"])) == len(table["rows"])
        for column in table["columns"]:
            assert len(column["mean"]) == len(column["ci95"]) == len(table["rows"])
    gains = tables["transports"]["columns"][-1]
    assert gains["label"] == "gain %"
    assert gains["mean"][0] > 0


def test_each_text_has_its_numbers_and_says_all_of_them(
    paper: Paper[OccupancyRuns], everything: Outcome
) -> None:
    assert_all_is_said(paper, everything.measured.data)


def test_the_papers_words_stand_below_the_papers_figures_alone(files: Mapping[str, bytes]) -> None:
    page = files["report.html"].decode()
    assert page.count("In normal TFRC, both stations obtain") == 1
    assert page.count("The proposed scheme exhibits better performance also") == 1


def test_by_eq_1_two_stations_are_equal_where_rfc_5348_is_not(paper: Paper[OccupancyRuns]) -> None:
    places = (figure3(18), figure3_2008(18))
    variants = [
        variant
        for place in places
        for variant in paper.setups[place.setup].variants
        if variant.id == place.key(ON)[1]
    ]
    path = paper.setups["fig3"].path
    keys: dict[str, Value] = {"duration": "300 s", "warmup": "60 s"}
    scenarios = [load_scenario(path, replications=3, set={**v.set, **keys}) for v in variants]
    first, other = (
        OccupancyRuns.of(result).held_ratio().mean() for result in engine.run_many(scenarios)
    )
    assert first == pytest.approx(1, abs=0.05)
    assert other > 1.1

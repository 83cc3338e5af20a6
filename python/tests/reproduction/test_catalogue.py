"""Tests of the papers' files: they are found, their scenarios are valid, and their values are the paper's."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from math import isclose

import pytest

from airfair.reproduction.catalogue import UnknownPaperError, load, papers, select
from airfair.reproduction.paper import Paper, matching
from airfair.reproduction.papers.arf_aware_tcp.figures import FIGURES
from airfair.reproduction.papers.arf_aware_tcp.runs import ArfAwareRuns
from airfair.reproduction.papers.arf_aware_tcp.tables import printed_index
from airfair.scenario import load as load_scenario

EXPERIMENTS = ["table1", "table2", "table3", "table4", "table5", "fig2", "fig4-7", "fig8-9"]

# T_i over 100 s with the change at 20 s: (20·11 + 80·r)/100 Mb/s
T_1, T_2, T_5, T_11 = 3.0, 3.8, 6.6, 11.0


@pytest.fixture
def paper() -> Paper[ArfAwareRuns]:
    return load("arf-aware-tcp")


def test_the_paper_has_its_experiments_and_claims(paper: Paper[ArfAwareRuns]) -> None:
    assert list(paper.experiments) == EXPERIMENTS
    assert set(FIGURES) == {e for e in EXPERIMENTS if e.startswith("fig")}


@pytest.mark.parametrize("paper_id", papers())
def test_a_paper_is_whole(paper_id: str) -> None:
    paper = load(paper_id)
    assert paper.id == paper_id
    assert [predicate.id for predicate in paper.predicates] == list(paper.claim_texts())
    parts = [*paper.experiments.values(), *paper.predicates, *paper.searches]
    used = {setup for part in parts for setup in part.setups}
    assert used == set(paper.setups)
    for setup in paper.setups.values():
        assert len({variant.id for variant in setup.variants}) == len(setup.variants)


@pytest.mark.parametrize("paper_id", papers())
def test_every_variant_is_a_scenario(paper_id: str) -> None:
    for setup in load(paper_id).setups.values():
        for variant in setup.variants:
            assert load_scenario(setup.path, set=variant.set).flows
            assert load_scenario(setup.path, set={**variant.set, **setup.quick}).flows


def test_an_unknown_name_is_answered_with_those_that_exist(paper: Paper[ArfAwareRuns]) -> None:
    with pytest.raises(UnknownPaperError, match="arf-aware-tcp"):
        load("arf")
    with pytest.raises(UnknownPaperError, match="fig8-9"):
        select(paper, "table6")


def test_every_setup_is_a_scenario_under_every_scheme(paper: Paper[ArfAwareRuns]) -> None:
    for setup in paper.setups.values():
        for variant in setup.variants:
            scenario = load_scenario(setup.path, set=variant.set)
            assert scenario.duration_s == 100
            assert {"newreno"} == {
                flow["transport"]["flavour"]
                for flow in tomllib.loads(scenario.to_toml())["flow"].values()
            }


def test_all_scenarios_share_the_settings_of_table_1(paper: Paper[ArfAwareRuns]) -> None:
    def common(name: str) -> set[str]:
        scenario = tomllib.loads(paper.setups[name].path.read_text(encoding="utf-8"))
        transports = [flow["transport"] for flow in scenario["flow"].values()]
        queues = [station["queue"] for station in scenario["station"].values()]
        return {
            json.dumps(part, sort_keys=True)
            for part in [*scenario["bss"].values(), *transports, *queues]
        }

    assert {frozenset(common(name)) for name in paper.setups} == {frozenset(common("table1"))}


@pytest.mark.parametrize(
    ("table", "column", "rates"),
    [
        ("table1", "arf_aware", [T_1, T_11]),
        ("table1", "newreno", [T_1, T_11]),
        ("table2", "fair_share", [T_11, T_11]),
        ("table3", "arf_aware", [T_1, T_1]),
        ("table3", "newreno", [T_1, T_1]),
        ("table4", "arf_aware", [T_1, T_11, T_11, T_11, T_11]),
        ("table4", "newreno", [T_1, T_11, T_11, T_11, T_11]),
    ],
)
def test_printed_indices_follow_from_the_printed_throughputs(
    paper: Paper[ArfAwareRuns], table: str, column: str, rates: list[float]
) -> None:
    printed = paper.reference[table][column]
    again = printed_index(printed["sessions"], rates)
    # Throughputs are rounded to 1 kb/s.
    assert isclose(again, printed["fairness"], abs_tol=6e-4)


@pytest.mark.parametrize(("column", "again"), [("arf_aware", 0.9717), ("newreno", 0.8044)])
def test_those_of_table_5_do_not(paper: Paper, column: str, again: float) -> None:
    printed = paper.reference["table5"][column]
    index = printed_index(printed["sessions"], [T_1, T_2, T_5, T_11])
    assert isclose(index, again, abs_tol=5e-5)
    assert abs(index - printed["fairness"]) > 0.02


def test_a_paper_whose_setups_run_differently_often_says_so(paper: Paper[ArfAwareRuns]) -> None:
    assert paper.replications_in_words() == "50 to 100"
    same = {name: setup for name, setup in paper.setups.items() if name == "table5"}
    assert replace(paper, setups=same).replications_in_words() == "100"


def test_patterns_name_setups_in_their_order_and_each_matches_one() -> None:
    setups = ["cell-up", "cell-down", "far"]
    assert matching(setups, ["far", "cell-*", "cell-up"]) == ("far", "cell-up", "cell-down")
    with pytest.raises(
        ValueError, match=r"near-\*: matches no setup; allowed cell-up, cell-down, far"
    ):
        matching(setups, ["near-*"])

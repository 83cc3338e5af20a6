"""Tests that documents have the verdicts of the recorded run, and that its plans and engine are current."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest

from airfair.experiment.claims import Ruling
from airfair.reproduction.catalogue import load, papers
from airfair.reproduction.papers.arf_window import plan as arf_window
from airfair.reproduction.runs import Choice, plan
from support import page_of

ROOT = Path(__file__).parents[3]
RECORD: dict[str, Any] = json.loads((ROOT / "docs/verdicts.json").read_text(encoding="utf-8"))
STALE = "stale: make reproduce, make record, then read docs/<paper>.md and its texts against it"


def test_the_engine_is_that_of_the_record() -> None:
    tables = sorted((ROOT / "crates/sim/tests/golden").glob("*.txt"))
    records = "".join(path.read_text(encoding="utf-8").rsplit("records ", 1)[1] for path in tables)
    assert hashlib.sha256(records.encode()).hexdigest() == RECORD["golden"], STALE


@pytest.mark.parametrize("paper_id", papers())
def test_the_plan_is_that_of_the_record(paper_id: str) -> None:
    paper = load(paper_id)
    choice = Choice(paper, tuple(paper.experiments.values()), None, Path(), quick=False)
    assert plan(choice) == RECORD["papers"][paper_id]["plan"], STALE


@pytest.mark.parametrize("paper_id", papers())
def test_the_document_has_the_recorded_verdicts(paper_id: str) -> None:
    claims = RECORD["papers"][paper_id]["claims"]
    text = (ROOT / f"docs/{page_of(paper_id)}.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `([^`]+)` \| (\w+) \|", text, re.MULTILINE))
    assert {claim: told.get(claim) for claim in claims} == {
        claim: found["state"] for claim, found in claims.items()
    }


@pytest.mark.parametrize("paper_id", papers())
def test_reasons_are_those_of_claims_that_do_not_hold(paper_id: str) -> None:
    claims = RECORD["papers"][paper_id]["claims"]
    held = {claim for claim, found in claims.items() if found["state"] == "holds"}
    assert not held & set(load(paper_id).reasons)


CALIBRATED = [paper_id for paper_id in papers() if load(paper_id).calibration]


def test_three_papers_leave_their_place_to_a_calibration() -> None:
    assert CALIBRATED == ["arf-window", "tfrc-friendliness", "updown-fairness"]


@pytest.mark.parametrize("paper_id", CALIBRATED)
def test_the_place_and_those_as_near_are_what_the_recorded_calibration_chose(paper_id: str) -> None:
    candidates = RECORD["papers"][paper_id]["calibration"]
    places = load(paper_id).places
    assert places is not None
    assert [one["label"] for one in candidates if one["role"] == "decides"] == [places.decides]
    near = {one["label"] for one in candidates if one["role"] == "near"}
    assert near == set(places.near)


@pytest.mark.parametrize("paper_id", CALIBRATED)
def test_claims_are_decided_under_the_place_and_under_those_as_near(paper_id: str) -> None:
    """Readings of claims on the scheme contain all candidates that the calibration found equally near."""
    paper = load(paper_id)
    assert paper.places is not None
    near = [
        {one.label for one in predicate.beside if one.near}
        for predicate in paper.predicates
        if predicate.deciding.label.startswith(paper.places.decides)
    ]
    assert near
    assert all(labels >= set(paper.places.near) for labels in near)


def test_arf_windows_neighbours_are_the_next_nearest_candidates() -> None:
    candidates = [one["label"] for one in RECORD["papers"]["arf-window"]["calibration"]]
    said = arf_window.spot_label
    chosen = [said(arf_window.PLACE), *map(said, arf_window.ALSO_FIT)]
    others = [label for label in candidates if label not in chosen]
    assert set(others[: len(arf_window.NEIGHBOURS)]) == set(map(said, arf_window.NEIGHBOURS))
    assert len(candidates) == len(arf_window.CANDIDATES)


@pytest.mark.parametrize("paper_id", papers())
def test_each_verdict_that_moved_has_its_reason_and_no_other_one_has(paper_id: str) -> None:
    history, claims = load(paper_id).history, RECORD["papers"][paper_id]["claims"]
    assert set(history.former) <= set(claims)
    moved = {id_ for id_, state in history.former.items() if state != claims[id_]["state"]}
    assert set(history.moved) == moved
    assert all(reason.endswith(".") for reason in history.moved.values())


@pytest.mark.parametrize("paper_id", papers())
def test_a_history_accounts_for_all_claims_from_turn_to_turn(paper_id: str) -> None:
    history = load(paper_id).history
    assert history.turns
    for earlier, later in itertools.pairwise(history.turns):
        assert earlier.after == later.before
    claims = RECORD["papers"][paper_id]["claims"].values()
    assert Counter(history.former.values()) == history.turns[-1].before
    assert Counter(claim["state"] for claim in claims) == history.turns[-1].after
    for turn in history.turns:
        assert turn.chosen
        assert {*turn.before, *turn.after} <= set(get_args(Ruling))

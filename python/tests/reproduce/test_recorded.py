"""The documents say what the last full run found, and that run was one of today's plans and engine."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from airfair.reproduce.catalogue import load, papers
from airfair.reproduce.papers.arf_window import plan as arf_window
from airfair.reproduce.runs import Choice, plan

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
    text = (ROOT / f"docs/{paper_id}.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `([^`]+)` \| (\w+) \|", text, re.MULTILINE))
    assert {claim: told.get(claim) for claim in claims} == {
        claim: found["state"] for claim, found in claims.items()
    }


@pytest.mark.parametrize("paper_id", papers())
def test_reasons_are_those_of_claims_that_do_not_hold(paper_id: str) -> None:
    claims = RECORD["papers"][paper_id]["claims"]
    held = {claim for claim, found in claims.items() if found["state"] == "holds"}
    assert not held & set(load(paper_id).reasons)


def test_arf_windows_place_is_the_one_that_its_calibration_chose() -> None:
    nearest_first = RECORD["papers"]["arf-window"]["calibration"]
    fit = [row.removesuffix(" (fits)") for row in nearest_first if row.endswith(" (fits)")]
    others = [row for row in nearest_first if not row.endswith(" (fits)")]
    said = arf_window.spot_label
    assert fit == [said(arf_window.PLACE), *map(said, arf_window.ALSO_FIT)]
    # Those that stand beside are the next ones.
    assert set(others[: len(arf_window.NEIGHBOURS)]) == set(map(said, arf_window.NEIGHBOURS))
    assert len(nearest_first) == len(arf_window.CANDIDATES)

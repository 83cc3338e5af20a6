"""Tests of the checks: they pass and fail as intended, and all pass with the simulator."""

from __future__ import annotations

import json
import math

import pytest

from airfair.validation import document, text
from airfair.validation.plan import Check
from support import Program


def test_a_check_passes_within_its_tolerance() -> None:
    assert Check("a/b", 100, 101.5, 0.015).passed
    assert not Check("a/b", 100, 101.6, 0.015).passed
    assert Check("a/b", 0, 0, 0).passed
    assert not Check("a/b", 0, 1, 0).passed
    assert not Check("a/b", 100, math.nan, 0.015).passed
    assert Check("a/b", 200, 199, 0.1).deviation == pytest.approx(-0.005)


def test_the_text_names_what_failed_and_fits_80_columns() -> None:
    good, bad = Check("bianchi/x/n=1", 10, 10.1, 0.015, 0.01, "Mb/s"), Check("sum/ns", 5, 6, 0)
    lines = text([good, bad]).splitlines()
    assert lines[-1] == "1 of 2 checks passed"
    assert any(line.startswith("✗ sum/ns: expected 5, measured 6") for line in lines)
    assert all(len(line) <= 80 for line in lines[:3])


def test_the_document_has_the_promised_shape() -> None:
    (check,) = document([Check("a/b", 1, 2, 0.1)])["checks"]
    assert {"id", "expected", "measured", "tolerance", "passed"} <= check.keys()
    assert check["passed"] is False


@pytest.mark.slow
def test_the_simulator_agrees_with_theory(program: Program) -> None:
    done = program("validate", "--json")
    checks = json.loads(done.stdout)["checks"]
    assert [check["id"] for check in checks if not check["passed"]] == []
    assert done.returncode == 0
    ids = [check["id"] for check in checks]
    assert len(ids) == len(set(ids))
    # 7 rates, basic access and RTS/CTS, 6 numbers of stations
    assert sum(id_.startswith("bianchi/") for id_ in ids) == 84
    counts = {
        "bianchi-aggregates": 31,
        "bianchi-he": 64,
        "ns3-bounds": 10,
        "ofdma": 15,
        "edca": 14,
        "noise": 14,
        "hidden": 6,
        "measured-airtime": 32,
        "range": 8,
        "shared-time": 12,
        "beacons": 4,
        "neighbours-pair": 4,
        "neighbours-apart": 4,
        "neighbours-row": 12,
        "spatial-reuse": 26,
        "komondor": 8,
    }
    found = [id_.partition("/")[0] for id_ in ids]
    assert {group: found.count(group) for group in counts} == counts
    # Tolerances for rounding and statistics are small.
    tight = [c for c in checks if c["id"].startswith(("hidden", "measured-airtime", "range"))]
    assert max(c["tolerance"] for c in tight) < 0.03
    for group, most in (
        ("bianchi/", 0.004),
        ("bianchi-eifs/", 0.004),
        ("bianchi-aggregates/", 0.0075),
        ("bianchi-he/", 0.0075),
        ("heusse/", 0.012),
        ("edca/", 0.02),
    ):
        assert max(c["ci95"] / c["expected"] for c in checks if c["id"].startswith(group)) < most

"""Test that the optimised build produces the records of the golden tables, bit for bit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import airfair

GOLDEN = Path(__file__).parents[2] / "crates/sim/tests/golden"
NAMES = sorted(str(path.relative_to(GOLDEN).with_suffix("")) for path in GOLDEN.rglob("*.toml"))


def test_each_table_has_its_scenario() -> None:
    assert NAMES
    tables = (path.relative_to(GOLDEN).with_suffix("") for path in GOLDEN.rglob("*.txt"))
    assert sorted(map(str, tables)) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_both_builds_make_the_same_records(name: str) -> None:
    table = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    (printed,) = re.findall(r"^records ([0-9a-f]{16})$", table, re.MULTILINE)
    (outcome,) = airfair.run(GOLDEN / f"{name}.toml").outcomes
    assert f"{outcome.record_hash:016x}" == printed

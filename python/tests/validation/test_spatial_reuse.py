"""Spatial reuse against published figures, at a few levels and with few seeds."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from airfair.engine import run
from airfair.validation import spatial_reuse
from airfair.validation.aggregates import goodput
from airfair.validation.published import WILHELMI
from airfair.validation.spatial_reuse import DECIDED, TUTORIAL, Level


def test_the_programs_decide_where_they_differ_by_at_most_7_percent() -> None:
    def differ(level: int) -> float:
        programs = WILHELMI[level]
        pairs = zip(programs.markov, programs.komondor, strict=True)
        return max(max(pair) / min(pair) - 1 for pair in pairs)

    assert tuple(sorted(WILHELMI)) == tuple(range(-82, -61))
    assert tuple(level for level in sorted(WILHELMI) if differ(level) <= 0.07) == DECIDED


@pytest.mark.slow
@pytest.mark.parametrize("level", [-82, -78, -75, -71])
def test_two_cells_with_spatial_reuse_have_the_published_goodput(level: int) -> None:
    result = run(TUTORIAL.scenario({"a": level}, 2, replications=3))
    assert [check.id for check in Level(level).evaluate(result) if not check.passed] == []


def test_spatial_reuse_pays_for_both_cells() -> None:
    def cells(levels: Mapping[str, int]) -> list[float]:
        result = run(TUTORIAL.scenario(levels, 0.5, replications=2))
        return [float(goodput(result, name).mean()) for name in "ab"]

    a, b = cells({})
    # B does not hear A's frames of 17 dBm, and so has the channel for itself.
    with_a, with_b = cells({"a": -78})
    assert with_a > 1.2 * a
    assert with_b > 1.5 * b
    # B hears those of 18 dBm with -81.7 dBm, and the responses of its own station with -64.6 dBm above them.
    with_a, with_b = cells({"a": -79})
    assert with_a > 1.2 * a
    assert with_b > 1.3 * b


def test_a_cell_between_two_others_starves_as_in_komondor() -> None:
    row = next(it.geometry for it in spatial_reuse.KOMONDOR_CELLS if "2b" in it.name)
    result = run(row.scenario({}, 1, replications=2))
    outer, middle = (goodput(result, name).mean() for name in "ab")
    assert middle < 0.05 * outer

"""Candidates for what a paper leaves open: their distance, and which fit."""

from __future__ import annotations

import numpy as np
import pytest

from airfair.reproduce.calibration import Candidate, chosen, ranked, table

PRINTED = {"Mb/s": 8.0, "drops, %": 0.5}


def place(label: str, mbps: float, drops: float, *, spread: float = 0.1) -> Candidate:
    around = np.array([-1.0, 0.0, 1.0, 0.0])
    return Candidate(
        label,
        {"Mb/s": mbps * (1 + spread * around), "drops, %": drops * (1 + spread * around)},
        PRINTED,
        runs=4,
    )


def test_the_distance_is_the_root_mean_square_of_relative_deviations() -> None:
    # 10 % too much, 20 % too little: √((0.01 + 0.04)/2)
    assert place("a", 8.8, 0.4).distance == pytest.approx(0.1581, abs=1e-4)


def test_a_place_fits_if_each_figure_could_be_a_mean_of_the_papers_runs() -> None:
    # s = 0.1·√(2/3) = 8.165 %, t(3) = 3.182, two means of 4: ± 3.182·8.165 %·√(2/4) = 18.4 % of its own mean
    assert place("a", 8.0 / 1.17, 0.5).fits
    assert not place("a", 8.0 / 1.20, 0.5).fits
    # Nothing dropped at all cannot be half a percent.
    assert not place("a", 8.0, 0.0).fits


def test_the_nearest_that_fits_decides_not_a_nearer_one_that_does_not() -> None:
    sharp = place("near but sure to be off", 8.1, 0.51, spread=0.001)
    wide, far = place("wide", 8.5, 0.45), place("far", 9.0, 0.45)
    assert ranked([far, wide, sharp])[0] is sharp
    assert chosen([far, wide, sharp]) is wide
    assert chosen([sharp]) is sharp


def test_the_table_has_the_nearest_first_and_names_those_that_fit() -> None:
    made = table(
        "places",
        "Places",
        [place("b", 10.4, 0.5), place("a", 8.0, 0.5)],
        {"Mb/s": 2, "drops, %": 3},
    )
    assert made.rows == ["a (fits)", "b"]
    assert [column.id for column in made.columns] == ["Mb/s", "drops, %", "distance"]
    assert made.columns[0].cells[0].printed == 8.0

"""Tests of calibration: the distances of candidates for open settings, and the choice between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from airfair.reproduction.calibration import Candidate, chosen, entries, ranked, table

PRINTED = {"Mb/s": 8.0, "drops, %": 0.5}


def place(
    label: str, mbps: float, drops: float, *, spread: float = 0.1, assumed: int = 1
) -> Candidate:
    around = np.array([-1.0, 0.0, 1.0, 0.0])
    return Candidate(
        label,
        {"Mb/s": mbps * (1 + spread * around), "drops, %": drops * (1 + spread * around)},
        PRINTED,
        runs=4,
        assumed=assumed,
    )


def test_the_distance_is_the_root_mean_square_of_relative_deviations() -> None:
    # The deviations are +10 % and -20 %: √((0.01 + 0.04)/2)
    assert place("a", 8.8, 0.4).distance == pytest.approx(0.1581, abs=1e-4)


def test_a_place_fits_if_each_figure_could_be_a_mean_of_the_papers_runs() -> None:
    # s = 0.1·√(2/3) = 8.165 %; two numbers share an error of 5 %: t(0.9875, 3) = 4.177
    # The difference of two means of 4 runs: ± 4.177·8.165 %·√(2/4) = 24.1 % of the candidate's mean
    assert place("a", 8.0 / 1.23, 0.5).fits
    assert not place("a", 8.0 / 1.25, 0.5).fits
    # A candidate without any drops cannot have 0.5 %.
    assert not place("a", 8.0, 0.0).fits


def test_the_nearest_that_fits_decides_not_a_nearer_one_that_does_not() -> None:
    sharp = place("near but sure to be off", 8.1, 0.51, spread=0.001)
    wide, far = place("wide", 8.5, 0.45), place("far", 9.0, 0.45)
    assert ranked([far, wide, sharp])[0] is sharp
    assert chosen([far, wide, sharp]).decides is wide
    assert chosen([sharp]).decides is sharp


def test_other_fits_are_as_near_and_where_none_fits_those_within_a_tenth() -> None:
    wide, far, off = place("wide", 8.5, 0.45), place("far", 9.0, 0.45), place("off", 20, 0.5)
    assert [one.label for one in chosen([off, far, wide]).near] == ["far"]
    # One of two numbers deviates by 5, 13 and 16 %: root mean squares of 3.5, 9.2 and 11.3 %.
    off_by = {"at 4 %": 1.05, "at 9 %": 1.13, "at 11 %": 1.16}
    sharp = [place(name, 8.0 * factor, 0.5, spread=1e-4) for name, factor in off_by.items()]
    assert not any(one.fits for one in sharp)
    assert [(one["label"], one["role"]) for one in entries(sharp)] == [
        ("at 4 %", "decides"),
        ("at 9 %", "near"),
        ("at 11 %", "beside"),
    ]


def test_of_those_that_are_as_near_one_that_assumes_less_decides() -> None:
    more = place("nearer by two assumptions", 8.1, 0.5, assumed=2)
    less = place("further by one", 8.2, 0.5)
    of = chosen([more, less, place("off", 20, 0.5)])
    assert (of.decides, of.near) == (less, (more,))
    # A candidate that is not equally near does not decide, even if it assumes less.
    sharp = [place("a", 8.4, 0.5, spread=1e-4, assumed=2), place("b", 20, 0.5, spread=1e-4)]
    assert chosen(sharp).decides is sharp[0]


def test_nothing_fits_a_figure_of_one_run() -> None:
    assert place("a", 8.0, 0.5).fits
    assert not replace(place("a", 8.0, 0.5), runs=1).fits


def test_the_true_place_is_excluded_in_one_of_twenty_cases_whatever_the_number_of_figures() -> None:
    generator = np.random.default_rng(5)
    rows, trials, runs = ("a", "b", "c"), 1000, 10
    out = 0
    for _ in range(trials):
        ours = {row: generator.normal(1, 0.2, runs) for row in rows}
        theirs = {row: float(generator.normal(1, 0.2, runs).mean()) for row in rows}
        out += not Candidate("true", ours, theirs, runs=runs).fits
    # With 5 % for each of three numbers, 14 % would be excluded. √(0.05·0.95/1000) = 0.69 %.
    assert out / trials == pytest.approx(0.05, abs=3 * 0.0069)


def test_the_table_has_the_nearest_first_and_names_those_that_fit() -> None:
    made = table(
        "places",
        "Places",
        [place("b", 11.4, 0.5), place("a", 8.0, 0.5)],
        {"Mb/s": 2, "drops, %": 3},
    )
    assert made.rows == ["a (fits)", "b"]
    assert [column.label for column in made.columns] == ["Mb/s", "drops, %", "distance, %"]
    assert made.columns[0].cells[0].printed == 8.0

"""Tests of the model of EDCA's shares in cases with a known solution."""

from __future__ import annotations

from dataclasses import replace

import pytest

from airfair.validation.edca import EARLY, LOW, NARROW, Category, EdcaCell
from airfair.validation.theory import classic_attempt_rate


def test_equal_categories_share_equally() -> None:
    same = replace(LOW, name="video")
    assert EdcaCell("same", LOW, same, 5).share() == pytest.approx(0.5)


def test_within_a_station_the_higher_of_equals_has_more() -> None:
    same = replace(LOW, name="video")
    assert 0.5 < EdcaCell("same", LOW, same, 5, both=True).share() < 0.6


def test_with_one_zone_two_equal_stations_attempt_as_bianchi_says() -> None:
    # Shares are ratios, so attempts are tested: τ(p) at p = 1 - (1 - τ), with two stations
    tau = classic_attempt_rate(2, 32, 5)
    assert LOW.attempts(tau) == pytest.approx(tau)


def test_a_window_never_grows_beyond_the_largest() -> None:
    # without doubling, τ = 2/(W + 1) at any probability of failure
    fixed = Category("voice", 2, 15, 15)
    assert [fixed.attempts(p) for p in (0.0, 0.5, 0.9)] == pytest.approx([2 / 17] * 3)


def test_alone_against_one_without_collisions_to_speak_of_shares_are_as_windows() -> None:
    # Windows of 4096 and 2048 take 2048.5 and 1024.5 slots for a frame: the share is 2048.5/3073
    wide, half = Category("best effort", 3, 4095, 4095), Category("video", 3, 2047, 2047)
    assert EdcaCell("wide", wide, half, 1).share() == pytest.approx(2_048.5 / 3_073, abs=1e-3)


def test_a_shorter_wait_and_a_smaller_window_both_help() -> None:
    for better in (EARLY, NARROW):
        for both in (False, True):
            assert EdcaCell("better", LOW, better, 5, both).share() > 0.55

"""Tests that the form of cells with MU-MIMO gives durations by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from airfair.validation.mu_mimo import Cell

CELL = Cell(
    width=80,
    mcs=11,
    users=4,
    streams=4,
    mpdus=64,
    payload=1_472,
    interval=1_000,
    ack="mu-bar",
)


def test_a_sounding_and_an_exchange_add_up() -> None:
    # 37 octets, 36 µs; NDP 36 + 4·7.2 + 4; 52 octets, 40 µs; reports of 1665 octets at 936 bits in 242
    # tones: 15 symbols of 14.4 after 48 µs; three SIFS.
    assert CELL.report() == 1_665
    assert CELL.sounding() == pytest.approx(36 + 68.8 + 40 + 264 + 48)
    # 98 814 octets at 8166 bits: 97 symbols of 13.6 after 68.8 µs; MU-BAR 44 µs and block acks 62.4, each
    # after SIFS.
    assert CELL.exchange() == pytest.approx(68.8 + 1_319.2 + 16 + 44 + 16 + 62.4)
    # Three times 96 µs and 48 for a BAR and a block ack after the first.
    assert replace(CELL, ack="bar").response() == pytest.approx(48 + 3 * 96)


def test_accesses_within_the_interval_have_no_sounding() -> None:
    # The second access is at least 16 + 1526.4 + 43 µs after the reports, and at most 15 slots of 9 µs later.
    second = 16 + 1_526.4 + 43
    found = [replace(CELL, interval=second + more).exchanges() for more in (-1, 0, 64, 135)]
    assert found == pytest.approx([1, 1 + 1 / 16, 1.5, 2])
    # 4·64 MPDUs after a sounding, SIFS, an exchange, AIFS and 7.5 slots
    cycle = 456.8 + 16 + 1_526.4 + 43 + 67.5
    assert CELL.goodput() == pytest.approx(256 * 8 * 1_472 / cycle)

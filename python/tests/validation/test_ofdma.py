"""Tests that the form of cells with OFDMA gives published values, and the standard's by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from airfair.validation.ofdma import PAPER, STANDARD, Airtimes, Cell, Conventions, figures

MAGRIN_USERS = (1, 2, 4, 5, 8, 9, 18)
MAGRIN_DOWN = {
    "single user": (61.629,) * 7,
    "bar": (61.146, 51.812, 46.673, 46.673, 46.673, 45.886, 45.886),
    "mu-bar": (59.278, 51.281, 48.035, 48.035, 48.035, 52.538, 52.538),
    "aggregated-mu-bar": (59.949, 52.173, 48.839, 48.839, 48.839, 53.253, 53.253),
}
"""Downlink of the form of [magrin-2021] [Mb/s], by acknowledgement, for `MAGRIN_USERS` stations."""
MAGRIN_BESIDE_UPLINK = {
    False: (28.508, 15.429, 11.149, 8.087, 6.577, 5.522, 4.747, 4.154, 3.606),
    True: (28.508, 15.429, 7.811, 8.087, 3.610, 3.624, 3.624, 3.617, 3.606),
}
"""Its downlink by aggregated MU-BARs beside an uplink that contends [Mb/s], for 1 to 9 stations: equal units
for those served, or (`True`) as many stations as possible."""
MAGRIN_DELAY = {
    False: (4.795, 4.591, 6.887, 4.578, 5.722, 6.866, 8.011, 9.155, 4.047),
    True: (4.795, 4.591, 4.578, 4.578, 4.006, 4.020, 4.033, 4.047, 4.047),
}
"""Its delay without an uplink [ms], likewise."""
MAGRIN_CONTENDERS = (1, 3, 5, 9, 19)
MAGRIN_SINGLE_USER = {
    15: (58.645, 54.377, 51.711, 48.461, 44.227),
    127: (58.475, 59.299, 59.057, 58.038, 55.458),
    1023: (42.008, 50.113, 53.498, 56.439, 58.510),
}
"""Its sum of down and up with single-user PPDUs [Mb/s], by CWmin, for `MAGRIN_CONTENDERS` stations."""


@pytest.mark.parametrize("ack", MAGRIN_DOWN)
def test_the_papers_conventions_give_its_downlink(ack: str) -> None:
    for users, published in zip(MAGRIN_USERS, MAGRIN_DOWN[ack], strict=True):
        cell = Cell(users, multi_user=False)
        if ack != "single user":
            cell = Cell(users, ack=ack)  # type: ignore[arg-type]
        assert figures(cell, PAPER).down == pytest.approx(published, abs=6e-4)


@pytest.mark.parametrize("most", MAGRIN_BESIDE_UPLINK)
def test_the_papers_conventions_give_its_downlink_beside_an_uplink_and_its_delay(
    most: bool,  # noqa: FBT001
) -> None:
    rows = zip(MAGRIN_BESIDE_UPLINK[most], MAGRIN_DELAY[most], strict=True)
    for users, (goodput, delay) in enumerate(rows, 1):
        cell = Cell(users, ack="aggregated-mu-bar", most_users=most)
        assert figures(replace(cell, uplink=True), PAPER).down == pytest.approx(goodput, abs=6e-4)
        assert figures(cell, PAPER).delay == pytest.approx(delay, abs=6e-4)


@pytest.mark.parametrize("window", MAGRIN_SINGLE_USER)
def test_the_papers_conventions_give_its_single_user_cells(window: int) -> None:
    rows = zip(MAGRIN_CONTENDERS, MAGRIN_SINGLE_USER[window], strict=True)
    for users, published in rows:
        found = figures(Cell(users, multi_user=False, uplink=True, cw_min=window), PAPER)
        assert found.down + found.up == pytest.approx(published, abs=6e-4)


def test_an_exchange_of_the_standard_adds_up() -> None:
    air = Airtimes(Cell(4), STANDARD)
    # 7·1070 + 6·2 octets; 16 + 8·7502 bits, 192 in a symbol: 313. 20 + 4 + 8 + 4 + SIG-B + 7.2, 122 bits of
    # SIG-B in a symbol of 208. 313·13.6 + 47.2 = 4304; an eighth MPDU takes 4916.
    exchange = air.multi_user()
    assert (exchange.mpdus, air.octets(7), air.sig_b()) == (7, 7502, 4)
    assert exchange.data == pytest.approx(4304)
    # MU-BAR 64 octets: 534 bits, 96 in a symbol; block ack 36 octets: 304 bits, 192 in a symbol of 14.4.
    assert (air.trigger(), air.triggered_block_ack()) == (44, pytest.approx(76.8))
    assert exchange.whole == pytest.approx(4304 + 16 + 44 + 16 + 76.8)
    # 28 MPDUs of 8000 bits per exchange, AIFS of 43 and 7.5 slots
    assert figures(Cell(4)).down == pytest.approx(224_000 / (4456.8 + 43 + 67.5))


def test_block_acks_in_turn_take_a_bar_and_a_block_ack_each() -> None:
    exchange = Airtimes(Cell(4, ack="bar"), STANDARD).multi_user()
    # 16 + 32, three times 16 + 32 + 16 + 32
    assert exchange.whole - exchange.data == pytest.approx(48 + 3 * 96)


def test_the_standard_fits_the_response_into_the_limit() -> None:
    exchange = Airtimes(Cell(1, multi_user=False), STANDARD).single_user()
    # 37 MPDUs: 39 662 octets, 317 312 bits, 936 in a symbol; 36 + 7.2 of preamble; 16 + 32 of block ack
    assert exchange.mpdus == 37
    assert exchange.data == pytest.approx(43.2 + 13.6 * 340)
    assert exchange.whole == pytest.approx(exchange.data + 48)


def test_each_convention_of_the_paper_changes_a_figure() -> None:
    cells = [
        Cell(1, multi_user=False),
        Cell(2, multi_user=False, payload=300, uplink=True),
        *(Cell(4, ack=ack, uplink=True) for ack in ("bar", "mu-bar", "aggregated-mu-bar")),
    ]
    for name, value in vars(PAPER).items():
        changed = Conventions(**(vars(PAPER) | {name: getattr(STANDARD, name)}))
        moved = [figures(cell, changed) != figures(cell, PAPER) for cell in cells]
        assert value == getattr(STANDARD, name) or any(moved), name

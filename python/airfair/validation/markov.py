"""Continuous-time Markov network (CTMN) of saturated cells on one channel.

A state is the set of cells that send; cells that hear each other never send together, so states are the
independent sets of the graph of hearing. In a state without a cell that hears it, a cell starts to send at
the rate `senders/back_off`; it ends at the rate `1/exchange`. With the activity ρ = senders·exchange/back_off
of each cell, the time share of a state is the product of the activities of its cells, divided by the sum of
the products of all states. The shares depend on the means alone, not on the distributions.

Three cells in a row, of which the outer ones do not hear each other, have the states {}, {A}, {B}, {C} and
{A, C}. With equal activities

    Z = 1 + 3ρ + ρ²,  share of A and of C = (ρ + ρ²)/Z,  share of B = ρ/Z

Time is continuous, so no two cells in range start at once: the model has no collisions between them, no
doubling of windows and no EIFS. A simulation to compare with therefore has `cw_min` = `cw_max` and no EIFS.
A window of W + 1 values still loses about 1 of (W + 1)/2 attempts to each sender in range, so W is large and
activity comes from long exchanges. Frames that meet at a hidden receiver are not in the model either: a
station receives no other cell than those that its sender hears.

Sources: [boorstyn-1987], which has the product form; [liew-2010], its insensitivity to distributions and the
limit of large ρ; [bellalta-2014], cells of WLANs.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from .theory import Exchange, Phy

State = frozenset[str]


@dataclass(frozen=True)
class Cell:
    """Cell whose saturated senders hear each other; times in microseconds."""

    back_off: float
    """Mean time that the counter of one sender counts down for an exchange, without interruptions [µs]."""
    exchange: float
    """Mean time from the start of a frame to the end of the DIFS or AIFS after its exchange [µs]."""
    senders: int = 1

    @property
    def activity(self) -> float:
        """Ratio ρ of the rate at which the cell starts exchanges to the rate at which they end."""
        return self.senders * self.exchange / self.back_off


def of_window(phy: Phy, window: int, cost: Exchange, senders: int = 1) -> Cell:
    """Cell with a constant contention window [slots]: the DCF draws 0 to `window`, and waits half of it."""
    return Cell(window / 2 * phy.slot, cost.success, senders)


def states(hears: Mapping[str, Collection[str]]) -> Iterator[State]:
    """Sets of cells that can send together, the empty one first.

    # Errors

    `ValueError` if a cell hears itself or one that is not listed, or if only one of two hears the other.
    """
    for cell, others in hears.items():
        for other in others:
            if cell == other or cell not in hears.get(other, ()):
                raise ValueError(
                    f"hears: {cell!r} hears {other!r}; two cells hear each other or not"
                )

    def extended(chosen: State, rest: tuple[str, ...]) -> Iterator[State]:
        yield chosen
        for i, cell in enumerate(rest):
            later = tuple(other for other in rest[i + 1 :] if other not in hears[cell])
            yield from extended(chosen | {cell}, later)

    yield from extended(frozenset(), tuple(hears))


def time_shares(
    cells: Mapping[str, Cell], hears: Mapping[str, Collection[str]]
) -> dict[State, float]:
    """Share of time in each state, in product form.  [boorstyn-1987]"""
    weights = {
        state: math.prod(cells[cell].activity for cell in state)
        for state in states({cell: hears.get(cell, ()) for cell in cells})
    }
    total = math.fsum(weights.values())
    return {state: weight / total for state, weight in weights.items()}


def airtime(cells: Mapping[str, Cell], hears: Mapping[str, Collection[str]]) -> dict[str, float]:
    """Share of time in which each cell sends, its gaps of DIFS or AIFS included."""
    shares = time_shares(cells, hears)
    return {
        cell: math.fsum(share for state, share in shares.items() if cell in state) for cell in cells
    }


def frame_rates(
    cells: Mapping[str, Cell], hears: Mapping[str, Collection[str]]
) -> dict[str, float]:
    """Exchanges per µs of each cell, of all its senders together."""
    return {cell: share / cells[cell].exchange for cell, share in airtime(cells, hears).items()}

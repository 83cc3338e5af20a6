"""Tests of the continuous-time Markov network, by hand and against its balance equations."""

from __future__ import annotations

import dataclasses
import itertools
import random

import numpy as np
import pytest

from airfair.validation import markov, theory
from airfair.validation.markov import Cell
from airfair.validation.theory import DOT11A

ROW = {"a": ["b"], "b": ["a", "c"], "c": ["b"]}


def test_two_cells_in_range_have_half_each() -> None:
    # ρ = 300/100 = 3: states {}, {a}, {b} with weights 1, 3, 3 of 7
    pair = {name: Cell(100, 300) for name in "ab"}
    shares = markov.airtime(pair, {"a": ["b"], "b": ["a"]})
    assert shares == pytest.approx({"a": 3 / 7, "b": 3 / 7})
    # Two cells in range are one cell with the senders of both.
    one = markov.airtime({"both": Cell(100, 300, senders=2)}, {})
    assert one["both"] == pytest.approx(sum(shares.values()))


def test_two_hidden_cells_have_what_one_alone_has() -> None:
    # ρ = 3: 3/(1 + 3) each; an exchange of 300 µs in 400 µs
    pair = {name: Cell(100, 300) for name in "ab"}
    assert markov.airtime(pair, {}) == pytest.approx({"a": 3 / 4, "b": 3 / 4})
    assert markov.frame_rates(pair, {}) == pytest.approx({"a": 1 / 400, "b": 1 / 400})


def test_a_flow_in_the_middle_starves() -> None:
    # ρ = 3: Z = 1 + 9 + 9 = 19; outer (3 + 9)/19, middle 3/19
    row = {name: Cell(100, 300) for name in "abc"}
    assert markov.airtime(row, ROW) == pytest.approx({"a": 12 / 19, "b": 3 / 19, "c": 12 / 19})
    # With much activity the outer cells have all: Z ≈ ρ², middle 1/ρ.
    # Only the largest independent sets have time. [liew-2010]
    busy = markov.airtime({name: Cell(1, 1e6) for name in "abc"}, ROW)
    assert busy == pytest.approx({"a": 1, "b": 0, "c": 1}, abs=2e-6)


def test_unequal_cells_multiply() -> None:
    # ρ = 1, 4, 2 (two senders): {} 1, {a} 1, {b} 4, {c} 2, {a, c} 2 of 10
    row = {"a": Cell(100, 100), "b": Cell(50, 200), "c": Cell(100, 100, senders=2)}
    assert markov.airtime(row, ROW) == pytest.approx({"a": 0.3, "b": 0.4, "c": 0.4})


def test_a_constant_window_of_802_11a() -> None:
    # 6 Mb/s: PSDU of 1536 octets 2072 µs, SIFS 16, ACK 44, DIFS 34: 2166 µs; 255/2 slots of 9 µs: 1147.5 µs
    cost = theory.exchange(DOT11A, 1536, 6)
    cell = markov.of_window(DOT11A, 255, cost)
    assert (cell.exchange, cell.back_off) == (2166, 1147.5)
    alone = markov.frame_rates({"a": cell}, {})["a"]
    assert alone == pytest.approx(1 / 3313.5)
    # Alone, the model is exact: the refined form of Bianchi has the same.
    constant = dataclasses.replace(DOT11A, cw_min=255, cw_max=255)
    assert alone == pytest.approx(theory.refined_frame_rate(1, constant, cost))


def balance(cells: dict[str, Cell], hears: dict[str, list[str]]) -> dict[str, float]:
    """Time shares of cells by the balance equations of the chain, without the product form."""
    names = sorted(cells)
    sets = [
        frozenset(chosen)
        for size in range(len(names) + 1)
        for chosen in itertools.combinations(names, size)
        if not any(other in hears[cell] for cell, other in itertools.combinations(chosen, 2))
    ]
    rates = np.zeros((len(sets), len(sets)))
    for i, j in itertools.permutations(range(len(sets)), 2):
        if len(sets[i] ^ sets[j]) == 1:
            (changed,) = sets[i] ^ sets[j]
            cell = cells[changed]
            starts = changed in sets[j]
            rates[i, j] = cell.senders / cell.back_off if starts else 1 / cell.exchange
    rates -= np.diag(rates.sum(axis=1))
    system = np.vstack([rates.T, np.ones(len(sets))])
    shares = np.linalg.lstsq(system, np.eye(len(sets) + 1)[-1], rcond=None)[0]
    return {name: sum(shares[i] for i, each in enumerate(sets) if name in each) for name in names}


@pytest.mark.parametrize("seed", range(5))
def test_the_product_form_solves_the_balance_equations(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - no cryptography
    cells = {
        name: Cell(draw.uniform(50, 500), draw.uniform(50, 5000), draw.randint(1, 3))
        for name in "abcdef"
    }
    hears: dict[str, list[str]] = {name: [] for name in cells}
    for one, other in itertools.combinations(cells, 2):
        if draw.random() < 0.5:
            hears[one].append(other)
            hears[other].append(one)
    assert markov.airtime(cells, hears) == pytest.approx(balance(cells, hears))


@pytest.mark.parametrize(
    "hears", [{"a": ["a"], "b": []}, {"a": ["b"], "b": []}, {"a": ["c"], "b": []}]
)
def test_hearing_is_mutual(hears: dict[str, list[str]]) -> None:
    with pytest.raises(ValueError, match="hears: 'a' hears"):
        markov.airtime({name: Cell(100, 300) for name in "ab"}, hears)

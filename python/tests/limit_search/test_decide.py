"""Tests of p-values, false discovery rates and verdicts against examples worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from airfair.limit_search.decide import Effect, adjusted, beyond, compare, of_point
from airfair.limit_search.measures import CRITERIA, effects


def test_false_discoveries_by_hand() -> None:
    # Ten p-values, q = 0.05: the largest k with p(k) <= k·0.05/10 is k = 2 (0.009 <= 0.010; 0.021 > 0.015,
    # 0.035 > 0.020, … 0.9 > 0.05). So two comparisons are significant.
    p = [0.001, 0.009, 0.021, 0.035, 0.04, 0.2, 0.3, 0.5, 0.7, 0.9]
    q = adjusted(p)
    assert (q <= 0.05).sum() == 2
    # Adjusted: 10·0.001/1 = 0.01; 10·0.009/2 = 0.045; 10·0.021/3 = 0.07; then 10·0.04/5 = 0.08, which is less
    # than 10·0.035/4.
    assert q[:5] == pytest.approx([0.01, 0.045, 0.07, 0.08, 0.08])
    # The order of the comparisons does not matter.
    assert adjusted(p[::-1]) == pytest.approx(q[::-1])


def test_a_difference_counts_beyond_what_matters() -> None:
    # Mean 3, standard deviation 1, n = 4: standard error 0.5. Beyond 1: t = (3 - 1)/0.5 = 4, 3 degrees of
    # freedom. P(T3 > 4) = 1/2 - (1/π)·(atan(4/√3) + (4/√3)/(1 + 16/3)) = 0.01400; two sides: 0.02801.
    spread = math.sqrt(3) / 2
    differences = np.array([3 - spread, 3 + spread, 3 - spread, 3 + spread])
    assert differences.std(ddof=1) == pytest.approx(1)
    ratio = 4 / math.sqrt(3)
    tail = 0.5 - (math.atan(ratio) + ratio / (1 + 16 / 3)) / math.pi
    assert beyond(differences, 1) == pytest.approx(2 * tail)
    assert beyond(-differences, 1) == beyond(differences, 1)
    assert beyond(differences, 3) == 1


def test_what_never_varies_is_certain() -> None:
    assert beyond(np.zeros(5), 1) == 1
    assert beyond(np.full(5, 2.0), 1) == 0
    assert beyond(np.array([50.0]), 1) == 1  # one pair has no variance, so the p-value is 1


def test_verdicts() -> None:
    wobble = np.array([-0.1, 0.1, -0.1, 0.1, 0.0])
    noise = np.array([-9.0, 9.0, -9.0, 9.0, 0.0])
    found = compare([10 + wobble, -10 + wobble, wobble, noise], [1, 1, 1, 1])
    assert [c.verdict for c in found] == [
        Effect.WINS,
        Effect.LOSES,
        Effect.SAME,
        Effect.UNDECIDED,
    ]
    assert compare([], []) == []


def test_noise_alone_declares_nothing() -> None:
    # 2000 comparisons without any effect: without the adjustment, 5 % of them, 100, would be significant.
    generator = np.random.default_rng(1)
    found = compare(list(generator.normal(size=(2000, 10))), [0.0] * 2000)
    assert sum(c.p <= 0.05 for c in found) > 60
    assert sum(c.verdict.sign != 0 for c in found) <= 1


@pytest.mark.parametrize(
    ("verdicts", "together"),
    [
        ("wins same", Effect.WINS),
        ("undecided loses", Effect.LOSES),
        ("wins loses", Effect.MIXED),
        ("same same", Effect.SAME),
        ("same undecided", Effect.UNDECIDED),
    ],
)
def test_a_point_is_judged_by_all_its_measures(verdicts: str, together: Effect) -> None:
    assert of_point([Effect(word) for word in verdicts.split()]) is together


def test_effects_are_positive_where_the_scheme_is_better() -> None:
    without, using = np.array([90.0, 110.0]), np.array([99.0, 121.0])
    # The unit is the mean without the scheme, which is 100: effects of +9 and +11 %.
    assert effects(CRITERIA["total"], without, using, 1.0) == pytest.approx([9, 11])
    assert effects(CRITERIA["delay"], without, using, 1.0) == pytest.approx([-9, -11])
    # The slowest flow can have a goodput of 0, so the unit is the mean goodput of the flows.
    nothing = np.zeros(2)
    assert effects(CRITERIA["slowest"], nothing, using, 110.0) == pytest.approx([90, 110])
    assert np.isnan(effects(CRITERIA["total"], nothing, using, 110.0)).all()
    # A loss of 1 % in place of 2 % is an effect of +1 percentage point.
    lost = effects(CRITERIA["loss"], np.array([0.02]), np.array([0.01]), 1.0)
    assert lost == pytest.approx([1])

"""Tests of rules: the tree finds a border that the test has set, and describes it in words."""

from __future__ import annotations

import numpy as np
import pytest

from airfair.limit_search.space import Condition, Feature
from airfair.limit_search.tree import Mask, grow, holdout, importance, pure, words

KNOWN = {
    "rtt": Feature("rtt", "round trip", "ms", log=True),
    "queue": Feature("queue", "queue", "packets", log=True, whole=True),
    "load": Feature("load", "load", "", values=("greedy", "short", "idle")),
    "noise": Feature("noise", "noise", ""),
}


@pytest.fixture
def points() -> list[Condition]:
    generator = np.random.default_rng(5)
    return [
        {
            "rtt": float(generator.uniform(2, 100)),
            "queue": int(generator.integers(5, 200)),
            "load": str(generator.choice(["greedy", "short", "idle"])),
            "noise": float(generator.uniform()),
        }
        for _ in range(400)
    ]


def known_border(points: list[Condition]) -> Mask:
    """True where round trip < 40 ms, queue > 80 packets and the load is not short."""
    return np.array(
        [float(p["rtt"]) < 40 and int(p["queue"]) > 80 and p["load"] != "short" for p in points]
    )


def test_a_known_border_is_found(points: list[Condition]) -> None:
    true = known_border(points)
    (leaf,) = pure(grow(points, true, KNOWN), true)
    bounds = {test.feature: test for test in leaf.tests}
    assert set(bounds) == {"rtt", "queue", "load"}
    assert bounds["rtt"].high == pytest.approx(40, abs=2)
    assert bounds["queue"].low == pytest.approx(80, abs=3)
    assert bounds["load"].only == {"greedy", "idle"}
    assert true[leaf.members].mean() > 0.97
    hits, spoken = holdout(points, true, KNOWN)
    assert hits > 0.9 * spoken
    assert spoken > 0.8 * true.sum()


def test_a_rule_is_a_sentence(points: list[Condition]) -> None:
    true = known_border(points)
    (leaf,) = pure(grow(points, true, KNOWN), true)
    text = words(leaf.tests, KNOWN)
    assert "round trip ≤ " in text
    assert " ms" in text
    assert "queue > " in text
    assert "load not short" in text


def test_noise_gives_no_rule_that_lasts(points: list[Condition]) -> None:
    true = np.random.default_rng(6).uniform(size=len(points)) < 0.2
    hits, spoken = holdout(points, true, KNOWN)
    assert hits <= 0.5 * spoken


def test_what_tells_nothing_has_no_importance(points: list[Condition]) -> None:
    true = np.array([float(p["rtt"]) < 40 for p in points])
    found = importance(points, true, KNOWN)
    assert found["rtt"] > 0.95
    assert found["noise"] < 0.1
    assert importance(points, np.zeros(400, dtype=bool), KNOWN) == dict.fromkeys(KNOWN, 0.0)


def test_all_or_none_is_one_region(points: list[Condition]) -> None:
    (leaf,) = grow(points, np.ones(400, dtype=bool), KNOWN)
    assert leaf.tests == ()
    assert words(leaf.tests, KNOWN) == "always"

"""Baselines of the tasks: left out where Gymnasium is not installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import airfair

pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from airfair.gym import TaskError, baselines

SATURATED = "scenarios/saturated-cell.toml"
VARY: dict[str, Any] = {"station.s.count": [5, 40]}


def test_the_table_has_a_line_for_each_cell_and_a_column_for_each_policy(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = baselines(
        scenario=SATURATED,
        vary=VARY,
        duration="1 s",
        episodes=4,
        policies={"always 127": lambda seen: np.full(len(seen), 3)},
    )
    printed = capsys.readouterr().out
    assert printed.strip() == str(table)
    policies = ["802.11 back-off", "best fixed window", "random", "always 127"]
    assert [row.policy for row in table.rows] == policies * 2
    few, many = table.rows[:4], table.rows[4:]
    # More stations need a larger window, and only the fixed one is not worse for them.
    assert few[1].setting is not None
    assert many[1].setting is not None
    assert few[1].setting < many[1].setting
    for standard, best, random, _ in (few, many):
        assert best.goodput_mbps > standard.goodput_mbps
        assert best.goodput_mbps > random.goodput_mbps
        assert best.half_width is not None
        assert best.setting is not None
        assert f"{best.goodput_mbps:.2f} ± {best.half_width:.2f} ({best.setting[0][0]})" in printed
        # The reward is the goodput relative to 54 Mb/s.
        assert best.reward == pytest.approx(best.goodput_mbps / 54)
    assert many[0].goodput_mbps < 0.95 * many[1].goodput_mbps
    assert all(len(line.rstrip()) <= 110 for line in printed.splitlines())


def test_the_standard_back_off_is_that_of_a_run() -> None:
    """The goodput lies within the interval of ten other replications of the same cell."""
    (standard, *_) = baselines(scenario=SATURATED, duration="2 s", episodes=6).rows
    runs = airfair.run(SATURATED, replications=10, set={"duration": "2 s", "warmup": "0 s"})
    expected = runs.flows["goodput_bps"].sum() / 10 / 1e6
    assert standard.half_width is not None
    assert standard.goodput_mbps == pytest.approx(expected, abs=2 * standard.half_width)


def test_equal_seeds_give_an_equal_table() -> None:
    options: Any = {"scenario": SATURATED, "duration": "200 ms", "episodes": 3}
    assert baselines(seed=4, **options) == baselines(seed=4, threads=1, **options)
    assert baselines(seed=5, **options) != baselines(seed=4, **options)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"task": "airfair/Chess-v0"}, "allowed are 'airfair/ContentionWindow-v0'"),
        ({"episodes": 0}, "episodes = 0: allowed are 1 and more"),
        ({"vary": {"station.s.count": [1], "station.s.rate": ["6 Mb/s"]}}, "allowed is one key"),
        ({"vary": {"station.s.count": []}}, "allowed is one key with its values"),
    ],
)
def test_options_that_are_not_allowed_are_refused(options: Any, sentence: str) -> None:  # noqa: ANN401
    with pytest.raises(TaskError) as raised:
        baselines(**options)
    assert sentence in str(raised.value)

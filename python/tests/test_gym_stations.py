"""Stations as agents: left out where PettingZoo is not installed."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")

from gymnasium.error import ResetNeeded
from pettingzoo.test import parallel_api_test, parallel_seed_test

import airfair
from airfair.gym import TaskError, parallel_env

SATURATED = "scenarios/saturated-cell.toml"
SHORT: dict[str, Any] = {"scenario": SATURATED, "duration": "300 ms"}


def rewards_of(env: Any, actions: dict[str, int], steps: int) -> dict[str, float]:  # noqa: ANN401
    """Sum of each station's rewards."""
    env.reset(seed=1)
    total = dict.fromkeys(actions, 0.0)
    for _ in range(steps):
        _, rewards, _, _, _ = env.step(actions)
        total = {name: total[name] + rewards[name] for name in total}
    return total


@pytest.mark.parametrize("actions", ["discrete", "continuous"])
def test_the_checkers_of_pettingzoo_find_nothing(actions: Any) -> None:  # noqa: ANN401
    parallel_api_test(parallel_env(actions=actions, **SHORT), num_cycles=100)
    parallel_seed_test(lambda: parallel_env(actions=actions, **SHORT), num_cycles=40)


def test_each_station_is_an_agent_that_sees_itself() -> None:
    """A step before the first one has no frames, no busy channel and no goodput."""
    env = parallel_env(history=2, window=None, **SHORT)
    names = list(airfair.load(SATURATED).stations)
    assert env.possible_agents == names
    seen, infos = env.reset(seed=1)
    assert set(seen) == set(infos) == set(names)
    seen, rewards, *_ = env.step(dict.fromkeys(names, 0))
    shares = {name: values[2] for name, values in seen.items()}
    for values in seen.values():
        assert values.shape == (6,)
        assert values[3:].tolist() == [0, 0, 0]
        # All share a channel.
        assert values[1] == seen["s1"][1]
    # The reward of each is the goodput of all.
    assert rewards == pytest.approx(dict.fromkeys(names, sum(shares.values())), abs=1e-5)


def test_a_station_with_a_smaller_window_has_more_of_the_goodput() -> None:
    env = parallel_env(reward="own", **SHORT)
    actions = {name: 5 if name != "s3" else 1 for name in env.possible_agents}
    total = rewards_of(env, actions, 30)
    others = [reward for name, reward in total.items() if name != "s3"]
    assert total["s3"] > 4 * max(others)


def test_an_episode_ends_for_all_with_the_hash_of_its_records() -> None:
    env = parallel_env(scenario=SATURATED, duration="20 ms")
    env.reset(seed=3)
    actions = dict.fromkeys(env.agents, 2)
    env.step(actions)
    _, _, terminated, truncated, infos = env.step(actions)
    assert not any(terminated.values())
    assert all(truncated.values())
    assert len({info["record_hash"] for info in infos.values()}) == 1
    assert env.agents == []
    with pytest.raises(ResetNeeded, match="call reset first"):
        env.step(actions)


def test_options_that_are_not_allowed_are_refused() -> None:
    with pytest.raises(TaskError, match="allowed are"):
        parallel_env(reward="praise", **SHORT)  # type: ignore[arg-type]
    with pytest.raises(TaskError, match="the stations of the cell"):
        parallel_env(draw={"station.s.count": (5, 50)}, **SHORT)

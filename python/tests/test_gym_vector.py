"""Vector environments: left out where Gymnasium is not installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from gymnasium.error import ResetNeeded  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

import airfair  # noqa: E402
from airfair import RunError, _core  # noqa: E402
from airfair.gym import Environment, VectorEnv  # noqa: E402

NAME = "airfair.gym:airfair/ContentionWindow-v0"
SHORT: dict[str, Any] = {
    "scenario": "scenarios/saturated-cell.toml",
    "duration": "50 ms",
    "draw": {"station.s.count": (2, 8)},
    "history": 4,
    "window": None,
}


def test_make_vec_finds_the_vector_environment() -> None:
    env = gymnasium.make_vec(NAME, num_envs=3, vectorization_mode="vector_entry_point", **SHORT)
    assert isinstance(env, VectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    seen, infos = env.reset(seed=1)
    assert env.observation_space.contains(seen)
    assert infos["drawn"]["station.s.count"].shape == (3,)
    _, rewards, terminated, truncated, _ = env.step(env.action_space.sample())
    assert rewards.shape == terminated.shape == truncated.shape == (3,)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_it_does_what_single_environments_do_one_after_the_other(
    mode: AutoresetMode, threads: int
) -> None:
    """Each of four cells has three episodes of five steps, and in "NextStep" two steps between them."""
    one = VectorEnv(4, autoreset_mode=mode, threads=threads, **SHORT)
    other = SyncVectorEnv([lambda: Environment(**SHORT)] * 4, autoreset_mode=mode)
    first, first_infos = one.reset(seed=5)
    second, second_infos = other.reset(seed=5)
    assert np.array_equal(first, second)
    assert str(first_infos) == str(second_infos)
    random = np.random.default_rng(1)
    ends = 0
    for _ in range(17):
        actions = random.integers(7, size=4)
        *first_step, first_infos = one.step(actions)
        *second_step, second_infos = other.step(actions)
        for left, right in zip(first_step, second_step, strict=True):
            assert np.array_equal(left, right)
        assert str(first_infos) == str(second_infos)
        ends += int(first_step[3].sum())
    assert ends == 12


def test_the_seeds_of_the_environments_follow_each_other_or_are_given() -> None:
    env = VectorEnv(3, **SHORT)
    counts = env.reset(seed=5)[1]["drawn"]["station.s.count"].tolist()
    assert env.reset(seed=[5, 6, 7])[1]["drawn"]["station.s.count"].tolist() == counts
    assert env.reset(seed=[7, 6, 5])[1]["drawn"]["station.s.count"].tolist() == counts[::-1]
    with pytest.raises(ValueError, match="2 seeds for 3 environments"):
        env.reset(seed=[1, 2])


def test_without_autoreset_its_owner_resets_the_environments_that_are_over() -> None:
    env = VectorEnv(2, autoreset_mode="Disabled", **SHORT)
    with pytest.raises(ResetNeeded, match="call reset first"):
        env.step(np.array([1, 1]))
    env.reset(seed=1)
    for _ in range(2):
        env.step(np.array([1, 1]))
    # The first environment is two steps ahead of the second one from now on.
    env.reset(options={"reset_mask": np.array([False, True])})
    for _ in range(3):
        *_, over, infos = env.step(np.array([1, 1]))
    assert over.tolist() == [True, False]
    assert infos["_record_hash"].tolist() == [True, False]
    with pytest.raises(ResetNeeded, match="reset_mask"):
        env.step(np.array([1, 1]))
    seen, _ = env.reset(options={"reset_mask": over})
    assert seen[0].tolist() == [0.0] * 4
    *_, over, _ = env.step(np.array([1, 1]))
    assert over.tolist() == [False, False]


def test_actions_of_another_number_are_refused() -> None:
    env = VectorEnv(2, **SHORT)
    env.reset()
    with pytest.raises(ValueError, match="3 actions for 2 worlds"):
        env.step(np.array([1, 1, 1]))


def worlds(count: int = 1, **options: Any) -> _core.Worlds:  # noqa: ANN401
    defaults = {"step_ns": 10**7, "signals": ["busy"], "lever": "contention window", "history": 3}
    return _core.Worlds(count, **{**defaults, **options})


def test_places_need_a_world_and_have_a_number() -> None:
    places = worlds(2)
    with pytest.raises(IndexError, match="world 2: allowed are 0 to 1"):
        places.finish(2)
    with pytest.raises(ValueError, match="start it first"):
        places.advance()
    with pytest.raises(ValueError, match="world 1: no run to finish"):
        places.finish(1)
    with pytest.raises(ValueError, match='signal "luck": allowed are "collided"'):
        worlds(signals=["luck"])
    with pytest.raises(ValueError, match="start it first"):
        places.set([[1], [1]])
    for place in (0, 1):
        places.start(place, airfair.load("scenarios/saturated-cell.toml"), 1)
    with pytest.raises(_core.SettingError, match="windows from 0 to 32767"):
        places.set([[1], [70000]])
    assert issubclass(RunError, RuntimeError)

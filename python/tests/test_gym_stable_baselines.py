"""The adapter for stable-baselines3, with a stand-in for its base class and with the package itself."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from airfair.gym import TASK, TASKS, Environment, MissingExtraError, VectorEnv

ADAPTER = "airfair.gym.stable_baselines"
SHORT: dict[str, Any] = {
    "scenario": "scenarios/saturated-cell.toml",
    "duration": "50 ms",
    "draw": {"station.s.count": (2, 8)},
    "history": 4,
    "window": None,
}


class StandIn:
    """What the adapter uses of stable-baselines3's `VecEnv`."""

    def __init__(self, num_envs: int, observation_space: object, action_space: object) -> None:
        self.num_envs, self.observation_space, self.action_space = (
            num_envs,
            observation_space,
            action_space,
        )
        self.reset_infos: list[dict[str, Any]] = [{}] * num_envs
        self._reset_seeds()
        self.render_mode = self.get_attr("render_mode")[0]

    def get_attr(self, attr_name: str, indices: object = None) -> list[Any]:
        raise NotImplementedError

    def _reset_seeds(self) -> None:
        self._seeds: list[int | None] = [None] * self.num_envs

    def seed(self, seed: int) -> None:
        self._seeds = [seed + index for index in range(self.num_envs)]


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401
    """The adapter's class, on the stand-in."""
    names = ["stable_baselines3", "stable_baselines3.common", "stable_baselines3.common.vec_env"]
    modules = {name: ModuleType(name) for name in names}
    modules[names[-1]].VecEnv = StandIn  # type: ignore[attr-defined]
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, ADAPTER, raising=False)
    yield importlib.import_module(ADAPTER).StableVecEnv
    sys.modules.pop(ADAPTER, None)


def test_without_stable_baselines_the_error_gives_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    monkeypatch.delitem(sys.modules, ADAPTER, raising=False)
    with pytest.raises(MissingExtraError, match="pip install stable-baselines3"):
        importlib.import_module(ADAPTER)


def test_it_resets_in_the_same_step_and_keeps_the_last_observation(adapter: Any) -> None:  # noqa: ANN401
    """Five steps are an episode. The last observation is that of a single environment with the same seed."""
    env = adapter(2, **SHORT)
    single = Environment(**SHORT)
    env.seed(7)
    assert env.reset().shape == (2, 4)
    assert [set(info) for info in env.reset_infos] == [{"drawn"}] * 2
    single.reset(seed=7)
    earned = 0.0
    for count in range(1, 6):
        env.step_async(np.array([3, 1]))
        seen, rewards, over, infos = env.step_wait()
        expected, reward, _, truncated, info = single.step(3)
        earned += reward
        assert rewards[0] == pytest.approx(reward)
        assert over.tolist() == [count == 5] * 2
        assert truncated == (count == 5)
    assert infos[0]["terminal_observation"].tolist() == expected.tolist()
    assert seen.tolist() == [[0.0] * 4] * 2
    assert infos[0]["TimeLimit.truncated"] is True
    assert infos[0]["record_hash"] == info["record_hash"]
    assert infos[0]["episode"] == {"r": pytest.approx(earned), "l": 5}
    # The next episode is the next of the single environment too, and counts anew.
    single.reset()
    env.step_async(np.array([3, 1]))
    _, rewards, over, infos = env.step_wait()
    assert rewards[0] == pytest.approx(single.step(3)[1])
    assert infos == [{}, {}]


def test_environments_share_their_attributes(adapter: Any) -> None:  # noqa: ANN401
    env = adapter(3, **SHORT)
    assert env.render_mode is None
    assert env.get_attr("num_envs") == [3, 3, 3]
    assert env.get_attr("num_envs", 1) == [3]
    assert env.env_is_wrapped(object, [0, 2]) == [False, False]
    with pytest.raises(AttributeError, match="no attributes of their own"):
        env.set_attr("num_envs", 4)
    with pytest.raises(AttributeError, match="no methods of their own"):
        env.env_method("render")
    assert isinstance(env.vector, VectorEnv)
    env.close()
    assert env.vector.closed


@pytest.mark.slow
@pytest.mark.parametrize("actions", ["discrete", "continuous"])
@pytest.mark.parametrize("task", TASKS)
def test_stable_baselines_learns_on_every_task(task: str, actions: str) -> None:
    """PPO learns for a moment, and its checker finds nothing in the single environment."""
    reason = "stable-baselines3 is not installed: pip install -r requirements/train.txt"
    stable_baselines3 = pytest.importorskip("stable_baselines3", reason=reason)
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.evaluation import evaluate_policy

    from airfair.gym.stable_baselines import StableVecEnv

    options: dict[str, Any] = {"task": task, "actions": actions}
    options |= {TASK: SHORT, "airfair/LinkRate-v0": {"duration": "200 ms"}}.get(task, {})
    check_env(Environment(**options))
    env = StableVecEnv(4, **options)
    model = stable_baselines3.PPO("MlpPolicy", env, n_steps=32, batch_size=32, seed=1, device="cpu")
    model.learn(256)
    mean, _ = evaluate_policy(model, env, n_eval_episodes=4, warn=False)
    assert mean > 0


def test_it_takes_the_name_of_a_task(adapter: Any) -> None:  # noqa: ANN401
    """Two stations have a window each. An observation has a signal of the cell, and three of each station."""
    rates = {"station.one.rate": "1 Mb/s", "station.two.rate": "11 Mb/s"}
    env = adapter(2, task="airfair/UploadWindows-v0", set=rates, duration="1 s", history=1)
    assert env.action_space.nvec.tolist() == [6, 6]
    env.seed(1)
    assert env.reset().shape == (2, 7)
    env.step_async(np.zeros((2, 2), np.int64))
    _, rewards, over, _ = env.step_wait()
    assert rewards.shape == over.shape == (2,)

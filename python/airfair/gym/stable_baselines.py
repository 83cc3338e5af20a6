"""Adapter for stable-baselines3, which has a vector environment of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from airfair.errors import MissingExtraError

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise MissingExtraError(
        "airfair.gym.stable_baselines", "stable_baselines3", "stable-baselines3"
    ) from error

from .environment import Seen
from .rendering import Image
from .task import Options
from .tasks import TASK
from .vector import Actions, Flags, VectorEnv

Infos = list[dict[str, Any]]
"""Information for each environment."""


class StableVecEnv(VecEnv):  # type: ignore[misc] # types of an optional package
    """Vector environment for the learners of stable-baselines3.

    >>> from stable_baselines3 import PPO  # doctest: +SKIP
    >>> PPO("MlpPolicy", StableVecEnv(16, draw={"station.s.count": (5, 50)}))  # doctest: +SKIP

    An environment whose episode has ended starts anew in the same step. The information of that step has the
    last observation as `terminal_observation`, `TimeLimit.truncated`, the `record_hash`, and the sum of the
    rewards and the number of steps as `episode`.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        task: str = TASK,
        threads: int | None = None,
        render_mode: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        self.vector = VectorEnv(
            num_envs,
            task=task,
            autoreset_mode="SameStep",
            threads=threads,
            render_mode=render_mode,
            **options,
        )
        self._actions: Actions = np.zeros(num_envs, np.int64)
        self._earned = np.zeros(num_envs)
        self._steps = np.zeros(num_envs, np.int64)
        super().__init__(
            num_envs, self.vector.single_observation_space, self.vector.single_action_space
        )

    def reset(self) -> Seen:
        """Start an episode of each environment, with the seeds of the last call of `seed`."""
        seen, infos = self.vector.reset(seed=self._seeds)
        self._reset_seeds()
        self._earned[:], self._steps[:] = 0.0, 0
        self.reset_infos = [_of(infos, index) for index in range(self.num_envs)]
        return seen

    def step_async(self, actions: Actions) -> None:
        """Note the actions of the next `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Seen, NDArray[np.float32], Flags, Infos]:
        """Advance all environments by a step."""
        seen, rewards, _, over, infos = self.vector.step(self._actions)
        self._earned += rewards
        self._steps += 1
        each: Infos = [{} for _ in range(self.num_envs)]
        for index in np.flatnonzero(over).tolist():
            each[index] = {
                **_of(infos["final_info"], index),
                "terminal_observation": infos["final_obs"][index],
                "TimeLimit.truncated": True,
                "episode": {"r": float(self._earned[index]), "l": int(self._steps[index])},
            }
            self._earned[index], self._steps[index] = 0.0, 0
        return seen, rewards.astype(np.float32), over, each

    def close(self) -> None:
        """Close the environments."""
        self.vector.close()

    def get_images(self) -> list[Image | None]:
        """Picture of the channel of each environment; `None` for each without a render mode."""
        return [*(self.vector.render() or [None] * self.num_envs)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:  # noqa: ANN401
        """Value of an attribute, which all environments share."""
        return [getattr(self.vector, attr_name) for _ in self._each(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:  # noqa: ANN401, ARG002
        """Raise `AttributeError`: environments that advance together have no attributes of their own."""
        raise AttributeError(f"{attr_name}: the environments have no attributes of their own")

    def env_method(
        self,
        method_name: str,
        *method_args: Any,  # noqa: ANN401, ARG002
        indices: Any = None,  # noqa: ANN401, ARG002
        **method_kwargs: Any,  # noqa: ANN401, ARG002
    ) -> list[Any]:
        """Raise `AttributeError`: environments that advance together have no methods of their own."""
        raise AttributeError(f"{method_name}: the environments have no methods of their own")

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:  # noqa: ANN401, ARG002
        """`False` for each environment: none is wrapped."""
        return [False for _ in self._each(indices)]

    def _each(self, indices: int | Iterable[int] | None) -> Iterable[int]:
        if indices is None:
            return range(self.num_envs)
        return [indices] if isinstance(indices, int) else indices


def _of(infos: dict[str, Any], index: int) -> dict[str, Any]:
    """Information of one environment."""
    return {
        key: _of(value, index) if isinstance(value, dict) else value[index]
        for key, value in infos.items()
        if not key.startswith("_") and (f"_{key}" not in infos or infos[f"_{key}"][index])
    }

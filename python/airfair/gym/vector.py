"""The vector environment of Gymnasium: many worlds that advance by one call, on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .environment import Seen
from .rendering import RENDERING, Image, Screen
from .task import Options, Task, record_hash
from .tasks import TASK

Actions = NDArray[np.int64] | NDArray[np.float32]
"""An action for each environment."""
Flags = NDArray[np.bool_]
"""A truth value for each environment."""
Rewards = NDArray[np.float64]
"""A reward for each environment."""


class VectorEnv(gymnasium.vector.VectorEnv[Seen, Actions, Any]):
    """Several environments of a task, which advance by one call on all cores.

    Episodes are those of `Environment` with the same seeds and actions. `autoreset_mode` is a mode of
    Gymnasium: "NextStep" (the default), "SameStep" or "Disabled". `threads` is the number of threads, by
    default that of the cores. With `render_mode="rgb_array"`, `render` returns a picture of each environment.
    `Options` describes the other options.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        task: str = TASK,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        threads: int | None = None,
        render_mode: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        self.num_envs = num_envs
        self._screen = Screen(render_mode)
        self.render_mode = render_mode
        self.task = Task(task=task, **options)
        self._mode = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": self._mode, **RENDERING}
        self.single_observation_space = self.task.observation_space
        self.single_action_space = self.task.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._worlds = self.task.worlds(num_envs, threads=threads, film_ns=self._screen.film_ns)
        self._random: list[np.random.Generator | None] = [None] * num_envs
        self._over: Flags = np.ones(num_envs, dtype=np.bool_)
        self._never = np.zeros(num_envs, dtype=np.bool_)
        self._begun = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Seen, dict[str, Any]]:
        """Start an episode of each environment, or of those in `options["reset_mask"]`.

        With one `seed`, the environments have this one and those that follow.
        """
        if seed is None or isinstance(seed, int):
            seed = [None if seed is None else seed + index for index in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds for {self.num_envs} environments")
        mask = (options or {}).get("reset_mask")
        infos: dict[str, Any] = {}
        for index, each in enumerate(seed):
            if mask is None or mask[index]:
                infos = self._start(index, infos, each)
        self._begun = True
        return self._worlds.seen()[0], infos

    def step(self, actions: Actions) -> tuple[Seen, Rewards, Flags, Flags, dict[str, Any]]:
        """Set what the actions change, and advance all environments by a step.

        An environment whose episode has ended starts anew, as `autoreset_mode` has it.
        """
        if not self._begun:
            raise ResetNeeded("the episodes have not begun: call reset first")
        infos: dict[str, Any] = {}
        waiting: list[int] = []
        if self._over.any():
            if self._mode is AutoresetMode.DISABLED:
                raise ResetNeeded("an episode is over: call reset with its reset_mask first")
            waiting = np.flatnonzero(self._over).tolist()
            for index in waiting:
                infos = self._start(index, infos)
        values = self.task.values
        self._worlds.set([values(action) for action in actions])
        seen, rewards, over = self._worlds.advance(waiting)
        if over.any():
            seen, infos = self._end(seen, over, infos)
        return seen, rewards, self._never.copy(), over, infos

    def render(self) -> tuple[Image, ...] | None:
        """Picture of the channel of each environment, as that of `Environment`."""
        if not self._begun:
            raise ResetNeeded("the episodes have not begun: call reset first")
        return self._screen.pictures(self._worlds, self.num_envs)

    def _end(self, seen: Seen, over: Flags, infos: dict[str, Any]) -> tuple[Seen, dict[str, Any]]:
        """Close the episodes that are over, and start new ones if the same step shall show them."""
        same = self._mode is AutoresetMode.SAME_STEP
        self._over = np.zeros_like(over) if same else over.copy()
        for index in np.flatnonzero(over).tolist():
            info: dict[str, Any] = {"record_hash": record_hash(self._worlds.finish(index))}
            if same:
                info = {"final_obs": seen[index], "final_info": info}
            infos = self._add_info(infos, info, index)
            if same:
                infos = self._start(index, infos)
        return (self._worlds.seen()[0] if same else seen), infos

    def _start(self, index: int, infos: dict[str, Any], seed: int | None = None) -> dict[str, Any]:
        random = self._random[index]
        if random is None or seed is not None:
            random, _ = seeding.np_random(seed)
            self._random[index] = random
        drawn = self.task.start(self._worlds, index, random)
        self._over[index] = False
        return self._add_info(infos, {"drawn": drawn}, index) if drawn else infos

"""Stations as agents of PettingZoo; `stations.parallel_env` makes them."""

from __future__ import annotations

from itertools import chain
from typing import Any, Literal, Unpack

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from .environment import Action, Seen
from .rendering import RENDERING, Image, Screen
from .task import Options, Task, TaskError, observations, record_hash
from .tasks import TASK

Infos = dict[str, dict[str, Any]]
"""Information for each station."""


class Stations(ParallelEnv):  # type: ignore[misc] # PettingZoo has no types
    """Contention windows of a crowded cell, of which each station chooses its own."""

    def __init__(
        self, *, reward: Literal["cell", "own"], render_mode: str | None, **options: Unpack[Options]
    ) -> None:
        if reward not in ("cell", "own"):
            raise TaskError(f'reward = {reward!r}: allowed are "cell" and "own"')
        self.metadata = {"name": TASK, **RENDERING}
        self._screen = Screen(render_mode)
        self.render_mode = render_mode
        self.task = Task(task=TASK, **options)
        self.possible_agents = list(self.task.stations())
        self.agents: list[str] = []
        self._shares = reward == "cell"
        self._worlds = self.task.worlds(1, threads=1, by_station=True, film_ns=self._screen.film_ns)
        width = self._worlds.width
        self._observed = {name: observations(width) for name in self.possible_agents}
        self._acted = {name: self.task.actions() for name in self.possible_agents}
        self._random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> Any:  # noqa: ANN401 - PettingZoo has no types
        """Space of a station's observations."""
        return self._observed[agent]

    def action_space(self, agent: str) -> Any:  # noqa: ANN401 - PettingZoo has no types
        """Space of a station's actions."""
        return self._acted[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Seen], Infos]:
        """Start an episode of all stations. There are no `options`."""
        del options
        if self._random is None or seed is not None:
            self._random, _ = seeding.np_random(seed)
        self.task.start(self._worlds, 0, self._random)
        self.agents = list(self.possible_agents)
        seen, _, _ = self._worlds.seen()
        return dict(zip(self.agents, seen, strict=True)), {name: {} for name in self.agents}

    def step(
        self, actions: dict[str, Action]
    ) -> tuple[dict[str, Seen], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Set the contention window of each station and advance by a step."""
        agents = self.agents
        if not agents:
            raise ResetNeeded("the episode is over or has not begun: call reset first")
        self._worlds.set([[*chain.from_iterable(self.task.values(actions[it]) for it in agents)]])
        seen, rewards, (over,) = self._worlds.advance()
        each = [float(rewards.sum())] * len(agents) if self._shares else rewards.tolist()
        info = {}
        if over:
            self.agents = []
            info = {"record_hash": record_hash(self._worlds.finish(0))}
        return (
            dict(zip(agents, seen, strict=True)),
            dict(zip(agents, each, strict=True)),
            dict.fromkeys(agents, False),
            dict.fromkeys(agents, bool(over)),
            {name: dict(info) for name in agents},
        )

    def render(self) -> Image | None:
        """Picture of the channel, as that of `Environment`."""
        if self._random is None:
            raise ResetNeeded("the episode has not begun: call reset first")
        pictures = self._screen.pictures(self._worlds, 1)
        return None if pictures is None else pictures[0]

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

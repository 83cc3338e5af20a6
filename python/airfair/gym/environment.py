"""The environment of Gymnasium: one world at a time."""

from __future__ import annotations

from typing import Any, ClassVar, Unpack

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from .rendering import RENDERING, Image, Screen
from .task import Options, Task, record_hash
from .tasks import TASK

Seen = NDArray[np.float32]
"""Observation."""
Action = np.int64 | int | NDArray[np.int64] | NDArray[np.float32]
"""Number of a level, an array of such numbers, or an array of numbers from -1 to 1."""


class Environment(gymnasium.Env[Seen, Action]):
    """World of the task with the name `task`. `Options` describes the other options.

    `reset(seed=…)` determines an episode: equal seeds and actions give equal records. At the end of an
    episode, `info["record_hash"]` is the hash of all its records. `info["drawn"]` of `reset` has the values
    that the episode has drawn. With `render_mode="rgb_array"`, `render` returns a picture of the channel.

    Raises `TaskError` for an action that is not allowed, and `RunError` if the run fails.
    """

    metadata: ClassVar[dict[str, Any]] = {**RENDERING}  # type: ignore[misc]

    def __init__(
        self, *, task: str = TASK, render_mode: str | None = None, **options: Unpack[Options]
    ) -> None:
        self._screen = Screen(render_mode)
        self.render_mode = render_mode
        self.task = Task(task=task, **options)
        self.observation_space = self.task.observation_space  # type: ignore[assignment] # of float32
        self.action_space = self.task.action_space  # type: ignore[assignment] # one of three
        self._worlds = self.task.worlds(1, threads=1, film_ns=self._screen.film_ns)
        self._runs = self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Start an episode, and return its first observation. There are no `options`."""
        super().reset(seed=seed, options=options)
        drawn = self.task.start(self._worlds, 0, self.np_random)
        self._runs = self._begun = True
        seen, _, _ = self._worlds.seen()
        return seen[0], {"drawn": drawn} if drawn else {}

    def step(self, action: Action) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Set what the action changes, and advance by a step; an episode is truncated at its end."""
        if not self._runs:
            raise ResetNeeded("the episode is over or has not begun: call reset first")
        self._worlds.set([self.task.values(action)])
        seen, rewards, over = self._worlds.advance()
        if not over[0]:
            return seen[0], float(rewards[0]), False, False, {}
        self._runs = False
        info = {"record_hash": record_hash(self._worlds.finish(0))}
        return seen[0], float(rewards[0]), False, True, info

    def render(self) -> Image | None:
        """Picture of the last 20 ms of the channel, (height, width, 3), with a lane for each station."""
        if not self._begun:
            raise ResetNeeded("the episode has not begun: call reset first")
        pictures = self._screen.pictures(self._worlds, 1)
        return None if pictures is None else pictures[0]

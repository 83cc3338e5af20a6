"""Environments for reinforcement learning, in which a learner controls a simulated cell.

>>> import gymnasium
>>> env = gymnasium.make("airfair.gym:airfair/ContentionWindow-v0")  # doctest: +SKIP

Importing this package registers its tasks with Gymnasium, which comes with `pip install airfair[gym]`.
"""

from __future__ import annotations

from airfair.extras import MissingExtraError

try:
    import gymnasium
except ImportError as error:
    raise MissingExtraError("airfair.gym", "gymnasium", "airfair[gym]") from error

from .baselines import Baseline, Baselines, baselines
from .environment import ContentionWindow
from .stations import parallel_env
from .task import TASK, Options, Task, TaskError
from .vector import VectorEnv

__all__ = [
    "TASK",
    "Baseline",
    "Baselines",
    "ContentionWindow",
    "MissingExtraError",
    "Options",
    "Task",
    "TaskError",
    "VectorEnv",
    "baselines",
    "parallel_env",
]

gymnasium.register(
    TASK,
    entry_point="airfair.gym.environment:ContentionWindow",
    vector_entry_point="airfair.gym.vector:VectorEnv",
)

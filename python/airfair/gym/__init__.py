"""Environments for reinforcement learning, in which a learner controls a simulated cell.

>>> import gymnasium
>>> env = gymnasium.make("airfair.gym:airfair/ContentionWindow-v0")  # doctest: +SKIP

Importing this package registers its tasks with Gymnasium, which comes with `pip install airfair[gym]`.
"""

from __future__ import annotations

from airfair.errors import MissingExtraError

try:
    import gymnasium
except ImportError as error:
    raise MissingExtraError("airfair.gym", "gymnasium", "airfair[gym]") from error

from .baselines import Baseline, Baselines, baselines
from .environment import Environment
from .stations import parallel_env
from .task import Options, Task, TaskError
from .tasks import TASK, TASKS
from .vector import VectorEnv

__all__ = [
    "TASK",
    "TASKS",
    "Baseline",
    "Baselines",
    "Environment",
    "MissingExtraError",
    "Options",
    "Task",
    "TaskError",
    "VectorEnv",
    "baselines",
    "parallel_env",
]

for name in TASKS:
    gymnasium.register(
        name,
        entry_point="airfair.gym.environment:Environment",
        vector_entry_point="airfair.gym.vector:VectorEnv",
        kwargs={"task": name},
    )

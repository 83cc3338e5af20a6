"""Measures steps of 10 ms per CPU second of the environments to learn in, beside the engine without them.

.venv/bin/python bench/learn.py

The cell has ten saturated stations, whose contention window is 127 throughout. Each number is that of the
fastest of several rounds, because noise only adds time.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import gymnasium
import numpy as np

import airfair
import airfair.gym

if TYPE_CHECKING:
    from collections.abc import Callable

CELL = str(Path(__file__).resolve().parents[1] / "scenarios" / "saturated-cell.toml")
ROUNDS = 6
STEPS = 1000
ACTION, WINDOW = 3, 127
CELLS = (1, 4, 16)
"""Numbers of cells that advance by one call."""


def engine() -> int:
    """Run the cell in one step."""
    world = airfair.World(CELL, seed=1)
    for part in (*world.station.values(), *world.access_point.values()):
        part.contention_window = (WINDOW, WINDOW)
    world.advance()
    return STEPS


def environment(env: gymnasium.Env[object, object]) -> int:
    """Run an episode of an environment."""
    env.reset(seed=1)
    over, count = False, 0
    while not over:
        over = bool(env.step(ACTION)[3])
        count += 1
    return count


def vector(env: airfair.gym.VectorEnv) -> int:
    """Run some steps of a vector environment."""
    env.reset(seed=1)
    actions = np.full(env.num_envs, ACTION)
    calls = STEPS // env.num_envs
    for _ in range(calls):
        env.step(actions)
    return calls * env.num_envs


def main() -> None:
    """Measure and print."""
    env = gymnasium.make("airfair.gym:airfair/ContentionWindow-v0", scenario=CELL)
    works: dict[str, Callable[[], int]] = {
        "the engine, in one step": engine,
        "gymnasium.make": lambda: environment(env),
    }
    for cells in CELLS:
        many = airfair.gym.VectorEnv(cells, scenario=CELL)
        works[f"VectorEnv, {cells} cells"] = lambda many=many: vector(many)
    best = dict.fromkeys(works, 0.0)
    for _ in range(ROUNDS):
        for name, work in works.items():
            start = time.process_time()
            steps = work()
            best[name] = max(best[name], steps / (time.process_time() - start))
    for name, speed in best.items():
        print(f"{name:<26}{speed:>9.0f} steps per CPU second")


if __name__ == "__main__":
    main()

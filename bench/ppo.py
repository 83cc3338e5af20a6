"""Trains PPO of stable-baselines3 to choose a contention window, and compares it with the baselines.

pip install -r requirements/train.txt
python bench/ppo.py [--record] [fixed] [drawn]

The cell is scenarios/saturated-cell.toml. `fixed` trains and measures with 40 stations. `drawn` trains with 5
to 50 stations, drawn for each episode, and measures with several numbers of stations. `--record` writes the
numbers of both to `bench/ppo.json`, from which the book draws the learning curve.

Learners are measured in episodes with other seeds than those of training, with the most probable action of
the policy. The best fixed window is chosen in episodes of again other seeds. CPU seconds are those of
training, with its environments and without the measurements and imports.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

import airfair.gym
from airfair import statistics
from airfair.gym.stable_baselines import StableVecEnv
from airfair.text_table import Line, Table, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from airfair.gym import Options

HERE = Path(__file__).resolve().parent
RECORD = HERE / "ppo.json"
CELL = str(HERE.parent / "scenarios" / "saturated-cell.toml")
COUNT = "station.s.count"
MEASURED = 1_000_000
"""Seed of the first episode in which a policy is measured."""
EPISODES = 10
"""Episodes of 10 s in which a policy is measured."""
LEVELS = airfair.gym.TASKS[airfair.gym.TASK].lever.levels
"""Windows of the actions."""
ENVIRONMENTS = 8
SETTINGS = {
    # With eight environments, an update has 2048 steps, as one environment has by default.
    "n_steps": 2048 // ENVIRONMENTS,
    # The goodput of a step varies much with chance, which 64 steps do not average out. It is also faster.
    "batch_size": 256,
    # A window acts on the goodput of its own step and hardly on later ones: 10 steps ahead are enough.
    "gamma": 0.9,
}
"""Settings of PPO that differ from the defaults of stable-baselines3."""


@dataclass(frozen=True)
class Study:
    """Cells to train in, and cells to measure in."""

    stations: int | tuple[int, int]
    measured: Sequence[int]
    steps: int
    """Steps of training, over all environments."""
    every: int
    """Steps between two measurements of the learning curve."""
    seeds: Sequence[int]
    """Seeds of the learners."""

    def draw(self) -> Options:
        """Options of the environments to train in."""
        drawn = self.stations if isinstance(self.stations, tuple) else [self.stations]
        return {"scenario": CELL, "draw": {COUNT: drawn}}


STUDIES = {
    "fixed": Study(40, (40,), steps=49_152, every=4_096, seeds=(1, 2, 3, 4, 5)),
    "drawn": Study((5, 50), (5, 10, 20, 30, 40, 50), steps=98_304, every=49_152, seeds=(1, 2, 3)),
}

Policy = Callable[[NDArray[np.float32]], NDArray[np.int64]]
"""Function from observations, a row for each environment, to actions."""
Curve = dict[int, dict[int, NDArray[np.float64]]]
"""Mean rewards of the measured episodes, by steps of training and number of stations."""


def rewards_of(policy: Policy, stations: int, episodes: int = EPISODES) -> NDArray[np.float64]:
    """Return the mean reward of a step, in each of the measured episodes."""
    options: Options = {"scenario": CELL, "draw": {COUNT: [stations]}}
    env = airfair.gym.VectorEnv(episodes, autoreset_mode="Disabled", **options)
    seen, _ = env.reset(seed=MEASURED)
    total, steps, over = np.zeros(episodes), 0, False
    while not over:
        seen, rewards, _, ended, _ = env.step(policy(seen))
        total, steps, over = total + rewards, steps + 1, bool(ended.all())
    return total / steps


def policy_of(model: PPO) -> Policy:
    """Return the policy of a learner, which takes the most probable action."""
    return lambda seen: model.predict(seen, deterministic=True)[0]


class Measures(BaseCallback):
    """Measures a learner during its training, and how much CPU time that takes."""

    def __init__(self, study: Study) -> None:
        super().__init__()
        self.study = study
        self.curve: Curve = {}
        self.cpu_s = 0.0

    def _on_rollout_start(self) -> None:
        self.measure()

    def _on_step(self) -> bool:
        return True

    def measure(self) -> None:
        """Measure the learner, if the training has got so far."""
        steps = self.num_timesteps
        if steps % self.study.every == 0 and steps not in self.curve:
            began = time.process_time()
            policy = policy_of(self.model)
            self.curve[steps] = {count: rewards_of(policy, count) for count in self.study.measured}
            self.cpu_s += time.process_time() - began


def train(study: Study, seed: int) -> tuple[Curve, float]:
    """Train a learner. Return its curve, and the CPU seconds of training."""
    began = time.process_time()
    env = StableVecEnv(ENVIRONMENTS, **study.draw())
    model = PPO("MlpPolicy", env, seed=seed, device="cpu", **SETTINGS)
    measures = Measures(study)
    model.learn(study.steps, callback=measures)
    cpu_s = time.process_time() - began - measures.cpu_s
    measures.measure()
    return measures.curve, cpu_s


def estimate(samples: Iterable[float]) -> list[float | None]:
    """Return the mean and the half width of its 95 % interval."""
    values = [float(each) for each in samples]
    rounded = [statistics.mean(values), statistics.half_width(values)]
    return [None if each is None else round(each, 5) for each in rounded]


def measured(study: Study) -> dict[str, Any]:
    """Train a learner of each seed, and return the numbers of a study."""
    cells: dict[str, dict[str, Any]] = {str(count): {} for count in study.measured}
    megabits, best = {}, {}
    rows = airfair.gym.baselines(
        scenario=CELL, vary={COUNT: study.measured}, episodes=EPISODES, seed=MEASURED
    ).rows
    for row in rows:
        count = int(row.point[COUNT])  # type: ignore[arg-type] # a number of stations
        half = None if row.half_width is None else round(row.half_width, 5)
        cells[str(count)][row.policy] = [round(row.goodput_mbps, 5), half]
        if row.setting is not None:
            (level,) = row.setting
            (cells[str(count)]["window"],) = level
            action = LEVELS.index(level)
            best[count] = rewards_of(lambda seen, it=action: np.full(len(seen), it), count)
            # The reward is relative to the highest rate in the cell.
            megabits[count] = row.goodput_mbps / row.reward
    learners: dict[str, dict[str, Any]] = {}
    for seed in study.seeds:
        curve, cpu_s = train(study, seed)
        last = curve[max(curve)]
        learners[str(seed)] = {
            "cpu_s": round(cpu_s, 1),
            "goodput": {str(it): estimate(last[it] * megabits[it]) for it in last},
            "percent_of_best": {str(it): estimate(100 * last[it] / best[it]) for it in last},
            "curve": {
                str(it): {
                    str(at): round(float(curve[at][it].mean() * megabits[it]), 5) for at in curve
                }
                for it in last
            },
        }
    for count, cell in cells.items():
        cell["PPO"] = estimate(it["goodput"][count][0] for it in learners.values())
    shares = [share for it in learners.values() for share, _ in it["percent_of_best"].values()]
    return {
        "longest_cpu_s": max(it["cpu_s"] for it in learners.values()),
        "least_percent_of_best": min(shares),
        "cells": cells,
        "learners": learners,
    }


def table(numbers: dict[str, Any]) -> str:
    """Return the numbers of a study as a table."""
    cells = numbers["cells"]

    def line(label: str, values: Iterable[Sequence[float]], digits: int) -> Line:
        return Line(label, [f"{mean:.{digits}f} ± {half:.{digits}f}" for mean, half in values])

    policies = ("802.11 back-off", "random", "best fixed window", "PPO")
    lines = [
        line(f"{name} [Mb/s]", [cell[name] for cell in cells.values()], 2) for name in policies
    ]
    lines.append(Line("best window [slots]", [str(cell["window"]) for cell in cells.values()]))
    for seed, it in numbers["learners"].items():
        label = f"seed {seed}, {it['cpu_s']:.0f} CPU s [% of the best]"
        lines.append(line(label, it["percent_of_best"].values(), 1))
    columns = [f"{count} stations" for count in cells]
    return "\n".join(text(Table("", columns, lines), 120))


def about() -> dict[str, Any]:
    """Return the versions and the machine of the numbers."""
    packages = ("stable-baselines3", "torch", "gymnasium", "numpy")
    versions = {name: importlib.metadata.version(name) for name in packages}
    return {
        "versions": {
            "python": platform.python_version(),
            "airfair": airfair.__version__,
            **versions,
        },
        "settings": {"n_envs": ENVIRONMENTS, **SETTINGS},
        "episodes": EPISODES,
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Train, print, and with `--record` write the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write bench/ppo.json")
    parser.add_argument("studies", nargs="*", choices=[[], *STUDIES], help="default: both")
    arguments = parser.parse_args()
    # The networks are so small that several threads would only wait for each other.
    torch.set_num_threads(1)
    kept = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    for name in arguments.studies or STUDIES:
        numbers = about() | measured(STUDIES[name])
        print(f"\n{name}\n{table(numbers)}")
        kept[name] = numbers
        if arguments.record:
            RECORD.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

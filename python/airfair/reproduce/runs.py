"""Runs every scenario of the chosen experiments under every variant, all in one pool."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair.engine import run_many
from airfair.result import Result
from airfair.scenario import load
from airfair.terminal import Progress

from .paper import Data, Experiment, Paper, Setup

if TYPE_CHECKING:
    from airfair._core import Scenario
    from airfair.scenario import Value

FEWEST = 2
"""Replications without which there is no confidence interval, and so no table after Ctrl-C."""


@dataclass(frozen=True)
class Choice:
    """What to reproduce, how often, and where to write it."""

    paper: Paper[Any]
    experiments: tuple[Experiment[Any], ...]
    replications: int
    out: Path
    quick: bool

    @property
    def setups(self) -> list[Setup]:
        """The setups that the experiments need, each once."""
        needed = dict.fromkeys(setup for e in self.experiments for setup in e.setups)
        return [self.paper.setups[setup] for setup in needed]

    @property
    def paths(self) -> list[Path]:
        """Their scenario files, each once."""
        return list(dict.fromkeys(setup.path for setup in self.setups))


@dataclass(frozen=True)
class Measured:
    """All finished runs."""

    data: Data[Any]
    """By setup and variant; a setup has all of its variants or none, and all have the same
    replications."""
    replications: int
    """Runs of each: fewer than asked for after Ctrl-C."""
    interrupted: bool
    seed: int
    cpu_s: float
    wall_s: float
    simulated_s: float


def measure(choice: Choice, label: str | None = None) -> Measured:
    """Run what the choice needs; `label` stands before the progress bar, the paper's id by default."""
    work = [(setup, variant) for setup in choice.setups for variant in setup.variants]
    scenarios = [_scenario(choice, setup, variant.set) for setup, variant in work]
    draws = {
        index: [
            _scenario(choice, setup, {**variant.set, **variant.draw(replication)})
            for replication in range(choice.replications)
        ]
        for index, (setup, variant) in enumerate(work)
        if variant.draw
    }
    wall, cpu = time.perf_counter(), time.process_time()
    with Progress(label or choice.paper.id) as progress:
        results = run_many(scenarios, draws=draws, progress=progress)
    kept, common = _paired(
        [(setup.id, result) for (setup, _), result in zip(work, results, strict=True)],
        least=min(choice.replications, FEWEST),
    )
    finished = {
        (setup.id, variant.id): choice.paper.measure(_only(result, common))
        for (setup, variant), result in zip(work, results, strict=True)
        if setup.id in kept
    }
    return Measured(
        data=finished,
        replications=len(common),
        interrupted=any(result.interrupted for result in results),
        seed=scenarios[0].seed,
        cpu_s=time.process_time() - cpu,
        wall_s=time.perf_counter() - wall,
        simulated_s=sum(result.simulated_s for result in results),
    )


def _scenario(choice: Choice, setup: Setup, keys: Mapping[str, Value]) -> Scenario:
    quick = setup.quick if choice.quick else {}
    return load(setup.path, replications=choice.replications, set={**keys, **quick})


def _paired(results: Sequence[tuple[str, Result]], least: int) -> tuple[set[str], set[int]]:
    """The setups with enough replications, and those that all of them have finished.

    Variants are compared by seed, within a setup and beyond.
    """
    finished: dict[str, set[int]] = {}
    for setup, result in results:
        done = {outcome.replication for outcome in result.outcomes}
        finished[setup] = finished.get(setup, done) & done
    kept = {setup: done for setup, done in finished.items() if len(done) >= least}
    common = set.intersection(*kept.values()) if kept else set()
    return (set(kept), common) if len(common) >= least else (set(), set())


def _only(result: Result, replications: set[int]) -> Result:
    outcomes = [outcome for outcome in result.outcomes if outcome.replication in replications]
    return replace(result, outcomes=outcomes)

"""Experiments on a cell of two stations, whose runs take less than a millisecond."""

# ruff: noqa: ANN401 - jobs and callbacks of an engine have any type

from __future__ import annotations

import copy
import functools
from pathlib import Path
from typing import Any

import pytest

import airfair
from airfair.archive import Local
from support import SCENARIO

CELL = SCENARIO.replace('"4 s"', '"200 ms"').replace('series   = "500 ms"\n', "")

RATES = {"station.slow.rate": ["1 Mb/s", "2 Mb/s"]}
SCHEMES = {"scheme": {"plain": {}, "short": {"station.*.queue.packets": 5}}}


def experiment(**options: object) -> airfair.Experiment:
    """Experiment on the cell, with two replications of each point unless given otherwise."""
    return airfair.Experiment(CELL, **{"replications": 2, **options})  # type: ignore[arg-type]


def run(**options: object) -> airfair.ExperimentResult:
    """Result of the experiment on the cell, run without a store."""
    return experiment(**options).run(store=None, progress=False)


@functools.cache
def _grid() -> airfair.ExperimentResult:
    return run(factors={**RATES, **SCHEMES}, replications=4)


def grid() -> airfair.ExperimentResult:
    """Experiment with two rates and two schemes, four replications each; no table is computed yet."""
    return copy.copy(_grid())


class StopsAfter:
    """Engine that stops after a given number of runs, as after Ctrl-C."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.done = 0

    def run(self, jobs: Any, on_done: Any, progress: Any) -> bool:
        part = jobs[: self.number]
        Local(1).run(part, on_done, progress)
        self.done += len(part)
        return len(part) < len(jobs)

    def close(self) -> None:
        pass


def interrupted(
    exp: airfair.Experiment, *, engine: StopsAfter, store: Path | None = None
) -> airfair.ExperimentResult:
    """Finished runs of an experiment that Ctrl-C ends."""
    with pytest.raises(airfair.Interrupted) as stop:
        exp.run(store=store, engine=engine, progress=False)
    assert str(stop.value) == f"interrupted after {engine.done} finished replications"
    result: airfair.ExperimentResult = stop.value.result
    return result

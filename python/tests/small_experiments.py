"""Experiments on a cell of two stations, whose runs take less than a millisecond."""

from __future__ import annotations

import copy
import functools

import airfair
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

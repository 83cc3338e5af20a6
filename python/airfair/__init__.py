"""A laboratory for fairness on Wi-Fi: transport protocols over simulated multi-rate 802.11 cells.

>>> import airfair
>>> result = airfair.run("scenarios/one-slow-station.toml", seed=1)  # doctest: +SKIP
>>> result.flows  # doctest: +SKIP

Modules that need numpy and polars are imported on first use, so that `airfair --help` starts quickly.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from . import copies
from ._core import RunError, Scenario, ScenarioError, SettingError, __version__
from .copies import ForeignResultError

if TYPE_CHECKING:
    from .engine import Interrupted, run, run_many
    from .experiment import (
        Experiment,
        ExperimentResult,
        StudyError,
        between,
        choice,
        claim,
        latin_hypercube,
        load_experiment,
        load_study,
        measure,
        random,
        sobol,
        until,
        until_decided,
    )
    from .law import Law
    from .loading import load_result
    from .result import Result
    from .scenario import load
    from .store import DamagedError
    from .world import World

copies.enable()

__all__ = [
    "DamagedError",
    "Experiment",
    "ExperimentResult",
    "ForeignResultError",
    "Interrupted",
    "Law",
    "Result",
    "RunError",
    "Scenario",
    "ScenarioError",
    "SettingError",
    "StudyError",
    "World",
    "__version__",
    "between",
    "choice",
    "claim",
    "latin_hypercube",
    "load",
    "load_experiment",
    "load_result",
    "load_study",
    "measure",
    "random",
    "run",
    "run_many",
    "sobol",
    "until",
    "until_decided",
]

_LAZY = {
    "DamagedError": "store",
    "Experiment": "experiment",
    "ExperimentResult": "experiment",
    "Interrupted": "engine",
    "Law": "law",
    "Result": "result",
    "StudyError": "experiment",
    "World": "world",
    "between": "experiment",
    "choice": "experiment",
    "claim": "experiment",
    "latin_hypercube": "experiment",
    "load": "scenario",
    "load_experiment": "experiment",
    "load_result": "loading",
    "load_study": "experiment",
    "measure": "experiment",
    "random": "experiment",
    "run": "engine",
    "run_many": "engine",
    "sobol": "experiment",
    "until": "experiment",
    "until_decided": "experiment",
}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value

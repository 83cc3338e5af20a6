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
    from . import tfrc
    from .engine import Interrupted, run, run_many
    from .errors import OptionError
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
    from .experiment.side_by_side import compare
    from .law import Law
    from .limit_search.measures import criterion
    from .limit_search.running import limits
    from .link import Link
    from .loading import load_result
    from .reproduction.running import ReproductionError, reproduce
    from .result import Result
    from .scenario import load
    from .store import DamagedError
    from .validation import validate
    from .validation.kernel.running import validate_kernel
    from .world import World

copies.enable()

__all__ = [
    "DamagedError",
    "Experiment",
    "ExperimentResult",
    "ForeignResultError",
    "Interrupted",
    "Law",
    "Link",
    "OptionError",
    "ReproductionError",
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
    "compare",
    "criterion",
    "latin_hypercube",
    "limits",
    "load",
    "load_experiment",
    "load_result",
    "load_study",
    "measure",
    "random",
    "reproduce",
    "run",
    "run_many",
    "sobol",
    "tfrc",
    "until",
    "until_decided",
    "validate",
    "validate_kernel",
]

_LAZY = {
    "DamagedError": "store",
    "Experiment": "experiment",
    "ExperimentResult": "experiment",
    "Interrupted": "engine",
    "Law": "law",
    "Link": "link",
    "ReproductionError": "reproduction.running",
    "Result": "result",
    "StudyError": "experiment",
    "World": "world",
    "OptionError": "errors",
    "between": "experiment",
    "choice": "experiment",
    "claim": "experiment",
    "compare": "experiment.side_by_side",
    "criterion": "limit_search.measures",
    "latin_hypercube": "experiment",
    "limits": "limit_search.running",
    "load": "scenario",
    "load_experiment": "experiment",
    "load_result": "loading",
    "load_study": "experiment",
    "measure": "experiment",
    "random": "experiment",
    "reproduce": "reproduction.running",
    "run": "engine",
    "run_many": "engine",
    "sobol": "experiment",
    "tfrc": "tfrc",
    "until": "experiment",
    "until_decided": "experiment",
    "validate": "validation",
    "validate_kernel": "validation.kernel.running",
}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f".{_LAZY[name]}", __name__)
    value: object = module if name == _LAZY[name] else getattr(module, name)
    globals()[name] = value
    return value

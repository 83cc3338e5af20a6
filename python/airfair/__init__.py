"""A laboratory for fairness on Wi-Fi: transport protocols over simulated multi-rate 802.11 cells.

>>> import airfair
>>> result = airfair.run("scenarios/one-slow-station.toml", seed=1)  # doctest: +SKIP
>>> result.flows  # doctest: +SKIP

Modules that need numpy and polars are imported on first use, so that `airfair --help` starts quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import copies, lazy
from ._core import RunError, Scenario, ScenarioError, SettingError, __version__
from .copies import ForeignResultError

if TYPE_CHECKING:
    from . import tfrc
    from .emulation.cell import Emulation, EmulationError, InvalidEmulationError
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
    "Emulation",
    "EmulationError",
    "Experiment",
    "ExperimentResult",
    "ForeignResultError",
    "Interrupted",
    "InvalidEmulationError",
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

__getattr__ = lazy.names(
    __name__,
    {
        "emulation.cell": "Emulation EmulationError InvalidEmulationError",
        "engine": "Interrupted run run_many",
        "errors": "OptionError",
        "experiment": "Experiment ExperimentResult StudyError between choice claim latin_hypercube "
        "load_experiment load_study measure random sobol until until_decided",
        "experiment.side_by_side": "compare",
        "law": "Law",
        "limit_search.measures": "criterion",
        "limit_search.running": "limits",
        "link": "Link",
        "loading": "load_result",
        "reproduction.running": "ReproductionError reproduce",
        "result": "Result",
        "scenario": "load",
        "store": "DamagedError",
        "tfrc": "tfrc",
        "validation": "validate",
        "validation.kernel.running": "validate_kernel",
        "world": "World",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)

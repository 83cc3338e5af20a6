"""A laboratory for fair air: transport protocols on multi-rate 802.11 networks.

>>> import airfair
>>> result = airfair.run("scenarios/one-slow-station.toml", seed=1)  # doctest: +SKIP
>>> result.flows  # doctest: +SKIP

What needs numpy and polars is imported when it is first used: `airfair --help` answers at once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from . import copies
from ._core import RunError, Scenario, ScenarioError, __version__
from .copies import ForeignResultError

if TYPE_CHECKING:
    from .engine import Interrupted, run, run_many
    from .loading import load_result
    from .result import Result
    from .scenario import load
    from .store import DamagedError

copies.enable()

__all__ = [
    "DamagedError",
    "ForeignResultError",
    "Interrupted",
    "Result",
    "RunError",
    "Scenario",
    "ScenarioError",
    "__version__",
    "load",
    "load_result",
    "run",
    "run_many",
]

_LAZY = {
    "DamagedError": "store",
    "Interrupted": "engine",
    "Result": "result",
    "load": "scenario",
    "load_result": "loading",
    "run": "engine",
    "run_many": "engine",
}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value

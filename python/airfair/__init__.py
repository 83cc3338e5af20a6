"""A laboratory for fair air: transport protocols on multi-rate 802.11 networks.

>>> import airfair
>>> result = airfair.run("scenarios/one-slow-station.toml", seed=1)  # doctest: +SKIP
>>> result.flows  # doctest: +SKIP

What needs numpy and polars is imported when it is first used: `airfair --help` answers at once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ._core import RunError, Scenario, ScenarioError, __version__

if TYPE_CHECKING:
    from .engine import Interrupted, run, run_many
    from .result import Result
    from .scenario import load

__all__ = [
    "Interrupted",
    "Result",
    "RunError",
    "Scenario",
    "ScenarioError",
    "__version__",
    "load",
    "run",
    "run_many",
]

_LAZY = {
    "Interrupted": "engine",
    "Result": "result",
    "load": "scenario",
    "run": "engine",
    "run_many": "engine",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value

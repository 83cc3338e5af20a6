"""Modules that are imported when they are first used: numpy and polars take longer than a short run."""

from __future__ import annotations

import importlib


class Module:
    """Stands for a module until one of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> object:
        return getattr(importlib.import_module(self._name), name)

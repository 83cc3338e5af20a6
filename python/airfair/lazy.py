"""Lazy imports of modules, since importing numpy and polars takes longer than a short run."""

from __future__ import annotations

import importlib


class Module:
    """Proxy that imports a module when one of its attributes is first accessed."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> object:
        return getattr(importlib.import_module(self._name), name)

"""Lazy imports of modules, since importing numpy and polars takes longer than a short run."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping


class Module:
    """Proxy that imports a module when one of its attributes is first accessed."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> object:
        return getattr(importlib.import_module(self._name), name)


def names(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Function `__getattr__` of a package, which imports a module when one of its names is first accessed.

    `modules` has the names that each module has, separated by spaces; a module may be one of them itself.
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(f".{homes[name]}", package)
        value: object = module if name == homes[name] else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return get

"""Laws that are found by name: "mylaws:Mine" is the class `Mine` of the module `mylaws`."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import TypeGuard

from .law import Law, LawError
from .names import did_you_mean

_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def find(name: str, folders: Sequence[Path] = ()) -> type[Law]:
    """Find the law with a name such as "mylaws:Mine".

    The module is searched in `folders`, and then on the Python path. A module in a folder is loaded anew, so
    that a changed file counts. Afterwards the folders are at the end of the Python path.

    Raises `LawError` if there is no such module or class, if the class is no `Law`, or if loading the module
    raises an exception.
    """
    if not _NAME.fullmatch(name):
        raise LawError('allowed is MODULE:CLASS, for example "mylaws:Mine"')
    module_name, _, class_name = name.partition(":")
    module = _loaded(module_name, [folder.resolve() for folder in folders])
    found: object = module
    for part in class_name.split("."):
        found = getattr(found, part, None)
    if _is_law(found):
        return found
    laws = [key for key, value in vars(module).items() if _is_law(value)]
    problem = (
        f"no class {class_name!r}{did_you_mean(class_name, laws)}"
        if found is None
        else f"{class_name} is no subclass of airfair.Law"
    )
    place = getattr(module, "__file__", None) or f"module {module_name}"
    allowed = f"its laws are {', '.join(laws)}" if laws else "it has no law"
    raise LawError(f"{place}: {problem}; {allowed}")


def module(name: str, file: Path) -> ModuleType:
    """Module with a name, loaded from a file; raises `LawError` if it cannot be loaded."""
    folder = file.parents[name.count(".") + (file.name == "__init__.py")]
    try:
        found = importlib.import_module(name)
    except Exception:  # noqa: BLE001 - loading it from its folder reports the error
        return _loaded(name, [folder])
    place = getattr(found, "__file__", None)
    return found if place and Path(place).resolve() == file else _loaded(name, [folder])


def _is_law(value: object) -> TypeGuard[type[Law]]:
    return isinstance(value, type) and issubclass(value, Law) and value is not Law


def _loaded(name: str, folders: Sequence[Path]) -> ModuleType:
    """Load a module from one of the folders, or import it from the Python path."""
    top = name.partition(".")[0]
    known = [str(folder) for folder in folders]
    sys.path += [folder for folder in dict.fromkeys(known) if folder not in sys.path]
    importlib.invalidate_caches()
    # A module of Python's own library stays the one that it is.
    spec = None if top in sys.stdlib_module_names else PathFinder.find_spec(top, known)
    try:
        if spec is not None and spec.loader is not None:
            _load_anew(spec)
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise LawError(_trouble(error)) from error
        places = ", ".join([*dict.fromkeys(known), "the Python path"])
        files = [path.stem for folder in folders for path in folder.glob("*.py")]
        hint = did_you_mean(error.name, files)
        raise LawError(f"no module {error.name!r}{hint}; searched in {places}") from error
    except Exception as error:
        raise LawError(_trouble(error)) from error


def _load_anew(spec: ModuleSpec) -> None:
    for other in [each for each in sys.modules if f"{each}.".startswith(f"{spec.name}.")]:
        del sys.modules[other]
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)  # type: ignore[union-attr]
    except BaseException:
        del sys.modules[spec.name]
        raise


def _trouble(error: Exception) -> str:
    """Error text of a module that cannot be loaded, with the line at which it failed."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}, line {error.lineno}: SyntaxError: {error.msg}"
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename}, line {last.lineno}: {type(error).__name__}: {error}"

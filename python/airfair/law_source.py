"""Sources of laws: the file that a class comes from, the hash of its source, and changes since it was loaded.

The hash covers the file of the law and the files of its folder that it imports, directly or through one
another. Modules of other folders are not covered; `version` is for changes in them.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary


@dataclass(frozen=True)
class Origin:
    """File, hash of the source and attributes of a law, as they were when its class was created."""

    file: Path
    sha256: str
    attributes: dict[str, object]


_ORIGINS: WeakKeyDictionary[type, Origin] = WeakKeyDictionary()


def note(law: type) -> None:
    """Note the origin of a law whose class has just been created."""
    file = file_of(law.__module__)
    digest = None if file is None else sha256(file)
    if file is not None and digest is not None:
        _ORIGINS[law] = Origin(file, digest, _attributes(law))


def origin(law: type) -> Origin | None:
    """Origin of a law; `None` if its source cannot be read or the class was changed after its creation."""
    noted = _ORIGINS.get(law)
    return noted if noted is not None and noted.attributes == _attributes(law) else None


def file_of(module: str) -> Path | None:
    """File of the source of a module; `None` if it has none, as in a notebook."""
    found = getattr(sys.modules.get(module), "__file__", None)
    if not isinstance(found, str) or not found.endswith(".py"):
        return None
    return Path(found).resolve()


def sha256(file: Path) -> str | None:
    """Hash of a file and of the files of its folder that it imports; `None` if it cannot be read."""
    try:
        return _combined(tuple((each, _stamp(each)) for each in _files(file)))
    except OSError:
        return None


@functools.lru_cache(maxsize=256)
def _combined(files: tuple[tuple[Path, tuple[int, int]], ...]) -> str:
    contents = [each.read_bytes() for each, _ in files]
    if len(contents) == 1:
        return hashlib.sha256(contents[0]).hexdigest()
    whole = hashlib.sha256()
    for (each, _), content in zip(files, contents, strict=True):
        whole.update(f"{each.name}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()


def _files(file: Path) -> list[Path]:
    """The file, and those that it imports from its folder, in the order of their paths."""
    found, waiting = {file}, [file]
    while waiting:
        at = waiting.pop()
        imported = (each for name in _imports(at, _stamp(at)) for each in _beside(at.parent, name))
        for each in imported:
            if each not in found:
                found.add(each)
                waiting.append(each)
    return [file, *sorted(found - {file})]


def _beside(folder: Path, name: str) -> Iterator[Path]:
    """Source files of the module `name` in a folder, packages included."""
    first, *rest = name.split(".")
    module, package = folder / f"{first}.py", folder / first / "__init__.py"
    if package.is_file():
        yield package
        if rest:
            yield from _beside(package.parent, ".".join(rest))
    elif module.is_file():
        yield module


@functools.lru_cache(maxsize=256)
def _imports(file: Path, _stamp: tuple[int, int]) -> tuple[str, ...]:
    """Modules that may lie in the folder of a file and that it imports."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return ()
    names: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= dict.fromkeys(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level <= 1:
            whole = f"{node.module}." if node.module else ""
            if node.module:
                names[node.module] = None
            names |= dict.fromkeys(whole + alias.name for alias in node.names)
    return tuple(names)


def _stamp(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_mtime_ns, status.st_size


def _attributes(law: type) -> dict[str, object]:
    """Attributes of a class, without those that Python or a decorator adds."""
    return {name: value for name, value in vars(law).items() if not name.startswith("__")}

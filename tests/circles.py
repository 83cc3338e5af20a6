"""Circles: files that need one another, in the crates and in the Python package.

An arrow leads from a file to each file of its crate or package whose names it uses: in `use`, in a path such
as `crate::frame::Frame`, in an import, also in one within a function. Tests and imports for types only are
left out. A name that a module re-exports counts as one of the file that defines it.

`python3 tests/circles.py` lists the circles, with the names that close them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

Name = tuple[str, ...]
"""Path of a module or of an item in its crate or package."""
Arrows = Mapping[Path, Mapping[Path, set[str]]]
"""Names that each file takes from other files."""

ITEM = re.compile(
    r"\b(?:struct|enum|union|trait|type|const|static|fn|mod|macro_rules!)\s+(?:mut\s+)?(\w+)"
)
INLINE = re.compile(r"\b[a-z_]\w*(?:::\w+)+")
USE = re.compile(r"\buse\s+([^;]+);")
TESTS = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\n]*\]\s*)*(?:pub\(\w+\)\s+)?mod\s+\w+\s*\{")
IGNORED = re.compile(
    r"//[^\n]*|/\*.*?\*/|b?r(#*)\".*?\"\1|b?\"(?:\\.|[^\"\\])*\"|'(?:\\.[^']*|[^'\\\n])'", re.DOTALL
)


@dataclass(frozen=True)
class Module:
    """File of a crate: its text without comments and strings, and the names that its `use` brings in."""

    name: Name
    file: Path
    text: str

    @cached_property
    def items(self) -> set[str]:
        """Names of the items that the file defines."""
        return set(ITEM.findall(self.text))

    @cached_property
    def used(self) -> list[tuple[Name, str]]:
        """Paths of all `use`, each with the name that it has here."""
        return [pair for tree in USE.findall(self.text) for pair in _leaves(tree)]

    @cached_property
    def aliases(self) -> dict[str, Name]:
        """Path of each name that `use` brings in."""
        return {alias: path for path, alias in self.used}

    def paths(self) -> Iterator[Name]:
        """Every path in the text."""
        yield from (path for path, _ in self.used)
        rest = USE.sub("", self.text)
        yield from (tuple(found.split("::")) for found in INLINE.findall(rest))


def _leaves(tree: str, prefix: Name = ()) -> Iterator[tuple[Name, str]]:
    """Paths of a tree of `use`, such as `a::{b, c::{self, d as e}}`."""
    tree = tree.strip()
    head, brace, inner = tree.partition("{")
    if brace:
        prefix += tuple(part for part in re.sub(r"\s", "", head).split("::") if part)
        for part in _parts(inner.rpartition("}")[0]):
            yield from _leaves(part, prefix)
    elif tree:
        path, _, alias = tree.partition(" as ")
        name = (*prefix, *(part for part in re.sub(r"\s", "", path).split("::") if part))
        name = name[:-1] if name[-1] == "self" and len(name) > 1 else name
        yield name, alias.strip() or name[-1]


def _parts(text: str) -> Iterator[str]:
    """Parts between the commas outside of braces."""
    depth, start = 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


class Crate:
    """Modules of a crate by path."""

    def __init__(self, source: Path) -> None:
        self.modules: dict[Name, Module] = {}
        for file in sorted(source.rglob("*.rs")):
            parts = file.relative_to(source).with_suffix("").parts
            if "tests" in parts:
                continue
            name = parts[:-1] if parts[-1] in {"mod", "lib", "main"} else parts
            whole = IGNORED.sub('""', file.read_text(encoding="utf-8"))
            self.modules[name] = Module(name, file, TESTS.split(whole, maxsplit=1)[0])

    def arrows(self) -> dict[Path, dict[Path, set[str]]]:
        """Names that each file takes from others."""
        found: dict[Path, dict[Path, set[str]]] = {}
        for module in self.modules.values():
            own = found.setdefault(module.file, {})
            for path in module.paths():
                target = self._origin(self._absolute(module, path), set())
                if target is not None and target.file != module.file:
                    own.setdefault(target.file, set()).add(path[-1])
        return found

    def _absolute(self, module: Module, path: Name) -> Name | None:
        """Path from the root of the crate; `None` for a path of another crate, or of a type's own item."""
        first, rest = path[0], path[1:]
        if first == "crate":
            return rest
        if first in {"self", "super"}:
            home = module.name
            while path and path[0] in {"self", "super"}:
                home = home[:-1] if path[0] == "super" else home
                path = path[1:]
            return (*home, *path)
        if (*module.name, first) in self.modules:
            return (*module.name, *path)
        if rest and first in module.aliases and module.aliases[first] != path:
            imported = self._absolute(module, module.aliases[first])
            return None if imported is None else (*imported, *rest)
        return None

    def _origin(self, path: Name | None, seen: set[Name]) -> Module | None:
        """Module that defines the item at a path, however many modules re-export it."""
        if path is None or path in seen:
            return None
        seen.add(path)
        name = path
        while name not in self.modules and name:
            name = name[:-1]
        module = self.modules.get(name)
        if module is None or len(path) == len(name):
            return module
        item = path[len(name)]
        if item not in module.items and item in module.aliases:
            further = self._absolute(module, module.aliases[item])
            return self._origin(further, seen) if further is not None else None
        return module


class Package:
    """Modules of a Python package by name."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self.modules: dict[Name, Path] = {}
        for file in sorted(source.rglob("*.py")):
            parts = file.relative_to(source.parent).with_suffix("").parts
            self.modules[parts[:-1] if parts[-1] == "__init__" else parts] = file
        self.trees = {name: ast.parse(file.read_bytes()) for name, file in self.modules.items()}

    def arrows(self) -> dict[Path, dict[Path, set[str]]]:
        """Names that each file takes from others."""
        found: dict[Path, dict[Path, set[str]]] = {}
        for name, file in self.modules.items():
            own = found.setdefault(file, {})
            for path in self._imports(name):
                target = self._origin(path, set())
                if target is not None and target != file:
                    own.setdefault(target, set()).add(path[-1])
        return found

    def _imports(self, module: Name) -> Iterator[Name]:
        """Absolute paths of what a module imports, without imports for types only."""
        waiting: list[ast.AST] = [self.trees[module]]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                waiting += node.orelse
                continue
            waiting += ast.iter_child_nodes(node)
            if isinstance(node, ast.Import):
                yield from (tuple(one.name.split(".")) for one in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from (path for path, _ in self._from(module, node))

    def _from(self, module: Name, node: ast.ImportFrom) -> Iterator[tuple[Name, str]]:
        """Paths of a `from … import …`, each with the name that it has here."""
        is_package = self.modules[module].name == "__init__.py"
        home = module if is_package else module[:-1]
        base = home[: len(home) + 1 - node.level] if node.level else ()
        whole = (*base, *(node.module.split(".") if node.module else ()))
        yield from (((*whole, one.name), one.asname or one.name) for one in node.names)

    def _origin(self, path: Name, seen: set[Name]) -> Path | None:
        """File that defines the name at a path, however many packages re-export it."""
        if path in self.modules:
            return self.modules[path]
        module = path[:-1]
        if module not in self.modules or path in seen:
            return None
        if self.modules[module].with_name(f"{path[-1]}.pyi").exists():
            return None  # a module in Rust
        seen.add(path)
        for node in self.trees[module].body:
            if isinstance(node, ast.ImportFrom):
                for origin, alias in self._from(module, node):
                    if alias == path[-1]:
                        return self._origin(origin, seen)
        return self.modules[module]


@dataclass
class _Search:
    """Tarjan's search for strongly connected components."""

    arrows: Arrows
    order: dict[Path, int] = field(default_factory=dict)
    low: dict[Path, int] = field(default_factory=dict)
    open: list[Path] = field(default_factory=list)
    found: list[list[Path]] = field(default_factory=list)

    def visit(self, file: Path) -> None:
        self.order[file] = self.low[file] = len(self.order)
        self.open.append(file)
        for target in self.arrows.get(file, ()):
            if target not in self.order:
                self.visit(target)
                self.low[file] = min(self.low[file], self.low[target])
            elif target in self.open:
                self.low[file] = min(self.low[file], self.order[target])
        if self.low[file] == self.order[file]:
            place = self.open.index(file)
            self.found.append(sorted(self.open[place:]))
            del self.open[place:]


def circles(arrows: Arrows) -> list[list[Path]]:
    """Groups of at least two files in which each needs each other, largest first."""
    search = _Search(arrows)
    for file in arrows:
        if file not in search.order:
            search.visit(file)
    return sorted(
        (group for group in search.found if len(group) > 1), key=lambda it: (-len(it), it)
    )


def arrows_by_house() -> dict[str, Arrows]:
    """Arrows of each crate and of the Python package, by folder."""
    crates = sorted(path.parent for path in (ROOT / "crates").glob("*/src"))
    found: dict[str, Arrows] = {
        str(crate.relative_to(ROOT)): Crate(crate / "src").arrows() for crate in crates
    }
    found["python/airfair"] = Package(ROOT / "python/airfair").arrows()
    return found


def described(arrows: Arrows, group: Iterable[Path]) -> Iterator[str]:
    """Lines of the arrows within a circle."""
    files = {*group}
    for file in sorted(files):
        for target, names in sorted(arrows[file].items()):
            if target in files:
                shown = ", ".join(sorted(names))
                yield f"    {file.relative_to(ROOT)} -> {target.relative_to(ROOT)}: {shown}"


def main() -> None:
    """Print the circles of each crate and of the package."""
    for house, arrows in arrows_by_house().items():
        groups = circles(arrows)
        print(f"{house}: {len(groups)} circles of {sum(map(len, groups))} files")
        for group in groups:
            print(f"  {len(group)} files")
            print("\n".join(described(arrows, group)))


if __name__ == "__main__":
    main()

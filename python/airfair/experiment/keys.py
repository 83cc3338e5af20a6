"""Keys of a scenario that a factor sets: dotted paths, in which a name may be a pattern.

`flow.*.control` is this key of every flow of the scenario, `station.slow*.rate` that of all stations whose
names match the shell pattern `slow*`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from airfair.scenario import Value

from .errors import StudyError

Keys = Mapping[str, "Value"]
"""Values of keys by dotted path."""

_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|[^.]+')
_WILD = re.compile(r"[*?\[]")
_QUOTED = 2
"""Characters around a quoted name."""
NAMED = ("bss", "station", "host", "router", "link", "flow")
"""Tables of a scenario whose keys are names chosen by its author."""


def has_pattern(path: str) -> bool:
    """True if a name in `path` is a pattern."""
    return any(_WILD.search(part) and not _is_quoted(part) for part in parts(path))


def parts(path: str) -> list[str]:
    """Parts of a path; quoted parts keep their quotes."""
    return [part.strip() for part in _PARTS.findall(path)]


def names(document: Mapping[str, Any], keys: Keys) -> dict[str, list[str]]:
    """Names in each table of a scenario after `keys` are set.

    Stations or flows that share a table with `count` have one name, so they can only be set together.
    """
    known = {table: dict.fromkeys(document.get(table, ())) for table in NAMED}
    for path, value in keys.items():
        match parts(path):
            case [table] if table in known and isinstance(value, Mapping):
                known[table] = dict.fromkeys(value)
            case [table, name] if table in known and not has_pattern(path):
                known[table][_unquoted(name)] = None
    return {table: list(there) for table, there in known.items()}


def expanded(path: str, known: Mapping[str, list[str]]) -> list[str]:
    """Paths that match the pattern in `path`, in the order of the scenario.

    Raises `StudyError` if a pattern matches nothing, or is not in the place of a name.
    """
    if not has_pattern(path):
        return [plainly(path)]
    table, pattern, *rest = [_unquoted(part) for part in parts(path)] + [""]
    if table not in known or _WILD.search("".join(rest)):
        allowed = ", ".join(f"{name}.PATTERN" for name in known)
        raise StudyError(
            f"{path}: a pattern is allowed only as the second name: {allowed}, with keys after it"
        )
    matching = [name for name in known[table] if fnmatchcase(name, pattern)]
    if not matching:
        there = ", ".join(known[table]) or "none"
        raise StudyError(f"{path}: matches no {table}; allowed {there}")
    return [".".join((table, name, *filter(None, rest))) for name in matching]


def expand(keys: Keys, known: Mapping[str, list[str]]) -> dict[str, Value]:
    """`keys` without patterns, in the order in which they apply.

    Whole tables come first, such as an added flow; then patterns, which match those as well; then keys
    without patterns, which override both.
    """
    by_pattern = {
        p: v for path, v in keys.items() if has_pattern(path) for p in expanded(path, known)
    }
    by_name = {path: value for path, value in keys.items() if not has_pattern(path)}
    tables = {plainly(path): value for path, value in by_name.items() if renames([path])}
    rest = {plainly(path): value for path, value in by_name.items() if not renames([path])}
    return tables | by_pattern | rest


def plainly(path: str) -> str:
    """Path without quotes around its names."""
    if "." in path and not set(path) & set("\"'"):
        return path
    return ".".join(_unquoted(part) for part in parts(path))


def renames(paths: Iterable[str]) -> bool:
    """True if a key creates or replaces a named table, so that patterns match other names."""
    whole = 2
    named = [parts(path) for path in paths if not has_pattern(path)]
    return any(0 < len(names) <= whole and names[0] in NAMED for names in named)


def _is_quoted(part: str) -> bool:
    return len(part) >= _QUOTED and part[0] == part[-1] and part[0] in "\"'"


def _unquoted(part: str) -> str:
    if not _is_quoted(part):
        return part
    try:
        return str(tomllib.loads(f"name = {part}")["name"])
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{part}: not a valid quoted name ({error})") from error

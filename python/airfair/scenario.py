"""Sources of scenarios: a file, a text, or a mapping of the same shape."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from . import traces
from ._core import LARGEST_SCENARIO, Scenario, ScenarioError, __version__
from .replacing import note_input

if TYPE_CHECKING:
    from .build import ScenarioTable

Value: TypeAlias = "str | bool | int | float | Sequence[Value] | Mapping[str, object]"
"""Value of a key of a scenario, as Python types; a mapping may be a table of `airfair.build`."""

Source: TypeAlias = (
    "str | bytes | os.PathLike[str] | ScenarioTable | Mapping[str, Value] | Scenario"
)
"""Scenario as a path, TOML text (a string with a line break, or bytes), a mapping or a `Scenario`."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def load(
    source: Source,
    *,
    seed: int | None = None,
    replications: int | None = None,
    series: str | None = None,
    set: Mapping[str, Value] | None = None,  # noqa: A002 - named after the option --set
) -> Scenario:
    """Load a scenario, with some of its keys replaced.

    `source` is a path, TOML text (a string with a line break, or bytes), or a mapping of the same shape.
    `set` maps dotted paths such as `"station.slow.rate"` to values; `seed`, `replications` and `series` set
    the keys of these names.

    Raises `ScenarioError` with all mistakes at once, and `OSError` if the scenario file cannot be read.
    """
    overrides = [(path, toml_value(value)) for path, value in (set or {}).items()]
    short: dict[str, Value | None] = {
        "seed": seed,
        "replications": replications,
        "series": series,
    }
    overrides += [(key, toml_value(value)) for key, value in short.items() if value is not None]
    return parse(text_of(source), overrides, folder_of(source))


def parse(
    text: bytes, overrides: Sequence[tuple[str, str]], folder: Path, *, emulated: bool = False
) -> Scenario:
    """Parse a scenario from TOML text; `overrides` are pairs of a dotted path and a TOML value.

    Paths of files in the scenario are relative to `folder`. A scenario to be `emulated` needs no flows.

    Raises `ScenarioError` with all mistakes at once.
    """
    return Scenario.parse(
        text, overrides, lambda name: traces.read(folder / name), emulated=emulated
    )


def error_of(problems: list[str]) -> ScenarioError:
    """`ScenarioError` with these problems."""
    error = ScenarioError("\n".join(problems))
    error.problems = problems
    return error


def folder_of(source: Source) -> Path:
    """Folder to which file names in a scenario are relative: that of its file, else the working directory."""
    if isinstance(source, os.PathLike) or (isinstance(source, str) and "\n" not in source):
        return Path(source).parent
    return Path()


def text_of(source: Source) -> bytes:
    """TOML text of a scenario."""
    match source:
        case Scenario():
            return source.to_toml().encode()
        case bytes():
            return source
        case str() if "\n" in source:
            return source.encode()
        case str() | os.PathLike():
            return read(Path(source))
        case Mapping():
            return toml(source).encode()
        case _:
            raise TypeError(f"{source!r}: allowed is a path, TOML text, a mapping or a Scenario")


def read(path: Path) -> bytes:
    """Content of a scenario file, cut one octet above the largest size allowed."""
    note_input(path)
    with path.open("rb") as file:
        return file.read(LARGEST_SCENARIO + 1)


def identity(scenario: Scenario, version: str = __version__) -> str:
    """SHA-256 [hex] of all inputs that determine a run's records, except seed and replication."""
    text = f"airfair {version}\n{scenario.to_toml()}"
    return hashlib.sha256(text.encode()).hexdigest()


def toml(table: Mapping[str, object]) -> str:
    """`table` as a TOML document, one key per line."""
    return "".join(f"{_key(key)} = {toml_value(value)}\n" for key, value in table.items())


def toml_value(value: object) -> str:
    """`value` in TOML syntax; numpy values are converted to Python's."""
    value = getattr(value, "tolist", lambda: value)()
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            # TOML has the escapes of JSON, but also requires one for DEL.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case int() | float():
            return repr(value)
        case Mapping():
            pairs = (f"{_key(key)} = {toml_value(item)}" for key, item in value.items())
            return "{ " + ", ".join(pairs) + " }"
        case Sequence():
            return "[" + ", ".join(toml_value(item) for item in value) + "]"
        case _:
            raise TypeError(
                f"{value!r}: allowed in a scenario are text, numbers, booleans, lists and mappings"
            )


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else toml_value(key)

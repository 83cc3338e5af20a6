"""Study files: TOML that declares an experiment with its claims and figures.

```toml
scenario     = "cell.toml"
replications = { until = "goodput", half_width = 0.02, least = 5, most = 100 }

[factors]
"station.slow.rate" = ["1 Mb/s", "2 Mb/s", "5.5 Mb/s"]
scheme = { plain = {}, arf-aware = { "flow.*.control" = "arf-aware" } }

[compare.scheme]
baseline = "plain"

[figures.goodput]
x  = "station.slow.rate"
by = "scheme"

[claims.faster]
measure = "goodput[fast]"
factor  = "scheme"
level   = "arf-aware"
baseline = "plain"
above   = 1.1
```
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from airfair._core import ScenarioError
from airfair.replacing import note_input

from . import study_values as values
from .errors import StudyError
from .experiment import REPLICATIONS, Experiment
from .factors import Levels
from .law_keys import LAWS
from .law_keys import found as laws_found
from .study import Part, Study
from .study import problems as problems_of

LARGEST = 10_000_000
"""Largest size of a study file [octets]."""


def load_study(path: str | Path, *, replications: int | None = None) -> Study:
    """Load a study file; docs/studies.md describes its keys.

    `replications` replaces the number of replications in the file.

    Raises `StudyError` with all mistakes in the study, `ScenarioError` with those in its scenario, and
    `OSError` if one of the two files cannot be read.
    """
    path = Path(path)
    return study(read(path), path, replications=replications)


def read(path: Path) -> dict[str, Any]:
    """Content of a study file, merged into the file named by its key `like`, if there is one.

    Its keys replace those of the other file; tables in both files are merged key by key.

    Raises `StudyError` for invalid TOML, and `OSError` if a file cannot be read.
    """
    document, seen = _parsed(path), [path]
    while (like := document.pop("like", None)) is not None:
        base = path.parent / values.path(f"{path}: like", like)
        if base in seen:
            raise StudyError(
                f"{path}: like: {base.name} refers back to itself; allowed is a file that does not"
            )
        seen.append(base)
        lower = _parsed(base)
        for key, value in document.items():
            both = isinstance(value, Mapping) and isinstance(lower.get(key), Mapping)
            lower[key] = {**lower[key], **value} if both else value
        document = lower
    return document


def _parsed(path: Path) -> dict[str, Any]:
    note_input(path)
    with path.open("rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise StudyError(f"{path}: too large; allowed are {LARGEST:,} octets")
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise StudyError(f"{path}: not valid UTF-8: {error.reason}") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise StudyError(f"{path}: {error}") from error


def study(document: Mapping[str, Any], path: Path, *, replications: int | None = None) -> Study:
    """Study from a document read from `path`; `replications` replaces its own."""
    reader = _Reader(document, path)
    source = reader.scenario()
    asked = reader.one("replications")
    named = laws_found([path.parent])
    options: dict[str, Any] = {
        "laws": reader.one("laws", of=named),
        "factors": _with_laws(reader, reader.one("factors", {}), named),
        "design": reader.one("design", "grid"),
        "replications": next(one for one in (replications, asked, REPLICATIONS) if one is not None),
        "set": reader.one("set", {}),
        "draw": reader.one("draw") or None,
        "seed": reader.one("seed"),
        "common_random_numbers": reader.one("common_random_numbers", default=True),
        "claims": reader.one("claims", {}).values(),
        "title": reader.one("title"),
        "folder": None if isinstance(source, Path) else path.parent,
    }
    comparisons, figures = reader.one("compare", {}), reader.one("figures", {})
    part = {key: reader.one(key) for key in ("setup", "variant", "quick", "extension", "words")}
    shown: dict[str, Any] = {
        "measures": reader.one("measures", ()),
        "printed": reader.one("printed", {}),
        "part": Part(**{key: value for key, value in part.items() if value is not None}),
        "replications": asked,
        "scenario": source if isinstance(source, Path) else None,
    }
    made = reader.made(source, options)
    placed = tuple(one.placed(made.levels) for one in figures.values())
    found = Study(made, path, tuple(comparisons.values()), placed, **shown)
    wrong = [f"{path}: {problem}" for problem in problems_of(found)]
    if wrong:
        raise StudyError(*wrong)
    return found


def _with_laws(
    reader: _Reader, factors: Mapping[str, Levels], found: Callable[[str, Any], Any]
) -> dict[str, Levels]:
    """Factors whose levels have the laws that they name."""
    made: dict[str, Any] = dict(factors)
    for name, levels in factors.items():
        for label, keys in levels.items() if isinstance(levels, Mapping) else ():
            if LAWS in keys:
                where = f"factors.{name}.{label}.laws"
                laws = reader.read(keys[LAWS], where, found)
                made[name] = {**made[name], label: {**keys, LAWS: laws}}
    return made


class _Reader:
    """Reads a document key by key, and gathers its mistakes."""

    def __init__(self, document: Mapping[str, Any], path: Path) -> None:
        self._document = document
        self._path = path
        self._read: set[str] = {"about"}
        self._problems: list[str] = []

    def scenario(self) -> Path | Mapping[str, Any] | None:
        """Scenario: a path relative to the study's folder, or a table; `None` if it is neither."""
        found = self._document.get("scenario")
        self._read.add("scenario")
        if isinstance(found, str) and found and "\0" not in found:
            return self._path.parent / found
        if isinstance(found, Mapping):
            return found
        wrong = "missing" if "scenario" not in self._document else repr(found)
        self._problems.append(
            f'scenario: {wrong}; allowed is a path, for example scenario = "cell.toml", or a table'
        )
        return None

    def one(self, key: str, default: Any = None, of: values.Read | None = None) -> Any:  # noqa: ANN401 - as read
        """Value of a key, read as its kind or by `of`; `default` if the key is missing or wrong."""
        self._read.add(key)
        if key not in self._document:
            return default
        return self.read(self._document[key], key, of or values.KEYS[key].read, default)

    def read(self, value: object, where: str, of: values.Read, default: Any = None) -> Any:  # noqa: ANN401 - as read
        """Value read by `of`; `default` if it is wrong."""
        try:
            return of(where, value)
        except StudyError as error:
            self._problems += error.problems
            return default

    def made(
        self, source: Path | Mapping[str, Any] | None, options: Mapping[str, Any]
    ) -> Experiment:
        """Experiment; raises `StudyError` with all mistakes.

        If only the scenario is wrong, raises `ScenarioError` or `OSError` instead.
        """
        self._problems += [
            values.unknown(key, self._read) for key in self._document if key not in self._read
        ]
        # After a mistake only the scenario is checked: an experiment would report follow-up errors.
        names = ("set", "seed", "folder") if self._problems else options
        made = None
        try:
            if source is not None:
                made = Experiment(source, **{name: options[name] for name in names})
        except StudyError as error:
            self._problems += error.problems
        except ScenarioError as error:
            if not self._problems:
                raise
            self._problems += [f"scenario: {problem}" for problem in error.problems]
        except OSError as error:
            if not self._problems:
                raise
            self._problems.append(f"scenario: {error.filename}: {error.strerror or error}")
        if made is None or self._problems:
            raise StudyError(*(f"{self._path}: {problem}" for problem in self._problems))
        return made

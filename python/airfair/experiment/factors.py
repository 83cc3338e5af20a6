"""Factors of an experiment, which vary between points, and their levels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from airfair.scenario import Value, toml_value

from .errors import Gathered, StudyError
from .keys import Keys
from .law_keys import LAWS
from .law_keys import declared as laws_declared
from .values import Between

Levels = Sequence["Value"] | Mapping[str, Keys] | Between
"""Levels of a factor: values of one key, keys by label, or a range from which a design picks values."""

Label = str | int | float | bool
"""Label of a level in tables."""


@dataclass(frozen=True)
class Level:
    """Level of a factor: its label and the keys that it sets."""

    label: Label
    keys: Keys = field(hash=False, compare=False)


@dataclass(frozen=True)
class Factor:
    """Factor with its levels, or with the range from which a design picks values."""

    name: str
    levels: tuple[Level, ...] = ()
    range: Between | None = None

    def level(self, place: float) -> Level:
        """Level at a position in [0, 1)."""
        if self.range is not None:
            value = self.range.at(place)
            return Level(label_of(value), {self.name: value})
        return self.levels[min(int(place * len(self.levels)), len(self.levels) - 1)]

    def __str__(self) -> str:
        if self.range is not None:
            return f"{self.name}: {self.range}"
        return f"{self.name}: {', '.join(str(level.label) for level in self.levels)}"


def factors(declared: object) -> tuple[Factor, ...]:
    """Factors from the argument of `Experiment`.

    Raises `StudyError` with all mistakes at once.
    """
    if not isinstance(declared, Mapping):
        raise StudyError(f"factors: {declared!r}; allowed is a mapping of names or keys to levels")
    found, gathered = [], Gathered()
    for name, levels in declared.items():
        with gathered:
            found.append(_factor(name, levels))
    gathered.tell()
    return tuple(found)


def _factor(name: object, levels: Levels) -> Factor:
    if not isinstance(name, str) or not name.strip():
        raise StudyError(f"factor {name!r}: allowed is a name or a key of the scenario")
    if isinstance(levels, Between):
        return Factor(name, range=levels)
    if isinstance(levels, Mapping):
        made = [_named(name, label, keys) for label, keys in levels.items()]
    elif name == LAWS:
        raise StudyError(
            f"factor {name}: {levels!r}; allowed is a mapping of labels to keys, such as "
            '{"nothing": {}, "mine": {"laws": {"access-point": Mine}}}'
        )
    else:
        listed = isinstance(levels, list | tuple | range)
        values = levels if listed else _listed(name, levels)
        made = [_valued(name, value) for value in values]
    if not made:
        raise StudyError(f"factor {name}: has no levels; allowed is at least one")
    labels = [level.label for level in made]
    seen: set[Label] = set()
    for label in labels:
        # 1 and "1" are different labels, but look the same in a table.
        if label in seen or str(label) in seen:
            raise StudyError(f"factor {name}: has the level {label!r} twice")
        seen |= {label, str(label)}
    return Factor(name, tuple(made))


def _valued(name: str, value: Value) -> Level:
    try:
        value = plain(value)
    except StudyError as error:
        raise StudyError(*(f"factor {name}: {problem}" for problem in error.problems)) from error
    label = label_of(value)
    if isinstance(label, float) and not math.isfinite(label):
        raise StudyError(f"factor {name}: {label}; allowed are finite numbers")
    return Level(label, {name: value})


def _listed(name: str, levels: object) -> Sequence[Value]:
    """List from an array of numpy or a series of polars."""
    to_list = getattr(levels, "tolist", None) or getattr(levels, "to_list", None)
    if to_list is None or isinstance(levels, str | bytes):
        raise StudyError(
            f"factor {name}: {levels!r}; allowed is a list of values, a mapping of labels to keys, or "
            "between(low, high)"
        )
    values = to_list()
    return values if isinstance(values, list) else [values]


def _named(name: str, label: str, keys: Keys) -> Level:
    where = f"factor {name}, level {label}"
    label = getattr(label, "tolist", lambda: label)()
    if not isinstance(label, str | int | float):
        raise StudyError(f"{where}: {label!r}; allowed as a label is text or a number")
    if not isinstance(keys, Mapping):
        raise StudyError(
            f"{where}: {keys!r}; allowed is a mapping of keys to values, {{}} for none"
        )
    return Level(label, plain_keys(where, keys))


def plain_keys(where: str, keys: object) -> dict[str, Value]:
    """Keys with values of Python types; raises `StudyError` for anything else than a mapping of keys."""
    if not isinstance(keys, Mapping):
        raise StudyError(f"{where}: {keys!r}; allowed is a mapping of keys to values")
    made: dict[str, Any] = {}
    gathered = Gathered()
    for path, value in keys.items():
        if not isinstance(path, str):
            gathered.problems.append(f"{where}: {path!r}; allowed as a key is text")
            continue
        try:
            made[path] = laws_declared(path, value) if path == LAWS else plain(value)
        except StudyError as error:
            gathered.problems += [f"{where}: {path}: {problem}" for problem in error.problems]
    gathered.tell()
    return made


def plain(value: Value) -> Value:
    """Value with numpy types converted to Python's; raises `StudyError` for values that TOML lacks."""
    convert = getattr(value, "tolist", None) or getattr(value, "to_list", None)
    whole: Value = convert() if convert else value
    if isinstance(whole, list | tuple):
        return [plain(each) for each in whole]
    try:
        toml_value(whole)
    except TypeError as error:
        raise StudyError(str(error)) from error
    return whole


def label_of(value: Value) -> Label:
    """Label of a value: text and numbers as they are, others in TOML syntax."""
    if isinstance(value, str | int | float):
        return value
    return toml_value(value)

"""Factors of an experiment: what differs from point to point, and the levels that it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .errors import StudyError
from .keys import Keys
from .values import Between

if TYPE_CHECKING:
    from airfair.scenario import Value

Levels = Sequence["Value"] | Mapping[str, Keys] | Between
"""Values of one key; or keys with their values, by a label; or a range for a design to pick from."""

Label = str | int | float | bool
"""What a table shows of a level."""


@dataclass(frozen=True)
class Level:
    """One of the values of a factor."""

    label: Label
    keys: Keys = field(hash=False, compare=False)


@dataclass(frozen=True)
class Factor:
    """A factor with its levels, or with the range that a design picks them from."""

    name: str
    levels: tuple[Level, ...] = ()
    range: Between | None = None

    def level(self, place: float) -> Level:
        """The level at a place from 0 to below 1."""
        if self.range is not None:
            value = self.range.at(place)
            return Level(_label(value), {self.name: value})
        return self.levels[min(int(place * len(self.levels)), len(self.levels) - 1)]

    def __str__(self) -> str:
        if self.range is not None:
            return f"{self.name}: {self.range}"
        return f"{self.name}: {', '.join(str(level.label) for level in self.levels)}"


def factors(declared: Mapping[str, Levels]) -> tuple[Factor, ...]:
    """The factors that a user declares.

    Raises `StudyError` with all mistakes at once.
    """
    found, problems = [], []
    for name, levels in declared.items():
        try:
            found.append(_factor(name, levels))
        except StudyError as error:
            problems += error.problems
    if problems:
        raise StudyError(*problems)
    return tuple(found)


def _factor(name: str, levels: Levels) -> Factor:
    if isinstance(levels, Between):
        return Factor(name, range=levels)
    if isinstance(levels, Mapping):
        made = [_named(name, label, keys) for label, keys in levels.items()]
    elif isinstance(levels, str | bytes) or not isinstance(levels, Sequence):
        levels = _listed(name, levels)
        made = [Level(_label(value), {name: value}) for value in levels]
    else:
        made = [Level(_label(plain(value)), {name: plain(value)}) for value in levels]
    if not made:
        raise StudyError(f"factor {name}: has no levels; one at least is needed")
    labels = [level.label for level in made]
    for i, label in enumerate(labels):
        if any(label == other and type(label) is type(other) for other in labels[:i]):
            raise StudyError(f"factor {name}: has the level {label!r} twice")
    return Factor(name, tuple(made))


def _listed(name: str, levels: object) -> Sequence[Value]:
    """A column of numbers, as numpy and polars have them, as a list."""
    to_list = getattr(levels, "tolist", None) or getattr(levels, "to_list", None)
    if to_list is None or isinstance(levels, str | bytes):
        raise StudyError(
            f"factor {name}: {levels!r}; allowed is a list of values, a mapping of labels to keys, or "
            "between(low, high)"
        )
    values = to_list()
    return values if isinstance(values, list) else [values]


def _named(name: str, label: str, keys: Keys) -> Level:
    if not isinstance(keys, Mapping):
        raise StudyError(
            f"factor {name}, level {label}: {keys!r}; allowed is a mapping of keys to values, {{}} for none"
        )
    return Level(label, {path: plain(value) for path, value in keys.items()})


def plain(value: Value) -> Value:
    """What numpy holds as what Python has for it."""
    whole: Value = getattr(value, "tolist", lambda: value)()
    return whole


def _label(value: Value) -> Label:
    if isinstance(value, str | int | float):
        return value
    from airfair.scenario import toml_value

    return toml_value(value)

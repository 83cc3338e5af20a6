"""Points of an experiment: a level of each factor, and the scenario that they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .keys import Keys

if TYPE_CHECKING:
    from airfair.scenario import Value

    from .factors import Label, Level


@dataclass(frozen=True)
class Point:
    """One point: the labels that tables show, and the keys that its scenario sets."""

    names: tuple[str, ...]
    levels: tuple[Level, ...]

    @cached_property
    def labels(self) -> Mapping[str, Label]:
        """Label of each factor's level."""
        return {name: level.label for name, level in zip(self.names, self.levels, strict=True)}

    @cached_property
    def keys(self) -> Keys:
        """The keys of all levels; of one that several set, the last factor's."""
        keys: dict[str, Value] = {}
        for level in self.levels:
            keys |= level.keys
        return keys

    @cached_property
    def text(self) -> str:
        """The labels in words: "scheme plain, station.slow.rate 1 Mb/s"."""
        return in_words(self.labels)


def in_words(labels: Mapping[str, Label]) -> str:
    """Levels by factor, in words."""
    return ", ".join(f"{name} {label}" for name, label in labels.items())


def points(names: Sequence[str], levels: Sequence[tuple[Level, ...]]) -> list[Point]:
    """Points of so many tuples of levels."""
    return [Point(tuple(names), each) for each in levels]


def labels(points: Iterable[Point]) -> dict[str, list[Label]]:
    """Labels that some point has, by factor, in their order."""
    found: dict[str, dict[Label, None]] = {}
    for point in points:
        for name, label in point.labels.items():
            found.setdefault(name, {})[label] = None
    return {name: list(there) for name, there in found.items()}

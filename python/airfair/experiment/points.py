"""Points of an experiment; a point is a combination of one level of each factor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from airfair.scenario import Value

from .factors import Label, Level
from .keys import Keys


@dataclass(frozen=True)
class Point:
    """Point of an experiment: one level of each factor, with its label and the keys that it sets."""

    names: tuple[str, ...]
    levels: tuple[Level, ...]

    @cached_property
    def labels(self) -> Mapping[str, Label]:
        """Labels of the levels, by factor."""
        return {name: level.label for name, level in zip(self.names, self.levels, strict=True)}

    @cached_property
    def keys(self) -> Keys:
        """Keys of all levels; if several factors set a key, the last one wins."""
        keys: dict[str, Value] = {}
        for level in self.levels:
            keys |= level.keys
        return keys

    @cached_property
    def text(self) -> str:
        """Text of the labels: "scheme plain, station.slow.rate 1 Mb/s"."""
        return in_words(self.labels)


def in_words(labels: Mapping[str, Label]) -> str:
    """Text of labels by factor."""
    return ", ".join(f"{name} {label}" for name, label in labels.items())


def points(names: Sequence[str], levels: Sequence[tuple[Level, ...]]) -> list[Point]:
    """Points from tuples of levels in the order of `names`."""
    return [Point(tuple(names), each) for each in levels]


def labels(points: Iterable[Point]) -> dict[str, list[Label]]:
    """Labels that occur in `points`, by factor, in their order."""
    found: dict[str, dict[Label, None]] = {}
    for point in points:
        for name, label in point.labels.items():
            found.setdefault(name, {})[label] = None
    return {name: list(there) for name, there in found.items()}


def at_levels(points: Sequence[Point], wanted: Mapping[str, Label]) -> int | None:
    """Index of the first point with these levels; `None` if there is no such point."""
    each = (all(point.labels[name] == wanted[name] for name in wanted) for point in points)
    return next((place for place, is_found in enumerate(each) if is_found), None)

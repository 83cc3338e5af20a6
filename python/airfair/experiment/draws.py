"""Values drawn at random for each replication, the same at all points, so that points compare in pairs.

A draw depends only on the seed, the key and the replication. Adding a factor or a key does not change it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from airfair.scenario import Value

from .errors import StudyError
from .factors import plain
from .keys import Keys, has_pattern
from .values import Between


@dataclass(frozen=True)
class Choice:
    """Uniform distribution over a list of values."""

    values: tuple[Value, ...]

    def at(self, place: float) -> Value:
        """Value at a position in [0, 1)."""
        return self.values[min(int(place * len(self.values)), len(self.values) - 1)]

    def __str__(self) -> str:
        return "one of " + ", ".join(map(str, self.values))


def choice(values: Sequence[Value]) -> Choice:
    """Distribution for `Experiment(draw=…)`: each replication gets one of `values`, all equally likely.

    Raises `StudyError` if `values` is not a list or is empty.
    """
    many = plain(values) if hasattr(values, "tolist") or hasattr(values, "to_list") else values
    if isinstance(many, str | bytes) or not isinstance(many, Sequence) or not many:
        raise StudyError(f"choice {values!r}: allowed is a list of at least one value")
    return Choice(tuple(plain(value) for value in many))


Draw = Choice | Between
"""Distribution of a value: uniform over a list or over a range."""

Draws = Mapping[str, Draw] | Callable[[int], Keys]
"""Distributions by key (may be a pattern), or a function from a replication's number to its keys."""


def drawn(draws: Draws, seed: int, replication: int, paths: Callable[[str], list[str]]) -> Keys:
    """Keys drawn for one replication; `paths` expands a pattern to the keys that it matches."""
    if not isinstance(draws, Mapping):
        made = draws(replication)
        if not isinstance(made, Mapping):
            raise StudyError(
                f"draw: {made!r} of replication {replication}; allowed is a mapping of keys"
            )
        return {path: plain(value) for path, value in made.items()}
    # Patterns come first, so that keys without a pattern override them.
    return {
        path: draw.at(_place(seed, path, replication))
        for pattern, draw in sorted(draws.items(), key=lambda item: not has_pattern(item[0]))
        for path in paths(pattern)
    }


def check(draws: object) -> None:
    """Raise `StudyError` unless `draws` holds distributions."""
    if draws is None or (callable(draws) and not isinstance(draws, Mapping)):
        return
    if not isinstance(draws, Mapping):
        raise StudyError(
            f"draw: {draws!r}; allowed is a mapping of keys to choice(…) or between(…)"
        )
    problems = [
        f"draw.{path}: {draw!r}; allowed is choice([…]) or between(low, high)"
        for path, draw in draws.items()
        if not isinstance(draw, Choice | Between)
    ]
    if problems:
        raise StudyError(*problems)


_BITS = 53
"""Bits of the mantissa of a float."""


def _place(seed: int, path: str, replication: int) -> float:
    """Hash of the arguments as a number in [0, 1)."""
    digest = hashlib.sha256(f"{seed}\0{path}\0{replication}".encode()).digest()
    return (int.from_bytes(digest[:8]) >> (64 - _BITS)) / (1 << _BITS)

"""Values that chance decides in each replication: the same ones at every point, so that points compare.

A draw depends on the seed, the key and the replication, and on nothing else: another factor or another key
leaves it alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import StudyError
from .factors import plain
from .keys import Keys, has_pattern
from .values import Between

if TYPE_CHECKING:
    from airfair.scenario import Value


@dataclass(frozen=True)
class Choice:
    """One of some values, each as likely as the others."""

    values: tuple[Value, ...]

    def at(self, place: float) -> Value:
        """The value at a place from 0 to below 1."""
        return self.values[min(int(place * len(self.values)), len(self.values) - 1)]

    def __str__(self) -> str:
        return "one of " + ", ".join(map(str, self.values))


def choice(values: Sequence[Value]) -> Choice:
    """One of `values`, each as likely as the others.

    Raises `StudyError` if there is none.
    """
    many = plain(values) if hasattr(values, "tolist") or hasattr(values, "to_list") else values
    if isinstance(many, str | bytes) or not isinstance(many, Sequence) or not many:
        raise StudyError(f"choice {values!r}: allowed is a list of at least one value")
    return Choice(tuple(plain(value) for value in many))


Draw = Choice | Between
"""Distribution of a value: each of some, or each between two, as likely as the others."""

Draws = Mapping[str, Draw] | Callable[[int], Keys]
"""Distributions by key, in which a name may be a pattern; or a function of the replication's number."""


def drawn(draws: Draws, seed: int, replication: int, paths: Callable[[str], list[str]]) -> Keys:
    """The keys of one replication; `paths` tells the keys that a pattern stands for."""
    if not isinstance(draws, Mapping):
        made = draws(replication)
        if not isinstance(made, Mapping):
            raise StudyError(
                f"draw: {made!r} of replication {replication}; allowed is a mapping of keys"
            )
        return {path: plain(value) for path, value in made.items()}
    # Patterns first: what is said of one by name counts.
    return {
        path: draw.at(_place(seed, path, replication))
        for pattern, draw in sorted(draws.items(), key=lambda item: not has_pattern(item[0]))
        for path in paths(pattern)
    }


def check(draws: object) -> None:
    """Raises `StudyError` for what is no distribution."""
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
"""Bits of a number from 0 to below 1 that a float holds."""


def _place(seed: int, path: str, replication: int) -> float:
    """A number from 0 to below 1, evenly spread over paths and replications."""
    digest = hashlib.sha256(f"{seed}\0{path}\0{replication}".encode()).digest()
    return (int.from_bytes(digest[:8]) >> (64 - _BITS)) / (1 << _BITS)

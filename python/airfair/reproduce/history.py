"""Choices that were made after a scheme's outcome had been seen, and the verdicts before.

A reader has to know them: what is chosen with the outcome at hand can be chosen for it. Each paper's
directory has them in `history.toml`; its report, the page of all claims and the book show them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

FILE = "history.toml"


@dataclass(frozen=True)
class Chosen:
    """One choice."""

    what: str
    instead_of: str


@dataclass(frozen=True)
class Turn:
    """Choices that were made at once, so that nobody can tell which of them moved a verdict."""

    seen: str
    """Outcome that was known by then."""
    chosen: tuple[Chosen, ...]
    before: Mapping[str, int]
    """Claims by state."""
    after: Mapping[str, int]


@dataclass(frozen=True)
class History:
    """History of a paper's verdicts."""

    turns: tuple[Turn, ...] = ()
    former: Mapping[str, str] = field(default_factory=dict)
    """State of each claim before the last turn; a claim that is new since has none."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """Reason for each claim whose state is another one since."""


def load(directory: Path) -> History:
    """The history of the paper in a directory; an empty one if it has no file for it."""
    path = directory / FILE
    kept = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    turns = tuple(
        Turn(
            one["seen"],
            tuple(Chosen(**choice) for choice in one["chosen"]),
            one["before"],
            one["after"],
        )
        for one in kept.get("turn", [])
    )
    return History(turns, kept.get("former", {}), kept.get("moved", {}))

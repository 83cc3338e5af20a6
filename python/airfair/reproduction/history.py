"""History of choices that were made after the results of a scheme were known, with the earlier verdicts.

Such choices may be biased by the results, so reports disclose them. They are declared in `history.toml` of
each paper's directory, and shown in its report, on the page of all claims and in the book.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

FILE = "history.toml"


@dataclass(frozen=True)
class Chosen:
    """One choice made after results were known."""

    what: str
    instead_of: str


@dataclass(frozen=True)
class Turn:
    """Choices made together, so that their effects on verdicts cannot be separated."""

    seen: str
    """Results that were known at the time."""
    chosen: tuple[Chosen, ...]
    before: Mapping[str, int]
    """Number of claims by state before the choices."""
    after: Mapping[str, int]


@dataclass(frozen=True)
class History:
    """History of a paper's verdicts."""

    turns: tuple[Turn, ...] = ()
    former: Mapping[str, str] = field(default_factory=dict)
    """State of each claim before the last turn, without claims added since."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """Reason of the change, for each claim whose state has changed since."""


def load(directory: Path) -> History:
    """History of the paper in a directory; empty if there is no `history.toml`."""
    path = directory / FILE
    kept = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    turns = tuple(
        Turn(**{**one, "chosen": tuple(Chosen(**choice) for choice in one["chosen"])})
        for one in kept.get("turn", [])
    )
    return History(turns, kept.get("former", {}), kept.get("moved", {}))

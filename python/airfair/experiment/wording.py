"""How the states of claims are written, after all runs and in a first look with few of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Wording:
    """How one state is written."""

    mark: str
    label: str
    one: str
    """Words after "1 claim"."""
    several: str
    """Words after another number of claims."""


IN_FULL: Mapping[str, Wording] = {
    "holds": Wording("✓", "holds", "holds", "hold"),
    "fails": Wording("✗", "does not hold", "does not", "do not"),
    "depends": Wording(
        "◐", "depends on the reading", "depends on the reading", "depend on the reading"
    ),
    "undecided": Wording("?", "undecided", "is undecided", "are undecided"),
    "untestable": Wording(
        "○", "cannot be tested here", "cannot be tested here", "cannot be tested here"
    ),
    "not run": Wording("–", "not run", "is not run", "are not run"),
}
FIRST_LOOK: Mapping[str, Wording] = {
    **IN_FULL,
    "holds": Wording("⊕", "looks like it holds", "looks like it holds", "look like they hold"),
    "fails": Wording(
        "⊖", "looks like it does not hold", "looks like it does not", "look like they do not"
    ),
    "depends": Wording(
        "◌",
        "looks like it depends on the reading",
        "looks like it depends on the reading",
        "look like they depend on the reading",
    ),
    "undecided": Wording("?", "not known yet", "is not known yet", "are not known yet"),
}


def wordings(*, first_look: bool) -> Mapping[str, Wording]:
    """How each state is written."""
    return FIRST_LOOK if first_look else IN_FULL

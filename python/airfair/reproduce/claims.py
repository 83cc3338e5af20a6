"""How a claim is decided: by confidence intervals against stated bounds, and by nothing else.

A condition names a measured quantity, one value per replication, and the range in which it must lie.
It *holds* if the mean's whole 95 % confidence interval (Student t) lies in that range, *fails* if all
of it lies outside, and is *undecided* if the interval straddles a bound. A claim holds if every one of
its conditions holds; a claim with a condition that fails or is undecided does not.

Where a claim can be read of several systems, the one nearest to the paper's words decides; the same
conditions on the others stand beside it and decide nothing.

Why a claim does not hold is declared apart, as a `Reason` for some or all of its conditions, and told only
where the measured figures miss one of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Generic, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .estimate import Estimate, estimate

State = Literal["holds", "fails", "undecided"]
Data = TypeVar("Data")


@dataclass(frozen=True)
class Condition:
    """A measured quantity and the range in which it must lie."""

    what: str
    measured: Estimate
    above: float = -math.inf
    below: float = math.inf

    @property
    def state(self) -> State:
        """Where the confidence interval lies."""
        low, high = self.measured.low, self.measured.high
        if self.above < low and high < self.below:
            return "holds"
        if high <= self.above or self.below <= low:
            return "fails"
        return "undecided"

    @property
    def figures(self) -> str:
        """What is measured, and what is needed."""
        bounds = []
        if self.above > -math.inf:
            bounds.append(f"> {self.above:.4g}")
        if self.below < math.inf:
            bounds.append(f"< {self.below:.4g}")
        need = " and ".join(bounds)
        return f"{self.what} = {self.measured} (needs {need})"

    def __str__(self) -> str:
        return f"{self.figures}: {self.state}"


def condition(
    what: str, samples: ArrayLike, *, above: float = -math.inf, below: float = math.inf
) -> Condition:
    """A condition on the mean of `samples`, one per replication."""
    return Condition(what, estimate(np.asarray(samples, dtype=float)), above, below)


@dataclass(frozen=True)
class Elsewhere:
    """The conditions of a claim on another system than the one that decides it."""

    where: str
    conditions: tuple[Condition, ...]

    @property
    def state(self) -> State:
        """The worst of its conditions."""
        return worst(self.conditions)

    def __str__(self) -> str:
        parts = "; ".join(str(condition) for condition in self.conditions)
        return f"{self.where}, not deciding: {parts}"


def worst(conditions: Sequence[Condition]) -> State:
    """The state of conditions that must all hold."""
    states = {condition.state for condition in conditions}
    return "fails" if "fails" in states else "undecided" if "undecided" in states else "holds"


OPEN = "An interval straddles its bound: more replications would tell."
FEW = "Too few replications: an interval straddles its bound."
NOT_FOUND = "Not found out yet"


@dataclass(frozen=True)
class Reason:
    """Why a claim does not hold, as experiments have found it."""

    text: str
    """Whole sentences. What is not known is said to be `NOT_FOUND`."""
    of: str = "*"
    """What it explains: the conditions whose `what` matches, as file names match in a shell."""

    def explains(self, condition: Condition) -> bool:
        """Whether it is the reason if this condition does not hold."""
        return fnmatchcase(condition.what, self.of)


SHOWN = 3
"""Conditions in a line of evidence at most."""


@dataclass(frozen=True)
class Verdict:
    """What the measured figures say about one claim."""

    id: str
    text: str
    conditions: tuple[Condition, ...]
    remark: str = ""
    """A figure that decides nothing and helps to understand."""
    elsewhere: tuple[Elsewhere, ...] = ()
    reasons: tuple[Reason, ...] = ()
    """Why it might not hold; `why` has those that apply."""
    few: bool = False
    """Whether the reasons rest on more replications: what is undecided may be so for want of them."""

    @property
    def state(self) -> State:
        """The worst of its conditions."""
        return worst(self.conditions)

    @property
    def holds(self) -> bool:
        """Whether every condition holds."""
        return self.state == "holds"

    @property
    def lines(self) -> list[str]:
        """The conditions with their figures, then what stands beside them."""
        parts = [str(condition) for condition in self.conditions]
        return [*parts, *([self.remark] if self.remark else []), *map(str, self.elsewhere)]

    @property
    def brief(self) -> list[str]:
        """The conditions with their figures, and of what stands beside them the state alone."""
        parts = [str(condition) for condition in self.conditions]
        states = [f"{one.where}: {one.state}" for one in self.elsewhere]
        beside = ["not deciding: " + "; ".join(states)] if states else []
        return [*parts, *([self.remark] if self.remark else []), *beside]

    @property
    def evidence(self) -> str:
        """All of it, with `undecided` in front where that is the verdict."""
        text = "; ".join(self.lines)
        return f"undecided: {text}" if self.state == "undecided" else text

    @property
    def line(self) -> str:
        """What decides it, in one line: the first and the last condition of its state, how many hold."""
        deciding = [one.figures for one in self.conditions if one.state == self.state]
        few = len(deciding) <= SHOWN
        shown = "; ".join(deciding) if few else f"{deciding[0]}; … {deciding[-1]}"
        hold = sum(one.state == "holds" for one in self.conditions)
        count = f" – {hold} of {len(self.conditions)} conditions hold"
        return shown + (count if not few or len(self.conditions) > len(deciding) else "")

    @property
    def why(self) -> list[str]:
        """Why it does not hold: the reasons for the conditions that are missed. Empty if it holds."""
        told = [FEW if self.few else OPEN] if self.state == "undecided" else []
        missed = [
            c
            for c in self.conditions
            if c.state == "fails" or (c.state == "undecided" and not self.few)
        ]
        found = [r for r in self.reasons if any(r.explains(c) for c in missed)]
        told += [reason.text for reason in found]
        obscure = [
            c.what for c in missed if c.state == "fails" and not any(r.explains(c) for r in found)
        ]
        if obscure:
            told.append(f"{NOT_FOUND} for: {'; '.join(obscure)}." if found else f"{NOT_FOUND}.")
        return told


@dataclass(frozen=True)
class Predicate(Generic[Data]):
    """A claim as a function of the measured figures alone."""

    id: str
    setups: tuple[str, ...]
    """Scenarios that must have been run before it can be decided."""
    conditions: Callable[[Data], Sequence[Condition]]
    remark: Callable[[Data], str] | None = None
    elsewhere: Callable[[Data], Sequence[Elsewhere]] | None = None

    def decide(self, data: Data, text: str) -> Verdict:
        """Decides the claim."""
        remark = self.remark(data) if self.remark else ""
        beside = tuple(self.elsewhere(data)) if self.elsewhere else ()
        return Verdict(self.id, text, tuple(self.conditions(data)), remark, beside)

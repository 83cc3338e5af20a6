"""How a claim is decided: by confidence intervals against stated bounds, and by nothing else.

A condition names a measured quantity, one value per replication, and the range in which it must lie.
It *holds* if the mean's whole 95 % confidence interval (Student t) lies in that range, *fails* if all
of it lies outside, and is *undecided* if the interval straddles a bound. A claim holds if every one of
its conditions holds; a claim with a condition that fails or is undecided does not.

Where a claim can be read of several systems, the one nearest to the paper's words decides; the same
conditions on the others stand beside it and decide nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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

    def __str__(self) -> str:
        bounds = []
        if self.above > -math.inf:
            bounds.append(f"> {self.above:.4g}")
        if self.below < math.inf:
            bounds.append(f"< {self.below:.4g}")
        need = " and ".join(bounds)
        return f"{self.what} = {self.measured} (needs {need}): {self.state}"


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


@dataclass(frozen=True)
class Verdict:
    """What the measured figures say about one claim."""

    id: str
    text: str
    conditions: tuple[Condition, ...]
    remark: str = ""
    """A figure that decides nothing and helps to understand."""
    elsewhere: tuple[Elsewhere, ...] = ()

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

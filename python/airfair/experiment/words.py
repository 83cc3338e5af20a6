"""Tolerances that words of the papers stand for: one vocabulary for all claims of all papers.

The vocabulary was fixed after the first results of five papers were known; docs/claims.md lists the
tolerances that it replaced. The report of each claim that uses a word has the tolerance at which the verdict
changes, so that a reader who understands the word differently can judge for himself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from airfair.estimate import Estimate

from .conditions import Condition, Key, Tolerance, condition

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Side = Literal["both", "least", "most"]


@dataclass(frozen=True)
class Word:
    """Word of the papers, and the largest deviation from a target that it allows."""

    said: str
    allowed: float
    """Largest deviation, as a fraction of the target, or in the unit of the quantity if `absolute`."""
    absolute: bool = False

    def condition(
        self,
        what: str,
        measured: ArrayLike | Estimate,
        target: float = 1.0,
        *,
        side: Side = "both",
        of: Iterable[Key] = (),
    ) -> Condition:
        """Condition that a quantity is within the word's tolerance of its target.

        `side`: "both", "least" (not further below the target) or "most" (not further above it).
        """
        scale = 1.0 if self.absolute else abs(target)
        off = self.allowed * scale
        made = condition(
            what,
            measured,
            above=-math.inf if side == "most" else target - off,
            below=math.inf if side == "least" else target + off,
            of=of,
        )
        return replace(made, tolerance=Tolerance(self.said, self.allowed, target, scale))

    def more(
        self, what: str, ratio: ArrayLike | Estimate, gain: float, *, of: Iterable[Key] = ()
    ) -> Condition:
        """Condition that a ratio of after to before is about 1 + `gain`."""
        off = self.allowed * gain
        made = condition(what, ratio, above=1 + gain - off, below=1 + gain + off, of=of)
        return replace(made, tolerance=Tolerance(self.said, self.allowed, 1 + gain, gain))

    def falls(
        self, what: str, measured: ArrayLike | Estimate, *, of: Iterable[Key] = ()
    ) -> Condition:
        """Condition that a ratio of after to before is below 1 by more than the tolerance."""
        return condition(what, measured, below=1 - self.allowed, of=of)


SAME = Word("the same", 0.10)
"""“Almost the same”, “about the same”, “equal”, “keeps”, “does not depend”: within a tenth."""
ROUGHLY = Word("roughly", 0.25)
"""“Roughly the same”, “about 1:1”, “half of”: within a quarter."""
GAIN = Word("about so much more", 0.5)
"""“About 20 % higher”: the gain, within half of it."""
INDEX = Word("close to", 0.05, absolute=True)
"""An index or a loss of fairness “close to” a value: within 0.05, on a scale that ends at 1."""
LOSS = Word("does not change", 0.005, absolute=True)
"""“Does not change”, of a loss: within half a percentage point of the packets."""

FACTOR = 2.0
"""“About a twentieth”: within a factor of two, that is less than a tenth."""
ALMOST_ALL = 0.8
"""“Almost always”: at least at four fifths of the points, for example at six of seven."""
STARVED = 0.5
"""Share of the others' throughput below which a flow “starves”."""


def glossary() -> str:
    """Vocabulary in one sentence, for reports."""
    return (
        f"“The same” means within {SAME.allowed:.0%}, “roughly” within {ROUGHLY.allowed:.0%}, “about so much "
        f"more” within half of the printed gain, an index “close to” a value within {INDEX.allowed:g}, a "
        f"loss that “does not change” within {LOSS.allowed:.1%} of the packets, “a twentieth” within a "
        f"factor of {FACTOR:g}, “almost always” at {ALMOST_ALL:.0%} of the points at least, “starves” less "
        f"than {STARVED:g} of what the others have."
    )

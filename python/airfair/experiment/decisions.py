"""Declared claims: a measure, optionally compared with a baseline, and the range in which it must lie.

A claim is decided by the rules of `claims` at each combination of levels that it does not fix: the 95 %
confidence interval is compared with the bounds, and failures are corrected for the number of points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from airfair.estimate import Estimate

from . import words
from .conditions import ERROR, Condition, Key, condition
from .errors import StudyError
from .factors import Label, plain
from .labels import LabelsOf, found, unknown
from .measures import Measurable, Measure, measure
from .points import in_words
from .samples import Samples

if TYPE_CHECKING:
    from .claims import Verdict
    from .results import ExperimentResult

Form = Literal["value", "ratio", "difference"]
FORMS: tuple[Form, ...] = ("value", "ratio", "difference")

WORDS: Mapping[str, words.Word] = {
    "the same": words.SAME,
    "roughly": words.ROUGHLY,
    "close to": words.INDEX,
}
"""Words for a tolerance that claims can use; docs/claims.md lists the vocabulary."""


@dataclass(frozen=True)
class Against:
    """Two levels of a factor, compared over runs with the same seeds."""

    factor: str
    level: Label
    baseline: Label


@dataclass(frozen=True)
class Claim:
    """Claim that `measure`, or its comparison `against` a baseline, lies within bounds at each point."""

    id: str
    measure: Measure
    text: str = ""
    at: Mapping[str, Sequence[Label]] = field(default_factory=dict)
    """Levels, by factor, to which the claim is restricted."""
    against: Against | None = None
    form: Form = "value"
    above: float = -math.inf
    below: float = math.inf
    word: str | None = None
    """Word that sets the bounds around `target`, instead of `above` and `below`."""
    target: float = 1.0

    def decide(self, results: ExperimentResult, *, error: float = ERROR) -> Verdict:
        """Verdict from finished runs; `error` is the error probability of each interval.

        Raises `StudyError` if the claim names an unknown factor or level, or a name that matches nothing.
        """
        from .claims import Verdict

        problems = self.problems(results.levels)
        if problems:
            raise StudyError(*problems)
        points = tuple(point.at(error) for point in self.points(results))
        return Verdict(self.id, self.text or self.in_words, points, under="")

    @property
    def in_words(self) -> str:
        """Text of the claim, made from its fields."""
        what = str(self.measure)
        if self.against:
            sign = "/" if self.form == "ratio" else "less"
            what += f": {self.against.level} {sign} {self.against.baseline}"
        if self.word:
            return (
                f"{what} is {self.word} {self.target:g}"
                if self.word != "the same" or self.target != 1
                else f"{what} is {self.word}"
            )
        bounds = [f"above {self.above:g}"] if self.above > -math.inf else []
        bounds += [f"below {self.below:g}"] if self.below < math.inf else []
        return f"{what} is {' and '.join(bounds)}"

    def among(self, factors: Mapping[str, Sequence[Label] | None]) -> Claim:
        """Claim with the labels that the levels have in `factors`, for levels that are named by a number."""
        at = {
            name: [found(label, factors.get(name)) for label in labels]
            for name, labels in self.at.items()
        }
        if self.against is None:
            return replace(self, at=at)
        known = factors.get(self.against.factor)
        level, baseline = (found(one, known) for one in (self.against.level, self.against.baseline))
        return replace(self, at=at, against=Against(self.against.factor, level, baseline))

    def points(
        self, results: ExperimentResult, *, key: Callable[[int], Key] | None = None
    ) -> tuple[Condition, ...]:
        """Conditions of the claim, one per point; `key` maps the index of a point to the key of its runs."""
        return tuple(self._points(results, key or results.key))

    def _points(self, results: ExperimentResult, key: Callable[[int], Key]) -> Iterator[Condition]:
        samples = results.samples(self.measure)
        named = self.among(results.levels)
        for label, here, there in named.pairs(results):
            of: list[Key] = [key(place) for place in (here, there) if place is not None]
            measured = self._measured(samples[here], None if there is None else samples[there])
            yield self._condition(label, measured, of)

    def _measured(self, here: Samples, there: Samples | None) -> Estimate:
        if there is None:
            return here.estimate
        return here.ratio_to(there) if self.form == "ratio" else here.less(there)

    def _condition(self, label: str, measured: Estimate, of: Sequence[Key]) -> Condition:
        if self.word:
            made = WORDS[self.word].condition(label, measured, self.target, of=of)
        else:
            made = condition(label, measured, above=self.above, below=self.below, of=of)
        return replace(made, testable=math.isfinite(measured.mean))

    def pairs(self, results: ExperimentResult) -> Iterator[tuple[str, int, int | None]]:
        """Label, index and index of the baseline (`None` without one) of each point of the claim."""
        for place, point in enumerate(results.finished.points):
            labels = point.labels
            if any(labels[name] not in allowed for name, allowed in self.at.items()):
                continue
            if self.against is None:
                yield point.text or "everywhere", place, None
            elif labels[self.against.factor] == self.against.level:
                other = {**labels, self.against.factor: self.against.baseline}
                free = in_words({n: v for n, v in labels.items() if n != self.against.factor})
                if (baseline := results.place(other)) is not None:
                    yield free or f"{self.against.level}, {self.against.baseline}", place, baseline

    def problems(self, factors: LabelsOf) -> list[str]:
        """Mistakes in the claim; `factors` maps factors to their labels, or to `None` for a range."""
        where = f"claim {self.id}: "
        found = []
        named = [(name, label) for name, labels in self.at.items() for label in labels]
        if self.against:
            named += [
                (self.against.factor, one) for one in (self.against.level, self.against.baseline)
            ]
        for name, label in named:
            found += [f"{where}{problem}" for problem in unknown(factors, name, label)]
        found += self._bounds(where)
        if (self.form == "value") != (self.against is None):
            found.append(
                f"{where}form {self.form}: a ratio or a difference needs a baseline, a value has none"
            )
        if self.against and self.measure.lower is not None:
            found.append(
                f"{where}a quotient of two measures cannot be compared; make a claim on one of the measures"
            )
        against = self.among(factors).against
        if against and against.level == against.baseline:
            found.append(
                f"{where}level and baseline are both {against.level}; allowed are two different levels"
            )
        return found

    def _bounds(self, where: str) -> Iterator[str]:
        bounds = (self.above, self.below)
        if any(map(math.isnan, (*bounds, self.target))) or math.isinf(self.target):
            yield f"{where}above {self.above}, below {self.below}, target {self.target}: allowed are numbers"
        elif self.word and not all(map(math.isinf, bounds)):
            yield f"{where}has both a word and a bound; allowed is one of them"
        elif not self.word and self.target != 1:
            yield f"{where}has a target without a word; add a word: {', '.join(WORDS)}"
        elif not self.word and bounds == (-math.inf, math.inf):
            yield f"{where}has no bound; add above, below or word"
        elif self.above >= self.below:
            yield f"{where}above {self.above:g}, below {self.below:g}: above must be smaller than below"


def claim(  # noqa: PLR0913 - options, each with a default
    id_: str,
    of: Measurable,
    *,
    text: str = "",
    at: Mapping[str, Label | Sequence[Label]] | None = None,
    factor: str | None = None,
    level: Label | None = None,
    baseline: Label | None = None,
    form: Form | None = None,
    above: float = -math.inf,
    below: float = math.inf,
    word: str | None = None,
    target: float = 1.0,
) -> Claim:
    """Declare the claim `id_` on the measure `of`, for `Experiment(claims=…)` or `ExperimentResult.decide`.

    - `text`: sentence that states the claim.
    - `at`: levels, by factor, to which the claim is restricted.
    - `factor`, `level`, `baseline`: two levels of a factor to compare, at each combination of the other
      factors; without them the claim is on the measure itself, at each point.
    - `form`: compare by "ratio" (default: level divided by baseline) or "difference" (level minus baseline).
    - `above`, `below`: bounds between which the whole 95 % confidence interval must lie.
    - `word`, `target`: instead of bounds, a word for the tolerance around `target`: "the same" (10 %),
      "roughly" (25 %) or "close to" (0.05).

    Raises `StudyError` for an unknown measure, form or word, or if only some of `factor`, `level` and
    `baseline` are given.
    """
    if word is not None and word not in WORDS:
        raise StudyError(f"claim {id_}: word {word!r}; allowed {', '.join(WORDS)}")
    if form is not None and form not in FORMS:
        raise StudyError(f"claim {id_}: form {form!r}; allowed {', '.join(FORMS)}")
    parts = (factor, level, baseline)
    if any(part is None for part in parts) != all(part is None for part in parts):
        raise StudyError(f"claim {id_}: factor, level and baseline: allowed are all three or none")
    against = None
    if factor is not None and level is not None and baseline is not None:
        against = Against(factor, *_several([level, baseline]))
    confined = {name: _several(labels) for name, labels in (at or {}).items()}
    chosen: Form = form or ("ratio" if against else "value")
    above, below, target = (_number(id_, bound) for bound in (above, below, target))
    return Claim(id_, measure(of), text, confined, against, chosen, above, below, word, target)


def _several(labels: Label | Sequence[Label]) -> tuple[Label, ...]:
    made: Any = plain(labels)
    return tuple(made) if isinstance(made, list) else (made,)


def _number(id_: str, bound: object) -> float:
    value: Any = getattr(bound, "tolist", lambda: bound)()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise StudyError(f"claim {id_}: {bound!r}; allowed is a number as bound or target")
    return float(value)

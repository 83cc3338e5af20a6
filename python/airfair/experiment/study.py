"""What a study is: an experiment with what is to be shown of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import StudyError
from .experiment import Experiment
from .factors import Factor, Label
from .keys import Keys
from .measures import Measure, measure
from .plot import problems as drawing_problems
from .points import Point
from .stopping import Replications

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .results import ExperimentResult

MOST_DRAWN = 60
"""Points of a figure that nobody has asked for."""


@dataclass(frozen=True)
class Comparison:
    """A factor whose levels are compared with a baseline."""

    factor: str
    baseline: Label
    measures: tuple[Measure, ...]


@dataclass(frozen=True)
class FigureOf:
    """A figure of a measure over a factor."""

    id: str
    y: Measure
    x: str | None = None
    by: str | None = None
    panel: str | None = None
    at: Mapping[str, Label] = field(default_factory=dict)
    title: str | None = None
    caption: str = ""
    printed: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Values that a paper prints, in the order of x, by the level of `by`; one list under "" without it."""

    def drawn(self, results: ExperimentResult, title: str | None) -> Figure:
        """The figure, with what a paper prints as hollow points."""
        return results.plot(
            self.x,
            self.y,
            self.by,
            panel=self.panel,
            at=self.at,
            title=title,
            printed=self.printed,
        )


@dataclass(frozen=True)
class Part:
    """Part of a paper that a study is: it has its runs in setups, each with its variants."""

    setup: str | None = None
    """Name of a point's setup, with factors in braces: points with the same one are variants of it."""
    variant: str | None = None
    """Name of a point within its setup, likewise."""
    quick: Keys = field(default_factory=dict)
    """Keys that differ in a quick look."""
    extension: bool = False
    """True if no claim depends on it, so that a quick look leaves it out."""
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Words of the paper's report for levels, by factor and label."""


@dataclass(frozen=True)
class Study:
    """An experiment, and what is to be shown of it."""

    experiment: Experiment
    path: Path
    comparisons: tuple[Comparison, ...] = ()
    figures: tuple[FigureOf, ...] = ()
    measures: tuple[Measure, ...] = ()
    """Measures of the table that is shown."""
    replications: Replications | None = None
    """Replications that the file asks for; nothing if it leaves them open."""
    part: Part = field(default_factory=Part)
    scenario: Path | None = None
    """File of its scenario; nothing if the study holds it."""
    printed: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Values that a paper prints, by measure: one for each point, in the measure's unit as it is shown."""

    def names(self, point: Point) -> tuple[str, str]:
        """Names of a point's setup and of its variant: by default the file's, and all labels."""
        stem = self.path.name.removesuffix(".toml").removesuffix(".study")
        labels = ", ".join(map(str, point.labels.values())) or stem
        return _filled(self.part.setup or stem, point), _filled(self.part.variant or labels, point)

    def pictures(self) -> list[FigureOf]:
        """The figures that are drawn: without any that is declared, goodput over the first factor."""
        if self.figures:
            return list(self.figures)
        levels = self.experiment.levels
        names = [name for name, known in levels.items() if known is None or len(known) > 1]
        few = 2
        if not 0 < len(names) <= few or self.experiment.size > MOST_DRAWN:
            return []
        y = self.measures[0] if self.measures else measure("goodput")
        for x, by in ((names[0], None), (names[0], names[-1]), (names[-1], names[0])):
            if not drawing_problems(levels, x, by, None, {}):
                return [FigureOf("goodput" if not self.measures else "measure", y, x, by)]
        return []


def problems(study: Study) -> list[str]:
    """Names of factors, levels and flows that there are not, and figures that cannot be drawn."""
    experiment, found = study.experiment, []
    wanted = [("measures", one) for one in study.measures]
    for one in study.comparisons:
        where = f"compare.{one.factor}"
        wanted += [(where, each) for each in one.measures]
        found += [f"{where}: {problem}" for problem in _of_comparison(experiment, one)]
    for figure in study.figures:
        where = f"figures.{figure.id}"
        wanted.append((where, figure.y))
        wrong = drawing_problems(experiment.levels, figure.x, figure.by, figure.panel, figure.at)
        found += [f"{where}: {problem}" for problem in wrong]
    for where, template in (("setup", study.part.setup), ("variant", study.part.variant)):
        unknown = [
            name for name in _IN_BRACES.findall(template or "") if name not in experiment.levels
        ]
        found += [
            f"{where}: unknown factor {name}; allowed {', '.join(experiment.levels) or 'none'}"
            for name in unknown
        ]
    for name, words in study.part.words.items():
        found += _of_words(experiment.factors, name, words)
    for where, each in wanted:
        try:
            experiment.check_measures(each)
        except StudyError as error:
            found += [f"{where}: {problem}" for problem in error.problems]
    return found


def _of_words(factors: Sequence[Factor], name: str, words: Mapping[str, str]) -> Iterator[str]:
    """Problems of words, which may be for levels that no point has: a study that is like this one may."""
    there = {factor.name: factor for factor in factors}
    if name not in there:
        yield f"words.{name}: unknown factor; allowed {', '.join(there) or 'none'}"
        return
    known = [str(level.label) for level in there[name].levels]
    for label in words if there[name].range is None else ():
        if label not in known:
            yield f"words.{name}: unknown level {label!r}; allowed {', '.join(known)}"


def _of_comparison(experiment: Experiment, one: Comparison) -> Iterator[str]:
    levels = experiment.levels
    if one.factor not in levels:
        yield f"unknown factor {one.factor}; allowed {', '.join(levels) or 'none'}"
        return
    known = levels[one.factor]
    if known is not None and one.baseline not in known:
        yield f"unknown level {one.baseline!r}; allowed {', '.join(map(str, known))}"
    elif not experiment.has_pairs(one.factor, one.baseline):
        yield f"no point at the baseline {one.baseline} has a partner that differs only in this factor"
    for each in one.measures:
        if each.lower is not None:
            yield f"{each}: a quotient of two measures cannot be compared; compare its two measures"


_IN_BRACES = re.compile(r"\{([^{}]*)\}")


def _filled(template: str, point: Point) -> str:
    """A name with the point's labels in it."""
    return _IN_BRACES.sub(lambda match: str(point.labels[match[1]]), template)

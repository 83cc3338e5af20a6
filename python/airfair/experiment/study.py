"""Study: an experiment with its comparisons, figures and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .axes import FigureOf
from .errors import StudyError
from .experiment import Experiment
from .factors import Factor, Label
from .keys import Keys
from .labels import found, unknown
from .measures import Measure, measure
from .points import Point
from .stopping import Replications

MOST_DRAWN = 60
"""Largest number of points in a default figure."""


@dataclass(frozen=True)
class Comparison:
    """Comparison of the levels of a factor with a baseline."""

    factor: str
    baseline: Label
    measures: tuple[Measure, ...]


@dataclass(frozen=True)
class Part:
    """Keys of a study in a paper: the setups and variants to which its points belong."""

    setup: str | None = None
    """Template of a setup's name, with factors in braces; points with the same setup are its variants."""
    variant: str | None = None
    """Template of the name of a point within its setup, with factors in braces."""
    quick: Keys = field(default_factory=dict)
    """Keys to set in a quick run."""
    extension: bool = False
    """True if no claim needs the study, so that a quick run leaves it out."""
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Texts for levels in the report of the paper, by factor and label."""


@dataclass(frozen=True)
class Study:
    """Experiment with the comparisons, figures and measures to show, as `load_study` reads it."""

    experiment: Experiment
    path: Path
    comparisons: tuple[Comparison, ...] = ()
    figures: tuple[FigureOf, ...] = ()
    measures: tuple[Measure, ...] = ()
    """Measures in the table of points."""
    replications: Replications | None = None
    """Rule for replications in the file; `None` if the file has none."""
    part: Part = field(default_factory=Part)
    scenario: Path | None = None
    """File of the scenario; `None` if the study contains the scenario."""
    printed: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Published values by measure: one for each point, in the unit for display."""

    def names(self, point: Point) -> tuple[str, str]:
        """Names of the setup and the variant of a point; by default the file's name and all labels."""
        stem = self.path.name.removesuffix(".toml").removesuffix(".study")
        labels = ", ".join(map(str, point.labels.values())) or stem
        return _filled(self.part.setup or stem, point), _filled(self.part.variant or labels, point)

    def pictures(self) -> list[FigureOf]:
        """Declared figures; without any, the first measure (or goodput) over the factors that vary."""
        if self.figures:
            return list(self.figures)
        levels = self.experiment.levels
        names = [name for name, known in levels.items() if known is None or len(known) > 1]
        few = 2
        if not 0 < len(names) <= few or self.experiment.size > MOST_DRAWN:
            return []
        y = self.measures[0] if self.measures else measure("goodput")
        id_ = "measure" if self.measures else "goodput"
        axes = ((names[0], None), (names[0], names[-1]), (names[-1], names[0]))
        made = (FigureOf(id_, y, x, by) for x, by in axes)
        return [figure for figure in made if not figure.problems(levels)][:1]


def problems(study: Study) -> list[str]:
    """Errors of a study: unknown factors, levels and flows, and figures that cannot be drawn."""
    experiment, found = study.experiment, []
    wanted = [("measures", one) for one in study.measures]
    for one in study.comparisons:
        where = f"compare.{one.factor}"
        wanted += [(where, each) for each in one.measures]
        found += [f"{where}: {problem}" for problem in _of_comparison(experiment, one)]
    for figure in study.figures:
        where = f"figures.{figure.id}"
        wanted.append((where, figure.y))
        found += [f"{where}: {problem}" for problem in figure.problems(experiment.levels)]
    for where, template in (("setup", study.part.setup), ("variant", study.part.variant)):
        for name in _IN_BRACES.findall(template or ""):
            found += [f"{where}: {problem}" for problem in unknown(experiment.levels, name)]
    for name, words in study.part.words.items():
        found += _of_words(experiment.factors, name, words)
    for where, each in wanted:
        try:
            experiment.check_measures(each)
        except StudyError as error:
            found += [f"{where}: {problem}" for problem in error.problems]
    return found


def _of_words(factors: Sequence[Factor], name: str, words: Mapping[str, str]) -> Iterator[str]:
    """Errors of `words`; levels that no point has are allowed, as a study with `like` may have them."""
    there = {
        factor.name: [str(level.label) for level in factor.levels] if factor.range is None else None
        for factor in factors
    }
    for problem in unknown(there, name, *words):
        yield f"words.{name}: {problem}"


def _of_comparison(experiment: Experiment, one: Comparison) -> Iterator[str]:
    levels = experiment.levels
    if problems := unknown(levels, one.factor, one.baseline):
        yield from problems
        return
    if not experiment.has_pairs(one.factor, found(one.baseline, levels[one.factor])):
        yield f"no point at the baseline {one.baseline} has a partner that differs only in this factor"
    for each in one.measures:
        if each.lower is not None:
            yield f"{each}: a quotient of two measures cannot be compared; compare its two measures"


_IN_BRACES = re.compile(r"\{([^{}]*)\}")


def _filled(template: str, point: Point) -> str:
    """Template with factors in braces replaced by the labels of the point."""
    return _IN_BRACES.sub(lambda match: str(point.labels[match[1]]), template)

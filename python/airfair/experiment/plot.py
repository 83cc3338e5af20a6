"""Figures of an experiment: a measure over a factor, as means, as boxes, or as its distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from airfair.figures import Category, Chart, Points, by_category, over_number
from airfair.names import drawable

from .axes import FigureOf, Kind, no_numbers
from .distributions import cumulated, spread
from .errors import StudyError
from .factors import Label
from .labels import found
from .measures import Measurable, measure
from .points import at_levels
from .values import in_order, on_an_axis

if TYPE_CHECKING:
    from .results import ExperimentResult


class Plot:
    """Figures of an experiment (matplotlib), as `ExperimentResult.plot`.

    `results.plot(…)` draws means, `results.plot.boxes(…)` the spread of the runs at each level, and
    `results.plot.cdf(…)` their distribution. A level is found as in `ExperimentResult.result`. Each raises
    `StudyError` for an unknown factor, level or measure.
    """

    def __init__(self, results: ExperimentResult) -> None:
        self._results = results

    def __call__(  # noqa: PLR0913 - options of a figure
        self,
        x: str | None = None,
        y: Measurable = "goodput",
        by: str | None = None,
        *,
        panel: str | None = None,
        at: Mapping[str, Label] | None = None,
        title: str | None = None,
        printed: Mapping[str, Sequence[float]] | None = None,
    ) -> Figure:
        """Figure of the measure `y` over the factor `x`: means with 95 % confidence intervals.

        There is one line for each level of the factor `by`, and one panel for each level of the factor
        `panel`. `at` fixes each other factor that varies at a level. If all levels of `x` are numbers or
        quantities, the axis is numeric. `printed` maps levels of `by` to published values in the order of x,
        which are drawn with hollow markers.
        """
        held, known = dict(at or {}), printed or {}
        figure = FigureOf("plot", measure(y), x, by, panel, held, title, printed=known)
        return drawn(self._results, figure)

    def boxes(
        self,
        x: str | None = None,
        y: Measurable = "goodput",
        by: str | None = None,
        *,
        at: Mapping[str, Label] | None = None,
        title: str | None = None,
    ) -> Figure:
        """Box plot of the measure `y` at each level of the factor `x`, over the runs.

        A box has the quartiles and the median. Its whiskers reach the last runs within 1.5 interquartile
        ranges; up to 60 runs are dots. There is one box for each level of the factor `by`. `at` fixes each
        other factor that varies at a level.
        """
        held = dict(at or {})
        figure = FigureOf("boxes", measure(y), x, by, at=held, title=title, kind="boxes")
        return drawn(self._results, figure)

    def cdf(
        self,
        y: Measurable = "goodput",
        by: str | None = None,
        *,
        at: Mapping[str, Label] | None = None,
        title: str | None = None,
    ) -> Figure:
        """Cumulative distribution of the measure `y` over the runs, a curve for each level of `by`.

        `by` is the first factor that varies, by default. `at` fixes each other factor that varies at a level.
        A run without a value counts, so that its curve ends below 100 %.
        """
        figure = FigureOf("cdf", measure(y), by=by, at=dict(at or {}), title=title, kind="cdf")
        return drawn(self._results, figure)


def drawn(results: ExperimentResult, figure: FigureOf) -> Figure:
    """Figure of finished runs, with published values as hollow points; raises `StudyError`."""
    levels, (where, draw) = results.levels, _KINDS[figure.kind]
    placed = figure.placed(levels)
    if problems := placed.problems(levels):
        raise StudyError(*(f"{where}: {problem}" for problem in problems))
    at = {name: found(label, levels[name]) for name, label in placed.at.items()}
    return draw(results, replace(placed, at=at))


def _means(results: ExperimentResult, figure: FigureOf) -> Figure:
    """Figure of means over a factor."""
    data = _Means(results, figure)
    if figure.panel is None:
        return _single(data, figure.heading)
    if data.numbers is None:
        raise StudyError(f"plot: {no_numbers(data.x)}")
    charts = [
        Chart(
            drawable(f"{figure.panel} = {label}"), data.numbers, data.lines({figure.panel: label})
        )
        for label in results.levels[figure.panel]
    ]
    return over_number(charts, data.x_label, data.y_label)


_KINDS: Mapping[Kind, tuple[str, Callable[[ExperimentResult, FigureOf], Figure]]] = {
    "means": ("plot", _means),
    "boxes": ("plot.boxes", spread),
    "cdf": ("plot.cdf", cumulated),
}
"""Method of a result that draws each kind of figure, and the function behind it."""


def _single(data: _Means, title: str) -> Figure:
    if data.numbers is not None:
        chart = Chart(drawable(title), data.numbers, data.lines({}))
        return over_number([chart], data.x_label, data.y_label, columns=1)
    names = [drawable(str(label)) for label in data.places]
    panel = Category(drawable(title), data.y_label, data.x_label, names, data.lines({}))
    return by_category(panel, wide=len(names) > 6)  # noqa: PLR2004 - names side by side in a narrow figure


class _Means:
    """Estimates of a measure by the levels of the factors of a figure."""

    def __init__(self, results: ExperimentResult, figure: FigureOf) -> None:
        self.x = figure.x or ""
        self._results, self._figure = results, figure
        self.y_label = drawable(figure.y.label)
        levels = results.levels[self.x]
        self._order = in_order(levels)
        self.places = [levels[i] for i in self._order]
        axis = on_an_axis(list(levels))
        self.numbers: Sequence[float] | None = axis and [axis[0][i] for i in self._order]
        self.x_label = drawable(f"{self.x} [{axis[1]}]" if axis and axis[1] else self.x)
        factor = figure.y.shown[0]
        self._estimates = [one.estimate.times(factor) for one in results.samples(figure.y)]

    def lines(self, held: Mapping[str, Label]) -> list[Points]:
        """Lines of the figure: one for each level of `by`, or a single one; `held` fixes other factors."""
        by = self._figure.by
        if by is None:
            return [self._line(self._figure.y.name, "", held)]
        levels = self._results.levels[by]
        return [self._line(str(label), str(label), {**held, by: label}) for label in levels]

    def _line(self, name: str, printed: str, held: Mapping[str, Label]) -> Points:
        places = ({**self._figure.at, **held, self.x: place} for place in self.places)
        found = [self._at_levels(levels) for levels in places]
        lowest = 0.0 if all(not (mean < 0) for mean, _ in found) else -math.inf
        values = self._figure.printed.get(printed, ())
        hollow = {new: values[old] for new, old in enumerate(self._order) if old < len(values)}
        return Points(drawable(name), np.array(found).T, hollow, (lowest, math.inf))

    def _at_levels(self, levels: Mapping[str, Label]) -> tuple[float, float]:
        place = at_levels(self._results.finished.points, levels)
        if place is None:
            return math.nan, math.nan
        return self._estimates[place].mean, self._estimates[place].ci95

"""Figures of an experiment: a measure over a factor, as means, as boxes, or as its distribution."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from airfair.figures import Category, Chart, Points, by_category, over_number
from airfair.names import drawable

from .axes import first_free, no_numbers, problems
from .distributions import cumulated, spread
from .errors import StudyError
from .labels import found as found_label
from .measures import measure
from .values import on_an_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airfair.estimate import Estimate

    from .factors import Label
    from .measures import Measurable, Measure
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
        return plotted(
            self._results,
            x,
            measure(y),
            by,
            panel=panel,
            at=dict(at or {}),
            title=title,
            printed=printed or {},
        )

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
        return spread(self._results, x, measure(y), by, at=dict(at or {}), title=title)

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
        return cumulated(self._results, measure(y), by, at=dict(at or {}), title=title)


def plotted(  # noqa: PLR0913 - options of a figure
    results: ExperimentResult,
    x: str | None,
    y: Measure,
    by: str | None,
    *,
    panel: str | None,
    at: Mapping[str, Label],
    title: str | None,
    printed: Mapping[str, Sequence[float]],
) -> Figure:
    """Figure of means over a factor."""
    x = x or first_free(results.levels, by, panel, at)
    found = problems(results.levels, x, by, panel, at)
    if found or x is None:
        raise StudyError(*(f"plot: {problem}" for problem in found))
    at = {name: found_label(label, results.levels[name]) for name, label in at.items()}
    data = _Data(results, y, x, by, at, printed)
    if panel is None:
        return _single(data, title or f"{y.name} over {x}")
    if data.numbers is None:
        raise StudyError(f"plot: {no_numbers(x)}")
    charts = [
        Chart(drawable(f"{panel} = {label}"), data.numbers, data.lines({panel: label}))
        for label in _levels(results, panel)
    ]
    return over_number(charts, data.x_label, data.y_label)


def _levels(results: ExperimentResult, factor: str) -> Sequence[Label]:
    return results.levels[factor]


def _single(data: _Data, title: str) -> Figure:
    if data.numbers is not None:
        return over_number(
            [Chart(drawable(title), data.numbers, data.lines({}))],
            data.x_label,
            data.y_label,
            columns=1,
        )
    panel = Category(
        drawable(title),
        data.y_label,
        drawable(data.x),
        [drawable(str(label)) for label in data.places],
        data.lines({}),
    )
    return by_category(panel, wide=len(data.places) > 6)  # noqa: PLR2004 - names side by side in a narrow figure


class _Data:
    """Estimates of a measure by the levels of two factors."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a figure is made of
        self,
        results: ExperimentResult,
        y: Measure,
        x: str,
        by: str | None,
        at: Mapping[str, Label],
        printed: Mapping[str, Sequence[float]],
    ) -> None:
        self.x = x
        self._printed = dict(printed)
        self._by = by
        self._at = at
        self._results = results
        self._scale = y.shown[0]
        self.y_label = drawable(y.label)
        self._name = y.name
        self.places = _levels(results, x)
        self._order = list(range(len(self.places)))
        axis = on_an_axis(list(self.places))
        self.numbers: Sequence[float] | None = None
        self.x_label = x
        if axis is not None:
            self._order = np.argsort(axis[0], kind="stable").tolist()
            self.numbers = [axis[0][i] for i in self._order]
            self.places = [self.places[i] for i in self._order]
            self.x_label = drawable(f"{x} [{axis[1]}]" if axis[1] else x)
        self._estimates: list[Estimate] = [one.estimate for one in results.samples(y)]

    def lines(self, held: Mapping[str, Label]) -> list[Points]:
        """Lines of the figure: one for each level of `by`, or a single one; `held` fixes other factors."""
        labels = _levels(self._results, self._by) if self._by else [None]
        return [self._line(label, held) for label in labels]

    def _line(self, label: Label | None, held: Mapping[str, Label]) -> Points:
        found = []
        for place in self.places:
            wanted = {**self._at, **held, self.x: place}
            if self._by is not None and label is not None:
                wanted[self._by] = label
            found.append(self._at_levels(wanted))
        lowest = 0.0 if all(not (mean < 0) for mean, _ in found) else -math.inf
        name = drawable(str(label) if label is not None else self._name)
        values = self._printed.get("" if label is None else str(label), ())
        hollow = {new: values[old] for new, old in enumerate(self._order) if old < len(values)}
        return Points(name, np.array(found).T, hollow, (lowest, math.inf))

    def _at_levels(self, wanted: Mapping[str, Label]) -> tuple[float, float]:
        for point, one in zip(self._results.finished.points, self._estimates, strict=True):
            if all(point.labels[name] == label for name, label in wanted.items()):
                return one.mean * self._scale, one.ci95 * self._scale
        return math.nan, math.nan

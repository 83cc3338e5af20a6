"""Figures of a measure over the runs of each point: boxes over a factor, and cumulative distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.patches import Patch

from airfair import distributions
from airfair.figures import NARROW, STYLE, WIDE, Figure, coloured, legend_below
from airfair.names import drawable
from airfair.palette import MUTED

from .axes import first_free, first_varying, problems
from .errors import StudyError
from .labels import found as found_label
from .values import on_an_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from airfair.distributions import Floats

    from .factors import Label
    from .measures import Measure
    from .results import ExperimentResult

_MOST_NARROW = 6
"""Largest number of boxes in a figure of half a page's width."""
_BOXES = "box: quartiles and median of the runs"


def spread(  # noqa: PLR0913 - options of a figure
    results: ExperimentResult,
    x: str | None,
    y: Measure,
    by: str | None,
    *,
    at: Mapping[str, Label],
    title: str | None,
) -> Figure:
    """Figure of `ExperimentResult.plot.boxes`."""
    x = x or first_free(results.levels, by, None, at)
    wrong = problems(results.levels, x, by, None, at, kind="boxes")
    if wrong or x is None:
        raise StudyError(*(f"plot.boxes: {problem}" for problem in wrong))
    places = _in_order(results.levels[x])
    values = _Values(results, y, at)
    rows = [
        (label, [values.of({x: place, **held}) for place in places])
        for label, held in _levels(results, by)
    ]
    values.check("plot.boxes")
    few = len(places) * len(rows) <= _MOST_NARROW
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(NARROW if few else WIDE, 3.8), layout="constrained")
        axes = figure.subplots()
        width = 0.7 / len(rows)
        for i, ((label, samples), colour) in enumerate(coloured(rows)):
            distributions.boxes(
                axes,
                [place + width * (i - (len(rows) - 1) / 2) for place in range(len(places))],
                samples,
                width=0.8 * width,
                colour=colour,
                label=drawable(label),
            )
        axes.set_xticks(range(len(places)), [drawable(str(place)) for place in places])
        axes.set(xlim=(-0.5, len(places) - 0.5), xlabel=drawable(x), ylabel=drawable(y.label))
        _finish(figure, axes, title or f"{y.name} over {x}", values, _BOXES)
    return figure


def cumulated(
    results: ExperimentResult,
    y: Measure,
    by: str | None,
    *,
    at: Mapping[str, Label],
    title: str | None,
) -> Figure:
    """Figure of `ExperimentResult.plot.cdf`."""
    by = by or first_varying(results.levels, at)
    wrong = problems(results.levels, None, by, None, at, kind="cdf")
    if wrong:
        raise StudyError(*(f"plot.cdf: {problem}" for problem in wrong))
    values = _Values(results, y, at)
    curves = [(label, values.of(held)) for label, held in _levels(results, by)]
    values.check("plot.cdf")
    ends = distributions.ends([own for _, own in curves])
    with mpl.rc_context({**STYLE, "axes.grid.axis": "both"}):
        figure = Figure(figsize=(NARROW, 3.8), layout="constrained")
        axes = figure.subplots()
        for (label, own), colour in coloured(curves):
            distributions.cumulative(axes, own, ends, colour=colour, label=drawable(label))
        axes.set(xlim=ends, ylim=(0, 102), xlabel=drawable(y.label), ylabel="runs [%]")
        over = f"{y.name} by {by}" if by else y.name
        _finish(figure, axes, title or over, values, "")
    return figure


def _finish(figure: Figure, axes: Axes, title: str, values: _Values, note: str) -> None:
    """Add the title, with the number of runs without a value, and the legend."""
    lacking = values.count - values.known
    less = f"\n{lacking} of {values.count} runs have no value" if lacking else ""
    axes.set_title(drawable(title) + less)
    handles, labels = axes.get_legend_handles_labels()
    if note:
        handles.append(Patch(facecolor="none", edgecolor=MUTED))
        labels.append(note)
    legend_below(figure, handles, labels, 3)


def _levels(results: ExperimentResult, by: str | None) -> Sequence[tuple[str, Mapping[str, Label]]]:
    """Label of each curve or row of boxes, and the level that it holds; one without a label if no `by`."""
    if by is None:
        return [("", {})]
    return [(str(label), {by: label}) for label in _in_order(results.levels[by])]


def _in_order(levels: Sequence[Label]) -> list[Label]:
    """Levels in the order of their numbers, if all are quantities."""
    axis = on_an_axis(list(levels))
    if axis is None:
        return list(levels)
    return [levels[place] for place in np.argsort(axis[0], kind="stable").tolist()]


class _Values:
    """Values of a measure in the runs at each point, in the unit for display."""

    def __init__(self, results: ExperimentResult, y: Measure, at: Mapping[str, Label]) -> None:
        self._points = results.finished.points
        self._name = y.name
        self._at = {name: found_label(label, results.levels[name]) for name, label in at.items()}
        table = results.values(y)
        points = table["point"].to_numpy()
        values: Floats = table["value"].to_numpy().astype(np.float64) * y.shown[0]
        self._of: list[Floats] = [values[points == place] for place in range(len(self._points))]
        self.count = 0
        """Number of runs that were asked for so far."""
        self.known = 0
        """Number of those that have a value."""

    def of(self, levels: Mapping[str, Label]) -> Floats:
        """Values at these levels and those of `at`; NaN if a run has none, empty without such a point."""
        wanted = {**self._at, **levels}
        for point, values in zip(self._points, self._of, strict=True):
            if all(point.labels[name] == label for name, label in wanted.items()):
                self.count += len(values)
                self.known += int(np.isfinite(values).sum())
                return values
        return np.array([])

    def check(self, where: str) -> None:
        """Raise `StudyError` if no run that was asked for has a value."""
        if not self.known:
            raise StudyError(f"{where}: no run has a value of {self._name}")

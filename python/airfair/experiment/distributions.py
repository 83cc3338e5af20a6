"""Figures of a measure over the runs of each point: boxes over a factor, and cumulative distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from airfair import distributions
from airfair.distributions import Floats
from airfair.figures import NARROW, STYLE, WIDE, Figure, coloured, legend_below
from airfair.names import drawable
from airfair.palette import MUTED

from .axes import FigureOf
from .errors import StudyError
from .factors import Label
from .points import at_levels
from .values import in_order

if TYPE_CHECKING:
    from .results import ExperimentResult

_MOST_NARROW = 6
"""Largest number of boxes in a figure of half a page's width."""
_BOXES = "box: quartiles and median of the runs"


def spread(results: ExperimentResult, figure: FigureOf) -> Figure:
    """Figure of `ExperimentResult.plot.boxes`."""
    x = figure.x or ""
    places = _sorted(results.levels[x])
    values = _Values(results, figure)
    rows = [
        (label, [values.of({x: place, **held}) for place in places])
        for label, held in _levels(results, figure.by)
    ]
    values.check("plot.boxes")
    few = len(places) * len(rows) <= _MOST_NARROW
    with mpl.rc_context(STYLE):
        drawn = Figure(figsize=(NARROW if few else WIDE, 3.8), layout="constrained")
        axes = drawn.subplots()
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
        axes.set(xlim=(-0.5, len(places) - 0.5), xlabel=drawable(x))
        axes.set(ylabel=drawable(figure.y.label))
        _finish(drawn, axes, figure.heading, values, _BOXES)
    return drawn


def cumulated(results: ExperimentResult, figure: FigureOf) -> Figure:
    """Figure of `ExperimentResult.plot.cdf`."""
    values = _Values(results, figure)
    curves = [(label, values.of(held)) for label, held in _levels(results, figure.by)]
    values.check("plot.cdf")
    ends = distributions.ends([own for _, own in curves])
    with mpl.rc_context({**STYLE, "axes.grid.axis": "both"}):
        drawn = Figure(figsize=(NARROW, 3.8), layout="constrained")
        axes = drawn.subplots()
        for (label, own), colour in coloured(curves):
            distributions.cumulative(axes, own, ends, colour=colour, label=drawable(label))
        axes.set(xlim=ends, ylim=(0, 102), xlabel=drawable(figure.y.label), ylabel="runs [%]")
        _finish(drawn, axes, figure.heading, values, "")
    return drawn


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
    return [(str(label), {by: label}) for label in _sorted(results.levels[by])]


def _sorted(levels: Sequence[Label]) -> list[Label]:
    return [levels[i] for i in in_order(levels)]


class _Values:
    """Values of a measure in the runs at each point, in the unit for display."""

    def __init__(self, results: ExperimentResult, figure: FigureOf) -> None:
        self._points, self._figure = results.finished.points, figure
        table = results.values(figure.y)
        points = table["point"].to_numpy()
        values: Floats = table["value"].to_numpy().astype(np.float64) * figure.y.shown[0]
        self._of: list[Floats] = [values[points == place] for place in range(len(self._points))]
        self.count = 0
        """Number of runs that were asked for so far."""
        self.known = 0
        """Number of those that have a value."""

    def of(self, levels: Mapping[str, Label]) -> Floats:
        """Values at these levels and those of the figure; NaN for none, empty without such a point."""
        place = at_levels(self._points, {**self._figure.at, **levels})
        if place is None:
            return np.array([])
        values = self._of[place]
        self.count += len(values)
        self.known += int(np.isfinite(values).sum())
        return values

    def check(self, where: str) -> None:
        """Raise `StudyError` if no run that was asked for has a value."""
        if not self.known:
            raise StudyError(f"{where}: no run has a value of {self._figure.y.name}")

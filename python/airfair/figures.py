"""Figures of measured values: means with their 95 % intervals, over time, over a number or by category.

Each figure can be written as PNG and SVG. An SVG contains its text as text, and only colours of a fixed
palette, which a page replaces by its own. The palette suits every kind of colour vision.
"""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Plain
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from .marks import PROGRAM
from .palette import GRID, INK, MUTED, PALETTE
from .statistics import half_width

Floats = NDArray[np.float64]
Share = Literal["none", "all", "row", "col"]
Series = TypeVar("Series")

_MARKERS = "os^Dv"
_DASHES = ((0, (5, 2)), (0, (1, 1.5)))
"""Dash patterns of horizontal lines, in the order of the lines."""
_DASHED: dict[str, Any] = {"color": MUTED, "linewidth": 0.8, "linestyle": (0, (4, 3))}
"""Style of lines at a constant value or an instant."""
WIDE, NARROW = 10.5, 5.4
"""Width of a figure that fills a page, and of one that fills half of it [inch]."""
_MARGIN, _LETTER = 0.5, 0.08
"""Width of the labels on the left of a panel, and mean width of a letter of its title [inch]."""
BAND, BARS = "band: 95 % interval of the mean", "bars: 95 % interval of the mean"
"""Texts of legends for the intervals, which have the same meaning in all figures."""
THE_PAPER = "the paper"
PAIR = 2
"""Number of panels side by side in a wide figure."""

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "airfair",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titlecolor": INK,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
}


class Figure(Plain):
    """Figure that notebooks display even if they have not imported pyplot."""

    narrow: Callable[[], Figure] | None = None
    """Function that draws the figure for a narrow screen, with one panel per row; `None` if not needed."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        inches: float = self.get_figwidth()
        return png(self), {"width": round(90 * inches)}


@dataclass(frozen=True)
class Curve:
    """Curve of one quantity over time, in several replications."""

    label: str
    samples: Floats
    """Values, (replication, step)."""


@dataclass(frozen=True)
class Mark:
    """Vertical line at an instant, with a short text."""

    time_s: float
    text: str


@dataclass(frozen=True)
class Panel:
    """Panel with curves over time."""

    title: str
    y_label: str
    times_s: Floats
    curves: Sequence[Curve]
    marks: Sequence[Mark] = ()
    levels: Mapping[float, str] = field(default_factory=dict)
    """Labels of horizontal lines for the legend, by value; at most two."""


@dataclass(frozen=True)
class Points:
    """Estimates with one label and colour, one per category or position on the x axis."""

    label: str
    estimates: Floats
    """Means and half widths of their intervals, (2, category)."""
    printed: Mapping[int, float] = field(default_factory=dict)
    """Published values by index of the category, drawn as hollow markers in the same colour."""
    possible: tuple[float, float] = (0.0, math.inf)
    """Smallest and largest possible value, at which intervals are cut."""

    @property
    def interval(self) -> tuple[Floats, Floats]:
        """Lower and upper ends, cut to possible values; both are the mean if the interval is unknown."""
        mean, width = self.estimates
        width = np.where(np.isfinite(width), width, 0)
        low, high = self.possible
        # Rounding may put a mean beyond the possible values; the interval must still contain it.
        return np.minimum(mean, np.maximum(mean - width, low)), np.maximum(
            mean, np.minimum(mean + width, high)
        )

    @property
    def bars(self) -> Floats:
        """Lengths of the interval below and above the mean, (2, category)."""
        mean = self.estimates[0]
        low, high = self.interval
        return np.array([mean - low, high - mean])


@dataclass(frozen=True)
class Category:
    """Panel with named categories along one axis."""

    title: str
    y_label: str
    x_label: str
    names: Sequence[str]
    groups: Sequence[Points]
    levels: Mapping[float, str] = field(default_factory=dict)
    """Texts of lines at constant values, by value."""


def by_category(panel: Category, *, wide: bool = False) -> Figure:
    """Figure of estimates with their intervals, side by side above each category."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDE if wide else NARROW, 3.6), layout="constrained")
        ax = figure.subplots()
        for level, words in panel.levels.items():
            ax.axhline(level, **_DASHED)
            _write(ax, words, "right", level, (4, 0), va="center", annotation_clip=False)
        _dots(ax, panel, 0.14, upright=True)
        ax.set_xticks(range(len(panel.names)), panel.names)
        ax.set_xlim(-0.5, len(panel.names) - 0.5)
        if all(group.possible[0] >= 0 for group in panel.groups):
            highest = max(np.nanmax(group.interval[1], initial=0) for group in panel.groups)
            ax.set_ylim(0, max(ax.get_ylim()[1], 1.05 * highest))
        _title(ax, panel.title)
        ax.set_xlabel(panel.x_label)
        ax.set_ylabel(panel.y_label)
        _legend(figure, ax, 3 if wide else 2, BARS, printed=any(g.printed for g in panel.groups))
    if wide:
        # On a narrow screen, categories are rows, because many names do not fit side by side.
        rows = replace(panel, x_label=panel.y_label, y_label=panel.x_label)
        figure.narrow = lambda: by_name([rows], stacked=True)
    return figure


def _dots(ax: Axes, panel: Category, distance: float, *, upright: bool) -> None:
    """Draw estimates with intervals and published values; groups are `distance` apart.

    Intervals are vertical if `upright`, so that categories are side by side; else categories are rows.
    """
    for i, (group, colour) in enumerate(coloured(panel.groups)):
        off = distance * (i - (len(panel.groups) - 1) / 2)
        at = (np.arange(len(panel.names)) + off).tolist()
        known, values = [at[place] for place in group.printed], list(group.printed.values())
        x, y = (known, values) if upright else (values, known)
        _hollow(ax, x, y, colour, i)
        mean = group.estimates[0].tolist()
        x, y = (at, mean) if upright else (mean, at)
        bars: dict[str, Any] = {"yerr" if upright else "xerr": group.bars}
        ax.errorbar(
            x,
            y,
            **bars,
            fmt=_MARKERS[i],
            markersize=5 if upright else 4.5,
            color=colour,
            linewidth=1.2,
            capsize=2,
            label=group.label,
        )


def _write(
    ax: Axes,
    words: str,
    edge: Literal["right", "top"],
    at: float,
    offset: tuple[float, float],
    **style: Any,  # noqa: ANN401 - of matplotlib
) -> None:
    """Write a short text at an edge of a panel, at `at` of the axis along it and an offset [points]."""
    right = edge == "right"
    place = (1.0, at) if right else (at, 1.0)
    system = ("axes fraction", "data") if right else ("data", "axes fraction")
    style = {"fontsize": 8, "color": INK, **style}
    ax.annotate(words, place, xycoords=system, xytext=offset, textcoords="offset points", **style)


def _title(ax: Axes, text: str, pad: float = 6) -> None:
    """Set the title of a panel, in lines that are not wider than the panel."""
    spec, figure = ax.get_subplotspec(), ax.get_figure(root=True)
    columns = spec.get_gridspec().ncols if spec else 1
    inches = (figure.get_figwidth() if figure else NARROW) / columns - _MARGIN
    ax.set_title(textwrap.fill(text, max(1, int(inches / _LETTER))), pad=pad)


def _hollow(ax: Axes, x: Sequence[float], y: Sequence[float], colour: str, i: int) -> None:
    """Draw published values as hollow markers of the same shape as those of the measured points."""
    if not x:
        return
    ax.plot(
        x,
        y,
        linestyle="none",
        marker=_MARKERS[i],
        markersize=9,
        markerfacecolor="none",
        markeredgecolor=colour,
        markeredgewidth=1.2,
        clip_on=False,
        zorder=4,
    )


def _legend(figure: Figure, ax: Axes, columns: int, interval: str, *, printed: bool) -> None:
    """Add a legend with the curves and the meaning of bands or bars."""
    handles, labels = ax.get_legend_handles_labels()
    if printed:
        handles.append(
            Line2D(
                [],
                [],
                color=MUTED,
                marker="o",
                markerfacecolor="none",
                markersize=8,
                linestyle="none",
            )
        )
        labels.append(f"hollow: {THE_PAPER}")
    if interval == BAND:
        handles.append(Patch(facecolor=MUTED, alpha=0.3, linewidth=0))
    else:
        handles.append(Line2D([], [], color=MUTED, linewidth=1.2))
    legend_below(figure, handles, [*labels, interval], min(len(handles), columns))


def legend_below(
    figure: Plain,
    handles: Sequence[Any],
    labels: Sequence[str],
    columns: int,
    **style: Any,  # noqa: ANN401 - of matplotlib
) -> None:
    """Add a legend below the panels of a figure."""
    place = {"loc": "outside lower center", "ncols": columns, "frameon": False, "fontsize": 8}
    figure.legend(handles, labels, **{**place, **style})


@dataclass(frozen=True)
class Chart:
    """Panel with lines over a number on the x axis."""

    title: str
    x: Sequence[float]
    lines: Sequence[Points]
    levels: Mapping[float, str] = field(default_factory=dict)
    """Texts of horizontal lines, by value."""
    reference: Points | None = None
    """Grey line with which the others are compared."""


def over_number(
    charts: Sequence[Chart],
    x_label: str,
    y_label: str | Sequence[str],
    *,
    floor: float | None = None,
    columns: int = 2,
) -> Figure:
    """Figure of estimates over a number, in panels with the same axes and the same lines.

    With `floor` the y axis is logarithmic and begins there; smaller values are drawn at `floor`. If `y_label`
    has one label per column, only panels of the same column share the scale of y. If values can be negative,
    a line marks zero.
    """
    labels_of_y = [y_label] if isinstance(y_label, str) else y_label
    figure = _over_number(charts, x_label, labels_of_y, floor, columns)
    figure.narrow = lambda: _one_below_the_other(charts, x_label, labels_of_y, floor)
    return figure


def _one_below_the_other(
    charts: Sequence[Chart], x_label: str, labels_of_y: Sequence[str], floor: float | None
) -> Figure:
    """Figure of `over_number` with one panel per row; panels with the same y label share its scale."""
    count = len(labels_of_y)
    order = [chart for first in range(count) for chart in charts[first::count]]
    labels = [label for first, label in enumerate(labels_of_y) for _ in charts[first::count]]
    figure = _over_number(order, x_label, labels if count > 1 else labels_of_y, floor, None)
    for label in labels_of_y if count > 1 else ():
        alike = [ax for ax, own in zip(figure.axes, labels, strict=True) if own == label]
        low, high = zip(*(ax.get_ylim() for ax in alike), strict=True)
        for ax in alike:
            ax.set_ylim(min(low), max(high))
    return figure


def _over_number(
    charts: Sequence[Chart],
    x_label: str,
    labels_of_y: Sequence[str],
    floor: float | None,
    beside: int | None,
) -> Figure:
    """Figure with `beside` columns that fills a page; with `None`, one column of half a page's width."""
    columns = beside or 1
    rows = -(-len(charts) // columns)
    several: Share = "col" if columns > 1 else "none"
    share = "all" if len(labels_of_y) == 1 else several
    with mpl.rc_context(STYLE):
        size = (WIDE if beside else NARROW, 0.7 + 2.9 * rows)
        figure = Figure(figsize=size, layout="constrained")
        grid = figure.subplots(rows, columns, sharex=True, sharey=share, squeeze=False)
        axes = grid.ravel()
        for ax in axes[len(charts) :]:
            ax.set_visible(False)
        for place, (ax, chart) in enumerate(zip(axes, charts, strict=False)):
            _numbers(ax, chart, floor)
            _title(ax, chart.title)
            which = place % columns if columns > 1 else min(place, len(labels_of_y) - 1)
            if which < len(labels_of_y):
                ax.set_ylabel(labels_of_y[which])
            if place + columns >= len(charts):
                ax.set_xlabel(x_label)
                ax.tick_params(labelbottom=True)
        if floor is None:
            for ax, chart in zip(axes[: len(labels_of_y)], charts, strict=False):
                if all(line.possible[0] >= 0 for line in chart.lines):
                    ax.set_ylim(bottom=0)
                else:
                    ax.axhline(0, color=MUTED, linewidth=0.8)
        else:
            axes[0].set_yscale("log")
            axes[0].set_ylim(bottom=floor)
            axes[0].yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        printed = any(line.printed for chart in charts for line in chart.lines)
        _legend(figure, axes[0], 7 if beside else 3, BAND, printed=printed)
        return figure


def _numbers(ax: Axes, chart: Chart, floor: float | None) -> None:
    for level, words in chart.levels.items():
        ax.axhline(level, **_DASHED)
        _write(ax, words, "right", level, (-2, 2), ha="right")
    if chart.reference:
        mean = chart.reference.estimates[0]
        shown = mean if floor is None else np.maximum(mean, floor)
        label = chart.reference.label
        ax.plot(chart.x, shown, color=MUTED, linewidth=1.3, linestyle=(0, (1, 1.5)), label=label)
    for i, (line, colour) in enumerate(coloured(chart.lines)):
        mean = line.estimates[0]
        low, high = line.interval
        known = [chart.x[place] for place in line.printed], list(line.printed.values())
        _hollow(ax, *known, colour, i)
        if floor is not None:
            mean, low, high = (np.maximum(values, floor) for values in (mean, low, high))
        ax.fill_between(chart.x, low, high, color=colour, alpha=0.18, linewidth=0)
        ax.plot(
            chart.x,
            mean,
            color=colour,
            marker=_MARKERS[i],
            markersize=4,
            linewidth=1.3,
            label=line.label,
            clip_on=False,
        )


def by_name(panels: Sequence[Category], *, stacked: bool = False) -> Figure:
    """Figure of estimates in rows with long names; panels are side by side, or in one column if `stacked`."""
    rows = len(panels[0].names)
    beside, below = (1, len(panels)) if stacked else (len(panels), 1)
    with mpl.rc_context({**STYLE, "axes.grid.axis": "x"}):
        width = NARROW if stacked else max(WIDE, 2.0 + 2.4 * beside)
        # The dots of a row are below each other in a narrow figure, and in a wide one of many groups.
        groups = len(panels[0].groups)
        row = max(0.26, 0.1 + 0.13 * groups) if stacked else max(0.26, 0.1 * (groups - 1))
        figure = Figure(figsize=(width, 0.4 + (0.8 + row * rows) * below), layout="constrained")
        axes = figure.subplots(below, beside, sharey=True, squeeze=False).ravel()
        for ax, panel in zip(axes, panels, strict=True):
            _rows_of(ax, panel)
        axes[0].set_yticks(range(rows), [name.replace("\n", " ") for name in panels[0].names])
        axes[0].set_ylim(rows - 0.5, -0.5)
        printed = any(group.printed for panel in panels for group in panel.groups)
        _legend(figure, axes[0], 2 if stacked else 6, BARS, printed=printed)
    if not stacked:
        figure.narrow = lambda: by_name(panels, stacked=True)
    return figure


def _rows_of(ax: Axes, panel: Category) -> None:
    for level, words in panel.levels.items():
        ax.axvline(level, **_DASHED)
        _write(ax, words, "top", level, (2, 3))
    _dots(ax, panel, min(0.22, 0.9 / len(panel.groups)), upright=False)
    if all(group.possible[0] >= 0 for group in panel.groups):
        ax.set_xlim(left=0)
    _title(ax, panel.title, pad=14 if panel.levels else 6)
    ax.set_xlabel(panel.x_label)


def over_time(
    panels: Sequence[Panel],
    *,
    stacked: bool = False,
    top: float | None = None,
    wide: bool = False,
) -> Figure:
    """Figure of curves over time in panels with the same axes; two panels of a wide figure are side by side.

    By default, lines show the means, bands their 95 % intervals, and thin lines the first replication. If
    `stacked`, areas show the means on top of each other, so that the upper edge is their sum.
    """
    columns = len(panels) if wide and len(panels) == PAIR else 1
    rows = len(panels) // columns
    with mpl.rc_context(STYLE):
        size = (WIDE if wide else NARROW, 0.6 + (3.0 if columns > 1 else 2.6) * rows)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for place, (ax, panel) in enumerate(zip(axes, panels, strict=True)):
            _stack(ax, panel) if stacked else _lines(ax, panel)
            _title(ax, panel.title)
            if place % columns == 0:
                ax.set_ylabel(panel.y_label)
            if place >= len(panels) - columns:
                ax.set_xlabel("Time [s]")
        last = panels[-1].times_s
        step = last[1] - last[0]
        axes[-1].set_xlim(0, float(last[-1] + step / 2))
        axes[-1].set_ylim(0, top)
        for ax, panel in zip(axes, panels, strict=True):
            _mark(ax, panel.marks)
            _level(ax, panel.levels)
            _label_curves(ax, panel, stacked=stacked)
        if not stacked:
            _legend_of_lines(figure, panels[0].levels.values(), columns=5 if wide else 2)
    if wide:
        figure.narrow = lambda: over_time(panels, stacked=stacked, top=top)
    return figure


def _legend_of_lines(figure: Figure, levels: Iterable[str], columns: int) -> None:
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=MUTED, linewidth=1.6),
        Line2D([], [], color=MUTED, linewidth=0.5),
        Patch(facecolor=MUTED, alpha=0.3, linewidth=0),
    ]
    names = ["mean of the replications", "one replication", BAND, *levels]
    handles += [Line2D([], [], color=INK, linewidth=1, linestyle=d) for d in _DASHES]
    legend_below(figure, handles[: len(names)], names, columns)


def _level(ax: Axes, levels: Iterable[float]) -> None:
    for level, dashes in zip(levels, _DASHES, strict=False):
        ax.axhline(level, color=INK, linewidth=1, linestyle=dashes)


def band(samples: Floats) -> tuple[Floats, Floats]:
    """Ends of the 95 % interval of the mean in each step, for a quantity that cannot be negative.

    `samples` has the axes (replication, step). With one replication both ends are the mean.
    """
    mean = samples.mean(axis=0)
    width = np.array([half_width(step) or 0.0 for step in samples.T])
    return np.maximum(mean - width, 0), mean + width


def coloured(series: Sequence[Series]) -> list[tuple[Series, str]]:
    """Pairs of a series and its colour; raises `ValueError` if there are more series than colours."""
    if len(series) > len(PALETTE):
        raise ValueError(f"{len(series)} series in a figure; allowed {len(PALETTE)} at most")
    return list(zip(series, PALETTE, strict=False))


def _lines(ax: Axes, panel: Panel) -> None:
    for curve, colour in coloured(panel.curves):
        low, high = band(curve.samples)
        ax.fill_between(
            panel.times_s,
            low,
            high,
            color=colour,
            alpha=0.2 if len(panel.curves) <= PAIR else 0.12,
            linewidth=0,
        )
        ax.plot(panel.times_s, curve.samples[0], color=colour, linewidth=0.5, alpha=0.6)
        ax.plot(panel.times_s, curve.samples.mean(axis=0), color=colour, linewidth=1.6)


def _stack(ax: Axes, panel: Panel) -> None:
    means = [curve.samples.mean(axis=0) for curve in panel.curves]
    colours = [colour for _, colour in coloured(panel.curves)]
    ax.stackplot(panel.times_s, means, colors=colours, alpha=0.75, linewidth=0)
    ax.plot(panel.times_s, np.sum(means, axis=0), color=INK, linewidth=1.2)


def _mark(ax: Axes, marks: Sequence[Mark]) -> None:
    for mark in marks:
        ax.axvline(mark.time_s, **_DASHED)
        _write(ax, mark.text, "top", mark.time_s, (3, -2), va="top")


def _label_curves(ax: Axes, panel: Panel, *, stacked: bool) -> None:
    """Write the labels of the curves at their right ends, without overlaps."""
    tail = max(1, len(panel.times_s) // 10)
    ends = np.array([curve.samples[:, -tail:].mean() for curve in panel.curves])
    if stacked:
        ends = np.cumsum(ends) - ends / 2
    gap = 0.075 * (ax.get_ylim()[1] - ax.get_ylim()[0]) * (2.0 / 2.6)
    for (curve, colour), y in zip(coloured(panel.curves), spread(ends, gap), strict=True):
        _write(
            ax, curve.label, "right", y, (4, 0), va="center", color=colour, annotation_clip=False
        )


def spread(positions: Floats, gap: float) -> Floats:
    """Positions in the same order, moved as little as possible so that they are at least `gap` apart."""
    order = np.argsort(positions, kind="stable")
    # Positions that are too close form a block around their mean; blocks that are too close merge.
    blocks: list[list[float]] = []
    for position in positions[order]:
        blocks.append([float(position), 1])
        while len(blocks) > 1 and _overlap(blocks[-2], blocks[-1], gap):
            mean, count = blocks.pop()
            before, so_far = blocks[-1]
            total = so_far + count
            blocks[-1] = [(before * so_far + mean * count) / total, total]
    placed = [
        mean + (i - (count - 1) / 2) * gap for mean, count in blocks for i in range(int(count))
    ]
    result = np.empty_like(positions)
    result[order] = placed
    return result


def _overlap(lower: list[float], upper: list[float], gap: float) -> bool:
    return upper[0] - lower[0] < gap * (lower[1] + upper[1]) / 2


def lay_out(figure: Plain) -> None:
    """Run the layout engine of a figure and remove it, so that `savefig` does not run it each time."""
    engine = figure.get_layout_engine()
    if engine is None:
        return
    with mpl.rc_context(STYLE):
        # In SVG, widths of letters do not depend on the resolution, so the layout suits every format.
        FigureCanvasSVG(figure)
        engine.execute(figure)
        figure.set_layout_engine(None)


_FILES: Mapping[str, tuple[type[FigureCanvasBase], dict[str, str | None]]] = {
    "svg": (FigureCanvasSVG, {"Date": None, "Creator": PROGRAM}),
    "pdf": (FigureCanvasPdf, {"CreationDate": None, "Creator": PROGRAM}),
    "png": (FigureCanvasAgg, {"Software": PROGRAM}),
}
"""Canvas and metadata of each kind of file, without a date, so that the same data give the same octets."""


def encoded(figure: Plain, kind: str, *, dpi: int = 180, style: Mapping[Any, Any] = STYLE) -> bytes:
    """File of a figure: "svg", "pdf" or "png", whose pictures have `dpi` dots per inch."""
    out = io.BytesIO()
    canvas, about = _FILES[kind]
    lay_out(figure)
    with mpl.rc_context(dict(style)):
        canvas(figure)
        figure.savefig(out, format=kind, dpi=dpi, metadata=about)
    return out.getvalue()


def svg(figure: Plain) -> str:
    """SVG document of a figure."""
    return encoded(figure, "svg").decode()


def narrow_svg(figure: Plain) -> str:
    """SVG document of a figure for a narrow screen; empty if the figure itself is narrow."""
    draw = getattr(figure, "narrow", None)
    return "" if draw is None else svg(draw())


def png(figure: Plain) -> bytes:
    """PNG file of a figure."""
    return encoded(figure, "png")

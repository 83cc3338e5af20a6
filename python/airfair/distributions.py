"""Drawing of distributions: cumulative shares, boxes and histograms, each into axes of a figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter
from numpy.typing import NDArray

from .palette import INK

Floats = NDArray[np.float64]

BINS_PER_OCTAVE = 8
"""Number of bins of a histogram between a value and its double."""
_MOST_DOTS = 60
"""Largest number of values of a box that are also drawn one by one."""
_DECADES = 3
"""Span of a logarithmic axis [powers of ten] from which only powers of ten have labels."""


def cumulative(
    axes: Axes, values: Floats, ends: tuple[float, float], *, colour: str, label: str
) -> None:
    """Draw the share of the values that are at most x [%], as steps between both `ends` of the x axis.

    Values that are missing (NaN) count, so that the curve ends below 100 % if there are some.
    """
    known = np.sort(values[np.isfinite(values)])
    shares = 100 * np.arange(len(known) + 1) / max(len(values), 1)
    axes.plot(
        np.concatenate([[ends[0]], known, [ends[1]]]),
        np.concatenate([shares, shares[-1:]]),
        drawstyle="steps-post",
        color=colour,
        linewidth=1.4,
        label=label or "_",
    )


def ends(samples: Sequence[Floats]) -> tuple[float, float]:
    """Ends of an axis with room for all values of the samples."""
    every = np.concatenate([values[np.isfinite(values)] for values in samples])
    low, high = float(every.min()), float(every.max())
    room = 0.04 * (high - low) or 0.04 * abs(high) or 1.0
    return low - room, high + room


def boxes(  # noqa: PLR0913 - the parts of a row of boxes
    axes: Axes,
    at: Sequence[float],
    samples: Sequence[Floats],
    *,
    width: float,
    colour: str,
    label: str,
) -> None:
    """Draw a box for each sample: its quartiles and median, whiskers, and its values as dots.

    Whiskers reach the last values within 1.5 interquartile ranges of the box. With more values than
    there is room for, only those beyond the whiskers are dots. Missing values (NaN) are left out.
    """
    known = [values[np.isfinite(values)] for values in samples]
    few = max(map(len, known), default=0) <= _MOST_DOTS
    line: dict[str, Any] = {"color": colour, "linewidth": 1.2}
    dot: dict[str, Any] = {"marker": "o", "markersize": 3, "markeredgecolor": "none"}
    dot["markerfacecolor"] = colour
    drawn = axes.boxplot(
        known,
        positions=list(at),
        widths=width,
        patch_artist=True,
        manage_ticks=False,
        showfliers=not few,
        flierprops=dot | {"alpha": 0.5},
        medianprops={"color": INK, "linewidth": 1.6},
        whiskerprops=line,
        capprops=line,
    )
    for box in drawn["boxes"]:
        box.set(facecolor=(*_rgb(colour), 0.2), edgecolor=colour, linewidth=1.2)
    # Without a label the legend has no entry.
    drawn["boxes"][0].set_label(label or "_")
    for place, values in zip(at, known, strict=True) if few else ():
        spread = np.linspace(-0.3, 0.3, len(values)) if len(values) > 1 else np.zeros(len(values))
        axes.plot(place + width * spread, values, linestyle="none", alpha=0.6, **dot)


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def bins(values: Floats) -> Floats:
    """Edges of bins of equal ratio that contain all `values`, which are positive."""
    first, last = (np.log2(end) * BINS_PER_OCTAVE for end in (values.min(), values.max()))
    return np.asarray(2 ** (np.arange(np.floor(first), np.floor(last) + 2) / BINS_PER_OCTAVE))


def histogram(axes: Axes, edges: Floats, shares: Floats, *, colour: str, label: str) -> None:
    """Draw the share of the values in each bin [%] over a logarithmic x axis."""
    axes.stairs(shares, edges, fill=True, color=colour, alpha=0.15)
    axes.stairs(shares, edges, color=colour, linewidth=1.4, label=label)
    axes.set_xlim(edges[0], edges[-1])
    logarithmic(axes, edges[-1] / edges[0])


def logarithmic(axes: Axes, ratio: float) -> None:
    """Make the x axis logarithmic, with plain numbers; `ratio` is that of its ends."""
    axes.set_xscale("log")
    if np.log10(ratio) < _DECADES:
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())

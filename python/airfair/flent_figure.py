"""Figure of recordings of flent: downloads, uploads and pings over time, one above the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

from .figures import Figure
from .names import drawable
from .palette import PALETTE
from .run_distributions import RUN_STYLE

if TYPE_CHECKING:
    from .flent import Recording

_PANELS = (
    ("download", "TCP download sum", "Mb/s"),
    ("upload", "TCP upload sum", "Mb/s"),
    ("ping", "Ping (ms) avg", "ms"),
)
"""Panels of the figure: what they show, the series of flent, and its unit."""
_SMOOTH = 10
"""Values over which curves are smoothed, as in flent's own figures."""


def draw(recordings: Mapping[str, Recording]) -> Figure:
    """Draw the sums of downloads and uploads, and the means of pings, with a curve for each recording."""
    with mpl.rc_context(RUN_STYLE):
        figure = Figure(figsize=(7, 7), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(len(_PANELS), sharex=True)
        for axes, (word, series, unit) in zip(panels, _PANELS, strict=True):
            for place, (name, recording) in enumerate(recordings.items()):
                _curve(axes, recording, series, (name, PALETTE[place % len(PALETTE)]))
            axes.set(ylabel=f"{word} [{unit}]")
            axes.set_ylim(bottom=0)
        panels[-1].set(xlabel="time [s]")
        panels[0].legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, fontsize=9)
        return figure


def _curve(axes: Axes, recording: Recording, series: str, shown: tuple[str, str]) -> None:
    name, colour = shown
    given = recording.series.get(series, [None] * len(recording.times))
    values = np.array([np.nan if value is None else value for value in given], dtype=np.float64)
    axes.plot(recording.times, _smoothed(values), color=colour, linewidth=1.4, label=drawable(name))


def _smoothed(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[float]:
    """Mean of the values around each one, as flent smooths its curves; NaN where there is none."""
    means = []
    for place, value in enumerate(values):
        near = values[max(0, place - _SMOOTH // 2) : place + _SMOOTH // 2]
        means.append(float(np.nanmean(near)) if np.isfinite(value) else np.nan)
    return means

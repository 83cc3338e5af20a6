"""Figures of one result: throughput over time, and who held the air."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from . import statistics
from .figures import GRID, INK, MUTED, PALETTE, STYLE
from .names import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from .result import Result

# The fixed palette: a page replaces its colours by its own.
_COLOURS = PALETTE
_DASHES = ("-", (0, (4, 1.5)))
_KINDS = {"data_up": PALETTE[1], "data_down": PALETTE[2], "control": PALETTE[0]}
_LABELS = {"data_up": "data, sent by it", "data_down": "data, sent to it", "control": "control"}

_MOST_LINES = len(_COLOURS) * len(_DASHES)
_MOST_BARS = 40

_STYLE: dict[Any, Any] = {**STYLE, "axes.grid.axis": "both"}


def figures(result: Result) -> dict[str, bytes]:
    """Each figure as PNG and SVG, by file name."""
    files: dict[str, bytes] = {}
    with mpl.rc_context(_STYLE):
        if result.scenario.series_step_ns is not None and result.scenario.flows:
            files |= _render("throughput", _throughput(result))
        if result.scenario.cells:
            files |= _render("airtime", _airtime(result.to_json()))
    return files


def _throughput(result: Result) -> Figure:
    figure, axes = _figure(4.2)
    table = result.series("throughput")
    names = [flow["name"] for flow in result.scenario.flows]
    end = result.scenario.duration_s
    for place, name in enumerate(names[:_MOST_LINES]):
        colour = _COLOURS[place % len(_COLOURS)]
        dash = _DASHES[place // len(_COLOURS)]
        ours = table.filter(flow=name)
        samples = ours["throughput_bps"].to_numpy().reshape(result.replications, -1) / 1e6
        # The last step ends where the run does.
        samples = np.column_stack([samples, samples[:, -1]])
        times = np.append(ours["time_s"].unique(maintain_order=True).to_numpy(), end)
        middle = samples.mean(axis=0)
        steps: dict[str, Any] = {"drawstyle": "steps-post", "color": colour}
        axes.plot(times, middle, linewidth=1.4, linestyle=dash, label=_label(name), **steps)
        widths = np.array([statistics.half_width(step) or 0.0 for step in samples.T])
        # Bands of many flows would hide the lines.
        if result.replications > 1 and len(names) <= len(_COLOURS):
            axes.fill_between(
                times,
                np.maximum(middle - widths, 0),
                middle + widths,
                step="post",
                color=colour,
                alpha=0.2,
                linewidth=0,
            )
    if result.scenario.warmup_s > 0:
        axes.axvspan(0, result.scenario.warmup_s, color=GRID, zorder=0, label="warm-up")
    axes.set(xlabel="time [s]", ylabel="throughput [Mb/s]", xlim=(0, end))
    axes.set_ylim(bottom=0)
    more = len(names) - _MOST_LINES
    note = f" (first {_MOST_LINES} of {len(names)} flows)" if more > 0 else ""
    caption = _caption(
        result.scenario.title + note, result.replications, bands=len(names) <= len(_COLOURS)
    )
    axes.set_title(caption, fontsize=10)
    _legend(axes)
    return figure


def _airtime(document: dict[str, Any]) -> Figure:
    stations = document["stations"][:_MOST_BARS]
    channels = document["channels"]
    colours = {"collisions": PALETTE[3], "contention": MUTED, "idle": GRID}
    lost = {
        f"{kind} in {_label(channel['name'])}" if len(channels) > 1 else kind: (
            colour,
            channel["airtime"][kind],
        )
        for channel in channels
        for kind, colour in colours.items()
    }
    rows = [_label(station["name"]) for station in stations] + list(lost)
    figure, axes = _figure(1.4 + 0.32 * len(rows))
    left = np.zeros(len(stations))
    for kind, colour in _KINDS.items():
        shares = np.array([100 * station["airtime"][kind] for station in stations])
        axes.barh(range(len(stations)), shares, left=left, color=colour, label=_LABELS[kind])
        left += shares
    intervals = [100 * (station["airtime_share_ci95"] or 0.0) for station in stations]
    if any(intervals):
        axes.errorbar(left, range(len(stations)), xerr=intervals, fmt="none", ecolor=INK, capsize=3)
    for row, (colour, share) in enumerate(lost.values(), start=len(stations)):
        axes.barh(row, 100 * share, color=colour)
    axes.set_yticks(range(len(rows)), rows)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set(xlabel="share of the air [%]", xlim=(0, None))
    title = document["scenario"]["title"]
    axes.set_title(_caption(title, document["replications"]), fontsize=10)
    _legend(axes)
    return figure


def _figure(height_inches: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(7, height_inches), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def _legend(axes: Axes) -> None:
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, fontsize=9)


def _label(name: str) -> str:
    """A name for matplotlib: a dollar sign is no mathematics, and what begins with _ is in the legend."""
    text = printable(name).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def _caption(title: str, replications: int, *, bands: bool = True) -> str:
    title = _label(title)
    sure = ", 95 % interval" if bands else ""
    return title if replications == 1 else f"{title}\nmean of {replications} runs{sure}"


def _render(name: str, figure: Figure) -> Mapping[str, bytes]:
    files = {}
    metadata: Mapping[str, dict[str, Any]] = {"png": {"Software": None}, "svg": {"Date": None}}
    for kind, about in metadata.items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, dpi=144, metadata=about)
        files[f"{name}.{kind}"] = buffer.getvalue()
    return files

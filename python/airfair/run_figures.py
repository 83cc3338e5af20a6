"""Figures of one result: throughput over time, and who held the air."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from . import statistics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from .result import Result

# Okabe and Ito: distinct for every kind of colour vision.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#000000", "#999999")
_KINDS = {"data_up": "#0072b2", "data_down": "#56b4e9", "control": "#e69f00"}
_LABELS = {"data_up": "data, sent by it", "data_down": "data, sent to it", "control": "control"}

_MOST_LINES = len(_COLOURS)
_MOST_BARS = 40

# The same result gives the same file: no date, and identifiers that do not depend on the process.
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "airfair",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.3,
}


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
    drawn: dict[str, Artist] = {}
    for name, colour in zip(names[:_MOST_LINES], _COLOURS, strict=False):
        ours = table.filter(flow=name)
        samples = ours["throughput_bps"].to_numpy().reshape(result.replications, -1) / 1e6
        # The last step ends where the run does.
        samples = np.column_stack([samples, samples[:, -1]])
        times = np.append(ours["time_s"].unique(maintain_order=True).to_numpy(), end)
        middle = samples.mean(axis=0)
        steps: dict[str, Any] = {"drawstyle": "steps-post", "color": colour}
        (drawn[name],) = axes.plot(times, middle, linewidth=1.4, **steps)
        widths = np.array([statistics.half_width(step) or 0.0 for step in samples.T])
        if result.replications > 1:
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
        axes.axvspan(0, result.scenario.warmup_s, color="0.9", zorder=0, label="warm-up")
    axes.set(xlabel="time [s]", ylabel="throughput [Mb/s]", xlim=(0, end))
    axes.set_ylim(bottom=0)
    more = len(names) - _MOST_LINES
    note = f" (first {_MOST_LINES} of {len(names)} flows)" if more > 0 else ""
    axes.set_title(_caption(result.scenario.title + note, result.replications), fontsize=10)
    _legend(axes, drawn)
    return figure


def _airtime(document: dict[str, Any]) -> Figure:
    stations = document["stations"][:_MOST_BARS]
    channels = document["channels"]
    colours = {"collisions": "#d55e00", "contention": "#999999", "idle": "#dddddd"}
    lost = {
        f"{kind} in {channel['name']}" if len(channels) > 1 else kind: (
            colour,
            channel["airtime"][kind],
        )
        for channel in channels
        for kind, colour in colours.items()
    }
    rows = [station["name"] for station in stations] + list(lost)
    figure, axes = _figure(1.4 + 0.32 * len(rows))
    left = np.zeros(len(stations))
    for kind, colour in _KINDS.items():
        shares = np.array([100 * station["airtime"][kind] for station in stations])
        axes.barh(range(len(stations)), shares, left=left, color=colour, label=_LABELS[kind])
        left += shares
    intervals = [100 * (station["airtime_share_ci95"] or 0.0) for station in stations]
    if any(intervals):
        axes.errorbar(
            left, range(len(stations)), xerr=intervals, fmt="none", ecolor="black", capsize=3
        )
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


def _legend(axes: Axes, named: Mapping[str, Artist] | None = None) -> None:
    """Legend of what has a label, and first of what bears a user's name, which may begin with `_`."""
    named = named or {}
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(
        [*named.values(), *handles],
        [*named, *labels],
        loc="upper left",
        bbox_to_anchor=(1, 1),
        frameon=False,
        fontsize=9,
    )


def _caption(title: str, replications: int) -> str:
    # Mathematics is not meant by a dollar sign in a scenario's title.
    title = title.replace("$", r"\$")
    return title if replications == 1 else f"{title}\nmean of {replications} runs, 95 % interval"


def _render(name: str, figure: Figure) -> Mapping[str, bytes]:
    files = {}
    metadata: Mapping[str, dict[str, Any]] = {"png": {"Software": None}, "svg": {"Date": None}}
    for kind, about in metadata.items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, dpi=144, metadata=about)
        files[f"{name}.{kind}"] = buffer.getvalue()
    return files

"""Figures of one result: throughput and the other series over time, and each station's airtime."""

from __future__ import annotations

import io
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import polars as pl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from numpy.typing import NDArray

from . import statistics
from .figures import GRID, INK, MUTED, PALETTE, STYLE, Figure, lay_out
from .names import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from .result import Result

# The fixed palette: a page replaces its colours by its own.
_COLOURS = PALETTE
_KINDS = {"data_up": PALETTE[1], "data_down": PALETTE[2], "control": PALETTE[0]}
_LABELS = {"data_up": "data, sent by it", "data_down": "data, sent to it", "control": "control"}

_MOST_LINES = len(_COLOURS)
_MOST_BARS = 40

_STYLE: dict[Any, Any] = {**STYLE, "axes.grid.axis": "both"}


def figures(result: Result) -> dict[str, bytes]:
    """Each figure as PNG and SVG, by file name."""
    files: dict[str, bytes] = {}
    plot = Plot(result)
    if plot.has_series:
        files |= _render("throughput", plot.throughput())
        files |= _render("timeline", plot.timeline())
    if result.scenario.cells:
        files |= _render("airtime", plot.airtime())
    return files


class Plot:
    """Figures of a result, as matplotlib has them: means of the replications with their 95 % intervals.

    `result.plot()` is everything over time or, of a result without a series, the airtime.
    """

    def __init__(self, result: Result) -> None:
        self._result = result

    def __call__(self) -> Figure:
        """Everything over time, one below the other; without a series, the airtime."""
        return self.timeline() if self.has_series else self.airtime()

    @property
    def has_series(self) -> bool:
        """True if there is something over time."""
        scenario = self._result.scenario
        return scenario.series_step_ns is not None and bool(scenario.flows)

    def timeline(self) -> Figure:
        """Throughput, delay, congestion windows, queues and airtime over time."""
        with mpl.rc_context(_STYLE):
            return _timeline(self._result)

    def throughput(self) -> Figure:
        """Throughput of each flow over time [Mb/s]."""
        return self._one("throughput", "throughput [Mb/s]", 1e-6)

    def delay(self) -> Figure:
        """One-way delay of each flow's packets over time [ms]."""
        return self._one("delay", "one-way delay [ms]")

    def cwnd(self) -> Figure:
        """Congestion window of each flow of TCP over time [segments]."""
        return self._one("cwnd", "congestion window [segments]")

    def queue(self) -> Figure:
        """The fullest queues over time [packets]."""
        with mpl.rc_context(_STYLE):
            return _over_time(self._result, _queues(self._result), "queue [packets]")

    def airtime(self) -> Figure:
        """Airtime of each station's exchanges, and of what nobody used [%]."""
        if not self._result.scenario.cells:
            raise ValueError("a scenario without a cell has no airtime")
        with mpl.rc_context(_STYLE):
            return _airtime(self._result.to_json())

    def _one(self, what: str, label: str, scale: float = 1.0) -> Figure:
        with mpl.rc_context(_STYLE):
            return _over_time(self._result, _panel(self._result, what, label, scale=scale), label)


@dataclass(frozen=True)
class _Panel:
    """Curves in the same axes, each (replication, step); NaN where there is no value."""

    label: str
    curves: Mapping[str, NDArray[np.float64]]
    more: int = 0
    """Curves that there is no room for."""
    of: str = "flows"


def _has_bands(panel: _Panel) -> bool:
    """True if there are intervals: where there are many flows, those shown would hide each other."""
    others = 0 if panel.of == "queues" else panel.more
    return len(panel.curves) + others <= len(_COLOURS)


def _over_time(result: Result, panel: _Panel, label: str) -> Figure:
    """One series, large."""
    if not panel.curves:
        raise ValueError(f"nothing in this result has a {label.partition(' [')[0]}")
    figure, axes = _figure(4.2)
    _draw(axes, panel, result, dict(zip(panel.curves, _COLOURS, strict=False)))
    axes.set(xlabel="time [s]", ylabel=label)
    shown = len(panel.curves)
    note = f" ({shown} of {shown + panel.more} {panel.of})" if panel.more else ""
    title = result.scenario.title + note
    caption = _caption(title, result.replications, bands=_has_bands(panel))
    axes.set_title(caption, fontsize=10)
    return figure


def _timeline(result: Result) -> Figure:
    """Each series that has something to show, one below the other over the same time."""
    panels = [panel for panel in _panels(result) if panel.curves]
    figure = Figure(figsize=(8, 0.9 + 1.9 * len(panels)), layout="constrained")
    FigureCanvasAgg(figure)
    column = figure.subplots(len(panels), sharex=True, squeeze=False)[:, 0]
    known: dict[str, str] = {}
    for axes, panel in zip(column, panels, strict=True):
        colours = _colours(panel, known)
        known |= colours
        _draw(axes, panel, result, colours)
        if panel.more:
            less = " emptier" if panel.of == "queues" else " more"
            are = "is" if panel.more == 1 else "are"
            axes.set_title(f"{panel.more}{less} {are} not shown", loc="right", fontsize=8)
    column[-1].set(xlabel="time [s]")
    bands = any(map(_has_bands, panels))
    caption = _caption(result.scenario.title, result.replications, bands=bands)
    figure.suptitle(caption, fontsize=10)
    return figure


def _colours(panel: _Panel, known: Mapping[str, str]) -> dict[str, str]:
    """A colour for each curve: that of the same name in another panel, else the one used least so far."""
    colours: dict[str, str] = {}
    for name in sorted(panel.curves, key=lambda name: name not in known):
        left = [colour for colour in _COLOURS if colour not in colours.values()]
        same = known.get(name)
        colours[name] = same if same in left else min(left, key=[*known.values()].count)
    return colours


def _panels(result: Result) -> list[_Panel]:
    panels = [
        _panel(result, "throughput", "throughput\n[Mb/s]", scale=1e-6),
        _panel(result, "delay", "one-way delay\n[ms]"),
        _panel(result, "cwnd", "cwnd\n[segments]"),
        _queues(result),
    ]
    if result.scenario.stations:
        airtime = _panel(result, "airtime", "airtime\n[%]", scale=100)
        rate = _panel(result, "rate", "link rate, up\n[Mb/s]", scale=1e-6)
        # A rate that never changes is in the scenario.
        moves = any(np.ptp(samples) > 0 for samples in rate.curves.values())
        panels += [airtime, *[rate] * moves]
    return panels


def _panel(result: Result, what: str, label: str, *, scale: float = 1.0) -> _Panel:
    """A series of flows or stations, those first that the scenario has first."""
    table = result.series(what)
    name, value = table.columns[1], table.columns[3]
    curves = {}
    for key, rows in table.partition_by(name, maintain_order=True, as_dict=True).items():
        samples = rows[value].cast(pl.Float64).to_numpy().reshape(result.replications, -1)
        if not np.isnan(samples).all():
            curves[str(key[0])] = scale * samples
    shown = dict(itertools.islice(curves.items(), _MOST_LINES))
    return _Panel(label, shown, len(curves) - len(shown))


def _queues(result: Result) -> _Panel:
    """The fullest queues, as far as one can tell them from nothing beside each other."""
    table = result.series("queue")
    keys = ["station", "access_point", "link", "from", "to"]
    curves = {}
    for key, rows in table.partition_by(keys, maintain_order=True, as_dict=True).items():
        station, access_point, _, start, end = key
        name = station or (access_point and f"{access_point} (AP)") or f"{start} to {end}"
        curves[str(name)] = rows["queue_packets"].to_numpy().reshape(result.replications, -1)
    fullest = sorted(curves, key=lambda name: -curves[name].mean())[:_MOST_LINES]
    least = max((curves[name].mean() for name in fullest[:1]), default=0.0) / 100
    shown = {name: curves[name] for name in fullest if curves[name].mean() > least}
    return _Panel("queue\n[packets]", shown, len(curves) - len(shown), "queues")


def _draw(axes: Axes, panel: _Panel, result: Result, colours: Mapping[str, str]) -> None:
    """Means of the replications in steps, each with its interval."""
    end, step = result.scenario.duration_s, result.scenario.series_step_s or 0.0
    bands = result.replications > 1 and _has_bands(panel)
    for name, samples in panel.curves.items():
        colour = colours[name]
        # The last step ends where the run does.
        known = np.column_stack([samples, samples[:, -1]])
        times = np.append(np.arange(samples.shape[1]) * step, end)
        # A replication without a value leaves none for the mean: the others are not those that it is of.
        middle = known.mean(axis=0)
        steps: dict[str, Any] = {"drawstyle": "steps-post", "color": colour}
        axes.plot(times, middle, linewidth=1.4, label=_label(name), **steps)
        if bands:
            widths = np.array([statistics.half_width(step) or 0.0 for step in known.T])
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
    axes.set(ylabel=panel.label, xlim=(0, end))
    axes.set_ylim(bottom=0)
    _legend(axes)


def _airtime(document: dict[str, Any]) -> Figure:
    stations = document["stations"][:_MOST_BARS]
    channels = document["channels"]
    colours = {
        "beacons": PALETTE[4],
        "collisions": PALETTE[3],
        "contention": MUTED,
        "idle": GRID,
    }
    lost = {
        f"{kind} in {_label(channel['name'])}" if len(channels) > 1 else kind: (
            colour,
            channel["airtime"][kind],
        )
        for channel in channels
        for kind, colour in colours.items()
        if kind in channel["airtime"]
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
    axes.set(xlabel="airtime [%]", xlim=(0, None))
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
    lay_out(figure)
    metadata: Mapping[str, dict[str, Any]] = {"png": {"Software": None}, "svg": {"Date": None}}
    for kind, about in metadata.items():
        buffer = io.BytesIO()
        with mpl.rc_context(_STYLE):
            figure.savefig(buffer, format=kind, dpi=144, metadata=about)
        files[f"{name}.{kind}"] = buffer.getvalue()
    return files

"""Figures of one result: throughput and the other series over time, airtime, and distributions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

from . import run_distributions, statistics
from .airtime_bar import Holder, holders
from .figures import Figure, encoded
from .names import drawable
from .palette import GRID, INK, MUTED
from .run_curves import LOST_COLOURS, MOST, Cast, Curve, Panel
from .run_distributions import FEWEST, RUN_STYLE, add_legend, new_figure, say_hidden

if TYPE_CHECKING:
    from .result import Result

_KINDS = {"data, sent by it": 1.0, "data, sent to it": 0.6, "control": 0.3}
"""Parts of a station's airtime, with the opacity of each in the bar."""


def figures(result: Result) -> dict[str, bytes]:
    """All figures as PNG and SVG, by file name."""
    files: dict[str, bytes] = {}
    plot = Plot(result)
    if plot.has_series:
        files |= _render("throughput", plot.throughput())
        files |= _render("timeline", plot.timeline())
    if result.scenario.cells:
        files |= _render("airtime", plot.airtime())
    if plot.has_delays:
        files |= _render("delays", plot.delays())
    if plot.has_goodputs:
        files |= _render("goodput", plot.goodput())
    if plot.has_waits:
        files |= _render("waits", plot.waits())
    if plot.has_completions:
        files |= _render("completion", plot.completion())
    return files


class Plot:
    """Figures of a result (matplotlib): means over the replications with their 95 % confidence intervals.

    `result.plot()` draws all time series or, if the result has none, the airtime. If there are many flows or
    stations, only the largest are drawn, and those with consecutive numbers (f1, f2, …) share a curve: their
    mean, with a band from the lowest to the highest.
    """

    def __init__(self, result: Result) -> None:
        self._result = result

    def __call__(self) -> Figure:
        """Draw all time series, one above the other, or the airtime if there are no series."""
        return self.timeline() if self.has_series else self.airtime()

    @property
    def has_series(self) -> bool:
        """True if the result has time series."""
        scenario = self._result.scenario
        return scenario.series_step_ns is not None and bool(scenario.flows)

    @property
    def has_completions(self) -> bool:
        """True if enough transfers were completed for a distribution of completion times."""
        times = self._result.columns["flows"]["completion_s"]
        return sum(not np.isnan(time) for time in times) >= FEWEST

    @property
    def has_waits(self) -> bool:
        """True if a flow with an application had enough messages for a distribution of waits."""
        return sum(self._result.columns["waits"].get("messages", [])) >= FEWEST

    @property
    def has_goodputs(self) -> bool:
        """True if some flow, or group of flows, has enough goodputs for a distribution."""
        return run_distributions.has_goodputs(self._result, self._cast)

    @property
    def has_delays(self) -> bool:
        """True if the result has a histogram of delays, which archived runs lack."""
        try:
            return bool(self._result.delays.height)
        except ValueError:
            return False

    def timeline(self) -> Figure:
        """Throughput, delay, congestion windows, queues and airtime over time."""
        with mpl.rc_context(RUN_STYLE):
            return _timeline(self._result, self._panels())

    def throughput(self) -> Figure:
        """Throughput of each flow over time [Mb/s]."""
        return self._one("throughput", "throughput [Mb/s]", 1e-6)

    def delay(self) -> Figure:
        """One-way delay of each flow's packets over time [ms]."""
        return self._one("delay", "one-way delay [ms]")

    def cwnd(self) -> Figure:
        """Congestion window of each TCP flow over time [segments]."""
        return self._one("cwnd", "congestion window [segments]")

    def queue(self) -> Figure:
        """Lengths of the fullest queues over time [packets]."""
        with mpl.rc_context(RUN_STYLE):
            return _over_time(self._result, self._cast.panel_of_queues("queue [packets]"))

    def airtime(self) -> Figure:
        """Airtime of each station's exchanges, and the airtime lost or idle [%]."""
        if not self._result.scenario.cells:
            raise ValueError("the scenario has no cell, and so no airtime to draw")
        with mpl.rc_context(RUN_STYLE):
            return _airtime(self._result, self._cast)

    def goodput(self) -> Figure:
        """Cumulative distribution of each flow's goodput over the runs [Mb/s]."""
        if not self.has_goodputs:
            raise ValueError(
                f"{self._result.replications} replications; a distribution of goodputs needs {FEWEST}"
            )
        with mpl.rc_context(RUN_STYLE):
            return run_distributions.goodput(self._result, self._cast)

    def delays(self) -> Figure:
        """Histogram of the one-way delays of each flow's packets [ms], over all runs."""
        if not self._result.delays.height:
            raise ValueError("no packet of this result arrived in the measured time")
        with mpl.rc_context(RUN_STYLE):
            return run_distributions.delays(self._result, self._cast)

    def waits(self) -> Figure:
        """Distribution of waits: share of each application's messages that came within a time [%]."""
        if not self.has_waits:
            raise ValueError(f"fewer than {FEWEST} messages of this result were complete")
        with mpl.rc_context(RUN_STYLE):
            return run_distributions.waits(self._result, self._cast)

    def completion(self) -> Figure:
        """Distribution of completion times: share of the transfers completed within a time [%]."""
        if not self.has_completions:
            raise ValueError(f"fewer than {FEWEST} transfers of this result were completed")
        with mpl.rc_context(RUN_STYLE):
            return run_distributions.completions(self._result, self._cast)

    @cached_property
    def _cast(self) -> Cast:
        return Cast(self._result)

    def _one(self, what: str, label: str, scale: float = 1.0) -> Figure:
        with mpl.rc_context(RUN_STYLE):
            return _over_time(self._result, self._cast.panel_of_flows(what, label, scale))

    def _panels(self) -> list[Panel]:
        cast = self._cast
        panels = [
            cast.panel_of_flows("throughput", "throughput\n[Mb/s]", 1e-6),
            cast.panel_of_flows("delay", "one-way delay\n[ms]"),
            cast.panel_of_flows("cwnd", "cwnd\n[segments]"),
            cast.panel_of_queues("queue\n[packets]"),
        ]
        if self._result.scenario.stations:
            panels.append(cast.panel_of_stations("airtime", "airtime\n[%]", 100, top=100))
            rate = cast.panel_of_stations("rate", "link rate, up\n[Mb/s]", 1e-6)
            # Constant rates are not drawn, because the scenario has them already.
            moves = any(np.ptp(curve.samples) > 0 for curve in rate.curves.values())
            panels += [rate] * moves
        return [panel for panel in panels if panel.curves]


def _over_time(result: Result, panel: Panel) -> Figure:
    """Figure of one series."""
    if not panel.curves:
        raise ValueError(f"this result has no {panel.label.partition(' [')[0]}")
    figure, axes = new_figure(4.2)
    _draw(axes, panel, result)
    axes.set(xlabel="time [s]", ylabel=panel.label)
    axes.set_title(_caption(result, [panel]), fontsize=10)
    say_hidden(axes, panel.hidden, panel.less)
    return figure


def _timeline(result: Result, panels: list[Panel]) -> Figure:
    """Figure with one panel per series, below each other on the same time axis."""
    figure = Figure(figsize=(8, 0.9 + 1.9 * len(panels)), layout="constrained")
    FigureCanvasAgg(figure)
    column = figure.subplots(len(panels), sharex=True, squeeze=False)[:, 0]
    for axes, panel in zip(column, panels, strict=True):
        _draw(axes, panel, result)
        say_hidden(axes, panel.hidden, panel.less)
    column[-1].set(xlabel="time [s]")
    figure.suptitle(_caption(result, panels), fontsize=10)
    return figure


def _draw(axes: Axes, panel: Panel, result: Result) -> None:
    """Draw curves as steps, with the interval of each mean, or the range over the members of a group."""
    end, step = result.scenario.duration_s, result.scenario.series_step_s or 0.0
    intervals = result.replications > 1 and panel.has_intervals
    for name, curve in panel.curves.items():
        middle, colour = curve.mean, panel.colours[name]
        times = np.append(np.arange(len(middle)) * step, end)
        steps: dict[str, Any] = {"drawstyle": "steps-post", "color": colour}
        axes.plot(times, _to_end(middle), linewidth=1.4, label=drawable(curve.label), **steps)
        edges = curve.spread or (_interval(curve) if intervals else None)
        if edges is not None:
            low, high = (np.clip(_to_end(edge), 0, panel.top) for edge in edges)
            axes.fill_between(times, low, high, step="post", color=colour, alpha=0.2, linewidth=0)
    if result.scenario.warmup_s > 0:
        axes.axvspan(0, result.scenario.warmup_s, color=GRID, zorder=0, label="warm-up")
    axes.set(ylabel=panel.label, xlim=(0, end))
    highest = axes.get_ylim()[1]
    axes.set_ylim(0, highest if panel.top is None else min(highest, panel.top))
    add_legend(axes)


def _interval(curve: Curve) -> tuple[Any, Any]:
    """Ends of the 95 % interval of the mean in each step."""
    middle = curve.mean
    widths = np.array([statistics.half_width(step) or 0.0 for step in curve.samples.T])
    return middle - widths, middle + widths


def _to_end(values: Any) -> Any:  # noqa: ANN401 - an array
    """Values with the last one repeated, so that the last step is drawn up to the end of the run."""
    return np.append(values, values[-1])


def _airtime(result: Result, cast: Cast) -> Figure:
    """Figure with a bar for each station or group of stations, and for each kind of lost airtime."""
    rows = [
        (holder, cell if len(result.scenario.cells) > 1 else "")
        for cell in result.scenario.cells
        for holder in holders(result, cell, alone=MOST)
    ]
    # The stations of all cells come before the losses.
    rows.sort(key=lambda row: row[0].is_lost)
    figure, axes = new_figure(1.6 + 0.32 * len(rows))
    for place, (holder, _) in enumerate(rows):
        _bar(axes, place, holder, cast)
    words = [
        drawable(f"{holder.name} in {cell}" if cell and holder.is_lost else holder.name)
        for holder, cell in rows
    ]
    axes.set_yticks(range(len(rows)), words)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    highest = max((100 * (holder.share + (holder.interval or 0)) for holder, _ in rows), default=0)
    axes.set(xlabel="airtime [%]", xlim=(0, min(1.05 * highest, 100) or 1))
    axes.set_title(_title(result), fontsize=10)
    for kind, part in _KINDS.items():
        axes.barh(0, 0, color=MUTED, alpha=part, label=kind)
    add_legend(axes)
    return figure


def _bar(axes: Axes, row: int, holder: Holder, cast: Cast) -> None:
    """Draw the bar of a station, divided by kind of airtime, or of a loss, with its interval."""
    share, left = 100 * holder.share, 0.0
    if holder.is_lost:
        axes.barh(row, share, color=LOST_COLOURS[holder.name])
    else:
        colour = cast.station_colours.get(holder.name, MUTED)
        for part, alpha in zip(holder.kinds, _KINDS.values(), strict=True):
            axes.barh(row, 100 * part, left=left, color=colour, alpha=alpha)
            left += 100 * part
    if holder.interval:
        low = share - max(share - 100 * holder.interval, 0)
        high = min(share + 100 * holder.interval, 100) - share
        axes.errorbar(share, row, xerr=[[low], [high]], fmt="none", ecolor=INK, capsize=3)


def _caption(result: Result, panels: Iterable[Panel]) -> str:
    """Title of the scenario, and the meaning of curves and bands."""
    panels, notes = list(panels), []
    if result.replications > 1:
        sure = ", 95 % interval" if any(panel.has_intervals for panel in panels) else ""
        notes.append(f"mean of {result.replications} runs{sure}")
    if any(curve.spread for panel in panels for curve in panel.curves.values()):
        notes.append("numbered flows and stations: mean, smallest and largest")
    return "\n".join([drawable(result.scenario.title), *(["; ".join(notes)] if notes else [])])


def _title(result: Result) -> str:
    title, replications = drawable(result.scenario.title), result.replications
    return title if replications == 1 else f"{title}\nmean of {replications} runs, 95 % interval"


def _render(name: str, figure: Figure) -> Mapping[str, bytes]:
    return {
        f"{name}.{kind}": encoded(figure, kind, dpi=144, style=RUN_STYLE) for kind in ("png", "svg")
    }

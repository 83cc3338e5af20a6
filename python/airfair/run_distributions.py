"""Distributions of one result: goodputs, delays, completion times, waits; and the axes of all figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

from . import distributions, messages
from .figures import STYLE, Figure
from .names import drawable
from .run_curves import MOST, Cast, Floats, Group
from .summary import runs

if TYPE_CHECKING:
    from .result import Result

RUN_STYLE: dict[Any, Any] = {**STYLE, "axes.grid.axis": "both"}
FEWEST = 4
"""Smallest number of values for which a distribution is drawn."""


def goodputs(result: Result) -> Floats:
    """Goodput of each flow [Mb/s], (replication, flow)."""
    values = np.array(result.columns["flows"]["goodput_bps"], dtype=np.float64)
    return values.reshape(result.replications, -1) / 1e6


def has_goodputs(result: Result, cast: Cast) -> bool:
    """True if some flow, or group of flows, has enough goodputs for a distribution."""
    most = max((len(group.places) for group in cast.flows), default=0)
    return most * result.replications >= FEWEST


def goodput(result: Result, cast: Cast) -> Figure:
    """Figure of the share of runs in which the goodput was at most a value, a curve per group of flows."""
    values = goodputs(result)
    shown = [group for group in cast.flows if group.name in cast.largest_flows]
    samples = [values[:, list(group.places)].ravel() for group in shown]
    grouped = any(len(group.places) > 1 for group in shown)
    figure, axes = new_figure(4.2)
    ends = distributions.ends(samples)
    for group, own in zip(shown, samples, strict=True):
        distributions.cumulative(
            axes,
            own,
            ends,
            colour=cast.flow_colours[group.name],
            label=_flows(group),
        )
    axes.set(xlabel="goodput [Mb/s]", ylabel="flows [%]" if grouped else "runs [%]")
    axes.set(xlim=ends, ylim=(0, 102))
    each = f"one value for each {'flow and run' if grouped else 'run'}, {runs(result)}"
    axes.set_title(f"{drawable(result.scenario.title)}\n{each}", fontsize=10)
    say_hidden(axes, len(cast.flows) - len(shown))
    add_legend(axes)
    return figure


def delays(result: Result, cast: Cast) -> Figure:
    """Figure with a histogram of the one-way delays of packets for each group of flows."""
    table = result.delays
    flow, packets = table["flow"].to_numpy(), table["packets"].to_numpy()
    low, high = (table[name].to_numpy().astype(np.float64) / 1e6 for name in ("from_ns", "to_ns"))
    # The geometric middle of a bucket of the table; its edges differ by less than 2 %.
    middle = np.sqrt(np.maximum(low, 1e-6) * high)
    members = {group: np.isin(flow, _names(result, group)) for group in cast.flows}
    drawn = [group for group in cast.flows if members[group].any()]
    shown = sorted(drawn, key=lambda group: -int(packets[members[group]].sum()))[:MOST]
    colours = cast.colours_of_flows([group.name for group in shown])
    edges = distributions.bins(middle)
    figure, axes = new_figure(4.2)
    for group in (group for group in drawn if group in shown):
        own = members[group]
        counts = np.histogram(middle[own], edges, weights=packets[own])[0]
        distributions.histogram(
            axes,
            edges,
            100 * counts / counts.sum(),
            colour=colours[group.name],
            label=_flows(group),
        )
    axes.set(xlabel="one-way delay [ms]", ylabel="packets of the flow [%]")
    axes.set_ylim(bottom=0)
    wide = round(100 * (2 ** (1 / distributions.BINS_PER_OCTAVE) - 1))
    about = f"all packets of {runs(result)}, in bins {wide} % wide"
    axes.set_title(f"{drawable(result.scenario.title)}\n{about}", fontsize=10)
    say_hidden(axes, len(drawn) - len(shown))
    add_legend(axes)
    return figure


def completions(result: Result, cast: Cast) -> Figure:
    """Figure of the share of transfers that were complete after a time, one curve per group of flows."""
    times = np.array(result.columns["flows"]["completion_s"]).reshape(result.replications, -1)
    lives = np.array(result.columns["flows"]["active_s"]).reshape(times.shape)
    figure, axes = new_figure(4.2)
    groups = [g for g in cast.flows if not np.isnan(times[:, list(g.places)]).all()]
    ranked = sorted(groups, key=lambda g: -np.isfinite(times[:, list(g.places)]).sum())[:MOST]
    colours = cast.colours_of_flows([group.name for group in ranked])
    for group in ranked:
        own = times[:, list(group.places)]
        # Transfers that have begun but are not complete count, so that a curve may end below 100 %.
        begun = own[np.isfinite(own) | (lives[:, list(group.places)] > 0)]
        done = np.isfinite(own).sum()
        distributions.cumulative(
            axes,
            begun,
            (0, np.nanmax(times)),
            colour=colours[group.name],
            label=f"{drawable(group.name)}\n({done} of {len(begun)} done)",
        )
    axes.set(xlabel="completion time [s]", ylabel="transfers done [%]", ylim=(0, 102))
    axes.set_xlim(left=0)
    often = f"\nall transfers of {runs(result)}" if result.replications > 1 else ""
    axes.set_title(drawable(result.scenario.title) + often, fontsize=10)
    say_hidden(axes, len(groups) - len(ranked))
    add_legend(axes)
    return figure


def waits(result: Result, cast: Cast) -> Figure:
    """Figure of the share of messages that users had after a wait, one curve per group of flows."""
    histograms = messages.histograms(result)
    runs_of = range(result.replications)
    found = {
        group: messages.summed(
            histograms.get((name, run), {}) for name in _names(result, group) for run in runs_of
        )
        for group in cast.flows
    }
    drawn = [group for group in cast.flows if found[group]]
    shown = drawn[:MOST]
    colours = cast.colours_of_flows([group.name for group in shown])
    figure, axes = new_figure(4.2)
    for group in shown:
        middle = np.array(sorted(found[group]))
        counts = np.array([found[group][each] for each in middle])
        axes.plot(
            np.concatenate([middle[:1], middle]),
            100 * np.concatenate([[0], np.cumsum(counts)]) / counts.sum(),
            drawstyle="steps-post",
            color=colours[group.name],
            linewidth=1.4,
            label=_flows(group),
        )
    ends = [each for group in shown for each in found[group]]
    distributions.logarithmic(axes, max(ends) / min(ends))
    axes.set(xlabel="wait for a message [ms]", ylabel="messages [%]", ylim=(0, 102))
    about = f"all messages of {runs(result)}"
    axes.set_title(f"{drawable(result.scenario.title)}\n{about}", fontsize=10)
    say_hidden(axes, len(drawn) - len(shown))
    add_legend(axes)
    return figure


def _names(result: Result, group: Group) -> Sequence[str]:
    """Names of the flows of a group."""
    flows = result.scenario.flows
    return [flows[place]["name"] for place in group.places]


def _flows(group: Group) -> str:
    """Label of a group in a legend."""
    count = len(group.places)
    return drawable(group.name) + (f"\n({count} flows)" if count > 1 else "")


def new_figure(height_inches: float) -> tuple[Figure, Axes]:
    """Figure with one panel."""
    figure = Figure(figsize=(7, height_inches), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def add_legend(axes: Axes) -> None:
    """Add a legend on the right of the axes."""
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, fontsize=9)


def say_hidden(axes: Axes, hidden: int, less: str = "smaller") -> None:
    """Write into the axes how many curves are not shown."""
    if hidden:
        are = "is" if hidden == 1 else "are"
        axes.set_title(f"{hidden} {less} {are} not shown", loc="right", fontsize=8)

"""Choice and colours of the flows, stations and queues that the figures of a result show as curves.

A figure has at most five curves. If there are more flows or stations, those with consecutive numbers share a
curve with a band, and only the largest curves are drawn. A station has the same colour in every figure and in
the bar of airtime. A flow also has one colour in all figures: its station's, unless another flow uses that.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from . import names
from .palette import GRID, INK, MUTED, PALETTE

if TYPE_CHECKING:
    from .result import Result

MOST = len(PALETTE)
"""Largest number of curves in a figure."""
OTHER_COLOURS = ("#8a8a8a", "#b8a878", "#7d9aa8")
"""Colours for parts of a bar when those of the palette are used up."""
LOST_COLOURS = {
    "beacons": "#7a3b9e",
    "collisions": "#b00020",
    "neighbours": "#8a6d1d",
    "overlap": "#d2691e",
    "contention": MUTED,
    "idle": GRID,
}
"""Colours of the kinds of airtime that no station uses."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Group:
    """Flows, stations or queues that share a curve: a single one, or several with consecutive numbers."""

    name: str
    places: tuple[int, ...]

    @property
    def label(self) -> str:
        """Label in a legend."""
        return f"{self.name}\n(mean of {len(self.places)})" if len(self.places) > 1 else self.name


@dataclass(frozen=True)
class Curve:
    """Curve of a quantity of one group over time; missing values are NaN."""

    label: str
    samples: Floats
    """Values with the axes (replication, step); for several members, the mean over the members."""
    spread: tuple[Floats, Floats] | None = None
    """Minimum and maximum over the members of a group, (step)."""

    @property
    def mean(self) -> Floats:
        """Mean of the replications, (step).

        The mean is NaN if any replication has no value. The mean of several members of a group ignores
        missing values.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            mean = np.mean if self.spread is None else np.nanmean
            return np.asarray(mean(self.samples, axis=0), dtype=np.float64)


@dataclass(frozen=True)
class Panel:
    """Panel with curves, by the names of their groups."""

    label: str
    curves: Mapping[str, Curve]
    colours: Mapping[str, str]
    hidden: int = 0
    """Number of curves that are not shown, for lack of room."""
    of: str = "flows"
    top: float | None = None
    """Largest possible value; `None` if there is none."""

    @property
    def less(self) -> str:
        """Word for the curves that are not shown."""
        return "emptier" if self.of == "queues" else "smaller"

    @property
    def has_intervals(self) -> bool:
        """True if intervals are drawn; with many curves they would hide each other."""
        others = 0 if self.of == "queues" else self.hidden
        return len(self.curves) + others <= MOST


def gathered(all_names: Sequence[str]) -> list[Group]:
    """Groups of flows or stations by name; one for each if a figure has room for all of them."""
    if len(all_names) <= MOST:
        return [Group(name, (place,)) for place, name in enumerate(all_names)]
    return [Group(name, tuple(places)) for name, places in names.groups(all_names)]


class Cast:
    """Flows and stations that the figures of a result show, and their colours."""

    def __init__(self, result: Result) -> None:
        scenario = result.scenario
        self.flows = gathered([flow["name"] for flow in scenario.flows])
        self.stations = gathered(scenario.stations)
        self._result = result
        self._traffic = self._sums(self.flows, "flows", "goodput_bps", len(scenario.flows))
        airtime = self._sums(self.stations, "airtime", "airtime_share", len(scenario.stations))
        self.largest_flows = _largest(self.flows, self._traffic)
        self.largest_stations = _largest(self.stations, airtime)
        self.station_colours = self._of_stations(airtime)
        self.flow_colours = self._of_flows()

    def panel_of_flows(self, what: str, label: str, scale: float = 1.0) -> Panel:
        """Panel with a series of the largest flows or, if these have no values in it, of other flows."""
        curves = self._curves(what, self.flows, scale)
        drawn = [name for name in self.largest_flows if name in curves]
        drawn = drawn or _largest([g for g in self.flows if g.name in curves], self._traffic)
        shown = {name: curve for name, curve in curves.items() if name in drawn}
        colours = _distinct(shown, self.flow_colours)
        return Panel(label, shown, colours, len(curves) - len(shown))

    def panel_of_stations(
        self, what: str, label: str, scale: float = 1.0, top: float | None = None
    ) -> Panel:
        """Panel with a series of the stations with the most airtime."""
        curves = self._curves(what, self.stations, scale)
        shown = {name: curve for name, curve in curves.items() if name in self.largest_stations}
        colours = _distinct(shown, self.station_colours)
        return Panel(label, shown, colours, len(curves) - len(shown), "stations", top)

    def colours_of_flows(self, shown: Sequence[str]) -> dict[str, str]:
        """Colours, all different, of the groups of flows in one figure."""
        return _distinct(shown, self.flow_colours)

    def panel_of_queues(self, label: str) -> Panel:
        """Panel with the fullest queues; leaves out those below a hundredth of the fullest one."""
        curves, known = self._queues()
        mean = {name: float(curve.samples.mean()) for name, curve in curves.items()}
        fullest = sorted(curves, key=lambda name: -mean[name])[:MOST]
        least = max((mean[name] for name in fullest[:1]), default=0.0) / 100
        shown = {name: curves[name] for name in fullest if mean[name] > least}
        return Panel(label, shown, _distinct(shown, known), len(curves) - len(shown), "queues")

    def _queues(self) -> tuple[dict[str, Curve], dict[str, str]]:
        """Curves of the queues of stations, access points and links, and known colours, by name."""
        table = self._result.series("queue")
        stations = table.filter(pl.col("station").is_not_null())["queue_packets"]
        curves = self._grouped(_numbers(stations), self.stations, 1.0)
        known = dict(self.station_colours)
        keys = ["access_point", "link", "from", "to"]
        others = table.filter(pl.col("station").is_null())
        inks = iter((INK, MUTED))
        for key, rows in others.partition_by(keys, maintain_order=True, as_dict=True).items():
            point, _, start, end = key
            name = f"{point} (AP)" if point else f"{start} to {end}"
            samples = _numbers(rows["queue_packets"]).reshape(self._result.replications, -1)
            curves[name] = Curve(name, samples)
            if point and (ink := next(inks, None)):
                known[name] = ink
        return curves, known

    def _curves(self, what: str, groups: Sequence[Group], scale: float) -> dict[str, Curve]:
        """Curves of a series by name of the group, without groups that have no value in it."""
        table = self._result.series(what)
        return self._grouped(_numbers(table[table.columns[3]]), groups, scale)

    def _grouped(self, values: Floats, groups: Sequence[Group], scale: float) -> dict[str, Curve]:
        count = sum(len(group.places) for group in groups)
        if not count:
            return {}
        samples = scale * values.reshape(self._result.replications, count, -1)
        found = {group: samples[:, list(group.places)] for group in groups}
        return {
            group.name: _curve(group, each)
            for group, each in found.items()
            if not np.isnan(each).all()
        }

    def _sums(
        self, groups: Sequence[Group], table: str, column: str, count: int
    ) -> dict[str, float]:
        """Sum of a column over the members of each group and over all replications."""
        if not self._result.replications:
            return {group.name: 0.0 for group in groups}
        values = self._result.columns[table][column]
        return {
            group.name: sum(sum(values[place::count]) for place in group.places) for group in groups
        }

    def _of_stations(self, airtime: Mapping[str, float]) -> dict[str, str]:
        """Colours of stations: those of the palette for the largest, other colours for a few more."""
        rest = sorted(
            (group.name for group in self.stations if group.name not in self.largest_stations),
            key=lambda name: -airtime[name],
        )
        return dict(zip(self.largest_stations, PALETTE, strict=False)) | dict(
            zip(rest, OTHER_COLOURS, strict=False)
        )

    def _of_flows(self) -> dict[str, str]:
        """Colours of the largest flows: the station's colour if no larger flow has it, else a free one."""
        colours: dict[str, str] = {}
        ranked = sorted(self.largest_flows, key=lambda name: -self._traffic[name])
        groups = {group.name: group for group in self.flows}
        of_stations = [colour for colour in self.station_colours.values() if colour in PALETTE]
        of_ends = self._colours_of_ends()
        for name in ranked:
            own = self._station_colour(groups[name], of_ends)
            if own in PALETTE and own not in colours.values():
                colours[name] = own
        for name in ranked:
            if name not in colours:
                free = [colour for colour in PALETTE if colour not in colours.values()]
                colours[name] = min(free, key=lambda colour: colour in of_stations)
        return colours

    def _colours_of_ends(self) -> list[tuple[int, str | None]]:
        """For each flow, the first group of stations at which it starts or ends, and the group's colour.

        The group is given by its index. Without a station at either end, the colour is `None`.
        """
        scenario = self._result.scenario
        stations, none = scenario.stations, len(self.stations)
        group_of = {
            stations[place]: number
            for number, group in enumerate(self.stations)
            for place in group.places
        }
        colours = [self.station_colours.get(group.name) for group in self.stations]
        firsts = [
            min(group_of.get(flow["from"], none), group_of.get(flow["to"], none))
            for flow in scenario.flows
        ]
        return [(first, None if first == none else colours[first]) for first in firsts]

    def _station_colour(
        self, flows: Group, of_ends: Sequence[tuple[int, str | None]]
    ) -> str | None:
        """Colour of the first group of stations at which a flow of the group starts or ends."""
        return min((of_ends[place] for place in flows.places), key=lambda end: end[0])[1]


def _largest(groups: Iterable[Group], sizes: Mapping[str, float]) -> list[str]:
    """Names of the groups with the largest values in `sizes`, in the order of the scenario."""
    all_names = [group.name for group in groups]
    ranked = sorted(all_names, key=lambda name: -sizes[name])[:MOST]
    return [name for name in all_names if name in ranked]


def _curve(group: Group, samples: Floats) -> Curve:
    """Curve of a group from values with the axes (replication, member, step)."""
    if len(group.places) == 1:
        return Curve(group.label, samples[:, 0])
    with warnings.catch_warnings():
        # In a step without values numpy warns and returns NaN, which is the right result.
        warnings.simplefilter("ignore", RuntimeWarning)
        members = np.nanmean(samples, axis=0)
        spread = np.nanmin(members, axis=0), np.nanmax(members, axis=0)
        return Curve(group.label, np.nanmean(samples, axis=1), spread)


def _distinct(shown: Iterable[str], known: Mapping[str, str]) -> dict[str, str]:
    """Colour of each curve in a figure: its known colour, else one that no other curve in it has."""
    colours = {name: known[name] for name in shown if name in known}
    for name in shown:
        if name not in colours:
            free = [c for c in (*PALETTE, *OTHER_COLOURS) if c not in colours.values()]
            colours[name] = min(free, key=lambda colour: colour in known.values())
    return colours


def _numbers(column: pl.Series) -> Floats:
    return column.cast(pl.Float64).to_numpy()

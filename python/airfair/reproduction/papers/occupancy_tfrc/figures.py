"""Figures 3 and 4 of the paper `occupancy-tfrc`, with additional curves in the same axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airfair.estimate import Estimate, Floats, estimate
from airfair.experiment.conditions import Key
from airfair.experiment.words import SAME
from airfair.figures import Category, Chart, Curve, Mark, Panel, by_name, over_number, over_time
from airfair.reproduction.paper import Drawing, Shown
from airfair.reproduction.series import each, line, mean, nested, points
from airfair.reproduction.tables import Column, Table, column

from . import plan
from .runs import Measurements, OccupancyRuns, Take, flow, station

STATIONS: Mapping[str, int] = {"STA1, 54 Mb/s": 0, "STA2": 1}
THROUGHPUT = "Throughput [Mb/s]"


@dataclass(frozen=True)
class Quantity:
    """Quantity of a figure, with its unit, texts and number of digits."""

    name: str
    unit: str
    short: str
    """Text in the heading of a table."""
    label: str
    """Label of the axis."""
    take: Take
    digits: int
    most: float = math.inf
    """Largest possible value."""

    @property
    def key(self) -> str:
        """Name in the document."""
        return f"{self.name}_mbps" if self.unit == "Mb/s" else self.name


MBPS = Quantity(
    "aggregate throughput",
    "Mb/s",
    "Mb/s",
    "Aggregate throughput [Mb/s]",
    OccupancyRuns.aggregate,
    2,
)
JAIN = Quantity(
    "fairness", "1", "Jain's index", "Jain's index of occupancy", OccupancyRuns.jain, 3, 1.0
)
DROPS = Quantity(
    "drop ratio", "%", "drops %", "Packet drop ratio [%]", OccupancyRuns.drops, 3, 100.0
)
DELAY = Quantity("delay", "ms", "p95 ms", "95 % of round trips [ms]", OccupancyRuns.delay, 0)


# ------------------------------------------------------------------ Figure 3


def paired(n: int) -> tuple[Quantity, Quantity]:
    """Throughput and occupancy of the station with this index."""
    return (
        Quantity("throughput", "Mb/s", "Mb/s", THROUGHPUT, flow(n), 2),
        Quantity("occupancy", "1", "occ.", "Channel occupancy ratio", station(n), 3, 1.0),
    )


def pairs(data: Measurements) -> Shown:
    """Figure 3: throughput and occupancy of two stations over the rate of the second one."""
    keys = {scheme: [plan.figure3(mbps).key(scheme) for mbps in plan.RATES] for scheme in plan.BOTH}
    quantities = {name: paired(n) for name, n in STATIONS.items()}
    of_each = [*zip(*quantities.values(), strict=True)]
    charts = [
        Chart(
            f"{plan.SCHEMES[scheme].label.capitalize()} TFRC",
            plan.RATES,
            [
                line(name, each(data, keys[scheme], of.take), most=of.most)
                for name, of in zip(STATIONS, both, strict=True)
            ],
        )
        for scheme in plan.BOTH
        for both in of_each
    ]
    labels = [of.label for of, _ in of_each]
    figure = over_number(charts, "Data rate of STA2 [Mb/s]", labels)
    columns = [
        column(
            f"{plan.SCHEMES[scheme].label}, STA{i} {of.short}",
            each(data, keys[scheme], of.take),
            of.digits,
        )
        for both in of_each
        for scheme in plan.BOTH
        for i, of in enumerate(both, start=1)
    ]
    columns += _of_both(data, keys, DROPS)
    title = "Throughput, occupancy and drop ratio, by rate of STA2; STA1 at 54 Mb/s"
    shown = Shown(
        series=[
            points(
                f"{plan.SCHEMES[scheme].label}, {name}, {of.name}",
                of.unit,
                plan.RATES,
                each(data, keys[scheme], of.take),
            )
            for scheme in plan.BOTH
            for name, own in quantities.items()
            for of in own
        ],
        paper_values=None,
        measured=nested(
            ((scheme, str(mbps), both[0].key), [mean(of.take(data[key])) for of in both])
            for scheme in plan.BOTH
            for mbps, key in zip(plan.RATES, keys[scheme], strict=True)
            for both in of_each
        ),
        tables=[Table("fig3", title, [f"{mbps} Mb/s" for mbps in plan.RATES], columns)],
        drawings={"fig3": Drawing(figure, wide=True)},
    )
    done = {setup for setup, _ in data}
    if "transports" in done:
        shown = shown.and_also([_equal_table(data)], {"fig3-equal": _equal_figure(data)})
    if "guests" in done:
        shown = shown.and_also([], {"fig3-guests": _guests_figure(data)})
    return shown


def _of_both(data: Measurements, keys: Mapping[str, Sequence[Key]], of: Quantity) -> list[Column]:
    """Columns of a quantity with both schemes."""
    return [
        column(f"{plan.SCHEMES[s].label}, {of.short}", each(data, keys[s], of.take), of.digits)
        for s in plan.BOTH
    ]


def equal_keys(way: str) -> dict[str, list[Key]]:
    """Keys, one per rate, of the runs that are tested for equal occupancy in a direction, by transport."""
    return {
        plan.NAMES[transport]: [
            plan.equal(mbps, way, transport).key(plan.ON) for mbps in plan.SOME_RATES
        ]
        for transport in plan.NAMES
    }


def _equal_figure(data: Measurements) -> Drawing:
    bounds = {1 + SAME.allowed: f"+{SAME.allowed:.0%}", 1 - SAME.allowed: ""}
    charts = [
        Chart(
            f"{label.capitalize()}, proposed",
            plan.SOME_RATES,
            [
                line(name, each(data, keys, OccupancyRuns.held_ratio))
                for name, keys in equal_keys(way).items()
            ],
            bounds,
        )
        for way, label in plan.WAYS.items()
    ]
    figure = over_number(charts, "Data rate of STA2 [Mb/s]", "Occupancy, STA2 / STA1")
    return Drawing(figure, {"allowed": SAME.allowed}, wide=True, beyond=True)


def _equal_table(data: Measurements) -> Table:
    columns = [
        column(f"{way}, {name}", each(data, keys, OccupancyRuns.held_ratio), 3)
        for way in plan.WAYS
        for name, keys in equal_keys(way).items()
    ]
    title = "Occupancy of STA2 over STA1's, proposed, by rate of STA2"
    return Table("fig3-equal", title, [f"{mbps} Mb/s" for mbps in plan.SOME_RATES], columns)


def _guests_figure(data: Measurements) -> Drawing:
    names = [f"{name.replace('sta', 'STA')}, {rate}" for name, rate in plan.GUESTS.items()]
    panels = []
    for scheme in (plan.PLAIN, plan.ON, plan.ONCE):
        runs = data["guests", f"a guest, {scheme}"]
        if runs.series is None:
            raise ValueError("guests: its runs have no time series, which the figure needs")
        times: Floats = (np.arange(runs.series.shape[-1], dtype=np.float64) + 0.5) * runs.step_s
        curves = [Curve(name, _smooth(runs.series[:, i])) for i, name in enumerate(names)]
        last = times[-1] + runs.step_s / 2
        marks = [
            Mark(at, words)
            for at, words in ((plan.COMES_S, "guest comes"), (plan.GOES_S, "guest goes"))
            if at < last
        ]
        label = plan.SCHEMES[scheme].label.capitalize()
        panels.append(Panel(label, THROUGHPUT, times, curves, marks))
    numbers = {"comes_s": plan.COMES_S, "goes_s": plan.GOES_S}
    return Drawing(over_time(panels, wide=True), numbers, wide=True, beyond=True)


def _smooth(samples: Floats, steps: int = 5) -> Floats:
    """Moving average over the last `steps` steps, or over fewer at the start."""
    total = np.cumsum(samples, axis=-1)
    before = np.concatenate([np.zeros_like(total[:, :steps]), total[:, :-steps]], axis=-1)
    lengths = np.minimum(np.arange(1, total.shape[-1] + 1), steps)
    smooth: Floats = (total - before) / lengths
    return smooth


# ------------------------------------------------------------------ Figure 4

FIGURE4 = (MBPS, JAIN, DROPS)


def many(data: Measurements) -> Shown:
    """Figure 4: throughput, fairness and drops of stations with random rates over their number."""
    keys = {
        scheme: [plan.figure4(count).key(scheme) for count in plan.COUNTS] for scheme in plan.BOTH
    }
    charts = [
        Chart(
            f"({letter}) {of.name}",
            plan.COUNTS,
            [
                line(plan.SCHEMES[s].label, each(data, keys[s], of.take), most=of.most)
                for s in plan.BOTH
            ],
        )
        for letter, of in zip("abc", FIGURE4, strict=True)
    ]
    figure = over_number(charts, "Number of stations", [of.label for of in FIGURE4], columns=3)
    columns = [one for of in FIGURE4 for one in _of_both(data, keys, of)]
    columns += [
        column(label, _differences(data, keys, of.take), of.digits)
        for label, of in (("more throughput, Mb/s", MBPS), ("more drops, %", DROPS))
    ]
    title = "Aggregate throughput, Jain's index of occupancy, drop ratio, by number of stations"
    shown = Shown(
        series=[
            points(
                f"{plan.SCHEMES[s].label}, {of.name}",
                of.unit,
                plan.COUNTS,
                each(data, keys[s], of.take),
            )
            for of in FIGURE4
            for s in plan.BOTH
        ],
        paper_values=None,
        measured=nested(
            ((scheme, of.name, str(count)), mean(of.take(data[key])))
            for scheme in plan.BOTH
            for of in FIGURE4
            for count, key in zip(plan.COUNTS, keys[scheme], strict=True)
        ),
        tables=[Table("fig4", title, [f"N = {count}" for count in plan.COUNTS], columns)],
        drawings={"fig4": Drawing(figure, wide=True)},
    )
    done = {setup for setup, _ in data}
    for way in plan.WAYS:
        if f"rivals-{way}" in done:
            drawn = {f"fig4-rivals-{way}": _rivals_figure(data, way)}
            shown = shown.and_also([rivals_table(data, way)], drawn)
    return shown


def _differences(
    data: Measurements, keys: Mapping[str, Sequence[Key]], take: Take
) -> list[Estimate]:
    """Mean differences between the proposed scheme and plain TFRC, in pairs of replications."""
    both = zip(keys[plan.ON], keys[plan.PLAIN], strict=True)
    return [estimate(take(data[on]) - take(data[plain]), signed=True) for on, plain in both]


RIVAL_COLUMNS = (
    ("Mb/s", "Aggregate goodput [Mb/s]", OccupancyRuns.aggregate, 2),
    ("Jain", JAIN.label, OccupancyRuns.jain, 3),
    ("drops %", DROPS.label, OccupancyRuns.drops, 2),
    ("p95 ms", DELAY.label, OccupancyRuns.delay, 0),
)


def _rivals(data: Measurements, way: str, transport: str) -> Callable[[Take], list[Floats]]:
    """Function that returns the samples of a quantity for each rival."""
    keys = [plan.rival_place(way, transport).key(rival) for rival in plan.RIVALS]
    return lambda take: each(data, keys, take)


def rivals_table(data: Measurements, way: str) -> Table:
    """Table of all rivals in a direction."""
    columns = [
        column(f"{plan.NAMES[transport]}, {short}", _rivals(data, way, transport)(take), digits)
        for transport in plan.RIVAL_TRANSPORTS
        for short, _, take, digits in RIVAL_COLUMNS
    ]
    title = (
        f"Comparison with other schemes, {plan.WAYS[way]}: five stations at 54, 36, 24, 12, 6 Mb/s"
    )
    return Table(f"rivals-{way}", title, [rival.label for rival in plan.RIVALS.values()], columns)


def _rivals_figure(data: Measurements, way: str) -> Drawing:
    names = [rival.label for rival in plan.RIVALS.values()]
    panels = [
        Category(
            "",
            "",
            label,
            names,
            [line(plan.NAMES[t], _rivals(data, way, t)(take)) for t in plan.RIVAL_TRANSPORTS],
        )
        for _, label, take, _ in RIVAL_COLUMNS
    ]
    return Drawing(by_name(panels), wide=True, beyond=True)

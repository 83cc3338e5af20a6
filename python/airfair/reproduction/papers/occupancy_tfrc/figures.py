"""Figures 3 and 4 of the paper `occupancy-tfrc`, with additional curves in the same axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from airfair.estimate import Estimate, Floats, estimate
from airfair.experiment.words import SAME
from airfair.figures import (
    Category,
    Chart,
    Curve,
    Mark,
    Panel,
    Points,
    by_name,
    over_number,
    over_time,
)
from airfair.reproduction.paper import Drawing, Shown
from airfair.reproduction.series import finite, points
from airfair.reproduction.tables import Column, Table, TableCell

from .plan import (
    BOTH,
    COMES_S,
    COUNTS,
    DOWN,
    GOES_S,
    GUESTS,
    NAMES,
    ON,
    ONCE,
    PLAIN,
    RATES,
    RIVAL_TRANSPORTS,
    RIVALS,
    SCHEMES,
    SOME_RATES,
    UP,
    WAYS,
    equal,
    figure3,
    figure4,
    guests,
    rival_place,
)
from .runs import Measurements, OccupancyRuns, Take, flow, station

STATIONS: Mapping[str, int] = {"STA1, 54 Mb/s": 0, "STA2": 1}
THROUGHPUT, OCCUPANCY = "Throughput [Mb/s]", "Channel occupancy ratio"
Key = tuple[str, str]


def _points(
    label: str, data: Measurements, keys: Sequence[Key], take: Take, most: float = math.inf
) -> Points:
    """Estimates of a quantity, at most `most`, for each of `keys`."""
    all_ = [estimate(take(data[key])) for key in keys]
    estimates = np.array([[one.mean for one in all_], [one.ci95 for one in all_]])
    return Points(label, estimates, possible=(0.0, most))


def cells(data: Measurements, keys: Sequence[Key], take: Take, digits: int = 2) -> list[TableCell]:
    """Cells of a table with the estimate for each of `keys`."""
    return [TableCell(estimate(take(data[key])), digits=digits) for key in keys]


# ------------------------------------------------------------------ Figure 3


def pairs(data: Measurements) -> Shown:
    """Figure 3: throughput and occupancy of two stations over the rate of the second one."""
    keys = {scheme: [figure3(mbps).key(scheme) for mbps in RATES] for scheme in BOTH}
    done = {setup for setup, _ in data}
    drawings: dict[str, Drawing] = {}
    if "transports" in done:
        drawings["fig3-equal"] = _equal_figure(data)
    if "guests" in done:
        drawings["fig3-guests"] = _guests_figure(data)
    return Shown(
        series=[
            points(
                f"{SCHEMES[scheme].label}, {name}, {what}",
                unit,
                RATES,
                [estimate(take(number)(data[key])) for key in keys[scheme]],
            )
            for scheme in BOTH
            for name, number in STATIONS.items()
            for what, unit, take in (("throughput", "Mb/s", flow), ("occupancy", "1", station))
        ],
        paper_values=None,
        measured={
            scheme: {
                str(mbps): {
                    "throughput_mbps": [
                        finite(estimate(flow(n)(data[key])).mean) for n in STATIONS.values()
                    ],
                    "occupancy": [
                        finite(estimate(station(n)(data[key])).mean) for n in STATIONS.values()
                    ],
                }
                for mbps, key in zip(RATES, keys[scheme], strict=True)
            }
            for scheme in BOTH
        },
        tables=[_pair_table(data, keys), *([_equal_table(data)] if "transports" in done else [])],
        drawings={"fig3": Drawing(_pair_figure(data, keys), wide=True), **drawings},
    )


def _pair_figure(data: Measurements, keys: Mapping[str, Sequence[Key]]) -> Figure:
    charts = [
        Chart(
            f"{SCHEMES[scheme].label.capitalize()} TFRC",
            RATES,
            [_points(name, data, keys[scheme], take(n), most) for name, n in STATIONS.items()],
        )
        for scheme in BOTH
        for take, most in ((flow, math.inf), (station, 1.0))
    ]
    return over_number(charts, "Data rate of STA2 [Mb/s]", (THROUGHPUT, OCCUPANCY))


def _pair_table(data: Measurements, keys: Mapping[str, Sequence[Key]]) -> Table:
    columns = [
        Column(
            f"{scheme}-{n}-{what}",
            f"{SCHEMES[scheme].label}, STA{n + 1} {unit}",
            cells(data, keys[scheme], take(n), digits),
        )
        for take, what, unit, digits in ((flow, "mbps", "Mb/s", 2), (station, "part", "occ.", 3))
        for scheme in BOTH
        for n in STATIONS.values()
    ]
    dropped = [
        Column(
            f"{scheme}-drops",
            f"{SCHEMES[scheme].label}, drops %",
            cells(data, keys[scheme], OccupancyRuns.drops, 3),
        )
        for scheme in BOTH
    ]
    title = "Throughput, occupancy and drop ratio, by rate of STA2; STA1 at 54 Mb/s"
    return Table("fig3", title, [f"{mbps} Mb/s" for mbps in RATES], [*columns, *dropped])


def equal_keys(way: str) -> dict[str, list[Key]]:
    """Keys, one per rate, of the runs that are tested for equal occupancy in a direction, by transport."""
    return {
        NAMES[transport]: [equal(mbps, way, transport).key(ON) for mbps in SOME_RATES]
        for transport in NAMES
    }


def _equal_figure(data: Measurements) -> Drawing:
    bounds = {1 + SAME.allowed: f"+{SAME.allowed:.0%}", 1 - SAME.allowed: ""}
    charts = [
        Chart(
            f"{WAYS[way].capitalize()}, proposed",
            SOME_RATES,
            [
                _points(name, data, keys, OccupancyRuns.held_ratio)
                for name, keys in equal_keys(way).items()
            ],
            bounds,
        )
        for way in (DOWN, UP)
    ]
    figure = over_number(charts, "Data rate of STA2 [Mb/s]", "Occupancy, STA2 / STA1")
    return Drawing(figure, {"allowed": SAME.allowed}, wide=True, beyond=True)


def _equal_table(data: Measurements) -> Table:
    columns = [
        Column(f"{way}-{name}", f"{way}, {name}", cells(data, keys, OccupancyRuns.held_ratio, 3))
        for way in (DOWN, UP)
        for name, keys in equal_keys(way).items()
    ]
    rows = [f"{mbps} Mb/s" for mbps in SOME_RATES]
    return Table(
        "fig3-equal", "Occupancy of STA2 over STA1's, proposed, by rate of STA2", rows, columns
    )


def _guests_figure(data: Measurements) -> Drawing:
    place = guests()
    names = [f"{name.replace('sta', 'STA')}, {rate}" for name, rate in GUESTS.items()]
    panels = []
    for scheme in (PLAIN, ON, ONCE):
        runs = data[place.key(scheme)]
        if runs.series is None:
            raise ValueError(f"{place.setup}: its runs have no time series, which the figure needs")
        times: Floats = (np.arange(runs.series.shape[-1], dtype=np.float64) + 0.5) * runs.step_s
        curves = [Curve(name, _smooth(runs.series[:, i])) for i, name in enumerate(names)]
        last = times[-1] + runs.step_s / 2
        marks = [
            Mark(at, words)
            for at, words in ((COMES_S, "guest comes"), (GOES_S, "guest goes"))
            if at < last
        ]
        label = SCHEMES[scheme].label.capitalize()
        panels.append(Panel(label, THROUGHPUT, times, curves, marks))
    numbers = {"comes_s": COMES_S, "goes_s": GOES_S}
    return Drawing(over_time(panels, wide=True), numbers, wide=True, beyond=True)


def _smooth(samples: Floats, steps: int = 5) -> Floats:
    """Moving average over the last `steps` steps, or over fewer at the start."""
    total = np.cumsum(samples, axis=-1)
    before = np.concatenate([np.zeros_like(total[:, :steps]), total[:, :-steps]], axis=-1)
    lengths = np.minimum(np.arange(1, total.shape[-1] + 1), steps)
    smooth: Floats = (total - before) / lengths
    return smooth


# ------------------------------------------------------------------ Figure 4

FIGURE4: Mapping[str, tuple[str, str, str, Take]] = {
    "a": ("aggregate throughput", "Aggregate throughput [Mb/s]", "Mb/s", OccupancyRuns.aggregate),
    "b": ("fairness", "Jain's index of occupancy", "1", OccupancyRuns.jain),
    "c": ("drop ratio", "Packet drop ratio [%]", "%", OccupancyRuns.drops),
}
MOST = {"Mb/s": math.inf, "1": 1.0, "%": 100.0}
"""Largest possible value of a quantity, by its unit."""


def many(data: Measurements) -> Shown:
    """Figure 4: throughput, fairness and drops of stations with random rates over their number."""
    keys = {scheme: [figure4(count).key(scheme) for count in COUNTS] for scheme in BOTH}
    charts = [
        Chart(
            f"({letter}) {what}",
            COUNTS,
            [_points(SCHEMES[s].label, data, keys[s], take, MOST[unit]) for s in BOTH],
        )
        for letter, (what, _, unit, take) in FIGURE4.items()
    ]
    labels = [label for _, label, _, _ in FIGURE4.values()]
    figure = over_number(charts, "Number of stations", labels, columns=3)
    drawings = {"fig4": Drawing(figure, wide=True)}
    done = {setup for setup, _ in data}
    ways = [way for way in WAYS if rival_place(way, RIVAL_TRANSPORTS[0]).setup in done]
    drawings |= {f"fig4-rivals-{way}": _rivals_figure(data, way) for way in ways}
    return Shown(
        series=[
            points(
                f"{SCHEMES[scheme].label}, {what}",
                unit,
                COUNTS,
                [estimate(take(data[key])) for key in keys[scheme]],
            )
            for what, _, unit, take in FIGURE4.values()
            for scheme in BOTH
        ],
        paper_values=None,
        measured={
            scheme: {
                what: {
                    str(count): finite(estimate(take(data[key])).mean)
                    for count, key in zip(COUNTS, keys[scheme], strict=True)
                }
                for what, _, _, take in FIGURE4.values()
            }
            for scheme in BOTH
        },
        tables=[_many_table(data, keys), *(rivals_table(data, way) for way in ways)],
        drawings=drawings,
    )


def _many_table(data: Measurements, keys: Mapping[str, Sequence[Key]]) -> Table:
    columns = [
        Column(
            f"{scheme}-{what}",
            f"{SCHEMES[scheme].label}, {short}",
            cells(data, keys[scheme], take, digits),
        )
        for what, short, take, digits in (
            ("mbps", "Mb/s", OccupancyRuns.aggregate, 2),
            ("jain", "Jain's index", OccupancyRuns.jain, 3),
            ("drops", "drops %", OccupancyRuns.drops, 3),
        )
        for scheme in BOTH
    ]
    more = [
        _differences(data, keys, take) for take in (OccupancyRuns.aggregate, OccupancyRuns.drops)
    ]
    columns += [
        Column("more", "more throughput, Mb/s", [TableCell(one, digits=2) for one in more[0]]),
        Column("more-drops", "more drops, %", [TableCell(one, digits=3) for one in more[1]]),
    ]
    title = "Aggregate throughput, Jain's index of occupancy, drop ratio, by number of stations"
    return Table("fig4", title, [f"N = {count}" for count in COUNTS], columns)


def _differences(
    data: Measurements, keys: Mapping[str, Sequence[Key]], take: Take
) -> list[Estimate]:
    """Mean differences between the proposed scheme and plain TFRC, in pairs of replications."""
    both = zip(keys[ON], keys[PLAIN], strict=True)
    return [estimate(take(data[on]) - take(data[plain]), signed=True) for on, plain in both]


RIVAL_COLUMNS: Mapping[str, tuple[str, str, Take, int]] = {
    "mbps": ("Mb/s", "Aggregate goodput [Mb/s]", OccupancyRuns.aggregate, 2),
    "jain": ("Jain", "Jain's index of occupancy", OccupancyRuns.jain, 3),
    "drops": ("drops %", "Packet drop ratio [%]", OccupancyRuns.drops, 2),
    "delay": ("p95 ms", "95 % of round trips [ms]", OccupancyRuns.delay, 0),
}


def rivals_table(data: Measurements, way: str) -> Table:
    """Table of all rivals in a direction."""
    columns = [
        Column(
            f"{transport}-{id_}",
            f"{NAMES[transport]}, {short}",
            cells(data, [rival_place(way, transport).key(rival) for rival in RIVALS], take, digits),
        )
        for transport in RIVAL_TRANSPORTS
        for id_, (short, _, take, digits) in RIVAL_COLUMNS.items()
    ]
    title = f"Comparison with other schemes, {WAYS[way]}: five stations at 54, 36, 24, 12, 6 Mb/s"
    return Table(f"rivals-{way}", title, [rival.label for rival in RIVALS.values()], columns)


def _rivals_figure(data: Measurements, way: str) -> Drawing:
    names = [rival.label for rival in RIVALS.values()]
    panels = [
        Category(
            "",
            "",
            label,
            names,
            [
                _points(
                    NAMES[transport],
                    data,
                    [rival_place(way, transport).key(rival) for rival in RIVALS],
                    take,
                )
                for transport in RIVAL_TRANSPORTS
            ],
        )
        for _, label, take, _ in RIVAL_COLUMNS.values()
    ]
    return Drawing(by_name(panels), wide=True, beyond=True)

"""The figures and the table of the paper `arf-window`: 4, 5 and I."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from airfair.figures import Chart, Points, over_number
from airfair.reproduce.estimate import Floats, estimate
from airfair.reproduce.paper import Drawing, Json, Shown
from airfair.reproduce.series import finite, points
from airfair.reproduce.tables import Cell, Column, Table

from .plan import (
    AWAY,
    DECIDING,
    LABELS,
    NEAR,
    NEAR_DELAY_MS,
    NEAR_PACKETS,
    NEWRENO,
    SCHEMES,
    SYSTEMS,
    WINDOW,
    Place,
    at_random,
    on_the_way,
)
from .runs import Measurements, Runs, Take, difference, gain

X = "Speed [m/s]"
THROUGHPUT, DROPS = "throughput", "drop rate"
TAKES: Mapping[str, Take] = {THROUGHPUT: Runs.throughput, DROPS: Runs.drops}
Y = ("Throughput [Mb/s]", "Gain in throughput [%]", "Packet drop rate [%]")
UNITS = {THROUGHPUT: "Mb/s", DROPS: "%"}
PANELS: Mapping[str, str] = {
    DECIDING: "Server at 50 ms, queue of 100 packets",
    NEAR: f"Server at {NEAR_DELAY_MS} ms, queue of {NEAR_PACKETS} packets",
}
"""Systems in a figure, one below the other."""

CAUSES: Mapping[str, tuple[str, Take]] = {
    "queue": ("in queue", Runs.drops_in_queue),
    "air": ("on the air", Runs.drops_on_air),
}
PRINTED = {NEWRENO: "standard", WINDOW: "proposed"}


def straight(name: str, way: str, data: Measurements) -> Shown:
    """Figures 4 and 5: throughput and drop rate over speed."""
    charts = [chart for system in PANELS for chart in _charts(data, system, way)]
    direction = "away from" if way == AWAY else "toward"
    caption = (
        f"The station moves {direction} the access point: mean over the replications and its 95 % interval. "
        f"Above as the claims are decided; below with {SYSTEMS[NEAR].label}, where packets are dropped."
    )
    drawing = Drawing(over_number(charts, X, Y, columns=len(Y)), caption, wide=True)
    return Shown(
        series=[
            points(
                f"{LABELS[scheme]}, {what}, {SYSTEMS[system].label}",
                UNITS[what],
                SYSTEMS[system].speeds,
                [estimate(take(data[p.key(scheme)])) for p in _places(system, way)],
            )
            for system in SYSTEMS
            for scheme in SCHEMES
            for what, take in TAKES.items()
        ],
        paper_values=None,
        measured={
            scheme: {
                what: {
                    str(speed): finite(estimate(take(data[place.key(scheme)])).mean)
                    for speed, place in zip(
                        SYSTEMS[DECIDING].speeds, _places(DECIDING, way), strict=True
                    )
                }
                for what, take in TAKES.items()
            }
            for scheme in SCHEMES
        },
        tables=[_speed_table(name, data, system, way) for system in SYSTEMS],
        drawings={name: drawing},
    )


def _charts(data: Measurements, system: str, way: str) -> list[Chart]:
    """Throughput, what the proposed scheme gains, and drop rate in a system."""

    def chart(points: list[Points]) -> Chart:
        return Chart(PANELS[system], SYSTEMS[system].speeds, points)

    absolute = [
        chart([Points(LABELS[s], _estimates(data, system, way, s, take)) for s in SCHEMES])
        for take in TAKES.values()
    ]
    gains = [gain(data, place) for place in _places(system, way)]
    signed = (-math.inf, math.inf)
    nothing = Points(LABELS[NEWRENO], np.zeros((2, len(gains))), possible=signed)
    more = np.array([[one.mean for one in gains], [one.ci95 for one in gains]])
    return [
        absolute[0],
        chart([nothing, Points(LABELS[WINDOW], more, possible=signed)]),
        absolute[1],
    ]


def _places(system: str, way: str) -> list[Place]:
    return [on_the_way(system, way, speed) for speed in SYSTEMS[system].speeds]


def _estimates(data: Measurements, system: str, way: str, scheme: str, take: Take) -> Floats:
    """Means and half widths, (2, speed)."""
    all_ = [estimate(take(data[place.key(scheme)])) for place in _places(system, way)]
    return np.array([[one.mean for one in all_], [one.ci95 for one in all_]])


def _speed_table(name: str, data: Measurements, system: str, way: str) -> Table:
    places = _places(system, way)
    title = f"Throughput in Mb/s, gain and drop rates in %, {way}; {SYSTEMS[system].label}"
    rows = [f"{speed} m/s" for speed in SYSTEMS[system].speeds]
    return Table(f"{name}-{system}", title, rows, scheme_columns(data, places))


def scheme_columns(data: Measurements, places: Sequence[Place]) -> list[Column]:
    """Throughput and drop rate under both schemes, and what the proposed one gains, a row per place."""

    def column(scheme: str, take: Take, digits: int) -> list[Cell]:
        return [Cell(estimate(take(data[p.key(scheme)])), digits=digits) for p in places]

    rates = [
        Column(
            f"{scheme}-{what}",
            f"{PRINTED[scheme]}, {UNITS[what] if what == THROUGHPUT else 'drops %'}",
            column(scheme, take, 2 if what == THROUGHPUT else 3),
        )
        for what, take in TAKES.items()
        for scheme in SCHEMES
    ]
    gains = Column("gain", "gain, %", [Cell(gain(data, p), digits=2) for p in places])
    return [*rates[:2], gains, *rates[2:]]


def _causes(data: Measurements, places: Sequence[Place]) -> list[Column]:
    """What dropped the packets, under both schemes."""
    return [
        Column(
            f"{scheme}-{cause}",
            f"{PRINTED[scheme]}, {words} %",
            [Cell(estimate(take(data[p.key(scheme)])), digits=4) for p in places],
        )
        for cause, (words, take) in CAUSES.items()
        for scheme in SCHEMES
    ]


def wandering(printed: Json, data: Measurements) -> Shown:
    """Table I: both schemes under random waypoint motion."""
    place = at_random(DECIDING)
    keys: Mapping[str, tuple[str, Take, int]] = {
        "throughput_mbps": ("Mb/s", Runs.throughput, 2),
        "drop_percent": ("drops, %", Runs.drops, 3),
    }
    columns = [
        Column(
            key,
            label.replace(", ", " "),
            [
                Cell(estimate(take(data[place.key(s)])), printed[PRINTED[s]][key], digits)
                for s in SCHEMES
            ],
        )
        for key, (label, take, digits) in keys.items()
    ]
    changes = Column(
        "rate_changes",
        "rate changes, 1/s",
        [Cell(estimate(data[place.key(s)].rate_changes_per_s)) for s in SCHEMES],
    )
    rows = [LABELS[scheme] for scheme in SCHEMES]
    title = "Random waypoint, 0 to 10 m/s"
    systems = [at_random(system) for system in SYSTEMS]
    beside = Table(
        "table1-systems",
        "Random waypoint: throughput in Mb/s, gain and drop rates in %",
        [system.label for system in SYSTEMS.values()],
        [*scheme_columns(data, systems), *_causes(data, systems)],
    )
    return Shown(
        series=[
            points(
                f"{LABELS[scheme]}, {what}",
                UNITS[what],
                [system.label for system in SYSTEMS.values()],
                [estimate(take(data[p.key(scheme)])) for p in systems],
            )
            for scheme in SCHEMES
            for what, take in TAKES.items()
        ],
        paper_values={PRINTED[s]: printed[PRINTED[s]] for s in SCHEMES},
        measured={
            PRINTED[s]: {
                key: finite(estimate(take(data[place.key(s)])).mean)
                for key, (_, take, _) in keys.items()
            }
            for s in SCHEMES
        }
        | {"gain_mbps": finite(estimate(difference(data, place, Runs.throughput)).mean)},
        tables=[Table("table1", title, rows, [*columns, changes]), beside],
    )

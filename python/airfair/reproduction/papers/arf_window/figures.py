"""Figures 4 and 5 and Table I of the paper `arf-window`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from airfair.estimate import Estimate, Floats, estimate, paired
from airfair.figures import Category, Chart, Points, by_name, over_number
from airfair.reproduction.paper import Drawing, Json, Shown
from airfair.reproduction.series import finite, points
from airfair.reproduction.tables import Column, Table, TableCell

from .plan import (
    DECIDING,
    LABELS,
    MIDDLE,
    NEWRENO,
    SCHEMES,
    STRAIGHT,
    SYSTEMS,
    WINDOW,
    SchemePair,
    at_random,
    on_the_way,
)
from .runs import ArfWindowRuns, Measurements, Take, gain

X = "Speed [m/s]"
THROUGHPUT, DROPS = "throughput", "drop rate"
TAKES: Mapping[str, Take] = {THROUGHPUT: ArfWindowRuns.throughput, DROPS: ArfWindowRuns.drops}
Y = ("Throughput [Mb/s]", "Gain in throughput [%]", "Packet drop rate [%]")
SIGNED = (-math.inf, math.inf)
UNITS = {THROUGHPUT: "Mb/s", DROPS: "%"}

CAUSES: Mapping[str, tuple[str, Take]] = {
    "queue": ("in queue", ArfWindowRuns.drops_in_queue),
    "air": ("on the air", ArfWindowRuns.drops_on_air),
}
PRINTED = {NEWRENO: "standard", WINDOW: "proposed"}


def straight(name: str, way: str, data: Measurements) -> Shown:
    """Figure 4 or 5: throughput, gain of the scheme and drop rate over speed, with tables."""
    speeds = SYSTEMS[DECIDING].speeds
    places = [on_the_way(DECIDING, way, speed) for speed in speeds]
    rows = [f"{speed} m/s" for speed in speeds]
    title = f"Throughput in Mb/s, gain and drop rates in %, {way}"
    beside = _measured(data, lambda system: on_the_way(system, way, MIDDLE))
    drawing = Drawing(
        over_number(_charts(data, places, speeds), X, Y, columns=len(Y)),
        {"place": SYSTEMS[DECIDING].label},
        wide=True,
    )
    return Shown(
        series=[
            points(
                f"{LABELS[scheme]}, {what}",
                UNITS[what],
                speeds,
                [estimate(take(data[place.key(scheme)])) for place in places],
            )
            for scheme in SCHEMES
            for what, take in TAKES.items()
        ],
        paper_values=None,
        measured={
            scheme: {
                what: {
                    str(speed): finite(estimate(take(data[place.key(scheme)])).mean)
                    for speed, place in zip(speeds, places, strict=True)
                }
                for what, take in TAKES.items()
            }
            for scheme in SCHEMES
        },
        tables=[
            Table(name, title, rows, scheme_columns(data, places)),
            Table(
                f"{name}-beside",
                f"{way.capitalize()} at {MIDDLE} m/s: throughput in Mb/s, gain and drop rates in %",
                [SYSTEMS[id_].label for id_ in beside],
                scheme_columns(data, list(beside.values())),
            ),
        ],
        drawings={name: drawing},
    )


def _charts(data: Measurements, places: Sequence[SchemePair], speeds: Sequence[int]) -> list[Chart]:
    """Charts of throughput, gain of the proposed scheme, and drop rate over speed."""
    throughput, drops = (
        Chart(
            what.capitalize(),
            speeds,
            [Points(LABELS[s], _estimates(data, places, s, take)) for s in SCHEMES],
        )
        for what, take in TAKES.items()
    )
    nothing = Points(LABELS[NEWRENO], np.zeros((2, len(places))), possible=SIGNED)
    more = Points(LABELS[WINDOW], _pairs([gain(data, p) for p in places]), possible=SIGNED)
    return [throughput, Chart("Throughput gained", speeds, [nothing, more]), drops]


def _estimates(data: Measurements, places: Sequence[SchemePair], scheme: str, take: Take) -> Floats:
    """Means and half widths with the axes (2, pair)."""
    return _pairs([estimate(take(data[place.key(scheme)])) for place in places])


def _pairs(estimates: Sequence[Estimate]) -> Floats:
    return np.array([[one.mean for one in estimates], [one.ci95 for one in estimates]])


def scheme_columns(data: Measurements, places: Sequence[SchemePair]) -> list[Column]:
    """Columns with throughput and drop rate of both schemes, and the gain, with a row for each pair.

    Values are over the replications that both schemes have finished, so that they can be compared.
    """

    def column(scheme: str, take: Take, digits: int) -> list[TableCell]:
        return [TableCell(_compared(data, place, scheme, take), digits=digits) for place in places]

    rates = [
        Column(
            f"{scheme}-{what}",
            f"{PRINTED[scheme]}, {UNITS[what] if what == THROUGHPUT else 'drops %'}",
            column(scheme, take, 2 if what == THROUGHPUT else 3),
        )
        for what, take in TAKES.items()
        for scheme in SCHEMES
    ]
    gains = Column("gain", "gain, %", [TableCell(gain(data, p), digits=2) for p in places])
    return [*rates[:2], gains, *rates[2:]]


def _compared(data: Measurements, place: SchemePair, scheme: str, take: Take) -> Estimate:
    """Estimate for one scheme, over the replications that both schemes of the pair have finished."""
    both = paired(*(take(data[place.key(s)]) for s in SCHEMES))
    return estimate(both[SCHEMES.index(scheme)])


def _measured(data: Measurements, place: Callable[[str], SchemePair]) -> dict[str, SchemePair]:
    """Pairs by system, without systems that were not run; a quick run omits those that decide nothing."""
    places = {id_: place(id_) for id_ in SYSTEMS}
    return {id_: one for id_, one in places.items() if data.keys() >= {*one.keys_of_both}}


def _causes(data: Measurements, places: Sequence[SchemePair]) -> list[Column]:
    """Columns with the drop rates of both schemes by cause."""
    return [
        Column(
            f"{scheme}-{cause}",
            f"{PRINTED[scheme]}, {words} %",
            [TableCell(_compared(data, place, scheme, take), digits=4) for place in places],
        )
        for cause, (words, take) in CAUSES.items()
        for scheme in SCHEMES
    ]


def wandering(printed: Json, data: Measurements) -> Shown:
    """Table I: both schemes under random waypoint motion, and the same in the other systems."""
    place = at_random(DECIDING)
    keys: Mapping[str, tuple[str, Take, int]] = {
        "throughput_mbps": ("Mb/s", ArfWindowRuns.throughput, 2),
        "drop_percent": ("drops, %", ArfWindowRuns.drops, 3),
    }
    columns = [
        Column(
            key,
            label.replace(", ", " "),
            [
                TableCell(estimate(take(data[place.key(s)])), printed[PRINTED[s]][key], digits)
                for s in SCHEMES
            ],
        )
        for key, (label, take, digits) in keys.items()
    ]
    changes = Column(
        "rate_changes",
        "rate changes, 1/s",
        [TableCell(estimate(data[place.key(s)].rate_changes_per_s)) for s in SCHEMES],
    )
    rows = [LABELS[scheme] for scheme in SCHEMES]
    title = "Random waypoint, 0 to 10 m/s"
    places = _measured(data, at_random)
    systems, labels = list(places.values()), [SYSTEMS[id_].label for id_ in places]
    beside = Table(
        "table1-beside",
        "Random waypoint: throughput in Mb/s, gain and drop rates in %",
        labels,
        [*scheme_columns(data, systems), *_causes(data, systems)],
    )
    return Shown(
        series=[
            points(
                f"{LABELS[scheme]}, {what}",
                UNITS[what],
                labels,
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
        | {"gain_percent": finite(gain(data, place).mean)},
        tables=[Table("table1", title, rows, [*columns, changes]), beside],
        drawings={"table1-beside": _gains_beside(data)},
    )


SHORT = {
    DECIDING: "decides",
    "printed": "the letter",
    "smoothed": "mean RTT",
    "rts": "RTS/CTS",
    "snr": "SNR",
    "arf": "later ARF",
}
"""Short labels of the systems that are not just another place."""


def _gains_beside(data: Measurements) -> Drawing:
    """Figure of the gains of the scheme in each system."""
    ways = [*STRAIGHT, "random waypoint"]

    def place(way: str, system: str) -> SchemePair:
        return on_the_way(system, way, MIDDLE) if way in STRAIGHT else at_random(system)

    systems = _measured(data, at_random)
    names = [
        SHORT.get(id_, f"{SYSTEMS[id_].spot[0]} ms, {SYSTEMS[id_].spot[1]}") for id_ in systems
    ]

    panels = [
        Category(
            way,
            "",
            "Gain [%]",
            names,
            [
                Points(
                    "gain",
                    _pairs([gain(data, place(way, id_)) for id_ in systems]),
                    possible=SIGNED,
                )
            ],
            levels={0.0: ""},
        )
        for way in ways
    ]
    numbers = {"speed_mps": MIDDLE, "beside": len(systems) - 1}
    return Drawing(by_name(panels), numbers, wide=True)

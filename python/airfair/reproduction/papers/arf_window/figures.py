"""Figures 4 and 5 and Table I of the paper `arf-window`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from airfair.estimate import Floats, paired
from airfair.figures import Category, Chart, Points, by_name, over_number
from airfair.reproduction.paper import Drawing, Shown
from airfair.reproduction.series import line, mean, nested, points
from airfair.reproduction.tables import Column, Table, column

from . import plan
from .runs import ArfWindowRuns, Measurements, Take, gain

X = "Speed [m/s]"
THROUGHPUT, DROPS = "throughput", "drop rate"
TAKES: Mapping[str, Take] = {THROUGHPUT: ArfWindowRuns.throughput, DROPS: ArfWindowRuns.drops}
Y = ("Throughput [Mb/s]", "Gain in throughput [%]", "Packet drop rate [%]")
UNITS = {THROUGHPUT: "Mb/s", DROPS: "%"}

CAUSES: Mapping[str, Take] = {
    "in queue": ArfWindowRuns.drops_in_queue,
    "on the air": ArfWindowRuns.drops_on_air,
}
PRINTED = {plan.NEWRENO: "standard", plan.WINDOW: "proposed"}

Places = Sequence[plan.SchemePair]


def straight(name: str, way: str, data: Measurements) -> Shown:
    """Figure 4 or 5: throughput, gain of the scheme and drop rate over speed, with tables."""
    speeds = plan.SYSTEMS[plan.DECIDING].speeds
    places = [plan.on_the_way(plan.DECIDING, way, speed) for speed in speeds]
    rows = [f"{speed} m/s" for speed in speeds]
    title = f"Throughput in Mb/s, gain and drop rates in %, {way}"
    at_middle = (
        f"{way.capitalize()} at {plan.MIDDLE} m/s: throughput in Mb/s, gain and drop rates in %"
    )
    beside = _measured(data, lambda system: plan.on_the_way(system, way, plan.MIDDLE))
    figure = over_number(_charts(data, places, speeds), X, Y, columns=len(Y))
    return Shown(
        series=[
            points(f"{plan.LABELS[s]}, {what}", UNITS[what], speeds, _each(data, places, s, take))
            for s in plan.SCHEMES
            for what, take in TAKES.items()
        ],
        paper_values=None,
        measured=nested(
            ((scheme, what, str(speed)), mean(take(data[place.key(scheme)])))
            for scheme in plan.SCHEMES
            for what, take in TAKES.items()
            for speed, place in zip(speeds, places, strict=True)
        ),
        tables=[
            Table(name, title, rows, scheme_columns(data, places)),
            Table(
                f"{name}-beside",
                at_middle,
                [plan.SYSTEMS[id_].label for id_ in beside],
                scheme_columns(data, list(beside.values())),
            ),
        ],
        drawings={name: Drawing(figure, {"place": plan.SYSTEMS[plan.DECIDING].label}, wide=True)},
    )


def _each(data: Measurements, places: Places, scheme: str, take: Take) -> list[Floats]:
    return [take(data[place.key(scheme)]) for place in places]


def _charts(data: Measurements, places: Places, speeds: Sequence[int]) -> list[Chart]:
    """Charts of throughput, gain of the proposed scheme, and drop rate over speed."""
    throughput, drops = (
        Chart(
            what.capitalize(),
            speeds,
            [line(plan.LABELS[s], _each(data, places, s, take)) for s in plan.SCHEMES],
        )
        for what, take in TAKES.items()
    )
    signed = (-math.inf, math.inf)
    nothing = Points(plan.LABELS[plan.NEWRENO], np.zeros((2, len(places))), possible=signed)
    more = line(plan.LABELS[plan.WINDOW], [gain(data, place) for place in places], least=-math.inf)
    return [throughput, Chart("Throughput gained", speeds, [nothing, more]), drops]


def scheme_columns(data: Measurements, places: Places) -> list[Column]:
    """Columns with throughput and drop rate of both schemes, and the gain, with a row for each pair.

    Values are over the replications that both schemes have finished, so that they can be compared.
    """
    mbps = _compared(data, places, "Mb/s", ArfWindowRuns.throughput, 2)
    gains = column("gain, %", [gain(data, place) for place in places], 2)
    return [*mbps, gains, *_compared(data, places, "drops %", ArfWindowRuns.drops, 3)]


def _compared(
    data: Measurements, places: Places, words: str, take: Take, digits: int
) -> list[Column]:
    """Columns of both schemes, over the replications that both schemes of a pair have finished."""
    both = [paired(*(take(data[place.key(s)]) for s in plan.SCHEMES)) for place in places]
    return [
        column(f"{PRINTED[scheme]}, {words}", [pair[i] for pair in both], digits)
        for i, scheme in enumerate(plan.SCHEMES)
    ]


def _measured(
    data: Measurements, place: Callable[[str], plan.SchemePair]
) -> dict[str, plan.SchemePair]:
    """Pairs by system, without systems that were not run; a quick run omits those that decide nothing."""
    places = {id_: place(id_) for id_ in plan.SYSTEMS}
    return {id_: one for id_, one in places.items() if data.keys() >= {*one.keys_of_both}}


def wandering(data: Measurements) -> Shown:
    """Table I: both schemes under random waypoint motion, and the same in the other systems."""
    place = plan.at_random(plan.DECIDING)
    runs = {scheme: data[place.key(scheme)] for scheme in plan.SCHEMES}
    keys: Mapping[str, tuple[str, Take, int]] = {
        "throughput_mbps": ("Mb/s", ArfWindowRuns.throughput, 2),
        "drop_percent": ("drops %", ArfWindowRuns.drops, 3),
    }
    columns = [
        column(
            label,
            [take(one) for one in runs.values()],
            digits,
            [plan.TABLE1[PRINTED[scheme]][key] for scheme in runs],
        )
        for key, (label, take, digits) in keys.items()
    ]
    columns.append(column("rate changes, 1/s", [one.rate_changes_per_s for one in runs.values()]))
    places = _measured(data, plan.at_random)
    systems = list(places.values())
    causes = [
        one
        for words, take in CAUSES.items()
        for one in _compared(data, systems, f"{words} %", take, 4)
    ]
    title = "Random waypoint: throughput in Mb/s, gain and drop rates in %"
    labels = [plan.SYSTEMS[id_].label for id_ in places]
    beside = Table("table1-beside", title, labels, [*scheme_columns(data, systems), *causes])
    rows = [plan.LABELS[scheme] for scheme in plan.SCHEMES]
    return Shown(
        series=[
            points(f"{plan.LABELS[s]}, {what}", UNITS[what], labels, _each(data, systems, s, take))
            for s in plan.SCHEMES
            for what, take in TAKES.items()
        ],
        paper_values={PRINTED[scheme]: plan.TABLE1[PRINTED[scheme]] for scheme in plan.SCHEMES},
        measured={
            **{
                PRINTED[scheme]: {key: mean(take(one)) for key, (_, take, _) in keys.items()}
                for scheme, one in runs.items()
            },
            "gain_percent": mean(gain(data, place)),
        },
        tables=[Table("table1", "Random waypoint, 0 to 10 m/s", rows, columns), beside],
        drawings={"table1-beside": _gains_beside(data)},
    )


SHORT = {
    plan.DECIDING: "decides",
    "printed": "the letter",
    "smoothed": "mean RTT",
    "rts": "RTS/CTS",
    "snr": "SNR",
    "arf": "later ARF",
}
"""Short labels of the systems that are not just another place."""


def _gains_beside(data: Measurements) -> Drawing:
    """Figure of the gains of the scheme in each system."""

    def place(way: str, system: str) -> plan.SchemePair:
        return (
            plan.on_the_way(system, way, plan.MIDDLE)
            if way in plan.STRAIGHT
            else plan.at_random(system)
        )

    systems = _measured(data, plan.at_random)
    names = [
        SHORT.get(id_, f"{plan.SYSTEMS[id_].spot[0]} ms, {plan.SYSTEMS[id_].spot[1]}")
        for id_ in systems
    ]
    panels = []
    for way in (*plan.STRAIGHT, "random waypoint"):
        gains = line("gain", [gain(data, place(way, id_)) for id_ in systems], least=-math.inf)
        panels.append(Category(way, "", "Gain [%]", names, [gains], levels={0.0: ""}))
    numbers = {"speed_mps": plan.MIDDLE, "beside": len(systems) - 1}
    return Drawing(by_name(panels), numbers, wide=True)

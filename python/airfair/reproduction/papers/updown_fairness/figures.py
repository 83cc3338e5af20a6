"""Figures 2 to 4 and 6 to 8 of the paper `updown-fairness`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from airfair.estimate import Floats, estimate
from airfair.figures import Chart, Points, over_number
from airfair.reproduction.paper import Drawing, Json, Shown
from airfair.reproduction.series import finite, points
from airfair.reproduction.tables import Column, Table, TableCell

from .plan import (
    ATTEMPTS,
    CURVE,
    DECIDES,
    FOUR,
    LARGE,
    RIVAL_ATTEMPTS,
    RIVALS,
    SCHEMES,
    SHOWN,
    SYMMETRIC,
    SYSTEMS,
    TWO,
    FigurePoint,
    in_group,
)
from .runs import DOWN, UP, Measurements, UpDownRuns

X = "Transmission attempts of a frame, $M_t$"
LEAST_RATIO = 0.003
LEAST_LOSS = 1e-4
EQUAL = {1.0: "1:1"}

RATIO = "Downlink / uplink goodput"
SYSTEM = SYSTEMS[DECIDES].label

Take = Callable[[UpDownRuns], Floats]

WAYS: Mapping[str, Take] = {way: partial(UpDownRuns.goodput, way=way) for way in (DOWN, UP)}
ALL_WAYS: Mapping[str, Take] = {**WAYS, "total": UpDownRuns.total}
ESTIMATED: Mapping[str, Take] = {way: partial(UpDownRuns.loss, way=way) for way in (UP, DOWN)}
EXACT: Mapping[str, Take] = {way: partial(UpDownRuns.exact_loss, way=way) for way in (UP, DOWN)}
LOSSES = {"estimated": ESTIMATED, "exact": EXACT}
"""Functions that take losses as the paper estimates them, and exact losses."""


def ratios(scheme: str, data: Measurements) -> Shown:
    """Figure 2 or 6: ratio of downlink to uplink goodput."""
    name = {"fifo": "fig2", "scheduler": "fig6"}[scheme]
    panels = {TWO: f"(a) {TWO}", FOUR: f"(b) {FOUR}"}
    charts = [
        Chart(title, CURVE, _by_buffer(data, scheme, scenario, UpDownRuns.ratio), EQUAL)
        for scenario, title in panels.items()
    ]
    drawing = over_number(charts, X, RATIO, floor=LEAST_RATIO)
    numbers = {"scheme": SCHEMES[scheme].label, "system": SYSTEM, "least": LEAST_RATIO}
    drawings = {name: Drawing(drawing, numbers, wide=True)}
    if scheme != "fifo" and any(setup == "rivals" for setup, _ in data):
        drawings[f"{name}-rivals"] = _rivals(data)
    return Shown(
        series=[
            _series(f"{scenario}, Q = {q}", "1", data, along(scheme, scenario, q), UpDownRuns.ratio)
            for scenario in panels
            for q in LARGE
        ],
        paper_values=None,
        measured={
            scenario: _measured(data, scheme, scenario, UpDownRuns.ratio) for scenario in panels
        },
        tables=[_ratio_table(name, data, scheme, scenario) for scenario in panels],
        drawings=drawings,
    )


def _rivals(data: Measurements) -> Drawing:
    """Figure of other schemes in the axes of Figures 2(b) and 6(b)."""

    def line(scheme: str) -> Points:
        found = [FigurePoint(DECIDES, scheme, FOUR, m, SHOWN) for m in RIVAL_ATTEMPTS]
        keys = [one.key if one.key in data else in_group("rivals", one) for one in found]
        return Points(SCHEMES[scheme].label, _estimates(data, keys, UpDownRuns.ratio))

    chart = Chart(
        f"{FOUR}, Q = {SHOWN}",
        RIVAL_ATTEMPTS,
        [line(rival) for rival in RIVALS],
        EQUAL,
        line("fifo"),
    )
    figure = over_number([chart], X, RATIO, floor=LEAST_RATIO, columns=1)
    return Drawing(figure, {"packets": SHOWN}, beyond=True)


def goodputs(scheme: str, printed: Json | None, data: Measurements) -> Shown:
    """Figure 3 or 7: goodput of both directions."""
    name = {"fifo": "fig3", "scheduler": "fig7"}[scheme]
    charts = [
        Chart(
            scenario,
            ATTEMPTS,
            [
                Points(
                    way,
                    _estimates(data, _keys(along(scheme, scenario)), take),
                    {0: printed[f"{way}_pps"]} if printed and scenario == "dl1-ul1" else {},
                )
                for way, take in WAYS.items()
            ],
        )
        for scenario in SYMMETRIC
    ]
    numbers = {"scheme": SCHEMES[scheme].label, "system": SYSTEM, "packets": SHOWN}
    figure = over_number(charts, X, "Goodput [packets/s]", columns=3)
    first = data[along(scheme, "dl1-ul1")[0].key]
    return Shown(
        series=[
            _series(f"{scenario}, {way}", "packets/s", data, along(scheme, scenario), take)
            for scenario in SYMMETRIC
            for way, take in WAYS.items()
        ],
        paper_values=printed,
        measured={
            f"{way}_pps": finite(estimate(take(first)).mean) for way, take in ALL_WAYS.items()
        },
        tables=[_goodput_table(name, scheme, printed, data)],
        drawings={name: Drawing(figure, numbers, wide=True)},
    )


def losses(scheme: str, data: Measurements) -> Shown:
    """Figure 4 or 8: loss of TCP DATA in dl4-ul4."""
    name = {"fifo": "fig4", "scheduler": "fig8"}[scheme]
    charts = [
        Chart(f"({letter}) {way}", CURVE, _by_buffer(data, scheme, FOUR, ESTIMATED[way]))
        for letter, way in zip("ab", (UP, DOWN), strict=True)
    ]
    figure = over_number(charts, X, "TCP DATA loss probability", floor=LEAST_LOSS)
    numbers = {"scheme": SCHEMES[scheme].label, "system": SYSTEM, "least": LEAST_LOSS}
    return Shown(
        series=[
            _series(f"{way}, Q = {q}", "1", data, along(scheme, FOUR, q), ESTIMATED[way])
            for way in (UP, DOWN)
            for q in LARGE
        ],
        paper_values=None,
        measured={
            way: {
                words: _measured(data, scheme, FOUR, takes[way]) for words, takes in LOSSES.items()
            }
            for way in (UP, DOWN)
        },
        tables=[_loss_table(name, data, scheme)],
        drawings={name: Drawing(figure, numbers, wide=True)},
    )


def along(scheme: str, scenario: str, packets: int | None = None) -> list[FigurePoint]:
    """Points of a curve over M_t, with a buffer of `packets`; by default at every M_t with `SHOWN`."""
    attempts, q = (ATTEMPTS, SHOWN) if packets is None else (CURVE, packets)
    return [FigurePoint(DECIDES, scheme, scenario, m, q) for m in attempts]


def _keys(places: Sequence[FigurePoint]) -> list[tuple[str, str]]:
    return [place.key for place in places]


def _estimates(data: Measurements, keys: Sequence[tuple[str, str]], take: Take) -> Floats:
    """Means and half widths with the axes (2, point)."""
    all_ = [estimate(take(data[key])) for key in keys]
    return np.array([[one.mean for one in all_], [one.ci95 for one in all_]])


def _by_buffer(data: Measurements, scheme: str, scenario: str, take: Take) -> list[Points]:
    return [
        Points(f"Q = {q}", _estimates(data, _keys(along(scheme, scenario, q)), take)) for q in LARGE
    ]


def _series(
    name: str, unit: str, data: Measurements, places: Sequence[FigurePoint], take: Take
) -> Json:
    x = [place.attempts for place in places]
    return points(name, unit, x, [estimate(take(data[place.key])) for place in places])


def _measured(data: Measurements, scheme: str, scenario: str, take: Take) -> Json:
    """JSON of means by buffer and attempts."""

    def mean(place: FigurePoint) -> float | None:
        return finite(estimate(take(data[place.key])).mean)

    return {
        f"Q{q}": {f"M{place.attempts}": mean(place) for place in along(scheme, scenario, q)}
        for q in LARGE
    }


def _ratio_table(name: str, data: Measurements, scheme: str, scenario: str) -> Table:
    columns = [
        Column(f"Q{q}", f"Q = {q}", _cells(data, along(scheme, scenario, q), UpDownRuns.ratio, 3))
        for q in LARGE
    ]
    title = f"Downlink / uplink goodput, {scenario}, {SCHEMES[scheme].label}"
    return Table(f"{name}-{scenario}", title, _rows(CURVE), columns)


def _rows(attempts: Sequence[int]) -> list[str]:
    return [f"M_t = {m}" for m in attempts]


def _cells(
    data: Measurements, places: Sequence[FigurePoint], take: Take, digits: int
) -> list[TableCell]:
    return [TableCell(estimate(take(data[place.key])), digits=digits) for place in places]


def _goodput_table(name: str, scheme: str, printed: Json | None, data: Measurements) -> Table:
    places = along(scheme, "dl1-ul1")

    def column(way: str, take: Take) -> Column:
        first, *others = _cells(data, places, take, 0)
        if printed:
            first = replace(first, printed=printed[f"{way}_pps"])
        return Column(way, way, [first, *others])

    title = f"Goodput in packets/s, dl1-ul1, Q = {SHOWN}, {SCHEMES[scheme].label}"
    columns = [column(way, take) for way, take in ALL_WAYS.items()]
    return Table(name, title, _rows(ATTEMPTS), columns)


def _loss_table(name: str, data: Measurements, scheme: str) -> Table:
    def column(way: str, words: str, take: Take) -> Column:
        cells = _cells(data, along(scheme, FOUR), lambda one: 100 * take(one), 2)
        return Column(f"{way}_{words}", f"{way}, {words}", cells)

    columns = [
        column(way, words, takes[way]) for way in (UP, DOWN) for words, takes in LOSSES.items()
    ]
    title = f"Loss of TCP DATA in %, dl4-ul4, Q = {SHOWN}, {SCHEMES[scheme].label}"
    return Table(name, title, _rows(ATTEMPTS), columns)

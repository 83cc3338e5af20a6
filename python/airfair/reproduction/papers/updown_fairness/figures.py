"""Figures 2 to 4 and 6 to 8 of the paper `updown-fairness`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from airfair.estimate import Floats
from airfair.experiment.conditions import Key
from airfair.figures import Chart, Points, over_number
from airfair.reproduction.paper import Drawing, Json, Shown
from airfair.reproduction.series import each, line, mean, points
from airfair.reproduction.tables import Table, column

from . import plan
from .runs import DOWN, UP, Measurements, UpDownRuns

X = "Transmission attempts of a frame, $M_t$"
LEAST_RATIO = 0.003
LEAST_LOSS = 1e-4
EQUAL = {1.0: "1:1"}

RATIO = "Downlink / uplink goodput"
SYSTEM = plan.SYSTEMS[plan.DECIDES]

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
    panels = {plan.TWO: f"(a) {plan.TWO}", plan.FOUR: f"(b) {plan.FOUR}"}
    curves = {scenario: _by_buffer(scheme, scenario) for scenario in panels}
    charts = [
        Chart(title, plan.CURVE, _lines(data, curves[scenario], UpDownRuns.ratio), EQUAL)
        for scenario, title in panels.items()
    ]
    drawing = over_number(charts, X, RATIO, floor=LEAST_RATIO)
    numbers = {"scheme": plan.SCHEMES[scheme], "system": SYSTEM, "least": LEAST_RATIO}
    shown = Shown(
        series=[
            points(f"{scenario}, {q}", "1", plan.CURVE, each(data, keys, UpDownRuns.ratio))
            for scenario, by_buffer in curves.items()
            for q, keys in by_buffer.items()
        ],
        paper_values=None,
        measured={
            scenario: _measured(data, by_buffer, UpDownRuns.ratio)
            for scenario, by_buffer in curves.items()
        },
        tables=[
            Table(
                f"{name}-{scenario}",
                f"Downlink / uplink goodput, {scenario}, {plan.SCHEMES[scheme]}",
                _rows(plan.CURVE),
                [column(q, each(data, keys, UpDownRuns.ratio), 3) for q, keys in curve.items()],
            )
            for scenario, curve in curves.items()
        ],
        drawings={name: Drawing(drawing, numbers, wide=True)},
    )
    if scheme == "fifo" or not any(setup == "rivals" for setup, _ in data):
        return shown
    return shown.and_also([], {f"{name}-rivals": _rivals(data)})


def _rivals(data: Measurements) -> Drawing:
    """Figure of other schemes in the axes of Figures 2(b) and 6(b)."""

    def of(scheme: str) -> Points:
        found = [
            plan.FigurePoint(plan.DECIDES, scheme, plan.FOUR, m, plan.SHOWN)
            for m in plan.RIVAL_ATTEMPTS
        ]
        keys = [one.key if one.key in data else plan.in_group("rivals", one) for one in found]
        return line(plan.SCHEMES[scheme], each(data, keys, UpDownRuns.ratio))

    title = f"{plan.FOUR}, Q = {plan.SHOWN}"
    chart = Chart(
        title, plan.RIVAL_ATTEMPTS, [of(rival) for rival in plan.RIVALS], EQUAL, of("fifo")
    )
    figure = over_number([chart], X, RATIO, floor=LEAST_RATIO, columns=1)
    return Drawing(figure, {"packets": plan.SHOWN}, beyond=True)


def goodputs(scheme: str, data: Measurements) -> Shown:
    """Figure 3 or 7: goodput of both directions; the paper prints one row for FIFO."""
    name = {"fifo": "fig3", "scheduler": "fig7"}[scheme]
    printed = plan.PRINTED if scheme == "fifo" else None

    def first(way: str) -> dict[int, float]:
        return {0: printed[f"{way}_pps"]} if printed else {}

    curves = {scenario: along(scheme, scenario) for scenario in plan.SYMMETRIC}
    charts = [
        Chart(
            scenario,
            plan.ATTEMPTS,
            [
                line(
                    way,
                    each(data, keys, take),
                    printed=first(way) if scenario == "dl1-ul1" else None,
                )
                for way, take in WAYS.items()
            ],
        )
        for scenario, keys in curves.items()
    ]
    numbers = {"scheme": plan.SCHEMES[scheme], "system": SYSTEM, "packets": plan.SHOWN}
    figure = over_number(charts, X, "Goodput [packets/s]", columns=3)
    keys = curves["dl1-ul1"]
    title = f"Goodput in packets/s, dl1-ul1, Q = {plan.SHOWN}, {plan.SCHEMES[scheme]}"
    columns = [
        column(way, each(data, keys, take), 0, first(way).values())
        for way, take in ALL_WAYS.items()
    ]
    return Shown(
        series=[
            points(f"{scenario}, {way}", "packets/s", plan.ATTEMPTS, each(data, there, take))
            for scenario, there in curves.items()
            for way, take in WAYS.items()
        ],
        paper_values=printed,
        measured={f"{way}_pps": mean(take(data[keys[0]])) for way, take in ALL_WAYS.items()},
        tables=[Table(name, title, _rows(plan.ATTEMPTS), columns)],
        drawings={name: Drawing(figure, numbers, wide=True)},
    )


def losses(scheme: str, data: Measurements) -> Shown:
    """Figure 4 or 8: loss of TCP DATA in dl4-ul4."""
    name = {"fifo": "fig4", "scheduler": "fig8"}[scheme]
    curves = _by_buffer(scheme, plan.FOUR)
    charts = [
        Chart(f"({letter}) {way}", plan.CURVE, _lines(data, curves, take))
        for letter, (way, take) in zip("ab", ESTIMATED.items(), strict=True)
    ]
    figure = over_number(charts, X, "TCP DATA loss probability", floor=LEAST_LOSS)
    numbers = {"scheme": plan.SCHEMES[scheme], "system": SYSTEM, "least": LEAST_LOSS}
    title = f"Loss of TCP DATA in %, dl4-ul4, Q = {plan.SHOWN}, {plan.SCHEMES[scheme]}"
    columns = [
        column(
            f"{way}, {words}",
            [100 * loss for loss in each(data, along(scheme, plan.FOUR), takes[way])],
            2,
        )
        for way in (UP, DOWN)
        for words, takes in LOSSES.items()
    ]
    return Shown(
        series=[
            points(f"{way}, {q}", "1", plan.CURVE, each(data, keys, take))
            for way, take in ESTIMATED.items()
            for q, keys in curves.items()
        ],
        paper_values=None,
        measured={
            way: {words: _measured(data, curves, takes[way]) for words, takes in LOSSES.items()}
            for way in (UP, DOWN)
        },
        tables=[Table(name, title, _rows(plan.ATTEMPTS), columns)],
        drawings={name: Drawing(figure, numbers, wide=True)},
    )


def along(scheme: str, scenario: str, packets: int | None = None) -> list[Key]:
    """Keys of a curve over M_t, with a buffer of `packets`; by default at every M_t with `SHOWN`."""
    attempts, q = (plan.ATTEMPTS, plan.SHOWN) if packets is None else (plan.CURVE, packets)
    return [plan.FigurePoint(plan.DECIDES, scheme, scenario, m, q).key for m in attempts]


def _by_buffer(scheme: str, scenario: str) -> dict[str, list[Key]]:
    return {f"Q = {q}": along(scheme, scenario, q) for q in plan.LARGE}


def _lines(data: Measurements, curves: Mapping[str, Sequence[Key]], take: Take) -> list[Points]:
    return [line(name, each(data, keys, take)) for name, keys in curves.items()]


def _measured(data: Measurements, curves: Mapping[str, Sequence[Key]], take: Take) -> Json:
    """JSON of means by buffer and attempts."""
    return {
        q.replace(" = ", ""): {
            f"M{m}": mean(take(data[key])) for m, key in zip(plan.CURVE, keys, strict=True)
        }
        for q, keys in curves.items()
    }


def _rows(attempts: Sequence[int]) -> list[str]:
    return [f"M_t = {m}" for m in attempts]

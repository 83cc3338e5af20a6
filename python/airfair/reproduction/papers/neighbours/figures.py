"""Figures and tables of the study `neighbours`."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from airfair.estimate import Estimate, quotient
from airfair.experiment.conditions import Key
from airfair.figures import Category, by_name
from airfair.reproduction.paper import Drawing, Json, Shown
from airfair.reproduction.series import line, mean, nested
from airfair.reproduction.tables import Table, column

from . import plan
from .runs import Measurements, NeighbourRuns

PERCENT = 100


def cells(data: Measurements) -> Shown:
    """Figures and tables of two cells: goodput of my cell with each cure, in each place."""
    measured, tables, drawings = [], [], {}
    for way in plan.WAYS:
        keys = [key for key in data if key[0] == f"cells-{way}"]
        tables.append(_table(data, way, keys))
        for key in keys:
            standard, slow, cure = key[1].split(", ", 2)
            measured.append(((way, standard, slow, cure), _values(data, way, standard, key)))
        drawings[f"cures-{way}"] = Drawing(_cures(data, way), wide=True)
    return Shown([], None, nested(measured), tables, drawings)


def _relative(data: Measurements, way: str, standard: str, key: Key) -> Estimate:
    """Goodput of my cell, divided by that with fast stations only."""
    return quotient(data[key].mine(), data[plan.two(way, standard, plan.NOBODY)].mine())


def _values(data: Measurements, way: str, standard: str, key: Key) -> Json:
    runs = data[key]
    return {
        "mine": mean(runs.mine()),
        "yours": mean(runs.goodput("yours")),
        "relative": mean(_relative(data, way, standard, key)),
        "air_mine": mean(runs.air("mine")),
        "air_yours": mean(runs.air("yours")),
        "air_slow": mean(runs.slow_air()),
        "delay_ms": mean(runs.delay("mine")),
    }


def _table(data: Measurements, way: str, keys: list[Key]) -> Table:
    runs = [data[key] for key in keys]
    columns = [
        column("my cell Mb/s", [one.mine() for one in runs], 1),
        column("your cell Mb/s", [one.goodput("yours") for one in runs], 1),
        column("my cell's air %", [PERCENT * one.air("mine") for one in runs], 0),
        column("your cell's air %", [PERCENT * one.air("yours") for one in runs], 0),
        column("my delay, 95 % ms", [one.delay("mine") for one in runs], 0),
    ]
    return Table(f"cells-{way}", f"Two cells, {way}loads", [key[1] for key in keys], columns)


def _cures(data: Measurements, way: str) -> Figure:
    """Goodput of my cell beside your slow station, by cure, place and standard."""
    rows: Mapping[str, str] = {plan.NONE: "no cure", **plan.CURES[way], plan.TURNS: plan.LONGER}
    panels = [
        Category(
            label,
            "",
            "My cell's goodput / if you have fast stations only",
            list(rows.values()),
            [
                line(words, [_point(data, way, standard, cure, place) for cure in rows])
                for place, words in plan.PLACES.items()
            ],
            {1: ""},
        )
        for standard, label in plan.STANDARDS.items()
    ]
    return by_name(panels)


def _point(data: Measurements, way: str, standard: str, cure: str, place: str) -> Estimate | None:
    at = "" if cure == plan.NONE else place
    key = plan.two(way, standard, plan.YOURS, cure, at)
    return _relative(data, way, standard, key) if key in data else None


# ------------------------------------------------------------------ flow in the middle


def middle(data: Measurements) -> Shown:
    """Figure and table of the cell between two others, by cure and place."""
    keys = [key for key in data if key[0] == "middle"]
    measured = []
    for key in keys:
        standard, slow, cure = key[1].split(", ", 2)
        runs = data[key]
        values = {
            "middle": mean(runs.goodput("middle")),
            "outer": mean(runs.goodput("left", "right") / 2),
            "part": mean(runs.middle_part()),
            "air": mean(runs.air("middle")),
        }
        measured.append(((standard, slow, cure), values))
    columns = [
        column("middle cell Mb/s", [data[key].goodput("middle") for key in keys], 2),
        column("outer cell Mb/s", [data[key].goodput("left", "right") / 2 for key in keys], 1),
        column("middle cell's air %", [PERCENT * data[key].air("middle") for key in keys], 1),
    ]
    table = Table("middle", "A cell between two others", [key[1] for key in keys], columns)
    drawing = Drawing(_middle(data), wide=True)
    return Shown([], None, nested(measured), [table], {"middle": drawing})


def _middle(data: Measurements) -> Figure:
    """Goodput of the middle cell, divided by that of an outer one, by cure and place."""
    cases: dict[str, tuple[str, str, str]] = {
        "no slow\nstation": (plan.NOBODY, plan.NONE, ""),
        "slow stations\nin outer cells": (plan.OUTER, plan.NONE, ""),
    }
    for cure, label in plan.CURES["down"].items():
        for place, where in plan.AMONG_THREE.items():
            cases[f"{label}\n{where}"] = (plan.OUTER, cure, place)
    groups = [
        line(
            label,
            [
                PERCENT * data[key].middle_part()
                if (key := plan.three(standard, *case)) in data
                else None
                for case in cases.values()
            ],
        )
        for standard, label in plan.STANDARDS.items()
    ]
    panels = [
        Category("", "", "Goodput of the middle cell / of an outer cell [%]", list(cases), groups)
    ]
    return by_name(panels)


# ------------------------------------------------------------------ spatial reuse


def reuse(data: Measurements) -> Shown:
    """Figure and table of two cells side by side, without spatial reuse and with it."""
    keys = [key for key in data if key[0] == "reuse"]
    measured = []
    for key in keys:
        colour, slow, cure = key[1].split(", ", 2)
        values = {"mine": mean(data[key].mine()), "yours": mean(data[key].yours())}
        measured.append(((colour, slow, cure), values))
    columns = [
        column("my cell Mb/s", [data[key].mine() for key in keys], 0),
        column("your cell Mb/s", [data[key].yours() for key in keys], 0),
        column("my delay, 95 % ms", [data[key].delay("mine") for key in keys], 0),
    ]
    table = Table("reuse", "Two cells side by side", [key[1] for key in keys], columns)
    drawing = Drawing(_reuse(data), wide=True)
    return Shown([], None, nested(measured), [table], {"reuse": drawing})


def _reuse(data: Measurements) -> Figure:
    """Goodput of my cell and of yours, by cure, without spatial reuse and with it."""
    cases: dict[str, tuple[str, str, str]] = {
        "no slow\nstation": (plan.NOBODY, plan.NONE, ""),
        "your slow\nstation": (plan.YOURS, plan.NONE, ""),
        f"{plan.LONGER}\nin my cell": (plan.YOURS, plan.TURNS, "mine"),
    }
    label = plan.CURES["down"]["airtime"]
    cases |= {
        f"{label}\n{where}": (plan.YOURS, "airtime", place) for place, where in plan.PLACES.items()
    }
    panels = [
        Category(
            f"{whose} cell",
            "",
            "Goodput [Mb/s]",
            list(cases),
            [
                line(
                    words,
                    [
                        goodput(data[key]) if (key := plan.reuse(colour, *case)) in data else None
                        for case in cases.values()
                    ],
                )
                for colour, words in plan.COLOURS.items()
            ],
        )
        for whose, goodput in (("My", NeighbourRuns.mine), ("Your", NeighbourRuns.yours))
    ]
    return by_name(panels)

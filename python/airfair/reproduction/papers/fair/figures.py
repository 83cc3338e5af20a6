"""Figures and tables of the study `fair`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product

import numpy as np

from airfair.estimate import Floats, estimate, finite
from airfair.experiment.conditions import Key
from airfair.figures import Category, Figure, by_name
from airfair.reproduction.paper import Drawing, Json, Shown
from airfair.reproduction.series import Sampled, line, mean, nested
from airfair.reproduction.tables import Table, column

from . import plan
from .claims import COMPARABLE, EQUAL, NEARLY, SECOND_STEPS, best_rival, relative, together
from .runs import FairRuns, Measurements

PERCENT = 100
MILLISECONDS = 1000
WINDOWS: Mapping[str, Callable[..., Floats]] = {
    "0.2 s": lambda runs, backlog: runs.windows(1, backlog=backlog),
    "1 s": lambda runs, backlog: runs.windows(SECOND_STEPS, backlog=backlog),
    "20 s": lambda runs, backlog: runs.jain_with_backlog() if backlog else runs.jain(),
}
"""Mean index by the length of the window; the last one is the whole measured time."""
SIGNED = -1.0
"""Smallest possible value of an axis that need not begin at zero."""
LOWEST = 0.15
"""Lower end of the axes of indices, below the mean index of each cell."""


def values(runs: FairRuns) -> Json:
    """Values of a variant for the document."""
    return {
        "jain": mean(runs.jain()),
        "backlog": _there(runs.jain_with_backlog()),
        "stations": mean(runs.with_backlog()),
        "goodput": mean(runs.goodput()),
        "call_ms": mean(runs.call()),
        "completion_ms": _there(MILLISECONDS * runs.completion()),
        "unfinished": mean(runs.unfinished()),
        "w02": _there(runs.windows(1)),
        "w1": _there(runs.windows(SECOND_STEPS)),
    }


def _there(samples: Floats) -> float | None:
    """Mean of the samples that exist."""
    return mean(_known(samples))


def _known(samples: Floats) -> Floats | None:
    there = samples[~np.isnan(samples)]
    return there if there.size else None


def _table(id_: str, title: str, data: Measurements, keys: Sequence[Key]) -> Table:
    runs = [data[key] for key in keys]
    columns = [
        column("index, all", [one.jain() for one in runs], 3),
        column("index, backlog", [_known(one.jain_with_backlog()) for one in runs], 3),
        column("with backlog", [one.with_backlog() for one in runs], 1),
        column("index, 1 s", [_known(one.windows(SECOND_STEPS)) for one in runs], 3),
        column("goodput Mb/s", [one.goodput() for one in runs], 1),
        column("call, 95 % ms", [one.call() for one in runs], 0),
        column("short downloads ms", [_known(MILLISECONDS * one.completion()) for one in runs], 0),
    ]
    return Table(id_, title, [key[1] for key in keys], columns)


# ------------------------------------------------------------------ the 81 cells


def cells(data: Measurements) -> Shown:
    """Figures and tables of the 81 cells, with the airtime scheduler alone and with the fair access point."""
    measured: list[tuple[Sequence[str], object]] = []
    schemes = (plan.AIRTIME, plan.FAIR)
    for cell, scheme in product(plan.cells(), schemes):
        path = (cell.standard, cell.way, cell.round_trip, cell.stations, scheme)
        measured.append((path, values(data[cell.key(scheme)])))
    for scheme in schemes:
        measured.append((("all", scheme), _summary(data, plan.cells(), scheme)))
        for standard in plan.STANDARDS:
            measured.append(
                (("of", standard, "all", scheme), _summary(data, plan.cells(standard), scheme))
            )
            for way in plan.WAYS:
                found = _summary(data, plan.cells(standard, way), scheme)
                measured.append((("of", standard, way, scheme), found))
    keys = [key for key in data if key[0] in {"cells", "mixed"}]
    table = _table("cells", "The 81 cells", data, keys)
    drawings = {
        "map": Drawing(_map(data), wide=True),
        "windows": Drawing(_windows(data), wide=True),
    }
    return Shown([], None, nested(measured), [table], drawings)


def _summary(data: Measurements, of: Sequence[plan.Cell], scheme: str) -> Json:
    """Counts and means over cells."""
    runs = [data[cell.key(scheme)] for cell in of]
    plain = [float(one.jain().mean()) for one in runs]
    among = _existing(one.jain_with_backlog() for one in runs)
    seconds = _existing(one.windows(SECOND_STEPS) for one in runs)
    shortest = _existing(one.windows(1) for one in runs)
    return {
        "cells": len(runs),
        "mean": float(np.mean(plain)),
        "least": min(plain),
        "equal": sum(one >= EQUAL for one in plain),
        "exists": len(among),
        "least_backlog": min(among, default=None),
        "equal_backlog": sum(one >= EQUAL for one in among),
        "mean_second": float(np.mean(seconds)) if seconds else None,
        "least_second": min(seconds, default=None),
        "mean_shortest": float(np.mean(shortest)) if shortest else None,
        "least_shortest": min(shortest, default=None),
        "plain_second": float(
            np.mean([one.windows(SECOND_STEPS, backlog=False).mean() for one in runs])
        ),
        "plain_shortest": float(np.mean([one.windows(1, backlog=False).mean() for one in runs])),
        "goodput": _times([relative(data, cell, plan.AIRTIME) for cell in of]),
        "download_part": float(np.mean([one.download_part().mean() for one in runs])),
        "call_ms": float(np.mean([one.call().mean() for one in runs])),
        "completion_ms": float(np.mean(_existing(MILLISECONDS * one.completion() for one in runs))),
    }


def _existing(samples: Iterable[Floats]) -> list[float]:
    """Means of those samples that exist."""
    return [one for one in map(_there, samples) if one is not None]


def _times(ratios: Sequence[Floats]) -> float:
    """Geometric mean of ratios."""
    return float(np.exp(np.mean([np.log(one).mean() for one in ratios])))


def _map(data: Measurements) -> Figure:
    """Index in each of the 81 cells. It has no version for narrow screens, which would have 81 rows."""
    groups: list[tuple[str, str, Callable[[FairRuns], Floats]]] = [
        ("airtime, all", plan.AIRTIME, FairRuns.jain),
        ("airtime, with backlog", plan.AIRTIME, FairRuns.jain_with_backlog),
        ("fair, all", plan.FAIR, FairRuns.jain),
        ("fair, with backlog", plan.FAIR, FairRuns.jain_with_backlog),
    ]
    panels = []
    for standard, title in plan.STANDARDS.items():
        of = plan.cells(standard)
        rows = [f"{cell.way}, {cell.round_trip}, {cell.stations}" for cell in of]
        lines = [
            line(
                label,
                [_known(take(data[cell.key(scheme)])) for cell in of],
                least=SIGNED,
                most=1,
            )
            for label, scheme, take in groups
        ]
        panels.append(Category(title, "", "Jain's index of airtime", rows, lines, {EQUAL: ""}))
    figure = _from_lowest(by_name(panels))
    figure.narrow = None
    return figure


def _from_lowest(figure: Figure) -> Figure:
    """The figure with axes of indices that all begin at `LOWEST`."""
    for ax in figure.axes:
        ax.set_xlim(LOWEST, 1.02)
    return figure


def _windows(data: Measurements) -> Figure:
    """Mean index by the length of the window, over the cells of a standard and a direction."""
    cases = list(product(plan.STANDARDS, plan.WAYS))
    panels = []
    for title, scheme, backlog in (
        ("Airtime scheduler, all stations", plan.AIRTIME, False),
        ("Fair access point, all stations", plan.FAIR, False),
        ("Fair access point, with backlog", plan.FAIR, True),
    ):
        lines = [
            line(
                label,
                [_over(data, case, scheme, backlog, take) for case in cases],
                least=SIGNED,
                most=1,
            )
            for label, take in WINDOWS.items()
        ]
        names = [f"{plan.STANDARDS[standard]} {way}" for standard, way in cases]
        panels.append(Category(title, "", "Mean of Jain's index in windows", names, lines))
    figure = _from_lowest(by_name(panels))
    figure.narrow = lambda: _from_lowest(by_name(panels, stacked=True))
    return figure


def _over(
    data: Measurements,
    case: tuple[str, str],
    scheme: str,
    backlog: bool,  # noqa: FBT001 - as in `WINDOWS`
    take: Callable[..., Floats],
) -> Sampled:
    of = [take(data[cell.key(scheme)], backlog) for cell in plan.cells(*case)]
    return _known(together(of, np.mean))


# ------------------------------------------------------------------ rivals


def rivals(data: Measurements) -> Shown:
    """Figure and tables of the rivals, in the cells of five fast stations and a slow one."""
    of = plan.cells(stations=[plan.RIVAL_STATIONS])
    schemes = {**plan.RIVALS, plan.FAIR: plan.FAIR_LABEL}
    measured: list[tuple[Sequence[str], object]] = []
    for scheme in schemes:
        for cell in of:
            path = (cell.standard, cell.way, cell.round_trip, scheme)
            measured.append((path, values(data[cell.key(scheme)])))
        found = _against(data, of, scheme)
        measured += [(("all", scheme, name), value) for name, value in found.items()]
        for standard in plan.STANDARDS:
            found = _against(data, plan.cells(standard, stations=[plan.RIVAL_STATIONS]), scheme)
            measured += [(("of", standard, scheme, name), value) for name, value in found.items()]
    best = {cell: best_rival(data, cell) for cell in of}
    ratios = [
        float(relative(data, cell, rival).mean())
        for cell, rival in best.items()
        if rival is not None
    ]
    measured += [
        (("best", "cells"), len(ratios)),
        (("best", "least"), min(ratios, default=None)),
        (("best", "nearly"), sum(one >= NEARLY for one in ratios)),
        (("best", "mean"), float(np.exp(np.mean(np.log(ratios)))) if ratios else None),
    ]
    keys = [cell.key(scheme) for cell in of for scheme in schemes]
    tables = [_rivals_table(data, of, schemes), _table("rivals", "Rivals in each cell", data, keys)]
    drawings = {"goodput": Drawing(_goodput(data), wide=True)}
    return Shown([], None, nested(measured), tables, drawings)


def _against(data: Measurements, of: Sequence[plan.Cell], scheme: str) -> Json:
    """Means of a scheme over cells, with the goodput relative to that of the fair access point."""
    return _means(*([data[cell.key(one)] for cell in of] for one in (scheme, plan.FAIR)))


def _means(runs: Sequence[FairRuns], fair: Sequence[FairRuns]) -> Json:
    """Means over cells: indices, goodput relative to the fair access point, delays."""
    plain = [float(one.jain().mean()) for one in runs]
    among = _existing(one.jain_with_backlog() for one in runs)
    goodputs = [
        float(one.goodput().mean()) / float(other.goodput().mean())
        for one, other in zip(runs, fair, strict=True)
    ]
    calls = [float(one.call().mean()) for one in runs]
    pages = _existing(MILLISECONDS * one.completion() for one in runs)
    return {
        "jain": float(np.mean(plain)),
        "least": min(plain),
        "equal": sum(one >= EQUAL for one in plain),
        "comparable": sum(float(one.known_jain().mean()) >= COMPARABLE for one in runs),
        "exists": len(among),
        "equal_backlog": sum(one >= EQUAL for one in among),
        "goodput": float(np.exp(np.mean(np.log(goodputs)))),
        "call_ms": float(np.median(calls)),
        "call_most_ms": max(calls),
        "completion_ms": float(np.median(pages)) if pages else None,
    }


def _rivals_table(data: Measurements, of: Sequence[plan.Cell], schemes: Mapping[str, str]) -> Table:
    """Means over all cells with rivals."""

    def over(scheme: str, take: Callable[[FairRuns], Floats]) -> Sampled:
        return _known(together([take(data[cell.key(scheme)]) for cell in of], np.mean))

    def ratio(scheme: str) -> Sampled:
        logs = [-np.log(relative(data, cell, scheme)) for cell in of]
        return _known(np.exp(together(logs, np.mean)))

    columns = [
        column("index, all", [over(one, FairRuns.jain) for one in schemes], 3),
        column("index, backlog", [over(one, FairRuns.jain_with_backlog) for one in schemes], 3),
        column("goodput / fair access point's", [ratio(one) for one in schemes], 2),
        column("call, 95 % ms", [over(one, FairRuns.call) for one in schemes], 0),
        column(
            "short downloads ms",
            [over(one, lambda runs: MILLISECONDS * runs.completion()) for one in schemes],
            0,
        ),
    ]
    return Table("rivals-all", "Rivals, mean over 27 cells", list(schemes.values()), columns)


def _goodput(data: Measurements) -> Figure:
    """Goodput, divided by that of the best fair rival and of the airtime scheduler alone."""
    panels = []
    for standard, title in plan.STANDARDS.items():
        of = plan.cells(standard, stations=[plan.RIVAL_STATIONS])
        against: list[Sampled] = []
        for cell in of:
            rival = best_rival(data, cell)
            against.append(None if rival is None else relative(data, cell, rival))
        alone: list[Sampled] = [relative(data, cell, plan.AIRTIME) for cell in of]
        groups = [
            line("best rival with an index of 0.95", against),
            line("airtime scheduler", alone),
        ]
        names = [f"{cell.way}, {cell.round_trip}" for cell in of]
        label = "Goodput of the fair access point / that of"
        panels.append(Category(title, "", label, names, groups, {1: ""}))
    return by_name(panels)


# ------------------------------------------------------------------ parts, transports, conditions


def parts(data: Measurements) -> Shown:
    """Table of the fair access point without one of its parts, or with other parameters."""
    of = [
        cell
        for way in plan.SENT_WAYS
        for cell in plan.cells(None, way, [plan.RIVAL_STATIONS], [plan.MIDDLE])
    ]
    changes = {plan.FAIR: "as it is", **plan.PARTS}
    measured: list[tuple[Sequence[str], object]] = []
    for change in changes:
        runs = [data[cell.part(change)] for cell in of]
        for cell, one in zip(of, runs, strict=True):
            measured.append(((cell.standard, cell.way, change), values(one)))
        found = _means(runs, [data[cell.part(plan.FAIR)] for cell in of])
        measured += [(("all", change, name), value) for name, value in found.items()]
    keys = [cell.part(change) for cell in of for change in changes]
    return Shown([], None, nested(measured), [_table("parts", "Parts", data, keys)])


def transports(data: Measurements) -> Shown:
    """Table of transports, with the airtime scheduler alone and with the fair access point."""
    measured = []
    for standard, way, sender in product(plan.STANDARDS, plan.SENT_WAYS, plan.SENDERS):
        grants = [plan.GRANTS] if sender in plan.UNFRIENDLY else []
        for scheme in (plan.AIRTIME, plan.FAIR, *grants):
            key = plan.sent(standard, way, sender, scheme)
            measured.append(((standard, way, sender, scheme), values(data[key])))
    keys = [key for key in data if key[0] == "transports"]
    return Shown([], None, nested(measured), [_table("transports", "Transports", data, keys)])


def ofdma(data: Measurements) -> Shown:
    """Table of OFDMA whose users are chosen by credits, and by the accounts of the fair access point."""
    measured = []
    for way, sender, scheme in product(plan.SENT_WAYS, plan.OFDMA_SENDERS, plan.OFDMA_SCHEMES):
        runs = data[plan.triggered(way, sender, scheme)]
        samples = {"jain": runs.jain(), "goodput": runs.goodput(), "call_ms": runs.call()}
        halves = {name: finite(estimate(one).ci95) for name, one in samples.items()}
        found = {**values(runs), "ci95": halves}
        measured.append(((way, sender, scheme), found))
    keys = [key for key in data if key[0] == "ofdma"]
    return Shown([], None, nested(measured), [_table("ofdma", "OFDMA", data, keys)])


def stability(data: Measurements) -> Shown:
    """Table of the loop of windows over the plane of its gain and its delay."""
    keys = list(product(plan.WINDOW_TIMES, plan.DELAYS))
    runs = [data[plan.loop(*key)] for key in keys]
    found = [
        {"jain": mean(one.jain()), "w1": mean(one.windows(SECOND_STEPS, backlog=False))}
        for one in runs
    ]
    least = {name: min(float(one[name] or 0) for one in found) for name in ("jain", "w1")}
    measured: list[tuple[Sequence[str], object]] = list(zip(keys, found, strict=True))
    measured.append((("least",), least))
    of = [plan.loop(*key) for key in keys]
    return Shown([], None, nested(measured), [_table("stability", "Stability", data, of)])


def conditions(data: Measurements) -> Shown:
    """Table of uploads under other conditions."""
    measured = []
    for standard, name in product(plan.STANDARDS, plan.CONDITIONS):
        if plan.has(standard, name):
            for scheme in (plan.AIRTIME, plan.FAIR):
                runs = data[plan.under(standard, name, scheme)]
                measured.append(((standard, name, scheme), values(runs)))
    keys = [key for key in data if key[0] in {"conditions", plan.NEIGHBOUR}]
    return Shown([], None, nested(measured), [_table("conditions", "Conditions", data, keys)])


def changes(data: Measurements) -> Shown:
    """Table of the time until the air is shared equally again after the cell has changed."""
    keys = list(product(plan.STANDARDS, plan.CHANGES, (plan.AIRTIME, plan.FAIR)))
    runs = [data[plan.changed(*key)] for key in keys]
    measured = [
        (key, {"settled": mean(one.settled())}) for key, one in zip(keys, runs, strict=True)
    ]
    settled = column("settled after s", [one.settled() for one in runs], 1)
    rows = [
        f"{plan.STANDARDS[standard]}, {plan.CHANGES[change]}, {scheme}"
        for standard, change, scheme in keys
    ]
    return Shown([], None, nested(measured), [Table("changes", "Changes", rows, [settled])])

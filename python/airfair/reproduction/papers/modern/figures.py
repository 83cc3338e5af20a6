"""Figures and tables of the study `modern`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from airfair.estimate import Estimate, Floats, estimate, quotient
from airfair.figures import Category, Chart, Points, by_category, by_name, over_number
from airfair.reproduction.paper import Drawing, Json, Shown
from airfair.reproduction.series import finite
from airfair.reproduction.tables import Column, Table, TableCell

from .plan import (
    AGGREGATED,
    AIRTIME,
    ALL_WAYS,
    ALONE,
    COMMITTED,
    COMPARED,
    COUNTS,
    DRIVER,
    ENDS,
    FIFO,
    FOUND,
    FQ_CODEL,
    FQ_MAC,
    FULL,
    LEGACY,
    MODERN,
    PRINTED,
    QUEUES,
    RATES,
    READ,
    READ_IN,
    READINGS,
    SCHEMES,
    SET,
    SOLD,
    SOLD_QUEUES,
    STANDARDS,
    TESTBED_QUEUES,
    TESTBED_RUNS,
    TESTBEDS,
    WAYS,
    Key,
    anomaly,
    ath9k,
    baseline,
    ending,
    printed,
    reading,
    scheme,
    sent,
    short_flows,
    sold,
    stations,
    works,
)
from .runs import FAST, SLOW, Measurements, ModernRuns

Take = Callable[[ModernRuns], Floats]
MISSING = Estimate(math.nan, math.nan)
"""Estimate without a value, for combinations that were not run."""
PERCENT = 100
MEDIAN, LATE = 0.5, 0.95


def _known(samples: Floats) -> Estimate:
    """Estimate of the mean; `MISSING` if a sample has no value."""
    return estimate(samples) if np.isfinite(samples).all() else MISSING


def _points(label: str, estimates: Sequence[Estimate], most: float = math.inf) -> Points:
    return Points(
        label,
        np.array([[one.mean for one in estimates], [one.ci95 for one in estimates]]),
        possible=(0.0, most),
    )


def _column(label: str, runs: Sequence[ModernRuns], take: Take, digits: int) -> Column:
    return Column(label, label, [TableCell(_known(take(one)), digits=digits) for one in runs])


# ------------------------------------------------------------------ the anomaly

_LEAD: Mapping[str, tuple[str | None, str]] = {
    "alone": (ALONE, FIFO),
    "aggregated": (None, FIFO),
    "FQ-CoDel": (None, FQ_CODEL),
    "airtime scheduler": (None, AIRTIME),
}
"""Aggregation and queue of each group of points; `None` stands for aggregates, except in 802.11g."""


def _lead_key(standard: str, way: str, how: str | None, queue: str) -> Key | None:
    if queue == FIFO:
        return _key(standard, way, how or AGGREGATED, ENDS[standard][0])
    return anomaly(standard, way, sent(standard), queue)


BETWEEN = "rates-ax"
MANY = "stations-ax"
"""Setups that a quick run leaves out."""


def _slow_part(data: Measurements, way: str) -> Figure:
    def at(standard: str, how: str | None, queue: str) -> Estimate:
        key = _lead_key(standard, way, how, queue)
        return MISSING if key is None else estimate(data[key].slow_part()).times(PERCENT)

    groups = [
        _points(label, [at(standard, *where) for standard in STANDARDS], PERCENT)
        for label, where in _LEAD.items()
    ]
    names = [
        f"{name}\n{rates[0]} beside {rates[-1]} Mb/s"
        for name, rates in zip(STANDARDS.values(), RATES.values(), strict=True)
    ]
    y_label = "Slow station's share of the air [%]"
    return by_category(Category("", y_label, "", names, groups, {50: "half"}), wide=True)


def _key(standard: str, way: str, how: str, slow: str) -> Key | None:
    """Key of the runs with this aggregation; `None` for aggregates in 802.11g, which has none."""
    if standard == LEGACY:
        return anomaly(standard, way, sent(standard), slow=slow) if how == ALONE else None
    return anomaly(standard, way, how, slow=slow)


def _fast(data: Measurements, standard: str, way: str, how: str, slow: str) -> Estimate:
    key = _key(standard, way, how, slow)
    return MISSING if key is None else estimate(data[key].goodput(FAST))


def _goodput_figure(data: Measurements, way: str) -> Figure:
    charts = []
    for standard, name in STANDARDS.items():
        rates = RATES[standard]
        lines = [
            _points(how, [_fast(data, standard, way, how, rate) for rate in rates])
            for how in (ALONE, AGGREGATED)
        ]
        relative = [float(rate) / float(rates[-1]) for rate in rates]
        charts.append(Chart(name, relative, lines))
    x_label = "Rate of the slow station / rate of the fast station"
    return over_number(charts, x_label, "Goodput of the fast station [Mb/s]", floor=1)


def _anomaly_table(data: Measurements, way: str) -> Table:
    there = RATES if BETWEEN in {setup for setup, _ in data} else ENDS
    places = [(standard, rate) for standard, rates in there.items() for rate in rates]
    rows = [f"{STANDARDS[standard]}, {rate} Mb/s" for standard, rate in places]

    def column(what: str, unit: str, how: str, take: Take, digits: int) -> Column:
        cells = []
        for standard, rate in places:
            key = _key(standard, way, how, rate)
            found = MISSING if key is None else _known(take(data[key]))
            cells.append(TableCell(found, digits=digits))
        return Column(f"{what}-{how}", f"{what}, {how} {unit}", cells)

    columns = [
        column(what, unit, how, take, digits)
        for what, unit, take, digits in (
            ("fast", "Mb/s", lambda runs: runs.goodput(FAST), 1),
            ("slow", "Mb/s", lambda runs: runs.goodput(SLOW), 1),
            ("slow's air", "%", lambda runs: PERCENT * runs.slow_part(), 0),
        )
        for how in (ALONE, AGGREGATED)
    ]
    title = f"Goodput of two {way}loads with a FIFO, by standard and rate of the slow station"
    return Table(f"anomaly-{way}", title, rows, columns)


def _queue_table(data: Measurements) -> Table:
    places = [(way, standard, queue) for way in WAYS for standard in STANDARDS for queue in QUEUES]
    keys = [anomaly(standard, way, sent(standard), queue) for way, standard, queue in places]
    rows = [f"{way}, {STANDARDS[standard]}, {QUEUES[queue]}" for way, standard, queue in places]
    return Table(
        "anomaly-queues",
        "Goodput with the slow station at the lowest rate, by queue of the access point",
        rows,
        _figures_of(data, keys),
    )


def _figures_of(data: Measurements, keys: Sequence[Key]) -> list[Column]:
    """Columns of the quantities that all tables of the study have."""
    column = partial(_column, runs=[data[key] for key in keys])
    return [
        column("fast Mb/s", take=lambda runs: runs.goodput(FAST), digits=1),
        column("slow Mb/s", take=lambda runs: runs.goodput(SLOW), digits=1),
        column("sum Mb/s", take=ModernRuns.total, digits=1),
        column("Jain of airtime", take=ModernRuns.jain, digits=2),
        column("fast, 95 % ms", take=lambda runs: runs.delay(FAST), digits=0),
        column("slow, 95 % ms", take=lambda runs: runs.delay(SLOW), digits=0),
        column("loss %", take=lambda runs: PERCENT * runs.loss(), digits=2),
    ]


def _mean(samples: Floats) -> float | None:
    return finite(float(samples.mean()))


def anomalies(data: Measurements) -> Shown:
    """Figures and tables of the anomaly in each standard."""
    measured: Json = {
        way: {
            standard: {
                queue: _mean(data[anomaly(standard, way, sent(standard), queue)].slow_part())
                for queue in QUEUES
            }
            for standard in STANDARDS
        }
        for way in WAYS
    }
    tables = [*(_anomaly_table(data, way) for way in WAYS), _queue_table(data)]
    drawings = {f"anomaly-{way}": Drawing(_slow_part(data, way), wide=True) for way in WAYS}
    done = {setup for setup, _ in data}
    if BETWEEN in done:
        drawings["anomaly-goodput"] = Drawing(_goodput_figure(data, "down"), wide=True)
    if MANY in done:
        figure, table, measured["stations"] = _many(data)
        drawings["stations"] = Drawing(figure, wide=True)
        tables.append(table)
    return Shown([], None, measured, tables, drawings)


# ------------------------------------------------------------------ many stations

_MANY: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "FIFO": {
        "802.11g": (LEGACY, sent(LEGACY), FIFO),
        "802.11ax": ("ax", AGGREGATED, FIFO),
        "802.11ax, alone": ("ax", ALONE, FIFO),
    },
    "Airtime scheduler": {
        "802.11g": (LEGACY, sent(LEGACY), AIRTIME),
        "802.11ax": ("ax", AGGREGATED, AIRTIME),
    },
}
"""Standard, aggregation and queue of each curve, by panel and label."""


def _many(data: Measurements) -> tuple[Figure, Table, Json]:
    """Figure, table and JSON of the slow station's share of airtime in cells of N stations."""
    x = [int(count) for count in COUNTS]
    named = {f"{of}, {queue}": cell for queue, cells in _MANY.items() for of, cell in cells.items()}

    def part(cell: tuple[str, str, str], count: str) -> Floats:
        return data[stations(*cell, count)].slow_part()

    fair = _points("one of N", [Estimate(PERCENT / n, 0.0) for n in x])
    charts = [
        Chart(
            queue,
            x,
            [
                _points(of, [estimate(PERCENT * part(cell, n)) for n in COUNTS], PERCENT)
                for of, cell in cells.items()
            ],
            reference=fair,
        )
        for queue, cells in _MANY.items()
    ]
    columns = [
        Column(
            f"{what}-{place}",
            f"{label}, {what} {unit}",
            [TableCell(estimate(take(data[stations(*cell, n)])), digits=digits) for n in COUNTS],
        )
        for what, unit, take, digits in (
            ("sum", "Mb/s", ModernRuns.total, 1),
            ("slow's air", "%", lambda runs: PERCENT * runs.slow_part(), 0),
        )
        for place, (label, cell) in enumerate(named.items())
    ]
    figure = over_number(charts, "Number of stations", "Slow station's share of the air [%]")
    measured: Json = {
        queue: {of: {f"N{n}": _mean(part(cell, n)) for n in COUNTS} for of, cell in cells.items()}
        for queue, cells in _MANY.items()
    }
    rows = [f"N = {n}" for n in COUNTS]
    table = Table(
        "stations",
        "Goodput and slow station's share of the air, N downloads, one to a slow station",
        rows,
        columns,
    )
    return figure, table, measured


# ------------------------------------------------------------------ Ending the Anomaly


def testbed(data: Measurements) -> Shown:
    """Figure and tables of the three stations of the testbed, for each variant of the testbed."""
    labels = {place: f"{TESTBEDS[place[0]]}, {TESTBED_QUEUES[place[1]]}" for place in TESTBED_RUNS}
    columns = [
        Column(f"testbed{number}", label, _of_testbed(data[ending(*place)], place[1]))
        for number, (place, label) in enumerate(labels.items())
    ]
    names = data[ending(*TESTBED_RUNS[0])].stations
    rows = [
        *(f"{name} Mb/s" for name in names),
        "all Mb/s",
        *(f"{name}, air %" for name in names),
        "aggregate, packets",
    ]
    shown = {"FIFO": (FULL, DRIVER), "airtime scheduler": (FULL, AIRTIME)}
    groups = []
    for label, place in shown.items():
        runs, figures = data[ending(*place)], PRINTED[printed(place[1])]["mbps"]
        all_ = [*(estimate(one) for one in runs.mbps.T), estimate(runs.total())]
        points = _points(label, all_)
        groups.append(Points(label, points.estimates, dict(enumerate([*figures, sum(figures)]))))
    figure = by_category(Category("", "Goodput [Mb/s]", "", [*names, "all"], groups))
    measured: Json = {
        f"{testbed}, {queue}": {
            "mbps": [_mean(one) for one in data[ending(testbed, queue)].mbps.T],
            "air": [_mean(one) for one in data[ending(testbed, queue)].airtime.T],
        }
        for testbed, queue in TESTBED_RUNS
    }
    tables = [
        Table("ending", "Goodput of three stations, by testbed and queue", rows, columns),
        _committed(data, names),
    ]
    return Shown([], dict(PRINTED), measured, tables, {"ending": Drawing(figure)})


def _of_testbed(runs: ModernRuns, queue: str) -> list[TableCell]:
    """Cells with goodput, shares of airtime and aggregates, and the printed values for the queue."""
    held = PERCENT * runs.airtime / runs.airtime.sum(axis=1, keepdims=True)
    measured = [*runs.mbps.T, runs.total(), *held.T]
    said: list[float | None] = [None] * len(measured)
    if queue != FQ_MAC:
        figures = PRINTED[printed(queue)]
        mbps, air = figures["mbps"], figures["air"]
        said = [*mbps, sum(mbps), *(PERCENT * part for part in air)]
    cells = [TableCell(estimate(a), b, digits=1) for a, b in zip(measured, said, strict=True)]
    return [*cells, TableCell(estimate(runs.aggregate), digits=1)]


def _committed(data: Measurements, names: Sequence[str]) -> Table:
    """Table of the goodput of three stations before and after ath9k's airtime scheduler."""
    columns = []
    for queue, figures in COMMITTED.items():
        rates = [estimate(one) for one in data[ath9k(queue)].mbps.T]
        cells = [TableCell(a, b, digits=1) for a, b in zip(rates, figures, strict=True)]
        columns.append(Column(queue, TESTBED_QUEUES[queue], cells))
    title = (
        "Three stations downloading by TCP, beside the commit of ath9k’s airtime scheduler, Mb/s"
    )
    return Table("ath9k", title, list(names), columns)


# ------------------------------------------------------------------ schemes


def _gain(data: Measurements, standard: str, way: str, id_: str) -> Estimate:
    """Total goodput with a scheme, divided by that without the scheme."""
    if not works(way, id_):
        return MISSING
    ours = data[scheme(standard, way, id_)].total()
    return quotient(ours, data[scheme(standard, way, baseline(id_))].total())


def schemes(data: Measurements) -> Shown:
    """Figure and tables of the papers' schemes and their rivals."""
    against = [id_ for id_ in SCHEMES if baseline(id_) != id_]
    panels = [
        Category(
            STANDARDS[standard],
            "Goodput of all flows / without the scheme",
            "",
            [SCHEMES[id_] for id_ in against],
            [
                _points(way, [_gain(data, standard, way, id_) for id_ in against])
                for way in ALL_WAYS
            ],
            {1: ""},
        )
        for standard in COMPARED
    ]
    tables = [_gain_table(data, against)]
    for standard in COMPARED:
        for way in ALL_WAYS:
            there = [id_ for id_ in SCHEMES if works(way, id_)]
            keys = [scheme(standard, way, id_) for id_ in there]
            tables.append(
                Table(
                    f"schemes-{standard}-{way}",
                    f"Schemes and rivals, {STANDARDS[standard]}, {way}",
                    [SCHEMES[id_] for id_ in there],
                    _figures_of(data, keys),
                )
            )
    measured: Json = {
        standard: {
            way: {
                id_: _mean(data[scheme(standard, way, id_)].total())
                for id_ in SCHEMES
                if works(way, id_)
            }
            for way in ALL_WAYS
        }
        for standard in COMPARED
    }
    read_in = [one for one in READ_IN if any(setup == f"readings-{one}-down" for setup, _ in data)]
    if read_in:
        tables.append(_reading_table(data, read_in))
        measured["readings"] = {
            standard: {
                way: {
                    id_: {how: _read(data, standard, way, id_, how).mean for how in READINGS}
                    for id_ in READ
                }
                for way in ALL_WAYS
            }
            for standard in read_in
        }
    return Shown([], None, measured, tables, {"schemes": Drawing(by_name(panels), wide=True)})


def _read(data: Measurements, standard: str, way: str, id_: str, how: str) -> Estimate:
    """Total goodput with a scheme under the reading `how`, divided by that without the scheme."""
    ours = data[reading(standard, way, id_, how)].total()
    return quotient(ours, data[scheme(standard, way, baseline(id_))].total())


def _reading_table(data: Measurements, read_in: Sequence[str]) -> Table:
    rows = [(id_, how) for id_ in READ for how in READINGS]
    columns = [
        Column(
            f"{standard}-{way}",
            f"{STANDARDS[standard].removeprefix('802.11')}, {way}",
            [TableCell(_read(data, standard, way, id_, how), digits=2) for id_, how in rows],
        )
        for standard in read_in
        for way in ALL_WAYS
    ]
    title = "Goodput of all flows, relative to that without the scheme, by the time of a packet"
    return Table("readings", title, [f"{SCHEMES[id_]}, {how}" for id_, how in rows], columns)


def _gain_table(data: Measurements, ids: Sequence[str]) -> Table:
    columns = [
        Column(
            f"{standard}-{way}",
            f"{STANDARDS[standard].removeprefix('802.11')}, {way}",
            [TableCell(_gain(data, standard, way, id_), digits=2) for id_ in ids],
        )
        for standard in COMPARED
        for way in ALL_WAYS
    ]
    title = "Goodput of all flows with a scheme, relative to that without it (TFRC: to plain TFRC)"
    return Table("schemes", title, [SCHEMES[id_] for id_ in ids], columns)


# ------------------------------------------------------------------ as sold

_RATES: Mapping[str, str] = {SET: "rates set", FOUND: "rates found"}


def as_sold(data: Measurements) -> Shown:
    """Figure and table of access points as sold: rates from Minstrel-HT, a driver's queue, A-MSDUs."""

    def named(key: Key) -> str:
        (_, standard, way), (rates, amsdu, queue) = key[0].split("-"), key[1].split(", ")
        joined = ", A-MSDUs" if amsdu.endswith("on") else ""
        return f"{way}, {STANDARDS[standard]}, {_RATES[rates]}{joined}, {SOLD_QUEUES[queue]}"

    part = _column(
        "slow's air %", [data[key] for key in SOLD], lambda r: PERCENT * r.slow_part(), 0
    )
    title = "Goodput and shares of the air, by rates, A-MSDUs and queues of access point and driver"
    rows = [named(key) for key in SOLD]
    table = Table("sold", title, rows, [*_figures_of(data, list(SOLD)), part])
    lead = {
        f"{_RATES[rates]}, {QUEUES[queue]}": (rates, queue)
        for rates, queue in ((SET, FIFO), (FOUND, FIFO), (FOUND, AIRTIME))
    }
    lead |= {name: (FOUND, queue) for queue, name in SOLD_QUEUES.items() if queue not in QUEUES}
    groups = [
        _points(
            label,
            [
                estimate(PERCENT * data[sold(standard, "down", *where)].slow_part())
                for standard in MODERN
            ],
            PERCENT,
        )
        for label, where in lead.items()
    ]
    y_label = "Slow station's share of the air [%]"
    names = [STANDARDS[standard] for standard in MODERN]
    figure = by_category(Category("", y_label, "", names, groups, {50: "half"}), wide=True)
    takes: Mapping[str, Take] = {
        "air": ModernRuns.slow_part,
        "mbps": ModernRuns.total,
        "delay_ms": lambda runs: runs.delay(FAST),
        "aggregate": lambda runs: runs.aggregate,
    }
    measured: dict[str, Any] = {}
    for key in SOLD:
        (_, standard, way), (rates, amsdu, queue) = key[0].split("-"), key[1].split(", ")
        place = measured.setdefault(standard, {}).setdefault(way, {})
        label = f"{rates}, joined, {queue}" if amsdu.endswith("on") else f"{rates}, {queue}"
        place[label] = {what: _mean(take(data[key])) for what, take in takes.items()}
    return Shown([], None, measured, [table], {"sold": Drawing(figure, wide=True)})


# ------------------------------------------------------------------ short transfers


def shorts(data: Measurements) -> Shown:
    """Figure and table of short transfers beside the download of a slow station."""
    keys = {(s, q): short_flows(s, q) for s in COMPARED for q in QUEUES}
    column = partial(_column, runs=[data[key] for key in keys.values()])
    columns = [
        column("median s", take=lambda runs: runs.completion(MEDIAN), digits=2),
        column("95 % s", take=lambda runs: runs.completion(LATE), digits=2),
        column("not done %", take=lambda runs: PERCENT * runs.unfinished(), digits=1),
        column("slow download Mb/s", take=lambda runs: runs.goodput("bulk"), digits=1),
    ]
    rows = [f"{STANDARDS[standard]}, {QUEUES[queue]}" for standard, queue in keys]
    groups = [
        _points(
            QUEUES[queue],
            [_known(data[keys[standard, queue]].completion(MEDIAN)) for standard in COMPARED],
        )
        for queue in QUEUES
    ]
    names = [STANDARDS[standard] for standard in COMPARED]
    figure = by_category(Category("", "Median completion time [s]", "", names, groups))
    measured: Json = {
        standard: {queue: _mean(data[keys[standard, queue]].completion(MEDIAN)) for queue in QUEUES}
        for standard in COMPARED
    }
    table = Table(
        "short-flows", "Transfers of 100 kB beside a slow station's download", rows, columns
    )
    return Shown([], None, measured, [table], {"short-flows": Drawing(figure)})

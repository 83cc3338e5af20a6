"""Figures and tables of the study `modern`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from matplotlib.figure import Figure

from airfair.estimate import Estimate, Floats, estimate, quotient
from airfair.experiment.conditions import Key
from airfair.figures import Category, Chart, by_category, by_name, over_number
from airfair.reproduction.paper import Drawing, Json, Shown
from airfair.reproduction.series import each, line, mean, nested
from airfair.reproduction.tables import Column, Table, column

from . import plan
from .runs import FAST, SLOW, Measurements, ModernRuns

Take = Callable[[ModernRuns], Floats]
PERCENT = 100
MEDIAN, LATE = 0.5, 0.95
AIR = "Slow station's share of the air [%]"


def percent_of_slow(runs: ModernRuns) -> Floats:
    """Share of the slow station in the airtime of all frames [%], (replication)."""
    return PERCENT * runs.slow_part()


# ------------------------------------------------------------------ the anomaly

_LEAD: Mapping[str, tuple[str, str]] = {
    "alone": (plan.ALONE, plan.FIFO),
    "aggregated": (plan.AGGREGATED, plan.FIFO),
    "FQ-CoDel": ("", plan.FQ_CODEL),
    "airtime scheduler": ("", plan.AIRTIME),
}
"""Aggregation and queue of each group of points, by default that of the standard."""


BETWEEN = "rates-ax"
MANY = "stations-ax"
"""Setups that a quick run leaves out."""


def _slow_part(data: Measurements, way: str) -> Figure:
    def at(standard: str, how: str, queue: str) -> Estimate | None:
        key = _key(standard, way, how, queue=queue)
        return None if key is None else estimate(data[key].slow_part()).times(PERCENT)

    groups = [
        line(label, [at(standard, *where) for standard in plan.STANDARDS], most=PERCENT)
        for label, where in _LEAD.items()
    ]
    names = [
        f"{name}\n{rates[0]} beside {rates[-1]} Mb/s"
        for name, rates in zip(plan.STANDARDS.values(), plan.RATES.values(), strict=True)
    ]
    return by_category(Category("", AIR, "", names, groups, {50: "half"}), wide=True)


def _key(
    standard: str, way: str, how: str = "", slow: str = "", queue: str = plan.FIFO
) -> Key | None:
    """Key of the runs with this aggregation; `None` for aggregates in 802.11g, which has none."""
    if standard == plan.LEGACY and how == plan.AGGREGATED:
        return None
    own = plan.sent(standard) if standard == plan.LEGACY else how or plan.AGGREGATED
    return plan.anomaly(standard, way, own, queue, slow)


def _taken(data: Measurements, key: Key | None, take: Take) -> Floats | None:
    return None if key is None else take(data[key])


def _fast(runs: ModernRuns) -> Floats:
    return runs.goodput(FAST)


def _slow(runs: ModernRuns) -> Floats:
    return runs.goodput(SLOW)


def _goodput_figure(data: Measurements, way: str) -> Figure:
    charts = []
    for standard, name in plan.STANDARDS.items():
        rates = plan.RATES[standard]
        lines = [
            line(how, [_taken(data, _key(standard, way, how, rate), _fast) for rate in rates])
            for how in (plan.ALONE, plan.AGGREGATED)
        ]
        relative = [float(rate) / float(rates[-1]) for rate in rates]
        charts.append(Chart(name, relative, lines))
    x_label = "Rate of the slow station / rate of the fast station"
    return over_number(charts, x_label, "Goodput of the fast station [Mb/s]", floor=1)


def _anomaly_table(data: Measurements, way: str) -> Table:
    there = plan.RATES if BETWEEN in {setup for setup, _ in data} else plan.ENDS
    places = [(standard, rate) for standard, rates in there.items() for rate in rates]
    rows = [f"{plan.STANDARDS[standard]}, {rate} Mb/s" for standard, rate in places]
    columns = [
        column(
            f"{what}, {how} {unit}",
            [_taken(data, _key(standard, way, how, rate), take) for standard, rate in places],
            digits,
        )
        for what, unit, take, digits in (
            ("fast", "Mb/s", _fast, 1),
            ("slow", "Mb/s", _slow, 1),
            ("slow's air", "%", percent_of_slow, 0),
        )
        for how in (plan.ALONE, plan.AGGREGATED)
    ]
    title = f"Goodput of two {way}loads with a FIFO, by standard and rate of the slow station"
    return Table(f"anomaly-{way}", title, rows, columns)


QUEUED = [*product(plan.WAYS, plan.STANDARDS, plan.QUEUES)]
"""Directions, standards and queues of the access point."""


def _with_queue(way: str, standard: str, queue: str) -> Key:
    return plan.anomaly(standard, way, plan.sent(standard), queue)


def _queue_table(data: Measurements) -> Table:
    rows = [
        f"{way}, {plan.STANDARDS[standard]}, {plan.QUEUES[queue]}"
        for way, standard, queue in QUEUED
    ]
    title = "Goodput with the slow station at the lowest rate, by queue of the access point"
    columns = figures_of(data, [_with_queue(*place) for place in QUEUED])
    return Table("anomaly-queues", title, rows, columns)


def figures_of(data: Measurements, keys: Sequence[Key]) -> list[Column]:
    """Columns of the quantities that all tables of the study have."""
    runs = [data[key] for key in keys]
    return [
        column("fast Mb/s", [one.goodput(FAST) for one in runs], 1),
        column("slow Mb/s", [one.goodput(SLOW) for one in runs], 1),
        column("sum Mb/s", [one.total() for one in runs], 1),
        column("Jain of airtime", [one.jain() for one in runs], 2),
        column("fast, 95 % ms", [one.delay(FAST) for one in runs], 0),
        column("slow, 95 % ms", [one.delay(SLOW) for one in runs], 0),
        column("loss %", [PERCENT * one.loss() for one in runs], 2),
    ]


def anomalies(data: Measurements) -> Shown:
    """Figures and tables of the anomaly in each standard."""
    measured = nested((place, mean(data[_with_queue(*place)].slow_part())) for place in QUEUED)
    tables = [*(_anomaly_table(data, way) for way in plan.WAYS), _queue_table(data)]
    drawings = {f"anomaly-{way}": Drawing(_slow_part(data, way), wide=True) for way in plan.WAYS}
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
        "802.11g": (plan.LEGACY, plan.sent(plan.LEGACY), plan.FIFO),
        "802.11ax": ("ax", plan.AGGREGATED, plan.FIFO),
        "802.11ax, alone": ("ax", plan.ALONE, plan.FIFO),
    },
    "Airtime scheduler": {
        "802.11g": (plan.LEGACY, plan.sent(plan.LEGACY), plan.AIRTIME),
        "802.11ax": ("ax", plan.AGGREGATED, plan.AIRTIME),
    },
}
"""Standard, aggregation and queue of each curve, by panel and label."""


def _many(data: Measurements) -> tuple[Figure, Table, Json]:
    """Figure, table and JSON of the slow station's share of airtime in cells of N stations."""
    x = [int(count) for count in plan.COUNTS]
    named = {f"{of}, {queue}": cell for queue, cells in _MANY.items() for of, cell in cells.items()}

    def keys(cell: tuple[str, str, str]) -> list[Key]:
        return [plan.stations(*cell, count) for count in plan.COUNTS]

    fair = line("one of N", [Estimate(PERCENT / n, 0.0) for n in x])
    charts = [
        Chart(
            queue,
            x,
            [
                line(of, each(data, keys(cell), percent_of_slow), most=PERCENT)
                for of, cell in cells.items()
            ],
            reference=fair,
        )
        for queue, cells in _MANY.items()
    ]
    columns = [
        column(f"{label}, {what} {unit}", each(data, keys(cell), take), digits)
        for what, unit, take, digits in (
            ("sum", "Mb/s", ModernRuns.total, 1),
            ("slow's air", "%", percent_of_slow, 0),
        )
        for label, cell in named.items()
    ]
    measured = nested(
        ((queue, of, f"N{n}"), mean(data[key].slow_part()))
        for queue, cells in _MANY.items()
        for of, cell in cells.items()
        for n, key in zip(plan.COUNTS, keys(cell), strict=True)
    )
    title = "Goodput and slow station's share of the air, N downloads, one to a slow station"
    table = Table("stations", title, [f"N = {n}" for n in plan.COUNTS], columns)
    return over_number(charts, "Number of stations", AIR), table, measured


# ------------------------------------------------------------------ Ending the Anomaly


def testbed(data: Measurements) -> Shown:
    """Figure and tables of the three stations of the testbed, for each variant of the testbed."""
    columns = [
        _of_testbed(data[plan.ending(testbed, queue)], testbed, queue)
        for testbed, queue in plan.TESTBED_RUNS
    ]
    names = data[plan.ending(*plan.TESTBED_RUNS[0])].stations
    rows = [
        *(f"{name} Mb/s" for name in names),
        "all Mb/s",
        *(f"{name}, air %" for name in names),
        "aggregate, packets",
    ]
    groups = []
    for label, queue in (("FIFO", plan.DRIVER), ("airtime scheduler", plan.AIRTIME)):
        runs, figures = (
            data[plan.ending(plan.FULL, queue)],
            plan.PRINTED[plan.printed(queue)]["mbps"],
        )
        known = dict(enumerate([*figures, sum(figures)]))
        groups.append(line(label, [*runs.mbps.T, runs.total()], printed=known))
    figure = by_category(Category("", "Goodput [Mb/s]", "", [*names, "all"], groups))
    measured: Json = {
        f"{testbed}, {queue}": {
            "mbps": [mean(one) for one in data[plan.ending(testbed, queue)].mbps.T],
            "air": [mean(one) for one in data[plan.ending(testbed, queue)].airtime.T],
        }
        for testbed, queue in plan.TESTBED_RUNS
    }
    tables = [
        Table("ending", "Goodput of three stations, by testbed and queue", rows, columns),
        _committed(data, names),
    ]
    return Shown([], dict(plan.PRINTED), measured, tables, {"ending": Drawing(figure)})


def _of_testbed(runs: ModernRuns, testbed: str, queue: str) -> Column:
    """Column with goodput, shares of airtime and aggregates, and the printed values for the queue."""
    held = PERCENT * runs.airtime / runs.airtime.sum(axis=1, keepdims=True)
    said: list[float] = []
    if queue != plan.FQ_MAC:
        figures = plan.PRINTED[plan.printed(queue)]
        mbps, air = figures["mbps"], figures["air"]
        said = [*mbps, sum(mbps), *(PERCENT * part for part in air)]
    label = f"{plan.TESTBEDS[testbed]}, {plan.TESTBED_QUEUES[queue]}"
    return column(label, [*runs.mbps.T, runs.total(), *held.T, runs.aggregate], 1, said)


def _committed(data: Measurements, names: Sequence[str]) -> Table:
    """Table of the goodput of three stations before and after ath9k's airtime scheduler."""
    columns = [
        column(plan.TESTBED_QUEUES[queue], data[plan.ath9k(queue)].mbps.T, 1, figures)
        for queue, figures in plan.COMMITTED.items()
    ]
    title = (
        "Three stations downloading by TCP, beside the commit of ath9k’s airtime scheduler, Mb/s"
    )
    return Table("ath9k", title, list(names), columns)


# ------------------------------------------------------------------ schemes


def _gain(
    data: Measurements, standard: str, way: str, id_: str, how: str = plan.READINGS[0]
) -> Estimate | None:
    """Total goodput with a scheme under a reading, divided by that without; `None` if it is not run."""
    if not plan.works(way, id_):
        return None
    ours = data[plan.reading(standard, way, id_, how)].total()
    return quotient(ours, data[plan.scheme(standard, way, plan.baseline(id_))].total())


def _gain_columns(
    data: Measurements, standards: Sequence[str], rows: Sequence[tuple[str, str]]
) -> list[Column]:
    """Columns for each standard and direction, with a row for each scheme and reading."""
    return [
        column(
            f"{plan.STANDARDS[standard].removeprefix('802.11')}, {way}",
            [_gain(data, standard, way, *row) for row in rows],
            2,
        )
        for standard in standards
        for way in plan.ALL_WAYS
    ]


def schemes(data: Measurements) -> Shown:
    """Figure and tables of the papers' schemes and their rivals."""
    against = [id_ for id_ in plan.SCHEMES if plan.baseline(id_) != id_]
    panels = [
        Category(
            plan.STANDARDS[standard],
            "Goodput of all flows / without the scheme",
            "",
            [plan.SCHEMES[id_] for id_ in against],
            [
                line(way, [_gain(data, standard, way, id_) for id_ in against])
                for way in plan.ALL_WAYS
            ],
            {1: ""},
        )
        for standard in plan.COMPARED
    ]
    title = "Goodput of all flows with a scheme, relative to that without it (TFRC: to plain TFRC)"
    columns = _gain_columns(data, plan.COMPARED, [(id_, plan.READINGS[0]) for id_ in against])
    tables = [Table("schemes", title, [plan.SCHEMES[id_] for id_ in against], columns)]
    totals = []
    for standard, way in product(plan.COMPARED, plan.ALL_WAYS):
        there = [id_ for id_ in plan.SCHEMES if plan.works(way, id_)]
        keys = [plan.scheme(standard, way, id_) for id_ in there]
        title = f"Schemes and rivals, {plan.STANDARDS[standard]}, {way}"
        rows = [plan.SCHEMES[id_] for id_ in there]
        tables.append(Table(f"schemes-{standard}-{way}", title, rows, figures_of(data, keys)))
        totals += [
            ((standard, way, id_), mean(data[key].total()))
            for id_, key in zip(there, keys, strict=True)
        ]
    measured = nested(totals)
    read_in = [
        one for one in plan.READ_IN if any(setup == f"readings-{one}-down" for setup, _ in data)
    ]
    if read_in:
        read = [*product(plan.READ, plan.READINGS)]
        title = "Goodput of all flows, relative to that without the scheme, by the time of a packet"
        labels = [f"{plan.SCHEMES[id_]}, {how}" for id_, how in read]
        tables.append(Table("readings", title, labels, _gain_columns(data, read_in, read)))
        measured["readings"] = nested(
            (place, mean(_gain(data, *place)))
            for place in product(read_in, plan.ALL_WAYS, plan.READ, plan.READINGS)
        )
    return Shown([], None, measured, tables, {"schemes": Drawing(by_name(panels), wide=True)})


# ------------------------------------------------------------------ as sold

_RATES: Mapping[str, str] = {plan.SET: "rates set", plan.FOUND: "rates found"}


def as_sold(data: Measurements) -> Shown:
    """Figure and table of access points as sold: rates from Minstrel-HT, a driver's queue, A-MSDUs."""
    rows: list[str] = []
    measured = []
    for key in plan.SOLD:
        (_, standard, way), (rates, amsdu, queue) = key[0].split("-"), key[1].split(", ")
        joined, runs = amsdu.endswith("on"), data[key]
        sends = ", A-MSDUs" if joined else ""
        rows.append(
            f"{way}, {plan.STANDARDS[standard]}, {_RATES[rates]}{sends}, {plan.SOLD_QUEUES[queue]}"
        )
        label = f"{rates}, joined, {queue}" if joined else f"{rates}, {queue}"
        values = {
            "air": mean(runs.slow_part()),
            "mbps": mean(runs.total()),
            "delay_ms": mean(runs.delay(FAST)),
            "aggregate": mean(runs.aggregate),
        }
        measured.append(((standard, way, label), values))
    title = "Goodput and shares of the air, by rates, A-MSDUs and queues of access point and driver"
    part = column("slow's air %", each(data, plan.SOLD, percent_of_slow), 0)
    table = Table("sold", title, rows, [*figures_of(data, plan.SOLD), part])
    lead = {
        f"{_RATES[rates]}, {plan.QUEUES[queue]}": (rates, queue)
        for rates, queue in (
            (plan.SET, plan.FIFO),
            (plan.FOUND, plan.FIFO),
            (plan.FOUND, plan.AIRTIME),
        )
    }
    lead |= {
        name: (plan.FOUND, queue)
        for queue, name in plan.SOLD_QUEUES.items()
        if queue not in plan.QUEUES
    }
    groups = [
        line(
            label,
            [
                percent_of_slow(data[plan.sold(standard, "down", *where)])
                for standard in plan.MODERN
            ],
            most=PERCENT,
        )
        for label, where in lead.items()
    ]
    names = [plan.STANDARDS[standard] for standard in plan.MODERN]
    figure = by_category(Category("", AIR, "", names, groups, {50: "half"}), wide=True)
    return Shown([], None, nested(measured), [table], {"sold": Drawing(figure, wide=True)})


# ------------------------------------------------------------------ short transfers


def shorts(data: Measurements) -> Shown:
    """Figure and table of short transfers beside the download of a slow station."""
    runs = {key: data[plan.short_flows(*key)] for key in product(plan.COMPARED, plan.QUEUES)}
    columns = [
        column("median s", [one.completion(MEDIAN) for one in runs.values()], 2),
        column("95 % s", [one.completion(LATE) for one in runs.values()], 2),
        column("not done %", [PERCENT * one.unfinished() for one in runs.values()], 1),
        column("slow download Mb/s", [one.goodput("bulk") for one in runs.values()], 1),
    ]
    rows = [f"{plan.STANDARDS[standard]}, {plan.QUEUES[queue]}" for standard, queue in runs]
    medians = {key: one.completion(MEDIAN) for key, one in runs.items()}
    groups = [
        line(label, [medians[standard, queue] for standard in plan.COMPARED])
        for queue, label in plan.QUEUES.items()
    ]
    names = [plan.STANDARDS[standard] for standard in plan.COMPARED]
    figure = by_category(Category("", "Median completion time [s]", "", names, groups))
    measured = nested((key, mean(median)) for key, median in medians.items())
    table = Table(
        "short-flows", "Transfers of 100 kB beside a slow station's download", rows, columns
    )
    return Shown([], None, measured, [table], {"short-flows": Drawing(figure)})

"""Figures and tables of the study `modern` with OFDMA: the cures, eight stations, and calls."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from airfair.estimate import Estimate, quotient
from airfair.experiment.conditions import Key
from airfair.figures import Category, by_category, by_name
from airfair.reproduction.paper import Drawing, Json, Shown
from airfair.reproduction.series import line, mean, nested
from airfair.reproduction.tables import Table, column

from . import plan
from .figures import PERCENT, figures_of, percent_of_slow
from .runs import FAST, Measurements, ModernRuns

DIRECTIONS = ("down", "up")
CALLS = ("call-down", "call-up")
"""Start of the names of the flows of calls, by direction."""


def _values(runs: ModernRuns) -> Json:
    return {
        "mbps": mean(runs.total()),
        "air": mean(runs.slow_part()),
        "slow": mean(runs.goodput("slow")),
        "jain": mean(runs.jain()),
        "delay_ms": mean(runs.delay(FAST)),
    }


def _table(data: Measurements, id_: str, title: str, rows: Mapping[str, Key]) -> Table:
    keys = list(rows.values())
    part = column("slow's air %", [percent_of_slow(data[key]) for key in keys], 0)
    return Table(id_, title, list(rows), [*figures_of(data, keys), part])


# ------------------------------------------------------------------ the cures


def cures(data: Measurements) -> Shown:
    """Figure and tables of each scheme with OFDMA, one slow station beside three fast ones."""
    tables, measured, panels = [], [], []
    for way in plan.ALL_WAYS:
        rows = {}
        for variant in (variant for setup, variant in data if setup == f"ofdma-{way}"):
            id_, where = variant.split(", ", 1)
            rows[f"{plan.SCHEMES[id_]}, {plan.OFDMA[where]}"] = plan.ofdma(way, id_, where)
            measured.append(((way, id_, where), _values(data[plan.ofdma(way, id_, where)])))
        title = f"Schemes and rivals with OFDMA in 802.11ax, {way}, one slow station of four"
        tables.append(_table(data, f"ofdma-{way}", title, rows))
    x_label = "Goodput of all flows / with neither scheme nor OFDMA"
    for way in DIRECTIONS:
        groups = [
            line(label, [_relative(data, way, id_, where) for id_ in plan.SCHEMES])
            for label, where in (
                ("one user", plan.WITHOUT_OFDMA),
                ("OFDMA in the direction of the data", way),
                ("OFDMA both ways", "both"),
            )
        ]
        names = list(plan.SCHEMES.values())
        panels.append(Category(f"{way}loads", "", x_label, names, groups, {1: ""}))
    drawings = {"ofdma": Drawing(by_name(panels), wide=True)}
    return Shown([], None, nested(measured), tables, drawings)


def _relative(data: Measurements, way: str, id_: str, where: str) -> Estimate | None:
    """Goodput of all flows divided by that without a scheme and without OFDMA; `None` if it is not run."""
    key = plan.ofdma(way, id_, where)
    if key not in data:
        return None
    base = plan.ofdma(way, plan.baseline(id_), plan.WITHOUT_OFDMA)
    return quotient(data[key].total(), data[base].total())


# ------------------------------------------------------------------ eight stations


def eight(data: Measurements) -> Shown:
    """Figures and tables of eight downloads, by queue and multi-user scheduler."""
    rows: dict[str, dict[str, Key]] = {plan.BULK: {}, plan.SMALL: {}}
    measured = []
    for key in data:
        if not key[0].startswith("users"):
            continue
        setup, variant = key
        traffic, labels = setup.removeprefix("users-"), variant
        if traffic not in rows:
            traffic, labels = variant.split(", ", 1)
        cell, queue, users = labels.split(", ", 2)
        who = plan.USERS.get(users, users)
        rows[traffic][f"{plan.CELLS[cell]}, {plan.USERS_QUEUES[queue]}, {who}"] = key
        measured.append(((traffic, cell, queue, users), _values(data[key])))
    titles = {plan.BULK: "Eight TCP downloads", plan.SMALL: "Small packets to eight stations"}
    tables = [
        _table(
            data, f"users-{traffic}", f"{title}, by queue and multi-user scheduler", rows[traffic]
        )
        for traffic, title in titles.items()
    ]
    return Shown([], None, nested(measured), tables, {"users": Drawing(_eight(data), wide=True)})


_PLACES = {
    "equal stations,\nTCP": (plan.BULK, plan.EQUAL),
    "two of them slow,\nTCP": (plan.BULK, plan.TWO_SLOW),
    "equal stations,\nsmall packets": (plan.SMALL, plan.EQUAL),
    "two of them slow,\nsmall packets": (plan.SMALL, plan.TWO_SLOW),
}
"""Traffic and cell of each category."""


def _eight(data: Measurements) -> Figure:
    groups = [
        line(
            f"{plan.QUEUES[queue]}, {who}",
            [
                data[key].total() if (key := plan.users(*place, queue, users)) in data else None
                for place in _PLACES.values()
            ],
        )
        for users, who in ((plan.ONE, "one user"), (plan.SHARED, "OFDMA"))
        for queue in (plan.FQ_CODEL, plan.AIRTIME)
    ]
    return by_category(Category("", "Goodput of all [Mb/s]", "", list(_PLACES), groups), wide=True)


# ------------------------------------------------------------------ calls


def calls(data: Measurements) -> Shown:
    """Table of calls beside downloads, by category, queue and multi-user scheduler."""
    labels = [tuple(variant.split(", ", 2)) for setup, variant in data if setup == "calls"]
    keys = [("calls", ", ".join(one)) for one in labels]
    runs = [data[key] for key in keys]
    rows = [
        f"calls as {category}, {plan.QUEUES[queue]}, {plan.CALL_USERS[users]}"
        for category, queue, users in labels
    ]
    columns = [
        *(column(f"{name}, 95 % ms", [one.delay(name) for one in runs], 1) for name in CALLS),
        column("loss of calls %", [PERCENT * one.loss("call") for one in runs], 2),
        column("downloads Mb/s", [one.goodput("down-") for one in runs], 1),
        column("slow download Mb/s", [one.goodput("slow") for one in runs], 1),
        column("slow's air %", [percent_of_slow(one) for one in runs], 0),
    ]
    measured = nested(
        (
            label,
            {
                "down_ms": mean(one.delay(CALLS[0])),
                "up_ms": mean(one.delay(CALLS[1])),
                "loss": mean(one.loss("call")),
                "mbps": mean(one.goodput("down-")),
            },
        )
        for label, one in zip(labels, runs, strict=True)
    )
    title = "Sixteen calls beside three downloads, one of them slow"
    return Shown([], None, measured, [Table("calls", title, rows, columns)])

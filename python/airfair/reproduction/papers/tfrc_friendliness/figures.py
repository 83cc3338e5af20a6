"""Figures 2 to 6, 8 and 10 of the paper `tfrc-friendliness`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from airfair.estimate import Floats, estimate
from airfair.figures import Category, Curve, Mark, Panel, Points, by_category, over_time
from airfair.reproduction.paper import Drawing, Json, Shown
from airfair.reproduction.series import curve, finite, points
from airfair.reproduction.tables import Column, Table, TableCell

from .plan import (
    ACCESS,
    ALONE,
    COMBINATIONS,
    DECIDES,
    FLAVOURS,
    MIXED,
    NEAR,
    SIMULATED,
    VARIANTS,
    alone,
    mixed,
    simulated,
)
from .runs import FriendlinessRuns, Measurements

NAMES = {
    "newreno": "NewReno",
    "westwood": "Westwood",
    "sack": "SACK",
    "tfrc3": "TFRC, S3",
    "tfrc4": "TFRC, S4",
}
"""Labels of the flows of Figures 8 and 10."""
LAST_START_S = 35.0
HALVES = {"0 to 35 s": (0.0, LAST_START_S), "35 to 200 s": (LAST_START_S, 200.0)}
SMOOTHED_S = 5.0
SHORT = {"dedicated": "dedicated", "wlan-11": "11 Mb/s cell", "wlan-1": "1 Mb/s cell"}
INDEX = "Inter-protocol fairness index of TFRC"


def index(flavour: str, data: Measurements) -> Shown:
    """Figure 2 or 3: index F_TFRC of each combination."""
    labels = [f"{tcp}/{tfrc}" for tcp, tfrc in COMBINATIONS]
    groups = {
        label: [data[mixed(flavour, *pair), v].index() for pair in COMBINATIONS]
        for v, label in VARIANTS.items()
    }
    figure = by_category(
        Category(
            f"{FLAVOURS[flavour]} against TFRC: above 0.5 TFRC is the timid one",
            INDEX,
            f"{FLAVOURS[flavour]} / TFRC flows",
            labels,
            [_points(label, samples) for label, samples in groups.items()],
            {0.5: "even", 0.6: "the paper: 0.6"},
        ),
        wide=True,
    )
    name = {"reno": "fig2", "sack": "fig3"}[flavour]
    return Shown(
        series=[
            points(label, "1", labels, [estimate(one) for one in samples])
            for label, samples in groups.items()
        ],
        paper_values=None,
        measured={
            variant: {
                label: _mean(data[mixed(flavour, *pair), variant].index())
                for label, pair in zip(labels, COMBINATIONS, strict=True)
            }
            for variant in VARIANTS
        },
        tables=[_combinations(name, flavour, data)],
        drawings={name: Drawing(figure, wide=True)},
    )


def _combinations(id_: str, flavour: str, data: Measurements) -> Table:
    runs = [data[mixed(flavour, *pair), DECIDES] for pair in COMBINATIONS]
    tcp = FLAVOURS[flavour].removeprefix("TCP ")

    def column(
        name: str, label: str, take: Callable[[FriendlinessRuns], Floats], digits: int
    ) -> Column:
        return Column(name, label, [TableCell(estimate(take(one)), digits=digits) for one in runs])

    return Table(
        id_,
        f"{FLAVOURS[flavour]} / TFRC flows, {VARIANTS[DECIDES]}",
        [f"{n}/{m}" for n, m in COMBINATIONS],
        [
            column("index", "index, of TFRC", FriendlinessRuns.index, 3),
            column("tcp", f"{tcp}, kB/s each", lambda one: one.mean(tfrc=False), 1),
            column("tfrc", "TFRC, kB/s each", lambda one: one.mean(tfrc=True), 1),
            column("timeouts", f"{tcp}, time-outs/min", FriendlinessRuns.timeouts_per_minute, 1),
            column("share", "time-outs, of recoveries", FriendlinessRuns.timeout_share, 2),
        ],
    )


def intra(data: Measurements) -> Shown:
    """Figure 4: max-min fairness by number of flows."""
    names = {"reno": "TCP Reno", "tfrc": "TFRC"}
    shown = {DECIDES: "", NEAR[0]: ", bad periods"}
    groups = {
        f"{name}{where}": [data[alone(protocol, n), variant].max_min() for n in ALONE]
        for variant, where in shown.items()
        for protocol, name in names.items()
    }
    labels = [str(n) for n in ALONE]
    figure = by_category(
        Category(
            "Flows of one protocol alone",
            "Max-min fairness index",
            "Flows",
            labels,
            [_points(label, samples) for label, samples in groups.items()],
            {1.0: "all equal"},
        )
    )
    rows = [
        Column(label, f"{label}", [TableCell(estimate(one), digits=3) for one in samples])
        for label, samples in groups.items()
    ]
    return Shown(
        series=[
            points(label, "1", labels, [estimate(one) for one in samples])
            for label, samples in groups.items()
        ],
        paper_values=None,
        measured={label: [_mean(one) for one in samples] for label, samples in groups.items()},
        tables=[Table("fig4", "Max-min fairness of flows of one protocol", labels, rows)],
        drawings={"fig4": Drawing(figure)},
    )


def over_three_minutes(flavour: str, printed: Json | None, data: Measurements) -> Shown:
    """Figure 5 or 6: three TCP flows and one TFRC flow over time."""
    runs = data[mixed(flavour, *MIXED), DECIDES]
    rates, times = runs.smoothed(1.0)
    tcp = FLAVOURS[flavour]
    labels = [f"{tcp} {i + 1}" for i in range(MIXED[0])] + ["TFRC"]
    name = {"reno": "fig5", "sack": "fig6"}[flavour]
    cov = {kind: _mean(runs.variation(tfrc=kind)) for kind in (False, True)}
    panel = Panel(
        f"Variation at 1 s: {tcp} {cov[False]:.2f}, TFRC {cov[True]:.2f}",
        "Throughput [kB/s]",
        times,
        [Curve(label, rates[:, i]) for i, label in enumerate(labels)],
        [Mark(runs.warmup_s, "counted from here")],
        _printed_levels(printed),
    )
    each, tfrc = runs.mean(tfrc=False), runs.mean(tfrc=True)
    total = runs.kbytes_per_s.sum(axis=1) * 8 / 1e3
    paper = None
    if printed:
        keys = ("tcp_reno_each_kBps", "tfrc_kBps", "total_mbps")
        paper = {key: printed[key] for key in keys}
    values = {f"tcp_{flavour}_each_kBps": each, "tfrc_kBps": tfrc, "total_mbps": total}
    cells = [
        TableCell(estimate(sample), (paper or {}).get(key), digits)
        for (key, sample), digits in zip(values.items(), (1, 1, 2), strict=True)
    ]
    rows = [f"{tcp}, kB/s", "TFRC, kB/s", "all, Mb/s"]
    return Shown(
        series=[curve(label, "kB/s", "s", times, rates[:, i]) for i, label in enumerate(labels)],
        paper_values=paper,
        measured={key: _mean(sample) for key, sample in values.items()},
        tables=[
            Table(
                name,
                f"Three {tcp} flows and one TFRC, {VARIANTS[DECIDES]}",
                rows,
                [Column("measured", "throughput", cells)],
            )
        ],
        drawings={name: Drawing(over_time([panel], wide=True), wide=True)},
    )


def _printed_levels(printed: Json | None) -> dict[float, str]:
    """Labels of lines at the paper's printed averages, by value."""
    if printed is None:
        return {}
    tcp, tfrc = printed["tcp_reno_each_kBps"], printed["tfrc_kBps"]
    return {tcp: f"the paper: TCP {tcp:g} each", tfrc: f"the paper: TFRC {tfrc:g}"}


def five_flows(figure: str, data: Measurements) -> Shown:
    """Figure 8 or 10: five flows over time under three kinds of access."""
    keys = {access: simulated(figure, access) for access in ACCESS}
    runs = {access: data[key] for access, key in keys.items() if key in data}
    panels, series = [], []
    for access, one in runs.items():
        rates, times = one.smoothed(SMOOTHED_S)
        kbps = rates * 8
        curves = [Curve(NAMES[flow], kbps[:, i]) for i, flow in enumerate(one.flows)]
        marks = [Mark(LAST_START_S, "S4 starts")] if access == "dedicated" else []
        panels.append(Panel(f"Access: {ACCESS[access]}", "Throughput [kb/s]", times, curves, marks))
        series += [
            curve(f"{NAMES[flow]}, {ACCESS[access]}", "kb/s", "s", times, kbps[:, i])
            for i, flow in enumerate(one.flows)
        ]
    rows = list(NAMES.values())
    columns = [
        Column(
            f"{access}_{when}",
            f"{SHORT[access]}, {when}",
            [TableCell(estimate(one.between(*span)[:, i] * 8)) for i in range(len(rows))],
        )
        for access, one in runs.items()
        for when, span in HALVES.items()
    ]
    return Shown(
        series=series,
        paper_values=None,
        measured={
            access: {
                when: {
                    flow: _mean(one.between(*span)[:, i] * 8) for i, flow in enumerate(one.flows)
                }
                for when, span in HALVES.items()
            }
            for access, one in runs.items()
        },
        tables=[
            Table(
                figure,
                f"Throughput in kb/s, BS0 - H0 at {SIMULATED[figure]}, by kind of access",
                rows,
                columns,
            )
        ],
        drawings={
            figure: Drawing(over_time(panels, wide=True), {"smoothed_s": SMOOTHED_S}, wide=True)
        },
    )


def _mean(samples: Floats) -> float | None:
    return finite(estimate(samples).mean)


def _points(label: str, samples: Sequence[Floats]) -> Points:
    """Estimates of an index between 0 and 1, one per category."""
    return Points(label, _estimates(samples), possible=(0.0, 1.0))


def _estimates(samples: Sequence[Floats]) -> Floats:
    """Means and half widths with the axes (2, point)."""
    all_ = [estimate(one) for one in samples]
    return np.array([[one.mean for one in all_], [one.ci95 for one in all_]])

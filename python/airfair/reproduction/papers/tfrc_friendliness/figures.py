"""Figures 2 to 6, 8 and 10 of the paper `tfrc-friendliness`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airfair.estimate import Floats
from airfair.figures import Category, Curve, Mark, Panel, Points, by_category, over_time
from airfair.reproduction.paper import Drawing, Json, Shown
from airfair.reproduction.series import curve, known, line, mean, nested, points
from airfair.reproduction.tables import Column, Table, TableCell, column

from . import plan
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
    labels = [f"{tcp}/{tfrc}" for tcp, tfrc in plan.COMBINATIONS]
    indices = {
        variant: [data[plan.mixed(flavour, *pair), variant].index() for pair in plan.COMBINATIONS]
        for variant in plan.VARIANTS
    }
    groups = {plan.VARIANTS[variant]: samples for variant, samples in indices.items()}
    levels = {0.5: "even", 0.6: "the paper: 0.6"}
    title = f"{plan.FLAVOURS[flavour]} against TFRC: above 0.5 TFRC is the timid one"
    x_label = f"{plan.FLAVOURS[flavour]} / TFRC flows"
    panel = Category(title, INDEX, x_label, labels, _lines(groups), levels)
    name = {"reno": "fig2", "sack": "fig3"}[flavour]
    return Shown(
        series=_series(groups, labels),
        paper_values=None,
        measured={
            variant: dict(zip(labels, map(mean, samples), strict=True))
            for variant, samples in indices.items()
        },
        tables=[
            Table(
                name, f"{x_label}, {plan.VARIANTS[plan.DECIDES]}", labels, _columns(flavour, data)
            )
        ],
        drawings={name: Drawing(by_category(panel, wide=True), wide=True)},
    )


def _columns(flavour: str, data: Measurements) -> list[Column]:
    """Columns of the deciding variant, with a row for each combination."""
    runs = [data[plan.mixed(flavour, *pair), plan.DECIDES] for pair in plan.COMBINATIONS]
    tcp = plan.FLAVOURS[flavour].removeprefix("TCP ")
    return [
        column("index, of TFRC", [one.index() for one in runs], 3),
        column(f"{tcp}, kB/s each", [one.mean(tfrc=False) for one in runs], 1),
        column("TFRC, kB/s each", [one.mean(tfrc=True) for one in runs], 1),
        column(f"{tcp}, time-outs/min", [one.timeouts_per_minute() for one in runs], 1),
        column("time-outs, of recoveries", [one.timeout_share() for one in runs], 2),
    ]


def intra(data: Measurements) -> Shown:
    """Figure 4: max-min fairness by number of flows."""
    names = {"reno": "TCP Reno", "tfrc": "TFRC"}
    groups = {
        f"{name}{where}": [data[plan.alone(protocol, n), variant].max_min() for n in plan.ALONE]
        for variant, where in {plan.DECIDES: "", plan.NEAR[0]: ", bad periods"}.items()
        for protocol, name in names.items()
    }
    labels, levels = [str(n) for n in plan.ALONE], {1.0: "all equal"}
    title, y_label = "Flows of one protocol alone", "Max-min fairness index"
    panel = Category(title, y_label, "Flows", labels, _lines(groups), levels)
    columns = [column(label, samples, 3) for label, samples in groups.items()]
    return Shown(
        series=_series(groups, labels),
        paper_values=None,
        measured={label: [mean(one) for one in samples] for label, samples in groups.items()},
        tables=[Table("fig4", "Max-min fairness of flows of one protocol", labels, columns)],
        drawings={"fig4": Drawing(by_category(panel))},
    )


Groups = Mapping[str, Sequence[Floats]]
"""Samples of an index between 0 and 1 for each category, by label."""


def _lines(groups: Groups) -> list[Points]:
    return [line(label, samples, most=1.0) for label, samples in groups.items()]


def _series(groups: Groups, labels: Sequence[str]) -> list[Json]:
    return [points(label, "1", labels, samples) for label, samples in groups.items()]


def over_three_minutes(flavour: str, data: Measurements) -> Shown:
    """Figure 5 or 6: three TCP flows and one TFRC flow over time; the paper prints values for Reno."""
    runs = data[plan.mixed(flavour, *plan.MIXED), plan.DECIDES]
    rates, times = runs.smoothed(1.0)
    tcp, name = plan.FLAVOURS[flavour], {"reno": "fig5", "sack": "fig6"}[flavour]
    labels = [f"{tcp} {i + 1}" for i in range(plan.MIXED[0])] + ["TFRC"]
    cov = [mean(runs.variation(tfrc=kind)) for kind in (False, True)]
    values = {
        f"tcp_{flavour}_each_kBps": runs.mean(tfrc=False),
        "tfrc_kBps": runs.mean(tfrc=True),
        "total_mbps": runs.total_mbps(),
    }
    printed = {key: plan.PRINTED["fig5"][key] for key in values} if flavour == "reno" else {}
    levels = {}
    if printed:
        each, tfrc, _ = printed.values()
        levels = {each: f"the paper: TCP {each:g} each", tfrc: f"the paper: TFRC {tfrc:g}"}
    panel = Panel(
        f"Variation at 1 s: {tcp} {cov[0]:.2f}, TFRC {cov[1]:.2f}",
        "Throughput [kB/s]",
        times,
        [Curve(label, rates[:, i]) for i, label in enumerate(labels)],
        [Mark(runs.warmup_s, "counted from here")],
        levels,
    )
    cells = [
        TableCell(known(one), printed.get(key), digits)
        for (key, one), digits in zip(values.items(), (1, 1, 2), strict=True)
    ]
    title = f"Three {tcp} flows and one TFRC, {plan.VARIANTS[plan.DECIDES]}"
    rows = [f"{tcp}, kB/s", "TFRC, kB/s", "all, Mb/s"]
    return Shown(
        series=[curve(label, "kB/s", "s", times, rates[:, i]) for i, label in enumerate(labels)],
        paper_values=printed or None,
        measured={key: mean(sample) for key, sample in values.items()},
        tables=[Table(name, title, rows, [Column("throughput", cells)])],
        drawings={name: Drawing(over_time([panel], wide=True), wide=True)},
    )


def five_flows(figure: str, data: Measurements) -> Shown:
    """Figure 8 or 10: five flows over time under three kinds of access."""
    keys = {access: plan.simulated(figure, access) for access in plan.ACCESS}
    runs = {access: data[key] for access, key in keys.items() if key in data}
    panels, series = [], []
    for access, one in runs.items():
        rates, times = one.smoothed(SMOOTHED_S)
        kbps = {NAMES[flow]: 8 * rates[:, i] for i, flow in enumerate(one.flows)}
        curves = [Curve(name, samples) for name, samples in kbps.items()]
        marks = [Mark(LAST_START_S, "S4 starts")] if access == "dedicated" else []
        panels.append(
            Panel(f"Access: {plan.ACCESS[access]}", "Throughput [kb/s]", times, curves, marks)
        )
        series += [
            curve(f"{name}, {plan.ACCESS[access]}", "kb/s", "s", times, samples)
            for name, samples in kbps.items()
        ]
    halves = {
        access: {when: _kbps(one, span) for when, span in HALVES.items()}
        for access, one in runs.items()
    }
    title = f"Throughput in kb/s, BS0 - H0 at {plan.SIMULATED[figure]}, by kind of access"
    columns = [
        column(f"{SHORT[access]}, {when}", kbps.values())
        for access, by_half in halves.items()
        for when, kbps in by_half.items()
    ]
    drawn = Drawing(over_time(panels, wide=True), {"smoothed_s": SMOOTHED_S}, wide=True)
    return Shown(
        series=series,
        paper_values=None,
        measured=nested(
            ((access, when, flow), mean(one))
            for access, by_half in halves.items()
            for when, kbps in by_half.items()
            for flow, one in kbps.items()
        ),
        tables=[Table(figure, title, list(NAMES.values()), columns)],
        drawings={figure: drawn},
    )


def _kbps(runs: FriendlinessRuns, span: tuple[float, float]) -> dict[str, Floats]:
    """Throughput of each flow in an interval [kb/s], (replication)."""
    return dict(zip(runs.flows, (runs.between(*span) * 8).T, strict=True))

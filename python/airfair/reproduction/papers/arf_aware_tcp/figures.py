"""Figures 2 and 4 to 9 of the paper `arf-aware-tcp`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from matplotlib.figure import Figure

from airfair.estimate import Floats, estimate, finite
from airfair.figures import Curve, Mark, Panel, band, over_time
from airfair.reproduction.paper import Drawing, Json, Shown
from airfair.reproduction.series import curve

from .claims import AFTER, BEFORE, CHANGE_S, DURING, RETURN_S
from .runs import ArfAwareRuns, Measurements

SLOW_AT_20 = (Mark(CHANGE_S, "session 1: 11 → 1 Mb/s"),)
FOUR_RATES = (Mark(CHANGE_S, "sessions 1-3: 11 → 1, 2, 5.5 Mb/s"),)
RECOVERY = (Mark(CHANGE_S, "session 1: 11 → 1 Mb/s"), Mark(RETURN_S, "1 → 11 Mb/s"))
NAMES = {"arf_aware": "ARF-aware TCP", "newreno": "NewReno"}

Interval = tuple[float, float]


def _percent(runs: ArfAwareRuns, flows: slice, interval: Interval) -> str:
    """Mean throughput of some flows in the interval, in percent of that before the change."""
    after = runs.throughput_between(*interval)[:, flows].sum(axis=1).mean()
    before = runs.throughput_between(*BEFORE)[:, flows].sum(axis=1).mean()
    return f"{100 * after / before:.0f} %"


def _sessions(
    runs: ArfAwareRuns, samples: Floats, title: str, unit: str, marks: Sequence[Mark]
) -> Panel:
    curves = [Curve(f"session {i + 1}", samples[:, i]) for i in range(samples.shape[1])]
    return Panel(title, f"Throughput [{unit}]", runs.times_s, curves, marks)


def _pair(data: Measurements, marks: Sequence[Mark], setup: str, interval: Interval) -> list[Panel]:
    panels = []
    for scheme, name in NAMES.items():
        runs = data[setup, scheme]
        kept = _percent(runs, slice(1, 2), interval)
        title = f"{name}: session 2 keeps {kept} of its throughput"
        panels.append(_sessions(runs, runs.packets_per_second, title, "packet/s", marks))
    return panels


def _each(data: Measurements, scheme: str) -> Panel:
    runs = data["table5", scheme]
    rates = ", ".join(f"{mean:.0f}" for mean in runs.throughput_between(*AFTER).mean(axis=0))
    title = f"{NAMES[scheme]}: {rates} kb/s after the change"
    return _sessions(runs, runs.packets_per_second, title, "packet/s", FOUR_RATES)


def _together(data: Measurements, scheme: str) -> Panel:
    runs = data["table5", scheme]
    kept = _percent(runs, slice(None), AFTER)
    title = f"{NAMES[scheme]}: all sessions together keep {kept} of their throughput"
    kbps = runs.series * 8 / runs.step_s / 1e3
    return _sessions(runs, kbps, title, "kb/s", FOUR_RATES)


def _top(data: Measurements, setup: str) -> float:
    """Upper end of the scale that all figures of a setup share, with room for texts [packet/s]."""
    highest = []
    for scheme in NAMES:
        samples = data[setup, scheme].packets_per_second
        highest += [samples[0].max(), *(band(one)[1].max() for one in samples.swapaxes(0, 1))]
    return 1.15 * float(max(highest))


def _top_sum(data: Measurements) -> float:
    """Upper end of the scale that the figures of both sums share [kb/s]."""
    sums = [data["table5", s].series.sum(axis=1).mean(axis=0).max() for s in NAMES]
    return 1.2 * float(max(sums)) * 8 / 1e3 / data["table5", "newreno"].step_s


def fig2(data: Measurements) -> dict[str, Figure]:
    """Figure 2: two sessions over time, under both schemes."""
    panels = _pair(data, SLOW_AT_20, "table1", AFTER)
    return {"fig2": over_time(panels, top=_top(data, "table1"), wide=True)}


def fig4_to_7(data: Measurements) -> dict[str, Figure]:
    """Figures 4 to 7: five sessions over time under both schemes, single and stacked."""
    top, top_sum = _top(data, "table5"), _top_sum(data)
    return {
        "fig4": over_time([_each(data, "arf_aware")], top=top),
        "fig5": over_time([_each(data, "newreno")], top=top),
        "fig6": over_time([_together(data, "arf_aware")], stacked=True, top=top_sum),
        "fig7": over_time([_together(data, "newreno")], stacked=True, top=top_sum),
    }


def fig8_and_9(data: Measurements) -> dict[str, Figure]:
    """Figures 8 and 9: two sessions over time under both schemes, with a recovery of the rate."""
    panels = _pair(data, RECOVERY, "recovery", DURING)
    top = _top(data, "recovery")
    names = ("fig8", "fig9")
    return {name: over_time([p], top=top) for name, p in zip(names, panels, strict=True)}


FIGURES: dict[str, Callable[[Measurements], dict[str, Figure]]] = {
    "fig2": fig2,
    "fig4-7": fig4_to_7,
    "fig8-9": fig8_and_9,
}


def show(experiment: str, setups: Sequence[str], data: Measurements) -> Shown:
    """Figures of an experiment, its curves as series, and the mean of each session over the run."""
    series: list[Json] = []
    measured: Json = {}
    for (setup, scheme), runs in data.items():
        if setup not in setups or scheme not in NAMES:
            continue
        label = NAMES[scheme]
        packets = runs.packets_per_second
        series += [
            _curve(f"{label} session {flow + 1}", runs, packets[:, flow])
            for flow in range(len(runs.flows))
        ]
        series.append(_curve(f"{label} all sessions", runs, packets.sum(axis=1)))
        means = [estimate(samples) for samples in runs.throughput_kbps.T]
        measured[scheme] = {
            "sessions": [mean.mean for mean in means],
            "aggregate": float(runs.aggregate_kbps().mean()),
            "ci95": {"sessions": [finite(mean.ci95) for mean in means]},
        }
    drawings = {
        name: Drawing(figure, wide=name == "fig2")
        for name, figure in FIGURES[experiment](data).items()
    }
    return Shown(series, None, measured, drawings=drawings)


def _curve(name: str, runs: ArfAwareRuns, samples: Floats) -> Json:
    return curve(name, "packet/s", "s", runs.times_s, samples)

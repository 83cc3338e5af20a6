"""Summary of a result: means over its replications with 95 % confidence intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from . import lazy
from .columns import tables
from .estimate import Estimate
from .names import counted, printable
from .replications import half_width, mean, samples

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from .experiment.measures import Measurable
    from .result import Result
else:
    pl = lazy.Module("polars")

COLUMNS = {
    "flow": ("goodput_bps", "loss", "delay_mean_ms", "delay_p95_ms"),
    "station": ("airtime_share", "mean_rate_up_bps", "mean_rate_down_bps"),
}
"""Columns of the summary of each flow and each station."""
MOST_NAMED = 6
"""Largest number of flows that a line of text names."""


def of_parts(result: Result) -> pl.DataFrame:
    """Table of `Result.summary` without measures: a row for each flow or station and each of its columns."""
    flows = [flow["name"] for flow in result.scenario.flows]
    rows = [*_rows(result, "flow", flows), *_rows(result, "station", result.scenario.stations)]
    numbers = {"mean": pl.Float64, "ci95": pl.Float64, "replications": pl.UInt32}
    named = dict.fromkeys(("flow", "station", "measure", "unit"), pl.String)
    return pl.DataFrame(rows, schema={**named, **numbers})


def _rows(result: Result, kind: str, names: Sequence[str]) -> list[dict[str, Any]]:
    declared = tables()[f"{kind}s"].by_name
    return [
        {
            kind: name,
            "measure": column,
            "unit": declared[column].unit,
            "mean": mean(values[column]),
            "ci95": half_width(values[column]),
            "replications": result.replications,
        }
        for name, values in samples(result, f"{kind}s", names).items()
        for column in COLUMNS[kind]
    ]


def of_measures(result: Result, measures: Sequence[Measurable]) -> pl.DataFrame:
    """Table of `Result.summary` with measures: a row for each of them."""
    from .experiment import evaluation
    from .experiment.measures import measure

    wanted = [measure(one) for one in measures]
    source = evaluation.OfResult(result)
    rows = [
        evaluation.row(one, samples)
        for one in wanted
        for samples in evaluation.samples(one, source, [result.replications])
    ]
    return pl.DataFrame(rows, schema=evaluation.SCHEMA)


def length(result: Result) -> str:
    """Text with the number of runs and the duration of each."""
    scenario = result.scenario
    warmup = f", of which {scenario.warmup_s:,.12g} s warm-up" if scenario.warmup_s else ""
    return f"{runs(result)} of {scenario.duration_s:,.12g} s{warmup}"


def runs(result: Result) -> str:
    """Number of finished runs, with the number that was asked for if the rest was interrupted."""
    asked = f" of {result.scenario.replications} (interrupted)" if result.interrupted else ""
    return counted(result.replications, "run") + asked


def text(result: Result) -> str:
    """Title, replications, and the goodput of each flow and of all of them, in two lines."""
    scenario = result.scenario
    done = f"{result.replications} of " if result.interrupted else ""
    asked = scenario.replications if result.interrupted else result.replications
    runs = f"{done}{counted(asked, 'replication')}"
    head = f"{scenario.title!r}: {runs} of {scenario.duration_s:g} s"
    rates = [
        (flow, values["goodput_bps"])
        for flow, values in samples(
            result, "flows", [flow["name"] for flow in scenario.flows]
        ).items()
    ]
    if not rates:
        return printable(head)
    told = [f"{flow} {_megabits(values)}" for flow, values in rates[:MOST_NAMED]]
    if len(rates) > MOST_NAMED:
        told.append(f"{len(rates) - MOST_NAMED} more")
    if len(rates) > 1:
        whole = [math.fsum(each) for each in zip(*(values for _, values in rates), strict=True)]
        told.append(f"all {_megabits(whole)}")
    return printable(head) + "\n" + printable(f"  goodput: {', '.join(told)} Mb/s")


def _megabits(values: Sequence[float]) -> str:
    middle, half = mean(values), half_width(values)
    if middle is None:
        return "no value"
    return str(Estimate(middle / 1e6, math.nan if half is None else half / 1e6, signed=False))

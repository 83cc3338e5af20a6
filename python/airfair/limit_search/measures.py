"""Criteria by which a scheme is compared with no scheme: a measure, and the difference that matters.

The measures are those of summaries, claims and papers (`airfair.measure`). A criterion adds what a measure
does not have: the direction that is better, the scale of differences, and the smallest one that matters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import polars as pl

from airfair.experiment import evaluation
from airfair.experiment.measures import Measurable, Measure, measure

from .space import Floats

if TYPE_CHECKING:
    from airfair.result import Result

    from .cells import Flow

Scale = Literal["relative", "points"]
Better = Literal["more", "less"]


@dataclass(frozen=True)
class Groups:
    """Names of the flows of a cell by their properties, and of the stations with lasting flows."""

    flows: tuple[str, ...]
    lasting: tuple[str, ...]
    """Flows that always have data to send; fairness, balance, slowest flow and unevenness are theirs."""
    short: tuple[str, ...]
    up: tuple[str, ...]
    users: tuple[str, ...]
    """Flows that use the scheme."""
    holders: tuple[str, ...]
    """Stations with a lasting flow."""
    warmup_s: float
    measured_s: float

    @classmethod
    def of(cls, result: Result, flows: Sequence[Flow]) -> Groups:
        """Groups of the scenario of a result; the short transfers of flow f3 are f31, f32, …"""
        scenario = result.scenario
        owners = [flow for flow in flows for _ in range(_count(flow))]
        # The flow of a neighbouring cell is the last one, and belongs to no group.
        flows_here = scenario.flows[: len(owners)]
        named = [(each["name"], owner) for each, owner in zip(flows_here, owners, strict=True)]

        def those(which: Callable[[Flow], bool]) -> tuple[str, ...]:
            return tuple(name for name, owner in named if which(owner))

        # The first stations have one flow each; a receiver in the cell and a neighbour's follow.
        stations = scenario.stations
        return cls(
            those(lambda _: True),
            those(lambda flow: flow.role == "lasting"),
            those(lambda flow: flow.role == "short"),
            those(lambda flow: flow.up),
            those(lambda flow: flow.uses),
            tuple(stations[flow.number - 1] for flow in flows if flow.role == "lasting"),
            scenario.warmup_s,
            scenario.duration_s - scenario.warmup_s,
        )


def _count(flow: Flow) -> int:
    from .cells import TRANSFERS

    return TRANSFERS if flow.role == "short" else 1


Of: TypeAlias = "Callable[[Groups], Measurable | None]"
"""Measure of a cell with these groups; `None` where it is undefined."""


@dataclass(frozen=True)
class Criterion:
    """Measure of a run, with the smallest difference that matters."""

    id: str
    label: str
    better: Better
    scale: Scale
    """Scale of differences: relative to the value without the scheme [%], or percentage points."""
    matters: float
    """Smallest difference that matters [%, or percentage points]."""
    about: str
    of: Of


def criterion(
    of: Measurable, *, better: Better, matters: float, scale: Scale = "relative", name: str = ""
) -> Criterion:
    """Criterion from a measure of one's own, for the argument `criteria` of `airfair.limits`.

    - `of`: a measure as in `airfair.measure`: text, an expression of polars or a function of a run's result.
      Flows are named f1, f2, … and stations s1, s2, …
    - `better`: "more" or "less".
    - `matters`: smallest difference that matters, in percent of the value without the scheme or, if `scale`
      is "points", in percentage points of a fraction.
    - `name`: name in tables, by default that of the measure.

    Raises `StudyError` for a wrong measure.
    """
    made = measure(of)
    label = name or made.name
    id_ = re.sub(r"\W+", "_", label).strip("_").lower()
    return Criterion(id_, label, better, scale, matters, str(made), lambda _: made)


def _named(names: Iterable[str]) -> str:
    return f"[{','.join(names)}]"


def _jain(column: str, subject: str, names: Sequence[str], table: str) -> Measure | None:
    """Jain's index over a column of at least two subjects."""
    if len(names) < 2:  # noqa: PLR2004 - fairness is between two
        return None
    x = pl.col(column).filter(pl.col(subject).is_in(names))
    # Scaling does not change the index; it keeps the squares from overflow and underflow.
    x /= x.max()
    return measure(x.sum() ** 2 / (x.len() * (x**2).sum()), table=table)


def _balance(groups: Groups) -> Measurable | None:
    ups = [name for name in groups.lasting if name in groups.up]
    downs = [name for name in groups.lasting if name not in groups.up]
    if not ups or not downs:
        return None
    up, down = (
        pl.col("goodput_bps").filter(pl.col("flow").is_in(names)).mean() for names in (ups, downs)
    )
    return pl.min_horizontal(up, down) / pl.max_horizontal(up, down)


def _slowest(groups: Groups) -> str | None:
    return f"min goodput{_named(groups.lasting)}" if len(groups.lasting) > 1 else None


def _sum(names: Sequence[str]) -> str | None:
    return f"goodput{_named(names)}" if names else None


def _loss(groups: Groups) -> pl.Expr:
    here = pl.col("flow").is_in(groups.flows)
    return pl.col("packets_dropped").filter(here).sum() / pl.col("packets_sent").filter(here).sum()


def _delay(groups: Groups) -> pl.Expr:
    # A flow that starves for a whole run has no value.
    return pl.col("rtt_p95_ms").filter(pl.col("flow").is_in(groups.lasting)).mean()


def _completion(groups: Groups) -> pl.Expr | None:
    if not groups.short:
        return None
    # Transfers that do not complete count until the end of the run, a lower bound.
    times = pl.col("completion_s").fill_null(groups.measured_s)
    return times.filter(pl.col("flow").is_in(groups.short)).mean()


def _unevenness(groups: Groups) -> Callable[[Result], float] | None:
    names = [name for name in groups.users if name in groups.lasting]
    if not names:
        return None

    def unevenness(result: Result) -> float:
        series = result.series()
        rates = series["throughput_bps"].to_numpy().reshape(len(result.scenario.flows), -1)
        which = [groups.flows.index(name) for name in names]
        measured = rates[which, round(groups.warmup_s) :]
        middle = measured.mean(axis=1)
        if not (middle > 0).all():
            return float("nan")
        return float((measured.std(axis=1) / middle).mean())

    return unevenness


CRITERIA: Mapping[str, Criterion] = {
    one.id: one
    for one in (
        Criterion("total", "goodput of all", "more", "relative", 1, "sum over all flows",
                  lambda of: _sum(of.flows)),
        Criterion("goodput_fairness", "goodput fairness", "more", "points", 1, "Jain's index",
                  lambda of: _jain("goodput_bps", "flow", of.lasting, "flows")),
        Criterion("airtime_fairness", "airtime fairness", "more", "points", 1, "Jain's index",
                  lambda of: _jain("airtime_share", "station", of.holders, "airtime")),
        Criterion("occupancy_fairness", "occupancy fairness", "more", "points", 1, "Jain's index over the "
                  "stations' shares of the channel, gaps and back-off included",
                  lambda of: _jain("occupancy", "station", of.holders, "airtime")),
        Criterion("balance", "up against down", "more", "points", 1, "mean goodput of the flows up or down, "
                  "whichever is lower, divided by the other", _balance),
        Criterion("slowest", "slowest flow", "more", "relative", 1, "its goodput, relative to the mean "
                  "goodput of a flow without the scheme", _slowest),
        Criterion("own", "flows that use it", "more", "relative", 1, "their goodput in sum",
                  lambda of: _sum(of.users)),
        Criterion("others", "flows beside it", "more", "relative", 1, "goodput of flows without the scheme",
                  lambda of: _sum([name for name in of.flows if name not in of.users])),
        Criterion("loss", "packets lost", "less", "points", 0.1, "packets dropped by a queue or the radio, "
                  "divided by packets sent", _loss),
        Criterion("delay", "RTT, 95th percentile", "less", "relative", 5, "mean over the flows", _delay),
        Criterion("completion", "short transfers", "less", "relative", 5, "mean time to complete, or the "
                  "measured time for a transfer that does not complete", _completion),
        Criterion("unevenness", "unevenness in time", "less", "relative", 5, "coefficient of variation of "
                  "goodput in steps of 1 s, mean over the flows with the scheme", _unevenness),
    )
}  # fmt: skip

UNIT = "mean_flow"
"""Key in `Samples` of the mean goodput of a lasting flow, the unit of the criterion `slowest`."""

Samples = dict[str, Floats]
"""Values by criterion, one per replication; NaN if the measure is undefined."""


def sampled(result: Result, flows: Sequence[Flow], criteria: Iterable[Criterion]) -> Samples:
    """Values of the criteria in a result, and of `UNIT`."""
    groups, runs = Groups.of(result, flows), evaluation.OfResult(result)
    wanted = {one.id: one.of(groups) for one in criteria}
    wanted[UNIT] = f"mean goodput{_named(groups.lasting)}"
    return {name: _values(of, runs) for name, of in wanted.items()}


def _values(of: Measurable | None, runs: evaluation.OfResult) -> Floats:
    if of is None:
        return np.full(runs.result.replications, np.nan)
    values: Floats = evaluation.values(measure(of), runs)["value"].fill_null(np.nan).to_numpy()
    return values


def effects(criterion: Criterion, without: Floats, using: Floats, mean_flow: float) -> Floats:
    """Paired differences, positive if the scheme is better [%, or percentage points].

    `mean_flow` is the mean goodput of a lasting flow without the scheme, the unit for the slowest one.
    NaN if the measure is undefined.
    """
    difference = using - without
    if criterion.better == "less":
        difference = -difference
    if criterion.scale == "points":
        return 100 * difference
    # One divisor for all pairs of a point: ratios of single pairs would add the noise of their divisors.
    unit = mean_flow if criterion.id == "slowest" else float(without.mean())
    return 100 * difference / unit if unit > 0 else np.full_like(difference, np.nan)

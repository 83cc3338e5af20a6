"""Measures by which a scheme is compared with no scheme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from airfair.statistics import jain

from .space import Floats

if TYPE_CHECKING:
    from airfair.result import Result

    from .cells import Flow

Scale = Literal["relative", "points"]


@dataclass(frozen=True)
class Measure:
    """Measure of a run, with the smallest difference that matters."""

    id: str
    label: str
    better: Literal["more", "less"]
    scale: Scale
    """Scale of differences: relative to the value without the scheme [%], or percentage points."""
    matters: float
    """Smallest difference that matters [%, or percentage points]."""
    about: str


MEASURES = {
    m.id: m
    for m in (
        Measure("total", "goodput of all", "more", "relative", 1, "sum over all flows"),
        Measure("goodput_fairness", "goodput fairness", "more", "points", 1, "Jain's index"),
        Measure("airtime_fairness", "airtime fairness", "more", "points", 1, "Jain's index"),
        Measure("occupancy_fairness", "occupancy fairness", "more", "points", 1, "Jain's index over the "
                "stations' shares of the channel, gaps and back-off included"),
        Measure("balance", "up against down", "more", "points", 1, "mean goodput of the flows up or down, "
                "whichever is lower, divided by the other"),
        Measure("slowest", "slowest flow", "more", "relative", 1, "its goodput, relative to the mean goodput "
                "of a flow without the scheme"),
        Measure("own", "flows that use it", "more", "relative", 1, "their goodput in sum"),
        Measure("others", "flows beside it", "more", "relative", 1, "goodput of flows without the scheme"),
        Measure("loss", "packets lost", "less", "points", 0.1, "packets dropped by a queue or the radio, "
                "divided by packets sent"),
        Measure("delay", "RTT, 95th percentile", "less", "relative", 5, "mean over the flows"),
        Measure("completion", "short transfers", "less", "relative", 5, "mean time to complete, or the "
                "measured time for a transfer that does not complete"),
        Measure("unevenness", "unevenness in time", "less", "relative", 5, "coefficient of variation of "
                "goodput in steps of 1 s, mean over the flows with the scheme"),
    )
}  # fmt: skip

Samples = dict[str, Floats]
"""Values by measure, one per replication; NaN if the measure is undefined."""


def measure(result: Result, flows: Sequence[Flow], wanted: Sequence[str]) -> Samples:
    """Values of the `wanted` measures of a result.

    Fairness, balance, slowest flow and unevenness are those of lasting flows, which always have data to send.
    """
    seen = _Seen(result, flows)
    return {name: np.asarray(getattr(seen, name)(), dtype=np.float64) for name in wanted}


_COLUMNS = ("goodput_bps", "packets_sent", "packets_dropped", "rtt_p95_ms", "completion_s")


class _Seen:
    def __init__(self, result: Result, flows: Sequence[Flow]) -> None:
        self._result = result
        table = result.flows
        n = result.replications
        names = table["flow"].to_list()[: table.height // n]
        self._columns = {
            name: table[name].cast(pl.Float64).to_numpy().reshape(n, len(names))
            for name in _COLUMNS
        }
        # The short transfers of flow f3 are f31, f32, …, in the order of the scenario.
        owners = [flow for flow in flows for _ in range(_count(flow))]
        self._owners = owners
        self._lasting = np.array([flow.role == "lasting" for flow in owners])
        self._up = np.array([flow.up for flow in owners])
        self._uses = np.array([flow.uses for flow in owners])
        self._short = np.array([flow.role == "short" for flow in owners])
        self._nothing = np.full(n, np.nan)

    def _goodput(self) -> Floats:
        # Goodput over the measured time, so that goodputs add up even if a flow comes and goes.
        goodput: Floats = self._columns["goodput_bps"]
        return goodput

    def total(self) -> Floats:
        sums: Floats = self._goodput().sum(axis=1)
        return sums

    def mean_flow(self) -> Floats:
        lasting = self._goodput()[:, self._lasting]
        means: Floats = lasting.mean(axis=1)
        return means

    def goodput_fairness(self) -> Floats:
        return self._index(self._goodput()[:, self._lasting])

    def airtime_fairness(self) -> Floats:
        return self._index(self._held("airtime_share"))

    def occupancy_fairness(self) -> Floats:
        return self._index(self._held("occupancy"))

    def _held(self, column: str) -> Floats:
        share = self._result.airtime[column].to_numpy().reshape(self._result.replications, -1)
        # The first stations have one flow each; a receiver in the cell is the last station.
        lasting = {flow.number - 1 for flow in self._owners if flow.role == "lasting"}
        held: Floats = share[:, sorted(lasting)]
        return held

    def _index(self, shares: Floats) -> Floats:
        if shares.shape[1] < 2:  # noqa: PLR2004 - fairness is between two
            return self._nothing
        return np.array([_none_is_nan(jain(row)) for row in shares])

    def balance(self) -> Floats:
        up = self._goodput()[:, self._lasting & self._up]
        down = self._goodput()[:, self._lasting & ~self._up]
        if not up.size or not down.size:
            return self._nothing
        means = np.stack([up.mean(axis=1), down.mean(axis=1)])
        return _parts(means.min(axis=0), means.max(axis=0))

    def slowest(self) -> Floats:
        lasting = self._goodput()[:, self._lasting]
        return lasting.min(axis=1) if lasting.shape[1] > 1 else self._nothing

    def own(self) -> Floats:
        return self._sum(self._uses)

    def others(self) -> Floats:
        return self._sum(~self._uses)

    def _sum(self, which: np.ndarray) -> Floats:
        return self._goodput()[:, which].sum(axis=1) if which.any() else self._nothing

    def loss(self) -> Floats:
        dropped = self._columns["packets_dropped"].sum(axis=1)
        return _parts(dropped, self._columns["packets_sent"].sum(axis=1))

    def delay(self) -> Floats:
        # Lasting flows only; a flow that starves for a whole run has no value.
        samples = self._columns["rtt_p95_ms"][:, self._lasting]
        known = np.isfinite(samples)
        return _parts(np.where(known, samples, 0).sum(axis=1), known.sum(axis=1))

    def completion(self) -> Floats:
        if not self._short.any():
            return self._nothing
        times = self._columns["completion_s"][:, self._short]
        # Transfers that do not complete count until the end of the run, a lower bound.
        longest = self._result.scenario.duration_s - self._result.scenario.warmup_s
        means: Floats = np.where(np.isfinite(times), times, longest).mean(axis=1)
        return means

    def unevenness(self) -> Floats:
        which = self._lasting & self._uses
        if not which.any():
            return self._nothing
        n = self._result.replications
        series = self._result.series()
        steps = series.height // (n * len(self._owners))
        rates = series["throughput_bps"].to_numpy().reshape(n, len(self._owners), steps)
        measured = rates[:, which, round(self._result.scenario.warmup_s) :]
        means: Floats = _parts(measured.std(axis=2), measured.mean(axis=2)).mean(axis=1)
        return means


def _count(flow: Flow) -> int:
    from .cells import TRANSFERS

    return TRANSFERS if flow.role == "short" else 1


def _parts(some: Floats, of: Floats) -> Floats:
    result = np.full(np.broadcast_shapes(some.shape, of.shape), np.nan)
    np.divide(some, of, out=result, where=of > 0)
    return result


def _none_is_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def effects(measure: Measure, without: Floats, using: Floats, mean_flow: float) -> Floats:
    """Paired differences, positive if the scheme is better [%, or percentage points].

    `mean_flow` is the mean goodput of a lasting flow without the scheme, the unit for the slowest one.
    NaN if the measure is undefined.
    """
    difference = using - without
    if measure.better == "less":
        difference = -difference
    if measure.scale == "points":
        return 100 * difference
    # One divisor for all pairs of a point: ratios of single pairs would add the noise of their divisors.
    unit = mean_flow if measure.id == "slowest" else float(without.mean())
    return 100 * difference / unit if unit > 0 else np.full_like(difference, np.nan)

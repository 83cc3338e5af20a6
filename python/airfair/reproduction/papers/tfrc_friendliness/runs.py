"""Measurements of the runs of one scenario: one row per replication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airfair import friendliness
from airfair.estimate import Floats
from airfair.reproduction.measured import Columns, column, names, over_time, summed, taken

Booleans = NDArray[np.bool_]


@dataclass(frozen=True)
class FriendlinessRuns(Columns):
    """Measurements of one variant; flows are in the order of the scenario."""

    flows: tuple[str, ...] = taken(names)
    is_tfrc: Booleans = taken(
        lambda result: np.array([flow["transport"] == "tfrc" for flow in result.scenario.flows])
    )
    """True for each flow of TFRC, (flow)."""
    kbytes_per_s: Floats = column("goodput_bps", 8e3)
    """Throughput B_f from the warm-up to the end [kB/s], (replication, flow).  [tfrc-friendliness eq. 8]"""
    timeouts: Floats = column("timeouts")
    """Number of time-outs, (replication, flow)."""
    fast_retransmits: Floats = column("fast_retransmits")
    """Number of fast retransmits, (replication, flow)."""
    series: Floats = taken(lambda result: over_time(result, "delivered_bytes", "delivered"))
    """Octets delivered in each step from time 0, (replication, flow, step)."""
    step_s: float = taken(lambda result: (result.scenario.series_step_ns or 0) / 1e9)
    warmup_s: float = taken(lambda result: result.scenario.warmup_s)
    measured_s: float = taken(lambda result: result.scenario.duration_s - result.scenario.warmup_s)

    def mean(self, *, tfrc: bool) -> Floats:
        """Mean throughput B_P of TFRC or other flows [kB/s], (replication).  [tfrc-friendliness eq. 9]"""
        return friendliness.of_protocol(self.kbytes_per_s[:, self.is_tfrc == tfrc])

    def total_mbps(self) -> Floats:
        """Total throughput of all flows [Mb/s], (replication)."""
        return summed(self.kbytes_per_s) * 8 / 1e3

    def index(self) -> Floats:
        """Index F_TFRC, (replication); above 0.5 TFRC is timid.  [tfrc-friendliness eq. 10]"""
        return friendliness.inter_protocol(self.mean(tfrc=True), self.mean(tfrc=False))

    def max_min(self) -> Floats:
        """Max-min fairness over all flows, (replication).  [tfrc-friendliness eq. 11]"""
        return friendliness.max_min(self.kbytes_per_s)

    def variation(self, *, tfrc: bool) -> Floats:
        """Coefficient of variation of throughputs in steps, mean over the flows, (replication)."""
        first = round(self.warmup_s / self.step_s)
        rates = self.series[:, self.is_tfrc == tfrc, first:]
        each: Floats = friendliness.coefficient_of_variation(rates).mean(axis=-1)
        return each

    def variation_of(self, flow: str, start_s: float) -> Floats:
        """Coefficient of variation of one flow from `start_s` on, (replication)."""
        steps = self.series[:, self.flows.index(flow), round(start_s / self.step_s) :]
        return friendliness.coefficient_of_variation(steps)

    def timeout_share(self) -> Floats:
        """Share of TCP's loss recoveries that began with a time-out, (replication); 0 without recoveries."""
        timeouts = summed(self.timeouts, ~self.is_tfrc)
        fast = summed(self.fast_retransmits, ~self.is_tfrc)
        return np.nan_to_num(friendliness.timeout_share(timeouts, fast))

    def timeouts_per_minute(self) -> Floats:
        """Time-outs of a TCP flow per minute, (replication)."""
        each: Floats = self.timeouts[:, ~self.is_tfrc].mean(axis=1) * 60 / self.measured_s
        return each

    def between(self, start_s: float, end_s: float) -> Floats:
        """Throughput from `start_s` to `end_s` [kB/s], (replication, flow)."""
        first, last = round(start_s / self.step_s), round(end_s / self.step_s)
        return friendliness.average(self.series[..., first:last], self.step_s) / 1e3

    def smoothed(self, window_s: float) -> tuple[Floats, Floats]:
        """Throughput in adjacent intervals of length `window_s` [kB/s], and their middles [s]."""
        steps = round(window_s / self.step_s)
        rates = friendliness.samples(self.series, steps, self.step_s) / 1e3
        middles: Floats = (np.arange(rates.shape[-1], dtype=np.float64) + 0.5) * window_s
        return rates, middles


Measurements = Mapping[tuple[str, str], FriendlinessRuns]
"""Finished runs by (setup, variant)."""

"""Measurements of the runs of one scenario under one scheme: one row per replication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from airfair.estimate import Floats
from airfair.statistics import jain

if TYPE_CHECKING:
    from airfair.result import Result

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Runs:
    """Replications of one scenario; flows in the order of the scenario."""

    flows: tuple[str, ...]
    elapsed_s: float
    delivered: Integers
    """Application octets delivered in order, (replication, flow)."""
    mean_link_rate_bps: Floats
    """T_i of each flow's sender over the run, (flow).  [arf-aware-tcp eq. 3]"""
    series: Integers
    """Application octets delivered in each step, (replication, flow, step)."""
    step_s: float
    segment: int
    """Application octets per packet."""

    @classmethod
    def of(cls, result: Result, segment: int) -> Runs:
        """The throughputs in `result`, whose flows all send packets of `segment` application octets."""
        scenario, shape = result.scenario, (result.replications, len(result.scenario.flows))
        flows, series = result.flows, result.series("delivered")
        return cls(
            flows=tuple(flow["name"] for flow in scenario.flows),
            elapsed_s=result.runs.item(0, "elapsed_ns") / 1e9,
            delivered=flows["delivered_bytes"].to_numpy().reshape(shape).astype(np.int64),
            mean_link_rate_bps=flows["mean_link_rate_bps"].to_numpy()[: shape[1]],
            series=series["delivered_bytes"].to_numpy().reshape(*shape, -1).astype(np.int64),
            step_s=(scenario.series_step_ns or 0) / 1e9,
            segment=segment,
        )

    @property
    def replications(self) -> int:
        """Number of finished runs."""
        return len(self.delivered)

    @property
    def throughput_kbps(self) -> Floats:
        """Throughput R_i over the whole run [kb/s], (replication, flow)."""
        return self.delivered * 8 / self.elapsed_s / 1e3

    def throughput_between(self, start_s: float, end_s: float) -> Floats:
        """Throughput from `start_s` to `end_s` [kb/s], (replication, flow)."""
        first, last = round(start_s / self.step_s), round(end_s / self.step_s)
        octets = self.series[:, :, first:last].sum(axis=-1)
        rates: Floats = octets * 8 / ((last - first) * self.step_s) / 1e3
        return rates

    def fairness(self, sessions: int | None = None) -> Floats:
        """Jain's index of R_i/T_i over the first `sessions` flows.  [arf-aware-tcp eq. 1, 2]"""
        share = self.throughput_kbps * 1e3 / self.mean_link_rate_bps
        # Nobody got anything: all got the same.
        return np.array([jain(row[:sessions]) or 1.0 for row in share])

    def aggregate_kbps(self, sessions: int | None = None) -> Floats:
        """Sum of the first `sessions` throughputs [kb/s], (replication)."""
        total: Floats = self.throughput_kbps[:, :sessions].sum(axis=-1)
        return total

    @property
    def packets_per_second(self) -> Floats:
        """Packets delivered per second in each step, (replication, flow, step)."""
        return self.series / self.segment / self.step_s

    @property
    def times_s(self) -> Floats:
        """Middle of each step [s]."""
        times: Floats = (np.arange(self.series.shape[-1], dtype=np.float64) + 0.5) * self.step_s
        return times


Measurements = Mapping[tuple[str, str], Runs]
"""Finished runs by (setup, scheme)."""

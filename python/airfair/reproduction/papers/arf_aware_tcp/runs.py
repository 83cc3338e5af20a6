"""Measurements of the runs of one scenario under one scheme: one row per replication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airfair.estimate import Floats
from airfair.reproduction.measured import Columns, names, of_each, over_time, taken
from airfair.statistics import jain

Integers = NDArray[np.int64]

SEGMENT = 1000
"""Application octets per packet, with which the figures count packets."""


@dataclass(frozen=True)
class ArfAwareRuns(Columns):
    """Measurements of one variant; flows are in the order of the scenario."""

    flows: tuple[str, ...] = taken(names)
    elapsed_s: float = taken(lambda result: result.runs.item(0, "elapsed_ns") / 1e9)
    delivered: Integers = taken(lambda result: of_each(result, "delivered_bytes").astype(np.int64))
    """Application octets delivered in order, (replication, flow)."""
    mean_link_rate_bps: Floats = taken(lambda result: of_each(result, "mean_link_rate_bps")[0])
    """Mean link rate T_i of each flow's sender over the run, (flow).  [arf-aware-tcp eq. 3]"""
    series: Integers = taken(
        lambda result: over_time(result, "delivered_bytes", "delivered").astype(np.int64)
    )
    """Application octets delivered in each step, (replication, flow, step)."""
    step_s: float = taken(lambda result: (result.scenario.series_step_ns or 0) / 1e9)
    segment: int = taken(lambda _: SEGMENT)
    """Application octets per packet."""

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
        # If no flow has any throughput, the index is undefined; all shares are equal, so it counts as 1.
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


Measurements = Mapping[tuple[str, str], ArfAwareRuns]
"""Finished runs by (setup, scheme)."""

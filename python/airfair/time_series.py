"""Time series of a result, in steps of a multiple of the scenario's, and metrics over them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from . import _core, friendliness
from .names import did_you_mean

if TYPE_CHECKING:
    from .result import Result

_SERIES = {
    "throughput": "delivered",
    "delivered": "delivered",
    "cwnd": "window",
    "ssthresh": "window",
    "rtt": "rtt",
    "delay": "delay",
    "airtime": "airtime",
    "rate": "rate",
    "queue": "",
}
"""Series of the core from which each series of a result is computed."""


def _values(what: str) -> dict[str, pl.Expr]:
    """Expressions that aggregate the rows of one step into the columns of the series `what`."""
    whole = pl.col("length_ns").sum()
    delivered = pl.col("delivered_bytes").sum()
    # 0 / 0 is NaN in a step without samples; `_steps` replaces NaN by null.
    mean_ms = pl.col("sum_ns").sum() / pl.col("samples").sum() / 1e6

    def over_time(column: str) -> pl.Expr:
        return (pl.col(column) * pl.col("length_ns")).sum() / whole

    return {
        "throughput": {"throughput_bps": delivered * 8e9 / whole},
        "delivered": {"delivered_bytes": delivered},
        "cwnd": {"cwnd_segments": pl.col("cwnd_segments").last()},
        "ssthresh": {"ssthresh_segments": pl.col("ssthresh_segments").last()},
        "rtt": {"rtt_ms": mean_ms},
        "delay": {"delay_ms": mean_ms},
        "airtime": {"airtime_share": pl.col("airtime_ns").sum() / whole},
        "rate": {name: over_time(name) for name in ("rate_up_bps", "rate_down_bps")},
        "queue": {"queue_packets": over_time("queue_packets")},
    }[what]


@dataclass(frozen=True)
class TimeSeries:
    """Time series of `result`, whose methods of the same names describe these."""

    result: Result

    def series(self, what: str, step: str | None) -> pl.DataFrame:
        """Time series in long form.

        Raises `ValueError` for an unknown series or a wrong step.
        """
        if what not in _SERIES:
            allowed = ", ".join(f'"{name}"' for name in _SERIES)
            hint = did_you_mean(what, _SERIES)
            raise ValueError(f"series {what!r}: not recorded{hint}; allowed {allowed}")
        step_ns = (
            self._series_step_ns if step is None else self._multiple(step) * self._series_step_ns
        )
        if what == "queue":
            return self._queues(step_ns)
        return self._steps(_SERIES[what], step_ns, _values(what))

    def _queues(self, step_ns: int) -> pl.DataFrame:
        parts = [
            self._steps(f"{kind}_queue", step_ns, _values("queue"))
            for kind, names in (
                ("station", self.result.scenario.stations),
                ("access_point", self.result.scenario.cells),
                ("link", self.result.scenario.links),
            )
            if names
        ]
        names = ["station", "access_point", "link", "from", "to"]
        table = pl.concat(parts, how="diagonal")
        absent = [pl.lit(None, pl.String).alias(n) for n in names if n not in table.columns]
        order = ["replication", *names, "time_s", "queue_packets"]
        return table.with_columns(absent).select(order).sort("replication", maintain_order=True)

    def _steps(self, source: str, step_ns: int, columns: Mapping[str, pl.Expr]) -> pl.DataFrame:
        """Series `source` of the core, aggregated to steps of `step_ns`."""
        table = self.result.measurements.series(source)
        names = table.columns[1 : table.columns.index("start_ns")]
        start = pl.col("start_ns") // step_ns * step_ns
        return (
            table.group_by("replication", *names, start, maintain_order=True)
            .agg(**columns)
            .select("replication", *names, (pl.col("start_ns") / 1e9).alias("time_s"), *columns)
            .with_columns(pl.selectors.float().fill_nan(None))
        )

    def sliding(self, window: str) -> pl.DataFrame:
        """Throughput of each flow over a sliding window, one row per step."""
        steps = self._multiple(window)
        octets = self._delivered
        step_s = self._series_step_ns / 1e9
        rates = friendliness.throughput(octets, steps, step_s) * 8
        return self._by_flow(
            time_s=np.broadcast_to(np.arange(1, octets.shape[-1] + 1) * step_s, octets.shape),
            throughput_bps=rates,
        )

    def friendliness(self, granularity: str) -> pl.DataFrame:
        """Friendliness of each protocol, one row per replication and protocol."""
        samples = self._samples(granularity)
        shape = samples.shape[:2]
        goodput = self.result.flows["goodput_bps"].to_numpy().reshape(shape)
        counts = {
            name: self.result.flows[name].to_numpy().reshape(shape)
            for name in ("timeouts", "fast_retransmits")
        }
        protocols = np.array(list(self.result.protocols.values()))
        rows = []
        for protocol in dict.fromkeys(protocols.tolist()):
            own = protocols == protocol
            mean = friendliness.of_protocol(goodput[:, own])
            recoveries = (counts[name][:, own].sum(axis=1) for name in counts)
            inter = np.full(shape[0], np.nan)
            if not own.all():
                inter = friendliness.inter_protocol(
                    mean, friendliness.of_protocol(goodput[:, ~own])
                )
            rows.append(
                self._replication_numbers.with_columns(
                    protocol=pl.lit(protocol),
                    flows=pl.lit(int(own.sum())),
                    throughput_bps=pl.Series(mean),
                    inter_protocol=pl.Series(inter),
                    max_min=pl.Series(friendliness.max_min(goodput[:, own])),
                    coefficient_of_variation=pl.Series(
                        friendliness.coefficient_of_variation(samples[:, own]).mean(axis=-1)
                    ),
                    timeout_share=pl.Series(friendliness.timeout_share(*recoveries)),
                )
            )
        table = pl.concat(rows).sort("replication", maintain_order=True)
        return table.with_columns(pl.selectors.float().fill_nan(None))

    def equivalence(self, granularity: str) -> pl.DataFrame:
        """Equivalence ratio of every pair of flows, one row per replication and pair."""
        samples = self._samples(granularity)
        pairs = [
            self._replication_numbers.with_columns(
                first=pl.lit(self._flow_names[i]),
                second=pl.lit(self._flow_names[j]),
                equivalence_ratio=pl.Series(
                    friendliness.equivalence_ratio(samples[:, i], samples[:, j])
                ).fill_nan(None),
            )
            for i, j in itertools.combinations(range(samples.shape[1]), 2)
        ]
        if not pairs:
            schema = {"replication": pl.UInt32, "first": pl.String, "second": pl.String}
            return pl.DataFrame(schema=schema | {"equivalence_ratio": pl.Float64})
        return pl.concat(pairs).sort("replication", maintain_order=True)

    @property
    def _flow_names(self) -> list[str]:
        return [flow["name"] for flow in self.result.scenario.flows]

    @property
    def _replication_numbers(self) -> pl.DataFrame:
        return self.result.runs.select("replication")

    @property
    def _series_step_ns(self) -> int:
        step = self.result.scenario.series_step_ns
        if step is None:
            raise ValueError(
                'the scenario records no time series; set the key series, for example series = "100 ms"'
            )
        return step

    def _multiple(self, step: str) -> int:
        """Number of series steps in the duration `step`; raises `ValueError` unless it is a multiple."""
        base = self._series_step_ns
        try:
            step_ns = round(_core.quantity(step, "time") * 1e9)
        except ValueError as error:
            raise ValueError(f"step {step!r}: {error}") from error
        if step_ns == 0 or step_ns % base:
            raise ValueError(
                f"step {step!r}: allowed are multiples of {base / 1e9:g} s, the step of the scenario's time "
                "series"
            )
        return step_ns // base

    @property
    def _delivered(self) -> NDArray[np.int64]:
        """Octets delivered in each step; axes (replication, flow, step)."""
        octets = self.result.measurements.series("delivered")["delivered_bytes"].to_numpy()
        steps = -(-self.result.scenario.duration_ns // self._series_step_ns)
        return octets.astype(np.int64).reshape(
            self.result.replications, len(self._flow_names), steps
        )

    def _samples(self, granularity: str) -> NDArray[np.float64]:
        """Throughputs [B/s] in adjacent intervals of the measured time, (replication, flow, interval)."""
        window, step_ns = self._multiple(granularity), self._series_step_ns
        # Rounded up: a step that overlaps the warm-up does not count.
        first = -(-round(self.result.scenario.warmup_s * 1e9) // step_ns)
        last = self.result.scenario.duration_ns // step_ns
        if last - first < window:
            raise ValueError(f"step {granularity!r}: longer than the measured time")
        octets = self._delivered[..., first:last]
        return friendliness.samples(octets, window, step_ns / 1e9)

    def _by_flow(self, **columns: NDArray[np.float64]) -> pl.DataFrame:
        """Table in long form of arrays with the axes (replication, flow, step)."""
        series = self.series("delivered", None).select("replication", "flow")
        return series.with_columns(**{name: pl.Series(a.ravel()) for name, a in columns.items()})

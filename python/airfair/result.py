"""What the replications of one scenario measured, as tables."""

from __future__ import annotations

import functools
import itertools
import re
from dataclasses import KW_ONLY, dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from . import _core, friendliness, statistics

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

_UNITS_NS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s|min|h)")


@dataclass(frozen=True, eq=False)
class Result:
    """Finished replications of a scenario.

    Every table is a polars `DataFrame` in long form: one row per replication and flow, station, …,
    in the scenario's order. They cover the time between warm-up and end; shares are fractions.
    """

    scenario: _core.Scenario
    outcomes: Sequence[_core.Outcome] = field(repr=False)
    _: KW_ONLY
    interrupted: bool = False
    """Whether Ctrl-C ended it before all replications were finished."""
    cpu_s: float | None = None
    """CPU time that it took."""
    wall_s: float | None = None
    """Time that passed meanwhile."""

    @property
    def replications(self) -> int:
        """Number of replications that were finished."""
        return len(self.outcomes)

    @property
    def simulated_s(self) -> float:
        """Simulated time of all finished replications, warm-up included [s]."""
        return self.replications * self.scenario.duration_s

    @functools.cached_property
    def runs(self) -> pl.DataFrame:
        """Replication, seed, measured time, events, hash of all records."""
        return self._table("runs")

    @functools.cached_property
    def flows(self) -> pl.DataFrame:
        """Goodput, loss, retransmissions, time-outs, round-trip times of each flow.

        `loss` is the part of the sender's packets that a queue or the MAC dropped. `loss_estimated` is
        what a trace at the wired end shows of TCP: retransmissions among the data segments that it sent
        or, if only the sender is wireless, that came to it.
        """
        flows = self._table("flows", flow=self._flow_names)
        sent = pl.col("packets_sent")
        stations = set(self.scenario.stations)
        upward = pl.col("flow").is_in(
            [
                f["name"]
                for f in self.scenario.flows
                if f["from"] in stations and f["to"] not in stations
            ]
        )
        received = pl.col("packets_received")
        repeated = _part(pl.col("packets_repeated"), received)
        resent = _part(pl.col("retransmissions"), sent)
        losses = flows.select(
            loss=_part(pl.col("packets_dropped"), sent),
            loss_estimated=pl.when(upward).then(repeated).otherwise(resent),
        )
        place = flows.get_column_index("goodput_bps") + 1
        for column in reversed(losses.get_columns()):
            flows = flows.insert_column(place, column)
        return flows

    @functools.cached_property
    def stations(self) -> pl.DataFrame:
        """Frames, retries, drops by cause, queue, rates and airtime of each station.

        `measured_airtime_share` is what a station that observes its channel makes of its own airtime,
        with the SIFS inside its exchanges; null for others.  [arf-window §III-A]
        """
        return self._table("stations", station=self.scenario.stations)

    @functools.cached_property
    def airtime(self) -> pl.DataFrame:
        """Share of the air that the exchanges of each station held, in both directions.

        `occupancy` has the gaps and back-off before its frames in it, too.  [occupancy-tfrc fig. 1]
        """
        elapsed = self.runs.select("replication", "elapsed_ns")
        return self.stations.join(elapsed, on="replication", maintain_order="left").select(
            "replication",
            "station",
            share="airtime_share",
            data_up=pl.col("airtime_data_up_ns") / pl.col("elapsed_ns"),
            data_down=pl.col("airtime_data_down_ns") / pl.col("elapsed_ns"),
            control=pl.col("airtime_control_ns") / pl.col("elapsed_ns"),
            occupancy=pl.col("airtime_share") + pl.col("contention_ns") / pl.col("elapsed_ns"),
            frames="frames",
            retries="retries",
            drops=pl.sum_horizontal(
                "dropped_retry_limit", "dropped_queue_full", "dropped_codel", "dropped_ack_filter"
            ),
        )

    @functools.cached_property
    def access_points(self) -> pl.DataFrame:
        """Frames, retries, drops by cause and queue of each access point."""
        return self._table("access_points", access_point=self.scenario.cells)

    @functools.cached_property
    def channels(self) -> pl.DataFrame:
        """What happened on each channel; the six times add up to `elapsed_ns`."""
        held = pl.sum_horizontal("data_ns", "control_ns", "beacon_ns", "collision_ns")
        busy = (held / pl.col("elapsed_ns")).alias("busy")
        return self._table("channels", channel=self.scenario.cells).with_columns(busy)

    @functools.cached_property
    def links(self) -> pl.DataFrame:
        """Packets, drops and queue of each direction of each wired link."""
        table = self._table("links")
        directions = pl.DataFrame(
            self.scenario.links, schema={"name": pl.String, "from": pl.String, "to": pl.String}
        )
        ends = directions.select(pl.all().gather(table["link"]))
        names = ends.rename({"name": "link"})
        return table.select("replication").hstack(names).hstack(table.drop("replication", "link"))

    @functools.cached_property
    def fairness(self) -> pl.DataFrame:
        """Jain's indices of each replication; null where nothing was shared.

        `goodput` is over the flows' goodputs; `goodput_per_link_rate` over goodput by mean link rate of
        the sender, null if a sender is wired [arf-aware-tcp eq. 1 to 3]; `airtime` and `occupancy` over
        what the stations held that a flow starts or ends at  [occupancy-tfrc eq. 19].
        """
        ends = {flow[end] for flow in self.scenario.flows for end in ("from", "to")}
        flows = self.flows.partition_by("replication", maintain_order=True)
        stations = self.airtime.filter(pl.col("station").is_in(list(ends)))
        airtimes = stations.partition_by("replication", as_dict=True)
        rows: list[dict[str, Any]] = []
        for table in flows:
            replication = table.item(0, "replication")
            rates = table["mean_link_rate_bps"]
            per_rate = None if rates.null_count() else table["goodput_bps"] / rates
            airtime = airtimes.get((replication,))
            rows.append(
                {
                    "replication": replication,
                    "goodput": statistics.jain(table["goodput_bps"]),
                    "goodput_per_link_rate": per_rate
                    if per_rate is None
                    else statistics.jain(per_rate),
                    "airtime": airtime if airtime is None else statistics.jain(airtime["share"]),
                    "occupancy": airtime
                    if airtime is None
                    else statistics.jain(airtime["occupancy"]),
                }
            )
        indices = ("goodput", "goodput_per_link_rate", "airtime", "occupancy")
        schema = {"replication": pl.UInt32} | dict.fromkeys(indices, pl.Float64)
        return pl.DataFrame(rows, schema=schema)

    def series(self, what: str = "throughput", *, step: str | None = None) -> pl.DataFrame:
        """Time series of each flow, from time 0, warm-up included.

        `what` is "throughput" (`throughput_bps`) or "delivered" (`delivered_bytes`), of application octets
        delivered in order. `step` such as "1 s" is a multiple of the step of the scenario, which is the
        default. `time_s` is the start of a step.
        """
        columns = {
            "throughput": pl.col("delivered_bytes") * 8e9 / pl.col("length_ns"),
            "delivered": pl.col("delivered_bytes"),
        }
        names = {"throughput": "throughput_bps", "delivered": "delivered_bytes"}
        if what not in columns:
            raise ValueError(f'series {what!r}: not recorded; allowed "throughput", "delivered"')
        step_ns = (
            self._series_step_ns if step is None else self._multiple(step) * self._series_step_ns
        )
        return (
            self._table("series", flow=self._flow_names)
            .group_by(
                "replication", "flow", pl.col("start_ns") // step_ns * step_ns, maintain_order=True
            )
            .agg(pl.col("delivered_bytes").sum(), pl.col("length_ns").sum())
            .select(
                "replication",
                "flow",
                (pl.col("start_ns") / 1e9).alias("time_s"),
                columns[what].alias(names[what]),
            )
        )

    def sliding(self, window: str) -> pl.DataFrame:
        """Throughput of each flow over the interval `window` that ends at `time_s`, every step.

        From time 0, warm-up included; `window` such as "5 s" is a multiple of the scenario's series
        step. The first ones count what was delivered since the start.  [tfrc-friendliness eq. 6, eq. 7]
        """
        steps = self._multiple(window)
        octets = self._delivered
        step_s = self._series_step_ns / 1e9
        rates = friendliness.throughput(octets, steps, step_s) * 8
        return self._by_flow(
            time_s=np.broadcast_to(np.arange(1, octets.shape[-1] + 1) * step_s, octets.shape),
            throughput_bps=rates,
        )

    def friendliness(self, granularity: str = "1 s") -> pl.DataFrame:
        """How each protocol fares beside the others: one row per replication and protocol.

        `protocol` is a flavour of TCP, or tfrc or udp; `throughput_bps` the mean over its `flows`;
        `inter_protocol` its inter-protocol fairness, 0.5 is ideal and more is timid, null if it is
        alone; `max_min` the least of its flows by the largest; `coefficient_of_variation` the mean
        over its flows, at `granularity`; `timeout_share` the part of its loss recoveries that began
        with a time-out, null if there were none.  [tfrc-friendliness eq. 8 to 11]
        """
        samples = self._samples(granularity)
        shape = samples.shape[:2]
        goodput = self.flows["goodput_bps"].to_numpy().reshape(shape)
        counts = {
            name: self.flows[name].to_numpy().reshape(shape)
            for name in ("timeouts", "fast_retransmits")
        }
        protocols = np.array(list(self.protocols.values()))
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

    def equivalence(self, granularity: str = "1 s") -> pl.DataFrame:
        """Equivalence ratio of every pair of flows, one row per replication and pair.

        The mean over time of min(a/b, b/a) of their throughputs at `granularity`, from 0 to 1; instants
        at which neither has anything are left out, null if there is no other.  [floyd-2000 §4.1.2]
        """
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

    @functools.cached_property
    def protocols(self) -> dict[str, str]:
        """Each flow's protocol: its flavour of TCP, or tfrc or udp."""
        return {flow["name"]: flow["protocol"] for flow in self.scenario.flows}

    def to_json(self) -> dict[str, Any]:
        """The document of `airfair run --json`: every figure is the mean over replications."""
        from .document import document

        return document(self)

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Write scenario, tables and figures to `directory`, which is made if it is not there.

        Files of the same names are replaced, each at once; other files stay.
        """
        from .store import save

        save(self, directory)

    @property
    def _flow_names(self) -> list[str]:
        return [flow["name"] for flow in self.scenario.flows]

    @property
    def _replication_numbers(self) -> pl.DataFrame:
        return self.runs.select("replication")

    @property
    def _series_step_ns(self) -> int:
        step = self.scenario.series_step_ns
        if step is None:
            raise ValueError('the scenario records no series; set series = "100 ms", for example')
        return step

    def _multiple(self, step: str) -> int:
        """A duration in steps of the series."""
        base, step_ns = self._series_step_ns, _duration_ns(step)
        if step_ns == 0 or step_ns % base:
            raise ValueError(
                f"step {step!r}: not a multiple of {base / 1e9:g} s, the scenario's series step"
            )
        return step_ns // base

    @functools.cached_property
    def _delivered(self) -> NDArray[np.int64]:
        """Octets delivered in each step, (replication, flow, step)."""
        octets = self._table("series")["delivered_bytes"].to_numpy()
        steps = -(-self.scenario.duration_ns // self._series_step_ns)
        return octets.astype(np.int64).reshape(self.replications, len(self._flow_names), steps)

    def _samples(self, granularity: str) -> NDArray[np.float64]:
        """Throughputs side by side from warm-up to end [B/s], (replication, flow, interval)."""
        window, step_ns = self._multiple(granularity), self._series_step_ns
        # Ceiling: a step that the warm-up has a part of is left out.
        first = -(-round(self.scenario.warmup_s * 1e9) // step_ns)
        last = self.scenario.duration_ns // step_ns
        if last - first < window:
            raise ValueError(f"step {granularity!r}: longer than the time that is measured")
        octets = self._delivered[..., first:last]
        return friendliness.samples(octets, window, step_ns / 1e9)

    def _by_flow(self, **columns: NDArray[np.float64]) -> pl.DataFrame:
        """Arrays (replication, flow, step) in long form."""
        series = self._table("series", flow=self._flow_names).select("replication", "flow")
        return series.with_columns(**{name: pl.Series(a.ravel()) for name, a in columns.items()})

    @functools.cached_property
    def _columns(self) -> dict[str, dict[str, Any]]:
        return dict(_core.tables(self.scenario, self.outcomes))

    def _table(self, name: str, **names: Sequence[str]) -> pl.DataFrame:
        """One table of the core, with indices replaced by `names` and NaN by null."""
        table = pl.DataFrame(self._columns[name])
        for column, of in names.items():
            index = table[column]
            named = pl.Series(column, of, dtype=pl.String).gather(index)
            table = table.with_columns(named)
        return table.with_columns(pl.selectors.float().fill_nan(None))


def _part(some: pl.Expr, of: pl.Expr) -> pl.Expr:
    """A ratio, zero of nothing."""
    return pl.when(of > 0).then(some / of).otherwise(0.0)


def _duration_ns(text: str) -> int:
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f'step {text!r}: not a duration; write for example "1 s"')
    number, unit = match.groups()
    nanoseconds = Fraction(number) * _UNITS_NS[unit]
    if nanoseconds.denominator != 1:
        raise ValueError(f"step {text!r}: finer than 1 ns")
    return int(nanoseconds)

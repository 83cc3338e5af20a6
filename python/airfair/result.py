"""What the replications of one scenario measured, as tables."""

from __future__ import annotations

import functools
import re
from dataclasses import KW_ONLY, dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import polars as pl

from . import _core, statistics

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

        `loss` is the part of the sender's packets that a queue or the MAC dropped.
        """
        flows = self._table("flows", flow=self._flow_names)
        sent = pl.col("packets_sent")
        loss = pl.when(sent > 0).then(pl.col("packets_dropped") / sent).otherwise(0.0).alias("loss")
        place = flows.get_column_index("goodput_bps") + 1
        return flows.insert_column(place, flows.select(loss).to_series())

    @functools.cached_property
    def stations(self) -> pl.DataFrame:
        """Frames, retries, drops by cause, queue and airtime of each station."""
        return self._table("stations", station=self.scenario.stations)

    @functools.cached_property
    def airtime(self) -> pl.DataFrame:
        """Share of the air that the exchanges of each station held, in both directions."""
        elapsed = self.runs.select("replication", "elapsed_ns")
        return self.stations.join(elapsed, on="replication", maintain_order="left").select(
            "replication",
            "station",
            share="airtime_share",
            data_up=pl.col("airtime_data_up_ns") / pl.col("elapsed_ns"),
            data_down=pl.col("airtime_data_down_ns") / pl.col("elapsed_ns"),
            control=pl.col("airtime_control_ns") / pl.col("elapsed_ns"),
            frames="frames",
            retries="retries",
            drops=pl.col("dropped_retry_limit") + pl.col("dropped_queue_full"),
        )

    @functools.cached_property
    def access_points(self) -> pl.DataFrame:
        """Frames, retries, drops by cause and queue of each access point."""
        return self._table("access_points", access_point=self.scenario.cells)

    @functools.cached_property
    def channels(self) -> pl.DataFrame:
        """What happened on each channel; the five times add up to `elapsed_ns`."""
        held = pl.col("data_ns") + pl.col("control_ns") + pl.col("collision_ns")
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
        the sender, null if a sender is wired [arf-aware-tcp eq. 1 to 3]; `airtime` over the airtimes of
        the stations that a flow starts or ends at.
        """
        ends = {flow[end] for flow in self.scenario.flows for end in ("from", "to")}
        flows = self.flows.partition_by("replication", maintain_order=True)
        stations = self.stations.filter(pl.col("station").is_in(list(ends)))
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
                    "airtime": airtime
                    if airtime is None
                    else statistics.jain(airtime["airtime_share"]),
                }
            )
        indices = ("goodput", "goodput_per_link_rate", "airtime")
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
        base = self.scenario.series_step_ns
        if base is None:
            raise ValueError('the scenario records no series; set series = "100 ms", for example')
        step_ns = base if step is None else _duration_ns(step)
        if step_ns == 0 or step_ns % base:
            raise ValueError(
                f"step {step!r}: not a multiple of {base / 1e9:g} s, the scenario's series step"
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


def _duration_ns(text: str) -> int:
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f'step {text!r}: not a duration; write for example "1 s"')
    number, unit = match.groups()
    nanoseconds = Fraction(number) * _UNITS_NS[unit]
    if nanoseconds.denominator != 1:
        raise ValueError(f"step {text!r}: finer than 1 ns")
    return int(nanoseconds)

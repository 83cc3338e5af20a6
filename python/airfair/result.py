"""Measurements of the replications of one scenario, as tables."""

from __future__ import annotations

import functools
import itertools
import re
import textwrap
from dataclasses import KW_ONLY, dataclass, field, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from . import _core, fairness, lazy
from ._core import __version__
from .columns import tables
from .measurements import Lists, Measurements, OfRuns, Written
from .names import did_you_mean

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from . import friendliness
    from .run_figures import Plot
else:
    np = lazy.Module("numpy")
    pl = lazy.Module("polars")
    friendliness = lazy.Module("airfair.friendliness")

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
"""Series of the core that each comes from."""


def _values(what: str) -> dict[str, pl.Expr]:
    """Values of a step of a series."""
    whole = pl.col("length_ns").sum()
    delivered = pl.col("delivered_bytes").sum()
    # Nothing by nothing is NaN, and NaN becomes null.
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


class _Table(functools.cached_property["pl.DataFrame"]):
    """A table of the core, whose meaning is told there."""

    def __init__(self, name: str) -> None:
        super().__init__(lambda result: result.measurements.table(name))
        lines = tables()[name].markdown.splitlines()
        self.__doc__ = "\n".join(
            textwrap.fill(
                line,
                76,
                subsequent_indent="  " if line.startswith("-") else "",
                break_on_hyphens=False,
            )
            for line in lines
        )


@dataclass(frozen=True, eq=False)
class Result:
    """Finished replications of a scenario.

    Every table is a polars `DataFrame` in long form: one row per replication and flow, station, …,
    in the scenario's order. They cover the time between warm-up and end; shares are fractions.
    """

    scenario: _core.Scenario
    outcomes: Sequence[_core.Outcome] = field(repr=False)
    """Outcome of each run; none of a result that was loaded, which has its tables alone."""
    _: KW_ONLY
    written: Written | None = field(default=None, repr=False)
    """Tables from which it was loaded."""
    interrupted: bool = False
    """True if Ctrl-C ended it before all replications were finished."""
    cpu_s: float | None = None
    """CPU time that it took."""
    wall_s: float | None = None
    """Time that passed meanwhile."""

    @property
    def replications(self) -> int:
        """Number of replications that were finished."""
        return self.measurements.replications

    @property
    def version(self) -> str:
        """Version of airfair that made it."""
        return self.written.version if self.written else __version__

    @functools.cached_property
    def measurements(self) -> Measurements:
        """Measurements from which its tables follow."""
        return self.written or OfRuns(self.scenario, self.outcomes)

    @property
    def simulated_s(self) -> float:
        """Simulated time of all finished replications, warm-up included [s]."""
        return self.replications * self.scenario.duration_s

    def __getstate__(self) -> dict[str, Any]:
        """What makes it, without the tables that were asked for: they are made again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _repr_html_(self) -> str:
        from .run_fragment import fragment

        return fragment(self)

    @property
    def plot(self) -> Plot:
        """Figures of matplotlib: `result.plot()` for all over time, `result.plot.throughput()` for one."""
        from .run_figures import Plot

        return Plot(self)

    runs = _Table("runs")
    flows = _Table("flows")
    stations = _Table("stations")
    airtime = _Table("airtime")
    access_points = _Table("access_points")
    channels = _Table("channels")
    channel_shares = _Table("channel_shares")
    categories = _Table("categories")
    links = _Table("links")
    limits = _Table("limits")
    places = _Table("places")
    delays = _Table("delays")

    @functools.cached_property
    def fairness(self) -> pl.DataFrame:
        """Jain's indices of each replication over those that compete; null where nothing was shared.

        A flow competes if a part of its life is within the measured time, a station if such a flow
        starts or ends at it. `flow_rate` is over the flows' rates, each over its own life;
        `flow_rate_per_link_rate` over these by the mean link rate of the sender, null if a sender is wired
        [arf-aware-tcp eq. 1 to 3]; `airtime` and `occupancy` over what the stations held of the measured
        time  [occupancy-tfrc eq. 19].
        """
        schema = dict.fromkeys(fairness.INDICES, pl.Float64)
        table = pl.DataFrame(fairness.indices(self), schema=schema)
        return self._replication_numbers.hstack(table)

    def series(self, what: str = "throughput", *, step: str | None = None) -> pl.DataFrame:
        """Time series in long form, from time 0, warm-up included; `time_s` is the start of a step.

        | `what` | of each | columns |
        | --- | --- | --- |
        | "throughput" | flow | `throughput_bps`: application octets delivered in order |
        | "delivered" | flow | `delivered_bytes`: the same, in octets |
        | "cwnd" | flow | `cwnd_segments`: TCP's congestion window at the end of the step |
        | "ssthresh" | flow | `ssthresh_segments`: its threshold then, null while there is none |
        | "rtt" | flow | `rtt_ms`: mean of what the sender measured in the step |
        | "delay" | flow | `delay_ms`: mean one-way delay of the packets that arrived in the step |
        | "airtime" | station | `airtime_share`: of its exchanges, both ways |
        | "rate" | station | `rate_up_bps`, `rate_down_bps`: link rates, mean over the step |
        | "queue" | station, access point, link | `queue_packets`: mean over the step |

        A value is null where there is none: a window before a flow starts and after it is done, and of
        TFRC and UDP; a delay in a step in which nothing arrived. The rows of "queue" name one of
        `station`, `access_point`, or `link` with `from` and `to`. `step` such as "1 s" is a multiple of
        the scenario's (key `series`), which is the default.
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
                ("station", self.scenario.stations),
                ("access_point", self.scenario.cells),
                ("link", self.scenario.links),
            )
            if names
        ]
        names = ["station", "access_point", "link", "from", "to"]
        table = pl.concat(parts, how="diagonal")
        absent = [pl.lit(None, pl.String).alias(n) for n in names if n not in table.columns]
        order = ["replication", *names, "time_s", "queue_packets"]
        return table.with_columns(absent).select(order).sort("replication", maintain_order=True)

    def _steps(self, source: str, step_ns: int, columns: Mapping[str, pl.Expr]) -> pl.DataFrame:
        """One series of the core, in steps of `step_ns`."""
        table = self.measurements.series(source)
        names = table.columns[1 : table.columns.index("start_ns")]
        start = pl.col("start_ns") // step_ns * step_ns
        return (
            table.group_by("replication", *names, start, maintain_order=True)
            .agg(**columns)
            .select("replication", *names, (pl.col("start_ns") / 1e9).alias("time_s"), *columns)
            .with_columns(pl.selectors.float().fill_nan(None))
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
        """Friendliness of each protocol to the others: one row per replication and protocol.

        `protocol` is a flavour of TCP, or tfrc, udp or external; `throughput_bps` the mean over its `flows`,
        each over the whole measured time;
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

    def save(self, directory: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write scenario, tables and figures to `directory`, which is made if it is not there.

        Files of the same names that airfair has written are replaced, each at once; other files stay.

        Raises `FileExistsError` if airfair has not written a file of such a name, unless `force` is true, and
        `OSError` if the files cannot be written.
        """
        from .result_files import save

        save(self, directory, force=force)

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
            raise ValueError(
                'the scenario records no time series; set the key series, for example series = "100 ms"'
            )
        return step

    def _multiple(self, step: str) -> int:
        """A duration in steps of the series."""
        base, step_ns = self._series_step_ns, _duration_ns(step)
        if step_ns == 0 or step_ns % base:
            raise ValueError(
                f"step {step!r}: allowed are multiples of {base / 1e9:g} s, the step of the scenario's time "
                "series"
            )
        return step_ns // base

    @functools.cached_property
    def _delivered(self) -> NDArray[np.int64]:
        """Octets delivered in each step, (replication, flow, step)."""
        octets = self.measurements.series("delivered")["delivered_bytes"].to_numpy()
        steps = -(-self.scenario.duration_ns // self._series_step_ns)
        return octets.astype(np.int64).reshape(self.replications, len(self._flow_names), steps)

    def _samples(self, granularity: str) -> NDArray[np.float64]:
        """Throughputs side by side from warm-up to end [B/s], (replication, flow, interval)."""
        window, step_ns = self._multiple(granularity), self._series_step_ns
        # Ceiling: a step that the warm-up has a part of is left out.
        first = -(-round(self.scenario.warmup_s * 1e9) // step_ns)
        last = self.scenario.duration_ns // step_ns
        if last - first < window:
            raise ValueError(f"step {granularity!r}: longer than the measured time")
        octets = self._delivered[..., first:last]
        return friendliness.samples(octets, window, step_ns / 1e9)

    def _by_flow(self, **columns: NDArray[np.float64]) -> pl.DataFrame:
        """Arrays (replication, flow, step) in long form."""
        series = self.series("delivered").select("replication", "flow")
        return series.with_columns(**{name: pl.Series(a.ravel()) for name, a in columns.items()})

    @property
    def columns(self) -> Lists:
        """Tables of the core as lists, for what is shown without polars; a NaN is no value."""
        return self.measurements.lists


def _duration_ns(text: str) -> int:
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f'step {text!r}: allowed is a duration, for example "1 s"')
    number, unit = match.groups()
    nanoseconds = Fraction(number) * _UNITS_NS[unit]
    if nanoseconds.denominator != 1:
        raise ValueError(f"step {text!r}: allowed are whole nanoseconds")
    return int(nanoseconds)

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
    from .experiment.measures import Measurable
    from .law_use import LawUse
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


class _Table(functools.cached_property["pl.DataFrame"]):
    """Cached property for one table of the core; its docstring lists the table's columns."""

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


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Finished replications of a scenario.

    Every table is a polars `DataFrame` in long form: one row for each replication and flow, station, …,
    in the order of the scenario. Tables cover the measured time, from the end of the warm-up to the end of
    the run. Shares are fractions from 0 to 1.
    """

    scenario: _core.Scenario
    outcomes: Sequence[_core.Outcome] = field(repr=False)
    """Outcome of each run; empty for a loaded result, which has only its tables."""
    _: KW_ONLY
    written: Written | None = field(default=None, repr=False)
    """Tables of the directory from which the result was loaded; `None` if it was not loaded."""
    interrupted: bool = False
    """True if Ctrl-C ended the run before all replications were finished."""
    cpu_s: float | None = None
    """CPU time of the runs [s]; `None` if it is not known."""
    wall_s: float | None = None
    """Wall-clock time of the runs [s]; `None` if it is not known."""
    laws: Sequence[LawUse] = ()
    """Laws that acted, each with its nodes, name, version, hash of its source, and parameters."""

    @property
    def replications(self) -> int:
        """Number of finished replications."""
        return self.measurements.replications

    @property
    def version(self) -> str:
        """Version of airfair that ran the replications."""
        return self.written.version if self.written else __version__

    @functools.cached_property
    def measurements(self) -> Measurements:
        """Source of all tables: outcomes of runs, or the tables of a directory."""
        return self.written or OfRuns(self.scenario, self.outcomes)

    @property
    def simulated_s(self) -> float:
        """Simulated time of all finished replications, warm-up included [s]."""
        return self.replications * self.scenario.duration_s

    def __repr__(self) -> str:
        from .summary import text

        return f"<Result {text(self)}>"

    def __getstate__(self) -> dict[str, Any]:
        """Fields without cached tables; a copy computes these again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _repr_html_(self) -> str:
        from .run_fragment import fragment

        return fragment(self)

    @property
    def plot(self) -> Plot:
        """Figures (matplotlib): `result.plot()` draws all time series, `result.plot.throughput()` one."""
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
        """Jain's fairness indices, one row per replication: 1 if all have equal shares, 1/n if one has all.

        The indices count the flows that are active in a part of the measured time, and the stations at which
        such a flow starts or ends.

        - `flow_rate`: index of the flows' rates; each rate is the mean over the flow's own life.
        - `flow_rate_per_link_rate`: index of each flow's rate divided by the mean link rate of its sender;
          null if a sender is wired.  [arf-aware-tcp eq. 1 to 3]
        - `airtime`, `occupancy`: indices of the stations' shares of the measured time.
          [occupancy-tfrc eq. 19]

        An index is null if all shares are zero.
        """
        schema = dict.fromkeys(fairness.INDICES, pl.Float64)
        table = pl.DataFrame(fairness.indices(self), schema=schema)
        return self._replication_numbers.hstack(table)

    def summary(self, *of: Measurable) -> pl.DataFrame:
        """Means of measures over the replications, with the half widths of their 95 % intervals.

        One row for each measure: `measure`, `unit`, `mean`, `ci95` (null for one run) and `replications`;
        mean and interval are null if a run has no value. `airfair.measure` describes measures. Without any,
        the rows are goodput, loss, and mean and 95 % quantile of the delay of each flow, and the airtime and
        the mean link rates of each station, with its name in the columns `flow` or `station`.
        """
        from .summary import of_measures, of_parts

        return of_measures(self, of) if of else of_parts(self)

    def series(self, what: str = "throughput", *, step: str | None = None) -> pl.DataFrame:
        """Time series in long form, from time 0 (warm-up included); `time_s` is the start of each step.

        | `what` | one series per | columns |
        | --- | --- | --- |
        | "throughput" | flow | `throughput_bps`: rate of application octets delivered in order [bit/s] |
        | "delivered" | flow | `delivered_bytes`: application octets delivered in order in the step |
        | "cwnd" | flow | `cwnd_segments`: TCP's congestion window at the end of the step |
        | "ssthresh" | flow | `ssthresh_segments`: slow-start threshold at its end, null if not set |
        | "rtt" | flow | `rtt_ms`: mean of the round-trip times that the sender measured in the step |
        | "delay" | flow | `delay_ms`: mean one-way delay of the packets that arrived in the step |
        | "airtime" | station | `airtime_share`: share of the step used by its frame exchanges, both ways |
        | "rate" | station | `rate_up_bps`, `rate_down_bps`: mean link rates in the step |
        | "queue" | station, access point, link | `queue_packets`: mean queue length in the step |

        Values are null where they do not exist: congestion windows before a flow starts, after it ends, and
        for TFRC and UDP; delays in a step in which no packet arrived. Each row of "queue" names a `station`,
        an `access_point`, or a `link` with `from` and `to`. `step`, for example "1 s", must be a multiple of
        the step of the scenario (key `series`), which is the default.

        Raises `ValueError` for an unknown series, for a step that is not such a multiple, or if the scenario
        records no series.
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
        """Series `source` of the core, aggregated to steps of `step_ns`."""
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
        """Throughput of each flow [bit/s] over a sliding window that ends at `time_s`, one row per step.

        Rows start at time 0 (warm-up included). `window`, for example "5 s", must be a multiple of the
        scenario's series step. Windows that begin before time 0 count nothing before it.
        [tfrc-friendliness eq. 6, eq. 7]
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
        """Friendliness of each protocol to the others, one row per replication and protocol.

        - `protocol`: a flavour of TCP, or tfrc, udp or external.
        - `flows`: number of its flows; `throughput_bps`: their mean throughput over the whole measured time.
        - `inter_protocol`: inter-protocol fairness; 0.5 is ideal, above it the protocol gets less than the
          others; null if there is no other protocol.
        - `max_min`: lowest throughput of its flows divided by the highest.
        - `coefficient_of_variation`: mean over its flows, of throughputs in intervals of `granularity`.
        - `timeout_share`: share of its loss recoveries that began with a time-out; null without recoveries.

        [tfrc-friendliness eq. 8 to 11]
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

        The ratio is the mean of min(a/b, b/a) over intervals of `granularity`, where a and b are the
        throughputs of the two flows: from 0 to 1 (equal). Intervals in which both are zero do not count; the
        ratio is null if no interval is left.  [floyd-2000 §4.1.2]
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
        """Protocol of each flow, by the flow's name: its flavour of TCP, or tfrc, udp or external."""
        return {flow["name"]: flow["protocol"] for flow in self.scenario.flows}

    def to_json(self) -> dict[str, Any]:
        """Document of `airfair run --json`; each number in it is the mean over all replications."""
        from .document import document

        return document(self)

    def save(self, directory: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write scenario, tables and figures to `directory`, which is created if it does not exist.

        Files that airfair wrote earlier under the same names are replaced atomically; other files stay.

        Raises `FileExistsError` if a file of such a name was not written by airfair, unless `force` is true,
        and `OSError` if the files cannot be written.
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
        """Number of series steps in the duration `step`; raises `ValueError` unless it is a multiple."""
        base, step_ns = self._series_step_ns, _duration_ns(step)
        if step_ns == 0 or step_ns % base:
            raise ValueError(
                f"step {step!r}: allowed are multiples of {base / 1e9:g} s, the step of the scenario's time "
                "series"
            )
        return step_ns // base

    @functools.cached_property
    def _delivered(self) -> NDArray[np.int64]:
        """Octets delivered in each step; axes (replication, flow, step)."""
        octets = self.measurements.series("delivered")["delivered_bytes"].to_numpy()
        steps = -(-self.scenario.duration_ns // self._series_step_ns)
        return octets.astype(np.int64).reshape(self.replications, len(self._flow_names), steps)

    def _samples(self, granularity: str) -> NDArray[np.float64]:
        """Throughputs [B/s] in adjacent intervals of the measured time, (replication, flow, interval)."""
        window, step_ns = self._multiple(granularity), self._series_step_ns
        # Rounded up: a step that overlaps the warm-up does not count.
        first = -(-round(self.scenario.warmup_s * 1e9) // step_ns)
        last = self.scenario.duration_ns // step_ns
        if last - first < window:
            raise ValueError(f"step {granularity!r}: longer than the measured time")
        octets = self._delivered[..., first:last]
        return friendliness.samples(octets, window, step_ns / 1e9)

    def _by_flow(self, **columns: NDArray[np.float64]) -> pl.DataFrame:
        """Table in long form of arrays with the axes (replication, flow, step)."""
        series = self.series("delivered").select("replication", "flow")
        return series.with_columns(**{name: pl.Series(a.ravel()) for name, a in columns.items()})

    @property
    def columns(self) -> Lists:
        """Tables of the core as lists, for output without polars; NaN stands for a missing value."""
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

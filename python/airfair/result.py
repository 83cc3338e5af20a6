"""Measurements of the replications of one scenario, as tables."""

from __future__ import annotations

import functools
import textwrap
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from . import _core, fairness, lazy
from ._core import __version__
from .columns import tables
from .measurements import Lists, Measurements, OfRuns, Written

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import polars as pl

    from .experiment.measures import Measurable
    from .law_use import LawUse
    from .run_figures import Plot
    from .time_series import TimeSeries
else:
    pl = lazy.Module("polars")


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
        from .run_page import fragment

        return fragment(self)

    @property
    def plot(self) -> Plot:
        """Figures (matplotlib): `result.plot()` draws all time series, `result.plot.throughput()` one."""
        from .run_figures import Plot

        return Plot(self)

    runs = _Table("runs")
    flows = _Table("flows")
    messages = _Table("messages")
    waits = _Table("waits")
    marks = _Table("marks")
    stations = _Table("stations")
    airtime = _Table("airtime")
    access_points = _Table("access_points")
    channels = _Table("channels")
    channel_shares = _Table("channel_shares")
    neighbours = _Table("neighbours")
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
        return self.runs.select("replication").hstack(table)

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
        return self._over_time.series(what, step)

    def sliding(self, window: str) -> pl.DataFrame:
        """Throughput of each flow [bit/s] over a sliding window that ends at `time_s`, one row per step.

        Rows start at time 0 (warm-up included). `window`, for example "5 s", must be a multiple of the
        scenario's series step. Windows that begin before time 0 count nothing before it.
        [tfrc-friendliness eq. 6, eq. 7]
        """
        return self._over_time.sliding(window)

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
        return self._over_time.friendliness(granularity)

    def equivalence(self, granularity: str = "1 s") -> pl.DataFrame:
        """Equivalence ratio of every pair of flows, one row per replication and pair.

        The ratio is the mean of min(a/b, b/a) over intervals of `granularity`, where a and b are the
        throughputs of the two flows: from 0 to 1 (equal). Intervals in which both are zero do not count; the
        ratio is null if no interval is left.  [floyd-2000 §4.1.2]
        """
        return self._over_time.equivalence(granularity)

    @functools.cached_property
    def protocols(self) -> dict[str, str]:
        """Protocol of each flow, by the flow's name: its flavour of TCP, or tfrc, udp or external."""
        return {flow["name"]: flow["protocol"] for flow in self.scenario.flows}

    def to_json(self) -> dict[str, Any]:
        """Document of `airfair run --json`; each number in it is the mean over all replications."""
        from .run_document import document

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
    def _over_time(self) -> TimeSeries:
        from .time_series import TimeSeries

        return TimeSeries(self)

    @property
    def columns(self) -> Lists:
        """Tables of the core as lists, for output without polars; NaN stands for a missing value."""
        return self.measurements.lists

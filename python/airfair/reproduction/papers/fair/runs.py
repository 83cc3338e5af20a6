"""Measurements of the runs of one variant: one row per replication."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from airfair import fairness
from airfair.estimate import Floats
from airfair.reproduction.measured import Columns, column, names, summed, taken

from . import plan

if TYPE_CHECKING:
    from airfair.result import Result

BULK, DOWNLOAD, CALL, PAGE = "bulk", "bulk-down", "call", "page"
"""Beginnings of the names of flows."""
OTHERS = ("phone", "web", "other")
"""Stations without bulk flows."""
SETTLED = 0.95
"""Index in a window of 1 s from which on a cell counts as settled after a change."""
STEP = 0.2
"""Step of the series of airtime [s]."""


def _stations(result: Result) -> tuple[str, ...]:
    return tuple(result.scenario.stations)


def _steps(result: Result) -> Floats:
    """Airtime shares in steps of 0.2 s within the measured time, (replication, station, step)."""
    shares: Floats = result.series("airtime")["airtime_share"].to_numpy().astype(np.float64)
    steps = shares.reshape(result.replications, len(result.scenario.stations), -1)
    measured = round(result.columns["runs"]["elapsed_ns"][0] / 1e9 / STEP)
    return steps[:, :, -measured:]


def _wants(result: Result) -> NDArray[np.bool_]:
    return np.array(fairness.with_backlog(result))


@dataclass(frozen=True)
class FairRuns(Columns):
    """Measurements of one variant."""

    flows: tuple[str, ...] = taken(names)
    stations: tuple[str, ...] = taken(_stations)
    mbps: Floats = column("goodput_bps", 1e6)
    """Goodput of each flow over the measured time [Mb/s], (replication, flow)."""
    delay_p95_ms: Floats = column("delay_p95_ms")
    """95th percentile of the one-way delay of each flow [ms], (replication, flow)."""
    completion_s: Floats = column("completion_s")
    """Time from the start of a short download until its end [s]; NaN if it was not done."""
    airtime: Floats = column("airtime_share", table="airtime")
    """Share of the time used by frames of a station's exchanges, (replication, station)."""
    has_backlog: NDArray[np.bool_] = taken(_wants)
    """True for stations with backlog, (replication, station)."""
    steps: Floats = taken(_steps)
    """Shares of airtime in steps of 0.2 s within the measured time, (replication, station, step)."""

    def _bulk(self) -> NDArray[np.bool_]:
        return np.array([name not in OTHERS for name in self.stations], dtype=np.bool_)

    def jain(self) -> Floats:
        """Index over the airtime of all bulk stations, (replication)."""
        return self._each(np.tile(self._bulk(), (len(self.airtime), 1)))

    def jain_with_backlog(self) -> Floats:
        """Index over the airtime of the bulk stations with backlog; NaN if they are fewer than two."""
        return self._each(self._bulk() & self.has_backlog)

    def known_jain(self) -> Floats:
        """Index among stations with backlog, or of all bulk stations where that does not exist."""
        among = self.jain_with_backlog()
        known: Floats = np.where(np.isnan(among), self.jain(), among)
        return known

    def _each(self, chosen: NDArray[np.bool_]) -> Floats:
        indices = map(fairness.among, self.airtime.tolist(), chosen.tolist())
        found: Floats = np.array([math.nan if one is None else one for one in indices])
        return found

    def with_backlog(self) -> Floats:
        """Number of bulk stations with backlog, (replication)."""
        count: Floats = (self._bulk() & self.has_backlog).sum(axis=1).astype(np.float64)
        return count

    def windows(self, steps: int, *, backlog: bool = True) -> Floats:
        """Mean index in windows of some steps among stations with backlog, or all bulk stations."""
        chosen = self._bulk() & (self.has_backlog if backlog else np.ones_like(self.has_backlog))
        found = []
        for series, wanted in zip(self.steps, chosen, strict=True):
            indices = _indices(series[wanted], steps) if wanted.sum() > 1 else np.array([])
            indices = indices[~np.isnan(indices)]
            found.append(indices.mean() if indices.size else math.nan)
        return np.array(found)

    def settled(self) -> Floats:
        """Time from the change of the cell to the end of the first fair window of 1 s [s].

        Stations without airtime in the last second have gone. A window that never comes counts as the time
        from the change to the end of the run.
        """
        width, after = round(1 / STEP), round(plan.CHANGED_AT / STEP)
        found = []
        for series in self.steps:
            bulk = series[self._bulk(), after:]
            bulk = bulk[bulk[:, -width:].any(axis=1)]
            fair = [
                (start + width) * STEP
                for start in range(bulk.shape[1] - width + 1)
                if _indices(bulk[:, start : start + width], width)[0] >= SETTLED
            ]
            found.append(fair[0] if fair else bulk.shape[1] * STEP or math.nan)
        return np.array(found)

    def goodput(self) -> Floats:
        """Goodput of all bulk flows [Mb/s], (replication)."""
        return summed(self.mbps, self._of(BULK))

    def download_part(self) -> Floats:
        """Part of the goodput of all bulk flows that downloads have, (replication)."""
        part: Floats = summed(self.mbps, self._of(DOWNLOAD)) / self.goodput()
        return part

    def call(self) -> Floats:
        """Larger 95 % delay of the call's two directions [ms], (replication)."""
        longest: Floats = np.max(self.delay_p95_ms[:, self._of(CALL)], axis=1)
        return longest

    def call_goodput(self) -> Floats:
        """Goodput of the call in both directions [Mb/s], (replication)."""
        return summed(self.mbps, self._of(CALL))

    def completion(self) -> Floats:
        """Mean time of the short downloads that were done [s], (replication)."""
        done: Floats = np.array(
            [
                one[~np.isnan(one)].mean() if not np.isnan(one).all() else math.nan
                for one in self._pages()
            ]
        )
        return done

    def unfinished(self) -> Floats:
        """Part of the short downloads that were not done, (replication)."""
        part: Floats = np.isnan(self._pages()).mean(axis=1)
        return part

    def _pages(self) -> Floats:
        pages: Floats = self.completion_s[:, self._of(PAGE)]
        return pages

    def _of(self, kind: str) -> list[bool]:
        return [name.startswith(kind) for name in self.flows]


def _indices(series: Floats, steps: int) -> Floats:
    """Jain's index over stations in each window of `steps`; NaN where nobody has airtime."""
    whole = series.shape[1] // steps * steps
    sums = series[:, :whole].reshape(series.shape[0], -1, steps).sum(axis=2)
    squares = (sums**2).sum(axis=0) * series.shape[0]
    found: Floats = np.divide(
        sums.sum(axis=0) ** 2, squares, out=np.full_like(squares, math.nan), where=squares > 0
    )
    return found


Measurements = Mapping[tuple[str, str], FairRuns]
"""Finished runs by (setup, variant)."""

"""Jain's indices of each replication of a result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from . import statistics

if TYPE_CHECKING:
    from .result import Result

INDICES = {
    "flow_rate": "Jain's index over the rates of flows, each over its own life.",
    "flow_rate_per_link_rate": "Jain's index over the rates of flows, each divided by the sender's mean link "
    "rate.",
    "airtime": "Jain's index over the airtime of stations.",
    "occupancy": "Jain's index over the airtime of stations, with the contention before each frame.",
}

Indices = dict[str, list[float | None]]


def indices(result: Result) -> Indices:
    """Indices of each replication over active flows and stations; `None` if all shares are zero."""
    columns: Indices = {name: [] for name in INDICES}
    # The scenario builds these lists at each access.
    flows, stations = result.scenario.flows, result.scenario.stations
    for replication in range(result.replications):
        for name, index in _of_one(result, replication, flows, stations).items():
            columns[name].append(index)
    return columns


def _of_one(
    result: Result,
    replication: int,
    flows: Sequence[Mapping[str, str]],
    stations: Sequence[str],
) -> dict[str, float | None]:
    def of(table: str, name: str, things: int) -> list[float]:
        return result.columns[table][name][replication * things : (replication + 1) * things]

    n = len(flows)
    competing = [i for i, life in enumerate(of("flows", "active_s", n)) if life > 0]
    flow_rates, link_rates = (
        [values[i] for i in competing]
        for values in (of("flows", "flow_rate_bps", n), of("flows", "mean_link_rate_bps", n))
    )
    ends = {flows[i][end] for i in competing for end in ("from", "to")}
    busy = [place for place, name in enumerate(stations) if name in ends]

    def held(name: str) -> list[float]:
        shares = of("airtime", name, len(stations))
        return [shares[place] for place in busy]

    wired = any(map(math.isnan, link_rates))
    pairs = [] if wired else zip(flow_rates, link_rates, strict=True)
    return {
        "flow_rate": statistics.jain(flow_rates),
        "flow_rate_per_link_rate": statistics.jain([rate / link_rate for rate, link_rate in pairs]),
        "airtime": statistics.jain(held("airtime_share")),
        "occupancy": statistics.jain(held("occupancy")),
    }

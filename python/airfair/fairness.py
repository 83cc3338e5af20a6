"""Jain's indices of each replication of a result.

`airtime_with_backlog` leaves out stations that do not want more than they get. A sender of TCP far away, for
example, may need longer than the run to fill its share: no access point can give it more.
"""

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

BACKLOG = 0.9
"""Smallest part of a flow's time in which a backlog limits it, for a station with backlog."""

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


def with_backlog(result: Result) -> list[list[bool]]:
    """True for each station with backlog, for each replication, in the order of the scenario.

    A station has backlog if one of its flows, in one direction at least, was limited for 90 % of its time by
    a queue before the air or by the receive window, which some access points lower. Flows that are open for
    less than 90 % of the measured time do not count.
    """
    flows, stations = result.scenario.flows, result.scenario.stations
    n = len(flows)
    found = []
    for replication in range(result.replications):
        part = slice(replication * n, (replication + 1) * n)
        limits = result.columns["limits"]
        limited = zip(limits["air"][part], limits["receive_window"][part], strict=True)
        elapsed = result.columns["runs"]["elapsed_ns"][replication] / 1e9
        active = result.columns["flows"]["active_s"][part]
        wanting = {
            flow[end]
            for flow, parts, life in zip(flows, limited, active, strict=True)
            if sum(parts) >= BACKLOG and life >= BACKLOG * elapsed
            for end in ("from", "to")
        }
        found.append([name in wanting for name in stations])
    return found


def airtime_with_backlog(result: Result) -> list[float | None]:
    """Jain's index over the airtime of stations with backlog, for each replication.

    `None` if fewer than two stations have backlog.
    """
    shares, n = result.columns["airtime"]["airtime_share"], len(result.scenario.stations)
    return [
        among(shares[replication * n : (replication + 1) * n], chosen)
        for replication, chosen in enumerate(with_backlog(result))
    ]


def among(shares: Sequence[float], chosen: Sequence[bool]) -> float | None:
    """Jain's index over the shares that are chosen; `None` if these are fewer than two."""
    wanted = [share for share, is_chosen in zip(shares, chosen, strict=True) if is_chosen]
    return statistics.jain(wanted) if len(wanted) > 1 else None

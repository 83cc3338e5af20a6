"""Jain's indices of each replication of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import statistics

if TYPE_CHECKING:
    from .result import Result

INDICES = ("goodput", "goodput_per_link_rate", "airtime", "occupancy")

Indices = dict[str, list[float | None]]


def indices(result: Result) -> Indices:
    """Each index of each replication; `None` where nothing was shared."""
    flows, airtime = result.columns["flows"], result.columns["airtime"]
    scenario = result.scenario
    ends = {flow[end] for flow in scenario.flows for end in ("from", "to")}
    busy = [place for place, name in enumerate(scenario.stations) if name in ends]
    columns: Indices = {name: [] for name in INDICES}
    for replication in range(result.replications):

        def of(
            table: dict[str, list[float]],
            name: str,
            things: int,
            replication: int = replication,
        ) -> list[float]:
            return table[name][replication * things : (replication + 1) * things]

        goodputs = of(flows, "goodput_bps", len(scenario.flows))
        rates = of(flows, "mean_link_rate_bps", len(scenario.flows))
        ratios = [goodput / rate for goodput, rate in zip(goodputs, rates, strict=True)]
        columns["goodput"].append(statistics.jain(goodputs))
        columns["goodput_per_link_rate"].append(
            None if any(rate != rate for rate in rates) else statistics.jain(ratios)  # noqa: PLR0124 - NaN
        )
        for index, name in (("airtime", "share"), ("occupancy", "occupancy")):
            held = of(airtime, name, len(scenario.stations))
            columns[index].append(statistics.jain([held[place] for place in busy]))
    return columns

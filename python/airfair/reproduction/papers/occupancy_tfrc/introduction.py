"""Introduction of the report of `occupancy-tfrc`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airfair.reproduction.introduction import Edge, Introduction, Node, Topology
from airfair.reproduction.prose import Numbers, Passage

from .plan import ON, PLAIN

TOPOLOGY = Topology(
    {
        "server": Node("TFRC senders", 0, 0.7, "host", "100 Mb/s, 50 ms"),
        "ap": Node("access point", 4.5, 0.7, "access point", "grants in beacons"),
        "one": Node("STA1", 9, 0, "station", "54 Mb/s"),
        "two": Node("STA2", 9, 1.4, "station", "6 to 54 Mb/s"),
    },
    [Edge("server", "ap", "wire"), Edge("ap", "one", "air"), Edge("ap", "two", "air")],
)


def introduction(said: Mapping[str, Passage]) -> Introduction:
    """Introduction from the texts `said`."""
    return Introduction.of(
        said, TOPOLOGY, ("fig3",), _first_station, {"fig3": "§IV", "fig4": "§IV"}
    )


def _first_station(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Throughputs of STA1 by rate of STA2."""
    return {
        scheme: [one["throughput_mbps"][0] for one in measured[scheme].values()]
        for scheme in (PLAIN, ON)
    }

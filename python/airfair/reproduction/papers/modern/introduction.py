"""Introduction of the report of the study `modern`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airfair.reproduction.introduction import Edge, Introduction, Node, Topology
from airfair.reproduction.prose import Numbers, Passage

from .plan import AIRTIME, FIFO

TOPOLOGY = Topology(
    {
        "fast": Node("fast", 0.4, 0, "station", "54 to 1201 Mb/s"),
        "slow": Node("slow", 0.4, 1.4, "station", "6 to 36 Mb/s"),
        "ap": Node("access point", 5, 0.7, "access point", "queue or scheduler"),
        "server": Node("server", 9.3, 0.7, "host", "10 Gb/s"),
    },
    [
        Edge("server", "ap", "wire"),
        Edge("ap", "fast", "air"),
        Edge("ap", "slow", "air"),
    ],
)


def introduction(said: Mapping[str, Passage]) -> Introduction:
    """Introduction from the texts `said`."""
    return Introduction.of(said, TOPOLOGY, ("anomaly-down", "schemes"), _parts, {})


def _parts(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Share of airtime of a slow station's download, in the oldest and in the newest standard."""
    down = measured["down"]
    return {
        "legacy": down["g"][FIFO],
        "newest": down["ax"][FIFO],
        "scheduled": down["ax"][AIRTIME],
    }

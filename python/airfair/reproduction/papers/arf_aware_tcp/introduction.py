"""Introduction of the report of `arf-aware-tcp`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airfair.reproduction.introduction import Edge, Introduction, Node, Topology
from airfair.reproduction.prose import Numbers, Passage

TOPOLOGY = Topology(
    {
        "slow": Node("session 1", 0, 0, "station", "11 → 1 Mb/s"),
        "fast": Node("session 2", 0, 1.4, "station", "11 Mb/s"),
        "ap": Node("access point", 4.5, 0.7, "access point"),
        "slow-sink": Node("its receiver", 9, 0, "station", "11 Mb/s"),
        "fast-sink": Node("its receiver", 9, 1.4, "station", "11 Mb/s"),
    },
    [
        Edge("slow", "ap", "air"),
        Edge("fast", "ap", "air"),
        Edge("ap", "slow-sink", "air"),
        Edge("ap", "fast-sink", "air"),
    ],
)


def introduction(said: Mapping[str, Passage]) -> Introduction:
    """Introduction from the texts `said`."""
    sections = dict.fromkeys(("fig2", "fig4-7", "fig8-9"), "§4")
    return Introduction.of(said, TOPOLOGY, ("fig2", "table1", "table4"), _sessions, sections)


def _sessions(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Throughputs of the session that becomes slow and of the session that stays fast."""
    return {
        scheme: dict(zip(("slow", "fast"), measured[scheme]["sessions"], strict=True))
        for scheme in ("arf_aware", "newreno")
    }

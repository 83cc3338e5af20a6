"""Introduction of the report of `arf-window`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airfair.reproduction.introduction import Edge, Introduction, Node, Topology
from airfair.reproduction.prose import Numbers, Passage

from .plan import NEWRENO, WINDOW

TOPOLOGY = Topology(
    {
        "server": Node("FTP server", 0, 0.3, "host"),
        "ap": Node("access point", 4.3, 0.3, "access point", "ARF, 6 to 54 Mb/s"),
        "mobile": Node("STA", 9, 0.3, "station", "1 to 10 m/s"),
    },
    [Edge("server", "ap", "wire"), Edge("ap", "mobile", "air")],
)


SECTIONS = {"fig4": "§IV", "fig5": "§IV", "table1": "§IV, Table I"}


def introduction(said: Mapping[str, Passage]) -> Introduction:
    """Introduction from the texts `said`."""
    return Introduction.of(said, TOPOLOGY, ("fig4",), _gains, SECTIONS)


def _gains(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Gain of the scheme at each speed [%]."""
    proposed, standard = (measured[scheme]["throughput"] for scheme in (WINDOW, NEWRENO))
    gains = [100 * (proposed[speed] / mbps - 1) for speed, mbps in standard.items()]
    return {"gains_percent": gains}

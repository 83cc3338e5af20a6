"""Introduction of the report of `updown-fairness`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airfair.reproduction.introduction import Edge, Introduction, Node, Topology
from airfair.reproduction.prose import Numbers, Passage

TOPOLOGY = Topology(
    {
        "up": Node("n stations up", 0.4, 0, "station", "11 Mb/s"),
        "down": Node("m stations down", 0.4, 1.4, "station", "11 Mb/s"),
        "ap": Node("access point", 5, 0.7, "access point", "Q packets"),
        "host": Node("HOST A", 9.3, 0.7, "host", "100 Mb/s"),
    },
    [Edge("up", "ap", "air"), Edge("ap", "down", "air"), Edge("ap", "host", "wire")],
)


SECTIONS = {
    **dict.fromkeys(("fig2", "fig3", "fig4"), "§III"),
    **dict.fromkeys(("fig6", "fig7", "fig8"), "§IV"),
}


def introduction(said: Mapping[str, Passage]) -> Introduction:
    """Introduction from the texts `said`."""
    return Introduction.of(said, TOPOLOGY, ("fig2", "fig3"), _ratios, SECTIONS)


def _ratios(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Ratios with the fewest and the most attempts."""
    found = {scenario: by_buffer["Q100"] for scenario, by_buffer in measured.items()}
    return {"ratios": [(scenario, one["M1"], one["M8"]) for scenario, one in found.items()]}

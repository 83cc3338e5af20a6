"""Introduction of the report of `tfrc-friendliness`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airfair.reproduction.introduction import Edge, Introduction, Node, Topology
from airfair.reproduction.prose import Numbers, Passage

TOPOLOGY = Topology(
    {
        "laptop": Node("PC 1", 0.5, 0, "station", "n TCP, m TFRC"),
        "ap": Node("access point", 4.5, 0, "access point", "11 Mb/s"),
        "desktop": Node("PC 2", 8.5, 0, "station", "or wired"),
        "senders": Node("S0–S4", 0, 1.75, "station", ""),
        "base": Node("BS0", 2.5, 1.75, "access point"),
        "h0": Node("H0", 4.7, 1.75, "router"),
        "h1": Node("H1", 6.1, 1.75, "router"),
        "h2": Node("H2", 7.5, 1.75, "router"),
        "receivers": Node("R0–R4", 9.3, 1.75, "host"),
    },
    [
        Edge("laptop", "ap", "air"),
        Edge("ap", "desktop", "air"),
        Edge("senders", "base", "air"),
        Edge("base", "h0", "wire", "1 or 4 Mb/s"),
        Edge("h0", "h1", "wire"),
        Edge("h1", "h2", "wire"),
        Edge("h2", "receivers", "wire"),
    ],
)


SECTIONS = {
    **dict.fromkeys(("fig2", "fig3", "fig4", "fig5", "fig6"), "§4.1"),
    **dict.fromkeys(("fig8", "fig10"), "§4.2"),
}


def introduction(said: Mapping[str, Passage]) -> Introduction:
    """Introduction from the texts `said`."""
    return Introduction.of(said, TOPOLOGY, ("fig2", "fig5"), _indices, SECTIONS)


def _indices(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Smallest and largest index in the deciding variant, and the combinations at which they occur."""
    _, decides = next(iter(measured.items()))
    found = {at: value for at, value in decides.items() if value is not None}
    least, most = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    return {"least": found[least], "least_at": least, "most": found[most], "most_at": most}

"""Introduction to `arf-aware-tcp`, which a reader has to know first."""

from __future__ import annotations

from typing import Any

from airfair.reproduce.introduction import Edge, Introduction, Node, Parameter, Topology
from airfair.reproduce.paper import Json

TOPOLOGY = Topology(
    "Two stations of one cell send over the access point to two others. Session 1 goes from 11 to 1 Mb/s "
    "at 20 s, session 2 stays at 11.",
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


def introduction(printed: Json) -> Introduction:
    """The first screen; `printed` is the paper's part of `reference.toml`."""
    setup = printed["setup"]
    rates = ", ".join(f"{rate:g}" for rate in setup["rates_mbps"])
    return Introduction(
        source="Seehwan Yoo, Tae-Kyung Kim, Chuck Yoo; simulated with ns-2",
        scheme="While a station’s link is below its highest rate, its TCP sender works with the congestion "
        "window divided by k = ⌈highest rate / current rate⌉. A station that became slow thus takes fewer "
        "turns and leaves the others the air that they had before.",
        topology=TOPOLOGY,
        parameters=[
            Parameter("standard", f"{setup['standard']}, {rates} Mb/s", "§4, Table 5"),
            Parameter("compared with", setup["baseline"], "§4"),
            Parameter("duration", f"{setup['duration_s']} s", "from its fairness indices"),
            Parameter("flows start at", f"{setup['flow_start_s']} s", "§4"),
            Parameter("rate changes at", f"{setup['rate_change_s']} s", "§4"),
            Parameter("segment", "1000 B", "not said; ns-2’s"),
            Parameter("queues", "50 packets", "not said; ns-2’s"),
            Parameter("hops over the air", "2", "not said; fits its baseline"),
        ],
        abbreviations={
            "ARF": "automatic rate fallback: the rate follows successes and failures of frames",
            "cwnd": "TCP’s congestion window",
            "held": "our reading that decides: the saved window is held while the link is slow",
            "one-shot": "another reading: the window is divided once and then grows on",
            "continuous": "another reading: the division applies to a window that keeps growing",
            "fairness index": "Jain’s index of throughput divided by the mean link rate, 1 if all are equal",
            "slow relay": "the access point, too, sends at the slow rate to the slow receiver",
        },
        lead=("fig2", "table1", "table4"),
        shows=_shows,
        sections=dict.fromkeys(("fig2", "fig4-7", "fig8-9"), "§4"),
    )


def _shows(measured: Any) -> str:  # noqa: ANN401 - JSON
    (slow, fast), (slow_reno, fast_reno) = (
        measured[scheme]["sessions"] for scheme in ("arf_aware", "newreno")
    )
    return (
        f"Over the whole run NewReno gives {slow_reno:.0f} kb/s to session 1, which becomes slow, and "
        f"{fast_reno:.0f} to session 2, which does not; ARF-aware TCP gives them {slow:.0f} and {fast:.0f}."
    )

"""Introduction to `updown-fairness`, which a reader has to know first."""

from __future__ import annotations

from typing import Any

from airfair.reproduce.introduction import Edge, Introduction, Node, Parameter, Topology
from airfair.reproduce.paper import Json

TOPOLOGY = Topology(
    "Stations of one cell upload to HOST A over the access point, as many others download from it. All "
    "downlink packets share the access point’s queue with the ACKs of the uploads.",
    {
        "up": Node("n stations up", 0.4, 0, "station", "11 Mb/s"),
        "down": Node("m stations down", 0.4, 1.4, "station", "11 Mb/s"),
        "ap": Node("access point", 5, 0.7, "access point", "Q packets"),
        "host": Node("HOST A", 9.3, 0.7, "host", "100 Mb/s"),
    },
    [Edge("up", "ap", "air"), Edge("ap", "down", "air"), Edge("ap", "host", "wire")],
)


def introduction(printed: Json) -> Introduction:
    """The first screen; `printed` is the paper's part of `reference.toml`."""
    setup = printed["setup"]
    weights = setup["scheduler_weights"]
    return Introduction(
        source="Francesco Vacirca, Francesca Cuomo: “Experimental results on the support of TCP over "
        "802.11b: an insight into fairness issues”; measured on an 802.11b testbed of eight stations",
        scheme="TCP flows up starve TCP flows down, since the access point contends as one station for all "
        "of them and its queue overflows. A scheduler in the access point serves TCP DATA and TCP ACKs "
        f"from two queues, {weights['tcp_data']}:{weights['tcp_ack']}, so that the ACKs which it forwards "
        "hold the uploads to the pace of the downloads.",
        topology=TOPOLOGY,
        parameters=[
            Parameter("standard", f"{setup['standard']} at {setup['rate_mbps']} Mb/s", "§II"),
            Parameter("RTS/CTS", "yes" if setup["rts_cts"] else "no", "§II"),
            Parameter("MTU", f"{setup['mtu_bytes']} B", "§II"),
            Parameter("wire", f"{setup['wired_mbps']} Mb/s", "§II"),
            Parameter("TCP", setup["tcp"], "§II"),
            Parameter(
                "duration", f"{setup['duration_s']} s, {setup['excluded_s']} s left out", "§II"
            ),
            Parameter("flows", ", ".join(setup["scenarios"]), "§III"),
            Parameter("M_t", _list(setup["max_attempts"]), "§III; 1, 2, 3 and 5 named"),
            Parameter("Q", f"{_list(setup['ap_buffer_packets'])} packets", "§III, in part"),
            Parameter("weights", f"DATA {weights['tcp_data']}, ACK {weights['tcp_ack']}", "§IV"),
        ],
        abbreviations={
            "dl2-ul2": "two downlink and two uplink TCP connections; dl1-ul1 and dl4-ul4 likewise",
            "M_t": "transmission attempts of a frame at the link layer, at most",
            "Q": "packets that the access point’s queue holds",
            "FIFO": "one queue, first in first out",
            "ratio": "downlink goodput by uplink goodput: 1 is even, less favours the uplink",
            "capture": "of two frames that collide, the much stronger one is received",
        },
        lead=("fig2", "fig3"),
        shows=_shows,
        sections={
            **dict.fromkeys(("fig2", "fig3", "fig4"), "§III"),
            **dict.fromkeys(("fig6", "fig7", "fig8"), "§IV"),
        },
    )


def _list(values: list[int]) -> str:
    return ", ".join(map(str, values))


def _shows(measured: Any) -> str:  # noqa: ANN401 - JSON
    ratios = {scenario: by_buffer["Q100"] for scenario, by_buffer in measured.items()}
    told = [
        f"{one['M1']:.2g} at one transmission attempt and {one['M8']:.2g} at eight in {scenario}"
        for scenario, one in ratios.items()
    ]
    return f"With a queue of 100 packets, downlink over uplink goodput is {', '.join(told)}."

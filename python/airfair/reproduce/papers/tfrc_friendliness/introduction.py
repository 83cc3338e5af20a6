"""Introduction to `tfrc-friendliness`, which a reader has to know first."""

from __future__ import annotations

from typing import Any

from airfair.reproduce.introduction import Edge, Introduction, Node, Parameter, Topology
from airfair.reproduce.paper import Json

TOPOLOGY = Topology(
    "Testbed: one PC sends TCP and TFRC flows over an access point to another PC. Simulation: five wireless "
    "senders reach their receivers over a base station and three routers.",
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


def introduction(printed: Json) -> Introduction:
    """The first screen; `printed` is the paper's part of `reference.toml`."""
    bed, wired, second = printed["testbed"], printed["fig7"], printed["fig9"]
    return Introduction(
        source="M. Casoni, M. L. Merani: “Congestion Control in Wireless Environments: Simulation "
        "and Experimental Assessments”; an 802.11b testbed, and ns-2",
        scheme="TFRC, the rate control of streams, sends as fast as an equation says that TCP would with the "
        "same losses and round trips. The paper asks whether it is fair to TCP Reno, NewReno, SACK and "
        "Westwood where a wireless channel loses packets.",
        topology=TOPOLOGY,
        parameters=[
            Parameter("testbed", f"{bed['standard']} at {bed['rate_mbps']} Mb/s", "§4.1"),
            Parameter(
                "its runs",
                f"{bed['runs']} of {bed['run_s']} s, {bed['excluded_s']} s left out",
                "§4.1",
            ),
            Parameter("TCP/TFRC flows", ", ".join(bed["combinations"]), "§4.1, in part"),
            Parameter(
                "simulated links",
                f"{wired['link_mbps']:g} Mb/s, {wired['link_delay_ms']} ms",
                "§4.2",
            ),
            Parameter("BS0–H0, scenario 2", f"{second['bs_h0_mbps']:g} Mb/s", "§4.2"),
            Parameter("their queues", f"{wired['buffer_packets']} packets, drop tail", "§4.2"),
            Parameter("their packets", f"{wired['packet_bytes']} B", "§4.2"),
            Parameter("channel, queues of the testbed", "chosen by us", "not said"),
        ],
        abbreviations={
            "TFRC": "TCP-friendly rate control",
            "10/1": "ten TCP flows and one TFRC flow",
            "F, index": "inter-protocol fairness index of TFRC: what the others get by what both get; 0.5 is "
            "even, more means that TFRC gets less",
            "max-min": "least average throughput of a protocol’s flows by its largest",
            "S0–S4, R0–R4": "senders and receivers of the simulation; S3 and S4 run TFRC, S4 starts at 35 s",
            "BS0, H0–H2": "base station and routers",
            "CoV": "coefficient of variation: standard deviation by mean, here of a flow’s throughput",
        },
        lead=("fig2", "fig5"),
        shows=_shows,
        sections={
            **dict.fromkeys(("fig2", "fig3", "fig4", "fig5", "fig6"), "§4.1"),
            **dict.fromkeys(("fig8", "fig10"), "§4.2"),
        },
    )


def _shows(measured: Any) -> str:  # noqa: ANN401 - JSON
    _, decides = next(iter(measured.items()))
    indices = {label: value for label, value in decides.items() if value is not None}
    least, most = min(indices, key=indices.__getitem__), max(indices, key=indices.__getitem__)
    return (
        f"Beside TCP Reno TFRC’s index goes from {indices[least]:.2f} at {least} flows to "
        f"{indices[most]:.2f} at {most}, where 0.5 is even and the paper sees 0.6."
    )

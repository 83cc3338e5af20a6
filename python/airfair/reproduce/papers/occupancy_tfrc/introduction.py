"""Introduction to `occupancy-tfrc`, which a reader has to know first."""

from __future__ import annotations

from typing import Any

from airfair.reproduce.introduction import Edge, Introduction, Node, Parameter, Topology
from airfair.reproduce.paper import Json

from .plan import ON, PLAIN

TOPOLOGY = Topology(
    "Servers behind the access point send one TFRC flow to each station. STA1 stays at 54 Mb/s, STA2 has "
    "one of eight rates; up to 20 stations have random rates.",
    {
        "server": Node("TFRC senders", 0, 0.7, "host", "100 Mb/s, 50 ms"),
        "ap": Node("access point", 4.5, 0.7, "access point", "grants in beacons"),
        "one": Node("STA1", 9, 0, "station", "54 Mb/s"),
        "two": Node("STA2", 9, 1.4, "station", "6 to 54 Mb/s"),
    },
    [Edge("server", "ap", "wire"), Edge("ap", "one", "air"), Edge("ap", "two", "air")],
)


def introduction(printed: Json) -> Introduction:
    """The first screen; `printed` is the paper's part of `reference.toml`."""
    setup = printed["setup"]
    rates = ", ".join(f"{rate}" for rate in setup["rates_mbps"])
    few, many = setup["n_stations"]
    return Introduction(
        source="Kenichi Kashibuchi, Yoshiaki Nemoto, Nei Kato: “Mitigating Performance Anomaly of TFRC in "
        "Multi-Rate IEEE 802.11 Wireless LANs”, GLOBECOM 2009; simulated with QualNet 4.5",
        scheme="With each beacon the access point grants every active station an equal part of the channel’s "
        "time, and spare time to those that use their part up. A station turns its part into the "
        "throughput that its rate allows, and tells the TFRC sender no more than that.",
        topology=TOPOLOGY,
        parameters=[
            Parameter("standard", f"{setup['standard']}, {rates} Mb/s", "§IV"),
            Parameter("stations", f"2, then {few} to {many} at random rates", "§IV"),
            Parameter("distance", f"{setup['distance_m']} m", "§IV"),
            Parameter("RTS/CTS", "yes" if setup["rts_cts"] else "no", "§IV"),
            Parameter("packets", f"{setup['ip_packet_bytes']} B of IP", "§IV"),
            Parameter(
                "wired links", f"{setup['wired_mbps']} Mb/s, {setup['wired_delay_ms']} ms", "§IV"
            ),
            Parameter("router buffers", f"{setup['router_buffer_kB']} kB", "§IV"),
            Parameter(
                "beacons", f"every {setup['beacon_ms']} ms, a slot of {setup['n_beacons']}", "§IV"
            ),
            Parameter("r", f"{setup['r']}", "§IV"),
            Parameter("duration", f"{setup['duration_s']} s", "§IV"),
        ],
        abbreviations={
            "STA1, STA2": "the two stations: the first stays at 54 Mb/s, the second’s rate is varied",
            "TFRC": "TCP-friendly rate control: a rate from loss and round trip, for streams",
            "N": "number of stations",
            "T": "length of an observation slot",
            "r": "part of its share from which on a station counts as unsatisfied",
            "θ": "the throughput that a station’s part of the channel allows",
            "X_recv": "the receiving rate that a TFRC receiver reports",
            "occupancy": "the time of a station’s exchanges with the gaps and back-offs before them",
        },
        lead=("fig3",),
        shows=_shows,
        sections={"fig3": "§IV", "fig4": "§IV"},
    )


def _shows(measured: Any) -> str:  # noqa: ANN401 - JSON
    plain, proposed = (_first(measured[scheme]) for scheme in (PLAIN, ON))
    return (
        f"Over the rates of STA2, STA1 at 54 Mb/s gets {min(plain):.1f} to {max(plain):.1f} Mb/s with plain "
        f"TFRC, and {min(proposed):.1f} to {max(proposed):.1f} with the proposed scheme."
    )


def _first(by_rate: Any) -> list[float]:  # noqa: ANN401 - JSON
    return [one["throughput_mbps"][0] for one in by_rate.values()]

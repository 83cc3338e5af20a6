"""Introduction to `arf-window`, which a reader has to know first."""

from __future__ import annotations

from typing import Any

from airfair.reproduce.introduction import Edge, Introduction, Node, Parameter, Topology
from airfair.reproduce.paper import Json

from .plan import NEWRENO, WINDOW

TOPOLOGY = Topology(
    "A station downloads from a server behind the access point while it walks away from it, toward it, or "
    "at random within the cell.",
    {
        "server": Node("FTP server", 0, 0.3, "host"),
        "ap": Node("access point", 4.3, 0.3, "access point", "ARF, 6 to 54 Mb/s"),
        "mobile": Node("STA", 9, 0.3, "station", "1 to 10 m/s"),
    },
    [Edge("server", "ap", "wire"), Edge("ap", "mobile", "air")],
)


def introduction(printed: Json) -> Introduction:
    """The first screen; `printed` is the paper's part of `reference.toml`."""
    setup = printed["setup"]
    slow, fast = setup["speeds_mps"]
    reach = setup["range_m"]
    return Introduction(
        source="Kenichi Kashibuchi, Tarik Taleb, Abbas Jamalipour, Yoshiaki Nemoto, Nei Kato: “Performance "
        "Enhancement of TCP over Adaptive Multi-Rate IEEE 802.11 Wireless LANs”; simulated with QualNet "
        "4.0.1",
        scheme="Each time ARF changes a station’s rate, the station recomputes TCP’s largest window from the "
        "channel occupancy that it has measured: the time that its connection may use at the new rate, as a "
        "throughput, times the round trip. The window then follows the link at once and not only after a "
        "queue has overflowed.",
        topology=TOPOLOGY,
        parameters=[
            Parameter("standard", f"{setup['standard']}, one station", "§IV"),
            Parameter("range", f"{reach['6']} m at 6 Mb/s, {reach['54']} m at 54", "§IV"),
            Parameter(
                "ARF",
                f"up after {setup['theta_up']} successes or {setup['t_up_ms']} ms, down after "
                f"{setup['theta_down']} failures",
                "§IV",
            ),
            Parameter("speed", f"{slow} to {fast} m/s", "§IV"),
            Parameter("segment", f"{setup['mss_bytes']} B, 1500 B of IP", "§IV"),
            Parameter("delayed ACKs", "yes" if setup["delayed_ack"] else "no", "§IV"),
            Parameter("socket buffers", f"{setup['socket_buffer_bytes']} B", "§IV"),
            Parameter("TCP", setup["tcp"], "§IV"),
            Parameter("runs", f"{setup['runs']}", "§IV"),
            Parameter("server’s delay, queues", "chosen by the baseline", "not said"),
        ],
        abbreviations={
            "STA": "station",
            "ARF": "automatic rate fallback: the rate follows successes and failures of frames",
            "N": "number of active stations",
            "T": "length of an observation slot",
            "Δ⁺, Δ⁻": "the time that a slot’s data save at a higher rate, or need more at a lower one",
            "τ": "channel occupancy of a connection in a slot",
            "random waypoint": "the station walks to a random place, then to the next, without a pause",
        },
        lead=("fig4",),
        shows=_shows,
        sections={"fig4": "§IV", "fig5": "§IV", "table1": "§IV, Table I"},
    )


def _shows(measured: Any) -> str:  # noqa: ANN401 - JSON
    gains = [
        100 * (measured[WINDOW]["throughput"][speed] / standard - 1)
        for speed, standard in measured[NEWRENO]["throughput"].items()
    ]
    return (
        f"Moving away, the proposed scheme’s throughput differs from standard TCP’s by {min(gains):+.1f} to "
        f"{max(gains):+.1f} %, by speed."
    )

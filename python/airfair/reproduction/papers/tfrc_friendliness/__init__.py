"""Casoni, Merani: Congestion Control in Wireless Environments; TFRC and TCP over 802.11b."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from airfair.reproduction import studies
from airfair.reproduction.introduction import Edge, Node, Opening, Topology
from airfair.reproduction.paper import Paper, Search
from airfair.reproduction.prose import Numbers

from . import figures, plan
from .claims import BOUNDS, PREDICATES
from .findings import SEARCHES, calibration
from .runs import FriendlinessRuns


def _indices(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Smallest and largest index in the deciding variant, and the combinations at which they occur."""
    _, decides = next(iter(measured.items()))
    found = {at: value for at, value in decides.items() if value is not None}
    least, most = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    return {"least": found[least], "least_at": least, "most": found[most], "most_at": most}


OPENING = Opening(
    Topology(
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
    ),
    ("fig2", "fig5"),
    _indices,
    {
        **dict.fromkeys(("fig2", "fig3", "fig4", "fig5", "fig6"), "§4.1"),
        **dict.fromkeys(("fig8", "fig10"), "§4.2"),
    },
)


def paper(directory: Path) -> Paper[FriendlinessRuns]:
    """Declaration of the paper whose files are in `directory`."""
    reno, sack = (
        [plan.mixed(flavour, *pair) for pair in plan.COMBINATIONS] for flavour in plan.FLAVOURS
    )
    # The findings about queues and other open settings belong to Figure 3.
    held = [plan.queues(*pair) for pair in plan.HELD]
    held += [plan.varied(flavour, *pair) for flavour in plan.FLAVOURS for pair in plan.VARIED]
    minutes = {flavour: partial(figures.over_three_minutes, flavour) for flavour in plan.FLAVOURS}
    simulation = {
        figure: [plan.simulated(figure, access)[0] for access in plan.ACCESS]
        for figure in plan.SIMULATED
    }
    simulation["fig8"].append("sizes")
    return Paper.of(
        directory,
        OPENING,
        {
            "fig2": (reno, partial(figures.index, "reno")),
            "fig3": ([*sack, *held], partial(figures.index, "sack")),
            "fig4": (
                [plan.alone(p, n) for p in ("reno", "tfrc") for n in plan.ALONE],
                figures.intra,
            ),
            "fig5": (["calibration", plan.mixed("reno", *plan.MIXED)], minutes["reno"]),
            "fig6": ([plan.mixed("sack", *plan.MIXED)], minutes["sack"]),
            **{
                figure: (setups, partial(figures.five_flows, figure))
                for figure, setups in simulation.items()
            },
        },
        {**{part: plan.PRINTED[part] for part in ("testbed", "fig7", "fig9")}, **BOUNDS},
        plan.SIMULATED,
        setups=studies.setups(directory),
        measure=FriendlinessRuns.of,
        predicates=PREDICATES,
        searches=SEARCHES,
        calibration=Search("calibration", ("calibration",), calibration),
        places=plan.PLACES,
        replications=10,
    )

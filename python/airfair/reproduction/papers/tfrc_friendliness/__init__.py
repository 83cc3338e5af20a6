"""Casoni, Merani: Congestion Control in Wireless Environments; TFRC and TCP over 802.11b."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from airfair.reproduction import studies
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


def paper(directory: Path) -> Paper[FriendlinessRuns]:
    """Declaration of the paper whose files are in `directory`."""
    reno, sack = (
        [plan.mixed(flavour, *pair) for pair in plan.COMBINATIONS] for flavour in plan.FLAVOURS
    )
    minutes = {flavour: partial(figures.over_three_minutes, flavour) for flavour in plan.FLAVOURS}
    return Paper.of(
        directory,
        _indices,
        {
            "fig2": (reno, partial(figures.index, "reno")),
            # The findings about queues and other open settings belong to Figure 3.
            "fig3": ([*sack, "queues-*", "varied-*"], partial(figures.index, "sack")),
            "fig4": (["reno-alone-*", "tfrc-alone-*"], figures.intra),
            "fig5": (["calibration", plan.mixed("reno", *plan.MIXED)], minutes["reno"]),
            "fig6": ([plan.mixed("sack", *plan.MIXED)], minutes["sack"]),
            "fig8": (["fig8-*", "sizes"], partial(figures.five_flows, "fig8")),
            "fig10": (["fig10-*"], partial(figures.five_flows, "fig10")),
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

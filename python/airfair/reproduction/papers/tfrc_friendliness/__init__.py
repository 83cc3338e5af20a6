"""Casoni, Merani: Congestion Control in Wireless Environments; TFRC and TCP over 802.11b."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from airfair.reproduction import studies
from airfair.reproduction.paper import Experiment, Paper, Shown, reasons, reference
from airfair.reproduction.prose import Prose

from . import figures
from .claims import BOUNDS, PREDICATES
from .findings import SEARCHES, calibration
from .introduction import introduction
from .plan import (
    ACCESS,
    ALONE,
    COMBINATIONS,
    FLAVOURS,
    HELD,
    MIXED,
    PLACES,
    SIMULATED,
    VARIED,
    alone,
    mixed,
    queues,
    simulated,
    varied,
)
from .runs import FriendlinessRuns, Measurements


def paper(directory: Path) -> Paper[FriendlinessRuns]:
    """Declaration of the paper whose files are in `directory`."""
    printed, prose = reference(directory), Prose(directory / "text")
    settings = {part: printed[part] for part in ("testbed", "fig7", "fig9")}
    said = prose["introduction"].by_id({**settings, **BOUNDS})
    shown = prose["experiments"].by_id(SIMULATED)
    experiments = [
        Experiment(id_, shown[id_].title, tuple(dict.fromkeys(setups)), show, shown[id_].text)
        for id_, (setups, show) in {**_testbed(printed["fig5"]), **_simulation()}.items()
    ]
    return Paper(
        id=directory.name,
        title=prose["introduction"].title,
        reference=printed,
        setups=studies.setups(directory),
        experiments={experiment.id: experiment for experiment in experiments},
        measure=FriendlinessRuns.of,
        predicates=PREDICATES,
        searches=SEARCHES,
        bounds=said["bounds"].text,
        calibration=calibration(printed["fig5"]),
        places=PLACES,
        reasons=reasons(prose),
        introduction=introduction(said),
        prose=prose,
        units=said["units"].text,
        replications=10,
        quick_replications=5,
    )


Needs = tuple[list[str], Callable[[Measurements], Shown]]
"""Setups of an experiment, and the function that makes its figures and tables."""


def _testbed(fig5: dict[str, float]) -> dict[str, Needs]:
    reno, sack = ([mixed(flavour, *pair) for pair in COMBINATIONS] for flavour in FLAVOURS)
    single = [alone(protocol, n) for protocol in ("reno", "tfrc") for n in ALONE]
    # The findings about queues and other open settings belong to Figure 3.
    held = [queues(*pair) for pair in HELD]
    held += [varied(flavour, *pair) for flavour in FLAVOURS for pair in VARIED]
    three = {flavour: mixed(flavour, *MIXED) for flavour in FLAVOURS}
    minutes = partial(figures.over_three_minutes, "reno", fig5)
    return {
        "fig2": (reno, partial(figures.index, "reno")),
        "fig3": ([*sack, *held], partial(figures.index, "sack")),
        "fig4": (single, figures.intra),
        "fig5": (["calibration", three["reno"]], minutes),
        "fig6": ([three["sack"]], partial(figures.over_three_minutes, "sack", None)),
    }


FOUND_WITH = {"fig8": ("sizes",)}
"""Setups that findings need, by the experiment to which the findings belong."""


def _simulation() -> dict[str, Needs]:
    return {
        figure: (
            [*(simulated(figure, access)[0] for access in ACCESS), *FOUND_WITH.get(figure, ())],
            partial(figures.five_flows, figure),
        )
        for figure in SIMULATED
    }


__all__ = ["Measurements", "paper"]

"""Vacirca, Cuomo: uplink and downlink TCP over 802.11b, and a DATA/ACK scheduler in the access point."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from airfair.reproduction import studies
from airfair.reproduction.paper import Experiment, Paper, reasons, reference
from airfair.reproduction.prose import Prose

from . import figures
from .claims import BOUNDS, PREDICATES
from .findings import SEARCHES, calibration
from .introduction import introduction
from .plan import (
    ASYMMETRIC,
    FOUR,
    PLACES,
    SCHEME_KEYS,
    SCHEMES,
    SCOPES,
    SYMMETRIC,
    TWO,
    asymmetric_id,
    setup_id,
)
from .runs import Measurements, UpDownRuns


def paper(directory: Path) -> Paper[UpDownRuns]:
    """Declaration of the paper whose files are in `directory`."""
    printed, prose = reference(directory), Prose(directory / "text")
    said = prose["introduction"].by_id({"setup": printed["setup"], **BOUNDS})
    experiments = _experiments(printed["fig3"], prose)
    return Paper(
        id=directory.name,
        title=prose["introduction"].title,
        reference=printed,
        setups=studies.setups(directory),
        experiments={experiment.id: experiment for experiment in experiments},
        measure=UpDownRuns.of,
        predicates=PREDICATES,
        searches=SEARCHES,
        bounds=said["bounds"].text,
        calibration=calibration(printed["fig3"]),
        places=PLACES,
        reasons=reasons(prose),
        introduction=introduction(said),
        prose=prose,
        units=said["units"].text,
        schemes={
            f"{SCHEMES[id_].label}: access point, Q = 100": keys
            for id_, keys in SCHEME_KEYS.items()
        },
        replications=5,
        quick_replications=5,
    )


def _experiments(printed: dict[str, float], prose: Prose) -> list[Experiment[UpDownRuns]]:
    fifo = {scenario: _systems("fifo", scenario) for scenario in SYMMETRIC}
    fair = {scenario: _systems("scheduler", scenario) for scenario in SYMMETRIC}
    cells = [asymmetric_id(*flows) for flows in ASYMMETRIC]
    needs = {
        "fig2": [*fifo[TWO], *fifo[FOUR], "small", "stack"],
        "fig3": [*(setup for all_ in fifo.values() for setup in all_), "calibration"],
        "fig4": fifo[FOUR],
        "fig6": [*fifo[TWO], *fifo[FOUR], *fair[TWO], *fair[FOUR], "rivals", *cells, "short-flows"],
        "fig7": [
            *(setup for all_ in fair.values() for setup in all_),
            "shared",
            "driver",
            "windows",
        ],
        "fig8": [*fifo[FOUR], *fair[FOUR]],
    }
    shows = {
        "fig2": partial(figures.ratios, "fifo"),
        "fig3": partial(figures.goodputs, "fifo", printed),
        "fig4": partial(figures.losses, "fifo"),
        "fig6": partial(figures.ratios, "scheduler"),
        "fig7": partial(figures.goodputs, "scheduler", None),
        "fig8": partial(figures.losses, "scheduler"),
    }
    return [
        Experiment(id_, told.title, tuple(dict.fromkeys(needs[id_])), shows[id_], told.text)
        for id_, told in prose["experiments"].by_id().items()
    ]


def _systems(scheme: str, scenario: str) -> list[str]:
    """Setups of a scenario under a scheme, in each system in which claims are tested."""
    return [
        setup_id(system, scheme, scenario)
        for system, scope in SCOPES.items()
        if scheme in scope.schemes
    ]


__all__ = ["Measurements", "paper"]

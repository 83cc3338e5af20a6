"""Kashibuchi and others: TCP's maximum window is set from channel occupancy when the rate changes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from airfair.reproduction import studies
from airfair.reproduction.paper import Experiment, Paper, Search, reasons, reference
from airfair.reproduction.prose import Prose

from . import figures
from .claims import BOUNDS, predicates
from .findings import BASELINE, FOUND_WITH, SEARCHES, baseline
from .introduction import introduction
from .plan import AWAY, LABELS, NEWRENO, PLACES, RANDOM, RUNS, SYSTEMS, TOWARD, WINDOW, needed
from .runs import ArfWindowRuns, Measurements


def paper(directory: Path) -> Paper[ArfWindowRuns]:
    """Declaration of the paper whose files are in `directory`."""
    printed, prose = reference(directory), Prose(directory / "text")
    said = prose["introduction"].by_id({"setup": printed["setup"], **BOUNDS})
    table1, shown = printed["table1"], prose["experiments"].by_id()
    shows = {
        "fig4": (AWAY, partial(figures.straight, "fig4", AWAY)),
        "fig5": (TOWARD, partial(figures.straight, "fig5", TOWARD)),
        "table1": (RANDOM, partial(figures.wandering, table1)),
    }
    experiments = [
        Experiment(id_, shown[id_].title, _needs(id_, way), show, shown[id_].text)
        for id_, (way, show) in shows.items()
    ]
    return Paper(
        id=directory.name,
        title=prose["introduction"].title,
        reference=printed,
        setups=studies.setups(directory),
        experiments={experiment.id: experiment for experiment in experiments},
        measure=ArfWindowRuns.of,
        predicates=predicates(table1),
        searches=SEARCHES,
        calibration=Search("baseline", BASELINE, partial(baseline, table1)),
        places=PLACES,
        bounds=said["bounds"].text,
        reasons=reasons(prose),
        introduction=introduction(said),
        prose=prose,
        units=said["units"].text,
        schemes={
            LABELS[NEWRENO]: {"flow.download.control": "none"},
            LABELS[WINDOW]: {"flow.download.control": "arf-window"},
        },
        replications=RUNS,
        quick_replications=5,
    )


def _needs(id_: str, way: str) -> tuple[str, ...]:
    """Setups of an experiment: its own in every system, then those of its findings."""
    systems = [setup for system in SYSTEMS for setup in needed(system, way)]
    return tuple(dict.fromkeys([*systems, *FOUND_WITH[id_]]))


__all__ = ["Measurements", "paper"]

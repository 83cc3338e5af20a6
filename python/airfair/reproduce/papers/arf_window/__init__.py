"""Kashibuchi and others: TCP's maximum window from channel occupancy whenever ARF changes the rate."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from airfair.reproduce.paper import Experiment, Paper, Search, reference

from . import figures
from .claims import BOUNDS, predicates
from .findings import BASELINE, FOUND_WITH, SEARCHES, baseline
from .introduction import introduction
from .plan import AWAY, LABELS, NEWRENO, RANDOM, RUNS, SYSTEMS, TOWARD, WINDOW, needed, setups
from .reasons import REASONS
from .runs import Measurements, Runs

STATEMENTS = {
    "fig4": "The station moves away from the access point. The proposed scheme achieves a higher throughput "
    "and a lower packet drop rate regardless of the movement speed.",
    "fig5": "The station moves toward the access point. The proposed scheme achieves a higher throughput "
    "and a lower packet drop rate regardless of the movement speed.",
    "table1": "With random waypoint motion the proposed scheme exhibits similar performance.",
}
"""Statements of the paper's text."""


def paper(directory: Path) -> Paper[Runs]:
    """The paper, whose files are in `directory`."""
    printed = reference(directory)
    table1 = printed["table1"]
    shows = {
        "fig4": ("A station that moves away", AWAY, partial(figures.straight, "fig4", AWAY)),
        "fig5": ("A station that comes nearer", TOWARD, partial(figures.straight, "fig5", TOWARD)),
        "table1": ("A station that wanders", RANDOM, partial(figures.wandering, table1)),
    }
    experiments = [
        Experiment(id_, title, _needs(id_, way), show, STATEMENTS[id_])
        for id_, (title, way, show) in shows.items()
    ]
    return Paper(
        id=directory.name,
        title="TCP's window from channel occupancy whenever ARF changes the rate",
        reference=printed,
        setups=setups(directory),
        experiments={experiment.id: experiment for experiment in experiments},
        measure=Runs.of,
        predicates=predicates(table1),
        searches=SEARCHES,
        calibration=Search(BASELINE, partial(baseline, table1)),
        bounds=BOUNDS,
        reasons=REASONS,
        introduction=introduction(printed),
        units="Goodput in Mb/s; data packets dropped, by a queue or on the air, in % of those sent.",
        schemes={
            LABELS[NEWRENO]: {"flow.download.control": "none"},
            LABELS[WINDOW]: {"flow.download.control": "arf-window"},
        },
        replications=RUNS,
        quick_replications=5,
    )


def _needs(id_: str, way: str) -> tuple[str, ...]:
    """An experiment's setups: its own in every system, then those of findings."""
    systems = [setup for system in SYSTEMS for setup in needed(system, way)]
    return tuple(dict.fromkeys([*systems, *FOUND_WITH[id_]]))


__all__ = ["Measurements", "paper"]

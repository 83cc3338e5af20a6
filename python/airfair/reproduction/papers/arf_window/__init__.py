"""Kashibuchi and others: TCP's maximum window is set from channel occupancy when the rate changes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from airfair.reproduction import studies
from airfair.reproduction.paper import Paper, Search
from airfair.reproduction.prose import Numbers

from . import figures, plan
from .claims import BOUNDS, PREDICATES
from .findings import BASELINE, FOUND_WITH, SEARCHES, baseline
from .runs import ArfWindowRuns


def _gains(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Gain of the scheme at each speed [%]."""
    proposed, standard = (measured[scheme]["throughput"] for scheme in (plan.WINDOW, plan.NEWRENO))
    gains = [100 * (proposed[speed] / mbps - 1) for speed, mbps in standard.items()]
    return {"gains_percent": gains}


def paper(directory: Path) -> Paper[ArfWindowRuns]:
    """Declaration of the paper whose files are in `directory`."""
    return Paper.of(
        directory,
        _gains,
        {
            "fig4": (_needs("fig4", plan.AWAY), partial(figures.straight, "fig4", plan.AWAY)),
            "fig5": (_needs("fig5", plan.TOWARD), partial(figures.straight, "fig5", plan.TOWARD)),
            "table1": (_needs("table1", plan.RANDOM), figures.wandering),
        },
        BOUNDS,
        setups=studies.setups(directory),
        measure=ArfWindowRuns.of,
        predicates=PREDICATES,
        searches=SEARCHES,
        calibration=Search("baseline", BASELINE, baseline),
        places=plan.PLACES,
        schemes={
            plan.LABELS[plan.NEWRENO]: {"flow.download.control": "none"},
            plan.LABELS[plan.WINDOW]: {"flow.download.control": "arf-window"},
        },
        replications=plan.RUNS,
    )


def _needs(id_: str, way: str) -> list[str]:
    """Setups of an experiment: its own in every system, then those of its findings."""
    return [
        *(setup for system in plan.SYSTEMS for setup in plan.needed(system, way)),
        *FOUND_WITH[id_],
    ]

"""Vacirca, Cuomo: uplink and downlink TCP over 802.11b, and a DATA/ACK scheduler in the access point."""

from __future__ import annotations

from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from airfair.reproduction import studies
from airfair.reproduction.paper import Paper, Search
from airfair.reproduction.prose import Numbers

from . import figures, plan
from .claims import BOUNDS, PREDICATES
from .findings import SEARCHES, calibration
from .runs import UpDownRuns


def _ratios(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Ratios with the fewest and the most attempts."""
    found = {scenario: by_buffer["Q100"] for scenario, by_buffer in measured.items()}
    return {"ratios": [(scenario, one["M1"], one["M8"]) for scenario, one in found.items()]}


def paper(directory: Path) -> Paper[UpDownRuns]:
    """Declaration of the paper whose files are in `directory`."""
    fifo = {scenario: _systems("fifo", scenario) for scenario in plan.SYMMETRIC}
    fair = {scenario: _systems("scheduler", scenario) for scenario in plan.SYMMETRIC}
    both = [*fifo[plan.TWO], *fifo[plan.FOUR]]
    beyond = [*fair[plan.TWO], *fair[plan.FOUR], "rivals", "flows-*", "short-flows"]
    return Paper.of(
        directory,
        _ratios,
        {
            "fig2": ([*both, "small", "stack"], partial(figures.ratios, "fifo")),
            "fig3": ([*chain(*fifo.values()), "calibration"], partial(figures.goodputs, "fifo")),
            "fig4": (fifo[plan.FOUR], partial(figures.losses, "fifo")),
            "fig6": ([*both, *beyond], partial(figures.ratios, "scheduler")),
            "fig7": (
                [*chain(*fair.values()), "shared", "driver", "windows"],
                partial(figures.goodputs, "scheduler"),
            ),
            "fig8": ([*fifo[plan.FOUR], *fair[plan.FOUR]], partial(figures.losses, "scheduler")),
        },
        BOUNDS,
        setups=studies.setups(directory),
        measure=UpDownRuns.of,
        predicates=PREDICATES,
        searches=SEARCHES,
        calibration=Search("calibration", ("calibration",), calibration),
        places=plan.PLACES,
        schemes={
            f"{plan.SCHEMES[id_]}: access point, Q = 100": keys
            for id_, keys in plan.SCHEME_KEYS.items()
        },
        replications=5,
    )


def _systems(scheme: str, scenario: str) -> list[str]:
    """Setups of a scenario under a scheme, in each system in which claims are tested."""
    return [
        plan.setup_id(system, scheme, scenario)
        for system, scope in plan.SCOPES.items()
        if scheme in scope.schemes
    ]

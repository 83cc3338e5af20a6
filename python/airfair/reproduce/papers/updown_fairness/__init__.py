"""Vacirca, Cuomo: uplink and downlink TCP over 802.11b, and the DATA/ACK scheduler of an access point."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from airfair.reproduce import studies
from airfair.reproduce.paper import Experiment, Paper, reference

from . import figures
from .claims import BOUNDS, PREDICATES
from .findings import SEARCHES, calibration
from .introduction import introduction
from .plan import (
    ASYMMETRIC,
    FOUR,
    SCHEME_KEYS,
    SCHEMES,
    SCOPES,
    SYMMETRIC,
    TWO,
    asymmetric_id,
    setup_id,
)
from .reasons import REASONS
from .runs import Measurements, Runs

STATEMENTS = {
    "fig2": "At M_t = 1 the ratio is about 1:1 in dl2-ul2 with large buffers, and downlink has more in "
    "dl4-ul4. At M_t = 2 downlink rises, the more the larger the buffer. By increasing M_t, the uplink "
    "connections seize the available bandwidth and the downlink connections starve; a larger buffer slightly "
    "alleviates the phenomenon.",
    "fig3": "In dl1-ul1 the overall goodput at M_t = 1 is about 370 packets/s, 250 in downlink and 120 in "
    "uplink. It increases with M_t, but the unfairness reverses for M_t > 3, favoring uplink.",
    "fig4": "Uplink loss decreases monotonically with M_t; downlink loss decreases till M_t = 2 and then "
    "increases again, as the congestion windows inflate and fill the AP buffer.",
    "fig6": "Where downlink goodput is higher than uplink's the scheduler is not able to increase fairness. "
    "When M_t increases and the buffer is 50 packets or more, it keeps the ratio about 1:1.",
    "fig7": "Downlink and uplink goodputs converge to the same value when M_t increases; already for M_t > 5 "
    "the target is reached.",
    "fig8": "The loss of the uplink does not change with the customized scheduling discipline, whereas "
    "that of the downlink is reduced.",
}
"""Statements of the paper's text about each figure."""

TITLES = {
    "fig2": "Downlink over uplink goodput under FIFO",
    "fig3": "Goodputs under FIFO",
    "fig4": "Loss of TCP DATA under FIFO",
    "fig6": "Downlink over uplink goodput with the DATA/ACK scheduler, and its rivals",
    "fig7": "Goodputs with the DATA/ACK scheduler",
    "fig8": "Loss of TCP DATA with the DATA/ACK scheduler",
}


def paper(directory: Path) -> Paper[Runs]:
    """The paper, whose files are in `directory`."""
    printed = reference(directory)
    experiments = _experiments(printed["fig3"])
    return Paper(
        id=directory.name,
        title="TCP over 802.11b: uplink against downlink, and a scheduler for DATA and ACKs",
        reference=printed,
        setups=studies.setups(directory),
        experiments={experiment.id: experiment for experiment in experiments},
        measure=Runs.of,
        predicates=PREDICATES,
        searches=SEARCHES,
        bounds=BOUNDS,
        calibration=calibration(printed["fig3"]),
        reasons=REASONS,
        introduction=introduction(printed),
        units="Goodputs in packets of 1448 octets per second, from 50 s to 500 s.",
        schemes={
            f"{SCHEMES[id_].label}: access point, Q = 100": keys
            for id_, keys in SCHEME_KEYS.items()
        },
        replications=5,
        quick_replications=5,
    )


def _experiments(printed: dict[str, float]) -> list[Experiment[Runs]]:
    fifo = {scenario: _systems("fifo", scenario) for scenario in SYMMETRIC}
    fair = {scenario: _systems("scheduler", scenario) for scenario in SYMMETRIC}
    cells = [asymmetric_id(*flows) for flows in ASYMMETRIC]
    needs = {
        "fig2": [*fifo[TWO], *fifo[FOUR], "small", "stack"],
        "fig3": [*(setup for all_ in fifo.values() for setup in all_), "calibration"],
        "fig4": fifo[FOUR],
        "fig6": [*fifo[TWO], *fifo[FOUR], *fair[TWO], *fair[FOUR], "rivals", *cells, "short-flows"],
        "fig7": [*(setup for all_ in fair.values() for setup in all_), "shared", "windows"],
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
        Experiment(id_, TITLES[id_], tuple(dict.fromkeys(needs[id_])), shows[id_], STATEMENTS[id_])
        for id_ in TITLES
    ]


def _systems(scheme: str, scenario: str) -> list[str]:
    """The setups of a scenario in every system under which its claims are told."""
    return [
        setup_id(system, scheme, scenario)
        for system, scope in SCOPES.items()
        if scheme in scope.schemes
    ]


__all__ = ["Measurements", "paper"]

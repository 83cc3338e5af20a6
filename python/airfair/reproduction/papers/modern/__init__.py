"""Study by airfair: the anomaly, the papers' schemes and rivals with aggregates in 802.11n, ac and ax."""

from __future__ import annotations

from pathlib import Path

from airfair.reproduction import studies
from airfair.reproduction.paper import Experiment, Paper, reasons, reference
from airfair.reproduction.prose import Prose

from . import figures
from .claims import MORE, PREDICATES
from .findings import SEARCHES
from .introduction import introduction
from .plan import ALL_WAYS, COMPARED, MODERN, READ_IN, STANDARDS, WAYS, WITH_TODAYS_HOSTS
from .runs import Measurements, ModernRuns

REPLICATIONS = 5


def paper(directory: Path) -> Paper[ModernRuns]:
    """Declaration of the study whose files are in `directory`."""
    known, prose = reference(directory), Prose(directory / "text")
    said = prose["introduction"].by_id({"setup": known["setup"], "more": MORE - 1})
    pairs = [f"anomaly-{standard}-{way}" for standard in STANDARDS for way in WAYS]
    beyond = [
        *(f"rates-{standard}" for standard in STANDARDS),
        "stations-g",
        "stations-ax",
        "long-fifo",
    ]
    beyond += [f"today-{standard}" for standard in WITH_TODAYS_HOSTS]
    shows = {
        "anomaly": ([*pairs, *beyond], figures.anomalies),
        "ending": (["ending", "ath9k"], figures.testbed),
        "schemes": (
            [
                *(f"schemes-{s}-{way}" for s in COMPARED for way in ALL_WAYS),
                *(f"readings-{s}-{way}" for s in READ_IN for way in ALL_WAYS),
            ],
            figures.schemes,
        ),
        "sold": ([f"sold-{s}-{way}" for s in MODERN for way in WAYS], figures.as_sold),
        "shorts": (["short-flows"], figures.shorts),
    }
    experiments = [
        Experiment(id_, shown.title, tuple(shows[id_][0]), shows[id_][1], shown.text)
        for id_, shown in prose["experiments"].by_id().items()
    ]
    return Paper(
        id=directory.name,
        title=prose["introduction"].title,
        reference=known,
        setups=studies.setups(directory),
        experiments={experiment.id: experiment for experiment in experiments},
        measure=ModernRuns.of,
        predicates=PREDICATES,
        searches=SEARCHES,
        bounds=said["bounds"].text,
        units=said["units"].text,
        reasons=reasons(prose),
        introduction=introduction(said),
        prose=prose,
        replications=REPLICATIONS,
        quick_replications=5,
        is_own=True,
    )


__all__ = ["Measurements", "paper"]

"""Kashibuchi and others: TFRC's rate is limited by the share of the channel that beacons grant a station."""

from __future__ import annotations

from pathlib import Path

from airfair.reproduction import studies
from airfair.reproduction.paper import Experiment, Paper, reasons, reference
from airfair.reproduction.prose import Prose

from . import figures
from .claims import PREDICATES
from .findings import SEARCHES
from .introduction import introduction
from .plan import DRAWS, FIG4, MANY, REPLICATIONS, SCHEME_KEYS, SCHEMES, WAYS, figure3
from .runs import Measurements, OccupancyRuns

FOUND_WITH = {
    "fig3": ("rfc5348", "once", "law", "transports", "uplink", "guests", "noise", "standards"),
    "fig4": (
        "rfc5348-many",
        "constant",
        "mixtures",
        "moving",
        *(f"rivals-{way}" for way in WAYS),
    ),
}
"""Setups that findings need, by the experiment to which the findings belong."""


def paper(directory: Path) -> Paper[OccupancyRuns]:
    """Declaration of the paper whose files are in `directory`."""
    printed, prose = reference(directory), Prose(directory / "text")
    said = prose["introduction"].by_id({"setup": printed["setup"]})
    shows = {
        "fig3": (("fig3", *FOUND_WITH["fig3"]), figures.pairs),
        "fig4": ((FIG4, MANY, *FOUND_WITH["fig4"]), figures.many),
    }
    experiments = [
        Experiment(id_, shown.title, *shows[id_], shown.text)
        for id_, shown in prose["experiments"].by_id().items()
    ]
    return Paper(
        id=directory.name,
        title=prose["introduction"].title,
        reference=printed,
        setups=studies.setups(directory, DRAWS),
        experiments={experiment.id: experiment for experiment in experiments},
        measure=OccupancyRuns.of,
        predicates=PREDICATES,
        searches=SEARCHES,
        bounds=said["bounds"].text,
        units=said["units"].text,
        reasons=reasons(prose),
        introduction=introduction(said),
        prose=prose,
        schemes={scheme.label: SCHEME_KEYS[id_] for id_, scheme in SCHEMES.items()},
        replications=REPLICATIONS,
        quick_replications=5,
    )


__all__ = ["Measurements", "figure3", "paper"]

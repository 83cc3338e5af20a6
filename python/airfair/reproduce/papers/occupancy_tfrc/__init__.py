"""Kashibuchi and others: TFRC's rate from the station's share of the channel, which beacons grant."""

from __future__ import annotations

from pathlib import Path

from airfair.reproduce import studies
from airfair.reproduce.paper import Experiment, Paper, reference

from . import figures
from .claims import BOUNDS, PREDICATES
from .findings import SEARCHES
from .introduction import introduction
from .plan import DRAWS, FIG4, MANY, REPLICATIONS, SCHEME_KEYS, SCHEMES, WAYS, figure3
from .reasons import REASONS
from .runs import Measurements, Runs

STATEMENTS = {
    "fig3": "In normal TFRC, both stations obtain almost the same throughput regardless of their data "
    "rates. The proposed scheme allows stations to occupy almost the same duration. Therefore, even if "
    "STA2 uses a lower data rate, the throughput of STA1 is not affected. Even when both stations use "
    "the same data rate, the proposed scheme gives a little higher throughput due to reduction in packet "
    "drops.",
    "fig4": "The proposed scheme exhibits better performance also in these situations: higher "
    "throughput, good fairness in terms of channel occupancy, fewer packet drops.",
}
"""Statements of the paper's text."""

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
"""Setups of what is beyond the claims, with the experiment that they belong to."""


def paper(directory: Path) -> Paper[Runs]:
    """The paper, whose files are in `directory`."""
    printed = reference(directory)
    experiments = (
        Experiment(
            "fig3",
            "Two stations, over the rate of the second",
            ("fig3", *FOUND_WITH["fig3"]),
            figures.pairs,
            STATEMENTS["fig3"],
        ),
        Experiment(
            "fig4",
            "1 to 20 stations with random rates",
            (FIG4, MANY, *FOUND_WITH["fig4"]),
            figures.many,
            STATEMENTS["fig4"],
        ),
    )
    return Paper(
        id=directory.name,
        title="Equal shares of the channel for TFRC, granted in beacons",
        reference=printed,
        setups=studies.setups(directory, DRAWS),
        experiments={experiment.id: experiment for experiment in experiments},
        measure=Runs.of,
        predicates=PREDICATES,
        searches=SEARCHES,
        bounds=BOUNDS,
        reasons=REASONS,
        introduction=introduction(printed),
        units="Goodput in Mb/s; data packets dropped, by a queue or on the air, in % of those sent; "
        "occupancy as a part of the time; the 95th percentile of round trips in ms.",
        schemes={scheme.label: SCHEME_KEYS[id_] for id_, scheme in SCHEMES.items()},
        replications=REPLICATIONS,
        quick_replications=5,
    )


__all__ = ["Measurements", "figure3", "paper"]

"""Kashibuchi and others: TFRC's rate is limited by the share of the channel that beacons grant a station."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from airfair.reproduction import studies
from airfair.reproduction.paper import Paper
from airfair.reproduction.prose import Numbers

from . import figures
from .claims import PREDICATES
from .findings import SEARCHES
from .plan import BOTH, DRAWS, FIG4, MANY, REPLICATIONS, SCHEME_KEYS, SCHEMES, WAYS
from .runs import OccupancyRuns

FOUND_WITH = {
    "fig3": ("rfc5348", "once", "law", "transports", "uplink", "guests", "noise", "standards"),
    "fig4": ("rfc5348-many", "constant", "mixtures", "moving", *(f"rivals-{way}" for way in WAYS)),
}
"""Setups that findings need, by the experiment to which the findings belong."""


def _first_station(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Throughputs of STA1 by rate of STA2."""
    return {
        scheme: [one["throughput_mbps"][0] for one in measured[scheme].values()] for scheme in BOTH
    }


def paper(directory: Path) -> Paper[OccupancyRuns]:
    """Declaration of the paper whose files are in `directory`."""
    return Paper.of(
        directory,
        _first_station,
        {
            "fig3": (("fig3", *FOUND_WITH["fig3"]), figures.pairs),
            "fig4": ((FIG4, MANY, *FOUND_WITH["fig4"]), figures.many),
        },
        setups=studies.setups(directory, DRAWS),
        measure=OccupancyRuns.of,
        predicates=PREDICATES,
        searches=SEARCHES,
        schemes={scheme.label: SCHEME_KEYS[id_] for id_, scheme in SCHEMES.items()},
        replications=REPLICATIONS,
    )

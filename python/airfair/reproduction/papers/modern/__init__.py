"""Study by airfair: the anomaly, the papers' schemes and rivals with aggregates in 802.11n, ac and ax."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from airfair.reproduction import studies
from airfair.reproduction.paper import Paper
from airfair.reproduction.prose import Numbers

from . import figures, multi_user, senders
from .claims import MORE, PREDICATES
from .findings import SEARCHES
from .plan import AIRTIME, FIFO
from .runs import ModernRuns


def _parts(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Share of airtime of a slow station's download, in the oldest and in the newest standard."""
    legacy, newest = (measured["down"][standard] for standard in ("g", "ax"))
    return {"legacy": legacy[FIFO], "newest": newest[FIFO], "scheduled": newest[AIRTIME]}


def paper(directory: Path) -> Paper[ModernRuns]:
    """Declaration of the study whose files are in `directory`."""
    anomaly = ["anomaly-*", "rates-*", "stations-*", "long-fifo", "today-*"]
    return Paper.of(
        directory,
        _parts,
        {
            "anomaly": (anomaly, figures.anomalies),
            "ending": (["ending", "ath9k"], figures.testbed),
            "schemes": (["schemes-*", "readings-*"], figures.schemes),
            "sold": (["sold-n-*", "sold-ac-*", "sold-ax-*"], figures.as_sold),
            "shorts": (["short-flows"], figures.shorts),
            "ofdma": (["ofdma-*"], multi_user.cures),
            "users": (["users-bulk", "users-small", "users-more"], multi_user.eight),
            "calls": (["calls"], multi_user.calls),
            "senders": (["senders-*"], senders.senders),
        },
        {"more": MORE - 1},
        setups=studies.setups(directory),
        measure=ModernRuns.of,
        predicates=(*PREDICATES, *senders.PREDICATES),
        searches=SEARCHES,
        replications=5,
        is_own=True,
    )

"""Study by airfair: the anomaly, the papers' schemes and rivals with aggregates in 802.11n, ac and ax."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from airfair.reproduction import studies
from airfair.reproduction.paper import Paper
from airfair.reproduction.prose import Numbers

from . import figures, multi_user
from .claims import MORE, PREDICATES
from .findings import SEARCHES
from .plan import (
    AIRTIME,
    ALL_WAYS,
    COMPARED,
    FIFO,
    MODERN,
    READ_IN,
    STANDARDS,
    USERS_TRAFFIC,
    WAYS,
    WITH_TODAYS_HOSTS,
)
from .runs import ModernRuns


def _parts(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Share of airtime of a slow station's download, in the oldest and in the newest standard."""
    legacy, newest = (measured["down"][standard] for standard in ("g", "ax"))
    return {"legacy": legacy[FIFO], "newest": newest[FIFO], "scheduled": newest[AIRTIME]}


def paper(directory: Path) -> Paper[ModernRuns]:
    """Declaration of the study whose files are in `directory`."""
    pairs = [f"anomaly-{standard}-{way}" for standard in STANDARDS for way in WAYS]
    beyond = [f"rates-{standard}" for standard in STANDARDS]
    beyond += ["stations-g", "stations-ax", "long-fifo"]
    beyond += [f"today-{standard}" for standard in WITH_TODAYS_HOSTS]
    schemes = [f"schemes-{standard}-{way}" for standard in COMPARED for way in ALL_WAYS]
    schemes += [f"readings-{standard}-{way}" for standard in READ_IN for way in ALL_WAYS]
    sold = [f"sold-{standard}-{way}" for standard in MODERN for way in WAYS]
    return Paper.of(
        directory,
        _parts,
        {
            "anomaly": ([*pairs, *beyond], figures.anomalies),
            "ending": (["ending", "ath9k"], figures.testbed),
            "schemes": (schemes, figures.schemes),
            "sold": (sold, figures.as_sold),
            "shorts": (["short-flows"], figures.shorts),
            "ofdma": ([f"ofdma-{way}" for way in ALL_WAYS], multi_user.cures),
            "users": ([f"users-{traffic}" for traffic in USERS_TRAFFIC], multi_user.eight),
            "calls": (["calls"], multi_user.calls),
        },
        {"more": MORE - 1},
        setups=studies.setups(directory),
        measure=ModernRuns.of,
        predicates=PREDICATES,
        searches=SEARCHES,
        replications=5,
        is_own=True,
    )

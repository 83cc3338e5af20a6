"""Yoo, Kim, Yoo: Resolving Performance Anomaly using ARF-aware TCP."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from airfair.reproduction import studies
from airfair.reproduction.paper import Paper
from airfair.reproduction.prose import Numbers, Prose

from . import figures, tables
from .claims import PREDICATES, SETTLE_S
from .findings import SEARCHES
from .plan import BOTH, NEWRENO, SCHEMES
from .runs import ArfAwareRuns
from .tables import ColumnSource

FIGURES = {"fig2": "table1", "fig4-7": "table5", "fig8-9": "recovery"}
"""Setup of each experiment that has figures but no table."""


def _sessions(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Throughputs of the session that becomes slow and of the session that stays fast."""
    return {
        scheme: dict(zip(("slow", "fast"), measured[scheme]["sessions"], strict=True))
        for scheme in BOTH
    }


def paper(directory: Path) -> Paper[ArfAwareRuns]:
    """Declaration of the paper whose files are in `directory`."""
    setups = studies.setups(directory)
    titles = Prose(directory / "text")["experiments"].by_id()
    shows: dict[str, tuple[Iterable[str], Any]] = {
        id_: (
            [*(column.setup for column in columns), *(["polling"] if id_ == "table1" else [])],
            partial(tables.show, (id_, titles[id_].title), columns),
        )
        for id_, columns in _tables().items()
    }
    shows |= {
        id_: ([setup], partial(figures.show, id_, (setup,))) for id_, setup in FIGURES.items()
    }
    return Paper.of(
        directory,
        _sessions,
        shows,
        {"settle_s": SETTLE_S},
        setups=setups,
        measure=ArfAwareRuns.of,
        predicates=PREDICATES,
        searches=SEARCHES,
        schemes={
            f"{SCHEMES[it.id]}: control": it.set["flow.slow.control"]
            for it in setups["table1"].variants
        },
    )


def _tables() -> dict[str, list[ColumnSource]]:
    """Sources of the columns of each table."""

    def source(setup: str, scheme: str, where: str = "") -> ColumnSource:
        label, place = SCHEMES[scheme], where.replace("_", " ")
        id_ = f"{where}_{scheme}" if where else scheme
        return ColumnSource(id_, f"{label}, {place}" if place else label, setup, scheme)

    def everywhere(setup: str) -> list[ColumnSource]:
        return [source(setup, scheme) for scheme in SCHEMES]

    alone = SCHEMES[NEWRENO]
    return {
        "table1": [
            *everywhere("table1"),
            *(source("table1-one-hop", scheme, "one_hop") for scheme in BOTH),
        ],
        "table2": [
            ColumnSource("fair_share", f"{alone}, fair share", "table2", NEWRENO),
            ColumnSource("anomaly", f"{alone}, anomaly", "table1", NEWRENO),
        ],
        "table3": [
            *everywhere("table3"),
            *(source("table3-slow-relay", scheme, "slow_relay") for scheme in BOTH),
        ],
        "table4": everywhere("table4"),
        "table5": everywhere("table5"),
    }

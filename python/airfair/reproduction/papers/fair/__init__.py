"""Study by airfair: an access point that gives its stations equal airtime in both directions, alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from airfair.reproduction import studies
from airfair.reproduction.paper import Paper, Search
from airfair.reproduction.prose import Numbers

from . import figures, plan
from .claims import COMPARABLE, EQUAL, KEEPS, LATER_MS, NEARLY, PREDICATES, SECOND, SOON_S
from .runs import FairRuns


def _parts(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Mean index over the 81 cells, with the airtime scheduler alone and with the fair access point."""
    every = measured["all"]
    return {
        "before": every[plan.AIRTIME]["mean"],
        "after": every[plan.FAIR]["mean"],
        "equal": every[plan.FAIR]["equal"],
    }


def paper(directory: Path) -> Paper[FairRuns]:
    """Declaration of the study whose files are in `directory`."""
    return Paper.of(
        directory,
        _parts,
        {
            "cells": (["cells", "mixed"], figures.cells),
            "rivals": (["cells", "rivals"], figures.rivals),
            "parts": (["parts"], figures.parts),
            "stability": (["stability"], figures.stability),
            "transports": (["transports"], figures.transports),
            "ofdma": (["ofdma"], figures.ofdma),
            "conditions": (["conditions", plan.NEIGHBOUR], figures.conditions),
            "changes": (["changes"], figures.changes),
        },
        {
            "equal": EQUAL,
            "second": SECOND["g"],
            "second_ax": SECOND["ax"],
            "comparable": COMPARABLE,
            "nearly": NEARLY,
            "later": LATER_MS,
            "keeps": 1 - KEEPS,
            "soon": SOON_S,
        },
        setups=studies.setups(directory),
        measure=FairRuns.of,
        predicates=PREDICATES,
        searches=(
            Search("udp-cannot", ("transports",)),
            Search("windows-and-holds", ("parts",)),
        ),
        replications=3,
        quick_replications=1,
        is_own=True,
        page="fair-access-point",
    )

"""Study by airfair: the anomaly across cells on one channel, and each cure in one of them or in both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from airfair.reproduction import studies
from airfair.reproduction.paper import Paper, Search
from airfair.reproduction.prose import Numbers

from . import figures, plan
from .claims import FEW, HALF, LITTLE, MORE, PREDICATES
from .runs import NeighbourRuns


def _parts(measured: Any) -> Numbers:  # noqa: ANN401 - JSON
    """Goodput of my cell beside your slow station, relative to that beside fast ones, downloads."""
    beside = {standard: measured["down"][standard]["yours slow"] for standard in plan.STANDARDS}
    return {
        "left_g": beside["g"]["none"]["relative"],
        "left_ax": beside["ax"]["none"]["relative"],
        "cured": beside["ax"]["airtime in yours"]["relative"],
    }


def paper(directory: Path) -> Paper[NeighbourRuns]:
    """Declaration of the study whose files are in `directory`."""
    return Paper.of(
        directory,
        _parts,
        {
            "cells": ([f"cells-{way}" for way in plan.WAYS], figures.cells),
            "middle": (["middle"], figures.middle),
            "reuse": (["reuse"], figures.reuse),
        },
        {"more": MORE - 1, "half": HALF, "few": FEW, "little": LITTLE},
        setups=studies.setups(directory),
        measure=NeighbourRuns.of,
        predicates=PREDICATES,
        searches=(
            Search("owner-gains", ("cells-down",)),
            Search("middle-pauses", ("middle",)),
            Search("reuse-separates", ("reuse",)),
        ),
        replications=5,
        is_own=True,
    )

"""Helpers of several tests: a small scenario, the program, and checks of a paper's texts."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair.reproduction.catalogue import load

if TYPE_CHECKING:
    from airfair.reproduction.paper import Paper

Program = Callable[..., subprocess.CompletedProcess[str]]

PROGRAM = [sys.executable, "-W", "error", "-m", "airfair"]

SCENARIO = """\
title    = "One slow station drags the fast one down"
duration = "4 s"
series   = "500 ms"

[bss.home]
standard = "802.11b"

[station.slow]
bss  = "home"
rate = "1 Mb/s"

[station.fast]
bss  = "home"
rate = "11 Mb/s"

[host.server]
link = { to = "home", rate = "100 Mb/s", delay = "2 ms", queue = { packets = 100 } }

[flow.a]
from = "slow"
to   = "server"
transport = { kind = "tcp", flavour = "newreno" }

[flow.b]
from = "fast"
to   = "server"
transport = { kind = "tcp", flavour = "newreno" }
"""


def told(paper: Paper[Any], search_id: str, data: object) -> str:
    """Text of a paper's finding."""
    (search,) = (one for one in paper.searches if one.id == search_id)
    return paper.finding(search, data).text


def assert_all_is_said(paper: Paper[Any], data: Any) -> None:  # noqa: ANN401 - runs of any paper
    """Assert that each text of a paper has all its numbers, and that the paper uses each section."""
    searches = [*paper.searches, *([paper.calibration] if paper.calibration else [])]
    for search in searches:
        finding = paper.finding(search, data)
        assert finding.title
        assert re.fullmatch(r"[^{}]*[.]", finding.text)
    assert sorted(paper.prose["findings"].ids) == sorted(search.id for search in searches)
    assert paper.introduction is not None
    shown = {id_: one.show(data) for id_, one in paper.experiments.items()}
    drawings = {name: one for each in shown.values() for name, one in each.drawings.items()}
    numbers = {name: one.numbers for name, one in drawings.items()}
    of = next(id_ for id_, one in shown.items() if paper.introduction.lead[0] in one.drawings)
    numbers["picture"] = paper.introduction.shows(shown[of].measured)
    for name, some in numbers.items():
        assert paper.prose["figures"].passage(name, some).text.endswith(".")
    assert sorted(paper.prose["figures"].ids) == sorted(numbers)


def page_of(paper_id: str) -> str:
    """Name of the page in `docs` on a paper or a study."""
    return load(paper_id).page or paper_id


def unused_reasons(paper: Paper[Any], data: object) -> list[str]:
    """Reasons of claims that do not exist, or for conditions that no claim has."""
    conditions = {predicate.id: predicate.deciding.points(data) for predicate in paper.predicates}
    return [
        f"{claim}: {reason.of}"
        for claim, reasons in paper.reasons.items()
        for reason in reasons
        if not any(map(reason.explains, conditions.get(claim, ())))
    ]


def runs_in(archive: Path) -> int:
    """Number of finished runs in an archive; 0 if the archive does not exist yet."""
    try:
        with closing(sqlite3.connect(f"file:{archive}?mode=ro", uri=True)) as base:
            count: int = base.execute("SELECT COUNT(*) FROM runs").fetchone()[0]
            return count
    except sqlite3.OperationalError:
        return 0

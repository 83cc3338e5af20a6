"""Files of a searched scheme: its document, points, comparisons, map, and scenarios of its extremes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from airfair import json_documents, store
from airfair.archive import Job
from airfair.columns import Column, Table
from airfair.law_use import LawUse

from .measures import CRITERIA, Criterion
from .schemes import Scheme
from .search import Found, scenarios_of, table

DOCUMENT, POINTS, COMPARISONS = "limits.json", "points.parquet", "comparisons.parquet"
MAPS = ("map.svg", "map.png")
FAILED = "failed.toml"
"""Name of the scenario in which a law has raised an exception."""
ARCHIVE = "runs.sqlite"
"""Name of the archive of finished runs, in the directory of the results."""


def names(more: Iterable[Criterion] = ()) -> list[str]:
    """Patterns of the names of all files of a scheme; `more` are criteria of the user's own."""
    ids = [*CRITERIA, *(one.id for one in more)]
    extremes = [f"{word}-{id_}-*.toml" for word in ("best", "worst") for id_ in ids]
    return [DOCUMENT, POINTS, COMPARISONS, *MAPS, FAILED, *extremes, store.MANIFEST]


def save_failed(found: Found, job: Job, out: Path, *, force: bool = False) -> Path:
    """Write the scenario of the run in which a law has raised an exception, and return its path.

    Raises as `save` does.
    """
    text = _head(FAILED, job.laws) + job.scenario.to_toml()
    store.write_all(out, {FAILED: text.encode()}, found.about, force=force)
    return out / FAILED


def save(found: Found, out: Path, *, force: bool = False) -> dict[str, Any]:
    """Write the files of a searched scheme to a directory, and return its JSON document.

    Raises `FileExistsError` if a file of such a name was not written by airfair, unless `force` is true.
    """
    from airfair.parquet import encode

    from . import report

    document = report.document(found)
    if not found.points:
        return document
    whole = json_documents.document("scheme", document)
    files = {
        DOCUMENT: store.encode(whole),
        POINTS: encode(table(found.scheme, found.points), _described(found.scheme)),
        COMPARISONS: encode(comparisons(found), _COMPARISONS),
    }
    files |= _figures(found) | _scenarios(found)
    store.write_all(out, files, found.about, force=force)
    return document


def _described(scheme: Scheme) -> Table:
    """Table of the points of a scheme: its dimensions, and the samples of each measure."""
    dimensions = [Column(one.id, getattr(one, "unit", ""), f"{one.label}.") for one in scheme.space]
    meaning = "One row for each point: its conditions, and samples with and without the scheme."
    return Table("points", meaning, tuple(dimensions))


_COMPARISONS = Table(
    "comparisons",
    "One row for each point and measure: the effect of the scheme.",
    (
        Column("effect", "% or points", "Value with the scheme less value without it."),
        Column(
            "ci95", "% or points", "Half the width of the 95 % confidence interval of the effect."
        ),
        Column("p", "fraction", "Probability of such an effect by chance."),
        Column("q", "fraction", "The same probability, corrected for the number of points."),
    ),
)


def comparisons(found: Found) -> pl.DataFrame:
    """Table of the comparisons of a search with one row per point and measure."""
    rows = [
        {
            "key": point.key,
            "stage": point.stage,
            "measure": name,
            **asdict(c),
            "verdict": c.verdict.value,
        }
        for point, each in zip(found.points, found.comparisons, strict=True)
        for name, c in each.items()
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _figures(found: Found) -> dict[str, bytes]:
    from airfair.figures import png

    from .maps import draw, svg

    return dict(zip(MAPS, (svg(draw(found)).encode(), png(draw(found))), strict=True))


def _scenarios(found: Found) -> dict[str, bytes]:
    """Scenario files of the points with the largest win and loss by each measure, to run by hand."""
    from .rules import accounts

    scheme, plan = found.scheme, found.plan
    files = {}
    for account in accounts(found):
        for word, extreme in (("best", account.best), ("worst", account.worst)):
            if extreme is None:
                continue
            point = extreme.point
            both, scenarios = scenarios_of(scheme, plan, point.place, point.where)
            for side, scenario, laws in zip(
                ("without", "with"), scenarios, ((), both.laws), strict=True
            ):
                name = f"{word}-{account.measure.id}-{side}.toml"
                files[name] = (_head(name, laws) + scenario.to_toml()).encode()
    return files


def _head(name: str, laws: Sequence[LawUse]) -> str:
    """Comment with the command that runs a scenario with its laws; a scenario without laws has none."""
    if not laws:
        return ""
    words = " ".join(f"--law '{law.node}={law.name}'" for law in laws)
    return f"# airfair run {name} {words}\n"

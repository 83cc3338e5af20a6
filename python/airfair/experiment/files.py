"""Files of an experiment, which `airfair sweep --out` writes."""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from airfair import parquet, store
from airfair._core import __version__
from airfair.archive import build
from airfair.columns import Column, Table, tables
from airfair.fairness import INDICES

from .decisions import Claim
from .labels import heading, numbers
from .measures import Term
from .runs import Runs
from .tables import SUBJECTS

if TYPE_CHECKING:
    from .results import ExperimentResult
    from .study import Study

TABLES = (*SUBJECTS,)
POINTS, OUTCOMES = "points.parquet", "outcomes.parquet"
SCENARIOS = "scenarios.parquet"
DOCUMENT, PAGE = "experiment.json", "report.html"
KIND = "experiment"


def contents(results: ExperimentResult) -> dict[str, bytes]:
    """Points, tables and outcomes by file name."""
    runs = results.finished
    content = {
        f"{name}.parquet": parquet.encode(table, _described(results, name))
        for name in TABLES
        if (table := getattr(results, name)).height
    }
    content[POINTS] = parquet.encode(results.points, _described(results, "points"))
    scenarios = pl.DataFrame({"scenario": [scenario.to_toml() for scenario in runs.scenarios]})
    content[SCENARIOS] = parquet.encode(scenarios, _SCENARIOS)
    if isinstance(runs, Runs):
        content[OUTCOMES] = parquet.encode(_outcomes(runs), _OUTCOMES)
    return content


def names(study: Study) -> list[str]:
    """Patterns of the names of all files that the results of a study may have."""
    own = [POINTS, SCENARIOS, OUTCOMES, *(f"{name}.parquet" for name in TABLES)]
    return [*own, DOCUMENT, PAGE, store.MANIFEST, glob.escape(study.path.name)] + [
        f"{one.id}.{kind}" for one in study.pictures() for kind in ("png", "svg")
    ]


def _outcomes(runs: Runs) -> pl.DataFrame:
    places = [place for place, packed in enumerate(runs.packed) for _ in packed]
    outcomes = [octets for packed in runs.packed for octets in packed]
    return pl.DataFrame({"point": places, "outcome": outcomes}, schema=OUTCOME_SCHEMA)


OUTCOME_SCHEMA = pl.Schema({"point": pl.UInt32, "outcome": pl.Binary})
_POINT = Column("point", "number", "Number of the point, from 0.")
_OUTCOMES = Table(
    "outcomes",
    "All measured values of each run; only the build of airfair that ran it can read them.",
    (_POINT, Column("outcome", "", "Outcome of the run, in a binary form of that build.")),
)
_SCENARIOS = Table(
    "scenarios",
    "The scenario of each point.",
    (Column("scenario", "", "Scenario of the point's first run, as TOML."),),
)


def _described(results: ExperimentResult, name: str) -> Table:
    """Table with the columns of factors, and those of the table of runs behind them."""
    factors = [*_columns(results)]
    if name == "points":
        runs = Column("replications", "count", "Finished runs of the point.")
        return Table(name, "The points.", (_POINT, *factors, runs))
    if name == "fairness":
        indices = [Column(one, "index", INDICES[one], is_nullable=True) for one in INDICES]
        whole = Table(name, "Jain's indices of each run.", (tables()["runs"].columns[0], *indices))
    else:
        whole = tables()[name]
    return Table(name, whole.meaning, (_POINT, *factors, *whole.columns))


def _columns(results: ExperimentResult) -> Iterator[Column]:
    """Columns of the factors: labels, and numbers of levels that have a unit."""
    for name, labels in results.levels.items():
        yield Column(name, "", "Level of this factor.")
        if (axis := numbers(labels)) is not None:
            yield Column(heading(name, axis[1]), axis[1], "The same level as a number.")


def about(results: ExperimentResult, command_line: Sequence[str] | None) -> dict[str, Any]:
    """Manifest without the list of files."""
    return {
        "kind": KIND,
        "title": results.title,
        "factors": [
            {
                "name": factor.name,
                "labels": [level.label for level in factor.levels],
                "range": asdict(factor.range) if factor.range else None,
            }
            for factor in results.factors
        ],
        "points": len(results.finished.points),
        **_laws(results),
        "runs": results.spent.runs,
        "seed": results.seed,
        "runs_found": results.spent.found,
        "error": results.error,
        "claims": [_written(claim) for claim in results.claims],
        "interrupted": results.interrupted,
        "airfair": __version__,
        "build": build().hex(),
        "git": store.git_revision(),
        "command_line": list(command_line) if command_line else None,
        "cpu_s": results.spent.cpu_s,
        "wall_s": results.spent.wall_s,
    }


def _laws(results: ExperimentResult) -> dict[str, Any]:
    """Laws of each point, if a point has any."""
    laws = results.finished.laws
    return {"laws": [[law.written for law in each] for each in laws]} if any(laws) else {}


def save(
    results: ExperimentResult, directory: str | os.PathLike[str], *, force: bool = False
) -> None:
    """Write points, tables and outcomes to a directory, which is created if it does not exist."""
    store.write_all(Path(directory), contents(results), about(results, None), force=force)


def _written(claim: Claim) -> dict[str, Any]:
    """Claim as JSON, without default values; of a measure that is written in Python, only the name."""
    against = asdict(claim.against) if claim.against else {}
    bounds = {"above": claim.above, "below": claim.below}
    said = {
        "text": claim.text,
        "at": {name: list(labels) for name, labels in claim.at.items()},
        **against,
        "form": claim.form,
        **{name: bound for name, bound in bounds.items() if math.isfinite(bound)},
        "word": claim.word,
        "target": claim.target,
    }
    measure = claim.measure
    own = {} if isinstance(measure.upper, Term) else {"in_python": True, "unit": measure.unit}
    return {"id": claim.id, "of": str(measure), "said": said, **own}

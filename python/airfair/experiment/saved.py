"""Directories of experiments: what `airfair sweep --out` writes, and what is loaded again from it."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from airfair import store
from airfair._core import Scenario, __version__
from airfair.archive import build
from airfair.copies import ForeignResultError
from airfair.store import DamagedError

from .decisions import Claim, claim
from .errors import StudyError
from .factors import Factor, Label, Level
from .points import Point
from .results import ExperimentResult, Spent
from .runs import Runs
from .values import Between

TABLES = ("flows", "stations", "access_points", "channels", "links", "fairness", "runs")
POINTS, OUTCOMES = "points.parquet", "outcomes.parquet"
SCENARIOS = "scenarios.parquet"
KIND = "experiment"


def files(results: ExperimentResult) -> dict[str, bytes]:
    """Points, tables and outcomes by file name."""
    runs = results.finished
    places = [place for place, packed in enumerate(runs.packed) for _ in packed]
    outcomes = [octets for packed in runs.packed for octets in packed]
    written = {name: getattr(results, name) for name in TABLES}
    content = {
        f"{name}.parquet": _parquet(table) for name, table in written.items() if table.height
    }
    content[POINTS] = _parquet(results.points)
    content[SCENARIOS] = _parquet(
        pl.DataFrame({"scenario": [scenario.to_toml() for scenario in runs.scenarios]})
    )
    content[OUTCOMES] = _parquet(
        pl.DataFrame(
            {"point": places, "outcome": outcomes},
            schema={"point": pl.UInt32, "outcome": pl.Binary},
        )
    )
    return content


def about(results: ExperimentResult, command_line: Sequence[str] | None) -> dict[str, Any]:
    """The manifest, but for the files."""
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


def save(results: ExperimentResult, directory: str | os.PathLike[str]) -> None:
    """Write points, tables and outcomes to a directory, which is made if it is not there."""
    store.write_all(Path(directory), files(results), about(results, None))


def load_experiment(directory: str | os.PathLike[str]) -> ExperimentResult:
    """Load the results of an experiment again: the same tables, bit for bit.

    Raises `FileNotFoundError` where there is none, `DamagedError` if one of its files is not what its
    `run.json` says, and `ForeignResultError` if another build of airfair made it.
    """
    folder = Path(directory)
    (folder / store.MANIFEST).stat()
    found = store.manifest(folder)
    if found.get("kind") != KIND:
        raise DamagedError(f"{folder / store.MANIFEST}: no manifest of an experiment")
    if found.get("build") != build().hex():
        raise ForeignResultError(
            f"{folder}: made by another build of airfair ({found.get('airfair')}), which this one cannot "
            "read; its Parquet files are tables as they are"
        )
    try:
        return _loaded(folder, found)
    except (KeyError, TypeError, IndexError, StudyError, pl.exceptions.PolarsError) as error:
        raise DamagedError(
            f"{folder / store.MANIFEST}: not as an experiment's is written ({error!r})"
        ) from error


def _loaded(folder: Path, found: Mapping[str, Any]) -> ExperimentResult:
    points, scenarios, outcomes = (_table(folder, name) for name in (POINTS, SCENARIOS, OUTCOMES))
    factors = tuple(_factor(one) for one in found["factors"])
    names = [factor.name for factor in factors]
    packed: list[list[bytes]] = [[] for _ in range(points.height)]
    for place, octets in outcomes.iter_rows():
        packed[place].append(octets)
    columns = [_levels(factor, points[factor.name]) for factor in factors]
    rows: Iterable[tuple[Level, ...]] = (
        zip(*columns, strict=True) if columns else ((),) * points.height
    )
    runs = Runs(
        [Point(tuple(names), row) for row in rows],
        [Scenario.parse(text.encode()) for text in scenarios["scenario"]],
        packed,
    )
    return ExperimentResult(
        found["title"],
        factors,
        runs,
        Spent(
            found["cpu_s"],
            found["wall_s"],
            found["runs"],
            found["runs_found"],
            bool(found["interrupted"]),
        ),
        claims=tuple(_claim(one) for one in found["claims"]),
        seed=found["seed"],
        error=found["error"],
    )


def _factor(written: Mapping[str, Any]) -> Factor:
    levels = tuple(Level(label, {}) for label in written["labels"])
    if written["range"] is None:
        return Factor(written["name"], levels)
    return Factor(written["name"], range=Between(**written["range"]))


def _levels(factor: Factor, labels: pl.Series) -> list[Level]:
    """The level of each point; where a column has numbers and texts all are texts there."""
    known = {form(level.label): level for level in factor.levels for form in (str, _text)}
    return [known.get(_text(label)) or Level(label, {}) for label in labels]


def _text(label: Label) -> str:
    """Text by which a level is known again: 2 and 2.0 are one."""
    whole = isinstance(label, float) and label.is_integer()
    return str(int(label) if whole else label)


def _written(claim: Claim) -> dict[str, Any]:
    """A claim as JSON holds it: without what is not said."""
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
    return {"id": claim.id, "of": str(claim.measure), "said": said}


def _claim(written: Mapping[str, Any]) -> Claim:
    return claim(written["id"], written["of"], **written["said"])


def _table(folder: Path, name: str) -> pl.DataFrame:
    return pl.read_parquet(io.BytesIO(store.read(folder, name)))


def _parquet(table: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()

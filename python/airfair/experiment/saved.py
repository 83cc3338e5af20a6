"""Directories of experiments: what `airfair sweep --out` writes, and what is loaded again from it."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from airfair import store
from airfair._core import Scenario, __version__
from airfair.archive import build
from airfair.copies import ForeignResultError
from airfair.store import DamagedError

from .factors import Factor, Label, Level
from .points import Point
from .results import ExperimentResult, Spent
from .runs import Runs

TABLES = ("flows", "stations", "access_points", "channels", "links", "fairness", "runs")
POINTS, OUTCOMES = "points.parquet", "outcomes.parquet"
SCENARIOS = "scenarios.parquet"
KIND = "experiment"


def files(results: ExperimentResult) -> dict[str, bytes]:
    """Points, tables and outcomes by file name."""
    runs = results.runs_
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
            {"name": factor.name, "labels": [level.label for level in factor.levels]}
            for factor in results.factors
        ],
        "points": len(results.points_of),
        "runs": results.spent.runs,
        "seed": results.seed,
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
    points, scenarios, outcomes = (_table(folder, name) for name in (POINTS, SCENARIOS, OUTCOMES))
    names = [factor["name"] for factor in found["factors"]]
    packed: list[list[bytes]] = [[] for _ in range(points.height)]
    for place, octets in outcomes.iter_rows():
        packed[place].append(octets)
    runs = Runs(
        [_point(names, row) for row in points.select(names).iter_rows()]
        if names
        else [Point((), ()) for _ in range(points.height)],
        [Scenario.parse(text.encode()) for text in scenarios["scenario"]],
        packed,
    )
    spent = Spent(
        found["cpu_s"], found["wall_s"], found["runs"], interrupted=bool(found["interrupted"])
    )
    factors = tuple(_factor(one) for one in found["factors"])
    return ExperimentResult(found["title"], factors, runs, spent, seed=found["seed"])


def _point(names: Sequence[str], labels: Sequence[Label]) -> Point:
    return Point(tuple(names), tuple(Level(label, {}) for label in labels))


def _factor(written: dict[str, Any]) -> Factor:
    return Factor(written["name"], tuple(Level(label, {}) for label in written["labels"]))


def _table(folder: Path, name: str) -> pl.DataFrame:
    return pl.read_parquet(io.BytesIO(store.read(folder, name)))


def _parquet(table: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()

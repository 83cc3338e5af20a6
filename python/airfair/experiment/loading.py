"""Results of experiments read from the directories that `airfair sweep --out` writes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from airfair import parquet, store
from airfair._core import Scenario
from airfair.archive import build
from airfair.copies import ForeignResultError
from airfair.law_use import LawUse
from airfair.loading import scenario_of
from airfair.measurements import names_of
from airfair.store import DamagedError

from .decisions import Claim, claim
from .factors import Factor, Label, Level
from .files import KIND, OUTCOME_SCHEMA, OUTCOMES, POINTS, SCENARIOS, TABLES
from .formulas import NotKept
from .labels import heading, numbers
from .measures import Measure
from .points import Point
from .results import ExperimentResult, Spent
from .runs import Runs, WrittenRuns
from .tables import SUBJECTS
from .values import Between


def load_experiment(directory: str | os.PathLike[str]) -> ExperimentResult:
    """Load the result of an experiment from a directory of `airfair sweep --out` or `ExperimentResult.save`.

    Tables are bit-identical. airfair reads directories of its own and of earlier versions; `schema` in
    `run.json` is the version of the format. If another build made the runs, `ExperimentResult.result` has no
    time series and no table of the limits of flows.

    Raises `FileNotFoundError` if the directory holds no experiment, `DamagedError` if a file differs from its
    hash in `run.json`, and `ForeignResultError` if a later version of airfair wrote the directory.
    """
    folder = Path(directory)
    (folder / store.MANIFEST).stat()
    found = store.manifest(folder)
    if found.get("kind") != KIND:
        raise DamagedError(f"{folder / store.MANIFEST}: not the manifest of an experiment")
    store.check_schema(folder, found)
    try:
        return _loaded(folder, found)
    except ForeignResultError:
        raise
    except (
        LookupError,
        TypeError,
        ValueError,
        ArithmeticError,
        pl.exceptions.PolarsError,
    ) as error:
        raise DamagedError(
            f"{folder / store.MANIFEST}: not a valid manifest of an experiment ({error!r})"
        ) from error


def _loaded(folder: Path, found: Mapping[str, Any]) -> ExperimentResult:
    points = _table(folder, POINTS)
    scenarios = _whole(folder, SCENARIOS, pl.Schema({"scenario": pl.String}))
    factors = tuple(_factor(one) for one in found["factors"])
    names = tuple(factor.name for factor in factors)
    columns = [_levels(factor, points[factor.name], folder / POINTS) for factor in factors]
    rows: Iterable[tuple[Level, ...]] = (
        zip(*columns, strict=True) if columns else ((),) * points.height
    )
    places = [Point(names, row) for row in rows]
    each = [scenario_of(text.encode(), folder) for text in scenarios["scenario"]]
    if len(each) != len(places):
        raise DamagedError(f"{folder / SCENARIOS}: does not have one scenario for each point")
    runs = _runs(folder, found, places, each)
    if [runs.count(place) for place in range(len(places))] != points["replications"].to_list():
        raise DamagedError(
            f"{folder / POINTS}: the number of replications differs from the number of runs"
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
        error=_fraction(found, "error"),
    )


def _fraction(found: Mapping[str, Any], key: str) -> float:
    """Number between 0 and 1 from a manifest; raises `ValueError` for anything else."""
    value = found[key]
    if not isinstance(value, float) or not 0 < value < 1:
        raise ValueError(f"{key} = {value!r}; allowed is a number between 0 and 1")
    return value


def _runs(
    folder: Path, found: Mapping[str, Any], points: list[Point], scenarios: list[Scenario]
) -> Runs | WrittenRuns:
    """Runs of all points: outcomes if this build can read them, else tables."""
    for name in found["files"]:
        store.read(folder, name)
    laws = [tuple(map(LawUse.read, each)) for each in found.get("laws", ())]
    if laws and len(laws) != len(points):
        raise ValueError("laws: not one list for each point")
    if OUTCOMES in found["files"] and found.get("build") == build().hex():
        return Runs(points, scenarios, _packed(folder, len(points)), laws)
    names = points[0].names if points else ()
    axes = {name: numbers([point.labels[name] for point in points]) for name in names}
    factors = [*names, *(heading(name, axis[1]) for name, axis in axes.items() if axis)]
    like = Runs(points, scenarios, [[] for _ in points])
    frames = {}
    for name in TABLES:
        schema = like.table(name).schema
        if (file := f"{name}.parquet") in found["files"]:
            frame = _table(folder, file).drop(factors, strict=False)
            frames[name] = parquet.conformed(frame, schema, folder / file)
        else:
            frames[name] = schema.to_frame()
    _check_rows(frames, scenarios, folder)
    return WrittenRuns(points, scenarios, found, frames, laws)


def _packed(folder: Path, points: int) -> list[list[bytes]]:
    """Packed outcomes of each point, in order."""
    frame = _whole(folder, OUTCOMES, OUTCOME_SCHEMA)
    if (frame["point"] >= points).any():
        raise DamagedError(
            f"{folder / OUTCOMES}: a row is not the outcome of one of the {points} points"
        )
    packed: list[list[bytes]] = [[] for _ in range(points)]
    for place, octets in frame.iter_rows():
        packed[place].append(octets)
    return packed


def _whole(folder: Path, name: str, schema: pl.Schema) -> pl.DataFrame:
    """Table with the columns of `schema`; raises `DamagedError` if a value is missing."""
    frame = parquet.conformed(_table(folder, name), schema, folder / name).select(*schema)
    if frame.null_count().sum_horizontal().item():
        raise DamagedError(f"{folder / name}: a value is missing in {' or '.join(schema)}")
    return frame


def _check_rows(
    frames: Mapping[str, pl.DataFrame], scenarios: Sequence[Scenario], folder: Path
) -> None:
    """Raise `DamagedError` unless each table has one row per run and flow (station, …), in order."""
    runs = frames["runs"].select("point", "replication").rows()
    if runs != sorted({*runs}) or any(point >= len(scenarios) for point, _ in runs):
        raise DamagedError(
            f"{folder / 'runs.parquet'}: does not have one row for each run, in the order of the runs"
        )
    names = [names_of(scenario) for scenario in scenarios]
    for name, frame in frames.items():
        kind = SUBJECTS[name]
        if name == "messages":
            if (
                not frame.height
            ):  # No flow has a source, or an earlier version has written the directory.
                continue
            columns = ["flow"]
            of_points = [
                [flow["name"] for flow, word in zip(it.flows, it.sources, strict=True) if word]
                for it in scenarios
            ]
            rows = [(*run, flow) for run in runs for flow in of_points[run[0]]]
        elif kind is None:
            columns, rows = [], runs
        else:
            columns = [*names[0][kind]]
            rows = [
                (*run, *thing)
                for run in runs
                for thing in zip(*names[run[0]][kind].values(), strict=True)
            ]
        if frame.select("point", "replication", *columns).rows() != rows:
            raise DamagedError(
                f"{folder / f'{name}.parquet'}: does not have exactly the rows of its runs"
            )


def _factor(written: Mapping[str, Any]) -> Factor:
    levels = tuple(Level(label, {}) for label in written["labels"])
    if written["range"] is None:
        return Factor(written["name"], levels)
    return Factor(written["name"], range=Between(**written["range"]))


def _levels(factor: Factor, labels: pl.Series, path: Path) -> list[Level]:
    """Level of each point; a column that mixes numbers and texts was saved as text.

    Raises `DamagedError`, which names the file `path`, for a label that is neither.
    """
    known = {form(level.label): level for level in factor.levels for form in (str, _text)}
    if odd := [label for label in labels.to_list() if not isinstance(label, str | int | float)]:
        raise DamagedError(f"{path}: {factor.name} = {odd[0]!r}; allowed is text or a number")
    return [known.get(_text(label)) or Level(label, {}) for label in labels]


def _text(label: Label) -> str:
    """Text that identifies a level: equal for 2 and 2.0."""
    whole = isinstance(label, float) and label.is_integer()
    return str(int(label) if whole else label)


def _claim(written: Mapping[str, Any]) -> Claim:
    of: str | Measure = written["of"]
    if written.get("in_python"):
        of = Measure(NotKept(str(of), str(written["unit"])))
    return claim(written["id"], of, **written["said"])


def _table(folder: Path, name: str) -> pl.DataFrame:
    return parquet.decode(store.read(folder, name), folder / name)

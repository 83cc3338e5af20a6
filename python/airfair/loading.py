"""Loading of results that this or an earlier version of airfair wrote with `airfair run --out`.

The directory holds each table and each time series as a Parquet file.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from . import columns, parquet, result_files, store
from ._core import RunError, Scenario, ScenarioError
from .copies import ForeignResultError
from .law_use import LawUse
from .measurements import OfRuns, Written, names_of
from .result import Result
from .store import MANIFEST, DamagedError


def load_result(directory: str | os.PathLike[str]) -> Result:
    """Load a result from a directory of `airfair run --out` or `Result.save`; its tables are bit-identical.

    airfair reads directories of its own and of earlier versions; `schema` in `run.json` is the version of the
    format. A loaded result has all tables, time series and figures, but no `outcomes`. Columns that the
    writing version did not know are null.

    Raises `FileNotFoundError` if the directory holds no result, `DamagedError` if a file differs from its
    hash in `run.json`, and `ForeignResultError` if a later version of airfair wrote the directory.
    """
    folder = Path(directory)
    about = _manifest(folder)
    scenario = scenario_of(store.read(folder, result_files.SCENARIO), folder)
    written = Written(scenario, about, _frames(folder, about, scenario))
    if [f"{each:016x}" for each in written.hashes] != about.get("record_hashes"):
        raise DamagedError(
            f"{folder / 'runs.parquet'}: its runs differ from those that {MANIFEST} lists"
        )
    return Result(
        scenario,
        (),
        written=written,
        interrupted=written.replications < scenario.replications,
        cpu_s=_seconds(about, "cpu_s"),
        wall_s=_seconds(about, "wall_s"),
        laws=laws_of(about, folder),
    )


def laws_of(about: Mapping[str, Any], folder: Path) -> tuple[LawUse, ...]:
    """Laws in a manifest; raises `DamagedError` if they are not in the form that airfair writes."""
    try:
        return tuple(map(LawUse.read, about.get("laws", ())))
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedError(f"{folder / MANIFEST}: laws: not a list of laws ({error!r})") from error


def scenario_of(text: bytes, folder: Path) -> Scenario:
    """Scenario parsed from TOML `text`; raises `ForeignResultError` if this version cannot read it."""
    try:
        return Scenario.parse(text, emulated=True)
    except (ScenarioError, RunError) as error:
        why = str(error).partition("\n")[0]
        raise ForeignResultError(
            f"{folder}: this version of airfair cannot read the scenario in it: {why}. Other programs can "
            "read its Parquet files"
        ) from error


def _manifest(folder: Path) -> dict[str, Any]:
    """Manifest of a result's directory; raises `FileNotFoundError` if a required file is not listed."""
    (folder / MANIFEST).stat()
    about = store.manifest(folder)
    store.check_schema(folder, about)
    needed = [f"{table}.parquet" for table in columns.tables() if table not in _OPTIONAL]
    for name in (result_files.SCENARIO, *needed):
        if name not in about["files"]:
            words = f"{MANIFEST} lists no {name}, which airfair run --out writes"
            if about.get("kind") == "experiment":
                words += "; read a directory of airfair sweep with airfair.load_experiment"
            raise FileNotFoundError(errno.ENOENT, words, str(folder))
    return about


def _frames(folder: Path, about: Mapping[str, Any], scenario: Scenario) -> dict[str, pl.DataFrame]:
    """Tables and series of a directory, with the columns of this version."""
    empty = OfRuns(scenario, ())
    frames: dict[str, pl.DataFrame] = {}
    for name in columns.tables():
        if (file := f"{name}.parquet") in about["files"]:
            frame = parquet.decode(store.read(folder, file), folder / file)
            frames[name] = parquet.conformed(frame, empty.table(name).schema, folder / file)
        elif name in ("marks", "messages", "waits", "neighbours"):
            frames[name] = empty.table(name)
    if scenario.series_step_ns is not None:
        for kind, table in columns.series_files().items():
            if (file := f"{table.name}.parquet") in about["files"]:
                frame = parquet.decode(store.read(folder, file), folder / file)
                like = result_files.series_of(Result(scenario, ()), kind).schema
                frames[table.name] = parquet.conformed(frame, like, folder / file)
    _check_rows(frames, scenario, folder)
    return frames


_OPTIONAL = ("marks", "messages", "waits", "neighbours", "categories", "delays")
"""Tables that a directory may lack."""
_UNEVEN = {
    "marks": ("flow",),
    "messages": ("flow",),
    "waits": ("flow",),
    "neighbours": ("channel", "neighbour"),
    "places": ("flow",),
    "delays": ("flow",),
}
"""Tables with any number of rows per run, and their columns that name something in each row."""


def _check_rows(frames: Mapping[str, pl.DataFrame], scenario: Scenario, folder: Path) -> None:
    """Raise `DamagedError` unless each table has one row per run and flow (station, …), in order."""
    runs = frames["runs"]["replication"].to_list()
    names = names_of(scenario)
    steps = -(-scenario.duration_ns // (scenario.series_step_ns or scenario.duration_ns))
    series = {table.name: table for table in columns.series_files().values()}
    for name, frame in frames.items():
        kind = (series.get(name) or columns.tables()[name]).thing
        if kind is None:
            continue
        if name in _UNEVEN:
            _check_things(frame, scenario, (runs, _UNEVEN[name]), folder / f"{name}.parquet")
            continue
        each = steps if name in series else 1
        rows = [(run, *thing) for run in runs for thing in zip(*names[kind].values(), strict=True)]
        found = frame.gather_every(each).select("replication", *names[kind]).rows()
        if frame.height != each * len(rows) or found != rows:
            raise DamagedError(
                f"{folder / f'{name}.parquet'}: does not have one row for each run and "
                f"{kind.replace('_', ' ')}"
            )


def _check_things(
    frame: pl.DataFrame, scenario: Scenario, known: tuple[Sequence[int], Sequence[str]], path: Path
) -> None:
    """Raise `DamagedError` if a row names a run, flow, cell, queue or link that does not exist."""
    names = names_of(scenario)
    runs, kinds = known
    is_known = pl.col("replication").is_in(runs)
    for kind in kinds:
        is_known &= pl.col(kind).is_in(names[kind][kind])
    if "link" in frame.columns:
        members = {cell: 1 + scenario.station_cells.count(cell) for cell in scenario.cells}
        places = (
            (pl.col("channel") == cell)
            & pl.col("member").is_in([float(place) for place in range(count)])
            for cell, count in members.items()
        )
        is_in_cell = pl.any_horizontal(pl.lit(value=False), *places)  # A scenario may have no cell.
        is_known &= is_in_cell | pl.col("link").is_in(names["link"]["link"])
    if not frame.select(is_known.fill_null(value=False).all()).item():
        raise DamagedError(f"{path}: a row belongs to no run, or to nothing in the scenario")


def _seconds(about: Mapping[str, Any], key: str) -> float | None:
    value = about.get(key)
    return float(value) if isinstance(value, int | float) else None

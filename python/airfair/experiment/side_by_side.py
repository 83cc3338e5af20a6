"""Comparison of two results: directories of runs or sweeps, or scenarios that are run for it.

Flows, stations, … with the same name are compared over pairs of replications with the same seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from airfair import json_documents, store
from airfair._core import Scenario, __version__
from airfair.engine import run
from airfair.estimate import finite
from airfair.law import Laws
from airfair.law_use import LawUse, check_nodes, uses
from airfair.loading import load_result
from airfair.replications import record_hashes
from airfair.result import Result
from airfair.scenario import Source, load

from .compare import adjust
from .errors import StudyError
from .files import KIND
from .loading import load_experiment
from .results import ExperimentResult
from .samples import Samples

Comparable: TypeAlias = "Result | ExperimentResult | Source"
"""Result, directory of a result, or scenario."""

COMPARED: Mapping[str, tuple[str, ...]] = {
    "flows": ("goodput_bps", "loss", "delay_p95_ms", "retransmissions", "completion_s"),
    "stations": ("airtime_share", "retry_share"),
    "messages": ("wait_p95_ms", "missed", "video_rate_bps", "mos", "rpm"),
}
"""Columns that are compared, by table."""
SUBJECTS = {"flows": "flow", "stations": "station", "messages": "flow"}


@dataclass(frozen=True)
class Side:
    """One of the two results: its name, its tables, its laws, and the seed and record hash of each run."""

    name: str
    title: str
    seed: int
    tables: Mapping[str, pl.DataFrame]
    factors: tuple[str, ...] = ()
    hashes: tuple[str, ...] = ()
    """Hashes of the records of all runs in order; none if they are not known."""
    laws: tuple[LawUse, ...] = ()
    """Laws of one's own that acted; of an experiment, those of all points."""

    @classmethod
    def of(cls, result: Result | ExperimentResult, name: str) -> Side:
        """Side from a result or the result of an experiment."""
        tables = {table: getattr(result, table) for table in COMPARED}
        if isinstance(result, ExperimentResult):
            factors = tuple(factor.name for factor in result.factors)
            hashes = tuple(f"{each:016x}" for each in result.runs["record_hash"])
            laws = dict.fromkeys(law for each in result.finished.laws for law in each)
            return cls(name, result.title, result.seed, tables, factors, hashes, tuple(laws))
        scenario, hashes, own = result.scenario, tuple(record_hashes(result)), tuple(result.laws)
        return cls(name, scenario.title, scenario.seed, tables, hashes=hashes, laws=own)

    @classmethod
    def read(cls, folder: Path) -> Side:
        """Side from a directory of `airfair run --out` or `airfair sweep --out`; raises as `loaded` does."""
        return cls.of(cls.loaded(folder), str(folder))

    @staticmethod
    def loaded(folder: Path) -> Result | ExperimentResult:
        """Result in a directory of `airfair run --out` or `airfair sweep --out`.

        Raises `StudyError` if it is no such directory, `DamagedError` if a file differs from its hash, and
        `ForeignResultError` if a later version of airfair wrote it.
        """
        about = store.manifest(folder)
        files = about.get("files")
        if not isinstance(files, dict) or "flows.parquet" not in files:
            raise StudyError(
                f"{folder}: this directory has no result; write one with airfair run --out or airfair sweep "
                "--out"
            )
        if about.get("kind") == KIND:
            return load_experiment(folder)
        return load_result(folder)


@dataclass(frozen=True)
class Comparison:
    """Differences of the second result from the first."""

    first: Side
    second: Side
    rows: list[dict[str, Any]]

    @property
    def identical(self) -> bool:
        """True if all runs have the same records."""
        return bool(self.first.hashes) and self.first.hashes == self.second.hashes

    @property
    def table(self) -> pl.DataFrame:
        """Table of the differences: a row for each flow or station and each of its columns."""
        return pl.DataFrame(self.rows, infer_schema_length=None)

    def document(self) -> dict[str, Any]:
        """Document of `airfair compare --json`."""
        sides = [
            {
                "name": side.name,
                "title": side.title,
                "seed": side.seed,
                "laws": [law.written for law in side.laws],
            }
            for side in (self.first, self.second)
        ]
        return json_documents.document(
            "comparison",
            {"version": __version__, "of": sides, "identical": self.identical, "rows": self.rows},
        )


FEWEST = 5
"""Replications of a scenario that declares only one, because a confidence interval needs several."""


def compare(  # noqa: PLR0913 - options, each with a default
    first: Comparable,
    second: Comparable | None = None,
    *,
    laws: Laws | None = None,
    names: tuple[str, str] | None = None,
    replications: int | None = None,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Comparison:
    """Compare two results run by run; runs with the same seed form a pair, and `first` is the baseline.

    Each is a `Result`, an `ExperimentResult`, the directory of one, or a scenario, which is run first with
    `replications`: by default the scenario's, or 5 if that is 1. `laws` are laws of one's own that act in
    the second, which must be a scenario. Without `second`, its scenario is that of the first. `names` are
    those of the two in the result, by default their paths or titles. `progress` is called with the fraction
    done.

    Raises `StudyError` for results that cannot be compared, `ScenarioError` with the mistakes in a scenario,
    `LawError` for a law at a node that the scenario lacks, `DamagedError` or `ForeignResultError` for a
    directory that cannot be read, and `Interrupted` on Ctrl-C, whose `result` has the finished replications
    of the scenario that was running. An exception of a law is raised as it is.
    """
    tell = progress or (lambda _: None)
    if second is None and not laws:
        raise StudyError("compare: the second result is missing; name one, or give laws")
    other = scenario_of(first) if second is None else second
    if laws and _is_result(other):
        raise StudyError(
            "laws: the second is a result, in which no law can act; allowed is a scenario"
        )
    if laws:
        check_nodes(uses(laws), load(other))  # type: ignore[arg-type]
    sizes = replications, threads
    sides = [
        _side(first, None, sizes, lambda part: tell(part / 2)),
        _side(other, laws, sizes, lambda part: tell((1 + part) / 2)),
    ]
    if names is not None:
        sides = [replace(side, name=name) for side, name in zip(sides, names, strict=True)]
    return compared(*sides)


def _is_result(of: Comparable) -> bool:
    """True for a result or its directory, false for a scenario."""
    return isinstance(of, Result | ExperimentResult) or (_is_path(of) and Path(of).is_dir())  # type: ignore[arg-type]


def _is_path(of: Comparable) -> bool:
    return isinstance(of, Path) or (isinstance(of, str) and "\n" not in of)


def scenario_of(of: Comparable) -> Scenario:
    """Scenario of a result, to be run again; raises `StudyError` for a result of an experiment."""
    if not _is_result(of):
        return load(of)  # type: ignore[arg-type]
    found = of if isinstance(of, Result | ExperimentResult) else Side.loaded(Path(of))  # type: ignore[arg-type]
    if isinstance(found, ExperimentResult):
        raise StudyError(
            f"{found.title}: is the result of a sweep; allowed without a second one is a scenario or the "
            "result of airfair run"
        )
    return found.scenario


def _side(
    of: Comparable,
    laws: Laws | None,
    sizes: tuple[int | None, int | None],
    progress: Callable[[float], object],
) -> Side:
    """Side of a comparison; `sizes` are the numbers of replications and of threads."""
    if isinstance(of, Result | ExperimentResult):
        return Side.of(of, of.scenario.title if isinstance(of, Result) else of.title)
    if _is_result(of):
        return Side.read(Path(of))  # type: ignore[arg-type]
    scenario = load(of)
    replications, threads = sizes
    count = replications or (scenario.replications if scenario.replications > 1 else FEWEST)
    result = run(of, replications=count, threads=threads, progress=progress, laws=laws)
    return Side.of(result, str(of) if _is_path(of) else scenario.title)


def compared(first: Side, second: Side) -> Comparison:
    """Compare two results; raises `StudyError` if they have no pairs of replications."""
    if first.seed != second.seed:
        raise StudyError(
            f"{first.name} has seed {first.seed}, {second.name} has seed {second.seed}: pairs need the same "
            "seed; run one of them again with --seed"
        )
    if first.factors != second.factors:
        raise StudyError(
            f"{first.name} has the factors {', '.join(first.factors) or 'none'}, {second.name} has "
            f"{', '.join(second.factors) or 'none'}: allowed are results with the same factors"
        )
    rows = [row for table in COMPARED for row in _rows(first, second, table)]
    if not rows:
        raise StudyError(
            f"{first.name} and {second.name} have no flow or station with the same name"
        )
    adjust(rows)
    return Comparison(first, second, rows)


def _rows(first: Side, second: Side, table: str) -> Iterator[dict[str, Any]]:
    if table not in first.tables or table not in second.tables:
        return
    subject = SUBJECTS[table]
    names = [*first.factors, subject]
    here, there = (_samples(side.tables[table], names) for side in (first, second))
    for column in COMPARED[table]:
        for key, rows in here.items():
            if key not in there or column not in rows.columns:
                continue
            row = _row(rows, there[key], column)
            if row is not None:
                labels = dict(zip(names, key, strict=True))
                yield {**labels, subject: labels[subject], "table": table, "column": column, **row}


def _samples(table: pl.DataFrame, names: Sequence[str]) -> dict[tuple[Any, ...], pl.DataFrame]:
    return dict(table.partition_by(names, as_dict=True, maintain_order=True))


def _row(first: pl.DataFrame, second: pl.DataFrame, column: str) -> dict[str, Any] | None:
    """Row of differences in a column; `None` if neither side has a value."""
    one, other = (_values(each, column) for each in (first, second))
    if not np.isfinite(one.upper).any() and not np.isfinite(other.upper).any():
        return None
    means = {"first": finite(one.estimate.mean), "second": finite(other.estimate.mean)}
    return {**means, **other.compared(one)}


def _values(rows: pl.DataFrame, column: str) -> Samples:
    return Samples(
        rows["replication"].to_numpy().astype(np.int64),
        rows[column].cast(pl.Float64).fill_null(math.nan).to_numpy(),
    )

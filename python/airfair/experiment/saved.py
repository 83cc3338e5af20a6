"""Directories of experiments: written by `airfair sweep --out`, read by `load_experiment`."""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from airfair import parquet, store
from airfair._core import __version__
from airfair.archive import build
from airfair.columns import Column, Table, tables
from airfair.copies import ForeignResultError
from airfair.fairness import INDICES
from airfair.law_use import LawUse
from airfair.loading import scenario_of
from airfair.measurements import names_of
from airfair.store import DamagedError

from .decisions import Claim, claim
from .factors import Factor, Label, Level
from .formulas import NotKept
from .labels import heading, numbers
from .measures import SUBJECTS, Measure, Term
from .points import Point
from .results import ExperimentResult, Spent
from .runs import Runs, WrittenRuns
from .values import Between

if TYPE_CHECKING:
    from airfair._core import Scenario

    from .study import Study

TABLES = (*SUBJECTS,)
POINTS, OUTCOMES = "points.parquet", "outcomes.parquet"
SCENARIOS = "scenarios.parquet"
DOCUMENT, PAGE = "experiment.json", "report.html"
KIND = "experiment"


def files(results: ExperimentResult) -> dict[str, bytes]:
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
    return pl.DataFrame({"point": places, "outcome": outcomes}, schema=_OUTCOME_SCHEMA)


_OUTCOME_SCHEMA = pl.Schema({"point": pl.UInt32, "outcome": pl.Binary})
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
    store.write_all(Path(directory), files(results), about(results, None), force=force)


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
    frame = _whole(folder, OUTCOMES, _OUTCOME_SCHEMA)
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
        if kind is None:
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


def _claim(written: Mapping[str, Any]) -> Claim:
    of: str | Measure = written["of"]
    if written.get("in_python"):
        of = Measure(NotKept(str(of), str(written["unit"])))
    return claim(written["id"], of, **written["said"])


def _table(folder: Path, name: str) -> pl.DataFrame:
    return parquet.decode(store.read(folder, name), folder / name)

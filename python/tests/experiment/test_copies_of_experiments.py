"""Tests of results of experiments that are copied, pickled, saved and loaded again."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import airfair
from airfair import store
from airfair.experiment.runs import build
from airfair.experiment.tables import SUBJECTS
from small_experiments import RATES, SCHEMES, run


def alike(one: airfair.ExperimentResult, other: airfair.ExperimentResult) -> None:
    for table in (*SUBJECTS, "points"):
        assert getattr(one, table).equals(getattr(other, table)), table
        assert getattr(one, table).schema == getattr(other, table).schema
    assert other.finished.points[0].labels == one.finished.points[0].labels
    assert [type(v) for p in other.finished.points for v in p.labels.values()] == [
        type(v) for p in one.finished.points for v in p.labels.values()
    ]
    assert (one.title, one.seed, one.claims, one.error, one.spent) == (
        other.title,
        other.seed,
        other.claims,
        other.error,
        other.spent,
    )
    assert [str(verdict.lines) for verdict in one.decide()] == [
        str(verdict.lines) for verdict in other.decide()
    ]
    assert list(map(str, one.factors)) == list(map(str, other.factors))


def results() -> list[airfair.ExperimentResult]:
    claims = [
        airfair.claim("one", "goodput[a] / goodput", below=0.9, text="A claim"),
        airfair.claim(
            "two",
            "min goodput",
            at={"station.slow.rate": "1 Mb/s"},
            factor="scheme",
            level="short",
            baseline="plain",
            form="difference",
            above=-1e9,
            below=1e9,
        ),
        airfair.claim("three", "goodput", word="roughly", target=1e6),
    ]
    return [
        run(
            factors={**RATES, **SCHEMES},
            claims=claims,
            replications=airfair.until_decided(least=2, most=4),
        ),
        run(),
        run(factors={"x": {"1": {}, 2: {"duration": "100 ms"}, 2.5: {}}}),
        run(factors={"y": {1: {}, 2.5: {}}}),
        run(
            factors={
                "station.slow.queue.packets": airfair.between(2, 50),
                "start": {"a": {}},
            },
            design=airfair.sobol(4),
        ),
        run(
            factors={"station.slow.queue.packets": [3, 9]},
            draw={"station.fast.queue.packets": airfair.between(2, 99)},
        ),
    ]


@pytest.mark.parametrize("place", range(6))
def test_a_result_is_the_same_after_pickle_deepcopy_and_a_directory(
    place: int, tmp_path: Path
) -> None:
    made = results()[place]
    for _ in range(2):  # the second time, the tables are already computed
        alike(made, pickle.loads(pickle.dumps(made)))  # noqa: S301 - made by this test
        alike(made, copy.deepcopy(made))
        made.save(tmp_path / "out")
        alike(made, airfair.load_experiment(tmp_path / "out"))


def test_what_another_build_pickled_is_not_read(
    grid: airfair.ExperimentResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    octets = pickle.dumps(grid)
    monkeypatch.setattr("airfair.experiment.runs.build", lambda: b"another")
    with pytest.raises(airfair.ForeignResultError, match="another build"):
        pickle.loads(octets)  # noqa: S301 - made by this test
    assert build() != b"another"


@pytest.fixture
def folder(grid: airfair.ExperimentResult, tmp_path: Path) -> Path:
    grid.save(tmp_path / "out")
    return tmp_path / "out"


def change(folder: Path, **keys: Any) -> None:  # noqa: ANN401 - JSON
    path = folder / "run.json"
    about = json.loads(path.read_text(encoding="utf-8"))
    about |= keys
    path.write_text(json.dumps({k: v for k, v in about.items() if v is not None}))


def without_limits(result: airfair.Result) -> dict[str, Any]:
    """Copy of a document without the limits of flows; experiments have no table of them."""
    document = result.to_json()
    for flow in document["flows"]:
        del flow["limits"], flow["places"], flow["ci95"]["limits"]
    return document


@pytest.mark.parametrize("place", range(6))
def test_what_another_build_wrote_is_loaded_from_its_tables(place: int, tmp_path: Path) -> None:
    made = results()[place]
    made.save(tmp_path / "out")
    change(tmp_path / "out", build="00" * 32)
    loaded = airfair.load_experiment(tmp_path / "out")
    alike(made, loaded)
    one, other = (each.finished.result(0) for each in (made, loaded))
    assert without_limits(one) == without_limits(other)
    for table in (*SUBJECTS, "fairness"):
        assert getattr(one, table).equals(getattr(other, table)), table
    with pytest.raises(ValueError, match="no time series of flows"):
        other.series()
    for each in (one, other):
        with pytest.raises(ValueError, match="archived runs have no histogram of delays"):
            each.delays  # noqa: B018 - the attribute is the point
    loaded.save(tmp_path / "again")
    alike(made, airfair.load_experiment(tmp_path / "again"))


def rewrite(folder: Path, name: str, rows: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    """Replace the rows of a table, and its hash in the manifest."""
    path = folder / name
    rows(pl.read_parquet(path)).write_parquet(path)
    change(folder, files=store.manifest(folder)["files"] | {name: store.hash_of(path.read_bytes())})


def test_a_table_that_is_not_the_one_in_the_manifest_is_damaged(folder: Path) -> None:
    path = folder / "flows.parquet"
    pl.read_parquet(path).head(1).write_parquet(path)
    with pytest.raises(airfair.DamagedError, match=r"flows\.parquet"):
        airfair.load_experiment(folder)


def test_a_label_that_is_no_text_and_no_number_is_damaged(folder: Path) -> None:
    rewrite(folder, "points.parquet", lambda it: it.with_columns(scheme=pl.lit([1, 2])))
    with pytest.raises(
        airfair.DamagedError, match=r"points\.parquet: scheme = \[1, 2\]; allowed is text"
    ):
        airfair.load_experiment(folder)


@pytest.mark.parametrize("name", ["flows.parquet", "stations.parquet", "runs.parquet"])
@pytest.mark.parametrize(
    "rows", [lambda it: it.head(1), lambda it: pl.concat([it, it]), lambda it: it.reverse()]
)
def test_a_table_without_a_row_for_each_run_and_thing_is_damaged(
    folder: Path, name: str, rows: Callable[[pl.DataFrame], pl.DataFrame]
) -> None:
    rewrite(folder, name, rows)
    change(folder, build="00" * 32)
    with pytest.raises(airfair.DamagedError, match=r"\.parquet: does not have"):
        airfair.load_experiment(folder)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (
            lambda it: it.with_columns(point=pl.lit(99, pl.UInt32)),
            "a row is not the outcome of one of",
        ),
        (lambda it: it.with_columns(point=pl.lit(None, pl.UInt32)), "a value is missing in point"),
        (lambda it: pl.concat([it, it]), "the number of replications differs"),
    ],
)
def test_an_outcome_of_no_point_is_damaged(
    folder: Path, rows: Callable[[pl.DataFrame], pl.DataFrame], problem: str
) -> None:
    rewrite(folder, "outcomes.parquet", rows)
    with pytest.raises(airfair.DamagedError, match=problem):
        airfair.load_experiment(folder)


@pytest.mark.parametrize("error", [[], "x", 0.0, 1.5])
def test_an_error_that_is_no_fraction_is_damaged(folder: Path, error: object) -> None:
    change(folder, error=error)
    with pytest.raises(airfair.DamagedError, match="allowed is a number between 0 and 1"):
        airfair.load_experiment(folder)


def test_a_later_schema_is_refused(folder: Path) -> None:
    change(folder, schema=99)
    with pytest.raises(airfair.ForeignResultError, match=r"later version .*schema 99"):
        airfair.load_experiment(folder)


@pytest.mark.parametrize("name", ["outcomes.parquet", "points.parquet", "scenarios.parquet"])
def test_a_file_that_has_changed_or_gone_is_told(folder: Path, name: str) -> None:
    path = folder / name
    content = path.read_bytes()
    path.write_bytes(content[:-9] + b"x" + content[-8:])
    with pytest.raises(airfair.DamagedError, match=name):
        airfair.load_experiment(folder)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        airfair.load_experiment(folder)


@pytest.mark.parametrize(
    "keys",
    [
        {"kind": "run"},
        {"kind": None},
        {"factors": None},
        {"factors": 5},
        {"factors": [{"name": "x", "labels": [1], "range": None}]},
        {"claims": [{"id": "x"}]},
        {"claims": [{"id": "x", "of": "godput", "said": {}}]},
        {"wall_s": None},
        {"files": None},
    ],
)
def test_a_manifest_that_is_none_of_an_experiment_is_told(folder: Path, keys: Any) -> None:  # noqa: ANN401 - JSON
    change(folder, **keys)
    with pytest.raises(airfair.DamagedError, match=r"run\.json"):
        airfair.load_experiment(folder)


def test_an_empty_folder_and_a_file_hold_no_experiment(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        airfair.load_experiment(tmp_path)
    with pytest.raises(FileNotFoundError):
        airfair.load_experiment(tmp_path / "nowhere")

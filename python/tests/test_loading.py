"""Tests of results that are pickled, copied, saved to a directory and loaded again."""

from __future__ import annotations

import copy
import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import airfair
from airfair import archive, copies, store
from airfair.replacing import hash_of
from support import SCENARIO, Program

TABLES = (
    "runs",
    "flows",
    "stations",
    "airtime",
    "access_points",
    "channels",
    "channel_shares",
    "neighbours",
    "links",
    "limits",
    "places",
    "delays",
)
SERIES = ("throughput", "delivered", "cwnd", "ssthresh", "rtt", "delay", "airtime", "rate", "queue")


@pytest.fixture(scope="module")
def result() -> airfair.Result:
    return airfair.run(SCENARIO, seed=3, replications=3)


@pytest.fixture(scope="module")
def written(result: airfair.Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("written")
    result.save(directory)
    return directory


@pytest.fixture
def directory(written: Path, tmp_path: Path) -> Path:
    """Copy of the result's data files, which tests damage."""
    for path in written.iterdir():
        if path.suffix in {".json", ".toml", ".parquet"}:
            (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def assert_same(one: airfair.Result, other: airfair.Result) -> None:
    for name in TABLES:
        assert getattr(one, name).equals(getattr(other, name)), name
    for what in SERIES:
        assert one.series(what).equals(other.series(what)), what
    assert one.fairness.equals(other.fairness)
    assert one.to_json() == other.to_json()
    assert one.scenario.to_toml() == other.scenario.to_toml()
    for attribute in ("interrupted", "cpu_s", "wall_s", "replications"):
        assert getattr(one, attribute) == getattr(other, attribute)


@pytest.mark.parametrize(
    "copied",
    [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy, copy.copy],  # noqa: S301 - made by this test
    ids=["pickle", "deepcopy", "copy"],
)
def test_a_copy_of_a_result_has_the_same_tables(
    result: airfair.Result, copied: Callable[[airfair.Result], airfair.Result]
) -> None:
    assert_same(copied(result), result)


def test_a_pickle_holds_no_table_that_was_asked_for(result: airfair.Result) -> None:
    fresh = airfair.run(SCENARIO, seed=3, replications=3)
    before = len(pickle.dumps(fresh))
    assert fresh.flows.height == result.flows.height
    assert len(pickle.dumps(fresh)) == before


def test_a_scenario_can_be_pickled_and_copied() -> None:
    scenario = airfair.load(SCENARIO, set={"title": "naïve 東京"})
    for other in (pickle.loads(pickle.dumps(scenario)), copy.deepcopy(scenario)):  # noqa: S301 - made by this test
        assert other.to_toml() == scenario.to_toml()


def test_an_interruption_can_be_pickled(result: airfair.Result) -> None:
    error = pickle.loads(pickle.dumps(airfair.Interrupted(result)))  # noqa: S301 - made by this test
    assert isinstance(error, airfair.Interrupted)
    assert error.result.flows.equals(result.flows)


def test_an_outcome_of_another_build_is_refused(
    result: airfair.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = pickle.dumps(result)
    monkeypatch.setattr(archive, "build", lambda: b"another")
    with pytest.raises(airfair.ForeignResultError, match="another build"):
        pickle.loads(there)  # noqa: S301 - made by this test
    assert copies.outcome(result.outcomes[0].to_bytes(), by=b"another").seed == 3


# ------------------------------------------------------------------ directories


def test_a_result_loads_as_it_was(result: airfair.Result, written: Path) -> None:
    assert_same(airfair.load_result(written), result)
    assert_same(airfair.load_result(str(written)), result)


def test_what_the_command_wrote_loads_without_series_and_with_radio(
    program: Program, tmp_path: Path
) -> None:
    done = program("run", "-", "--set", "series=off", "--out", "out", "--json", stdin=SCENARIO)
    assert done.returncode == 0, done.stderr
    loaded = airfair.load_result(tmp_path / "out")
    assert loaded.to_json() == json.loads(done.stdout)
    with pytest.raises(ValueError, match="records no time series"):
        loaded.series()


def test_a_result_that_was_loaded_is_written_as_it_was(written: Path, tmp_path: Path) -> None:
    airfair.load_result(written).save(tmp_path)
    for file in written.glob("*.parquet"):
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()


def test_where_no_result_is_there_is_none(directory: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        airfair.load_result(tmp_path / "none")
    with pytest.raises(NotADirectoryError):
        airfair.load_result(directory / "scenario.toml")
    (directory / "flows.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"flows\.parquet"):
        airfair.load_result(directory)
    (directory / "run.json").unlink()
    with pytest.raises(FileNotFoundError, match=r"run\.json"):
        airfair.load_result(directory)


def test_a_directory_of_something_else_is_said_to_be_none(tmp_path: Path) -> None:
    store.write_all(tmp_path, {"points.parquet": b""}, {"scheme": "tfrc"})
    with pytest.raises(FileNotFoundError, match=r"run\.json lists no scenario\.toml"):
        airfair.load_result(tmp_path)
    airfair.Experiment(SCENARIO, replications=2).run(store=None, progress=False).save(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"with airfair\.load_experiment"):
        airfair.load_result(tmp_path)


@pytest.mark.parametrize("name", ["scenario.toml", "runs.parquet", "flow_series.parquet"])
@pytest.mark.parametrize(
    "damage", [lambda b: b[: len(b) // 2], lambda b: b[:0], lambda b: b + b" "]
)
def test_a_file_that_changed_is_damaged(
    directory: Path, name: str, damage: Callable[[bytes], bytes]
) -> None:
    path = directory / name
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(
        airfair.DamagedError, match=f"{name}: its hash differs from the one in run.json"
    ):
        airfair.load_result(directory)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"files": 3}'])
def test_a_manifest_that_is_none_is_damaged(directory: Path, text: str) -> None:
    (directory / "run.json").write_text(text, encoding="utf-8")
    with pytest.raises(airfair.DamagedError, match=r"run\.json: not the manifest"):
        airfair.load_result(directory)


def test_outcomes_of_other_runs_are_refused(directory: Path) -> None:
    manifest = json.loads((directory / "run.json").read_text(encoding="utf-8"))
    manifest["record_hashes"][1] = "0" * 16
    (directory / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(airfair.DamagedError, match="its runs differ from those that"):
        airfair.load_result(directory)


def set_keys(directory: Path, **keys: Any) -> None:  # noqa: ANN401 - JSON
    """Set keys of the manifest, or remove those that are `None`."""
    path = directory / "run.json"
    manifest = json.loads(path.read_text(encoding="utf-8")) | keys
    kept = {key: value for key, value in manifest.items() if value is not None}
    path.write_text(json.dumps(kept), encoding="utf-8")


def test_what_another_build_wrote_is_loaded_all_the_same(
    result: airfair.Result, directory: Path
) -> None:
    set_keys(directory, build="00" * 32)
    assert_same(airfair.load_result(directory), result)


def test_a_result_tells_which_version_made_it_and_keeps_telling_it(
    result: airfair.Result, directory: Path, tmp_path: Path
) -> None:
    set_keys(directory, airfair="0.0.9", git="abc")
    loaded = airfair.load_result(directory)
    assert loaded.version == loaded.to_json()["version"] == "0.0.9"
    loaded.save(tmp_path / "again")
    about = store.manifest(tmp_path / "again")
    assert (about["airfair"], about["git"]) == ("0.0.9", "abc")
    assert result.version == airfair.__version__


@pytest.mark.parametrize(
    ("schema", "error", "words"),
    [
        (None, airfair.ForeignResultError, "an earlier version of airfair wrote this directory"),
        (
            store.SCHEMA + 1,
            airfair.ForeignResultError,
            r"a later version of airfair .*allowed is up to",
        ),
        (0, airfair.DamagedError, r"schema = 0; allowed is a whole number"),
        (True, airfair.DamagedError, r"schema = True"),
        ("1", airfair.DamagedError, r"schema = '1'"),
    ],
)
def test_a_schema_that_this_version_does_not_know_is_refused(
    directory: Path, schema: object, error: type[Exception], words: str
) -> None:
    set_keys(directory, schema=schema)
    with pytest.raises(error, match=words):
        airfair.load_result(directory)


def test_a_scenario_of_another_version_is_refused(directory: Path) -> None:
    path = directory / "scenario.toml"
    path.write_text(path.read_text(encoding="utf-8") + "[new]\nkey = 1\n", encoding="utf-8")
    files = store.manifest(directory)["files"]
    set_keys(directory, files=files | {path.name: hash_of(path.read_bytes())})
    with pytest.raises(airfair.ForeignResultError, match=r"cannot read the scenario in it.*new"):
        airfair.load_result(directory)


def rewritten(directory: Path, name: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    """Change a table, and its hash in the manifest."""
    path = directory / f"{name}.parquet"
    change(pl.read_parquet(path)).write_parquet(path)
    files = store.manifest(directory)["files"]
    set_keys(directory, files=files | {path.name: hash_of(path.read_bytes())})


def test_a_column_that_a_writer_did_not_know_is_null_and_one_that_the_reader_does_not_know_stays(
    result: airfair.Result, directory: Path
) -> None:
    rewritten(directory, "flows", lambda table: table.drop("jitter_ms").with_columns(more=1))
    loaded = airfair.load_result(directory)
    assert loaded.flows["jitter_ms"].is_null().all()
    assert loaded.flows["more"].to_list() == [1] * 6
    assert loaded.flows.drop("jitter_ms", "more").equals(result.flows.drop("jitter_ms"))
    assert loaded.to_json()["flows"][0]["jitter_ms"] is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda table: table.head(3),
        lambda table: table.reverse(),
        lambda table: table.with_columns(pl.col("flow").replace("a", "b")),
        lambda table: table.with_columns(pl.col("loss").cast(pl.String)),
        lambda table: table.drop("flow"),
        lambda table: table.drop("replication"),
    ],
)
def test_a_table_with_other_rows_or_columns_than_its_scenario_is_damaged(
    directory: Path, damage: Callable[[pl.DataFrame], pl.DataFrame]
) -> None:
    rewritten(directory, "flows", damage)
    with pytest.raises(airfair.DamagedError, match=r"flows\.parquet"):
        airfair.load_result(directory)


@pytest.mark.parametrize("table", ["places", "delays"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda table: table.drop("flow"),
        lambda table: table.drop("replication"),
        lambda table: table.with_columns(pl.col("flow").replace("a", "of-nobody")),
        lambda table: table.with_columns(replication=pl.lit(99, pl.UInt32)),
    ],
)
def test_a_row_of_nothing_that_the_scenario_has_is_damaged(
    directory: Path, table: str, damage: Callable[[pl.DataFrame], pl.DataFrame]
) -> None:
    rewritten(directory, table, damage)
    with pytest.raises(
        airfair.DamagedError, match=rf"{table}\.parquet: a row belongs to no run, or"
    ):
        airfair.load_result(directory)


@pytest.mark.parametrize(
    "damage",
    [
        lambda table: table.drop("channel"),
        lambda table: table.drop("member"),
        lambda table: table.with_columns(member=pl.lit(math.nan)),
        lambda table: table.with_columns(member=pl.lit(0.5)),
        lambda table: table.with_columns(member=pl.lit(-1.0)),
        lambda table: table.with_columns(member=pl.lit(1e9)),
    ],
)
def test_a_place_that_is_neither_in_a_cell_nor_on_a_wire_is_damaged(
    directory: Path, damage: Callable[[pl.DataFrame], pl.DataFrame]
) -> None:
    rewritten(directory, "places", damage)
    with pytest.raises(airfair.DamagedError, match=r"places\.parquet: a row belongs to no run, or"):
        airfair.load_result(directory)


def test_lists_of_a_result_that_was_loaded_are_those_of_its_runs(
    result: airfair.Result, written: Path
) -> None:
    loaded = airfair.load_result(written)
    assert loaded.columns.keys() == result.columns.keys()
    for name, columns in result.columns.items():
        if name != "categories":
            found = loaded.columns[name]
            assert found.keys() == columns.keys()
            for column, values in columns.items():
                assert [*map(repr, map(float, found[column]))] == [*map(repr, map(float, values))]


def test_an_interrupted_result_is_loaded_as_such(result: airfair.Result, tmp_path: Path) -> None:
    cut = airfair.Result(result.scenario, result.outcomes[:2], interrupted=True)
    cut.save(tmp_path)
    loaded = airfair.load_result(tmp_path)
    assert loaded.interrupted
    assert loaded.replications == 2
    assert loaded.flows.equals(cut.flows)


# ------------------------------------------------------------------ public names and numpy


def test_dir_shows_what_is_public_and_all_of_it_is_there() -> None:
    assert dir(airfair) == sorted(airfair.__all__)
    for name in dir(airfair):
        assert getattr(airfair, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        airfair.nothing  # noqa: B018 - the access itself is tested


def test_numbers_of_numpy_are_accepted_wherever_a_number_is(result: airfair.Result) -> None:
    settings = {"station.slow.errors": {"model": "bernoulli", "probability": np.float32(0.5)}}
    plain = {"station.slow.errors": {"model": "bernoulli", "probability": 0.5}}
    given = airfair.run(
        SCENARIO, seed=np.int64(5), replications=np.uint8(2), set=settings, threads=np.int32(1)
    )
    same = airfair.run(SCENARIO, seed=5, replications=2, set=plain)
    assert given.flows.equals(same.flows)
    rates = np.array(["2 Mb/s", "11 Mb/s"])
    assert airfair.load(SCENARIO, set={"station.slow.rate": rates[0]}).to_toml()
    basic = airfair.load(SCENARIO, set={"bss.home.basic_rates": rates}).to_toml()
    assert '["2 Mb/s", "11 Mb/s"]' in basic
    assert result.replications == 3

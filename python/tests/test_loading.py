"""Results travel: by pickle, as copies, through a directory."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import airfair
from airfair import archive, copies, store
from support import SCENARIO, Program

TABLES = (
    "runs",
    "flows",
    "stations",
    "airtime",
    "access_points",
    "channels",
    "channel_shares",
    "links",
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
    """A copy of the result's data to damage."""
    for name in ("run.json", "scenario.toml", "outcomes.parquet", "flows.parquet"):
        (tmp_path / name).write_bytes((written / name).read_bytes())
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
    [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy, copy.copy],  # noqa: S301 - our own
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
    for other in (pickle.loads(pickle.dumps(scenario)), copy.deepcopy(scenario)):  # noqa: S301 - our own
        assert other.to_toml() == scenario.to_toml()


def test_an_interruption_can_be_pickled(result: airfair.Result) -> None:
    error = pickle.loads(pickle.dumps(airfair.Interrupted(result)))  # noqa: S301 - our own
    assert isinstance(error, airfair.Interrupted)
    assert error.result.flows.equals(result.flows)


def test_an_outcome_of_another_build_is_refused(
    result: airfair.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = pickle.dumps(result)
    monkeypatch.setattr(archive, "build", lambda: b"another")
    with pytest.raises(airfair.ForeignResultError, match="another build"):
        pickle.loads(there)  # noqa: S301 - our own
    assert copies.outcome(result.outcomes[0].to_bytes(), by=b"another").seed == 3


# ------------------------------------------------------------------ a directory


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
    with pytest.raises(ValueError, match="records no series"):
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
    (directory / "outcomes.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"outcomes\.parquet"):
        airfair.load_result(directory)
    (directory / "run.json").unlink()
    with pytest.raises(FileNotFoundError, match=r"run\.json"):
        airfair.load_result(directory)


def test_a_directory_of_something_else_is_said_to_be_none(tmp_path: Path) -> None:
    store.write_all(tmp_path, {"points.parquet": b""}, {"scheme": "tfrc"})
    with pytest.raises(FileNotFoundError, match=r"run\.json lists no scenario\.toml"):
        airfair.load_result(tmp_path)
    airfair.Experiment(SCENARIO, replications=2).run(store=None, progress=False).save(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"airfair\.load_experiment reads"):
        airfair.load_result(tmp_path)


@pytest.mark.parametrize("name", ["scenario.toml", "outcomes.parquet", "flows.parquet"])
@pytest.mark.parametrize(
    "damage", [lambda b: b[: len(b) // 2], lambda b: b[:0], lambda b: b + b" "]
)
def test_a_file_that_changed_is_damaged(
    directory: Path, name: str, damage: Callable[[bytes], bytes]
) -> None:
    path = directory / name
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(airfair.DamagedError, match=f"{name}: not what run.json beside it says"):
        airfair.load_result(directory)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"files": 3}'])
def test_a_manifest_that_is_none_is_damaged(directory: Path, text: str) -> None:
    (directory / "run.json").write_text(text, encoding="utf-8")
    with pytest.raises(airfair.DamagedError, match=r"run\.json: no manifest"):
        airfair.load_result(directory)


def test_outcomes_of_other_runs_are_refused(directory: Path) -> None:
    manifest = json.loads((directory / "run.json").read_text(encoding="utf-8"))
    manifest["record_hashes"][1] = "0" * 16
    (directory / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(airfair.DamagedError, match="not the runs"):
        airfair.load_result(directory)


@pytest.mark.parametrize("build", ["00" * 32, None])
def test_a_directory_of_another_build_says_what_can_be_done(
    directory: Path, build: str | None
) -> None:
    manifest = json.loads((directory / "run.json").read_text(encoding="utf-8"))
    manifest["build"] = build
    (directory / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(
        airfair.ForeignResultError, match=r"airfair run .*scenario\.toml runs it again"
    ):
        airfair.load_result(directory)


def test_an_interrupted_result_is_loaded_as_such(result: airfair.Result, tmp_path: Path) -> None:
    cut = airfair.Result(result.scenario, result.outcomes[:2], interrupted=True)
    cut.save(tmp_path)
    loaded = airfair.load_result(tmp_path)
    assert loaded.interrupted
    assert loaded.replications == 2
    assert loaded.flows.equals(cut.flows)


# ------------------------------------------------------------------ what is public, and numpy


def test_dir_shows_what_is_public_and_all_of_it_is_there() -> None:
    assert dir(airfair) == sorted(airfair.__all__)
    for name in dir(airfair):
        assert getattr(airfair, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        airfair.nothing  # noqa: B018 - the attribute is the point


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

"""Tests of damaged and forged files: a command reports the error and its place, whatever the content."""

from __future__ import annotations

import contextlib
import copy
import datetime as dt
import json
import math
import re
import shutil
import sqlite3
import tomllib
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import airfair
from airfair import cli, store
from airfair.archive import Archive, ArchiveError, DamagedArchiveError, Job, run
from airfair.cli import main
from airfair.cli.status import InputError
from airfair.cli.studies import check
from airfair.replacing import hash_of
from airfair.scenario import load
from small_experiments import CELL
from support import SCENARIO

SETTINGS = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

# ------------------------------------------------------------------ values of any kind

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.sampled_from(["", "\0", "*", "a", "1 Mb/s", "cell.toml", "../cell.toml", "goodput", "grid"]),
    st.sampled_from(["x" * 300, "{", "🙂"]),
    st.text(max_size=8),
    st.just(dt.date(1979, 5, 27)),
    st.just(dt.time(7, 32)),
)
WORDS = st.sampled_from(["a", "key", "values", "labels", "between", "measure", "\0", "*.b"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3)),
    max_leaves=5,
)
KEYS = st.sampled_from(["a", "like", "x", "b", "scenario", "until", "claims", "\0"])


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:  # noqa: ANN401 - a document
    """Paths of all values in a document."""
    found = [path] if path else []
    if isinstance(node, Mapping):
        for key, value in node.items():
            found += places(value, (*path, key))
    elif isinstance(node, list):
        for number, value in enumerate(node):
            found += places(value, (*path, number))
    return found


@st.composite
def mutations(draw: st.DrawFn, document: Mapping[str, Any]) -> dict[str, Any]:
    """Copy of a document in which a few values are replaced, removed or added."""
    made = copy.deepcopy(dict(document))
    for _ in range(draw(st.integers(1, 3))):
        *way, last = draw(st.sampled_from(places(made) or [("a",)]))
        holder: Any = made
        for step in way:
            holder = holder[step]
        match draw(st.sampled_from(["replace", "replace", "remove", "add"])):
            case "replace":
                holder[last] = draw(VALUES)
            case "remove" if last in holder or isinstance(holder, list):
                del holder[last]
            case _ if isinstance(holder, dict):
                holder[draw(KEYS)] = draw(VALUES)
            case _:
                holder.append(draw(VALUES))
    return made


def toml(value: Any) -> str:  # noqa: ANN401 - any value
    """Value in TOML syntax; null, which TOML does not have, becomes an invalid word."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value).replace("\x7f", "\\u007f")
        case Mapping():
            return "{" + ", ".join(f"{toml(str(k))} = {toml(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(toml, value)) + "]"
        case dt.date() | dt.time():
            return value.isoformat()
        case _:
            return repr(value)


# ------------------------------------------------------------------ studies

STUDY = tomllib.loads(
    """
title = "All of it"
scenario = "cell.toml"
replications = { until = "goodput", half_width = 0.5, relative = true, least = 2, most = 4 }
measures = ["goodput", "delay_p95[a]"]
seed = 7
common_random_numbers = true
design = [
    { scheme = "plain", "station.slow.rate" = "1 Mb/s", Q = 5 },
    { scheme = ["plain", "short"], "station.slow.rate" = ["1 Mb/s", "2 Mb/s"], Q = 9 },
]
setup = "{scheme}"
extension = false
about = { whatever = 1 }
set = { "station.*.queue.packets" = 40 }
quick = { duration = "100 ms" }
printed = { goodput = [1, 2, 3, 4, 5] }

[draw]
"flow.a.start" = { choice = ["1 ms", "2 ms"] }
"flow.b.start" = { between = ["0 ms", "9 ms"], scale = "linear" }

[factors]
"station.slow.rate" = ["1 Mb/s", "2 Mb/s"]
scheme = { plain = {}, short = { "station.slow.queue.packets" = 5 } }
Q = { key = "station.fast.queue.packets", values = [5, 9] }

[words.scheme]
plain = "Plain"

[compare.scheme]
baseline = "plain"
measures = ["goodput", "min goodput"]

[figures.goodput]
x = "station.slow.rate"
y = "min goodput"
by = "scheme"
at = { Q = 5 }
printed = { plain = [1.0], short = [1.0, 2.0] }

[claims.much]
text = "There is much."
measure = "goodput"
at = { scheme = ["plain", "short"], "station.slow.rate" = "1 Mb/s" }
above = 1

[claims.same]
measure = "goodput"
factor = "scheme"
level = "short"
baseline = "plain"
form = "ratio"
word = "roughly"
target = 1.0
"""
)
DESIGNS = [{"kind": "sobol", "points": 32, "seed": 2}, "grid"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies")
    (folder / "cell.toml").write_text(CELL, encoding="utf-8")
    return folder


def written(folder: Path, document: Mapping[str, Any]) -> Path:
    path = folder / "study.toml"
    lines = (f"{toml(key)} = {toml(value)}\n" for key, value in document.items())
    path.write_text("".join(lines), encoding="utf-8", errors="surrogatepass")
    return path


def told(path: Path) -> list[str]:
    """Errors of a study; another exception than `InputError` fails the test."""
    try:
        check(path, 100)
    except InputError as error:
        return [*error.problems]
    return []


def test_the_study_that_is_mutated_is_valid(folder: Path) -> None:
    for design in (STUDY["design"], *DESIGNS):
        check(written(folder, {**STUDY, "design": design}), 100)


@SETTINGS
@given(mutations(STUDY), st.sampled_from([None, *DESIGNS]))
def test_whatever_is_in_a_study_its_mistakes_are_told(
    folder: Path, document: dict[str, Any], design: object
) -> None:
    if design is not None:
        document["design"] = design
    path = written(folder, document)
    problems = told(path)
    # Errors in the study's scenario begin with the path of the scenario.
    assert all(problem.startswith((str(path), str(folder))) for problem in problems)


@pytest.mark.slow
@settings(SETTINGS, max_examples=20)
@given(mutations(STUDY), st.sampled_from(["grid", STUDY["design"]]))
def test_what_is_valid_can_be_run_and_shown(
    folder: Path, document: dict[str, Any], design: object
) -> None:
    path = written(folder, {**document, "design": design})
    if told(path):
        return
    experiment = airfair.load_study(path).experiment
    if experiment.size * experiment.replications.most <= 60:
        command = ["sweep", str(path), "--no-store", "--threads", "1"]
        assert main(command) in {cli.DONE, cli.FAILED, cli.BAD_INPUT}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[factors]\nN = { labels = [[1], [2]] }", "factors.N.labels: [1]; allowed is the label"),
        ("[factors]\nN = { labels = [{}] }", "factors.N.labels: {}; allowed is the label"),
        ("[factors]\nN = { labels = [1, 1] }", "factors.N: has the level '1' twice"),
        ('[factors]\nN = { key = "x", values = [[], []] }', "factors.N: has the level '[]' twice"),
        ("[factors]\nN = { values = [07:32:00] }", "factors.N.values: datetime.time(7, 32): a"),
        ('like = "\\u0000"', "like: '\\x00'; allowed is the path of a file"),
        ("like = 3", "like: 3; allowed is the path of a file"),
        ('like = ""', "like: ''; allowed is the path of a file"),
    ],
)
def test_a_mistake_has_its_place(folder: Path, text: str, problem: str) -> None:
    path = folder / "wrong.toml"
    path.write_text(f'scenario = "cell.toml"\n{text}\n', encoding="utf-8")
    assert f"{path}: {problem}" in "\n".join(told(path))


def test_a_path_with_a_null_character_is_no_scenario(folder: Path) -> None:
    path = folder / "wrong.toml"
    path.write_text('scenario = "\\u0000"\n', encoding="utf-8")
    assert f"{path}: scenario: '\\x00'; allowed is a path" in "\n".join(told(path))


def test_tables_can_be_values_of_a_key(folder: Path) -> None:
    path = folder / "tables.toml"
    path.write_text(
        'scenario = "cell.toml"\n[factors]\n'
        'Q = { key = "station.slow.queue", values = [{ packets = 5 }, { packets = 9 }] }\n',
        encoding="utf-8",
    )
    assert told(path) == []
    levels = airfair.load_study(path).experiment.levels
    assert levels == {"Q": ["{ packets = 5 }", "{ packets = 9 }"]}


# ------------------------------------------------------------------ archives


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("archive") / "runs"
    scenario = load(SCENARIO, set={"duration": "100 ms", "series": "off"})
    with Archive(path) as kept:
        run([Job(scenario, number) for number in range(40)], kept)
    return path.read_bytes()


OCTETS = st.binary(min_size=1, max_size=6)
DAMAGES = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), OCTETS), max_size=3)
"""Octets to write into a file, each with its offset as a fraction of the file's length."""
CUTS = st.one_of(st.just(1.0), st.floats(0, 1))
"""Fraction of the file that remains."""
AIMED = st.lists(st.tuples(st.integers(0, 7), st.integers(-20, 150), OCTETS), max_size=3)
"""Octets to write near words of an SQLite file that describe its tables."""


def damaged(content: bytes, damages: list[tuple[float, bytes]], cut: float = 1.0) -> bytes:
    made = bytearray(content)
    for place, octets in damages:
        at = int(place * len(content))
        made[at : at + len(octets)] = octets
    return bytes(made[: int(cut * len(content))])


@SETTINGS
@given(DAMAGES, AIMED, CUTS)
def test_a_damaged_archive_is_told(
    folder: Path,
    archived: bytes,
    damages: list[tuple[float, bytes]],
    aimed: list[tuple[int, int, bytes]],
    cut: float,
) -> None:
    words = [m.start() for m in re.finditer(rb"CREATE|0\.1\.0|runs_by_key", archived)]
    near = [
        (max(0, words[which % len(words)] + off) / len(archived), octets)
        for which, off, octets in aimed
    ]
    path = folder / "runs"
    path.write_bytes(damaged(archived, [*damages, *near], cut))
    scenario = load(SCENARIO, set={"duration": "100 ms", "series": "off"})
    for command in (["list"], ["prune", "--damaged"], ["prune", "--down-to", "20 kB"]):
        assert main(["cache", *command, "--archive", str(path)]) in {cli.DONE, cli.FAILED}
    with contextlib.suppress(ArchiveError), Archive(path) as kept:
        run([Job(scenario, 0)], kept)


def test_tables_whose_text_is_no_text_are_told(folder: Path, archived: bytes) -> None:
    path = folder / "runs"
    path.write_bytes(archived.replace(b"CREATE UNIQUE", b"CRE\xffTE UNIQUE"))
    with pytest.raises(DamagedArchiveError, match=r"runs: damaged \(the tables cannot be read\)"):
        Archive(path)


@pytest.mark.parametrize("made", ["'x'", "1 << 62", "-1"])
def test_a_column_with_something_else_is_told(folder: Path, archived: bytes, made: str) -> None:
    path = folder / "runs"
    path.write_bytes(archived)
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(f"UPDATE runs SET made = {made}")  # noqa: S608 - the test's own SQL
    assert main(["cache", "list", "--archive", str(path)]) == cli.FAILED


# ------------------------------------------------------------------ directories of results

KEPT = {".json", ".toml", ".parquet"}


def copied(folder: Path, to: Path) -> Path:
    """Copy the data files of a directory of results."""
    to.mkdir()
    for path in folder.iterdir():
        if path.suffix in KEPT:
            shutil.copy(path, to / path.name)
    return to


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directory of results of a scenario."""
    folder = tmp_path_factory.mktemp("result")
    scenario = {"duration": "300 ms", "series": "100 ms"}
    airfair.run(SCENARIO, set=scenario, replications=2).save(folder)
    return folder


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directory of results of an experiment."""
    folder = tmp_path_factory.mktemp("experiment")
    of = airfair.Experiment(
        CELL,
        factors={"station.slow.rate": ["1 Mb/s", "2 Mb/s"], "station.slow.queue.packets": [3, 9]},
        claims=[airfair.claim("one", "goodput[a] / goodput", below=0.9)],
        replications=2,
    )
    of.run(store=None, progress=False).save(folder)
    return folder


WRONG = (airfair.DamagedError, airfair.ForeignResultError, OSError)
"""Errors that reading a damaged directory may raise."""


def read_all(folder: Path, other: Path, scenario: Path) -> None:
    """Read a directory by all functions and commands, and write the results of a run to it."""
    with contextlib.suppress(*WRONG):
        airfair.load_result(folder).to_json()
    with contextlib.suppress(*WRONG):
        results = airfair.load_experiment(folder)
        results.summary()
        results.decide()
    for pair in ((folder, other), (other, folder)):
        assert main(["compare", *map(str, pair)]) in {cli.DONE, cli.BAD_INPUT, cli.FAILED}
    command = ["run", str(scenario), "--set", "duration=1 ms", "--set", "series=off", "--out"]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("airfair.run_figures.figures", lambda _: {})
        assert main([*command, str(folder)]) in {cli.DONE, cli.BAD_INPUT}


@pytest.fixture
def scenario_file(folder: Path) -> Path:
    path = folder / "scenario.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["result", "experiment"])
@settings(SETTINGS, max_examples=40)
@given(data=st.data())
def test_whatever_is_in_a_manifest_it_is_told(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    scenario_file: Path,
    kind: str,
    data: st.DataObject,
) -> None:
    whole: Path = request.getfixturevalue(kind)
    folder = copied(whole, tmp_path_factory.mktemp("tampered") / "out")
    document = data.draw(mutations(store.manifest(whole)))
    (folder / "run.json").write_text(json.dumps(document, default=str), encoding="utf-8")
    read_all(folder, whole, scenario_file)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["result", "experiment"])
@settings(SETTINGS, max_examples=40)
@given(data=st.data())
def test_whatever_is_in_a_file_of_a_result_it_is_told(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    scenario_file: Path,
    kind: str,
    data: st.DataObject,
) -> None:
    whole: Path = request.getfixturevalue(kind)
    folder = copied(whole, tmp_path_factory.mktemp("tampered") / "out")
    about = store.manifest(whole)
    about["build"] = data.draw(st.sampled_from([about["build"], "00"]))
    path = folder / data.draw(
        st.sampled_from(sorted(name for name in about["files"] if Path(name).suffix in KEPT))
    )
    if path.suffix == ".parquet" and data.draw(st.booleans()):
        changed(pl.read_parquet(path), data).write_parquet(path)
    else:
        path.write_bytes(damaged(path.read_bytes(), data.draw(DAMAGES), data.draw(CUTS)))
    # A forger of a file can also put its hash into the manifest.
    about["files"][path.name] = hash_of(path.read_bytes())
    (folder / "run.json").write_text(json.dumps(about), encoding="utf-8")
    read_all(folder, whole, scenario_file)


def changed(frame: pl.DataFrame, data: st.DataObject) -> pl.DataFrame:
    """Table with changed rows or a changed column."""
    column = data.draw(st.sampled_from(frame.columns))
    number = data.draw(st.sampled_from([0, -1, 2**40, None, math.nan]))
    changes: list[Callable[[], pl.DataFrame]] = [
        lambda: frame.head(data.draw(st.integers(0, 3))),
        lambda: pl.concat([frame, frame]),
        lambda: frame.drop(column),
        lambda: frame.with_columns(pl.lit(number).alias(column)),
        lambda: frame.with_columns(pl.lit("x").alias(column)),
        lambda: frame.with_columns(pl.lit([1]).alias(column)),
        frame.reverse,
    ]
    return data.draw(st.sampled_from(changes))()

"""Tests of the JSON Schema of study files."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from airfair import cli
from airfair.experiment import StudyError
from airfair.experiment.study_file import study
from airfair.experiment.study_schema import schema

ROOT = Path(__file__).resolve().parents[3]
STUDIES = sorted(
    path
    for folder in ("experiments", "examples", "python/airfair/templates/init", "bench")
    for path in (ROOT / folder).rglob("*.toml")
    if path.name.endswith("study.toml")
)
_TYPES: Mapping[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}


def problems(value: Any, of: Mapping[str, Any], where: str = "") -> Iterator[str]:  # noqa: ANN401 - TOML
    """Violations of the keywords of JSON Schema that the schema of studies uses."""
    unknown = {*of} - {
        *("$schema", "title", "description", "type", "properties", "required", "items", "minItems"),
        *("additionalProperties", "anyOf", "enum", "const", "pattern", "maxItems"),
    }
    assert not unknown, "this test cannot check these keywords"
    yield from _of_kind(value, of, where)
    if isinstance(value, list):
        if not of.get("minItems", 0) <= len(value) <= of.get("maxItems", len(value)):
            yield f"{where}: {len(value)} items"
        for place, item in enumerate(value):
            yield from problems(item, of.get("items", {}), f"{where}[{place}]")
    if isinstance(value, dict):
        yield from _of_table(value, of, where)


def _of_kind(value: Any, of: Mapping[str, Any], where: str) -> Iterator[str]:  # noqa: ANN401 - TOML
    types = [of["type"]] if isinstance(of.get("type"), str) else of.get("type", [])
    fits = [isinstance(value, _TYPES[name]) for name in types]
    if types and (not any(fits) or (isinstance(value, bool) and "boolean" not in types)):
        yield f"{where}: {value!r} is no {' or '.join(types)}"
    if "anyOf" in of and all(any(problems(value, one, where)) for one in of["anyOf"]):
        yield f"{where}: {value!r} is of none of the kinds"
    if value not in of.get("enum", [value]) or value != of.get("const", value):
        yield f"{where}: {value!r}"
    if isinstance(value, str) and not re.search(of.get("pattern", ""), value):
        yield f"{where}: {value!r}"


def _of_table(value: Mapping[str, Any], of: Mapping[str, Any], where: str) -> Iterator[str]:
    yield from (f"{where}.{key}: missing" for key in of.get("required", []) if key not in value)
    known, others = of.get("properties", {}), of.get("additionalProperties", {})
    for key, item in value.items():
        if key not in known and others is False:
            yield f"{where}.{key}: unknown"
        else:
            yield from problems(item, known.get(key, others), f"{where}.{key}")


def test_there_are_studies_to_check() -> None:
    assert len(STUDIES) > 40
    assert "judge.study.toml" in {path.name for path in STUDIES}


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_study_of_the_repository_is_valid(path: Path) -> None:
    assert list(problems(tomllib.loads(path.read_text(encoding="utf-8")), schema())) == []


LAW = 'scenario = "cell.toml"\n'


@pytest.mark.parametrize(
    "text",
    [
        'laws = { "access-point" = "mylaws:Mine" }',
        'laws = { "station.*" = ["mylaws:Mine", "mylaws.inner:Other"] }',
        '[factors.scheme]\nnothing = {}\nmine = { laws = { "access-point" = "mylaws:Mine" } }',
        '[factors]\n"law.gain" = [0.5, 1]',
        "seed = 1\n[draw]\n'law.gain' = { choice = [1, 2] }",
    ],
)
def test_laws_are_valid(text: str) -> None:
    assert list(problems(tomllib.loads(LAW + text), schema())) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('laws = "mylaws:Mine"', ".laws"),
        ('laws = { "access-point" = "mylaws" }', ".laws.access-point"),
        ('laws = { "access-point" = ["mylaws:Mine", 3] }', ".laws.access-point"),
        ('[factors.scheme]\nmine = { laws = { "access-point" = 3 } }', ".factors.scheme"),
        ("replicatons = 3", ".replicatons"),
        ('replications = "many"', ".replications"),
        ("replications = true", ".replications"),
        ("[compare.scheme]\nmeasures = []", ".compare.scheme.baseline"),
        ("[claims.a]\nmeasure = 'goodput'\nabov = 3", ".claims.a.abov"),
    ],
)
def test_a_mistake_is_found_at_its_place(text: str, place: str) -> None:
    found = list(problems(tomllib.loads(LAW + text), schema()))
    assert found
    assert all(problem.startswith(f"{place}:") for problem in found)


def _known(document: Mapping[str, Any], where: str) -> set[str]:
    """Keys that the reader of study files allows in a table, from its error for an unknown key."""
    with pytest.raises(StudyError) as caught:
        study({"scenario": {}, **document}, Path("x.toml"))
    (line,) = (one for one in caught.value.problems if f"{where}: unknown key" in one)
    return {*line.partition("allowed ")[2].split(", ")}


def test_the_schema_has_the_keys_that_the_reader_knows() -> None:
    top = schema()["properties"]
    strange = "zzzzzzzzzz"
    assert _known({strange: 1}, strange) == {*top} - {"like"}
    for table, of in (
        ("claims", top["claims"]["additionalProperties"]),
        ("figures", top["figures"]["additionalProperties"]),
        ("compare", top["compare"]["additionalProperties"]),
    ):
        keys = _known({table: {"a": {strange: 1}}}, f"{table}.a.{strange}")
        assert keys == {*of["properties"]}
    for key, of in (
        ("replications", top["replications"]["anyOf"][1]),
        ("design", top["design"]["anyOf"][2]),
    ):
        assert _known({key: {strange: 1}}, f"{key}.{strange}") == {*of["properties"]}


def test_the_command_prints_either_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema", "study"]) == cli.DONE
    assert json.loads(capsys.readouterr().out) == schema()
    assert cli.main(["schema"]) == cli.DONE
    scenario = json.loads(capsys.readouterr().out)
    assert cli.main(["schema", "scenario"]) == cli.DONE
    assert json.loads(capsys.readouterr().out) == scenario
    assert "bss" in scenario["properties"]

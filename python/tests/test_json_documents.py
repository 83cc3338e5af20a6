"""Tests that JSON documents name their kind, and that docs/json.md describes each kind."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import airfair
from airfair import cli, json_documents
from airfair.validation import document as validation
from support import SCENARIO

DOCS = Path(__file__).resolve().parents[2] / "docs/json.md"


def test_each_kind_stands_in_the_docs_with_its_version() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert {kind: int(version) for kind, version in rows} == json_documents.VERSIONS


def test_the_document_of_a_run_says_what_it_is() -> None:
    document = airfair.run(SCENARIO).to_json()
    assert list(document)[:3] == ["document", "schema", "program"]
    assert (document["document"], document["schema"]) == ("run", 2)
    assert list(validation([])) == ["document", "schema", "program", "checks"]


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [(["reproduce", "--list"], "papers"), (["limits", "--list"], "schemes")],
)
def test_lists_say_what_they_are(
    capsys: pytest.CaptureFixture[str], arguments: list[str], kind: str
) -> None:
    assert cli.main([*arguments, "--json"]) == cli.DONE
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["document", "schema", "program", kind]
    assert (document["document"], document["schema"]) == (kind, json_documents.VERSIONS[kind])

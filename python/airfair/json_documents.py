"""Kinds of the JSON documents that the command line prints and writes, each with the version of its shape.

`docs/json.md` describes them. A key that comes to a document leaves its version alone; one that goes away or
comes to mean something else raises it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .marks import PROGRAM

VERSIONS = {
    "run": 2,
    "reproduction": 2,
    "paper": 2,
    "papers": 1,
    "limits": 1,
    "scheme": 1,
    "schemes": 1,
    "validation": 1,
    "kernel": 1,
    "tfrc": 1,
    "experiment": 1,
    "comparison": 1,
    "archive": 1,
    "pruning": 1,
    "emulation": 1,
}


def document(kind: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """A document of a kind: what it is, and who has written it, come first."""
    return {"document": kind, "schema": VERSIONS[kind], "program": PROGRAM, **content}

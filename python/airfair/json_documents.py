"""Kinds of the JSON documents that the command line prints and writes, with the version of each format.

`docs/json.md` describes the documents. A new key does not change the version; removing a key, or changing its
meaning, increases it.
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
    """Document with this content, preceded by its kind, its version and the program that wrote it."""
    return {"document": kind, "schema": VERSIONS[kind], "program": PROGRAM, **content}

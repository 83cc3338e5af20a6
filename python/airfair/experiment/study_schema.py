"""JSON Schema of study files, with which an editor completes and checks their keys.

`study_file` is what decides: it also checks names, units and the scenarios at all points.
"""

from __future__ import annotations

from .study_values import KEYS, Schema


def schema() -> Schema:
    """JSON Schema of study files."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Study of airfair",
        "type": "object",
        "properties": {key: kind.schema for key, kind in KEYS.items()},
        "anyOf": [{"required": ["scenario"]}, {"required": ["like"]}],
        "additionalProperties": False,
    }

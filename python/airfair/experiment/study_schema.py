"""JSON Schema of study files, with which an editor completes and checks their keys.

`study_file` is what decides: it also checks names, units and the scenarios at all points.
"""

from __future__ import annotations

from typing import Any

from .axes import ROLES
from .decisions import FORMS, WORDS
from .designs import KINDS

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_WHOLE: Schema = {"type": "integer"}
_TRUE_OR_FALSE: Schema = {"type": "boolean"}
_ANY_LIST: Schema = {"type": "array"}
_LABEL: Schema = {"type": ["string", "number", "boolean"]}


def _object(description: str, required: tuple[str, ...] = (), **keys: Schema) -> Schema:
    """Schema of a table with these keys and no others."""
    table: Schema = {"type": "object", "description": description, "properties": keys}
    if required:
        table["required"] = list(required)
    return table | {"additionalProperties": False}


def _table(description: str, of: Schema) -> Schema:
    """Schema of a table with keys of any name and values of one kind."""
    return {"type": "object", "description": description, "additionalProperties": of}


def _any(description: str, *of: Schema) -> Schema:
    return {"description": description, "anyOf": list(of)}


def _about(of: Schema, description: str) -> Schema:
    return of | {"description": description}


def _list_of(of: Schema) -> Schema:
    return {"type": "array", "items": of}


_LAW: Schema = {"type": "string", "pattern": r"^[^:\s]+:[^:\s]+$"}
_LAWS = _table(
    "Laws of your own by node, which is station.NAME or access-point, each as MODULE:CLASS or a list.",
    {"anyOf": [_LAW, _list_of(_LAW)]},
)
_KEYS: Schema = {
    "type": "object",
    "description": "Keys of the scenario with their values, and laws.",
    "properties": {"laws": _LAWS},
}
_MEASURES = _any("A measure, or a list of measures.", _TEXT, _list_of(_TEXT))
_HELD = _table(
    "A level, or a list of levels, of each factor.",
    {"type": ["string", "number", "boolean", "array"]},
)
_BETWEEN = _object(
    "Range from which values are taken.",
    ("between",),
    between={"type": "array", "minItems": 2, "maxItems": 2},
    scale={"enum": ["linear", "log"]},
)
_FACTOR = _any(
    "Values of a key, or levels by label with the keys that each sets.",
    _ANY_LIST,
    _object("Values of another key.", ("values",), key=_TEXT, values=_ANY_LIST),
    _object("Labels alone, for papers.", ("labels",), labels=_list_of(_LABEL)),
    _BETWEEN,
    _table("Keys that each level sets.", _KEYS),
)
_REPLICATIONS = _any(
    "Runs of each point: a number, or until an interval is narrow or claims are decided.",
    _about(_WHOLE, "Number of runs."),
    _object(
        "Rule that ends the runs.",
        ("until",),
        until=_TEXT,
        half_width=_NUMBER,
        relative=_TRUE_OR_FALSE,
        least=_WHOLE,
        most=_WHOLE,
    ),
)
_DESIGN = _any(
    "Points that the study runs.",
    {"const": "grid"},
    _list_of(_HELD),
    _object(
        "Points in a space.",
        ("kind", "points"),
        kind={"enum": [*KINDS]},
        points=_WHOLE,
        seed=_WHOLE,
    ),
)
_CLAIM = _object(
    "Statement that the study decides.",
    ("measure",),
    measure=_TEXT,
    text=_TEXT,
    at=_HELD,
    factor=_TEXT,
    level=_LABEL,
    baseline=_LABEL,
    form={"enum": [*FORMS]},
    above=_NUMBER,
    below=_NUMBER,
    word={"enum": [*WORDS]},
    target=_NUMBER,
)
_NUMBERS = _list_of(_NUMBER)
_FIGURE = _object(
    "Figure of a measure over a factor.",
    kind={"enum": [*ROLES]},
    x=_TEXT,
    y=_TEXT,
    by=_TEXT,
    panel=_TEXT,
    at=_HELD,
    title=_TEXT,
    caption=_TEXT,
    printed=_any("Values that a paper prints.", _NUMBERS, _table("By level.", _NUMBERS)),
)
_COMPARISON = _object(
    "Comparison of a factor's levels with one of them.",
    ("baseline",),
    baseline=_LABEL,
    measures=_MEASURES,
)

_PROPERTIES: Schema = {
    "scenario": _any(
        "Scenario from which all points start: a path relative to the study, or a table.",
        _TEXT,
        {"type": "object"},
    ),
    "like": _about(_TEXT, "Another study that supplies the keys missing in this one: a path."),
    "title": _about(_TEXT, "Title of tables and report."),
    "about": {"type": "object", "description": "Notes of any kind, which airfair ignores."},
    "seed": _about(_WHOLE, "Seed of all runs."),
    "replications": _REPLICATIONS,
    "design": _DESIGN,
    "common_random_numbers": _about(_TRUE_OR_FALSE, "True if all points use the same seeds."),
    "set": {"type": "object", "description": "Keys of the scenario at all points."},
    "laws": _LAWS,
    "factors": _table("What varies from point to point.", _FACTOR),
    "draw": _table(
        "Keys with a random value in each replication.",
        {"anyOf": [_BETWEEN, _object("Values to choose from.", ("choice",), choice=_ANY_LIST)]},
    ),
    "measures": _about(_MEASURES, "Columns of the table of points: a measure or a list."),
    "compare": _table("Comparisons by factor.", _COMPARISON),
    "figures": _table("Figures by name.", _FIGURE),
    "claims": _table("Claims by name.", _CLAIM),
    "printed": _any(
        "Values that a paper prints, by measure.", _NUMBERS, _table("By measure.", _NUMBERS)
    ),
    "quick": {"type": "object", "description": "Keys of the scenario with --quick."},
    "extension": _about(_TRUE_OR_FALSE, "True if no claim of a paper depends on the study."),
    "setup": _about(_TEXT, "Group to which a point's runs belong, for papers."),
    "variant": _about(_TEXT, "Point within the group, for papers."),
    "words": _table("Texts for the levels of a factor, for papers.", _table("By label.", _TEXT)),
}


def schema() -> Schema:
    """JSON Schema of study files."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Study of airfair",
        "type": "object",
        "properties": _PROPERTIES,
        "anyOf": [{"required": ["scenario"]}, {"required": ["like"]}],
        "additionalProperties": False,
    }

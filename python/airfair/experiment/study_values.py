"""Kinds of values in a study file: how each is read, and its JSON Schema.

Both come from one declaration, so that an editor allows the keys that `study_file` reads. `where` is the
address that error messages name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from airfair.names import did_you_mean
from airfair.scenario import Value

from . import designs, stopping
from .axes import ROLES, FigureOf
from .decisions import FORMS, WORDS, Claim
from .decisions import claim as made_claim
from .designs import Design
from .draws import Draw, choice
from .errors import Gathered, StudyError
from .factors import Label, Levels, label_of, plain
from .measures import Measure, measure
from .stopping import Replications
from .study import Comparison
from .values import Between
from .values import between as made_between

Schema = dict[str, Any]
Read = Callable[[str, Any], Any]
"""Function from an address and a value of TOML to what a study has of it; raises `StudyError`."""

_FILE = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Valid names of figures, which are also names of files."""


@dataclass(frozen=True)
class Kind:
    """Kind of value: the function that reads one, and its JSON Schema."""

    read: Read
    schema: Schema
    allowed: str = ""
    """Words for what is allowed, for errors."""

    def about(self, description: str) -> Kind:
        """Kind whose schema has a description."""
        return replace(self, schema=self.schema | {"description": description})


# ------------------------------------------------------------------ plain values


def _plain(name: str | list[str], allowed: str, *types: type) -> Kind:
    """Kind of the values of some types; true and false are no numbers."""

    def read(where: str, value: object) -> Any:  # noqa: ANN401 - of one of the types
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise StudyError(f"{where}: {value!r}; allowed is {allowed}")
        return float(value) if name == "number" else value  # type: ignore[arg-type] # a number

    return Kind(read, {"type": name}, allowed)


TEXT = _plain("string", "text", str)
WHOLE = _plain("integer", "a whole number", int)
NUMBER = _plain("number", "a number", int, float)
BOOLEAN = _plain("boolean", "true or false", bool)
LIST = _plain("array", "a list", list)
TABLE = _plain("object", "a table", Mapping)
LABEL = _plain(["string", "number", "boolean"], "the label of a level", str, int, float, bool)


def _one_of(*words: str) -> Kind:
    def read(where: str, value: object) -> str:
        if value not in words:
            raise StudyError(f"{where}: {value!r}; allowed {', '.join(words)}")
        return str(value)

    return Kind(read, {"enum": [*words]})


def path(where: str, value: object) -> str:
    """Check that a value is the path of a file, and return it."""
    if not isinstance(value, str) or not value or "\0" in value:
        raise StudyError(f"{where}: {value!r}; allowed is the path of a file")
    return value


# ------------------------------------------------------------------ lists and tables


def _list_of(kind: Kind) -> Kind:
    def read(where: str, value: object) -> list[Any]:
        return [kind.read(where, one) for one in LIST.read(where, value)]

    return Kind(read, {"type": "array", "items": kind.schema})


def _any(read: Read, description: str, *schemas: Schema) -> Kind:
    """Kind with several forms."""
    return Kind(read, {"description": description, "anyOf": [*schemas]})


def table(description: str, required: Sequence[str] = (), /, **keys: Kind) -> Kind:
    """Kind of the tables with these keys and no others; the table without an address is the whole file."""

    def read(where: str, value: Any) -> dict[str, Any]:  # noqa: ANN401 - as TOML gives it
        found, gathered, inside = {}, Gathered(), f"{where}." if where else ""
        for key, item in TABLE.read(where, value).items():
            with gathered:
                if key not in keys:
                    raise StudyError(unknown(f"{inside}{key}", keys))
                found[key] = keys[key].read(f"{inside}{key}", item)
        for key in required:
            if key not in value:
                gathered.problems.append(f"{inside}{key}: missing; allowed is {keys[key].allowed}")
        gathered.tell()
        return found

    schema: Schema = {"type": "object", "description": description}
    schema["properties"] = {key: kind.schema for key, kind in keys.items()}
    if required:
        schema["required"] = [*required]
    return Kind(read, schema | {"additionalProperties": False})


def _named(description: str, read: Read, schema: Schema) -> Kind:
    """Kind of the tables with any names; `read` makes a value of a name and an item."""

    def each(where: str, value: object) -> dict[str, Any]:
        found, gathered = {}, Gathered()
        for name, item in TABLE.read(where, value).items():
            with gathered:
                found[name] = read(name, item)
        gathered.tell()
        return found

    schema = {"type": "object", "description": description, "additionalProperties": schema}
    return Kind(each, schema)


def names_of(description: str, kind: Kind) -> Kind:
    """Kind of the tables with any names and values of one kind."""

    def read(where: str, value: object) -> dict[str, Any]:
        items = TABLE.read(where, value).items()
        return {name: kind.read(f"{where}.{name}", item) for name, item in items}

    schema = {"type": "object", "description": description, "additionalProperties": kind.schema}
    return Kind(read, schema)


def unknown(where: str, known: Iterable[str]) -> str:
    """Error text for an unknown key, with the nearest known one or all allowed ones."""
    there = sorted(known)
    hint = did_you_mean(where.rpartition(".")[2], there)
    return f"{where}: unknown key" + (hint or "; allowed " + ", ".join(there))


# ------------------------------------------------------------------ levels and laws


def _labels(where: str, value: object) -> Label | Sequence[Label]:
    if isinstance(value, list):
        return [LABEL.read(where, one) for one in value]
    label: Label = LABEL.read(where, value)
    return label


_LABELS = Kind(_labels, {"type": ["string", "number", "boolean", "array"]})
_AT = names_of("A level, or a list of levels, of each factor.", _LABELS)
_HELD = names_of("A level of each factor.", LABEL)
_LAW = replace(TEXT, schema={"type": "string", "pattern": r"^[^:\s]+:[^:\s]+$"})
_LAWS = names_of(
    "Laws of your own by node, which is station.NAME or access-point, each as MODULE:CLASS or a list.",
    replace(_LAW, schema={"anyOf": [_LAW.schema, _list_of(_LAW).schema]}),
)
_KEYS_OF_A_LEVEL = TABLE.about("Keys of the scenario with their values, and laws.")
_KEYS_OF_A_LEVEL.schema["properties"] = {"laws": _LAWS.schema}


def _ends(where: str, value: object) -> tuple[float | str, float | str]:
    if not isinstance(value, list) or len(value) != 2:  # noqa: PLR2004 - two ends
        raise StudyError(
            f'{where}: {value!r}; allowed is a list of two ends, for example ["1 Mb/s", "54 Mb/s"]'
        )
    return value[0], value[1]


_BETWEEN = table(
    "Range from which values are taken.",
    ("between",),
    between=Kind(_ends, {"type": "array", "minItems": 2, "maxItems": 2}),
    scale=Kind(TEXT.read, {"enum": ["linear", "log"]}),
)
_VALUES = table("Values of another key.", ("values",), key=TEXT, values=LIST)
_LABELS_ALONE = table("Labels alone, for papers.", ("labels",), labels=_list_of(LABEL))
_FACTOR: Schema = {
    "description": "Values of a key, or levels by label with the keys that each sets.",
    "anyOf": [
        LIST.schema,
        _VALUES.schema,
        _LABELS_ALONE.schema,
        _BETWEEN.schema,
        names_of("Keys that each level sets.", _KEYS_OF_A_LEVEL).schema,
    ],
}


def levels(name: str, value: Any) -> Levels:  # noqa: ANN401 - as TOML gives it
    """Levels of a factor: a list of values, a list for another key, a range, or keys by label.

    Labels without keys are for papers whose own functions set the keys.
    """
    where = f"factors.{name}"
    if isinstance(value, list):
        return value
    table = TABLE.read(where, value)
    if "values" in table:
        read = _VALUES.read(where, table)
        key = read.get("key", name)
        values = [_value(f"{where}.values", one) for one in read["values"]]
        return _apart(name, [(label_of(one), {key: one}) for one in values])
    if "labels" in table:
        labels = _LABELS_ALONE.read(where, table)["labels"]
        return _apart(name, [(label, {}) for label in labels])
    if "between" in table:
        return _between(where, table)
    return {label: TABLE.read(f"{where}.{label}", keys) for label, keys in table.items()}


def _value(where: str, value: Any) -> Value:  # noqa: ANN401 - as TOML gives it
    try:
        return plain(value)
    except StudyError as error:
        raise StudyError(*(f"{where}: {problem}" for problem in error.problems)) from error


def _apart(name: str, levels: Sequence[tuple[Label, Mapping[str, Any]]]) -> Levels:
    """Levels by label; raises `StudyError` if two labels look the same."""
    counts = Counter(str(label) for label, _ in levels)
    if twice := [label for label, count in counts.items() if count > 1]:
        raise StudyError(*(f"factors.{name}: has the level {label!r} twice" for label in twice))
    made: Mapping[Any, Mapping[str, Any]] = dict(levels)
    return made


def _between(where: str, table: Mapping[str, Any]) -> Between:
    read = _BETWEEN.read(where, table)
    return made_between(*read["between"], scale=read.get("scale", "linear"))


_CHOICE = table("Values to choose from.", ("choice",), choice=LIST)


def _draw(name: str, value: object) -> Draw:
    where = f"draw.{name}"
    table = TABLE.read(where, value)
    if "between" in table:
        return _between(where, table)
    return choice(_CHOICE.read(where, table)["choice"])


# ------------------------------------------------------------------ points and replications


def _design(where: str, value: object) -> Design | str:
    """Design: a word, a table with kind and number of points, or a list of points."""
    if isinstance(value, str):
        if value != "grid":
            raise StudyError(
                f'{where}: {value!r}; allowed "grid", a list of points, or {{ kind, points }}'
            )
        return value
    if isinstance(value, list):
        return designs.Listed(tuple(_AT.read(where, point) for point in value))
    read = _SAMPLED.read(where, value)
    return designs.Sampled(read["kind"], read["points"], read.get("seed", 1))


_SAMPLED = table(
    "Points in a space.",
    ("kind", "points"),
    kind=replace(_one_of(*designs.KINDS), allowed=f"one of {', '.join(designs.KINDS)}"),
    points=WHOLE,
    seed=WHOLE,
)


def _replications(where: str, value: object) -> Replications:
    """Replications: a number, or a table that declares a rule."""
    if not isinstance(value, Mapping):
        return stopping.replications(WHOLE.read(where, value))
    read = _UNTIL.read(where, value)
    until = read.pop("until")
    if until == "decided":
        if {"half_width", "relative"} & read.keys():
            raise StudyError(
                f'{where}: until = "decided": half_width and relative are not allowed: claims have bounds'
            )
        return stopping.until_decided(**read)
    if "half_width" not in read:
        raise StudyError(
            f"{where}.half_width: missing; allowed is a number, by default a fraction of the mean, such as "
            "0.02"
        )
    return stopping.until(until, **read)


_UNTIL = table(
    "Rule that ends the runs.",
    ("until",),
    until=replace(TEXT, allowed='a measure, or "decided"'),
    half_width=NUMBER,
    relative=BOOLEAN,
    least=WHOLE,
    most=WHOLE,
)


# ------------------------------------------------------------------ what is shown and decided


def _measures(where: str, value: object) -> tuple[Measure, ...]:
    """Measures from the text of one, or from a list of texts."""
    values = value if isinstance(value, list) else [value]
    if not values:
        raise StudyError(f'{where}: empty; allowed is at least one measure, for example "goodput"')
    made, gathered = [], Gathered()
    for one in values:
        with gathered:
            made.append(measure(TEXT.read(where, one)))
    gathered.tell()
    return tuple(made)


_MEASURES = _any(_measures, "A measure, or a list of measures.", TEXT.schema, _list_of(TEXT).schema)


def _claim(id_: str, value: object) -> Claim:
    read = _CLAIM.read(f"claims.{id_}", value)
    return made_claim(id_, read.pop("measure"), **read)


_CLAIM = table(
    "Statement that the study decides.",
    ("measure",),
    measure=replace(TEXT, allowed='a measure, for example "goodput[fast]"'),
    text=TEXT,
    at=_AT,
    factor=TEXT,
    level=LABEL,
    baseline=LABEL,
    form=_one_of(*FORMS),
    above=NUMBER,
    below=NUMBER,
    word=_one_of(*WORDS),
    target=NUMBER,
)


def _comparison(name: str, value: object) -> Comparison:
    read = _COMPARISON.read(f"compare.{name}", value)
    return Comparison(name, read["baseline"], read.get("measures", (measure("goodput"),)))


_COMPARISON = table(
    "Comparison of a factor's levels with one of them.",
    ("baseline",),
    baseline=LABEL,
    measures=_MEASURES,
)


def _printed(where: str, value: object) -> dict[str, list[float]]:
    """Published values: a list, or one list for each level of `by`."""
    table = {"": value} if isinstance(value, list) else TABLE.read(where, value)
    return {name: _NUMBERS.read(f"{where}.{name}", one) for name, one in table.items()}


_NUMBERS = _list_of(NUMBER)


def _published(by: str) -> Kind:
    """Kind of the values that a paper prints."""
    forms = _NUMBERS.schema, names_of(f"By {by}.", _NUMBERS).schema
    return _any(
        _printed, f"Values that a paper prints{', by measure' * (by == 'measure')}.", *forms
    )


def _figure(id_: str, value: object) -> FigureOf:
    read = _FIGURE.read(f"figures.{id_}", value)
    if not _FILE.fullmatch(id_):
        raise StudyError(
            f"figures.{id_}: the name is used for a file; allowed are 1 to 64 letters, digits, _ and -"
        )
    y = measure(read.pop("y", "goodput"))
    return FigureOf(id_, y, **read)


_FIGURE = table(
    "Figure of a measure over a factor.",
    kind=_one_of(*ROLES),
    x=TEXT,
    y=TEXT,
    by=TEXT,
    panel=TEXT,
    at=_HELD,
    title=TEXT,
    caption=TEXT,
    printed=_published("level"),
)


# ------------------------------------------------------------------ keys

KEYS: Mapping[str, Kind] = {
    "scenario": _any(
        TABLE.read,
        "Scenario from which all points start: a path relative to the study, or a table.",
        TEXT.schema,
        TABLE.schema,
    ),
    "like": Kind(path, TEXT.schema).about(
        "Another study that supplies the keys missing in this one: a path."
    ),
    "title": TEXT.about("Title of tables and report."),
    "about": TABLE.about("Notes of any kind, which airfair ignores."),
    "seed": WHOLE.about("Seed of all runs."),
    "replications": _any(
        _replications,
        "Runs of each point: a number, or until an interval is narrow or claims are decided.",
        WHOLE.about("Number of runs.").schema,
        _UNTIL.schema,
    ),
    "design": _any(
        _design,
        "Points that the study runs.",
        {"const": "grid"},
        _list_of(_AT).schema,
        _SAMPLED.schema,
    ),
    "common_random_numbers": BOOLEAN.about("True if all points use the same seeds."),
    "set": TABLE.about("Keys of the scenario at all points."),
    "laws": _LAWS,
    "factors": _named("What varies from point to point.", levels, _FACTOR),
    "draw": _named(
        "Keys with a random value in each replication.",
        _draw,
        {"anyOf": [_BETWEEN.schema, _CHOICE.schema]},
    ),
    "measures": _MEASURES.about("Columns of the table of points: a measure or a list."),
    "compare": _named("Comparisons by factor.", _comparison, _COMPARISON.schema),
    "figures": _named("Figures by name.", _figure, _FIGURE.schema),
    "claims": _named("Claims by name.", _claim, _CLAIM.schema),
    "printed": _published("measure"),
    "quick": TABLE.about("Keys of the scenario with --quick."),
    "extension": BOOLEAN.about("True if no claim of a paper depends on the study."),
    "setup": TEXT.about("Group to which a point's runs belong, for papers."),
    "variant": TEXT.about("Point within the group, for papers."),
    "words": names_of("Texts for the levels of a factor, for papers.", names_of("By label.", TEXT)),
}
"""Keys of a study file. What `laws` and `scenario` are depends on the folder of the file."""

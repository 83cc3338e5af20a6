"""Readers of the values in a study file; `where` is the address that error messages name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airfair.names import did_you_mean

from . import designs, stopping
from .axes import ROLES
from .decisions import FORMS, WORDS, Claim
from .decisions import claim as made_claim
from .designs import Design
from .draws import Draw, choice
from .errors import Gathered, StudyError
from .factors import Label, Levels, label_of, plain
from .measures import Measure, measure
from .stopping import Replications
from .study import Comparison, FigureOf
from .values import Between
from .values import between as made_between

if TYPE_CHECKING:
    from airfair.scenario import Value

_FILE = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Valid names of figures, which are also names of files."""


def unknown(where: str, known: Iterable[str]) -> str:
    """Error text for an unknown key, with the nearest known one or all allowed ones."""
    there = sorted(known)
    hint = did_you_mean(where.rpartition(".")[2], there)
    return f"{where}: unknown key" + (hint or "; allowed " + ", ".join(there))


def _keyed(
    where: str, value: object, known: Mapping[str, Callable[[str, Any], Any]]
) -> dict[str, Any]:
    """Values of a table by key, each read by the function for its key in `known`.

    Raises `StudyError` for unknown keys and wrong values.
    """
    read, gathered = {}, Gathered()
    for key, item in mapping(where, value).items():
        with gathered:
            if key not in known:
                raise StudyError(unknown(f"{where}.{key}", known))
            read[key] = known[key](f"{where}.{key}", item)
    gathered.tell()
    return read


def text(where: str, value: object) -> str:
    """Check that a value is text, and return it."""
    if not isinstance(value, str):
        raise StudyError(f"{where}: {value!r}; allowed is text")
    return value


def path(where: str, value: object) -> str:
    """Check that a value is the path of a file, and return it."""
    if not isinstance(value, str) or not value or "\0" in value:
        raise StudyError(f"{where}: {value!r}; allowed is the path of a file")
    return value


def whole(where: str, value: object) -> int:
    """Check that a value is a whole number, and return it."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise StudyError(f"{where}: {value!r}; allowed is a whole number")
    return value


def _number(where: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise StudyError(f"{where}: {value!r}; allowed is a number")
    return float(value)


def boolean(where: str, value: object) -> bool:
    """Check that a value is true or false, and return it."""
    if not isinstance(value, bool):
        raise StudyError(f"{where}: {value!r}; allowed is true or false")
    return value


def mapping(where: str, value: object) -> Mapping[str, Any]:
    """Check that a value is a table, and return it."""
    if not isinstance(value, Mapping):
        raise StudyError(f"{where}: {value!r}; allowed is a table")
    return value


def _label(where: str, value: object) -> Label:
    if not isinstance(value, str | int | float | bool):
        raise StudyError(f"{where}: {value!r}; allowed is the label of a level")
    return value


def _labels(where: str, value: object) -> Label | Sequence[Label]:
    if isinstance(value, list):
        return [_label(where, one) for one in value]
    return _label(where, value)


def _held(where: str, value: object) -> dict[str, Label]:
    return {name: _label(f"{where}.{name}", one) for name, one in mapping(where, value).items()}


def _at(where: str, value: object) -> dict[str, Any]:
    return {name: _labels(f"{where}.{name}", one) for name, one in mapping(where, value).items()}


def measures(where: str, value: object) -> tuple[Measure, ...]:
    """Measures from the text of one, or from a list of texts."""
    values = value if isinstance(value, list) else [value]
    if not values:
        raise StudyError(f'{where}: empty; allowed is at least one measure, for example "goodput"')
    made, gathered = [], Gathered()
    for one in values:
        with gathered:
            made.append(measure(text(where, one)))
    gathered.tell()
    return tuple(made)


def levels(name: str, value: Any) -> Levels:  # noqa: ANN401 - as TOML gives it
    """Levels of a factor: a list of values, a list for another key, a range, or keys by label.

    Labels without keys are for papers whose own functions set the keys.
    """
    if isinstance(value, list):
        return value
    table = mapping(f"factors.{name}", value)
    if "values" in table:
        read = _keyed(f"factors.{name}", table, {"key": text, "values": _list})
        key = read.get("key", name)
        values = [_value(f"factors.{name}.values", one) for one in read["values"]]
        return _apart(name, [(label_of(one), {key: one}) for one in values])
    if "labels" in table:
        read = _keyed(f"factors.{name}", table, {"labels": _list})
        where = f"factors.{name}.labels"
        return _apart(name, [(_label(where, one), {}) for one in read["labels"]])
    if "between" in table:
        return _between(f"factors.{name}", table)
    return {label: mapping(f"factors.{name}.{label}", keys) for label, keys in table.items()}


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
    read = _keyed(where, table, {"between": _ends, "scale": text})
    return made_between(*read["between"], scale=read.get("scale", "linear"))


def _ends(where: str, value: object) -> tuple[float | str, float | str]:
    if not isinstance(value, list) or len(value) != 2:  # noqa: PLR2004 - two ends
        raise StudyError(
            f'{where}: {value!r}; allowed is a list of two ends, for example ["1 Mb/s", "54 Mb/s"]'
        )
    return value[0], value[1]


def draw(name: str, value: object) -> Draw:
    """Distribution from which a key is drawn in each replication."""
    where = f"draw.{name}"
    table = mapping(where, value)
    if "between" in table:
        return _between(where, table)
    read = _keyed(where, table, {"choice": _list})
    if "choice" not in read:
        raise StudyError(f"{where}: allowed is {{ choice = […] }} or {{ between = [low, high] }}")
    return choice(read["choice"])


def words(name: str, value: object) -> dict[str, str]:
    """Texts for the levels of a factor in a report."""
    where = f"words.{name}"
    return {label: text(f"{where}.{label}", word) for label, word in mapping(where, value).items()}


def _list(where: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise StudyError(f"{where}: {value!r}; allowed is a list")
    return value


def design(where: str, value: object) -> Design | str:
    """Design: a word, a table with kind and number of points, or a list of points."""
    if isinstance(value, str):
        if value != "grid":
            raise StudyError(
                f'{where}: {value!r}; allowed "grid", a list of points, or {{ kind, points }}'
            )
        return value
    if isinstance(value, list):
        return designs.Listed(tuple(_at(where, point) for point in value))
    read = _keyed(where, value, {"kind": text, "points": whole, "seed": whole})
    if read.get("kind") not in designs.KINDS or "points" not in read:
        allowed = ", ".join(designs.KINDS)
        raise StudyError(
            f"{where}: kind or points is missing or wrong; allowed is {{ kind, points }}, with kind one of "
            f"{allowed}"
        )
    return designs.Sampled(read["kind"], read["points"], read.get("seed", 1))


def rule(where: str, value: object) -> Replications:
    """Replications: a number, or a table that declares a rule."""
    return stopping.replications(_replications(where, value))


def _replications(where: str, value: object) -> int | Replications:
    if not isinstance(value, Mapping):
        return whole(where, value)
    read = _keyed(
        where,
        value,
        {
            "until": text,
            "half_width": _number,
            "relative": boolean,
            "least": whole,
            "most": whole,
        },
    )
    until = read.pop("until", None)
    if until is None:
        raise StudyError(f'{where}.until: missing; allowed is a measure, or "decided"')
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


def claim(id_: str, value: object) -> Claim:
    """Claim from a table of its keys."""
    where = f"claims.{id_}"
    read = _keyed(
        where,
        value,
        {
            "measure": text,
            "text": text,
            "at": _at,
            "factor": text,
            "level": _label,
            "baseline": _label,
            "form": _one_of(*FORMS),
            "above": _number,
            "below": _number,
            "word": _one_of(*WORDS),
            "target": _number,
        },
    )
    if "measure" not in read:
        raise StudyError(
            f'{where}.measure: missing; allowed is a measure, for example "goodput[fast]"'
        )
    return made_claim(id_, read.pop("measure"), **read)


def _one_of(*words: str) -> Callable[[str, object], str]:
    def read(where: str, value: object) -> str:
        if value not in words:
            raise StudyError(f"{where}: {value!r}; allowed {', '.join(words)}")
        return str(value)

    return read


def comparison(name: str, value: object) -> Comparison:
    """Comparison of the levels of a factor with a baseline."""
    where = f"compare.{name}"
    read = _keyed(where, value, {"baseline": _label, "measures": measures})
    if "baseline" not in read:
        raise StudyError(f"{where}.baseline: missing; allowed is the label of a level")
    return Comparison(name, read["baseline"], read.get("measures", (measure("goodput"),)))


def figure(id_: str, value: object) -> FigureOf:
    """Figure from a table of its keys."""
    read = _keyed(
        f"figures.{id_}",
        value,
        {
            "kind": _one_of(*ROLES),
            "x": text,
            "y": text,
            "by": text,
            "panel": text,
            "at": _held,
            "title": text,
            "caption": text,
            "printed": printed,
        },
    )
    if not _FILE.fullmatch(id_):
        raise StudyError(
            f"figures.{id_}: the name is used for a file; allowed are 1 to 64 letters, digits, _ and -"
        )
    y = measure(read.pop("y", "goodput"))
    return FigureOf(id_, y, **read)


def printed(where: str, value: object) -> dict[str, list[float]]:
    """Published values: a list, or one list for each level of `by`."""
    table = {"": value} if isinstance(value, list) else mapping(where, value)
    return {
        name: [_number(f"{where}.{name}", one) for one in _list(where, values)]
        for name, values in table.items()
    }

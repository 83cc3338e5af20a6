"""A study: an experiment with its claims and figures, as a file of TOML says it.

```toml
scenario     = "cell.toml"
replications = { until = "goodput", half_width = 0.02, least = 5, most = 100 }

[factors]
"station.slow.rate" = ["1 Mb/s", "2 Mb/s", "5.5 Mb/s"]
scheme = { plain = {}, arf-aware = { "flow.*.control" = "arf-aware" } }

[compare.scheme]
baseline = "plain"

[figures.goodput]
x  = "station.slow.rate"
by = "scheme"

[claims.faster]
measure = "goodput[fast]"
factor  = "scheme"
level   = "arf-aware"
baseline = "plain"
above   = 1.1
```
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair._core import ScenarioError

from . import designs, stopping
from .decisions import FORMS, WORDS, Claim, claim
from .designs import Design
from .draws import Draw, choice
from .errors import Gathered, StudyError
from .experiment import REPLICATIONS, Experiment
from .factors import Factor, Label, Levels
from .keys import Keys
from .measures import Measure, measure
from .plot import first_free
from .plot import problems as drawing_problems
from .points import Point
from .stopping import Replications
from .values import Between, between

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .results import ExperimentResult

MOST_DRAWN = 60
"""Points of a figure that nobody has asked for."""
_FILE = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Names of figures, which are names of files."""
LARGEST = 10_000_000
"""Octets of a study's file at most."""


@dataclass(frozen=True)
class Comparison:
    """A factor whose levels are compared with a baseline."""

    factor: str
    baseline: Label
    measures: tuple[Measure, ...]


@dataclass(frozen=True)
class FigureOf:
    """A figure of a measure over a factor."""

    id: str
    y: Measure
    x: str | None = None
    by: str | None = None
    panel: str | None = None
    at: Mapping[str, Label] = field(default_factory=dict)
    title: str | None = None
    caption: str = ""
    printed: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Values that a paper prints, in the order of x, by the level of `by`; one list under "" without it."""

    def drawn(self, results: ExperimentResult, title: str | None) -> Figure:
        """The figure, with what a paper prints as hollow points."""
        return results.plot(
            self.x,
            self.y,
            self.by,
            panel=self.panel,
            at=self.at,
            title=title,
            printed=self.printed,
        )


@dataclass(frozen=True)
class Part:
    """Part of a paper that a study is: it has its runs in setups, each with its variants."""

    setup: str | None = None
    """Name of a point's setup, with factors in braces: points with the same one are variants of it."""
    variant: str | None = None
    """Name of a point within its setup, likewise."""
    quick: Keys = field(default_factory=dict)
    """Keys that differ in a quick look."""
    extension: bool = False
    """True if it is beyond the paper's figures and claims, and so left out of a quick look."""
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Words of the paper's report for levels, by factor and label."""


@dataclass(frozen=True)
class Study:
    """An experiment, and what is to be shown of it."""

    experiment: Experiment
    path: Path
    comparisons: tuple[Comparison, ...] = ()
    figures: tuple[FigureOf, ...] = ()
    measures: tuple[Measure, ...] = ()
    """Measures of the table that is shown."""
    replications: Replications | None = None
    """Replications that the file asks for; nothing if it leaves them open."""
    part: Part = field(default_factory=Part)
    scenario: Path | None = None
    """File of its scenario; nothing if the study holds it."""
    printed: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Values that a paper prints, by measure: one for each point, in the measure's unit as it is shown."""

    def names(self, point: Point) -> tuple[str, str]:
        """Names of a point's setup and of its variant: by default the file's, and all labels."""
        stem = self.path.name.removesuffix(".toml").removesuffix(".study")
        labels = ", ".join(map(str, point.labels.values())) or stem
        return _filled(self.part.setup or stem, point), _filled(self.part.variant or labels, point)

    def pictures(self) -> list[FigureOf]:
        """The figures that are drawn: without any that is declared, goodput over the first factor."""
        if self.figures:
            return list(self.figures)
        levels = self.experiment.levels
        names = [name for name, known in levels.items() if known is None or len(known) > 1]
        few = 2
        if not 0 < len(names) <= few or self.experiment.size > MOST_DRAWN:
            return []
        y = self.measures[0] if self.measures else measure("goodput")
        for x, by in ((names[0], None), (names[0], names[-1]), (names[-1], names[0])):
            if not drawing_problems(levels, x, by, None, {}):
                return [FigureOf("goodput" if not self.measures else "measure", y, x, by)]
        return []


def load_study(path: str | Path, *, replications: int | None = None) -> Study:
    """The study of a file.

    Raises `StudyError` with all mistakes in it, `ScenarioError` with those of its scenario, and `OSError` if
    one of the two cannot be read.
    """
    path = Path(path)
    return study(read(path), path, replications=replications)


def read(path: Path) -> dict[str, Any]:
    """A file of TOML, on top of the one that it is `like`; raises `StudyError` with the place of a mistake.

    Of the other file it replaces the keys that it has itself, and of tables the keys in them.
    """
    document, seen = _parsed(path), [path]
    while (like := document.pop("like", None)) is not None:
        base = path.parent / _text(f"{path}: like", like)
        if base in seen:
            raise StudyError(f"{path}: like: {base.name} is like itself")
        seen.append(base)
        lower = _parsed(base)
        for key, value in document.items():
            both = isinstance(value, Mapping) and isinstance(lower.get(key), Mapping)
            lower[key] = {**lower[key], **value} if both else value
        document = lower
    return document


def _parsed(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise StudyError(f"{path}: larger than {LARGEST:,} octets")
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise StudyError(f"{path}: not a text in UTF-8: {error.reason}") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise StudyError(f"{path}: {error}") from error


def study(document: Mapping[str, Any], path: Path, *, replications: int | None = None) -> Study:
    """The study of a document that was read from `path`; `replications` counts instead of its own."""
    reader = _Reader(document, path)
    source = reader.scenario()
    asked = reader.one("replications", _rule, None)
    options: dict[str, Any] = {
        "factors": reader.table("factors", _levels),
        "design": reader.one("design", _design, "grid"),
        "replications": next(one for one in (replications, asked, REPLICATIONS) if one is not None),
        "set": reader.one("set", _mapping, {}),
        "draw": reader.table("draw", _draw) or None,
        "seed": reader.one("seed", _whole, None),
        "common_random_numbers": reader.one("common_random_numbers", _boolean, default=True),
        "claims": reader.table("claims", _claim).values(),
        "title": reader.one("title", _text, None),
        "folder": None if isinstance(source, Path) else path.parent,
    }
    comparisons = reader.table("compare", _comparison)
    figures = reader.table("figures", _figure)
    shown: dict[str, Any] = {
        "measures": reader.one("measures", _measures, ()),
        "printed": reader.one("printed", _printed, {}),
        "part": Part(
            setup=reader.one("setup", _text, None),
            variant=reader.one("variant", _text, None),
            quick=reader.one("quick", _mapping, {}),
            extension=reader.one("extension", _boolean, default=False),
            words=reader.table("words", _words),
        ),
        "replications": asked,
        "scenario": source if isinstance(source, Path) else None,
    }
    made = reader.made(source, options)
    along = [
        replace(one, x=one.x or first_free(made.levels, one.by, one.panel, one.at))
        for one in figures.values()
    ]
    found = Study(made, path, tuple(comparisons.values()), tuple(along), **shown)
    problems = [f"{path}: {problem}" for problem in _problems(found)]
    if problems:
        raise StudyError(*problems)
    return found


def _problems(study: Study) -> list[str]:
    """Names of factors, levels and flows that there are not, and figures that cannot be drawn."""
    experiment, found = study.experiment, []
    wanted = [("measures", one) for one in study.measures]
    for one in study.comparisons:
        where = f"compare.{one.factor}"
        wanted += [(where, each) for each in one.measures]
        found += [f"{where}: {problem}" for problem in _of_comparison(experiment, one)]
    for figure in study.figures:
        where = f"figures.{figure.id}"
        wanted.append((where, figure.y))
        wrong = drawing_problems(experiment.levels, figure.x, figure.by, figure.panel, figure.at)
        found += [f"{where}: {problem}" for problem in wrong]
    for where, template in (("setup", study.part.setup), ("variant", study.part.variant)):
        unknown = [
            name for name in _IN_BRACES.findall(template or "") if name not in experiment.levels
        ]
        found += [
            f"{where}: {name} is no factor; there are {', '.join(experiment.levels) or 'none'}"
            for name in unknown
        ]
    for name, words in study.part.words.items():
        found += _of_words(experiment.factors, name, words)
    for where, each in wanted:
        try:
            experiment.check_measures(each)
        except StudyError as error:
            found += [f"{where}: {problem}" for problem in error.problems]
    return found


def _of_words(factors: Sequence[Factor], name: str, words: Mapping[str, str]) -> Iterator[str]:
    """Problems of words, which may be for levels that no point has: a study that is like this one may."""
    there = {factor.name: factor for factor in factors}
    if name not in there:
        yield f"words.{name}: {name} is no factor; there are {', '.join(there) or 'none'}"
        return
    known = [str(level.label) for level in there[name].levels]
    for label in words if there[name].range is None else ():
        if label not in known:
            yield f"words.{name}: no level {label!r}; there are {', '.join(known)}"


def _of_comparison(experiment: Experiment, one: Comparison) -> Iterator[str]:
    levels = experiment.levels
    if one.factor not in levels:
        yield f"{one.factor} is no factor; there are {', '.join(levels) or 'none'}"
        return
    known = levels[one.factor]
    if known is not None and one.baseline not in known:
        yield f"no level {one.baseline!r}; there are {', '.join(map(str, known))}"
    elif not experiment.has_pairs(one.factor, one.baseline):
        yield f"no two points differ in it alone, one of them at {one.baseline}"
    for each in one.measures:
        if each.lower is not None:
            yield f"{each}: a quotient is compared by its two terms"


_IN_BRACES = re.compile(r"\{([^{}]*)\}")


def _filled(template: str, point: Point) -> str:
    """A name with the point's labels in it."""
    return _IN_BRACES.sub(lambda match: str(point.labels[match[1]]), template)


class _Reader:
    """Reads a document key by key, and gathers what is wrong."""

    def __init__(self, document: Mapping[str, Any], path: Path) -> None:
        self._document = document
        self._path = path
        self._read: set[str] = {"about"}
        self._problems: list[str] = []

    def scenario(self) -> Path | Mapping[str, Any] | None:
        """The scenario: a path from the study's folder, or the table itself; nothing if it is neither."""
        found = self._document.get("scenario")
        self._read.add("scenario")
        if isinstance(found, str) and found:
            return self._path.parent / found
        if isinstance(found, Mapping):
            return found
        wrong = "missing" if "scenario" not in self._document else repr(found)
        self._problems.append(
            f'scenario: {wrong}; allowed is a path, as in scenario = "cell.toml", or a table'
        )
        return None

    def one(self, key: str, of: Callable[[str, Any], Any], default: Any) -> Any:  # noqa: ANN401 - what `of` gives
        """The value of a key; `default` if it is not there, or wrong."""
        self._read.add(key)
        if key not in self._document:
            return default
        return self._or(default, lambda: of(key, self._document[key]))

    def table(self, key: str, of: Callable[[str, Any], Any]) -> dict[str, Any]:
        """The values of a table of things with names, but for those that are wrong."""
        self._read.add(key)
        found = self._document.get(key, {})
        if not isinstance(found, Mapping):
            self._problems.append(f"{key}: not a table")
            return {}
        made: dict[str, Any] = {}
        for name, value in found.items():
            try:
                made[name] = of(name, value)
            except StudyError as error:
                self._problems += error.problems
        return made

    def made(
        self, source: Path | Mapping[str, Any] | None, options: Mapping[str, Any]
    ) -> Experiment:
        """The experiment; raises `StudyError` with everything that is wrong.

        If the scenario alone is wrong, it raises `ScenarioError` or `OSError`.
        """
        unknown = [key for key in self._document if key not in self._read]
        self._problems += [f"{key}: unknown key{near(key, self._read)}" for key in unknown]
        # Where something is wrong already, the scenario is read by itself: what rests on it would follow.
        names = ("set", "seed", "folder") if self._problems else options
        made = None
        try:
            if source is not None:
                made = Experiment(source, **{name: options[name] for name in names})
        except StudyError as error:
            self._problems += error.problems
        except ScenarioError as error:
            if not self._problems:
                raise
            self._problems += [f"scenario: {problem}" for problem in error.problems]
        except OSError as error:
            if not self._problems:
                raise
            self._problems.append(f"scenario: {error.filename}: {error.strerror or error}")
        if made is None or self._problems:
            raise StudyError(*(f"{self._path}: {problem}" for problem in self._problems))
        return made

    def _or(self, default: Any, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - likewise
        try:
            return make()
        except StudyError as error:
            self._problems += error.problems
            return default


def near(word: str, known: Sequence[str] | set[str]) -> str:
    """What `word` may have been meant for, or else all that is allowed."""
    import difflib

    close = difflib.get_close_matches(word, sorted(known), n=1)
    return f"; did you mean {close[0]}?" if close else f"; allowed {', '.join(sorted(known))}"


# ------------------------------------------------------------------ kinds of values


def _keyed(
    where: str, value: object, known: Mapping[str, Callable[[str, Any], Any]]
) -> dict[str, Any]:
    """A table of which only some keys are known, each read by its kind."""
    read, gathered = {}, Gathered()
    for key, item in _mapping(where, value).items():
        with gathered:
            if key not in known:
                raise StudyError(f"{where}.{key}: unknown key{near(key, set(known))}")
            read[key] = known[key](f"{where}.{key}", item)
    gathered.tell()
    return read


def _text(where: str, value: object) -> str:
    if not isinstance(value, str):
        raise StudyError(f"{where}: {value!r}; allowed is a text")
    return value


def _whole(where: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise StudyError(f"{where}: {value!r}; allowed is a whole number")
    return value


def _number(where: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise StudyError(f"{where}: {value!r}; allowed is a number")
    return float(value)


def _boolean(where: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise StudyError(f"{where}: {value!r}; allowed is true or false")
    return value


def _mapping(where: str, value: object) -> Mapping[str, Any]:
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
    return {name: _label(f"{where}.{name}", one) for name, one in _mapping(where, value).items()}


def _at(where: str, value: object) -> dict[str, Any]:
    return {name: _labels(f"{where}.{name}", one) for name, one in _mapping(where, value).items()}


def _measures(where: str, value: object) -> tuple[Measure, ...]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise StudyError(f'{where}: none; a measure such as "goodput" is needed')
    made, gathered = [], Gathered()
    for one in values:
        with gathered:
            made.append(measure(_text(where, one)))
    gathered.tell()
    return tuple(made)


def _levels(name: str, value: Any) -> Levels:  # noqa: ANN401 - as TOML gives it
    """Levels of a factor: a list, one for a key of another name, a range, or labels with their keys.

    Labels alone are for what a paper draws by a function of its own.
    """
    if isinstance(value, list):
        return value
    table = _mapping(f"factors.{name}", value)
    if "values" in table:
        read = _keyed(f"factors.{name}", table, {"key": _text, "values": _list})
        return {one: {read.get("key", name): one} for one in read["values"]}
    if "labels" in table:
        read = _keyed(f"factors.{name}", table, {"labels": _list})
        return {label: {} for label in read["labels"]}
    if "between" in table:
        return _between(f"factors.{name}", table)
    return {label: _mapping(f"factors.{name}.{label}", keys) for label, keys in table.items()}


def _between(where: str, table: Mapping[str, Any]) -> Between:
    read = _keyed(where, table, {"between": _ends, "scale": _text})
    return between(*read["between"], scale=read.get("scale", "linear"))


def _ends(where: str, value: object) -> tuple[float | str, float | str]:
    if not isinstance(value, list) or len(value) != 2:  # noqa: PLR2004 - two ends
        raise StudyError(f'{where}: {value!r}; allowed are two ends, as in ["1 Mb/s", "54 Mb/s"]')
    return value[0], value[1]


def _draw(name: str, value: object) -> Draw:
    where = f"draw.{name}"
    table = _mapping(where, value)
    if "between" in table:
        return _between(where, table)
    read = _keyed(where, table, {"choice": _list})
    if "choice" not in read:
        raise StudyError(f"{where}: allowed is {{ choice = […] }} or {{ between = [low, high] }}")
    return choice(read["choice"])


def _words(name: str, value: object) -> dict[str, str]:
    where = f"words.{name}"
    return {
        label: _text(f"{where}.{label}", text) for label, text in _mapping(where, value).items()
    }


def _list(where: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise StudyError(f"{where}: {value!r}; allowed is a list")
    return value


def _design(where: str, value: object) -> Design | str:
    """A word, a table with kind and number of points, or a list of points."""
    if isinstance(value, str):
        if value != "grid":
            raise StudyError(
                f'{where}: {value!r}; allowed "grid", a list of points, or {{ kind, points }}'
            )
        return value
    if isinstance(value, list):
        return designs.Listed(tuple(_at(where, point) for point in value))
    read = _keyed(where, value, {"kind": _text, "points": _whole, "seed": _whole})
    if read.get("kind") not in designs.KINDS or "points" not in read:
        allowed = ", ".join(designs.KINDS)
        raise StudyError(f"{where}: kind and points are needed; kinds are {allowed}")
    return designs.Sampled(read["kind"], read["points"], read.get("seed", 1))


def _rule(where: str, value: object) -> Replications:
    return stopping.replications(_replications(where, value))


def _replications(where: str, value: object) -> int | Replications:
    if not isinstance(value, Mapping):
        return _whole(where, value)
    read = _keyed(
        where,
        value,
        {
            "until": _text,
            "half_width": _number,
            "relative": _boolean,
            "least": _whole,
            "most": _whole,
        },
    )
    until = read.pop("until", None)
    if until is None:
        raise StudyError(f'{where}: until is needed: a measure, or "decided"')
    if until == "decided":
        if {"half_width", "relative"} & read.keys():
            raise StudyError(
                f"{where}: half_width belongs to a measure; claims have their own bounds"
            )
        return stopping.until_decided(**read)
    if "half_width" not in read:
        raise StudyError(f"{where}: half_width is needed, as a part of the mean: half_width = 0.02")
    return stopping.until(until, **read)


def _claim(id_: str, value: object) -> Claim:
    where = f"claims.{id_}"
    read = _keyed(
        where,
        value,
        {
            "measure": _text,
            "text": _text,
            "at": _at,
            "factor": _text,
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
        raise StudyError(f'{where}: measure is needed, as in measure = "goodput[fast]"')
    return claim(id_, read.pop("measure"), **read)


def _one_of(*words: str) -> Callable[[str, object], str]:
    def read(where: str, value: object) -> str:
        if value not in words:
            raise StudyError(f"{where}: {value!r}; allowed {', '.join(words)}")
        return str(value)

    return read


def _comparison(name: str, value: object) -> Comparison:
    where = f"compare.{name}"
    read = _keyed(where, value, {"baseline": _label, "measures": _measures})
    if "baseline" not in read:
        raise StudyError(f"{where}: baseline is needed")
    return Comparison(name, read["baseline"], read.get("measures", (measure("goodput"),)))


def _figure(id_: str, value: object) -> FigureOf:
    read = _keyed(
        f"figures.{id_}",
        value,
        {
            "x": _text,
            "y": _text,
            "by": _text,
            "panel": _text,
            "at": _held,
            "title": _text,
            "caption": _text,
            "printed": _printed,
        },
    )
    if not _FILE.fullmatch(id_):
        raise StudyError(f"figures.{id_}: names a file; allowed are letters, digits, _ and -")
    y = measure(read.pop("y", "goodput"))
    return FigureOf(id_, y, **read)


def _printed(where: str, value: object) -> dict[str, list[float]]:
    """Values that a paper prints: a list, or one for each level of `by`."""
    table = {"": value} if isinstance(value, list) else _mapping(where, value)
    return {
        name: [_number(f"{where}.{name}", one) for one in _list(where, values)]
        for name, values in table.items()
    }

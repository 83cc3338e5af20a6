"""Writes numbers into pages: `0.882 ± 0.009<!--=fairness-->` is the number with the alias `fairness`.

`book/numbers/PAGE.toml` defines an expression for each alias of a page. A mark may append names to an alias:
`139<!--=own.loses-->` is `loses` of the value of `own`. An expression is over runs of `book/runs.toml`, which
are simulated each time, over the records of `KEPT`, or over a paper's full run, whose values `make record`
keeps in docs/numbers.json. On pages that are not the paper's, its id precedes the expression:
`arf-aware-tcp: table1.newreno.aggregate`. `make book` keeps the form of the number in the page (digits, sign,
interval, or a word). tables.py writes tables of results.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, get_args

import jinja2
import tables
from tables import NamingError

import airfair
from airfair.experiment.claims import Ruling

ROOT = Path(__file__).resolve().parents[1]
RUNS = ROOT / "book" / "runs.toml"
ALIASES = ROOT / "book" / "numbers"
RECORD = ROOT / "docs" / "numbers.json"
VERDICTS = ROOT / "docs" / "verdicts.json"
KEPT = {
    "agent": ROOT / "bench/agent.json",
    "curves": ROOT / "bench/error_curves.json",
    "dumbbell": ROOT / "bench/dumbbell.json",
    "emulated": ROOT / "bench/emulated.json",
    "emulator": ROOT / "bench/emulator.json",
    "house": ROOT / "bench/house.json",
    "limits": ROOT / "docs/limits.json",
    "ns2": ROOT / "bench/ns2",
    "ns3": ROOT / "bench/ns3",
    "pacing": ROOT / "bench/pacing.json",
    "ppo": ROOT / "bench/ppo.json",
    "race": ROOT / "bench/race.json",
    "rates": ROOT / "bench/rates.json",
    "reuse": ROOT / "bench/reuse.json",
    "step": ROOT / "bench/step.json",
    "laws": ROOT / "bench/laws.json",
}
"""Records of measurements that take long or need other programs; `ns2.updown` is the record updown.json."""
PAPERS = tuple(json.loads(VERDICTS.read_text(encoding="utf-8"))["papers"])

_WORDS = "no one two three four five six seven eight nine ten eleven twelve"
WORDS = _WORDS.split()
_PLAIN = r"\d+(?:\.\d+)?"
_WRITTEN = rf"[+−-]?{_PLAIN}(?:\s±\s{_PLAIN})?|\b(?:{'|'.join(WORDS)})"
_MARKED = re.compile(
    rf"(?P<written>{_WRITTEN})(?P<mark><!--=\s*(?P<name>[a-z][\w.]*)\s*-->)", re.IGNORECASE
)
_MARK = re.compile(r"<!--=")
_PATH = re.compile(r"""[\w-]+(?:: [\w-]+)?(?:\.\w+|\["[^"]*"\]|\[\d+\])*""")
"""Form of expressions to which a name can be appended."""
_EXPRESSIONS = jinja2.Environment(autoescape=False, undefined=jinja2.StrictUndefined)  # noqa: S701 - no HTML


@dataclass(frozen=True)
class Number:
    """Value with the half width of its 95 % interval, if it has one."""

    mean: float
    ci95: float | None = None

    def __mul__(self, factor: float) -> Number:
        return Number(self.mean * factor, self.ci95 and self.ci95 * abs(factor))

    __rmul__ = __mul__

    def __truediv__(self, divisor: float | Number) -> Number:
        if isinstance(divisor, Number):
            return Number(self.mean / divisor.mean)
        return self * (1 / divisor)

    def __add__(self, other: float | Number) -> Number:
        if isinstance(other, Number):
            return Number(self.mean + other.mean)
        return Number(self.mean + other, self.ci95)

    __radd__ = __add__

    def __sub__(self, other: float | Number) -> Number:
        return self + other * -1

    def __rsub__(self, other: float) -> Number:
        return self * -1 + other

    def __neg__(self) -> Number:
        return self * -1


# ------------------------------------------------------------------ sources of numbers


@cache
def runs() -> dict[str, Any]:
    """Results of the runs that book/runs.toml declares, for example `anomaly.flows.a.goodput_bps`."""
    return {name: _run(**keys) for name, keys in _declared().items()}


def _declared() -> dict[str, dict[str, Any]]:
    return tomllib.loads(RUNS.read_text(encoding="utf-8"))


def _run(scenario: str, replications: int, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - TOML
    done = airfair.run(ROOT / scenario, replications=replications, **more)
    document = done.to_json()
    tables = ("flows", "stations", "access_points", "channels", "links")
    named = {table: {row["name"]: _numbers(row) for row in document[table]} for table in tables}
    return {**named, "fairness": _numbers(document["fairness"]), "protocols": _protocols(done)}


def _protocols(done: airfair.Result) -> dict[str, Any]:
    """Mean metrics of friendliness by protocol, if the flows have several protocols."""
    if len(set(done.protocols.values())) == 1:
        return {}
    table = done.friendliness("1 s").group_by("protocol").mean()
    return {row["protocol"]: _numbers(row) for row in table.iter_rows(named=True)}


@cache
def kept() -> dict[str, Any]:
    """Numbers of the records in `KEPT`."""

    def read(path: Path) -> Any:  # noqa: ANN401 - JSON
        if path.is_dir():
            return {one.stem: read(one) for one in path.glob("*.json")}
        return pairs(json.loads(path.read_text(encoding="utf-8")))

    def pairs(value: Any) -> Any:  # noqa: ANN401 - JSON
        if isinstance(value, dict):
            return {key: pairs(one) for key, one in value.items()}
        match value:
            case str():
                return value
            case [int() | float(), int() | float() | None]:
                return Number(*value)
            case list():
                return [pairs(one) for one in value]
            case _:
                return Number(value)

    return {name: read(path) for name, path in KEPT.items()}


@cache
def verdicts() -> dict[str, dict[str, int]]:
    """Counts of claims by paper and verdict; `all` has those of all papers."""
    record = json.loads(VERDICTS.read_text(encoding="utf-8"))["papers"]
    none = dict.fromkeys(get_args(Ruling), 0)
    counts: dict[str, dict[str, int]] = {"all": dict(none)}
    for paper, entry in record.items():
        for into in (counts.setdefault(paper, dict(none)), counts["all"]):
            for claim in entry["claims"].values():
                into[claim["state"]] = into.get(claim["state"], 0) + 1
                into["claims"] = into.get("claims", 0) + 1
    return counts


def full_run(paper: str, results: Path) -> dict[str, Any]:
    """Values of a paper's full run: `measured` and `series` of experiments, points of claims, and tables."""
    document = json.loads((results / paper / f"{paper}.json").read_text(encoding="utf-8"))
    if document["quick"] or document["interrupted"]:
        raise NamingError(f"{results / paper}: not a full run; make reproduce")
    if (
        document["plan"]
        != json.loads(VERDICTS.read_text(encoding="utf-8"))["papers"][paper]["plan"]
    ):
        raise NamingError(f"{results / paper}: not the run of {VERDICTS.name}; make record")
    names: dict[str, Any] = {"claims": {}, "tables": _tables(document["tables"])}
    for experiment in document["experiments"]:
        series = {
            one["name"]: {str(x): Number(*pair) for x, *pair in _points(one)}
            for one in experiment["series"]
        }
        names[experiment["id"]] = {**_numbers(experiment["measured"]), "series": series}
    for claim in document["claims"]:
        names["claims"][claim["id"]] = {
            **_numbers(claim["points"]),
            **evidence_in(claim["evidence"]),
        }
    return names


def _tables(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Tables of a report, for expressions such as `tables.slots["300 ms"]["gain, %"]`."""
    return {
        table["id"]: {
            row: {
                column["label"]: Number(column["mean"][place], column["ci95"][place])
                for column in table["columns"]
                if column["mean"][place] is not None
            }
            for place, row in enumerate(table["rows"])
        }
        for table in tables
    }


def _points(series: Mapping[str, Any]) -> Iterator[tuple[Any, float, float | None]]:
    intervals = series.get("ci95") or [None] * len(series["mean"])
    for x, mean, half in zip(series["x"], series["mean"], intervals, strict=True):
        if mean is not None:
            yield x, mean, half


_NUMBER = rf"[+−-]?{_PLAIN}"
_POINT = re.compile(
    rf"(?:(?P<beside>.+), (?:as near|not deciding): )?(?:\w+: )?(?P<label>.+)"
    rf" = (?P<first>{_NUMBER}) (?P<kind>±|to) (?P<second>{_NUMBER})(?: \(needs .*\))?: \w+"
)

_QUOTA = re.compile(
    r"(?:(?P<beside>.+), (?:as near|not deciding): )?(?:\w+: )?(?P<label>.+): "
    rf"(?P<hold>{_PLAIN}) of (?P<of>{_PLAIN}) \(needs (?P<needs>{_PLAIN})\): \w+"
)


def evidence_in(text: str) -> dict[str, Any]:
    """Points of a claim under the deciding reading; `beside` has the points under other readings, by name."""
    points: dict[str, Any] = {"beside": {}}
    into = points
    for part in text.split("; "):
        found, quota = _POINT.fullmatch(part), _QUOTA.fullmatch(part)
        if not (either := found or quota):
            continue
        if either["beside"]:
            into = points["beside"].setdefault(either["beside"], {})
        if not found:
            counts = {key: Number(float(either[key]), None) for key in ("hold", "of", "needs")}
            into[either["label"]] = counts
            continue
        first, second = float(found["first"]), float(found["second"])
        if found["kind"] == "to":
            first, second = (first + second) / 2, (second - first) / 2
        into[found["label"]] = Number(first, second)
    return points


def _extreme(choose: Callable[..., Number]) -> Callable[..., Number]:
    """Function for expressions: the least or the greatest number whose name in a table matches a pattern."""

    def chosen(table: Any, pattern: str = "*") -> Number:  # noqa: ANN401 - part of a document
        named = table.items() if isinstance(table, Mapping) else enumerate(table)
        numbers = [
            one
            for name, one in named
            if isinstance(one, Number) and fnmatchcase(str(name), pattern)
        ]
        return choose(numbers, key=lambda one: one.mean)

    return chosen


def _numbers(value: Any, half: Any = None) -> Any:  # noqa: ANN401 - JSON
    """Document in which each number has its interval, taken from the key `ci95` or `NAME_ci95`."""
    if isinstance(value, dict):
        halves = value.get("ci95") if isinstance(value.get("ci95"), dict) else half or {}
        return {
            key: _numbers(one, halves.get(key, value.get(f"{key}_ci95")))
            for key, one in value.items()
            if key != "ci95"
        }
    if isinstance(value, list):
        pairs = half if isinstance(half, list) and len(half) == len(value) else [None] * len(value)
        return [_numbers(one, two) for one, two in zip(value, pairs, strict=True)]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Number(float(value), half if isinstance(half, (int, float)) else None)
    return value


# ------------------------------------------------------------------ numbers of a page


Value = Callable[[str, str | None], Number]
"""Function from an expression and the paper of its page to a number."""


def paper_of(page: Path) -> str | None:
    """Id of the paper to which a page or a text of reasons belongs."""
    inside = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page
    parts = (page.stem, *(part.name for part in inside.parents))
    return next((part for part in parts if part in PAPERS), None)


def evaluate(name: str, names: Mapping[str, Any]) -> Number:
    """Value of an expression."""
    try:
        compiled = _EXPRESSIONS.compile_expression(name, undefined_to_none=False)
        value = compiled(**names, least=_extreme(min), most=_extreme(max))
    except (jinja2.TemplateError, TypeError, ZeroDivisionError) as error:
        raise NamingError(f"{name}: {error}") from error
    if isinstance(value, (int, float)):
        return Number(float(value))
    if not isinstance(value, Number):
        raise NamingError(f"{name}: no number of this name")
    return value


def recorded_as(name: str, paper: str | None) -> tuple[str, str] | None:
    """Paper and expression, if the number is from a full run; `None` for other sources."""
    before, colon, rest = name.partition(": ")
    if colon and before in PAPERS:
        return before, rest
    first = re.split(r"\W", name.lstrip("( -"), maxsplit=1)[0]
    made = {*_declared(), *KEPT, "verdicts"}
    return (paper, name) if paper is not None and first not in made else None


def recorded() -> dict[str, dict[str, list[float | None]]]:
    """Content of docs/numbers.json: means and intervals by paper and expression."""
    found: dict[str, dict[str, list[float | None]]] = json.loads(
        RECORD.read_text(encoding="utf-8") if RECORD.exists() else "{}"
    )
    return found


def value(name: str, paper: str | None) -> Number:
    """Number of an expression, from new runs or from a record."""
    if (known := recorded_as(name, paper)) is None:
        return evaluate(name, {**runs(), **kept(), "verdicts": verdicts()})
    numbers = recorded().get(known[0], {})
    if known[1] not in numbers:
        raise NamingError(f"{name}: not in {RECORD.name} for {known[0]}; make record")
    mean, half = numbers[known[1]]
    return Number(float(mean or 0), half)


@dataclass(frozen=True)
class Context:
    """Paper and aliases of a page, which define the meaning of its marks."""

    paper: str | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Expressions by alias."""

    def expression(self, name: str) -> str:
        """Expression of a mark."""
        alias, dot, rest = name.partition(".")
        if alias not in self.aliases:
            raise NamingError(f"<!--={name}-->: the page's file in book/numbers has no {alias}")
        known = self.aliases[alias]
        if dot and not _PATH.fullmatch(known):
            raise NamingError(f"<!--={name}-->: {rest} cannot be appended to {known}")
        return f"{known}{dot}{rest}"


def aliases_of(page: Path) -> Path:
    """Path of the file with a page's aliases, which exists only if the page has marks."""
    if page.name == "reasons.md":
        return ALIASES / "reasons" / f"{page.parents[1].name}.toml"
    inside = page.relative_to(ROOT / "docs") if page.is_relative_to(ROOT / "docs") else page.name
    return (ALIASES / inside).with_suffix(".toml")


def context_of(page: Path) -> Context:
    """Paper and aliases of a page."""
    path = aliases_of(page)
    known = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return Context(paper_of(page), known)


def updated(text: str, context: Context, value_of: Value = value) -> str:
    """Text of a page with current numbers, in its prose and in its tables."""
    loose = len(_MARK.findall(text)) - len(_MARKED.findall(text))
    if loose:
        raise NamingError(
            f"{loose} marks without a number before them, or without an alias in them"
        )

    def in_prose(found: re.Match[str]) -> str:
        number = value_of(context.expression(found["name"]), context.paper)
        return formatted(found["written"], number) + found["mark"]

    def in_table(cell: tables.Cell) -> str:
        return formatted(cell.picture, value_of(cell.expression, context.paper))

    return tables.filled(_MARKED.sub(in_prose, text), in_table)


def marks_in(text: str) -> list[str]:
    """Names in the marks of a text."""
    return [found["name"] for found in _MARKED.finditer(text)]


def names_in(text: str, context: Context) -> list[str]:
    """Expressions of the numbers of a text."""
    in_prose = [context.expression(name) for name in marks_in(text)]
    return [*in_prose, *(cell.expression for cell in tables.cells_in(text))]


def without(text: str) -> str:
    """Text without its named numbers; typed numbers in sources of tables remain."""
    return tables.filled(_MARKED.sub("", text), lambda _: "")


def formatted(sample: str, number: Number) -> str:
    """Number in the form of a sample: with the same digits, sign and interval, or as a word."""
    if sample.lower() in WORDS:
        rounded = round(number.mean)
        word = WORDS[rounded] if 0 <= rounded < len(WORDS) else str(rounded)
        return word.capitalize() if sample[0].isupper() else word
    mean, half = (*re.split(r"\s±\s", sample), "")[:2]
    text = f"{abs(number.mean):.{_digits(mean)}f}"
    if number.mean < 0 and float(text):
        text = f"−{text}"
    elif sample.startswith("+"):
        text = f"+{text}"
    if half:
        if number.ci95 is None:
            raise NamingError(f"{sample}: the number of this name has no interval")
        text += f" ± {number.ci95:.{_digits(half)}f}"
    return text


def _digits(text: str) -> int:
    return len(text.partition(".")[2])


# ------------------------------------------------------------------ all pages


def pages() -> list[Path]:
    """Paths of all texts that may have marks."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [*found, *sorted((ROOT / "python/airfair/experiments").glob("*/text/reasons.md"))]


def recorded_names() -> dict[str, set[str]]:
    """Expressions over full runs that pages use, by paper."""
    used: dict[str, set[str]] = {paper: set() for paper in PAPERS}
    for page in pages():
        context = context_of(page)
        for name in names_in(page.read_text(encoding="utf-8"), context):
            if known := recorded_as(name, context.paper):
                used[known[0]].add(known[1])
    return used


def record(results: Path) -> dict[str, dict[str, list[float | None]]]:
    """Values of the expressions of `recorded_names`, from full runs."""
    found: dict[str, dict[str, list[float | None]]] = {}
    for paper, used in recorded_names().items():
        names = full_run(paper, results)
        numbers = {name: evaluate(name, names) for name in sorted(used)}
        found[paper] = {
            name: [_rounded(one.mean), _rounded(one.ci95)] for name, one in numbers.items()
        }
    return found


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")

"""Measures: one number of each run, named as in `goodput`, `delay_p95_ms[voice*]` or `min goodput`.

    MEASURE = TERM [ "/" TERM ]
    TERM    = [ "sum" | "mean" | "min" | "max" ] [ TABLE "." ] COLUMN [ "[" NAMES "]" ]

COLUMN is a column of a table of results (docs/results.md); its unit may be left out (`goodput`, `delay_p95`).
NAMES are patterns, separated by ",", of the flows, stations, … to include; by default all. The first word
selects how their values are combined; by default goodput, counts and shares of one whole are summed, and all
other columns are averaged. A quotient is that of two means, with the variance of both.

In Python a measure may also be an expression of polars or a function (`formulas`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeAlias

from airfair.columns import tables as declared
from airfair.fairness import INDICES
from airfair.names import did_you_mean

from .errors import StudyError
from .formulas import Formula, Function, NotKept, Value
from .tables import SUBJECTS, Tables, columns

if TYPE_CHECKING:
    import polars as pl

    from airfair.result import Result

HOW = ("sum", "mean", "min", "max")
_TERM = re.compile(
    rf"\s*(?:({'|'.join(HOW)})\s+)?(?:(\w+)\.)?(\w+)\s*(?:\[([^\]]*)\])?\s*",
)

ENDINGS = ("_bps", "_bytes", "_ns", "_ms", "_s")
"""Units at the end of a column's name, which may be left out."""
_ADDED = frozenset({"ns", "octets", "packets", "frames", "segments", "count"})
"""Units whose values are added up over flows or stations."""
_PARTS = frozenset(
    {
        "goodput_bps",
        "airtime_share",
        "occupancy",
        "data_up",
        "data_down",
        "control",
    }
)
"""Rates and shares that are parts of one whole, and so added up as well."""

SCALES: Mapping[str, tuple[float, str]] = {
    "bit/s": (1e-6, "Mb/s"),
    "ns": (1e-9, "s"),
    "octets": (1e-6, "MB"),
    "fraction": (100.0, "%"),
}
"""Factor and unit for display, by the unit of a column."""
_WORDLESS = frozenset({"index", "count", "number"})
"""Units that are not shown behind a number."""

_PLAIN = ("flows", "stations", "channels")
"""Tables that need not be named with their columns."""


@dataclass(frozen=True)
class Term:
    """Column of a table, the rows to include, and the function that combines them."""

    table: str
    column: str
    names: str = ""
    """Patterns of names, separated by ","; empty for all."""
    how: str = "sum"

    def values(self, tables: Tables) -> pl.DataFrame:
        """Table of `point`, `replication` and `value` (null if a run has none), one row per run."""
        import polars as pl

        rows = tables.table(self.table)
        subject = SUBJECTS[self.table]
        value = pl.col(self.column).cast(pl.Float64)
        if subject is None:
            return rows.select("point", "replication", value=value)
        if self.names:
            there = rows[subject].unique(maintain_order=True).to_list()
            if there and (problem := self.problem({subject: there})):
                raise StudyError(problem)
            wanted = [name for name in there if self._is_meant(name)]
            rows = rows.filter(pl.col(subject).is_in(wanted))
        whole = pl.when(value.null_count() == 0).then(getattr(value, self.how)())
        # The rows of a run are adjacent; grouping sorted rows needs a tenth of the memory.
        keys = ("point", "replication")
        begins = pl.any_horizontal(pl.col(key) != pl.col(key).shift() for key in keys)
        rows = rows.select(
            *keys, self.column, run=begins.fill_null(value=False).cum_sum().set_sorted()
        )
        of_runs = rows.group_by("run", maintain_order=True)
        return of_runs.agg(*(pl.col(key).first() for key in keys), value=whole).drop("run")

    def problem(self, there: Mapping[str, Sequence[str]]) -> str | None:
        """Error text if the patterns of the term match none of `there` (names by kind), else `None`."""
        subject = SUBJECTS[self.table]
        if not self.names or subject is None:
            return None
        if any(map(self._is_meant, there[subject])):
            return None
        known = ", ".join(there[subject]) or "none"
        return f"{self}: matches no {subject.replace('_', ' ')}; allowed {known}"

    def _is_meant(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern.strip()) for pattern in self.names.split(","))

    @property
    def unit(self) -> str:
        """Unit of the column, as in docs/results.md."""
        return columns()[self.table][self.column]

    def __str__(self) -> str:
        names = f"[{self.names}]" if self.names else ""
        how = "" if self.how == _default_how(self.table, self.column) else f"{self.how} "
        is_plain = self.table in _PLAIN and _home(self.column) == self.table
        table = "" if is_plain else f"{self.table}."
        return f"{how}{table}{self.column}{names}"


Part = Term | Formula | Function | NotKept
"""Part of a measure."""


@dataclass(frozen=True)
class Measure:
    """One number for each run: a term, the quotient of two terms, an expression or a function."""

    upper: Part
    lower: Part | None = None

    @property
    def terms(self) -> tuple[Part, ...]:
        """Parts of the measure, one or two."""
        return (self.upper,) if self.lower is None else (self.upper, self.lower)

    @property
    def unit(self) -> str:
        """Unit of the values; empty for a quotient of two terms with the same unit."""
        if self.lower is None:
            return self.upper.unit
        return (
            "" if self.upper.unit == self.lower.unit else f"{self.upper.unit} / {self.lower.unit}"
        )

    @property
    def shown(self) -> tuple[float, str]:
        """Factor to a unit for display, and that unit: bit/s are shown as Mb/s."""
        factor, unit = SCALES.get(self.unit, (1.0, self.unit))
        return factor, "" if unit in _WORDLESS else unit

    @property
    def name(self) -> str:
        """Name for display, without the unit at its end."""
        text = str(self)
        for ending in ENDINGS:
            text = (
                text.replace(f"{ending}[", "[").removesuffix(ending).replace(f"{ending} / ", " / ")
            )
        return text

    @property
    def label(self) -> str:
        """Name with the unit for display, for an axis or a heading."""
        unit = self.shown[1]
        return f"{self.name} [{unit}]" if unit else self.name

    def __str__(self) -> str:
        return str(self.upper) if self.lower is None else f"{self.upper} / {self.lower}"


Measurable: TypeAlias = "str | Measure | pl.Expr | Callable[[Result], Value]"
"""Measure as the user gives it."""


def measure(
    of: Measurable, *, name: str | None = None, unit: str | None = None, table: str | None = None
) -> Measure:
    """Measure, that is one number for each run: from text, an expression of polars, or a function.

    - Text such as `goodput`, `delay_p95_ms[voice*]` or `min goodput / max goodput`. The grammar is
      `TERM [ "/" TERM ]`, with
      `TERM = [ "sum" | "mean" | "min" | "max" ] [ TABLE "." ] COLUMN [ "[" NAMES "]" ]`. COLUMN is a column
      of a table of results (docs/results.md) and NAMES are patterns of flows, stations, …
    - An expression that makes one value of the rows that a run has in a table, such as
      `pl.col("goodput_bps").median()`. The table is the first one with all columns of the expression, or
      `table`.
    - A function from the `Result` of a single run to a number, or to `None` where it has none.

    Functions that take a measure take each of the three. `name` and `unit` are shown for an expression or a
    function; a text has its own.

    Raises `StudyError` for an unknown column, with the nearest known names, and for anything else.
    """
    if not isinstance(of, str | Measure):
        return Measure(_part(of, name, unit or "", table))
    if (name, unit, table) != (None, None, None):
        raise StudyError(
            f"measure {str(of)!r}: name, unit and table are for expressions and functions; a text has its own"
        )
    return of if isinstance(of, Measure) else _of_text(of)


def several(of: Measurable | Sequence[Measurable]) -> list[Measure]:
    """Measures from one or from a list."""
    return [measure(one) for one in of] if isinstance(of, list | tuple) else [measure(of)]  # type: ignore[arg-type]


def _part(of: object, name: str | None, unit: str, table: str | None) -> Part:
    """Part of a measure from an expression or a function."""
    # Without polars there is no expression, and importing it takes longer than checking a study.
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(of, polars.Expr):
        return _formula(of, name, unit, table)
    if not callable(of):
        raise StudyError(
            f"measure {of!r}: allowed is text, for example goodput, an expression of polars, or a function"
        )
    if table is not None:
        raise StudyError(
            f"measure {of!r}: table {table}; allowed is a table for an expression only"
        )
    own: str = getattr(of, "__name__", type(of).__name__)
    return Function(of, name or own, unit)


def _formula(expression: pl.Expr, name: str | None, unit: str, table: str | None) -> Formula:
    """Expression over the first table that has all its columns, or over `table`."""
    used = expression.meta.root_names()
    alias = expression.meta.output_name(raise_if_undetermined=False)
    name = name or (alias if alias and alias not in used else str(expression))
    there = {
        one: [*INDICES] if one == "fairness" else [*declared()[one].by_name] for one in SUBJECTS
    }
    if table is not None and table not in there:
        raise StudyError(f"measure {name}: unknown table {table}; allowed {', '.join(there)}")
    if not used and table is None:
        raise StudyError(
            f"measure {name}: names no column; allowed is an expression with columns, or with a table"
        )
    where = list(there) if table is None else [table]
    fitting = next((one for one in where if set(used) <= {*there[one]}), None)
    if fitting is not None:
        return Formula(expression, fitting, name, unit)
    unknown = [column for column in used if not any(column in there[one] for one in where)]
    if not unknown:
        raise StudyError(f"measure {name}: no table has all of {', '.join(used)}")
    near = did_you_mean(unknown[0], [column for one in where for column in there[one]])
    raise StudyError(f"measure {name}: unknown column {unknown[0]}{near or _allowed(where)}")


def _of_text(text: str) -> Measure:
    parts = re.split(r"/(?![^\[]*\])", text)  # a "/" in brackets belongs to a name
    terms = [_term(part, text) for part in parts if part.strip()]
    if not terms or len(terms) != len(parts) or len(terms) > 2:  # noqa: PLR2004 - a quotient has two
        raise StudyError(
            f"measure {text!r}: allowed is a column, for example goodput_bps, delay_p95_ms[voice*], "
            "min goodput or fairness.airtime, or a quotient of two columns"
        )
    return Measure(*terms)


def _term(part: str, text: str) -> Term:
    match = _TERM.fullmatch(part)
    if match is None:
        raise StudyError(
            f"measure {text!r}: {part.strip()!r}; allowed is a column, for example goodput[voice*]"
        )
    how, table, column, names = match.groups()
    known = columns()
    if table is not None and table not in known:
        raise StudyError(f"measure {text!r}: unknown table {table}; allowed {', '.join(known)}")
    where = [table] if table else list(known)
    for name in where:
        for candidate in (column, *(column + ending for ending in ENDINGS)):
            if candidate in known[name]:
                return Term(
                    name, candidate, (names or "").strip(), how or _default_how(name, candidate)
                )
    raise StudyError(f"measure {text!r}: unknown column {column}{_near(column, where)}")


def _near(column: str, tables: list[str]) -> str:
    there = list(dict.fromkeys(name for table in tables for name in columns()[table]))
    short = [_without_unit(name) for name in there]
    return did_you_mean(column, [*short, *there]) or _allowed(tables)


def _allowed(tables: list[str]) -> str:
    there = dict.fromkeys(name for table in tables for name in columns()[table])
    return f"; allowed {', '.join(there)}"


def _without_unit(name: str) -> str:
    ending = next((ending for ending in ENDINGS if name.endswith(ending)), "")
    return name.removesuffix(ending)


def _default_how(table: str, column: str) -> str:
    return "sum" if columns()[table][column] in _ADDED or column in _PARTS else "mean"


def _home(column: str) -> str | None:
    """First table that has a column of this name; `None` if there is none."""
    return next((table for table, there in columns().items() if column in there), None)

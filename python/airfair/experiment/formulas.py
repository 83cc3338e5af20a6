"""Measures written in Python: an expression of polars over a table, or a function of a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airfair import lazy

from .errors import StudyError
from .tables import SUBJECTS, Tables

if TYPE_CHECKING:
    import polars as pl

    from airfair.result import Result
else:
    pl = lazy.Module("polars")

Value = float | bool | None
"""Value of a measure in one run; `None` if the run has none."""


@dataclass(frozen=True, eq=False)
class Formula:
    """Expression of polars that makes one value of the rows that a run has in a table."""

    expression: pl.Expr
    table: str
    name: str
    unit: str = ""

    def values(self, tables: Tables) -> pl.DataFrame:
        """Table of `point`, `replication` and `value` (null if a run has none), one row per run."""
        keys = ("point", "replication")
        rows = tables.table(self.table)
        begins = pl.any_horizontal(pl.col(key) != pl.col(key).shift() for key in keys)
        runs = rows.with_columns(_run=begins.fill_null(value=False).cum_sum().set_sorted())
        try:
            made = runs.group_by("_run", maintain_order=True).agg(
                *(pl.col(key).first() for key in keys), value=self.expression
            )
        except pl.exceptions.PolarsError as error:
            raise StudyError(f"measure {self}: {str(error).splitlines()[0]}") from error
        if made.schema["value"] == pl.List:
            made = self._of_only_rows(made)
        kind = made.schema["value"]
        if not (kind.is_numeric() or kind in {pl.Boolean, pl.Null}):
            raise StudyError(f"measure {self}: gives {kind}; allowed are numbers")
        return made.select(*keys, value=pl.col("value").cast(pl.Float64).fill_nan(None))

    def _of_only_rows(self, made: pl.DataFrame) -> pl.DataFrame:
        """Values of a table with one row per run; raises `StudyError` where a run has several values."""
        if (subject := SUBJECTS[self.table]) is None:
            return made.with_columns(pl.col("value").list.first())
        raise StudyError(
            f"measure {self}: a value for each {subject.replace('_', ' ')}; allowed is one for each run; "
            "end the expression with .sum(), .mean(), .min() or .max()"
        )

    def problem(self, there: Mapping[str, Sequence[str]]) -> str | None:  # noqa: ARG002 - as that of `Term`
        """`None`, because an expression needs no names."""
        return None

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Function:
    """Function from the `Result` of a single run to a number."""

    function: Callable[[Result], Value]
    name: str
    unit: str = ""

    def values(self, tables: Tables) -> pl.DataFrame:
        """Table of `point`, `replication` and `value` (null if a run has none), one row per run."""
        made = [self._value(result) for result in tables.each()]
        runs = tables.table("runs").select("point", "replication")
        return runs.with_columns(value=pl.Series(made, dtype=pl.Float64))

    def _value(self, result: Result) -> float | None:
        value: object = self.function(result)
        value = getattr(value, "tolist", lambda: value)()
        if value is None:
            return None
        if not isinstance(value, int | float):
            raise StudyError(
                f"measure {self}: returns a {type(value).__name__}; allowed is one number for a run, or None"
            )
        return None if math.isnan(value) else float(value)

    def problem(self, there: Mapping[str, Sequence[str]]) -> str | None:  # noqa: ARG002 - as that of `Term`
        """`None`, because a function needs no names."""
        return None

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class NotKept:
    """Measure written in Python, of a result that was loaded from a directory, which has only its name."""

    name: str
    unit: str = ""

    def values(self, tables: Tables) -> pl.DataFrame:  # noqa: ARG002 - as that of `Term`
        """Raise `StudyError`, because a directory has neither expressions nor functions."""
        raise StudyError(
            f"measure {self}: was written in Python, and the directory does not have it; pass the measure or "
            "its claim again"
        )

    def problem(self, there: Mapping[str, Sequence[str]]) -> str | None:  # noqa: ARG002 - as that of `Term`
        """`None`, because only its values are missing."""
        return None

    def __str__(self) -> str:
        return self.name

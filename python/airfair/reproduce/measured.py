"""What a paper keeps of the runs of one variant: columns of their tables as arrays, one row per replication.

A paper names the columns that it needs as fields of a class; what follows from them are its methods.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from airfair.estimate import Floats

if TYPE_CHECKING:
    from airfair.result import Result

Take = Callable[["Result"], Any]
"""The value of a field."""


def taken(take: Take, default: Any = MISSING) -> Any:  # noqa: ANN401 - as the field's annotation says
    """A field with what `take` has of the runs; `default` if somebody makes it without any."""
    return field(default=default, metadata={"take": take})


def column(name: str, per: float = 1, *, table: str = "flows") -> Any:  # noqa: ANN401 - likewise
    """A field with a column of a table, divided by `per`: (replication, flow), or whatever it has rows of."""
    return taken(lambda result: of_each(result, name, per, table=table))


def total(name: str, *, table: str = "flows") -> Any:  # noqa: ANN401 - likewise
    """A field with the sum of a column, (replication)."""
    return taken(lambda result: of_each(result, name, table=table).sum(axis=1))


def of_each(result: Result, name: str, per: float = 1, *, table: str = "flows") -> Floats:
    """A column of a table, one row per replication."""
    values: Floats = getattr(result, table)[name].to_numpy().astype(np.float64)
    return values.reshape(result.replications, -1) / per


def over_time(result: Result, name: str, source: str, per: float = 1) -> Floats:
    """A column of a time series, (replication, flow, step)."""
    values: Floats = result.series(source)[name].to_numpy().astype(np.float64)
    return values.reshape(result.replications, len(result.scenario.flows), -1) / per


def names(result: Result) -> tuple[str, ...]:
    """The flows, in the order of the scenario."""
    return tuple(flow["name"] for flow in result.scenario.flows)


@dataclass(frozen=True)
class Columns:
    """Base of a paper's measurements."""

    @classmethod
    def of(cls, result: Result) -> Self:
        """The fields, as `result` has them."""
        return cls(**{one.name: one.metadata["take"](result) for one in fields(cls)})

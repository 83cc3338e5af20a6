"""Base of the classes that hold the measurements of a variant: columns as arrays, one row per replication.

A paper declares the columns that it needs as fields of a subclass of `Columns`, and derives other quantities
by methods.
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
    """Field computed by `take` from a result; `default` if an instance is made without it."""
    return field(default=default, metadata={"take": take})


def column(name: str, per: float = 1, *, table: str = "flows") -> Any:  # noqa: ANN401 - likewise
    """Field with a column of a table divided by `per`, (replication, flow) or (replication, station)."""
    return taken(lambda result: of_each(result, name, per, table=table))


def total(name: str, *, table: str = "flows") -> Any:  # noqa: ANN401 - likewise
    """Field with the sum of a column for each replication."""
    return taken(lambda result: of_each(result, name, table=table).sum(axis=1))


def of_each(result: Result, name: str, per: float = 1, *, table: str = "flows") -> Floats:
    """Column of a table divided by `per`, one row per replication."""
    values: Floats = getattr(result, table)[name].to_numpy().astype(np.float64)
    return values.reshape(result.replications, -1) / per


def over_time(result: Result, name: str, source: str, per: float = 1) -> Floats:
    """Column of a time series divided by `per`, (replication, flow, step)."""
    values: Floats = result.series(source)[name].to_numpy().astype(np.float64)
    return values.reshape(result.replications, len(result.scenario.flows), -1) / per


def names(result: Result) -> tuple[str, ...]:
    """Names of the flows, in the order of the scenario."""
    return tuple(flow["name"] for flow in result.scenario.flows)


@dataclass(frozen=True)
class Columns:
    """Base class of the measurements of a variant, with fields declared by `taken`, `column`, `total`."""

    @classmethod
    def of(cls, result: Result) -> Self:
        """Instance with all fields computed from `result`."""
        return cls(**{one.name: one.metadata["take"](result) for one in fields(cls)})

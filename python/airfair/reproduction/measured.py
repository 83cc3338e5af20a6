"""Base of the classes that hold the measurements of a variant: arrays with one row per replication.

A paper declares what it needs of a result as fields of a subclass of `Columns`. A field with one value per
run is a measure as in summaries and studies (`measured`). Other fields have a value for each flow, station or
step of a run (`column`, `over_time`), so they are no measures: claims and figures compare the flows of a run.
Methods derive quantities with one value per run from such fields, for all replications at once.
`Columns.measure` makes a measure of such a quantity.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from airfair.estimate import Floats
from airfair.experiment import evaluation
from airfair.experiment.measures import Measurable, Measure, measure

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


def measured(of: Measurable) -> Any:  # noqa: ANN401 - likewise
    """Field with the values of a measure, one per replication; NaN if a run has none."""
    wanted = measure(of)

    def values(result: Result) -> Floats:
        made = evaluation.values(wanted, evaluation.OfResult(result))["value"]
        return made.cast(float).fill_null(math.nan).to_numpy()

    return taken(values)


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


def summed(values: Floats, of: NDArray[np.bool_] | Sequence[bool] | None = None) -> Floats:
    """Sum over all flows or stations, or over those that the mask `of` chooses, (replication)."""
    total: Floats = (values if of is None else values[:, of]).sum(axis=1)
    return total


def jain(shares: Floats) -> Floats:
    """Jain's index over flows or stations, (replication); 0 if all shares are zero."""
    squares = summed(shares**2) * shares.shape[1]
    index: Floats = summed(shares) ** 2 / np.maximum(squares, 1e-30)
    return index


@dataclass(frozen=True)
class Columns:
    """Base class of the measurements of a variant; `taken`, `column` and `measured` declare its fields."""

    @classmethod
    def of(cls, result: Result) -> Self:
        """Instance with all fields computed from `result`."""
        return cls(**{one.name: one.metadata["take"](result) for one in fields(cls)})

    @classmethod
    def measure(cls, take: Callable[[Self], Floats], name: str = "", unit: str = "") -> Measure:
        """Measure of a quantity of the paper, for summaries, claims, figures and experiments of one's own.

        `take` is a method without arguments or a function of an instance, with one value per replication.
        """

        def value(result: Result) -> float:
            return float(take(cls.of(result))[0])

        named = name or str(getattr(take, "__name__", type(take).__name__))
        return measure(value, name=named, unit=unit)

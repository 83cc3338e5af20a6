"""Values of an experiment as a cube, with one axis per factor, for `ExperimentResult.to_xarray`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from airfair import __version__
from airfair.columns import KINDS, tables
from airfair.fairness import INDICES

from . import evaluation
from .errors import StudyError
from .labels import numbers
from .measures import Measurable, measure
from .tables import SUBJECTS

if TYPE_CHECKING:
    import xarray
    from numpy.typing import NDArray

    from .factors import Label
    from .results import ExperimentResult

NOT_INSTALLED = (
    "to_xarray needs xarray, which is not installed; install it with: pip install 'airfair[xarray]'"
)
_KEYS = ("point", "replication")


@dataclass(frozen=True)
class Axes:
    """Axes of the points and the replications of an experiment.

    If the points are a full grid, each factor is an axis. Otherwise there is one axis `point`, and the levels
    of each factor are coordinates along it.
    """

    results: ExperimentResult

    @cached_property
    def is_grid(self) -> bool:
        """True if there is exactly one point for each combination of levels."""
        levels = self.results.levels.values()
        return math.prod(map(len, levels)) == len(self.results.finished.points)

    @cached_property
    def replications(self) -> list[int]:
        """Numbers of the replications that at least one point has."""
        return sorted(self.results.runs["replication"].unique())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the axes."""
        return (*(self.results.levels if self.is_grid else ("point",)), "replication")

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        of_points = map(len, self.results.levels.values())
        points = tuple(of_points) if self.is_grid else (len(self.results.finished.points),)
        return (*points, len(self.replications))

    def places(self, table: pl.DataFrame) -> tuple[NDArray[np.int64], ...]:
        """Index of each row of a table along each axis."""
        points = table["point"].to_numpy()
        numbers = np.searchsorted(self.replications, table["replication"].to_numpy())
        if not self.is_grid:
            return points.astype(np.int64), numbers
        each = self.results.finished.points
        of_points = [
            np.array([labels.index(point.labels[name]) for point in each], dtype=np.int64)[points]
            for name, labels in self.results.levels.items()
        ]
        return (*of_points, numbers)

    @property
    def coordinates(self) -> dict[str, Any]:
        """Coordinates along the axes: the axis of each, its values, and perhaps their unit."""
        found: dict[str, Any] = {"replication": ("replication", self.replications)}
        for name, labels in self.results.levels.items():
            if self.is_grid:
                found[name] = (name, *_array(labels))
            else:
                each = [point.labels[name] for point in self.results.finished.points]
                found[name] = ("point", *_array(each))
        return found


def _array(labels: Sequence[Label]) -> tuple[NDArray[Any], dict[str, str]]:
    """Labels as numbers, with their unit, or as truth values, or else as text."""
    if (axis := numbers(labels)) is not None:
        return np.array(axis[0]), {"units": axis[1]}
    kinds = {bool if isinstance(label, bool) else type(label) for label in labels}
    if kinds <= {int, float} or kinds == {bool}:
        return np.array(labels), {}
    return np.array([str(label) for label in labels], dtype=object), {}


def of_measures(results: ExperimentResult, of: Sequence[Measurable]) -> xarray.Dataset:
    """Cube of measures: one variable for each, over factors and replications."""
    axes = Axes(results)
    variables = {}
    for one in map(measure, of):
        table = evaluation.values(one, results)
        made = _filled(axes.shape, axes.places(table), table["value"])
        variables[str(one)] = (axes.names, made, {"units": one.unit})
    return _dataset(results, variables, axes.coordinates)


def of_table(results: ExperimentResult, name: str) -> xarray.Dataset:
    """Cube of a table: one variable for each column of numbers; its flows, stations, … are an axis."""
    if name not in SUBJECTS:
        raise StudyError(f"to_xarray: unknown table {name}; allowed {', '.join(SUBJECTS)}")
    table, axes, subject = results.table(name), Axes(results), SUBJECTS[name]
    names, shape, places = axes.names, axes.shape, axes.places(table)
    coordinates = axes.coordinates
    if subject is not None:
        titles = [title for title in table.columns if title in KINDS or title in {"from", "to"}]
        things = table.select(titles).unique(maintain_order=True)
        numbered = things.with_row_index("_place")
        place = table.select(titles).join(numbered, on=titles, how="left", maintain_order="left")
        names, shape = (*names, subject), (*shape, things.height)
        places = (*places, place["_place"].to_numpy().astype(np.int64))
        coordinates |= {title: (subject, things[title].to_numpy()) for title in titles}
    variables = {
        column: (names, _filled(shape, places, table[column]), about)
        for column, about in _described(name).items()
        if column in table.columns and column not in coordinates
    }
    return _dataset(results, variables, coordinates)


def _described(name: str) -> dict[str, dict[str, str]]:
    """Unit and meaning of each column of numbers."""
    if name == "fairness":
        return {one: {"units": "index", "long_name": text} for one, text in INDICES.items()}
    return {
        column.name: {"units": column.unit, "long_name": column.meaning}
        for column in tables()[name].columns
        if column.unit
    }


def _filled(
    shape: tuple[int, ...], places: tuple[NDArray[np.int64], ...], values: pl.Series
) -> NDArray[Any]:
    """Array with the values at their places, NaN elsewhere; whole numbers stay whole if all exist."""
    if len(values) == math.prod(shape) and not values.null_count():
        made = np.zeros(shape, values.to_numpy().dtype)
    else:
        made = np.full(shape, np.nan)
        values = values.cast(pl.Float64)
    made[places] = values.to_numpy()
    return made


def _dataset(
    results: ExperimentResult, variables: Mapping[str, Any], coordinates: Mapping[str, Any]
) -> xarray.Dataset:
    try:
        import xarray
    except ImportError as error:
        raise ImportError(NOT_INSTALLED, name="xarray") from error
    about = {"title": results.title, "seed": results.seed, "airfair": __version__}
    return xarray.Dataset(variables, coordinates, about)

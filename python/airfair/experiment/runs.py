"""Finished runs of an experiment by point, and tables of all runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from airfair.archive import build
from airfair.archive.packed import unpack
from airfair.copies import ForeignResultError
from airfair.measurements import Written
from airfair.result import Result

if TYPE_CHECKING:
    from airfair._core import Scenario
    from airfair.law_use import LawUse

    from .points import Point

AT_ONCE = 2048
"""Number of outcomes that are unpacked at once; unpacked ones need about five times as much memory."""


def named_things(scenario: Scenario) -> str:
    """Key that is equal for scenarios whose tables have the same rows."""
    things = (scenario.flows, scenario.stations, scenario.cells, scenario.links, scenario.sources)
    return repr(things)


@dataclass(frozen=True)
class Runs:
    """Points with their scenarios, and the packed outcomes of each point in order of replications."""

    points: Sequence[Point]
    scenarios: Sequence[Scenario]
    packed: Sequence[list[bytes]] = field(repr=False)
    laws: Sequence[Sequence[LawUse]] = ()
    """Laws of each point; empty if no point has a law."""

    def __getstate__(self) -> dict[str, Any]:
        """State for pickling, with the build of airfair, which alone can read it."""
        return {one.name: getattr(self, one.name) for one in fields(self)} | {"build": build()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.pop("build") != build():
            raise ForeignResultError(
                "this result of an experiment is of another build of airfair and cannot be read; run the "
                "experiment again"
            )
        self.__dict__.update(state)

    @property
    def any(self) -> bool:
        """True if at least one run is finished."""
        return any(self.packed)

    def count(self, place: int) -> int:
        """Number of finished replications of the point with this index."""
        return len(self.packed[place])

    def result(self, place: int) -> Result:
        """Result of one point; its scenario has the values drawn for the first replication."""
        outcomes = [unpack(each) for each in self.packed[place]]
        laws = self.laws[place] if self.laws else ()
        return Result(self.scenarios[place], outcomes, laws=tuple(laws))

    def table(self, name: str) -> pl.DataFrame:
        """Table of all runs, with the columns `point` and `replication` in front."""
        parts = [self._part(name, places) for places in self._alike()]
        if not parts:
            nothing: pl.DataFrame = getattr(Result(self.scenarios[0], []), name)
            return nothing.insert_column(0, pl.Series("point", [], dtype=pl.UInt32))
        # Rechunking or sorting would hold the table in memory twice.
        table = pl.concat(parts, how="vertical", rechunk=False)
        if table["point"].is_sorted():
            return table
        return table.sort("point", maintain_order=True)

    def _alike(self) -> Iterator[list[int]]:
        """Batches of indices of points whose tables have the same rows, limited by memory."""
        groups: dict[str, list[int]] = {}
        runs: dict[str, int] = {}
        for place, scenario in enumerate(self.scenarios):
            if not self.packed[place]:
                continue
            named = named_things(scenario)
            groups.setdefault(named, []).append(place)
            runs[named] = runs.get(named, 0) + self.count(place)
            if runs[named] >= AT_ONCE:
                yield groups.pop(named)
                runs.pop(named)
        yield from groups.values()

    def _part(self, name: str, places: Sequence[int]) -> pl.DataFrame:
        """Rows of points whose scenarios have the same names."""
        outcomes = [unpack(each) for place in places for each in self.packed[place]]
        table: pl.DataFrame = getattr(Result(self.scenarios[places[0]], outcomes), name)
        rows = table.height // len(outcomes)
        each = np.repeat(places, [self.count(place) * rows for place in places])
        return table.insert_column(0, pl.Series("point", each, dtype=pl.UInt32))


@dataclass(frozen=True)
class WrittenRuns:
    """Points with their scenarios, and tables of all runs that another build wrote."""

    points: Sequence[Point]
    scenarios: Sequence[Scenario]
    about: Mapping[str, Any]
    """Manifest of the directory that had them."""
    frames: Mapping[str, pl.DataFrame] = field(repr=False)
    """Tables by name, each with `point` in front."""
    laws: Sequence[Sequence[LawUse]] = ()
    """Laws of each point; empty if no point has a law."""

    @property
    def any(self) -> bool:
        """True if at least one run is finished."""
        return self.frames["runs"].height > 0

    def count(self, place: int) -> int:
        """Number of finished replications of the point with this index."""
        return self._counts.get(place, 0)

    @cached_property
    def _counts(self) -> dict[int, int]:
        return dict(self.frames["runs"].group_by("point").len().iter_rows())

    def result(self, place: int) -> Result:
        """Result of one point, with tables but without time series."""
        of_point = {
            name: frame.filter(pl.col("point") == place).drop("point")
            for name, frame in self.frames.items()
        }
        scenario = self.scenarios[place]
        laws = self.laws[place] if self.laws else ()
        written = Written(scenario, self.about, of_point)
        return Result(scenario, (), written=written, laws=tuple(laws))

    def table(self, name: str) -> pl.DataFrame:
        """Table of all runs, `point` and `replication` in front; raises `ValueError` if it is missing."""
        if name not in self.frames:
            raise ValueError(f"the directory has no table {name}")
        return self.frames[name].clone()

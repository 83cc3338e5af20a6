"""Sources of the tables of a result: outcomes of runs, or tables read from a directory."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from . import _core, columns, lazy
from ._core import __version__

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
else:
    np = lazy.Module("numpy")
    pl = lazy.Module("polars")

Lists = dict[str, dict[str, list[float]]]
"""Tables as lists of columns. NaN is a missing value; flows, stations, … are indices into the scenario."""

NOT_KEPT = "archived runs have no histogram of delays; run the scenario again with airfair.run"


class Measurements(Protocol):
    """Measurements of finished runs."""

    @property
    def replications(self) -> int:
        """Number of runs."""

    @property
    def hashes(self) -> list[int]:
        """Hash of the records of each run."""

    @property
    def lists(self) -> Lists:
        """Tables as lists, for output without polars."""

    def table(self, name: str) -> pl.DataFrame:
        """Table by name; raises `ValueError` if there is no such table."""

    def series(self, name: str) -> pl.DataFrame:
        """Time series of the core by name, with names in place of indices."""


def names_of(scenario: _core.Scenario) -> dict[str, dict[str, list[str]]]:
    """Names of flows, stations, links, … by kind, then by column (for a link: link, from and to)."""
    links = scenario.links
    of = {
        "flow": [flow["name"] for flow in scenario.flows],
        "station": scenario.stations,
        "access_point": scenario.cells,
        "channel": scenario.cells,
        "neighbour": scenario.cells,
        "category": scenario.categories,
    }
    named = {kind: {kind: names} for kind, names in of.items()}
    ends = {"link": "name", "from": "from", "to": "to"}
    named["link"] = {column: [link[key] for link in links] for column, key in ends.items()}
    return named


@dataclass(frozen=True)
class OfRuns:
    """Measurements of runs whose outcomes are in memory, made by this process or read from an archive."""

    scenario: _core.Scenario
    outcomes: Sequence[_core.Outcome]

    @property
    def replications(self) -> int:
        """Number of runs."""
        return len(self.outcomes)

    @property
    def hashes(self) -> list[int]:
        """Hash of the records of each run."""
        return [outcome.record_hash for outcome in self.outcomes]

    @functools.cached_property
    def lists(self) -> Lists:
        """Tables as lists, for output without polars."""
        return _core.tables(self.scenario, self.outcomes, lists=True)

    def table(self, name: str) -> pl.DataFrame:
        """Table by name; raises `ValueError` for the histogram of delays of archived runs."""
        if name != "delays":
            return self._named(self._tables[name])
        histogram = self._named(_core.delays(self.outcomes))
        if not histogram.height and any(self.lists["flows"]["packets_received"]):
            raise ValueError(NOT_KEPT)
        return histogram

    def series(self, name: str) -> pl.DataFrame:
        """Time series of the core by name, with names in place of indices."""
        return self._named(_core.series(self.scenario, self.outcomes, name))

    @functools.cached_property
    def _tables(self) -> dict[str, dict[str, Any]]:
        return dict(_core.tables(self.scenario, self.outcomes))

    def _named(self, table: Mapping[str, NDArray[np.generic]]) -> pl.DataFrame:
        """Table with names in place of indices and null in place of NaN."""
        frame = pl.DataFrame(dict(table))
        for kind in columns.KINDS:
            if kind in frame.columns:
                names = self._names[kind]
                at = frame.get_column_index(kind)
                # Indices are floats if some rows have none.
                places = frame[kind].cast(pl.Float64).fill_nan(None).cast(pl.UInt32)
                named = names.select(pl.all().gather(places)).get_columns()
                frame.drop_in_place(kind)
                for offset, name in enumerate(named):
                    frame.insert_column(at + offset, name)
        return frame.with_columns(pl.selectors.float().fill_nan(None))

    @functools.cached_property
    def _names(self) -> dict[str, pl.DataFrame]:
        return {
            kind: pl.DataFrame(named, schema=dict.fromkeys(named, pl.String))
            for kind, named in names_of(self.scenario).items()
        }


@dataclass(frozen=True)
class Written:
    """Measurements read from the tables of a directory, of this or an earlier version of airfair."""

    scenario: _core.Scenario
    about: Mapping[str, Any]
    """Manifest of the directory."""
    frames: Mapping[str, pl.DataFrame] = field(repr=False)
    """Tables by name, including those of time series."""

    @property
    def replications(self) -> int:
        """Number of runs."""
        return self.frames["runs"].height

    @property
    def hashes(self) -> list[int]:
        """Hash of the records of each run."""
        return self.frames["runs"]["record_hash"].to_list()

    @property
    def version(self) -> str:
        """Version of airfair that made the runs."""
        return str(self.about.get("airfair", __version__))

    @functools.cached_property
    def lists(self) -> Lists:
        """Tables as lists, for output without polars; tables missing in the directory are empty."""
        names = columns.tables().keys() - {"delays"}
        return {name: self._list(name) if name in self.frames else {} for name in names}

    def _list(self, name: str) -> dict[str, list[float]]:
        frame = self.frames[name]
        found = {}
        for column in frame.columns:
            if column in columns.KINDS:
                found[column] = self._places(frame, column)
            elif frame.schema[column].is_numeric():
                found[column] = [math.nan if value is None else value for value in frame[column]]
        return found

    def _places(self, frame: pl.DataFrame, kind: str) -> list[float]:
        """Indices into the scenario's lists in place of names; NaN for a missing name."""
        named = names_of(self.scenario)[kind]
        known = {name: place for place, name in enumerate(zip(*named.values(), strict=True))}
        return [known.get(row, math.nan) for row in frame.select(*named).iter_rows()]

    def table(self, name: str) -> pl.DataFrame:
        """Table by name; raises `ValueError` if the directory lacks it."""
        if name not in self.frames:
            raise ValueError(NOT_KEPT if name == "delays" else f"the directory has no table {name}")
        return self.frames[name].clone()

    def series(self, name: str) -> pl.DataFrame:
        """Time series of the core by name; raises `ValueError` if the directory has no such series."""
        kind = next(kind for kind in columns.series_files() if name in columns.raw_of(kind))
        file = columns.series_files()[kind]
        if file.name not in self.frames:
            raise ValueError(f"the directory has no time series of {kind.replace('_', ' ')}s")
        values = {short: pl.col(long) for short, long in columns.raw_of(kind)[name].items()}
        return self.frames[file.name].select(*columns.heads(name), **values)

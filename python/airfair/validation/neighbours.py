"""Checks of cells that share a channel, against Bianchi's model and a Markov network.  [boorstyn-1987]

- `neighbours-pair`: two saturated cells in range are one cell with the stations of both.
- `neighbours-apart`: each of two cells on different channels has the packets that it has alone, exactly.
- `neighbours-row`: three cells in a row, of which the outer ones do not hear each other. The network
  (`markov`) has no collisions and no EIFS, so the window is wide and constant, and `eifs` is `none`. The
  middle cell has little, so its tolerance is a part of what a cell has alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airfair.engine import run

from . import markov, theory
from .aggregates import goodput
from .cells import FIFO, PACKET, PSDU, of_phy, rate_text, several
from .conservation import airtime
from .plan import Check
from .theory import DOT11A, DOT11B, Phy

if TYPE_CHECKING:
    from airfair import Result, Scenario
    from airfair.scenario import Value

REPLICATIONS = 8
PAIR_TOLERANCE = 0.01
OUTER_TOLERANCE = 0.05
MIDDLE_TOLERANCE = 0.02
"""Tolerance of the middle cell, as a part of the goodput of a cell alone."""
HEARS: Mapping[str, Sequence[str]] = {"a": ["b"], "b": ["a", "c"], "c": ["b"]}
"""Cells that each cell of three in a row hears."""
CHANNELS = {"802.11a": (36, 40), "802.11b": (1, 6)}


def scenario(
    cells: Mapping[str, Mapping[str, Value]], stations: Sequence[int], rate: float, seconds: float
) -> Scenario:
    """Scenario of cells by their names, each with a number of saturated stations."""
    return several(
        {name: {"max_attempts": "unlimited", **keys} for name, keys in cells.items()},
        {
            name: {"rate": rate_text(rate), "count": count, "queue": FIFO}
            for name, count in zip(cells, stations, strict=True)
        },
        up=True,
        seconds=seconds,
        replications=REPLICATIONS,
    )


@dataclass(frozen=True)
class Pair:
    """Two cells in range, with the numbers of their stations."""

    phy: Phy
    rate: float
    """Data rate of all stations [Mb/s]."""
    stations: tuple[int, int]
    seconds: float

    def scenario(self) -> Scenario:
        """Scenario in which both cells have the same channel."""
        keys = {**of_phy(self.phy), "after_collision": "difs"}
        cell = {**keys, "channel": CHANNELS[self.phy.standard][0]}
        return scenario({"a": cell, "b": cell}, self.stations, self.rate, self.seconds)

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Check of the goodput of both cells together."""
        first, second = self.stations
        cost = theory.exchange(self.phy, PSDU, self.rate)
        frames = theory.refined_frame_rate(first + second, self.phy, cost)
        id_ = f"neighbours-pair/{self.phy.standard}/{self.rate:g}/n={first}+{second}"
        yield Check.of(id_, frames * PACKET * 8, goodput(result), PAIR_TOLERANCE, "Mb/s")


@dataclass(frozen=True)
class Apart:
    """Two cells of two stations on two channels."""

    phy: Phy
    rate: float

    def cells(self) -> dict[str, Mapping[str, Value]]:
        """Keys of the cells by their names."""
        channels = zip("ab", CHANNELS[self.phy.standard], strict=True)
        return {name: {**of_phy(self.phy), "channel": channel} for name, channel in channels}

    def scenario(self) -> Scenario:
        """Scenario of both cells."""
        return scenario(self.cells(), (2, 2), self.rate, 1)

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Check of the packets of each cell, which run alone as well."""
        both = result.flows
        for name, keys in self.cells().items():
            alone = run(scenario({name: keys}, (2,), self.rate, 1)).flows["packets_received"]
            mine = both.filter(both["flow"].str.starts_with(name))["packets_received"]
            id_ = f"neighbours-apart/{self.phy.standard}/{name}"
            yield Check(id_, float(alone.sum()), float(mine.sum()), 0, unit="packets")


@dataclass(frozen=True)
class Row:
    """Three cells of one station in a row, with a constant window."""

    rate: float
    """Data rate [Mb/s] of 802.11a."""
    window: int
    """Contention window [slots]."""
    seconds: float

    def scenario(self) -> Scenario:
        """Scenario of the cells."""
        keys = {**of_phy(DOT11A), "eifs": "none", "cw_min": self.window, "cw_max": self.window}
        cells = {name: {**keys, "channel": 36, "hears": others} for name, others in HEARS.items()}
        return scenario(cells, (1, 1, 1), self.rate, self.seconds)

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Checks of the outer cells and of the middle one."""
        cost = theory.exchange(DOT11A, PSDU, self.rate)
        cell = markov.of_window(DOT11A, self.window, cost)
        row = markov.frame_rates(dict.fromkeys(HEARS, cell), HEARS)
        alone = markov.frame_rates({"a": cell}, {})["a"]
        id_ = f"neighbours-row/802.11a/{self.rate:g}/window={self.window}"
        for channel, (name, frames) in enumerate(row.items()):
            expected = frames * PACKET * 8
            is_middle = name == "b"
            tolerance = MIDDLE_TOLERANCE * alone / frames if is_middle else OUTER_TOLERANCE
            yield Check.of(f"{id_}/{name}", expected, goodput(result, name), tolerance, "Mb/s")
            yield airtime(f"airtime/{id_}/{name}", result, channel)


CELLS = (
    Pair(DOT11A, 54, (1, 1), 6),
    Pair(DOT11A, 54, (2, 3), 6),
    Pair(DOT11A, 12, (5, 5), 20),
    Pair(DOT11B, 11, (1, 4), 15),
    Apart(DOT11A, 54),
    Apart(DOT11B, 11),
    Row(54, 63, 10),
    Row(54, 255, 10),
    Row(12, 255, 20),
    Row(12, 1023, 20),
)

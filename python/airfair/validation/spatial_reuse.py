"""Checks of OBSS-PD spatial reuse, and of cells in a row, against a Markov network and Komondor.

**Two cells** of [wilhelmi-2021]: access points 6 m apart, each with a station 4 m away to which it sends
without pause. Cell A ignores frames below its OBSS-PD level and then sends with less power. The programs
that computed the published figures differ by at most 7 % for levels up to -80 dBm and from -78 to -69 dBm.
There airfair lies between them, widened by 5 % on each side. At the other levels neither decides.

**Komondor's tests** have two such cells 5 m apart, and three cells in a row. [komondor]

Settings that are not the defaults follow the programs; `spatial_reuse.toml` has them.

The rate follows from the received power at each TXOP. In both programs -64.65 dBm get 64-QAM with rate 3/4,
which there carries 936 bits in a symbol: the standard's MCS 5. So the rate control is limited to 60 Mb/s.

Times that differ: their HE preamble lasts 100 µs, where the standard has 52; their BlockAck lasts 32 µs, as
at 24 Mb/s, and here 68. Together 12 µs of 5.6 ms.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .aggregates import goodput
from .cells import several
from .plan import Check
from .published import KOMONDOR, WILHELMI

if TYPE_CHECKING:
    from airfair import Result, Scenario
    from airfair.scenario import Value

REPLICATIONS = 10
WARMUP = 0.5
"""Seconds before those that count."""
WIDENED = 0.05
DECIDED = (*range(-82, -79), *range(-78, -68))
"""Levels at which the programs differ by at most 7 % [dBm]."""
OUTER_TOLERANCE = 0.05
STARVED_TOLERANCE = 0.02
"""Tolerance of a starved cell, as a part of the goodput of its neighbours."""

CELL: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
"""Keys that all cells have."""

Place = tuple[float, float]


@dataclass(frozen=True)
class Geometry:
    """Access points that send to a station each, with the same settings but for the OBSS-PD level."""

    places: Mapping[str, tuple[Place, Place]]
    """Positions of access point and station of each cell [m]."""
    power: int = 20
    """Transmit power [dBm]."""
    sense: int = -82
    """Power from which a frame is sensed [dBm]."""
    rate: Value = field(default_factory=lambda: {"control": "oracle", "highest": "60 Mb/s"})
    standard: str = "802.11ax"

    def scenario(
        self, levels: Mapping[str, int], seconds: float, replications: int = REPLICATIONS
    ) -> Scenario:
        """Scenario in which the cells in `levels` ignore frames below these levels [dBm]."""
        cells = {
            name: self.cell(colour, name, levels.get(name))
            for colour, name in enumerate(self.places, 1)
        }
        return several(
            cells,
            {name: self.station(name) for name in self.places},
            up=False,
            seconds=seconds,
            warmup=WARMUP,
            replications=replications,
        )

    def cell(self, colour: int, name: str, level: int | None) -> Mapping[str, Value]:
        """Keys of a cell."""
        powers = {"tx_power": f"{self.power} dBm", "carrier_sense": f"{self.sense} dBm"}
        place = {"position": [f"{at:g} m" for at in self.places[name][0]]}
        return {
            **CELL,
            "standard": self.standard,
            "colour": colour,
            **({} if level is None else {"obss_pd": f"{level} dBm"}),
            "radio": {**CELL["radio"], **powers},
            "ap": {**CELL["ap"], **place},
        }

    def station(self, name: str) -> Mapping[str, Value]:
        """Keys of a station, whose position is relative to its access point."""
        (x, y), (to_x, to_y) = self.places[name]
        position = [f"{at:g} m" for at in (to_x - x, to_y - y)]
        return {"position": position, "rate": self.rate, "queue": {"packets": 1000}}


TUTORIAL = Geometry({"a": ((0, 4), (0, 0)), "b": ((6, 4), (6, 8))})
"""Two cells of [wilhelmi-2021], scenario 1."""


@dataclass(frozen=True)
class Level:
    """Two cells of [wilhelmi-2021], with an OBSS-PD level in cell A."""

    level: int
    """OBSS-PD level [dBm]."""
    seconds: float = 2

    def scenario(self) -> Scenario:
        """Scenario of the cells."""
        return TUTORIAL.scenario({"a": self.level}, self.seconds)

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Check of each cell against the programs' figures, whose middle is expected."""
        for i, name in enumerate("ab"):
            low, high = sorted(program[i] for program in WILHELMI[self.level])
            low, high = (1 - WIDENED) * low, (1 + WIDENED) * high
            id_ = f"spatial-reuse/{self.level}/{name}"
            middle = (low + high) / 2
            yield Check.of(id_, middle, goodput(result, name), high / middle - 1, "Mb/s")


@dataclass(frozen=True)
class KomondorCell:
    """Cells of one of Komondor's own tests."""

    name: str
    """Name of Komondor's input."""
    geometry: Geometry
    levels: Mapping[str, int] = field(default_factory=dict)
    """OBSS-PD levels [dBm]."""
    seconds: float = 2

    def scenario(self) -> Scenario:
        """Scenario of the cells."""
        return self.geometry.scenario(self.levels, self.seconds)

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Check of each cell; that of a starved one goes by the goodput of its neighbours."""
        theirs = KOMONDOR[self.name]
        for name, expected in zip(self.geometry.places, theirs, strict=True):
            tolerance = max(OUTER_TOLERANCE, STARVED_TOLERANCE * max(theirs) / expected)
            id_ = f"komondor/{self.name}/{name}"
            yield Check.of(id_, expected, goodput(result, name), tolerance, "Mb/s")


def row(distance: float, station: float, sense: int) -> Geometry:
    """Return three cells of 802.11be in a row, this far apart [m]; the middle station is `station` m away."""
    aways = {"a": 2.0, "b": station, "c": 2.0}
    places = {
        name: ((i * distance, 0.0), (i * distance, away))
        for i, (name, away) in enumerate(aways.items())
    }
    return Geometry(places, sense=sense, rate={"control": "oracle"}, standard="802.11be")


PAIR = Geometry({"a": ((0, 4), (0, 0)), "b": ((5, 4), (5, 8))}, power=15)
"""Two cells of Komondor's tests of spatial reuse."""
KOMONDOR_CELLS = (
    KomondorCell("spatial_reuse_1", PAIR, {"a": -76, "b": -76}),
    KomondorCell("spatial_reuse_2", PAIR, {"a": -82, "b": -82}),
    KomondorCell("scenario_2b_aggregation", row(4, 2, -70)),
    KomondorCell("scenario_2c_aggregation", row(4.5, 3, -68)),
    KomondorCell("scenario_2d_aggregation", row(10, 2, -68)),
)
CELLS: Sequence[Level | KomondorCell] = (
    *(Level(level) for level in DECIDED),
    *(KOMONDOR_CELLS[i] for i in (1, 2, 4)),
)

"""Occupancy that stations measure from headers, checked against the airtime in the simulator.

The simulator's airtime of a station is the frames of its exchanges. The meter of [arf-window §III-A] counts
from the start of an exchange to its end, so the SIFS between the frames come on top: one for data and ACK,
three with RTS and CTS. How many exchanges there were follows from the airtime of their control frames, which
all go at one rate here:

    measured = airtime + gaps · SIFS · airtime of control / length of the control frames of one exchange

Collisions are in neither. What is left is how exchanges fall on the ends of the time that is measured: at
each one of them, the longest at the most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airfair.scenario import load

from . import theory
from .cells import rate_text
from .plan import Check, Plan
from .theory import DOT11A, DOT11B, Phy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airfair import Result, Scenario
    from airfair.scenario import Value

SECONDS = 121
"""Simulated time, of which the first second is not measured."""
SLOT_MS = 250
"""Observation slot, of which the measured time is a multiple."""
SEGMENT = 1460
TCP_PSDU = SEGMENT + 40 + theory.LLC_SNAP_OCTETS + theory.MAC_OCTETS


@dataclass(frozen=True)
class OccupancyCell:
    """Stations that observe their channel, with a TCP flow each."""

    phy: Phy
    rates: Sequence[float]
    """[Mb/s]"""
    ways: str
    """Direction of each flow, up or down, `u` or `d`."""
    rts: bool = False

    @property
    def id(self) -> str:
        """Name of the check."""
        access = "rts" if self.rts else "basic"
        return f"measured-airtime/{self.phy.standard}/{access}/n={len(self.rates)}"

    def control(self, rate: float) -> tuple[float, int]:
        """Control frames and SIFS of one exchange: their time [µs], and their number."""
        airtime, control = self.phy.airtime, self.phy.control_rate(rate)
        ack = airtime(theory.ACK_OCTETS, control)
        if not self.rts:
            return ack, 1
        return (
            airtime(theory.RTS_OCTETS, control) + airtime(theory.CTS_OCTETS, control) + ack,
            3,
        )

    def expected(self, rate: float, airtime: float, control: float) -> float:
        """Occupancy expected from a station's shares of airtime: all frames, and control frames."""
        frames, gaps = self.control(rate)
        return airtime + control * gaps * self.phy.sifs / frames

    def edge(self, rate: float) -> float:
        """The longest exchange [s]."""
        frames, gaps = self.control(rate)
        return (self.phy.airtime(TCP_PSDU, rate) + frames + gaps * self.phy.sifs) / 1e6

    def scenario(self) -> Scenario:
        """The cell as a scenario."""
        flow: Mapping[str, Value] = {
            "transport": {"kind": "tcp", "segment": f"{SEGMENT} B"},
            "control": {"scheme": "arf-window", "slot": f"{SLOT_MS} ms"},
        }
        ends = {"u": ("from", "to"), "d": ("to", "from")}
        document: Mapping[str, Value] = {
            "duration": f"{SECONDS} s",
            "warmup": "1 s",
            "series": "off",
            "bss": {
                "cell": {
                    "standard": self.phy.standard,
                    "basic_rates": [rate_text(rate) for rate in self.phy.basic_rates],
                    "rts_threshold": "0 B" if self.rts else "off",
                }
            },
            "station": {f"s{i}": {"rate": rate_text(rate)} for i, rate in enumerate(self.rates)},
            "host": {"server": {"link": {"rate": "100 Mb/s", "delay": "2 ms"}}},
            "flow": {
                f"f{i}": {ends[way][0]: f"s{i}", ends[way][1]: "server", **flow}
                for i, way in enumerate(self.ways)
            },
        }
        return load(document)

    def evaluate(self, result: Result) -> Iterator[Check]:
        """One check per station."""
        rows = zip(
            self.rates,
            result.airtime.iter_rows(named=True),
            result.stations["measured_airtime_share"],
            strict=True,
        )
        for rate, row, measured in rows:
            expected = self.expected(rate, row["airtime_share"], row["control"])
            tolerance = 2 * self.edge(rate) / (SECONDS - 1) / expected
            yield Check(f"{self.id}-{row['station']}", expected, measured, tolerance)


CELLS = tuple(
    OccupancyCell(phy, rates, ways, rts)
    for phy, rates_of_n in (
        (DOT11A, ((54,), (54, 6), (54, 36, 24, 12, 6))),
        (DOT11B, ((11,), (11, 1), (11, 11, 5.5, 2, 1))),
    )
    for rates, ways in zip(rates_of_n, ("u", "ud", "uuuuu"), strict=True)
    for rts in (False, True)
)


def plans() -> Iterator[Plan]:
    """Each cell."""
    for cell in CELLS:
        yield Plan(cell.scenario(), cell.evaluate)

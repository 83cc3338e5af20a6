"""Occupancy that stations measure from headers, checked against the airtime in the simulator.

The simulator's airtime of a station is the time of the frames of its exchanges. The meter of [arf-window
§III-A] counts from the start of an exchange to its end, so it also includes the SIFS between the frames: one
for data and ACK, three with RTS and CTS. The number of exchanges follows from the airtime of control frames,
which have the same rate in these cells:

    measured = airtime + gaps · SIFS · airtime of control / length of the control frames of one exchange

Neither counts collisions. The tolerance covers exchanges that are cut by the start or end of the measured
time: at most the longest exchange at each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from airfair import Result, Scenario
from airfair.scenario import Value

from . import theory
from .cells import of_phy, rate_text, scenario
from .plan import Check
from .theory import DOT11A, DOT11B, Phy

SECONDS = 121
"""Simulated time, including a warm-up of one second [s]."""
SLOT_MS = 250
"""Observation slot, of which the measured time is a multiple [ms]."""
SEGMENT = 1460
TCP_PSDU = SEGMENT + 40 + theory.LLC_SNAP_OCTETS + theory.MAC_OCTETS


@dataclass(frozen=True)
class OccupancyCell:
    """Cell of stations that measure their occupancy, with one TCP flow each."""

    phy: Phy
    rates: Sequence[float]
    """Data rate of each station [Mb/s]."""
    ways: str
    """Direction of each flow: `u` for up, `d` for down."""
    rts: bool = False

    @property
    def id(self) -> str:
        """Name of the check."""
        access = "rts" if self.rts else "basic"
        return f"measured-airtime/{self.phy.standard}/{access}/n={len(self.rates)}"

    def control(self, rate: float) -> tuple[float, int]:
        """Airtime of the control frames of an exchange [µs], and number of its SIFS."""
        airtime, control = self.phy.airtime, self.phy.control_rate(rate)
        ack = airtime(theory.ACK_OCTETS, control)
        if not self.rts:
            return ack, 1
        return (
            airtime(theory.RTS_OCTETS, control) + airtime(theory.CTS_OCTETS, control) + ack,
            3,
        )

    def expected(self, rate: float, airtime: float, control: float) -> float:
        """Occupancy expected from the shares of airtime of all frames and of control frames."""
        frames, gaps = self.control(rate)
        return airtime + control * gaps * self.phy.sifs / frames

    def edge(self, rate: float) -> float:
        """Duration of the longest exchange [s]."""
        frames, gaps = self.control(rate)
        return (self.phy.airtime(TCP_PSDU, rate) + frames + gaps * self.phy.sifs) / 1e6

    def scenario(self) -> Scenario:
        """Scenario of the cell."""
        flow: Mapping[str, Value] = {
            "transport": {"kind": "tcp", "segment": f"{SEGMENT} B"},
            "control": {"scheme": "arf-window", "slot": f"{SLOT_MS} ms"},
        }
        ends = {"u": ("from", "to"), "d": ("to", "from")}
        return scenario(
            of_phy(self.phy, rts=self.rts),
            {f"s{i}": {"rate": rate_text(rate)} for i, rate in enumerate(self.rates)},
            {
                f"f{i}": {ends[way][0]: f"s{i}", ends[way][1]: "server", **flow}
                for i, way in enumerate(self.ways)
            },
            duration=f"{SECONDS} s",
            warmup="1 s",
            host="server",
            wire={"rate": "100 Mb/s", "delay": "2 ms"},
        )

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Checks of the measured occupancy, one per station."""
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

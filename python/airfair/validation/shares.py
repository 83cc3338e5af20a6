"""Checks of access points that share time between stations, and of beacons, against sums of frame durations.

With saturated downloads only the access point contends. A frame to station i takes a DIFS, CWmin/2 slots of
back-off on average (together a), and its exchange e_i of data, SIFS and ACK. The airtime scheduler gives each
station the same airtime of exchanges, and the time regulator gives each the same channel time:

    airtime:         n_1·e_1 = n_2·e_2,  n_1·(a + e_1) + n_2·(a + e_2) = T
    time-regulator:  n_i·(a + e_i) = T/2

The tolerance covers one frame at each end of the measured time, a bucket of 50 ms, and the random error of
the mean back-off, which is 42 µs divided by the root of the number of frames.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from airfair import Result, Scenario

from . import theory
from .cells import PAYLOAD, PSDU, SOURCE, of_phy, rate_text, scenario
from .plan import Check
from .theory import DOT11A, DOT11B, Phy

SECONDS = 61
"""Simulated time, including a warm-up of one second [s]."""
BUCKET_S = 0.05
AIRTIME, REGULATOR = "airtime", "time-regulator"


@dataclass(frozen=True)
class Downloads:
    """Cell of two stations with saturated downloads."""

    phy: Phy
    rates: tuple[float, float]
    """Data rates of the fast and the slow station [Mb/s]."""
    discipline: str

    @property
    def id(self) -> str:
        """Name of the check."""
        fast, slow = (format(rate, "g") for rate in self.rates)
        return f"shared-time/{self.discipline}/{self.phy.standard}/{fast}-{slow}"

    def expected(self) -> tuple[float, float]:
        """Expected frames per second of each station."""
        phy = self.phy
        access = phy.difs + phy.cw_min / 2 * phy.slot
        fast, slow = (
            phy.airtime(PSDU, rate)
            + phy.sifs
            + phy.airtime(theory.ACK_OCTETS, phy.control_rate(rate))
            for rate in self.rates
        )
        if self.discipline == REGULATOR:
            return 0.5e6 / (access + fast), 0.5e6 / (access + slow)
        often = 1e6 / (access + fast + (access + slow) * fast / slow)
        return often, often * fast / slow

    def scenario(self) -> Scenario:
        """Scenario of the cell."""
        names = ("fast", "slow")
        rates = dict(zip(names, self.rates, strict=True))
        return scenario(
            {**of_phy(self.phy), "ap": {"queue": {"discipline": self.discipline}}},
            {name: {"rate": rate_text(rate)} for name, rate in rates.items()},
            {
                f"to-{name}": {
                    "from": "server",
                    "to": name,
                    "transport": {**SOURCE, "rate": rate_text(rate)},
                }
                for name, rate in rates.items()
            },
            duration=f"{SECONDS} s",
            warmup="1 s",
            host="server",
            wire={"rate": "1 Gb/s", "delay": "1 ms"},
        )

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Checks of the frame rate, one per station."""
        measured_s = SECONDS - 1
        flows = result.flows.iter_rows(named=True)
        for name, frames, flow in zip(("fast", "slow"), self.expected(), flows, strict=True):
            measured = flow["goodput_bps"] / (8 * PAYLOAD)
            chance = (
                3 * 0.29 * self.phy.cw_min * self.phy.slot * 1e-6 * math.sqrt(frames / measured_s)
            )
            tolerance = (2 / frames + BUCKET_S) / measured_s + chance
            yield Check(f"{self.id}/{name}", frames, measured, tolerance, unit="frame/s")


@dataclass(frozen=True)
class Beacons:
    """Cell with beacons, idle or saturated."""

    phy: Phy
    octets: int
    interval_ms: int
    busy: bool

    @property
    def id(self) -> str:
        """Name of the check."""
        load = "saturated" if self.busy else "idle"
        return f"beacons/{self.phy.standard}/{self.octets}/{load}"

    def scenario(self) -> Scenario:
        """Scenario of the cell."""
        rate = rate_text(self.phy.basic_rates[-1] if self.busy else 0.001)
        interval, size = f"{self.interval_ms} ms", f"{self.octets} B"
        return scenario(
            {**of_phy(self.phy), "beacon": {"interval": interval, "size": size}},
            {"s": {"rate": rate_text(self.phy.basic_rates[0]), "count": 2}},
            {"f": {"from": "s1", "to": "s2", "transport": {**SOURCE, "rate": rate}}},
            duration=f"{SECONDS} s",
            warmup="1 s",
        )

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Check of the beacons' share of time; one beacon may be late at either end."""
        beacon = self.phy.airtime(self.octets, self.phy.basic_rates[0])
        expected = beacon / (1e3 * self.interval_ms)
        measured = result.channels["beacon_ns"][0] / 1e9 / (SECONDS - 1)
        tolerance = 1.5 * self.interval_ms / 1e3 / (SECONDS - 1)
        yield Check(self.id, expected, measured, tolerance)


CELLS: tuple[Downloads | Beacons, ...] = (
    *(
        Downloads(phy, rates, discipline)
        for discipline in (AIRTIME, REGULATOR)
        for phy, rates in ((DOT11A, (54, 6)), (DOT11A, (54, 24)), (DOT11B, (11, 1)))
    ),
    *(
        Beacons(phy, octets, interval, busy)
        for phy, octets, interval in ((DOT11A, 72, 100), (DOT11B, 200, 20))
        for busy in (False, True)
    ),
)

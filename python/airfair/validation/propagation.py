"""Checks of the range of frames in the simulator against closed forms of propagation.

Frames that arrive below the sensitivity of their rate are all lost, and the others are all received, so the
range of a flow is exact. It is found by bisection over the station's position. The tolerance has two parts:

- Powers are compared in thousandths of a dB, so a loss may be off by half of one.
- The bisection stops when the two positions are `STEP` apart.

[rappaport §4.2, §4.6]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from airfair import Scenario
from airfair.engine import run
from airfair.scenario import Value

from .cells import rate_text, scenario, upload
from .plan import Check

SPEED_OF_LIGHT = 299_792_458.0
"""Speed of light [m/s]."""
ROUNDING = 0.0005
"""Largest rounding error of a loss [dB]."""
STEP = 0.001
"""Resolution of the bisection, and of positions in a scenario [m]."""
SENSITIVITY = {("802.11b", 11.0): -76, ("802.11a", 6.0): -82, ("802.11a", 54.0): -65}
"""Smallest received power [dBm], by standard and rate.  [80211-2020 §16.3.8.2, Table 17-18]"""


def friis_distance(loss: float, frequency: float) -> float:
    """Distance λ/4π·10^(loss/20) [m] with a loss [dB] in free space; frequency in Hz.  [rappaport §4.2]"""
    return SPEED_OF_LIGHT / frequency / (4 * math.pi) * 10 ** (loss / 20)


def two_ray_distance(loss: float, frequency: float, heights: tuple[float, float]) -> float:
    """Distance with a loss above ground: √(h_t·h_r)·10^(loss/40) beyond 4π·h_t·h_r/λ, else as in free space.

    [rappaport §4.6]
    """
    product = math.prod(heights)
    near = friis_distance(loss, frequency)
    crossover = 4 * math.pi * product * frequency / SPEED_OF_LIGHT
    return near if near < crossover else math.sqrt(product) * 10 ** (loss / 40)


@dataclass(frozen=True)
class Range:
    """Link whose largest length is searched."""

    id: str
    standard: str
    rate: float
    """Data rate [Mb/s]."""
    power: float
    """Transmit power [dBm]."""
    gigahertz: float
    heights: tuple[float, float] | None = None
    """Heights of the antennas of access point and station [m]; `None` in free space."""

    @property
    def loss(self) -> float:
        """Largest loss with which frames are received [dB]."""
        return self.power - SENSITIVITY[self.standard, self.rate]

    @property
    def expected(self) -> float:
        """Range by the closed form [m]."""
        frequency = self.gigahertz * 1e9
        if self.heights is None:
            return friis_distance(self.loss, frequency)
        return two_ray_distance(self.loss, frequency, self.heights)

    @property
    def tolerance(self) -> float:
        """Relative error by rounding; a dB changes distance by 10^(1/20), or by 10^(1/40) above ground."""
        is_free = self.expected == friis_distance(self.loss, self.gigahertz * 1e9)
        return 10 ** (ROUNDING / (20 if is_free else 40)) - 1 + STEP / self.expected

    def reaches(self, distance: float) -> bool:
        """True if frames are received at a distance [m]."""
        return int(run(self._scenario(distance)).flows.item(0, "packets_received")) > 0

    def _scenario(self, distance: float) -> Scenario:
        propagation: Value = "free-space"
        if self.heights is not None:
            ours, theirs = (f"{height:g} m" for height in self.heights)
            propagation = {"model": "two-ray", "ap_height": ours, "station_height": theirs}
        radio: Mapping[str, Value] = {
            "propagation": propagation,
            "tx_power": f"{self.power:g} dBm",
            "frequency": f"{self.gigahertz:g} GHz",
            "reception": "sensitivity",
        }
        far: Mapping[str, Value] = {
            "rate": rate_text(self.rate),
            "position": [f"{distance:.3f} m", "0 m"],
        }
        cell: Mapping[str, Value] = {"standard": self.standard, "radio": radio}
        return scenario(cell, {"far": far}, {"up": upload("far")}, duration="20 ms")

    def measured(self) -> float:
        """Largest distance at which frames are received, by bisection [m]."""
        near, far = round(self.expected / 4 / STEP), round(self.expected * 4 / STEP)
        if not self.reaches(near * STEP) or self.reaches(far * STEP):
            return math.nan
        while far - near > 1:
            middle = (near + far) // 2
            near, far = (middle, far) if self.reaches(middle * STEP) else (near, middle)
        return near * STEP


LOW, HIGH = (1.5, 1.5), (10.0, 2.0)
RANGES = (
    Range("free-space/802.11b-11", "802.11b", 11, 20, 2.437),
    Range("free-space/802.11a-6", "802.11a", 6, 20, 5.2),
    Range("free-space/802.11a-54", "802.11a", 54, 15, 5.8),
    # Below and above the crossover distances 4π·2.25/0.0577 = 490 m and 4π·20/0.123 = 2043 m.
    Range("two-ray-near/802.11a-54", "802.11a", 54, 20, 5.2, LOW),
    Range("two-ray-near/802.11b-11", "802.11b", 11, 24, 2.437, HIGH),
    Range("two-ray-far/802.11a-6", "802.11a", 6, 20, 5.2, LOW),
    # 40 dB more power, and so ten times the range.
    Range("two-ray-far/802.11a-6-and-40-dB", "802.11a", 6, 60, 5.2, LOW),
    Range("two-ray-far/802.11b-11", "802.11b", 11, 40, 2.437, HIGH),
)


def checks() -> Iterator[Check]:
    """Checks of all ranges; each check needs a few dozen short runs, one after the other."""
    for link in RANGES:
        id_ = f"range/{link.id}"
        yield Check(id_, link.expected, link.measured(), link.tolerance, unit="m")

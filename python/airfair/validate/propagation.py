"""Loss by distance: how far frames get, through the whole chain, against the closed forms of radio.

Frames that arrive below the sensitivity of their rate are all lost, the others all received, so the distance
at which a flow dies is exact. It is found by bisection over the station's position. What may differ:

- Powers are compared in thousandths of a dB, so a loss may be off by half of one.
- The bisection stops when the two positions are `STEP` apart.

[rappaport §4.2, §4.6]
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airfair.engine import run

from .cells import SOURCE, rate_text
from .plan import Check

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airfair.scenario import Value

SPEED_OF_LIGHT = 299_792_458.0
"""[m/s]"""
ROUNDING = 0.0005
"""Of a loss [dB]."""
STEP = 0.001
"""Of the bisection, and of positions in a scenario [m]."""
SENSITIVITY = {("802.11b", 11.0): -76, ("802.11a", 6.0): -82, ("802.11a", 54.0): -65}
"""Power that a receiver needs at least [dBm].  [80211-2020 §16.3.8.2, Table 17-18]"""


def friis_distance(loss: float, frequency: float) -> float:
    """Distance of `loss` dB in free space: λ/4π·10^(loss/20) [m]; frequency in Hz.  [rappaport §4.2]"""
    return SPEED_OF_LIGHT / frequency / (4 * math.pi) * 10 ** (loss / 20)


def two_ray_distance(loss: float, frequency: float, heights: tuple[float, float]) -> float:
    """The same above ground: √(h_t·h_r)·10^(loss/40) beyond 4π·h_t·h_r/λ, else as in free space.

    [rappaport §4.6]
    """
    product = math.prod(heights)
    near = friis_distance(loss, frequency)
    crossover = 4 * math.pi * product * frequency / SPEED_OF_LIGHT
    return near if near < crossover else math.sqrt(product) * 10 ** (loss / 40)


@dataclass(frozen=True)
class Range:
    """A link whose only unknown is its length."""

    id: str
    standard: str
    rate: float
    """[Mb/s]"""
    power: float
    """Transmit power [dBm]."""
    gigahertz: float
    heights: tuple[float, float] | None = None
    """Antennas above ground, of access point and station [m]; none in free space."""

    @property
    def loss(self) -> float:
        """Loss that there may be on the way [dB]."""
        return self.power - SENSITIVITY[self.standard, self.rate]

    @property
    def expected(self) -> float:
        """The closed form [m]."""
        frequency = self.gigahertz * 1e9
        if self.heights is None:
            return friis_distance(self.loss, frequency)
        return two_ray_distance(self.loss, frequency, self.heights)

    @property
    def tolerance(self) -> float:
        """The roundings; over ground a dB is a factor of 10^(1/40) in distance, otherwise of 10^(1/20)."""
        is_free = self.expected == friis_distance(self.loss, self.gigahertz * 1e9)
        return 10 ** (ROUNDING / (20 if is_free else 40)) - 1 + STEP / self.expected

    def reaches(self, distance: float) -> bool:
        """True if frames are received over so many metres."""
        return int(run(self._scenario(distance)).flows.item(0, "packets_received")) > 0

    def _scenario(self, distance: float) -> Mapping[str, Value]:
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
        return {
            "duration": "20 ms",
            "series": "off",
            "bss": {"cell": {"standard": self.standard, "radio": radio}},
            "station": {
                "far": {"rate": rate_text(self.rate), "position": [f"{distance:.3f} m", "0 m"]}
            },
            "host": {"sink": {}},
            "flow": {"up": {"from": "far", "to": "sink", "transport": SOURCE}},
        }

    def measured(self) -> float:
        """The longest distance over which frames are received, by bisection [m]."""
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
    # 4π·2.25/0.0577 = 490 m, and 4π·20/0.123 = 2043 m: before, and beyond
    Range("two-ray-near/802.11a-54", "802.11a", 54, 20, 5.2, LOW),
    Range("two-ray-near/802.11b-11", "802.11b", 11, 24, 2.437, HIGH),
    Range("two-ray-far/802.11a-6", "802.11a", 6, 20, 5.2, LOW),
    # 40 dB more: ten times as far
    Range("two-ray-far/802.11a-6-and-40-dB", "802.11a", 6, 60, 5.2, LOW),
    Range("two-ray-far/802.11b-11", "802.11b", 11, 40, 2.437, HIGH),
)


def checks() -> Iterator[Check]:
    """Each takes a few dozen runs, one after the other, of a few frames each."""
    for link in RANGES:
        id_ = f"range/{link.id}"
        yield Check(id_, link.expected, link.measured(), link.tolerance, unit="m")

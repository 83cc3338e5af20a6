"""Scenarios of saturated cells, to which the closed forms apply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airfair.scenario import load

from .theory import IP_UDP_OCTETS, LLC_SNAP_OCTETS, MAC_OCTETS, Phy

if TYPE_CHECKING:
    from airfair import Scenario
    from airfair.scenario import Value

PAYLOAD = 1472
"""UDP payload of an IP packet of 1500 octets [octets]."""
PACKET = PAYLOAD + IP_UDP_OCTETS
SOURCE: Mapping[str, str] = {"kind": "udp", "payload": f"{PAYLOAD} B", "rate": "saturated"}
FIFO: Mapping[str, Value] = {"discipline": "fifo", "packets": 50}
"""Queue of stations and access points, the same for all standards."""
WIRE_QUEUE: Mapping[str, Value] = {"packets": 100}
PSDU = PACKET + LLC_SNAP_OCTETS + MAC_OCTETS


def rate_text(rate: float) -> str:
    """Text of a rate in a scenario file."""
    return f"{rate:g} Mb/s"


@dataclass(frozen=True)
class SaturatedCell:
    """Cell with a saturated UDP sender per rate, all to a wired sink, under Bianchi's assumptions."""

    phy: Phy
    rates: Sequence[float]
    """Data rate of each station [Mb/s]."""
    rts: bool = False
    after_collision: str = "difs"

    def scenario(
        self, seconds: float, *, stop_s: float | None = None, replications: int = 1
    ) -> Scenario:
        """Scenario of the cell that lasts `seconds`; sources stop at `stop_s`, by default at the end."""
        stop = "end" if stop_s is None else f"{stop_s:g} s"
        counts = Counter(self.rates)
        names = {rate: f"at-{rate:g}".replace(".", "-") for rate in counts}
        document: Mapping[str, Value] = {
            "title": f"{len(self.rates)} saturated stations",
            "duration": f"{round(seconds * 1000)} ms",
            "series": "off",
            "bss": {"cell": self._cell()},
            "station": {
                names[rate]: {"rate": rate_text(rate), "count": count}
                for rate, count in counts.items()
            },
            "host": {"sink": {"link": {"rate": "1 Gb/s"}}},
            "flow": {
                name: {"from": name, "to": "sink", "stop": stop, "transport": SOURCE}
                for name in names.values()
            },
        }
        return load(document, replications=replications)

    def _cell(self) -> Mapping[str, Value]:
        return {
            "standard": self.phy.standard,
            "basic_rates": [rate_text(rate) for rate in self.phy.basic_rates],
            "rts_threshold": "0 B" if self.rts else "off",
            "after_collision": self.after_collision,
            "max_attempts": "unlimited",
        }

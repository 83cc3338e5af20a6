"""Scenarios of saturated cells, to which the closed forms apply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airfair import Scenario
from airfair.scenario import Value, load

from .theory import IP_UDP_OCTETS, LLC_SNAP_OCTETS, MAC_OCTETS, Phy

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


def of_phy(phy: Phy, *, rts: bool = False) -> Mapping[str, Value]:
    """Keys of a cell with the standard and the basic rates of `phy`, with RTS for all frames or for none."""
    return {
        "standard": phy.standard,
        "basic_rates": [rate_text(rate) for rate in phy.basic_rates],
        "rts_threshold": "0 B" if rts else "off",
    }


def upload(station: str) -> Mapping[str, Value]:
    """Saturated flow from a station to the wired sink."""
    return {"from": station, "to": "sink", "transport": SOURCE}


def scenario(  # noqa: PLR0913 - parts of a scenario
    cell: Mapping[str, Value],
    stations: Mapping[str, Value],
    flows: Mapping[str, Value],
    *,
    duration: str,
    warmup: str = "0 s",
    host: str = "sink",
    wire: Mapping[str, Value] | None = None,
    replications: int = 1,
) -> Scenario:
    """Scenario of a cell of stations with a wired host, without time series."""
    document: Mapping[str, Value] = {
        "duration": duration,
        "warmup": warmup,
        "series": "off",
        "bss": {"cell": cell},
        "station": stations,
        "host": {host: {} if wire is None else {"link": wire}},
        "flow": flows,
    }
    return load(document, replications=replications)


def several(  # noqa: PLR0913 - parts of a scenario
    cells: Mapping[str, Mapping[str, Value]],
    stations: Mapping[str, Mapping[str, Value]],
    *,
    up: bool,
    seconds: float,
    warmup: float = 0,
    replications: int,
) -> Scenario:
    """Scenario of cells by their names, each with stations, a wired host and saturated flows between them."""
    link: Mapping[str, Value] = {"rate": "1 Gb/s", "queue": WIRE_QUEUE}
    ends = ("{}-sta", "{}-host") if up else ("{}-host", "{}-sta")
    document: Mapping[str, Value] = {
        "duration": f"{round(1000 * (warmup + seconds))} ms",
        "warmup": f"{round(1000 * warmup)} ms",
        "series": "off",
        "bss": cells,
        "station": {f"{name}-sta": {"bss": name, **keys} for name, keys in stations.items()},
        "host": {f"{name}-host": {"link": {"to": name, **link}} for name in cells},
        "flow": {
            name: {"from": ends[0].format(name), "to": ends[1].format(name), "transport": SOURCE}
            for name in cells
        },
    }
    return load(document, replications=replications)


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
        return scenario(
            {
                **of_phy(self.phy, rts=self.rts),
                "after_collision": self.after_collision,
                "max_attempts": "unlimited",
            },
            {
                names[rate]: {"rate": rate_text(rate), "count": count}
                for rate, count in counts.items()
            },
            {name: {**upload(name), "stop": stop} for name in names.values()},
            duration=f"{round(seconds * 1000)} ms",
            wire={"rate": "1 Gb/s"},
            replications=replications,
        )

"""Parts of a cell of `occupancy-tfrc`: stations, their flows, and what keeps them to their shares."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airfair.scenario import Value

Keys = Mapping[str, "Value"]

DOWN, UP = "down", "up"
SERVER = "server"
PACKETS = 100
"""150 kB of packets of 1500 octets [D-115]."""
IP_PACKET = 1500
TOP_MBPS = 54

MAC_OCTETS = 36
"""MAC header, FCS and LLC/SNAP."""
HEADERS: Mapping[str, int] = {"tfrc": 52, "tcp": 40}
"""Octets before the data of an IP packet."""
SMALLEST = 100
"""Payload below which frames of equal duration would be mostly header."""

TFRC: Keys = {"kind": "tfrc", "profile": "rfc3448", "segment": "1448 B"}
"""Eq. 1: the last report bounds the rate [D-119]."""
TFRC_2008: Keys = {**TFRC, "profile": "rfc5348"}
"""The largest report of two round trips bounds it."""
NEWRENO: Keys = {
    "kind": "tcp",
    "flavour": "newreno",
    "segment": "1460 B",
    "window_scaling": True,
    "receive_window": "1 MB",
}
CUBIC: Keys = {**NEWRENO, "flavour": "cubic"}
TRANSPORTS: Mapping[str, Keys] = {"tfrc": TFRC, "newreno": NEWRENO, "cubic": CUBIC}
NAMES: Mapping[str, str] = {"tfrc": "TFRC", "newreno": "NewReno", "cubic": "CUBIC"}


def cbr(mbps: float) -> Keys:
    """A constant rate that nobody controls, in packets of 1000 octets."""
    return {"kind": "udp", "payload": "1000 B", "rate": f"{mbps:g} Mb/s"}


@dataclass(frozen=True)
class Station:
    """A station and what it moves."""

    mbps: float
    transports: tuple[Keys, ...] = (TFRC,)
    """One for each of its flows."""
    way: str = DOWN
    keys: Keys = field(default_factory=dict)
    """Keys of the station that differ."""
    flow: Keys = field(default_factory=dict)
    """Keys of its flows that differ."""


@dataclass(frozen=True)
class Scheme:
    """Scheme that is to give each station its part of the channel."""

    label: str
    occupancy: Value = False
    """`ap.occupancy`; whatever is granted is kept by all flows that can."""
    keys: Keys = field(default_factory=dict)
    """Keys of the cell."""
    edca: Callable[[float], Keys] | None = None
    """Channel access of a station by its rate."""
    payload: Callable[[float, Keys], int] | None = None
    """Octets in a packet of a station by its rate."""
    control: Value = "occupancy"
    """The flows' `control`, where it is another scheme's, or granted shares are to be kept."""
    needs: str = ""
    """Change that it needs."""


def tables(stations: Mapping[str, Station], scheme: Scheme) -> dict[str, Value]:
    """The keys that put `stations` into a cell under `scheme`."""
    return {
        "station": {name: _station(station, scheme) for name, station in stations.items()},
        "flow": {
            _flow_name(name, index, station): _flow(name, station, transport, scheme)
            for name, station in stations.items()
            for index, transport in enumerate(station.transports)
        },
        "bss.cell.ap.occupancy": scheme.occupancy,
        **scheme.keys,
    }


def _station(station: Station, scheme: Scheme) -> Value:
    edca: Keys = {"edca": scheme.edca(station.mbps)} if scheme.edca else {}
    rate: Keys = {"rate": f"{station.mbps:g} Mb/s"}
    return {**rate, "queue": {"packets": PACKETS}, **edca, **station.keys}


def _flow_name(name: str, index: int, station: Station) -> str:
    suffix = "" if len(station.transports) == 1 else "abcdefgh"[index]
    return f"of-{name}{suffix}"


def _flow(name: str, station: Station, transport: Keys, scheme: Scheme) -> Value:
    ends: Keys = (
        {"from": SERVER, "to": name} if station.way == DOWN else {"from": name, "to": SERVER}
    )
    is_udp = transport["kind"] == "udp"
    if scheme.payload and not is_udp:
        transport = {**transport, "segment": f"{scheme.payload(station.mbps, transport)} B"}
    control: Keys = {} if is_udp else {"control": _control(scheme)}
    return {**ends, "start_jitter": "1 s", "transport": transport, **control, **station.flow}


def _control(scheme: Scheme) -> Value:
    return "none" if scheme.control == "occupancy" and not scheme.occupancy else scheme.control


def is_tcp(transport: Keys) -> bool:
    """True of TCP."""
    return transport["kind"] == "tcp"


# ------------------------------------------------------------------ durations, for the rivals


def data_us(octets: int, mbps: float) -> int:
    """Duration of an OFDM frame with so many octets [µs]."""
    return 20 + 4 * math.ceil((22 + 8 * octets) / (4 * mbps))


def exchange_us(mbps: float) -> int:
    """A packet of 1500 octets and its ACK, a SIFS between [µs]."""
    acknowledgement = max(rate for rate in (6, 12, 24) if rate <= mbps)
    return data_us(IP_PACKET + MAC_OCTETS, mbps) + 16 + data_us(14, acknowledgement)


def equal_time(_: float) -> Keys:
    """A TXOP as long as one packet at 6 Mb/s, in units of 32 µs: the fast send several in it."""
    return {"txop_limit": f"{32 * math.ceil(exchange_us(6) / 32)} us"}


def window_by_rate(mbps: float) -> Keys:
    """CWmin + 1 in proportion to the time that a packet takes, the nearest power of two."""
    access = 34 + 9 * 15 / 2
    longer = (access + exchange_us(mbps)) / (access + exchange_us(TOP_MBPS))
    return {"cw_min": 16 * 2 ** round(math.log2(longer)) - 1}


def payload_by_rate(mbps: float, transport: Keys) -> int:
    """Octets of data whose frame lasts as long as 1500 octets do at 54 Mb/s."""
    symbols = (data_us(IP_PACKET + MAC_OCTETS, TOP_MBPS) - 20) // 4
    frame = (int(4 * mbps) * symbols - 22) // 8
    return max(SMALLEST, frame - MAC_OCTETS - HEADERS[str(transport["kind"])])

"""Names of the variants: standards, directions, aggregates, queues, schemes. The study files declare each."""

from __future__ import annotations

from collections.abc import Mapping

from airfair.experiment.claims import Readings
from airfair.experiment.conditions import Key
from airfair.reproduction import studies
from airfair.reproduction.paper import Json

_REFERENCE = studies.printed("modern")
PRINTED: Mapping[str, Json] = _REFERENCE["ending"]
"""Printed table of “Ending the Anomaly”, with a FIFO and with the airtime scheduler."""
COMMITTED: Mapping[str, tuple[float, ...]] = _REFERENCE["ath9k"]
"""Goodput of three stations before and after ath9k's airtime scheduler [Mb/s]."""
_ANOMALY = studies.declared("modern", "anomaly")
_SCHEMES = studies.declared("modern", "schemes")
_ENDING = studies.declared("modern", "ending")
_STATIONS = studies.declared("modern", "stations")
_SOLD = studies.declared("modern", "sold")
_READINGS = studies.declared("modern", "readings")
_READINGS_N = studies.declared("modern", "readings-n")
_OFDMA = studies.declared("modern", "ofdma")
_USERS = studies.declared("modern", "multi-user")
_CALLS = studies.declared("modern", "calls")

STANDARDS: Mapping[str, str] = {
    id_: keys["bss.cell.standard"] for id_, keys in _ANOMALY["factors"]["standard"].items()
}
LEGACY, MODERN = "g", ("n", "ac", "ax")
ENDS: Mapping[str, tuple[str, str]] = {
    one["standard"]: tuple(one["slow"])
    for one in _ANOMALY["design"]
    if isinstance(one["slow"], list)
}
"""Lowest rate of the slow station, and rate of the fast station [Mb/s], by standard."""
_BETWEEN = {one["standard"]: one["slow"] for one in studies.declared("modern", "rates")["design"]}
RATES: Mapping[str, tuple[str, ...]] = {
    standard: (low, *_BETWEEN[standard], high) for standard, (low, high) in ENDS.items()
}
"""All rates of the slow station [Mb/s], by standard."""
WAYS = ("down", "up")
ALONE, AGGREGATED = "alone", "aggregated"
"""Aggregation of frames: none, or A-MPDUs."""
FIFO, FQ_CODEL, AIRTIME = "fifo", "fq-codel", "airtime"
QUEUES: Mapping[str, str] = {FIFO: "FIFO", FQ_CODEL: "FQ-CoDel", AIRTIME: "airtime scheduler"}
COUNTS: tuple[str, ...] = tuple(_STATIONS["factors"]["N"])
"""Numbers of stations, one of which is slow."""

SCHEMES: Mapping[str, str] = _SCHEMES["words"]["scheme"]
NONE, TFRC = "none", "tfrc"
OVER_TFRC = (TFRC, "occupancy-tfrc")
"""Plain TFRC, and the scheme over TFRC that is compared with it."""
COMPARED = ("g", "n", "ax")
ALL_WAYS = ("down", "up", "both")
_WITH: frozenset[tuple[str, str]] = frozenset(
    (way, id_) for one in _SCHEMES["design"] for way in one["way"] for id_ in one["scheme"]
)

TESTBEDS: Mapping[str, str] = _ENDING["words"]["testbed"]
TESTBED_QUEUES: Mapping[str, str] = _ENDING["words"]["queue"]
STANDARD, FULL, NOISE = "standard", "32 packets", "noise"
"""Testbeds: with aggregates as the standard allows them, with the driver as documented, and with noise."""
DRIVER, FQ_MAC = "driver", "fq-mac"
"""Queues: those of the driver, and FQ-CoDel per station in the MAC without the airtime scheduler."""

SOLD_QUEUES: Mapping[str, str] = _SOLD["words"]["queue"]
BEHIND_DRIVER, AQL = "driver", "aql"
"""Airtime scheduler above a driver's queue, without and with airtime queue limits."""
FOUND, SET = "found", "set"
"""Rates: found by Minstrel-HT, or set."""
AGGREGATES: Mapping[str, str] = {
    "full": "a packet's time: a full aggregate's by its packets",
    "seen": "a packet's time: that in aggregates as they were seen",
    "apart": "a packet's time: that in a frame of its own",
}
"""Readings of the time of a packet in an aggregate; the first is that of the schemes' own runs."""
READINGS = tuple(AGGREGATES)
AS_READ = Readings("full", near=("seen", "apart"))
"""Readings of the papers. They do not mention aggregates, so no reading is nearer than another [D-157]."""
READ: tuple[str, ...] = tuple(
    dict.fromkeys(id_.partition(", ")[0] for one in _READINGS["design"] for id_ in one["scheme"])
)
"""Schemes that compute a packet's time."""
READ_IN: tuple[str, ...] = tuple(one["design"][0]["standard"] for one in (_READINGS_N, _READINGS))
"""Standards in which these schemes are run under all readings; claims use the last one."""


def sent(standard: str) -> str:
    """Default aggregation in a standard."""
    return "legacy" if standard == LEGACY else AGGREGATED


def anomaly(standard: str, way: str, how: str, queue: str = FIFO, slow: str = "") -> Key:
    """Key of a fast station beside one with the rate `slow`, by default the lowest."""
    slow = slow or ENDS[standard][0]
    if slow in ENDS[standard]:
        return (f"anomaly-{standard}-{way}", f"{how}, {queue}, {slow}")
    return (f"rates-{standard}", f"{way}, {how}, {slow}")


def stations(standard: str, how: str, queue: str, count: str) -> Key:
    """Key of a cell with `count` stations, one of which is slow."""
    return (f"stations-{standard}", f"{how}, {queue}, N = {count}")


def scheme(standard: str, way: str, id_: str) -> Key:
    """Key of a scheme in a standard and direction."""
    return (f"schemes-{standard}-{way}", id_)


def works(way: str, id_: str) -> bool:
    """True if a scheme can be used for flows in this direction."""
    return (way, id_) in _WITH


def baseline(id_: str) -> str:
    """Baseline with which a scheme is compared."""
    return TFRC if id_ in OVER_TFRC else NONE


def ending(testbed: str, queue: str) -> Key:
    """Key of the testbed's three stations with a queue."""
    return ("ending", f"{testbed}, {queue}")


def ath9k(queue: str) -> Key:
    """Key of three stations that download by TCP, with a queue."""
    return ("ath9k", queue)


def long_fifo(standard: str) -> Key:
    """Key of downloads of a slow and a fast station through a FIFO of 1000 packets."""
    return ("long-fifo", standard)


def _listed(levels: str | list[str]) -> list[str]:
    return [levels] if isinstance(levels, str) else levels


TESTBED_RUNS: tuple[tuple[str, str], ...] = tuple(
    (testbed, queue)
    for one in _ENDING["design"]
    for testbed in _listed(one["testbed"])
    for queue in _listed(one["queue"])
)
"""Pairs of a testbed and a queue that are run."""


def printed(queue: str) -> str:
    """Name of the part of the printed table with which a queue is compared."""
    return AIRTIME if queue == AIRTIME else FIFO


def sold(standard: str, way: str, rates: str, queue: str, *, joined: bool = False) -> Key:
    """Key of an access point as sold; `joined` is true for A-MSDUs."""
    return (f"sold-{standard}-{way}", f"{rates}, A-MSDU {'on' if joined else 'off'}, {queue}")


SOLD: tuple[Key, ...] = tuple(
    sold(standard, one["way"], one["rates"], queue, joined=amsdu == "on")
    for one in _SOLD["design"]
    for standard in one["standard"]
    for amsdu in _listed(one["amsdu"])
    for queue in _listed(one["queue"])
)
"""Keys of all access points as sold."""


def reading(standard: str, way: str, id_: str, aggregates: str) -> Key:
    """Key of a scheme under a reading of the time of a packet in an aggregate."""
    if aggregates == READINGS[0]:
        return scheme(standard, way, id_)
    return (f"readings-{standard}-{way}", f"{id_}, {aggregates}")


def short_flows(standard: str, queue: str) -> Key:
    """Key of short transfers beside a slow download, with a queue."""
    return ("short-flows", f"{standard}, {queue}")


OFDMA: Mapping[str, str] = _OFDMA["words"]["ofdma"]
CELLS: Mapping[str, str] = _USERS["words"]["cell"]
EQUAL, TWO_SLOW = "equal", "two slow"
"""Cells of eight stations: all at the highest rate, or two of them at the lowest."""
BULK, SMALL = "bulk", "small"
"""Traffic: TCP, or more small packets than the air carries."""
USERS_QUEUES: Mapping[str, str] = _USERS["words"]["queue"]
USERS: Mapping[str, str] = _USERS["words"]["users"]
CALL_USERS: Mapping[str, str] = _CALLS["words"]["users"]
ONE, SHARED = "one", "round-robin"
"""Frames to one user each, or to several users that the multi-user scheduler chooses in turn."""
WITHOUT_OFDMA = "off"


def users(traffic: str, cell: str, queue: str, users: str) -> Key:
    """Key of eight downloads with a queue and a multi-user scheduler."""
    return (f"users-{traffic}", f"{cell}, {queue}, {users}")


def ofdma(way: str, id_: str, where: str) -> Key:
    """Key of a scheme with OFDMA, for one slow station and three fast ones."""
    return (f"ofdma-{way}", f"{id_}, {where}")

"""Names of the runs: standards, ways, aggregates, queues, schemes. The study files declare each of them."""

from __future__ import annotations

from collections.abc import Mapping

from airfair.experiment.claims import Readings
from airfair.reproduce import studies
from airfair.reproduce.catalogue import experiments_directory
from airfair.reproduce.paper import Json, reference

Key = tuple[str, str]
"""Setup and variant."""

_REFERENCE = reference(experiments_directory() / "modern")
PRINTED: Mapping[str, Json] = _REFERENCE["ending"]
"""The table of “Ending the Anomaly”: under a FIFO and under the airtime scheduler."""
COMMITTED: Mapping[str, tuple[float, ...]] = _REFERENCE["ath9k"]
"""Goodput of three stations before and after ath9k's airtime scheduler [Mb/s]."""
_ANOMALY = studies.declared("modern", "anomaly")
_SCHEMES = studies.declared("modern", "schemes")
_ENDING = studies.declared("modern", "ending")
_STATIONS = studies.declared("modern", "stations")
_SOLD = studies.declared("modern", "sold")
_READINGS = studies.declared("modern", "readings")
_TODAY = studies.declared("modern", "today")
_READINGS_N = studies.declared("modern", "readings-n")

STANDARDS: Mapping[str, str] = {
    id_: keys["bss.cell.standard"] for id_, keys in _ANOMALY["factors"]["standard"].items()
}
LEGACY, MODERN = "g", ("n", "ac", "ax")
ENDS: Mapping[str, tuple[str, str]] = {
    one["standard"]: tuple(one["slow"])
    for one in _ANOMALY["design"]
    if isinstance(one["slow"], list)
}
"""The lowest rate of the slow station [Mb/s], and the fast one's."""
_BETWEEN = {one["standard"]: one["slow"] for one in studies.declared("modern", "rates")["design"]}
RATES: Mapping[str, tuple[str, ...]] = {
    standard: (low, *_BETWEEN[standard], high) for standard, (low, high) in ENDS.items()
}
"""All rates of the slow station [Mb/s]."""
WAYS = ("down", "up")
ALONE, AGGREGATED = "alone", "aggregated"
"""Aggregation of frames: none, or aggregates."""
FIFO, FQ_CODEL, AIRTIME = "fifo", "fq-codel", "airtime"
QUEUES: Mapping[str, str] = {FIFO: "FIFO", FQ_CODEL: "FQ-CoDel", AIRTIME: "airtime scheduler"}
(DEFAULT,) = _TODAY["factors"]["queue"]
"""Default queue of an access point."""
WITH_TODAYS_HOSTS: tuple[str, ...] = tuple(one["standard"] for one in _TODAY["design"])
COUNTS: tuple[str, ...] = tuple(_STATIONS["factors"]["N"])
"""Stations, one of which is slow."""

SCHEMES: Mapping[str, str] = _SCHEMES["words"]["scheme"]
NONE, TFRC = "none", "tfrc"
OVER_TFRC = (TFRC, "occupancy-tfrc")
"""Schemes of TFRC, whose flows have no scheme where TFRC is alone."""
COMPARED = ("g", "n", "ax")
ALL_WAYS = ("down", "up", "both")
_WITH: frozenset[tuple[str, str]] = frozenset(
    (way, id_) for one in _SCHEMES["design"] for way in one["way"] for id_ in one["scheme"]
)

TESTBEDS: Mapping[str, str] = _ENDING["words"]["testbed"]
TESTBED_QUEUES: Mapping[str, str] = _ENDING["words"]["queue"]
STANDARD, FULL, NOISE = "standard", "32 packets", "noise"
"""The testbed as the standard allows it, with all that is documented of its driver, and with noise."""
DRIVER, FQ_MAC = "driver", "fq-mac"
"""Queues of the driver; `FQ-CoDel` for each station in the MAC, without airtime."""

SOLD_QUEUES: Mapping[str, str] = _SOLD["words"]["queue"]
BEHIND_DRIVER, AQL = "driver", "aql"
"""The airtime scheduler above a driver's queue, without limits of it and with."""
FOUND, SET = "found", "set"
"""Rates that Minstrel-HT finds, and rates that are set."""
AGGREGATES: Mapping[str, str] = {
    "full": "a packet's time: a full aggregate's by its packets",
    "seen": "a packet's time: that in aggregates as they were seen",
    "apart": "a packet's time: that in a frame of its own",
}
"""Packets of an aggregate among which its time is divided; the first is that of the schemes' own runs."""
READINGS = tuple(AGGREGATES)
AS_READ = Readings("full", near=("seen", "apart"))
"""The papers know no aggregates, so that no reading is nearer to their words than another [D-157]."""
READ: tuple[str, ...] = tuple(
    dict.fromkeys(id_.partition(", ")[0] for one in _READINGS["design"] for id_ in one["scheme"])
)
"""Schemes that compute a packet's time."""
READ_IN: tuple[str, ...] = tuple(one["design"][0]["standard"] for one in (_READINGS_N, _READINGS))
"""Standards in which they are run; claims speak of the last."""


def sent(standard: str) -> str:
    """Default aggregation in a standard."""
    return "legacy" if standard == LEGACY else AGGREGATED


def anomaly(standard: str, way: str, how: str, queue: str = FIFO, slow: str = "") -> Key:
    """A fast station and one at a slow rate, by default the lowest."""
    slow = slow or ENDS[standard][0]
    if slow in ENDS[standard]:
        return (f"anomaly-{standard}-{way}", f"{how}, {queue}, {slow}")
    return (f"rates-{standard}", f"{way}, {how}, {slow}")


def todays_hosts(standard: str, way: str) -> Key:
    """A fast and a slow station with the hosts and queues of Linux."""
    return (f"today-{standard}", f"{way}, {DEFAULT}")


def stations(standard: str, how: str, queue: str, count: str) -> Key:
    """So many stations, one of which is slow."""
    return (f"stations-{standard}", f"{how}, {queue}, N = {count}")


def scheme(standard: str, way: str, id_: str) -> Key:
    """A scheme."""
    return (f"schemes-{standard}-{way}", id_)


def works(way: str, id_: str) -> bool:
    """True if a scheme can be used for flows in this direction."""
    return (way, id_) in _WITH


def baseline(id_: str) -> str:
    """Baseline with which a scheme is compared."""
    return TFRC if id_ in OVER_TFRC else NONE


def ending(testbed: str, queue: str) -> Key:
    """The three stations."""
    return ("ending", f"{testbed}, {queue}")


def ath9k(queue: str) -> Key:
    """The three stations, downloading by TCP."""
    return ("ath9k", queue)


def long_fifo(standard: str) -> Key:
    """A slow and a fast station's downloads through a FIFO of 1000 packets."""
    return ("long-fifo", standard)


def _listed(levels: str | list[str]) -> list[str]:
    return [levels] if isinstance(levels, str) else levels


TESTBED_RUNS: tuple[tuple[str, str], ...] = tuple(
    (testbed, queue)
    for one in _ENDING["design"]
    for testbed in _listed(one["testbed"])
    for queue in _listed(one["queue"])
)
"""Every testbed with the queues that it is run with."""


def printed(queue: str) -> str:
    """Part of the printed table for a queue."""
    return AIRTIME if queue == AIRTIME else FIFO


def sold(standard: str, way: str, rates: str, queue: str, *, joined: bool = False) -> Key:
    """An access point as it is sold, with packets joined in A-MSDUs or not."""
    return (f"sold-{standard}-{way}", f"{rates}, A-MSDU {'on' if joined else 'off'}, {queue}")


SOLD: tuple[Key, ...] = tuple(
    sold(standard, one["way"], one["rates"], queue, joined=amsdu == "on")
    for one in _SOLD["design"]
    for standard in one["standard"]
    for amsdu in _listed(one["amsdu"])
    for queue in _listed(one["queue"])
)
"""All of them."""


def reading(standard: str, way: str, id_: str, aggregates: str) -> Key:
    """A scheme that divides the time of an aggregate so."""
    if aggregates == READINGS[0]:
        return scheme(standard, way, id_)
    return (f"readings-{standard}-{way}", f"{id_}, {aggregates}")


def short_flows(standard: str, queue: str) -> Key:
    """Short transfers beside a slow download."""
    return ("short-flows", f"{standard}, {queue}")

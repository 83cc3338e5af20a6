"""Names of the variants: ways, speeds, schemes, places and readings. The study files declare each of them.

A *place* is the position of the server and the length of the access point's queue, which the paper leaves
open. The place is chosen by Table I's row for standard TCP alone: `CANDIDATES` are run with standard TCP, and
`findings.baseline` ranks them. `PLACES` has the result, which a test compares with the recorded runs. Other
readings of the law and of the radio are run at fewer speeds. `AS_READ` lists the near readings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from airfair.experiment.claims import Readings
from airfair.experiment.conditions import Key
from airfair.reproduction import studies
from airfair.reproduction.paper import Json

TABLE1: Json = studies.printed("arf-window")["table1"]
"""Printed values of Table I."""

NEWRENO, WINDOW = "newreno", "arf-window"
SCHEMES = (NEWRENO, WINDOW)
LABELS: Mapping[str, str] = {NEWRENO: "standard TCP", WINDOW: "proposed scheme"}

SPEEDS = tuple(range(1, 11))
"""Speeds of the station in Figures 4 and 5 [m/s]."""
SLOW = 3
"""Largest speed at which a run is so long that few runs are as precise as many runs at other speeds [m/s]."""
MIDDLE = 5
"""Speed at which readings and places are compared [m/s]."""

AWAY, TOWARD, RANDOM = "away", "toward", "random"
STRAIGHT = (AWAY, TOWARD)

PAPERS_RUNS = 20
"""Runs behind a value of Table I. The paper does not state their duration; ours is assumed."""
RUNS = 10
"""Replications of the deciding system and of the near ones."""

Spot = tuple[int, int]
"""Place: delay to the server [ms], and length of the access point's queue [packets]."""


def _spot(id_: str) -> Spot:
    delay, packets = id_.split("ms-")
    return int(delay), int(packets)


CANDIDATES: tuple[Spot, ...] = tuple(
    _spot(id_) for id_ in studies.declared("arf-window", "candidates")["design"][0]["system"]
)
"""Places that are run with standard TCP, sorted by distance from the printed row."""
PLACE, ALSO_FIT, NEIGHBOURS = CANDIDATES[0], CANDIDATES[1:2], CANDIDATES[2:5]
"""Place at which claims are decided [D-086]; near places, which fit the printed row as well; and neighbouring
places, which are reported but decide nothing."""


def spot_label(spot: Spot) -> str:
    """Text of a place for reports."""
    return f"{spot[0]} ms, {spot[1]} packets"


@dataclass(frozen=True)
class Reading:
    """Reading of τ in eq. 8 after a rise and after a fall of the rate, and of the RTT in eq. 11 [D-083]."""

    rise: str
    fall: str
    round_trip: str

    @property
    def id(self) -> str:
        """Short name of the reading."""
        return f"{self.rise}-{self.fall}-{self.round_trip}"


PROJECTED = Reading("projected", "projected", "least")
"""Deciding reading, which agrees with eq. 6 and with the paper's text."""
PRINTED = Reading("printed", "printed", "smoothed")
SMOOTHED = Reading("projected", "projected", "smoothed")
READINGS = tuple(
    Reading(*words)
    for words in product(("projected", "printed"), ("projected", "printed"), ("least", "smoothed"))
)
"""All eight readings, the deciding one first."""


@dataclass(frozen=True)
class System:
    """System: a choice of all settings that the paper leaves open."""

    label: str
    speeds: tuple[int, ...] = (MIDDLE,)
    reading: Reading = PROJECTED
    spot: Spot = PLACE
    is_candidate: bool = True
    """True if its runs of standard TCP are those of a candidate."""

    @property
    def scheme(self) -> str:
        """Name of the scheme's variant, which contains the reading unless it is the deciding one."""
        return WINDOW if self.reading == PROJECTED else self.reading.id


DECIDING = "place"


def _spot_id(spot: Spot) -> str:
    return f"{spot[0]}ms-{spot[1]}"


def at_spot(spot: Spot) -> str:
    """Id of the system with this place."""
    return DECIDING if spot == PLACE else _spot_id(spot)


SYSTEMS: Mapping[str, System] = {
    DECIDING: System(f"{spot_label(PLACE)}; τ projected, least RTT", SPEEDS),
    **{_spot_id(spot): System(spot_label(spot), spot=spot) for spot in (*ALSO_FIT, *NEIGHBOURS)},
    "printed": System("the letter: τ as measured, mean RTT", reading=PRINTED),
    "smoothed": System("τ projected, mean RTT", reading=SMOOTHED),
    "rts": System("RTS/CTS", is_candidate=False),
    "snr": System("reception by SNR", is_candidate=False),
    "arf": System("ARF of later QualNets", is_candidate=False),
}
"""Systems by id; the first one decides [D-083, D-086 to D-088]."""
_NEAR = (*map(_spot_id, ALSO_FIT), "printed")
AS_READ = Readings(
    DECIDING, near=_NEAR, beside=tuple(id_ for id_ in SYSTEMS if id_ not in (DECIDING, *_NEAR))
)
"""Readings of the paper, by id of their system. Near are the places that fit the printed row as well, and the
literal eq. 8 and 11. They contradict eq. 6, so one equation is misprinted, but it is unknown which one."""
PLACES = Readings(spot_label(PLACE), near=tuple(map(spot_label, ALSO_FIT)))
"""Result of the calibration, by labels of candidates."""
SLOTS = tuple(studies.declared("arf-window", "slots")["factors"]["scheme"])
"""Values of the observation slot T other than the default of 300 ms."""
BEYOND = tuple(studies.declared("arf-window", "beyond")["factors"]["move"])
"""Settings that the paper leaves for later work: more stations, more connections, TCP Westwood."""


@dataclass(frozen=True)
class SchemePair:
    """Pair of variants with the same seeds: standard TCP and the proposed scheme."""

    standard: Key
    proposed: Key

    def key(self, scheme: str) -> Key:
        """Setup and variant of a scheme."""
        return self.standard if scheme == NEWRENO else self.proposed

    @property
    def keys_of_both(self) -> tuple[Key, Key]:
        """Keys of both variants."""
        return self.standard, self.proposed


def on_the_way(system: str, way: str, speed: int) -> SchemePair:
    """Pair at a point of Figure 4 or 5 in a system.

    Systems that differ from the deciding one only in the law share its runs of standard TCP.
    """
    base = system if SYSTEMS[system].reading == PROJECTED else DECIDING
    return SchemePair(
        (_setup_id(base, way, speed), f"{speed} m/s-{NEWRENO}"),
        (_setup_id(system, way, speed), f"{speed} m/s-{SYSTEMS[system].scheme}"),
    )


def at_random(system: str) -> SchemePair:
    """Pair with random waypoint motion (Table I) in a system."""
    read, setup = SYSTEMS[system], f"{system}-{RANDOM}"
    alone = (setup, f"random waypoint-{NEWRENO}")
    standard = baseline_key(read.spot) if read.is_candidate else alone
    return SchemePair(standard, (setup, f"random waypoint-{read.scheme}"))


def _setup_id(system: str, way: str, speed: int) -> str:
    """Id of the setup for a way in a system; low speeds have a separate setup with fewer runs."""
    return f"{system}-{way}" + ("-slow" if speed <= SLOW else "")


def claimed(system: str, ways: tuple[str, ...] = (*STRAIGHT, RANDOM)) -> list[SchemePair]:
    """All pairs that claims compare in a system."""
    speeds = SYSTEMS[system].speeds
    places = [on_the_way(system, way, speed) for way in ways if way != RANDOM for speed in speeds]
    return [*places, at_random(system)] if RANDOM in ways else places


def needed(system: str, way: str) -> tuple[str, ...]:
    """Setups that a claim about a way needs in a system."""
    places = claimed(system, (way,))
    return tuple(dict.fromkeys(setup for place in places for setup, _ in place.keys_of_both))


def baseline_key(spot: Spot) -> Key:
    """Key of standard TCP with random waypoint motion at a candidate place."""
    return ("candidates", f"{_spot_id(spot)}-{NEWRENO}")


def in_region(spot: Spot) -> SchemePair:
    """Pair at a candidate place, moving away at `MIDDLE`."""
    if at_spot(spot) in SYSTEMS:
        return on_the_way(at_spot(spot), AWAY, MIDDLE)
    return _pair("region", _spot_id(spot))


def with_reading(reading: Reading, way: str) -> SchemePair:
    """Pair with a reading of the law, on a straight way at `MIDDLE`."""
    known = {SYSTEMS[id_].reading: id_ for id_ in (DECIDING, "printed", "smoothed")}
    if reading in known:
        return on_the_way(known[reading], way, MIDDLE)
    here = on_the_way(DECIDING, way, MIDDLE)
    return SchemePair(here.standard, ("readings", f"{way}-{reading.id}"))


def with_slot(slot: str) -> SchemePair:
    """Pair with another observation slot T, moving away at `MIDDLE`."""
    return SchemePair(on_the_way(DECIDING, AWAY, MIDDLE).standard, ("slots", slot))


def beyond(id_: str) -> SchemePair:
    """Pair with a setting that the paper leaves for later work."""
    return _pair("beyond", id_)


def _pair(setup: str, id_: str) -> SchemePair:
    return SchemePair((setup, f"{id_}-{NEWRENO}"), (setup, f"{id_}-{WINDOW}"))

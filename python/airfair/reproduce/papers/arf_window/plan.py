"""Names of the runs: ways, speeds, schemes, places and readings. The study files declare each of them.

A *place* is the position of the server and the length of the access point's queue, which the paper leaves
open. It is chosen by Table I's row for standard TCP alone: `CANDIDATES` are run with standard TCP,
`findings.baseline` ranks them, `PLACES` has the result, and a test compares it with the recorded runs. Other
readings of the law and of the radio are run at fewer speeds; `AS_READ` lists which readings are near.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from airfair.experiment.claims import Readings
from airfair.experiment.conditions import Key
from airfair.reproduce import studies

NEWRENO, WINDOW = "newreno", "arf-window"
SCHEMES = (NEWRENO, WINDOW)
LABELS: Mapping[str, str] = {NEWRENO: "standard TCP", WINDOW: "proposed scheme"}

SPEEDS = tuple(range(1, 11))
"""Of Figures 4 and 5 [m/s]."""
SLOW = 3
"""Up to here a way takes so long that few runs tell as much as many of the others [m/s]."""
MIDDLE = 5
"""The speed at which readings and places are compared [m/s]."""

AWAY, TOWARD, RANDOM = "away", "toward", "random"
STRAIGHT = (AWAY, TOWARD)

WANDERING_S = 200
"""Random waypoint: a third of the companion paper's length, and as many more runs where it counts [D-085]."""
PAPERS_RUNS = 20
"""Runs behind a figure of Table I. How long they lasted is not said: they are taken to be as long as ours."""
RUNS = 10
"""Replications of what decides, and of what is as near."""

Spot = tuple[int, int]
"""Delay of the server [ms], and packets at the access point."""


def _spot(id_: str) -> Spot:
    delay, packets = id_.split("ms-")
    return int(delay), int(packets)


CANDIDATES: tuple[Spot, ...] = tuple(
    _spot(id_) for id_ in studies.declared("arf-window", "candidates")["design"][0]["system"]
)
"""Tried with standard TCP, the nearest to the baseline first."""
PLACE, ALSO_FIT, NEIGHBOURS = CANDIDATES[0], CANDIDATES[1:2], CANDIDATES[2:5]
"""The place at which claims are decided [D-086]; those that the baseline does not tell from it, and which are
as near; and those around it, which stand beside."""


def spot_label(spot: Spot) -> str:
    """Text of a place."""
    return f"{spot[0]} ms, {spot[1]} packets"


@dataclass(frozen=True)
class Reading:
    """Reading of τ in eq. 8 after a rise and after a fall, and of the round trip in eq. 11 [D-083]."""

    rise: str
    fall: str
    round_trip: str

    @property
    def id(self) -> str:
        """Short name of the reading."""
        return f"{self.rise}-{self.fall}-{self.round_trip}"


PROJECTED = Reading("projected", "projected", "least")
"""Agrees with eq. 6 and with the words, and decides."""
PRINTED = Reading("printed", "printed", "smoothed")
SMOOTHED = Reading("projected", "projected", "smoothed")
READINGS = tuple(
    Reading(*words)
    for words in product(("projected", "printed"), ("projected", "printed"), ("least", "smoothed"))
)
"""All eight, the deciding one first."""


@dataclass(frozen=True)
class System:
    """System: one choice for all settings that the paper leaves open."""

    label: str
    speeds: tuple[int, ...] = (MIDDLE,)
    reading: Reading = PROJECTED
    spot: Spot = PLACE
    is_candidate: bool = True
    """True if standard TCP in it is that of a candidate."""

    @property
    def scheme(self) -> str:
        """Variant of the scheme: its reading, unless that is the deciding one."""
        return WINDOW if self.reading == PROJECTED else self.reading.id


DECIDING = "place"


def _spot_id(spot: Spot) -> str:
    return f"{spot[0]}ms-{spot[1]}"


def at_spot(spot: Spot) -> str:
    """Id of the system at a candidate."""
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
"""The first decides [D-083, D-086 to D-088]."""
_NEAR = (*map(_spot_id, ALSO_FIT), "printed")
AS_READ = Readings(
    DECIDING, near=_NEAR, beside=tuple(id_ for id_ in SYSTEMS if id_ not in (DECIDING, *_NEAR))
)
"""As near are the places that fit the baseline as well, and the letter of eq. 8 and 11: that what is printed
contradicts eq. 6 shows a misprint and not which one."""
PLACES = Readings(spot_label(PLACE), near=tuple(map(spot_label, ALSO_FIT)))
"""Result of the calibration, by labels of candidates."""
SLOTS = tuple(studies.declared("arf-window", "slots")["factors"]["scheme"])
"""T beside the default of 300 ms."""
BEYOND = tuple(studies.declared("arf-window", "beyond")["factors"]["move"])
"""Settings that the paper leaves for later: more stations, more connections, TCP Westwood."""


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
    """Table I in a system."""
    read, setup = SYSTEMS[system], f"{system}-{RANDOM}"
    alone = (setup, f"random waypoint-{NEWRENO}")
    standard = baseline_key(read.spot) if read.is_candidate else alone
    return SchemePair(standard, (setup, f"random waypoint-{read.scheme}"))


def _setup_id(system: str, way: str, speed: int) -> str:
    """Id of the setup with a way in a system; slow ways have one of their own, with fewer runs."""
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
    """Standard TCP that wanders, at a candidate."""
    return ("candidates", f"{_spot_id(spot)}-{NEWRENO}")


def in_region(spot: Spot) -> SchemePair:
    """Away at the middle speed, at a candidate."""
    if at_spot(spot) in SYSTEMS:
        return on_the_way(at_spot(spot), AWAY, MIDDLE)
    return _pair("region", _spot_id(spot))


def with_reading(reading: Reading, way: str) -> SchemePair:
    """A straight way at the middle speed under a reading of the law."""
    known = {SYSTEMS[id_].reading: id_ for id_ in (DECIDING, "printed", "smoothed")}
    if reading in known:
        return on_the_way(known[reading], way, MIDDLE)
    here = on_the_way(DECIDING, way, MIDDLE)
    return SchemePair(here.standard, ("readings", f"{way}-{reading.id}"))


def with_slot(slot: str) -> SchemePair:
    """Away at the middle speed with another T."""
    return SchemePair(on_the_way(DECIDING, AWAY, MIDDLE).standard, ("slots", slot))


def beyond(id_: str) -> SchemePair:
    """A setting that the paper leaves for later."""
    return _pair("beyond", id_)


def _pair(setup: str, id_: str) -> SchemePair:
    return SchemePair((setup, f"{id_}-{NEWRENO}"), (setup, f"{id_}-{WINDOW}"))

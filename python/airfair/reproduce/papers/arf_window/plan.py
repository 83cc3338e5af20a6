"""Which runs are made: ways, speeds, schemes, places and readings that the paper leaves open.

A *place* is where the server is and what the access point can keep. It is chosen by Table I's row for
standard TCP alone: `CANDIDATES` run with standard TCP, `findings.baseline` ranks them, `PLACE` is the
nearest. The candidates that fit as well stand beside, and so do other readings of the law and of the radio,
at fewer speeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from airfair.experiment.conditions import Key
from airfair.reproduce.paper import Setup, Variant

if TYPE_CHECKING:
    from airfair.scenario import Value

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

NEAR_END_M, FAR_END_M = 5, 365
"""Ends of the straight way: distances from the access point [D-085]."""
REST_S = 20
"""The flow starts in the first second, the station moves from here on, and only then counts [D-085]."""
WANDERING_S = 200
"""Random waypoint: a third of the companion paper's length, and as many more runs where it counts [D-085]."""
PAPERS_RUNS = 20
PAPERS_WANDERING_S = 600
"""Duration behind a figure of Table I, if the runs were as long as the companion paper's."""

RUNS = 10
"""Replications of what decides, and of what is as near."""
SLOW_RUNS = 5
RANDOM_RUNS = 20
"""Those that wander and that all candidates have: what standard TCP has depends on the way."""
BESIDE_RUNS = 6
"""Those of what decides nothing."""

MOBILITY = "station.mobile.mobility"
CONTROL = "flow.download.control"

Spot = tuple[int, int]
"""Delay of the server [ms], and packets at the access point."""

PLACE: Spot = (20, 25)
"""Place at which claims are decided: nearest to the baseline [D-086]."""
ALSO_FIT: tuple[Spot, ...] = ((10, 33),)
"""Candidates that the baseline does not tell from it."""
NEIGHBOURS: tuple[Spot, ...] = ((15, 25), (20, 20), (30, 20))
"""Candidates around it, which stand beside."""
CANDIDATES: tuple[Spot, ...] = (
    PLACE,
    *ALSO_FIT,
    *NEIGHBOURS,
    (5, 33),
    (20, 33),
    (50, 100),
)
"""Tried with standard TCP: along the baseline's drops, to either side of them, and the companion paper's
50 ms with QualNet's 150 kB, where nothing can drop."""


def network(spot: Spot) -> dict[str, Value]:
    """Place of the server, and room of the access point's queue."""
    delay_ms, packets = spot
    return {"host.server.link.delay": f"{delay_ms} ms", "bss.cell.ap.queue.packets": packets}


def spot_label(spot: Spot) -> str:
    """A place in words."""
    return f"{spot[0]} ms, {spot[1]} packets"


@dataclass(frozen=True)
class Reading:
    """Reading of τ in eq. 8 after a rise and after a fall, and of the round trip in eq. 11 [D-083]."""

    rise: str
    fall: str
    round_trip: str

    @property
    def id(self) -> str:
        """A short name."""
        return f"{self.rise}-{self.fall}-{self.round_trip}"

    @property
    def control(self) -> Value:
        """The flow's `control`."""
        scheme = {"scheme": "arf-window", "rise": self.rise, "fall": self.fall}
        return {**scheme, "round_trip": self.round_trip}


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
    """One way to read all that the paper leaves open."""

    label: str
    keys: Mapping[str, Value]
    speeds: tuple[int, ...] = (MIDDLE,)
    reading: Reading = PROJECTED
    fits: bool = False
    """True if the baseline does not tell it from the one that decides."""
    spot: Spot = PLACE

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


def _elsewhere(spot: Spot) -> System:
    return System(spot_label(spot), network(spot), fits=spot in ALSO_FIT, spot=spot)


_HERE = network(PLACE)
SYSTEMS: Mapping[str, System] = {
    DECIDING: System(
        f"{spot_label(PLACE)}; τ projected, least RTT",
        _HERE,
        SPEEDS,
    ),
    **{_spot_id(spot): _elsewhere(spot) for spot in (*ALSO_FIT, *NEIGHBOURS)},
    "printed": System("the letter: τ as measured, mean RTT", _HERE, reading=PRINTED),
    "smoothed": System("τ projected, mean RTT", _HERE, reading=SMOOTHED),
    "rts": System("RTS/CTS", {**_HERE, "bss.cell.rts_threshold": "0 B"}),
    "snr": System("reception by SNR", {**_HERE, "bss.cell.radio.reception": "snr"}),
    "arf": System(
        "ARF of later QualNets",
        {**_HERE, "station.mobile.rate": {"control": "arf", "preset": "qualnet5"}},
    ),
}
"""The first decides [D-083, D-086 to D-088]."""
BESIDE = tuple(system for system in SYSTEMS if system != DECIDING)
SLOTS = ("100 ms", "1 s")
"""T beside the default of 300 ms."""


def straight(way: str, speed: float) -> dict[str, Value]:
    """The way A-1 or A-2 of Figure 3, once."""
    ends = (NEAR_END_M, FAR_END_M) if way == AWAY else (FAR_END_M, NEAR_END_M)
    end = f"{REST_S + (FAR_END_M - NEAR_END_M) / speed:.3f} s"
    points: Value = [
        [time, f"{x} m", "0 m"] for time, x in zip((f"{REST_S} s", end), ends, strict=True)
    ]
    return {MOBILITY: {"model": "waypoints", "points": points}, "duration": end}


def wandering(seconds: int) -> dict[str, Value]:
    """The way B of Figure 3 for so long."""
    return {
        MOBILITY: {"model": "random-waypoint", "radius": "370 m", "max_speed": "10 m/s"},
        "duration": f"{REST_S + seconds} s",
    }


@dataclass(frozen=True)
class Place:
    """A pair of runs to be compared: standard TCP and the scheme under the same seeds."""

    standard: Key
    proposed: Key
    keys: Mapping[str, Value]
    control: Value = "arf-window"

    def key(self, scheme: str) -> Key:
        """Setup and variant."""
        return self.standard if scheme == NEWRENO else self.proposed

    @property
    def keys_of_both(self) -> tuple[Key, Key]:
        """Both runs."""
        return self.standard, self.proposed

    def variants(self) -> Iterator[tuple[Key, Variant]]:
        """Both runs, as they are made."""
        for key, control in ((self.standard, "none"), (self.proposed, self.control)):
            yield key, Variant(key[1], {**self.keys, CONTROL: control})


def on_the_way(system: str, way: str, speed: int) -> Place:
    """A point of Figure 4 or 5 in a system."""
    return _place(system, way, straight(way, speed), speed)


def at_random(system: str) -> Place:
    """Table I in a system."""
    return _place(system, RANDOM, wandering(WANDERING_S))


def _place(system: str, way: str, move: Mapping[str, Value], speed: int | None = None) -> Place:
    """Another reading of the law alone shares the runs of standard TCP with the one that decides."""
    read = SYSTEMS[system]
    base = system if read.reading == PROJECTED else DECIDING
    point = "random waypoint" if speed is None else f"{speed} m/s"
    is_candidate = way == RANDOM and read.keys == network(read.spot)
    return Place(
        baseline_key(read.spot)
        if is_candidate
        else (setup_id(base, way, speed), f"{point}-{NEWRENO}"),
        (setup_id(system, way, speed), f"{point}-{read.scheme}"),
        {**move, **read.keys},
        "arf-window" if read.reading == PROJECTED else read.reading.control,
    )


def setup_id(system: str, way: str, speed: int | None = None) -> str:
    """Id of the setup with a way in a system; slow ways have one of their own, with fewer runs."""
    return f"{system}-{way}" + ("-slow" if speed is not None and speed <= SLOW else "")


def claimed(system: str) -> list[Place]:
    """Everything that a claim looks at."""
    speeds = SYSTEMS[system].speeds
    places = [on_the_way(system, way, speed) for way in STRAIGHT for speed in speeds]
    return [*places, at_random(system)]


def needed(system: str, way: str) -> tuple[str, ...]:
    """Setups that a claim about a way needs in a system."""
    read = SYSTEMS[system]
    places = (
        [at_random(system)]
        if way == RANDOM
        else [on_the_way(system, way, speed) for speed in read.speeds]
    )
    return tuple(dict.fromkeys(setup for place in places for setup, _ in place.keys_of_both))


def baseline_key(spot: Spot) -> Key:
    """Standard TCP that wanders, at a candidate."""
    return ("candidates", f"{_spot_id(spot)}-{NEWRENO}")


def in_region(spot: Spot) -> Place:
    """Away at the middle speed, at a candidate."""
    if at_spot(spot) in SYSTEMS:
        return on_the_way(at_spot(spot), AWAY, MIDDLE)
    keys = {**straight(AWAY, MIDDLE), **network(spot)}
    id_ = _spot_id(spot)
    return Place(("region", f"{id_}-{NEWRENO}"), ("region", f"{id_}-{WINDOW}"), keys)


def with_reading(reading: Reading, way: str) -> Place:
    """A straight way at the middle speed under a reading of the law."""
    known = {SYSTEMS[id_].reading: id_ for id_ in (DECIDING, "printed", "smoothed")}
    if reading in known:
        return on_the_way(known[reading], way, MIDDLE)
    here = on_the_way(DECIDING, way, MIDDLE)
    return Place(here.standard, ("readings", f"{way}-{reading.id}"), here.keys, reading.control)


def with_slot(slot: str) -> Place:
    """Away at the middle speed with another T."""
    here = on_the_way(DECIDING, AWAY, MIDDLE)
    control: Value = {"scheme": "arf-window", "slot": slot}
    return Place(here.standard, ("slots", slot), here.keys, control)


BEYOND: Mapping[str, Mapping[str, Value]] = {
    "5 stations that wander": {**wandering(100), "station.mobile.count": 5},
    "4 connections, away": {**straight(AWAY, MIDDLE), "flow.download.count": 4},
    "Westwood, away": {**straight(AWAY, MIDDLE), "flow.download.transport.flavour": "westwood"},
}
"""Settings that the paper leaves for later: more stations, more connections, TCP Westwood."""


def beyond(id_: str) -> Place:
    """A setting that the paper leaves for later."""
    return Place(
        ("beyond", f"{id_}-{NEWRENO}"), ("beyond", f"{id_}-{WINDOW}"), {**BEYOND[id_], **_HERE}
    )


def setups(directory: Path) -> dict[str, Setup]:
    """Everything that is run."""
    cell = directory / "cell.toml"
    grouped: dict[str, dict[str, Variant]] = {}
    for (setup, id_), variant in _all_variants():
        grouped.setdefault(setup, {}).setdefault(id_, variant)
    return {
        id_: Setup(
            id_,
            cell,
            tuple(variants.values()),
            replications=_replications(id_),
            extension=id_ in EXTENSIONS,
        )
        for id_, variants in grouped.items()
    }


EXTENSIONS = ("region", "slots", "beyond")


def _replications(setup: str) -> int:
    if setup in ("candidates", setup_id(DECIDING, RANDOM)):
        return RANDOM_RUNS
    if setup.endswith("-slow"):
        return SLOW_RUNS
    decides = [id_ for id_, system in SYSTEMS.items() if id_ == DECIDING or system.fits]
    ways = (*STRAIGHT, RANDOM)
    return RUNS if setup in [setup_id(id_, way) for id_ in decides for way in ways] else BESIDE_RUNS


def _all_variants() -> Iterator[tuple[Key, Variant]]:
    for system in SYSTEMS:
        for place in claimed(system):
            yield from place.variants()
    for spot in CANDIDATES:
        key = baseline_key(spot)
        keys = {**wandering(WANDERING_S), **network(spot), CONTROL: "none"}
        yield key, Variant(key[1], keys)
        yield from in_region(spot).variants()
    for way, reading in product(STRAIGHT, READINGS):
        yield from with_reading(reading, way).variants()
    for slot in SLOTS:
        yield from with_slot(slot).variants()
    for id_ in BEYOND:
        yield from beyond(id_).variants()

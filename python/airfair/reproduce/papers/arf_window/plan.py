"""Which runs are made: ways, speeds, schemes, what the paper leaves open, and what it leaves to others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from airfair.reproduce.paper import Setup, Variant

if TYPE_CHECKING:
    from airfair.scenario import Value

NEWRENO, WINDOW = "newreno", "arf-window"
SCHEMES: Mapping[str, str] = {NEWRENO: "none", WINDOW: "arf-window"}
"""The flow's `control` under each."""
LABELS: Mapping[str, str] = {NEWRENO: "standard TCP", WINDOW: "proposed scheme"}

SPEEDS = tuple(range(1, 11))
"""Of Figures 4 and 5 [m/s]."""
SOME_SPEEDS = (4, 10)
"""Of readings that stand beside."""
NEAR_SPEEDS = (2, 4, 6, 8, 10)

AWAY, TOWARD, RANDOM = "away", "toward", "random"
STRAIGHT = (AWAY, TOWARD)

NEAR_END_M, FAR_END_M = 5, 365
"""Ends of the straight way: distances from the access point [D-085]."""
REST_S = 20
"""The flow starts in the first second, the station moves from here on, and only then counts [D-085]."""
WANDERING_S = 600
"""Random waypoint, of the companion paper's length [D-085]."""
WANDERING_BESIDE_S = 300
MIDDLE = 5
"""The speed at which one thing after the other is changed [m/s]."""


@dataclass(frozen=True)
class System:
    """A reading of what the paper leaves open."""

    label: str
    keys: Mapping[str, Value]
    speeds: tuple[int, ...]
    wandering_s: int = WANDERING_BESIDE_S


def network(delay_ms: int, packets: int) -> dict[str, Value]:
    """Where the server is and what the access point can keep."""
    return {"host.server.link.delay": f"{delay_ms} ms", "bss.cell.ap.queue.packets": packets}


DECIDING = "qualnet"
NEAR = "near"
NEAR_DELAY_MS, NEAR_PACKETS = 5, 50
SYSTEMS: Mapping[str, System] = {
    DECIDING: System("no RTS/CTS, QualNet's radio", {}, SPEEDS, WANDERING_S),
    "rts": System(
        "RTS/CTS before every frame",
        {"bss.cell.rts_threshold": "0 B"},
        SOME_SPEEDS,
        WANDERING_S,
    ),
    "snr": System("frames spoilt by SNR", {"bss.cell.radio.reception": "snr"}, SOME_SPEEDS),
    NEAR: System(
        f"server at {NEAR_DELAY_MS} ms, {NEAR_PACKETS} packets at the access point",
        network(NEAR_DELAY_MS, NEAR_PACKETS),
        NEAR_SPEEDS,
    ),
}
"""The first decides; nothing is known that would choose between them but the text [D-086 to D-088]."""
BESIDE = tuple(system for system in SYSTEMS if system != DECIDING)

DELAYS_MS = (5, 20, 50, 100)
QUEUES = (25, 50, 100, 150)
"""Packets at the access point. The window of 128 KiB is 90 segments: from 100 on nothing overflows."""
SLOTS = ("100 ms", "300 ms", "1 s")
"""T; the second is the default."""
ARF: Mapping[str, tuple[int, str]] = {
    "100 frames or 600 ms": (100, "600 ms"),
    "1000 frames or 6 s": (1000, "6 s"),
}
"""What lets ARF try the next higher rate: ten and a hundred times as rarely as QualNet's does."""
QUALNETS_ARF = "10 frames or 60 ms"
FALLS = (48, 36, 24, 18, 12, 6)
"""Rates to which a link falls once, from 54 Mb/s."""

BELTS: Mapping[str, int] = {"54 Mb/s": 20, "36 Mb/s": 80, "18 Mb/s": 200, "9 Mb/s": 320}
"""The highest rate that gets through, and a distance at which it is that [m]; each reaches as far as the one
next below it by QualNet's sensitivities: 37, 131, 262 and 370 m."""

STATIONS = (2, 5, 10)
CONNECTIONS = (2, 4)
BACKGROUNDS: Mapping[str, str] = {"udp": "UDP down, 2 Mb/s", "upload": "an upload"}
FLAVOURS: Mapping[str, str] = {
    "newreno": "NewReno",
    "westwood": "Westwood",
    "westwood+": "Westwood+",
}

MOBILITY = "station.mobile.mobility"
CONTROL = "flow.download.control"

_UPLOAD: Mapping[str, Value] = {
    "flow.background.from": "other",
    "flow.background.to": "server",
    "flow.background.transport": {
        "kind": "tcp",
        "segment": "1448 B",
        "timestamps": True,
        "window_scaling": True,
        "receive_window": "131072 B",
        "delayed_ack": False,
    },
}


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
    """What both schemes are run at."""

    setup: str
    point: str
    keys: Mapping[str, Value]

    def key(self, scheme: str) -> tuple[str, str]:
        """Setup and variant."""
        return (self.setup, f"{self.point}-{scheme}")


def on_the_way(system: str, way: str, speed: int) -> Place:
    """A point of Figure 4 or 5 in a system."""
    keys = {**straight(way, speed), **SYSTEMS[system].keys}
    return Place(setup_id(system, way), f"{speed} m/s", keys)


def at_random(system: str) -> Place:
    """Table I in a system."""
    keys = {**wandering(SYSTEMS[system].wandering_s), **SYSTEMS[system].keys}
    return Place(setup_id(system, RANDOM), "random waypoint", keys)


def setup_id(system: str, way: str) -> str:
    """Id of the setup with all speeds of a way in a system."""
    return f"{system}-{way}"


def claimed(system: str) -> list[Place]:
    """Everything that a claim looks at."""
    places = [
        on_the_way(system, way, speed) for way in STRAIGHT for speed in SYSTEMS[system].speeds
    ]
    return [*places, at_random(system)]


_MIDDLE = straight(AWAY, MIDDLE)


def in_grid(delay_ms: int, packets: int) -> Place:
    """Away at 5 m/s with another server and another queue."""
    keys = {**_MIDDLE, **network(delay_ms, packets)}
    return Place("grid", f"{delay_ms} ms, {packets} packets", keys)


def with_arf(label: str) -> Place:
    """Away at 5 m/s with an ARF that tries less often."""
    up, timer = ARF[label]
    rate: Value = {"control": "arf", "preset": "qualnet4", "up": up, "timer": timer}
    return Place("arf", label, {**_MIDDLE, "station.mobile.rate": rate})


def with_fall(mbps: int) -> Place:
    """A station at rest, an ideal channel, and one fall of the rate."""
    rate: Value = [["0 s", "54 Mb/s"], [f"{REST_S} s", f"{mbps} Mb/s"]]
    return Place(
        "falls",
        f"{mbps} Mb/s",
        {
            "bss.cell.radio": "none",
            MOBILITY: "none",
            "station.mobile.rate": rate,
            "duration": f"{2 * REST_S} s",
        },
    )


def at_rest(belt: str) -> Place:
    """A station at rest where a rate is the highest that gets through."""
    return Place(
        "belts",
        belt,
        {
            MOBILITY: "none",
            "station.mobile.position": [f"{BELTS[belt]} m", "0 m"],
            "duration": f"{2 * REST_S} s",
        },
    )


def with_stations(count: int) -> Place:
    """So many stations that wander, a download each."""
    return Place("stations", str(count), {**wandering(100), "station.mobile.count": count})


def with_connections(count: int) -> Place:
    """So many downloads of one station."""
    return Place("connections", str(count), {**_MIDDLE, "flow.download.count": count})


def beside_background(id_: str) -> Place:
    """Another station's traffic."""
    return Place("background", id_, {**_MIDDLE, **(_UPLOAD if id_ == "upload" else {})})


def with_flavour(flavour: str) -> Place:
    """Another congestion control, where there is something to lose."""
    keys = {**_MIDDLE, **SYSTEMS[NEAR].keys, "flow.download.transport.flavour": flavour}
    return Place("flavours", flavour, keys)


def at_middle() -> Place:
    """Away at 5 m/s, all else as where the claims are decided."""
    return in_grid(50, 100)


def slot_key(slot: str) -> tuple[str, str]:
    """Setup and variant of the scheme with T."""
    return at_middle().key(WINDOW) if slot == SLOTS[1] else ("slots", slot)


OTHERS: tuple[Place, ...] = (
    *(in_grid(delay, packets) for delay in DELAYS_MS for packets in QUEUES),
    *map(with_arf, ARF),
    *map(with_fall, FALLS),
    *map(at_rest, BELTS),
    *map(with_stations, STATIONS),
    *map(with_connections, CONNECTIONS),
    *map(beside_background, BACKGROUNDS),
    *map(with_flavour, FLAVOURS),
)
"""Everything that no claim looks at."""


ONCE: Mapping[str, Place] = {
    "away at 5 m/s": at_middle(),
    "random waypoint": at_random(DECIDING),
    "away, 20 ms, 25 packets": in_grid(20, 25),
    "away, 5 ms, 50 packets": in_grid(NEAR_DELAY_MS, NEAR_PACKETS),
}
"""Where the scheme also runs with a fall that counts once."""


def once_key(label: str) -> tuple[str, str]:
    """Setup and variant of the scheme whose falls count once."""
    return ("once", label)


def setups(directory: Path) -> dict[str, Setup]:
    """Everything that is run."""
    cell, background = directory / "cell.toml", directory / "background.toml"
    grouped: dict[str, list[Variant]] = {}
    for place in (*(p for system in SYSTEMS for p in claimed(system)), *OTHERS):
        grouped.setdefault(place.setup, []).extend(_variants(place))
    grouped["slots"] = list(_slots())
    grouped["once"] = list(_once())
    return {
        id_: Setup(id_, background if id_ == "background" else cell, tuple(variants))
        for id_, variants in grouped.items()
    }


def _variants(place: Place) -> Iterable[Variant]:
    for scheme, control in SCHEMES.items():
        label = f"{place.setup}, {place.point}, {LABELS[scheme]}"
        yield Variant(place.key(scheme)[1], label, {**place.keys, CONTROL: control})


def _slots() -> Iterable[Variant]:
    for slot in (SLOTS[0], SLOTS[-1]):
        control: Value = {"scheme": "arf-window", "slot": slot}
        yield Variant(slot, f"T = {slot}", {**_MIDDLE, CONTROL: control})


def _once() -> Iterable[Variant]:
    control: Value = {"scheme": "arf-window", "fall": "once"}
    for label, place in ONCE.items():
        yield Variant(label, f"fall once, {label}", {**place.keys, CONTROL: control})

"""The claims of the paper `arf-window`.

Both schemes run under the same seeds, so each condition is on differences within a replication: at each
speed the mean difference, with its 95 % interval, must lie on the paper's side of zero. Where neither
scheme drops anything the proposed one does not drop less.

- `ABOUT`: a gain is "about 5 %" within a half of the printed one.
- `FEW`: the drops are "about a twentieth" if they are less than a tenth of standard TCP's.

RTS/CTS switched off and QualNet's radio decide; the other readings stand beside, at fewer speeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from airfair.reproduce.claims import Predicate, Reading
from airfair.reproduce.conditions import Condition, condition
from airfair.reproduce.paper import Json

from .plan import (
    AWAY,
    BESIDE,
    DECIDING,
    NEWRENO,
    RANDOM,
    SYSTEMS,
    TOWARD,
    WINDOW,
    at_random,
    on_the_way,
    setup_id,
)
from .runs import Measurements, Runs, difference, gain

ABOUT = 0.5
FEW = 0.1

BOUNDS = (
    "Differences are taken within a replication, under the same seed, and must lie on the paper's side of "
    f"zero at every speed. “About 5 %” is the printed gain within {ABOUT:.0%} of it, “about a twentieth” "
    f"less than {FEW:g} of standard TCP's drops. RTS/CTS is off, frames are received by QualNet's "
    "sensitivities, the server is 50 ms away, and the access point keeps 100 packets; other readings stand "
    "beside."
)
"""The bounds in words, for readers of a report."""

Conditions = Callable[[Measurements, str], Sequence[Condition]]


def throughput(way: str, data: Measurements, system: str) -> Sequence[Condition]:
    """Figures 4 and 5, left."""
    return [
        condition(
            f"{speed} m/s, throughput, proposed - standard, Mb/s",
            difference(data, on_the_way(system, way, speed), Runs.throughput),
            above=0,
        )
        for speed in SYSTEMS[system].speeds
    ]


def drops(way: str, data: Measurements, system: str) -> Sequence[Condition]:
    """Figures 4 and 5, right."""
    return [
        condition(
            f"{speed} m/s, drop rate, proposed - standard, %",
            difference(data, on_the_way(system, way, speed), Runs.drops),
            below=0,
        )
        for speed in SYSTEMS[system].speeds
    ]


def random_waypoint(printed: Json, data: Measurements, system: str) -> Sequence[Condition]:
    """Table I."""
    place = at_random(system)
    theirs = 100 * (printed_gain(printed) - 1)
    standard, proposed = (data[place.key(scheme)].drops() for scheme in (NEWRENO, WINDOW))
    return [
        Condition(
            "throughput more than standard, %",
            gain(data, place),
            above=(1 - ABOUT) * theirs,
            below=(1 + ABOUT) * theirs,
        ),
        condition(f"drop rate, proposed - {FEW:g} standard, %", proposed - FEW * standard, below=0),
    ]


def printed_gain(printed: Json) -> float:
    """Throughput of the proposed scheme over standard TCP's in Table I."""
    ratio: float = printed["proposed"]["throughput_mbps"] / printed["standard"]["throughput_mbps"]
    return ratio


def _predicate(id_: str, way: str, conditions: Conditions) -> Predicate[Measurements]:
    def reading(system: str) -> Reading[Measurements]:
        needed = (setup_id(system, way),)
        return Reading(SYSTEMS[system].label, needed, lambda data: conditions(data, system))

    return Predicate(id_, reading(DECIDING), tuple(map(reading, BESIDE)))


def predicates(printed: Json) -> tuple[Predicate[Measurements], ...]:
    """The claims, given Table I."""

    def moving(conditions: Callable[..., Sequence[Condition]], first: object) -> Conditions:
        return lambda data, system: conditions(first, data, system)

    return (
        _predicate("away-throughput", AWAY, moving(throughput, AWAY)),
        _predicate("away-drops", AWAY, moving(drops, AWAY)),
        _predicate("toward-throughput", TOWARD, moving(throughput, TOWARD)),
        _predicate("toward-drops", TOWARD, moving(drops, TOWARD)),
        _predicate("random-waypoint", RANDOM, moving(random_waypoint, printed)),
    )

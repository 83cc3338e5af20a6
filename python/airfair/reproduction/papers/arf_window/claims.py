"""Claims of the paper `arf-window`.

Both schemes run with the same seeds, so each condition is on differences within a replication: at each speed
the mean difference must have the sign that the paper claims. A claim of fewer drops is untestable if standard
TCP drops nothing.

The deciding reading has the candidate chosen by Table I's row for standard TCP, and the reading of eq. 8 and
11 that agrees with eq. 6. Near readings are other candidates that fit that row, and the literal equations.
Other candidates and other radios are reported, but decide nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from airfair.estimate import Floats, paired, quotient
from airfair.experiment.claims import Predicate, Reading
from airfair.experiment.conditions import Condition, condition, difference
from airfair.experiment.words import FACTOR, GAIN
from airfair.reproduction.paper import Json

from .plan import (
    AS_READ,
    AWAY,
    DECIDING,
    NEWRENO,
    RANDOM,
    SYSTEMS,
    TOWARD,
    WINDOW,
    SchemePair,
    at_random,
    needed,
    on_the_way,
)
from .runs import ArfWindowRuns, Measurements, Take

A_TWENTIETH = FACTOR / 20

BOUNDS = {
    "about": GAIN.allowed,
    "a_twentieth": A_TWENTIETH,
    "place": SYSTEMS[DECIDING].label,
}
"""Numbers for the section `bounds` of the report: bounds of claims that do not come from words."""

Points = Callable[[Measurements, str], Sequence[Condition]]


def throughput(way: str, data: Measurements, system: str) -> Sequence[Condition]:
    """Conditions that in Figure 4 or 5 (left) the scheme has more throughput at each speed."""
    return [
        _more(
            f"{speed} m/s, throughput, proposed - standard, Mb/s",
            data,
            on_the_way(system, way, speed),
        )
        for speed in SYSTEMS[system].speeds
    ]


def drops(way: str, data: Measurements, system: str) -> Sequence[Condition]:
    """Conditions that in Figure 4 or 5 (right) the scheme has a lower drop rate at each speed."""
    return [
        _fewer(
            f"{speed} m/s, drop rate, proposed - standard, %",
            data,
            on_the_way(system, way, speed),
        )
        for speed in SYSTEMS[system].speeds
    ]


def _more(what: str, data: Measurements, place: SchemePair) -> Condition:
    proposed, standard = _taken(data, place, ArfWindowRuns.throughput)
    return difference(what, proposed, standard, above=0, of=place.keys_of_both)


def _fewer(what: str, data: Measurements, place: SchemePair) -> Condition:
    proposed, standard = _taken(data, place, ArfWindowRuns.drops)
    seen = bool(standard.any())
    return difference(what, proposed, standard, below=0, of=place.keys_of_both, testable=seen)


def _taken(data: Measurements, place: SchemePair, take: Take) -> tuple[Floats, Floats]:
    """Values of the scheme and of standard TCP, paired by replication."""
    proposed, standard = paired(take(data[place.key(WINDOW)]), take(data[place.key(NEWRENO)]))
    return proposed, standard


def random_waypoint(printed: Json, data: Measurements, system: str) -> Sequence[Condition]:
    """Conditions that in Table I the scheme has about the printed gain and a twentieth of the drops."""
    place = at_random(system)
    proposed, standard = _taken(data, place, ArfWindowRuns.drops)
    return [
        GAIN.more(
            "throughput, proposed / standard",
            quotient(*_taken(data, place, ArfWindowRuns.throughput)),
            printed_gain(printed) - 1,
            of=place.keys_of_both,
        ),
        condition(
            f"drop rate, proposed - {A_TWENTIETH:g} standard, %",
            proposed - A_TWENTIETH * standard,
            below=0,
            of=place.keys_of_both,
            testable=bool(standard.any()),
        ),
    ]


def printed_gain(printed: Json) -> float:
    """Printed throughput of the proposed scheme, divided by that of standard TCP (Table I)."""
    ratio: float = printed["proposed"]["throughput_mbps"] / printed["standard"]["throughput_mbps"]
    return ratio


def _predicate(id_: str, way: str, points: Points) -> Predicate[Measurements]:
    def reading(system: str) -> Reading[Measurements]:
        label = SYSTEMS[system].label
        return Reading(label, needed(system, way), lambda data: points(data, system))

    return AS_READ.predicate(id_, reading)


def predicates(printed: Json) -> tuple[Predicate[Measurements], ...]:
    """Claims of the paper; `printed` is Table I."""

    def moving(points: Callable[..., Sequence[Condition]], first: object) -> Points:
        return lambda data, system: points(first, data, system)

    return (
        _predicate("away-throughput", AWAY, moving(throughput, AWAY)),
        _predicate("away-drops", AWAY, moving(drops, AWAY)),
        _predicate("toward-throughput", TOWARD, moving(throughput, TOWARD)),
        _predicate("toward-drops", TOWARD, moving(drops, TOWARD)),
        _predicate("random-waypoint", RANDOM, moving(random_waypoint, printed)),
    )

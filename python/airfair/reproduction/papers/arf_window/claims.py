"""Claims of the paper `arf-window`.

Both schemes run with the same seeds, so each condition is on differences within a replication: at each speed
the mean difference must have the sign that the paper claims. A claim of fewer drops is untestable if standard
TCP drops nothing.

The deciding reading has the candidate chosen by Table I's row for standard TCP, and the reading of eq. 8 and
11 that agrees with eq. 6. Near readings are other candidates that fit that row, and the literal equations.
Other candidates and other radios are reported, but decide nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from airfair.estimate import Floats, paired, quotient
from airfair.experiment.claims import Predicate, Reading
from airfair.experiment.conditions import Condition, condition, difference
from airfair.experiment.words import FACTOR, GAIN

from . import plan
from .runs import ArfWindowRuns, Measurements, Take

A_TWENTIETH = FACTOR / 20

BOUNDS = {
    "about": GAIN.allowed,
    "a_twentieth": A_TWENTIETH,
    "place": plan.SYSTEMS[plan.DECIDING].label,
}
"""Numbers for the section `bounds` of the report: bounds of claims that do not come from words."""

Points = Callable[[Measurements, str], Iterable[Condition]]


def throughput(way: str, data: Measurements, system: str) -> Iterator[Condition]:
    """Conditions that in Figure 4 or 5 (left) the scheme has more throughput at each speed."""
    for speed in plan.SYSTEMS[system].speeds:
        place = plan.on_the_way(system, way, speed)
        both = _taken(data, place, ArfWindowRuns.throughput)
        what = f"{speed} m/s, throughput, proposed - standard, Mb/s"
        yield difference(what, *both, above=0, of=place.keys_of_both)


def drops(way: str, data: Measurements, system: str) -> Iterator[Condition]:
    """Conditions that in Figure 4 or 5 (right) the scheme has a lower drop rate at each speed."""
    for speed in plan.SYSTEMS[system].speeds:
        place = plan.on_the_way(system, way, speed)
        both = _taken(data, place, ArfWindowRuns.drops)
        what, seen = f"{speed} m/s, drop rate, proposed - standard, %", bool(both[1].any())
        yield difference(what, *both, below=0, of=place.keys_of_both, testable=seen)


def _taken(data: Measurements, place: plan.SchemePair, take: Take) -> tuple[Floats, Floats]:
    """Values of the scheme and of standard TCP, paired by replication."""
    proposed, standard = paired(
        take(data[place.key(plan.WINDOW)]), take(data[place.key(plan.NEWRENO)])
    )
    return proposed, standard


def random_waypoint(data: Measurements, system: str) -> Sequence[Condition]:
    """Conditions that in Table I the scheme has about the printed gain and a twentieth of the drops."""
    place = plan.at_random(system)
    proposed, standard = _taken(data, place, ArfWindowRuns.drops)
    return [
        GAIN.more(
            "throughput, proposed / standard",
            quotient(*_taken(data, place, ArfWindowRuns.throughput)),
            printed_gain() - 1,
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


def printed_gain() -> float:
    """Printed throughput of the proposed scheme, divided by that of standard TCP (Table I)."""
    ratio: float = (
        plan.TABLE1["proposed"]["throughput_mbps"] / plan.TABLE1["standard"]["throughput_mbps"]
    )
    return ratio


def _predicate(id_: str, way: str, points: Points) -> Predicate[Measurements]:
    def reading(system: str) -> Reading[Measurements]:
        label = plan.SYSTEMS[system].label
        return Reading(label, plan.needed(system, way), lambda data: points(data, system))

    return plan.AS_READ.predicate(id_, reading)


PREDICATES = (
    _predicate("away-throughput", plan.AWAY, partial(throughput, plan.AWAY)),
    _predicate("away-drops", plan.AWAY, partial(drops, plan.AWAY)),
    _predicate("toward-throughput", plan.TOWARD, partial(throughput, plan.TOWARD)),
    _predicate("toward-drops", plan.TOWARD, partial(drops, plan.TOWARD)),
    _predicate("random-waypoint", plan.RANDOM, random_waypoint),
)

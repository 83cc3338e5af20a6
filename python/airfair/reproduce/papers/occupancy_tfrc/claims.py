"""The claims of the paper `occupancy-tfrc`.

Both schemes run under the same seeds, in Figure 4 with the same rates, so each comparison is on differences
within a replication. Conditions are asked at every rate of STA2 and at every N.

- `ALIKE`: throughputs are "almost the same" if their ratio is within 10 % of 1.
- `EQUAL`: occupancies are "almost the same", and a throughput "does not depend", within 5 %.
- `CLOSE`: an index is "close to 1" above 0.95.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from airfair.reproduce.claims import Predicate, Reading
from airfair.reproduce.conditions import Condition, condition

from .cells import DOWN
from .plan import (
    BESIDE,
    COUNTS,
    ON,
    PLAIN,
    RATES,
    SCHEMES,
    TOP,
    Place,
    figure3,
    figure4,
    once,
)
from .runs import Measurements, Runs, Take, flow

ALIKE = 0.10
EQUAL = 0.05
CLOSE = 0.95

BOUNDS = (
    "Differences are taken within a replication, under the same seed and the same rates, at every rate "
    f"of STA2 and every N. “Almost the same” is a ratio within {ALIKE:.0%} of 1 for throughputs of plain "
    f"TFRC and within {EQUAL:.0%} for occupancies; STA1's throughput “does not depend” on STA2's rate if "
    f"it stays within {EQUAL:.0%} of that beside 54 Mb/s. An index is “close to 1” above {CLOSE:g}. The "
    "law as printed decides; the variant in which spare time counts once stands beside."
)
"""The bounds in words, for readers of a report."""

BELOW_TOP = tuple(mbps for mbps in RATES if mbps != TOP)
PRINTED = "the law as printed"
SEVERAL = tuple(count for count in COUNTS if count > 1)


def anomaly(data: Measurements) -> Sequence[Condition]:
    """Plain TFRC: equal throughputs, and the fast station's falls."""
    runs = {mbps: data[figure3(mbps).key(PLAIN)] for mbps in RATES}
    alike = [
        condition(
            f"{mbps} Mb/s, throughput, STA2 / STA1",
            runs[mbps].mbps_ratio(),
            above=1 - ALIKE,
            below=1 + ALIKE,
        )
        for mbps in RATES
    ]
    top = flow(0)(runs[TOP])
    falls = [
        condition(
            f"{mbps} Mb/s, STA1's throughput less that beside 54, Mb/s",
            flow(0)(runs[mbps]) - top,
            below=0,
        )
        for mbps in BELOW_TOP
    ]
    return [*alike, *falls]


Where = Callable[[int], tuple[str, str]]


def printed(mbps: int) -> tuple[str, str]:
    """The law as printed."""
    return figure3(mbps).key(ON)


def variant(scheme: str) -> Where:
    """A variant of the law."""
    return lambda mbps: once(mbps).key(scheme)


def equal_occupancy(data: Measurements, where: Where = printed) -> Sequence[Condition]:
    """Proposed: equal occupancy."""
    return [
        condition(
            f"{mbps} Mb/s, occupancy, STA2 / STA1",
            data[where(mbps)].held_ratio(),
            above=1 - EQUAL,
            below=1 + EQUAL,
        )
        for mbps in RATES
    ]


def unaffected(data: Measurements, where: Where = printed) -> Sequence[Condition]:
    """Proposed: STA1's throughput beside any rate."""
    top = flow(0)(data[where(TOP)])
    return [
        condition(
            f"{mbps} Mb/s, STA1's throughput / that beside 54",
            flow(0)(data[where(mbps)]) / top.mean(),
            above=1 - EQUAL,
            below=1 + EQUAL,
        )
        for mbps in BELOW_TOP
    ]


def _more(data: Measurements, place: Place, take: Take, where: tuple[str, str]) -> Condition:
    """A condition on what the scheme has more than plain TFRC."""
    difference = take(data[where]) - take(data[place.key(PLAIN)])
    return condition(
        f"{place.point}, aggregate throughput, proposed - plain, Mb/s", difference, above=0
    )


def aggregate(data: Measurements, where: Where = printed) -> Sequence[Condition]:
    """Figure 3: more in all."""
    return [_more(data, figure3(mbps), Runs.aggregate, where(mbps)) for mbps in RATES]


def stations_aggregate(data: Measurements) -> Sequence[Condition]:
    """Figure 4a."""
    places = [figure4(count) for count in COUNTS]
    return [_more(data, place, Runs.aggregate, place.key(ON)) for place in places]


def stations_fairness(data: Measurements) -> Sequence[Condition]:
    """Figure 4b. One station alone is always fair."""
    places = [figure4(count) for count in SEVERAL]
    close = [
        condition(
            f"{place.point}, Jain's index of occupancy", data[place.key(ON)].jain(), above=CLOSE
        )
        for place in places
    ]
    above = [
        condition(
            f"{place.point}, Jain's index, proposed - plain",
            data[place.key(ON)].jain() - data[place.key(PLAIN)].jain(),
            above=0,
        )
        for place in places
    ]
    return [*close, *above]


def stations_drops(data: Measurements) -> Sequence[Condition]:
    """Figure 4c."""
    places = [figure4(count) for count in COUNTS]
    return [
        condition(
            f"{place.point}, drop ratio, proposed - plain, %",
            data[place.key(ON)].drops() - data[place.key(PLAIN)].drops(),
            below=0,
        )
        for place in places
    ]


def _two(
    id_: str, conditions: Callable[[Measurements, Where], Sequence[Condition]]
) -> Predicate[Measurements]:
    """A claim about Figure 3, which the law as printed decides."""

    def reading(label: str, where: Where) -> Reading[Measurements]:
        return Reading(label, _FIGURE3, lambda data: conditions(data, where))

    beside = tuple(reading(SCHEMES[scheme].label, variant(scheme)) for scheme in BESIDE)
    return Predicate(id_, reading(PRINTED, printed), beside)


def _one(
    id_: str, setups: tuple[str, ...], conditions: Callable[[Measurements], Sequence[Condition]]
) -> Predicate[Measurements]:
    return Predicate(id_, Reading(PRINTED, setups, conditions))


_FIGURE3 = (figure3(TOP).setup, once(TOP, DOWN).setup)
_FIGURE4 = (figure4(1).setup,)

PREDICATES: tuple[Predicate[Measurements], ...] = (
    _one("anomaly", _FIGURE3[:1], anomaly),
    _two("equal-occupancy", equal_occupancy),
    _two("sta1-unaffected", unaffected),
    _two("aggregate-higher", aggregate),
    _one("n-stations-aggregate", _FIGURE4, stations_aggregate),
    _one("n-stations-fairness", _FIGURE4, stations_fairness),
    _one("n-stations-drops", _FIGURE4, stations_drops),
)

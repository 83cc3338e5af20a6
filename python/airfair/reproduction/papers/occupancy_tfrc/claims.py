"""Claims of the paper `occupancy-tfrc`, with a condition for each rate of STA2 and each N.

Both schemes run with the same seeds, and in Figure 4 also with the same rates, so they are compared within
replications.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from airfair.estimate import geometric_mean, quotient
from airfair.experiment.claims import Predicate, Reading, Readings
from airfair.experiment.conditions import Condition, Key, difference, ratio, versus
from airfair.experiment.words import INDEX, SAME

from . import plan
from .runs import Measurements, OccupancyRuns, Take, flow


@dataclass(frozen=True)
class Version:
    """Runs of Figures 3 and 4 under one reading of the paper."""

    label: str
    pair: Callable[[int], plan.SetupPoint]
    many: Callable[[int], plan.SetupPoint]
    rates: tuple[int, ...] = plan.RATES
    counts: tuple[int, ...] = plan.COUNTS
    scheme: Callable[[int], Key] | None = None
    """Function from STA2's rate to the scheme's runs in Figure 3, if its setup is not plain TFRC's."""

    def plain(self, mbps: int) -> Key:
        """Key of plain TFRC in Figure 3."""
        return self.pair(mbps).key(plan.PLAIN)

    def proposed(self, mbps: int) -> Key:
        """Key of the scheme in Figure 3."""
        return self.scheme(mbps) if self.scheme else self.pair(mbps).key(plan.ON)

    @property
    def several(self) -> tuple[int, ...]:
        """Numbers N of stations above one, because a single station is always fair."""
        return tuple(count for count in self.counts if count > 1)

    def setups(self, figure: int) -> set[str]:
        """Setups of the figure with this number, 3 or 4."""
        pairs = {self.pair(plan.TOP).setup}
        return pairs if figure == 3 else {self.many(count).setup for count in self.counts}  # noqa: PLR2004


EQ1 = Version("eq. 1, as RFC 3448 has it", plan.figure3, plan.figure4)
RFC5348 = Version(
    "RFC 5348, the largest report of two round trips",
    plan.figure3_2008,
    plan.figure4_2008,
    plan.SOME_RATES,
    plan.SOME_COUNTS,
)
COUNTED_ONCE = Version(
    "eq. 1, spare time counts once (ours)",
    plan.figure3,
    plan.figure4,
    plan.SOME_RATES,
    scheme=lambda mbps: plan.once(mbps).key(plan.ONCE),
)


VERSIONS: Mapping[str, Version] = dict(zip(plan.AS_READ, (EQ1, RFC5348, COUNTED_ONCE), strict=True))
"""Versions by the names of the readings in `AS_READ`."""


def anomaly(data: Measurements, version: Version) -> Iterator[Condition]:
    """Conditions that with plain TFRC throughputs are equal, and a slow STA2 reduces that of STA1."""
    keys = {mbps: version.plain(mbps) for mbps in version.rates}
    for mbps, key in keys.items():
        alike = geometric_mean(data[key].mbps_ratio())
        what = f"{mbps} Mb/s, throughput, STA2 / STA1"
        yield SAME.condition(what, alike, of=[key])
    top = keys.pop(plan.TOP)
    for mbps, key in keys.items():
        what = f"{mbps} Mb/s, STA1's throughput / that beside 54"
        yield versus(ratio, what, data, flow(0), key, top, below=1)


def equal_occupancy(data: Measurements, version: Version) -> Iterator[Condition]:
    """Conditions that with the scheme both stations have equal occupancy."""
    for mbps in version.rates:
        key = version.proposed(mbps)
        held = geometric_mean(data[key].held_ratio())
        yield SAME.condition(f"{mbps} Mb/s, occupancy, STA2 / STA1", held, of=[key])


def unaffected(data: Measurements, version: Version) -> Iterator[Condition]:
    """Conditions that with the scheme STA1's throughput does not depend on STA2's rate."""
    keys = {mbps: version.proposed(mbps) for mbps in version.rates}
    top = keys.pop(plan.TOP)
    for mbps, key in keys.items():
        relative = quotient(flow(0)(data[key]), flow(0)(data[top]))
        what = f"{mbps} Mb/s, STA1's throughput / that beside 54"
        yield SAME.condition(what, relative, of=[key, top])


def aggregate(data: Measurements, version: Version) -> Sequence[Condition]:
    """Conditions that in Figure 3 the scheme has more total throughput."""
    return [
        _more(data, f"{mbps} Mb/s", version.proposed(mbps), version.plain(mbps))
        for mbps in version.rates
    ]


def _more(data: Measurements, point: str, on: Key, plain: Key) -> Condition:
    what = f"{point}, aggregate throughput, proposed - plain, Mb/s"
    return versus(difference, what, data, OccupancyRuns.aggregate, on, plain, above=0)


def stations_aggregate(data: Measurements, version: Version) -> Sequence[Condition]:
    """Conditions that in Figure 4a the scheme has more total throughput."""
    places = map(version.many, version.counts)
    return [_more(data, place.point, place.key(plan.ON), place.key(plan.PLAIN)) for place in places]


def stations_fairness(data: Measurements, version: Version) -> Sequence[Condition]:
    """Conditions that in Figure 4b the scheme's index is close to 1, and higher than plain TFRC's."""
    places = [version.many(count) for count in version.several]
    close = []
    for place in places:
        key, what = place.key(plan.ON), f"{place.point}, Jain's index of occupancy"
        close.append(INDEX.condition(what, data[key].jain(), side="least", of=[key]))
    higher = [_than_plain(data, p, "Jain's index", OccupancyRuns.jain, above=0) for p in places]
    return [*close, *higher]


def stations_drops(data: Measurements, version: Version) -> Sequence[Condition]:
    """Conditions that in Figure 4c the scheme has a lower drop ratio."""
    places = map(version.many, version.counts)
    return [_than_plain(data, p, "drop ratio, %", OccupancyRuns.drops, below=0) for p in places]


def _than_plain(
    data: Measurements, place: plan.SetupPoint, what: str, take: Take, **bound: float
) -> Condition:
    """Condition on the mean difference between the scheme and plain TFRC."""
    on, plain = place.key(plan.ON), place.key(plan.PLAIN)
    title = f"{place.point}, {what}, proposed - plain"
    return versus(difference, title, data, take, on, plain, **bound)


Points = Callable[[Measurements, Version], Iterable[Condition]]


def _claim(
    id_: str, points: Points, figure: int, among: Readings = plan.AS_READ
) -> Predicate[Measurements]:
    """Claim about Figure 3 or 4, under each of the readings `among`."""

    def reading(name: str) -> Reading[Measurements]:
        version = VERSIONS[name]
        setups = version.setups(figure)
        if version.scheme:
            setups.add(version.scheme(plan.TOP)[0])
        return Reading(version.label, tuple(sorted(setups)), lambda data: points(data, version))

    return among.predicate(id_, reading)


_PAPERS = Readings(plan.AS_READ.decides, plan.AS_READ.near)
"""Readings without "once", which is airfair's own and is run only for Figure 3."""

PREDICATES: tuple[Predicate[Measurements], ...] = (
    _claim("anomaly", anomaly, 3, _PAPERS),
    _claim("equal-occupancy", equal_occupancy, 3),
    _claim("sta1-unaffected", unaffected, 3),
    _claim("aggregate-higher", aggregate, 3),
    _claim("n-stations-aggregate", stations_aggregate, 4, _PAPERS),
    _claim("n-stations-fairness", stations_fairness, 4, _PAPERS),
    _claim("n-stations-drops", stations_drops, 4, _PAPERS),
)

"""Claims of the study `modern`: hypotheses of the study itself, and values that other authors published.

The tolerances of words are in `words`. Schemes are compared within replications, which share the seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from airfair.estimate import Floats, geometric_mean
from airfair.experiment.claims import Predicate, Reading, Readings
from airfair.experiment.conditions import Condition, Key, condition, difference, ratio, versus
from airfair.experiment.words import INDEX, ROUGHLY

from . import plan
from .runs import FAST, SLOW, Measurements, ModernRuns

HALF = 0.5
MORE = 1.1
"""Bound of the word “more”: at least a tenth, which is the tolerance of “the same”."""
LEFT = 1 / 3
"""Smallest part of its goodput that a scheme must leave to the slow station. Without the scheme the slow
station has nearly all of the airtime. With a third of it, the slow station has half of the fast one's
airtime; with less it starves."""
AX = "ax"
AS_DECLARED = "the cells of the study"
Points = Iterable[Condition]


def _fast(runs: ModernRuns) -> Floats:
    return runs.goodput(FAST)


def _slow(runs: ModernRuns) -> Floats:
    return runs.goodput(SLOW)


def dragged_down(data: Measurements) -> Iterator[Condition]:
    """Conditions that a slow neighbour more than halves the goodput of a fast station."""
    for standard, way in product(plan.STANDARDS, plan.WAYS):
        slow, fast = (
            plan.anomaly(standard, way, plan.sent(standard), slow=rate)
            for rate in plan.ENDS[standard]
        )
        what = f"{plan.STANDARDS[standard]} {way}, goodput beside a slow / a fast station"
        yield versus(ratio, what, data, _fast, slow, fast, below=HALF)


def aggregation_worse(data: Measurements) -> Iterator[Condition]:
    """Conditions that the slow station's share of airtime is larger with aggregates than without."""
    for standard, way in product(plan.MODERN, plan.WAYS):
        keys = [plan.anomaly(standard, way, how) for how in (plan.AGGREGATED, plan.ALONE)]
        what = (
            f"{plan.STANDARDS[standard]} {way}, slow station's part of the air, aggregated - alone"
        )
        yield versus(difference, what, data, ModernRuns.slow_part, *keys, above=0)


def airtime_ends(data: Measurements) -> Points:
    """Conditions that with the airtime scheduler the slow station has half of the airtime of downloads."""
    return _half(
        data, {it: plan.anomaly(it, "down", plan.sent(it), plan.AIRTIME) for it in plan.STANDARDS}
    )


def airtime_not_up(data: Measurements) -> Iterator[Condition]:
    """Conditions that the airtime scheduler does not reduce the slow station's airtime of uploads."""
    for standard in plan.STANDARDS:
        queues = (plan.AIRTIME, plan.FIFO)
        keys = [plan.anomaly(standard, "up", plan.sent(standard), queue) for queue in queues]
        what = f"{_slow_part(standard)}, airtime scheduler - FIFO"
        least = -INDEX.allowed
        yield versus(difference, what, data, ModernRuns.slow_part, *keys, above=least)


def fq_codel_no_cure(data: Measurements) -> Points:
    """Conditions that with FQ-CoDel the slow station has more than half of the airtime of downloads."""
    keys = {it: plan.anomaly(it, "down", plan.sent(it), plan.FQ_CODEL) for it in plan.STANDARDS}
    return _more_than_half(data, keys)


def ending_air(data: Measurements, testbed: str, queue: str) -> Points:
    """Conditions that in the testbed each station has roughly its printed share of the airtime of all frames.

    With a FIFO this cannot be tested. The printed shares are calculated from sizes of aggregates, as if each
    station sent equally many, and contradict the printed goodputs.
    """
    key = plan.ending(testbed, queue)
    runs = data[key]
    held = runs.airtime / runs.airtime.sum(axis=1, keepdims=True)
    return [
        replace(
            ROUGHLY.condition(f"{name}, part of the air", held[:, place], part, of=[key]),
            testable=plan.printed(queue) == plan.AIRTIME,
        )
        for place, (name, part) in enumerate(
            zip(runs.stations, plan.PRINTED[plan.printed(queue)]["air"], strict=True)
        )
    ]


def ending_goodput(data: Measurements, testbed: str, queue: str) -> Points:
    """Conditions that in the testbed the total goodput of all stations is roughly the printed one."""
    key = plan.ending(testbed, queue)
    total = sum(plan.PRINTED[plan.printed(queue)]["mbps"])
    return [ROUGHLY.condition("all together [Mb/s]", data[key].total(), total, of=[key])]


def ending_each(data: Measurements, testbed: str, queue: str) -> Points:
    """Conditions that in the testbed each station has roughly the goodput recorded in `reference.toml`."""
    return _each(data, plan.ending(testbed, queue), plan.PRINTED[plan.printed(queue)]["mbps"])


def ath9k_goodput(data: Measurements, queue: str) -> Points:
    """Conditions that stations have roughly the goodput that the commit of ath9k's scheduler states."""
    return _each(data, plan.ath9k(queue), plan.COMMITTED[queue])


def _each(data: Measurements, key: Key, figures: Sequence[float]) -> Points:
    return [
        ROUGHLY.condition(f"{name} [Mb/s]", data[key].mbps[:, place], mbps, of=[key])
        for place, (name, mbps) in enumerate(zip(data[key].stations, figures, strict=True))
    ]


def helps(data: Measurements, id_: str, how: str) -> Iterator[Condition]:
    """Conditions that in 802.11ax a scheme increases total goodput, and leaves enough to the slow station.

    `how` is the reading of the time of a packet in an aggregate.
    """
    base = plan.baseline(id_)
    names = f"{plan.SCHEMES[id_]} / {plan.SCHEMES[base]}"
    for way in plan.ALL_WAYS:
        if plan.works(way, id_):
            keys = plan.reading(AX, way, id_, how), plan.scheme(AX, way, base)
            yield versus(ratio, f"{way}, {names}", data, ModernRuns.total, *keys, above=MORE)
            yield versus(ratio, f"{way}, slow station, {names}", data, _slow, *keys, above=LEFT)


def data_ack_balances(data: Measurements) -> Points:
    """Conditions that with the DATA/ACK scheduler downloads and uploads have roughly the same goodput."""
    keys = [plan.scheme(standard, "both", "data-ack") for standard in plan.COMPARED]
    return [
        ROUGHLY.condition(
            f"{plan.STANDARDS[standard]}, down / up", data[key].down_over_up(), of=[key]
        )
        for standard, key in zip(plan.COMPARED, keys, strict=True)
    ]


def short_flows_faster(data: Measurements) -> Iterator[Condition]:
    """Conditions that the median completion time of short transfers is less than half of that with a FIFO."""
    for standard, queue in product(plan.COMPARED, (plan.FQ_CODEL, plan.AIRTIME)):
        of = [plan.short_flows(standard, one) for one in (queue, plan.FIFO)]
        better, plain = (data[key].completion(HALF) for key in of)
        what = f"{plan.STANDARDS[standard]}, median, {plan.QUEUES[queue]} / FIFO"
        less = geometric_mean(np.minimum(better, 1e3) / plain)
        yield condition(what, less, below=HALF, of=of)


def found_rates_drag(data: Measurements) -> Points:
    """Conditions that at rates from Minstrel-HT and with a FIFO the slow station has more than half."""
    return _more_than_half(
        data, {it: plan.sold(it, "down", plan.FOUND, plan.FIFO) for it in plan.MODERN}
    )


def found_rates_fair(data: Measurements) -> Points:
    """Conditions that at rates from Minstrel-HT the airtime scheduler gives each station half of the air."""
    return _half(data, {it: plan.sold(it, "down", plan.FOUND, plan.AIRTIME) for it in plan.MODERN})


def aql_short_waits(data: Measurements) -> Iterator[Condition]:
    """Conditions that airtime queue limits halve the delay above a driver's queue, and keep goodput."""
    for standard in plan.MODERN:
        queues = (plan.AQL, plan.BEHIND_DRIVER)
        limited, free = (plan.sold(standard, "down", plan.FOUND, queue) for queue in queues)
        for what, take, bounds in (
            ("95 % delay of the fast station", lambda runs: runs.delay(FAST), {"below": HALF}),
            ("goodput of all", ModernRuns.total, {"above": 1 / MORE}),
        ):
            name = f"{plan.STANDARDS[standard]}, {what}, with AQL / without"
            yield versus(ratio, name, data, take, limited, free, **bounds)


def amsdu_eases(data: Measurements) -> Iterator[Condition]:
    """Conditions that in uploads of 802.11ac and ax, A-MSDUs reduce the slow station's share of airtime."""
    for standard in ("ac", AX):
        keys = [
            plan.sold(standard, "up", plan.FOUND, plan.FIFO, joined=joined)
            for joined in (True, False)
        ]
        what = f"{_slow_part(standard)}, joined - one each"
        yield versus(difference, what, data, ModernRuns.slow_part, *keys, below=0)


def multi_user_fair(data: Measurements) -> Points:
    """Conditions that with OFDMA the slow stations have their share of the airtime under each queue."""
    keys = {it: plan.users(plan.BULK, plan.TWO_SLOW, it, plan.SHARED) for it in plan.QUEUES}
    return [
        INDEX.condition(
            f"{plan.QUEUES[queue]}, slow stations' part of the air",
            data[key].slow_part(),
            data[key].slow_stations(),
            of=[key],
        )
        for queue, key in keys.items()
    ]


def fairness_keeps_users(data: Measurements) -> Iterator[Condition]:
    """Conditions that the airtime scheduler costs less than a tenth of the goodput of FQ-CoDel with OFDMA."""
    for traffic, cell in product((plan.BULK, plan.SMALL), (plan.EQUAL, plan.TWO_SLOW)):
        keys = [
            plan.users(traffic, cell, queue, plan.SHARED) for queue in (plan.AIRTIME, plan.FQ_CODEL)
        ]
        what = f"{_eight(traffic, cell)}, goodput with the airtime scheduler / FQ-CoDel"
        yield versus(ratio, what, data, ModernRuns.total, *keys, above=1 / MORE)


def _multi_user_gain(
    data: Measurements,
    where: tuple[str, str],
    queue: str,
    *,
    above: float = -math.inf,
    below: float = math.inf,
) -> Condition:
    """Condition on the goodput of all with OFDMA, divided by that without it; `where` is traffic and cell."""
    keys = [plan.users(*where, queue, users) for users in (plan.SHARED, plan.ONE)]
    what = f"{_eight(*where)}, {plan.QUEUES[queue]}, goodput with OFDMA / without"
    ours, theirs = (data[key].total() for key in keys)
    return ratio(what, ours, theirs, of=keys, above=above, below=below)


def users_help(data: Measurements, traffic: str, queues: Sequence[str]) -> Points:
    """Conditions that OFDMA raises the goodput of equal stations by a tenth, under each of some queues."""
    where = (traffic, plan.EQUAL)
    return [_multi_user_gain(data, where, queue, above=MORE) for queue in queues]


def slow_users_cost(data: Measurements) -> Points:
    """Conditions that beside slow stations OFDMA costs a tenth of the goodput of the airtime scheduler."""
    return [
        _multi_user_gain(data, (traffic, plan.TWO_SLOW), plan.AIRTIME, below=1 / MORE)
        for traffic in (plan.BULK, plan.SMALL)
    ]


def _eight(traffic: str, cell: str) -> str:
    return f"{plan.CELLS[cell]}, {traffic}"


def _half(data: Measurements, keys: Mapping[str, Key]) -> Points:
    """Conditions that the slow station has half of the airtime in each standard."""
    return [
        INDEX.condition(_slow_part(standard), data[key].slow_part(), HALF, of=[key])
        for standard, key in keys.items()
    ]


def _more_than_half(data: Measurements, keys: Mapping[str, Key]) -> Points:
    """Conditions that the slow station has more than half of the airtime in each standard."""
    above = HALF + INDEX.allowed
    return [
        condition(_slow_part(standard), data[key].slow_part(), above=above, of=[key])
        for standard, key in keys.items()
    ]


def _slow_part(standard: str) -> str:
    return f"{plan.STANDARDS[standard]}, slow station's part of the air"


def _claim(
    id_: str, points: Callable[[Measurements], Points], *setups: str
) -> Predicate[Measurements]:
    return Predicate(id_, Reading(AS_DECLARED, setups, points))


def _of_testbed(
    id_: str,
    points: Callable[[Measurements, str, str], Points],
    decides: tuple[str, str],
    *beside: tuple[str, str],
) -> Predicate[Measurements]:
    def reading(
        testbed: str, queue: str, what: str = "", of: Callable[..., Points] = points
    ) -> Reading[Measurements]:
        label = f"{plan.TESTBEDS[testbed]}, {plan.TESTBED_QUEUES[queue]}{what}"
        return Reading(label, ("ending",), lambda data: of(data, testbed, queue))

    more = [reading(*one) for one in beside]
    if points is ending_goodput:
        more.append(reading(*decides, ", each station as remembered", ending_each))
    return Predicate(id_, reading(*decides), tuple(more))


def _setups(
    *ways: str, prefix: str = "anomaly", among: Sequence[str] = tuple(plan.STANDARDS)
) -> list[str]:
    return [f"{prefix}-{standard}-{way}" for standard in among for way in ways]


def _helps(id_: str) -> Predicate[Measurements]:
    """Claim that a scheme helps, under each reading of a packet's time if the scheme computes that time."""
    ways = [way for way in plan.ALL_WAYS if plan.works(way, id_)]

    def read(how: str) -> Reading[Measurements]:
        keys = [
            (plan.scheme(AX, way, plan.baseline(id_)), plan.reading(AX, way, id_, how))
            for way in ways
        ]
        setups = dict.fromkeys(setup for pair in keys for setup, _ in pair)
        label = plan.AGGREGATES[how] if id_ in plan.READ else AS_DECLARED
        return Reading(label, tuple(setups), lambda data: helps(data, id_, how))

    among = plan.AS_READ if id_ in plan.READ else Readings(plan.AS_READ.decides)
    return among.predicate(f"{id_}-helps", read)


PREDICATES: tuple[Predicate[Measurements], ...] = (
    _claim("dragged-down", dragged_down, *_setups(*plan.WAYS)),
    _claim("aggregation-worse", aggregation_worse, *_setups(*plan.WAYS, among=plan.MODERN)),
    _claim("airtime-ends", airtime_ends, *_setups("down")),
    _claim("airtime-not-up", airtime_not_up, *_setups("up")),
    _claim("fq-codel-no-cure", fq_codel_no_cure, *_setups("down")),
    *(
        _of_testbed(f"ending-{name}-{what}", points, decides, *beside)
        for name, decides, beside in (
            (
                "fifo",
                (plan.FULL, plan.DRIVER),
                ((plan.FULL, plan.FIFO), (plan.STANDARD, plan.FIFO), (plan.NOISE, plan.DRIVER)),
            ),
            (
                "fair",
                (plan.FULL, plan.AIRTIME),
                ((plan.STANDARD, plan.AIRTIME), (plan.NOISE, plan.AIRTIME)),
            ),
        )
        for what, points in (("goodput", ending_goodput), ("air", ending_air))
    ),
    *(
        _claim(id_, partial(ath9k_goodput, queue=queue), "ath9k")
        for id_, queue in (("ath9k-turns", plan.FQ_MAC), ("ath9k-airtime", plan.AIRTIME))
    ),
    *map(_helps, ("arf-aware", "arf-window", "occupancy", "occupancy-tfrc")),
    _claim(
        "data-ack-balances",
        data_ack_balances,
        *_setups("both", prefix="schemes", among=plan.COMPARED),
    ),
    _claim("short-flows-faster", short_flows_faster, "short-flows"),
    *(
        _claim(id_, points, *_setups(way, prefix="sold", among=among))
        for id_, points, way, among in (
            ("found-rates-drag", found_rates_drag, "down", plan.MODERN),
            ("found-rates-fair", found_rates_fair, "down", plan.MODERN),
            ("aql-short-waits", aql_short_waits, "down", plan.MODERN),
            ("amsdu-eases", amsdu_eases, "up", ("ac", AX)),
        )
    ),
    *(
        _claim(id_, points, *(f"users-{one}" for one in traffic))
        for id_, points, *traffic in (
            ("multi-user-fair", multi_user_fair, plan.BULK),
            ("fairness-keeps-users", fairness_keeps_users, plan.BULK, plan.SMALL),
            (
                "users-help-small",
                partial(users_help, traffic=plan.SMALL, queues=(plan.FQ_CODEL, plan.AIRTIME)),
                plan.SMALL,
            ),
            (
                "users-help-bulk",
                partial(users_help, traffic=plan.BULK, queues=tuple(plan.QUEUES)),
                plan.BULK,
            ),
            ("slow-users-cost", slow_users_cost, plan.BULK, plan.SMALL),
        )
    ),
)

"""Claims of the study `fair`: hypotheses, written down before the runs that decide them.

Schemes are compared within replications, which share the seed. A point covers several cells: it is about the
worst of them in each replication, so that each of them has to keep the bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

import numpy as np

from airfair.estimate import Estimate, Floats
from airfair.experiment.claims import Predicate, Reading
from airfair.experiment.conditions import Condition, Key, condition

from . import plan
from .runs import FairRuns, Measurements

EQUAL = 0.99
"""Least index of equal airtime."""
SECOND = {"g": 0.97, "n": 0.97, "ax": 0.95}
"""Least mean index in windows of 1 s."""
COMPARABLE = 0.95
"""Least index of a rival whose goodput counts."""
NEARLY = 0.95
"""Least goodput, divided by that of the best rival that counts."""
LATER_MS = 1.0
"""Largest delay beyond that of FQ-CoDel [ms]."""
KEEPS = 0.99
"""Part of its goodput that a station keeps that wants less than its share."""
SOON_S = 2.0
"""Longest time from a change of a rate until the air is shared equally again [s]."""
SECOND_STEPS = 5
"""Steps of the series in a window of 1 s."""
MILLISECONDS = 1000.0
Points = Iterable[Condition]


def together(of: Sequence[Floats], by: Callable[..., Floats]) -> Floats:
    """Value in each replication that `by` makes of the values of several cells; NaN if none has one."""
    count = min(map(len, of))
    known = np.array([one[:count] for one in of])
    found = [
        by(column[~np.isnan(column)]) if not np.isnan(column).all() else math.nan
        for column in known.T
    ]
    return np.array(found)


def _known(
    what: str,
    samples: Floats,
    of: Sequence[Key],
    *,
    above: float = -math.inf,
    below: float = math.inf,
) -> Condition:
    """Condition on samples without those that do not exist; not testable if none exists."""
    there = samples[~np.isnan(samples)]
    measured = there if there.size else Estimate(math.nan, math.nan)
    testable = bool(there.size)
    return condition(what, measured, above=above, below=below, of=of, testable=testable)


def _where(standard: str, way: str) -> str:
    return f"{plan.STANDARDS[standard]} {way}"


def _least(
    data: Measurements, what: str, above: dict[str, float], take: Callable[[FairRuns], Floats]
) -> Iterator[Condition]:
    """Conditions on the least value of a fair access point in the cells of a standard and direction."""
    for standard, way in product(plan.STANDARDS, plan.WAYS):
        keys = [cell.key(plan.FAIR) for cell in plan.cells(standard, way)]
        least = together([take(data[key]) for key in keys], np.min)
        yield _known(f"{_where(standard, way)}, {what}", least, keys, above=above[standard])


def equal(data: Measurements) -> Points:
    """Conditions that stations with backlog have equal airtime in each cell."""
    bounds = dict.fromkeys(plan.STANDARDS, EQUAL)
    return _least(data, "least index of 9 cells", bounds, FairRuns.jain_with_backlog)


def equal_within_seconds(data: Measurements) -> Points:
    """Conditions that they have nearly equal airtime in each second."""
    what = "least mean index in windows of 1 s"
    return _least(data, what, SECOND, lambda runs: runs.windows(SECOND_STEPS))


def best_rival(data: Measurements, cell: plan.Cell) -> str | None:
    """Rival with the largest goodput of those with fair shares in a cell; `None` if there is none."""
    fair = [
        rival
        for rival in plan.RIVALS
        if float(data[cell.key(rival)].known_jain().mean()) >= COMPARABLE
    ]
    return max(fair, key=lambda one: float(data[cell.key(one)].goodput().mean()), default=None)


def relative(data: Measurements, cell: plan.Cell, rival: str) -> Floats:
    """Goodput of the fair access point, divided by that of a rival, (replication)."""
    ours, theirs = (data[cell.key(one)].goodput() for one in (plan.FAIR, rival))
    count = min(len(ours), len(theirs))
    return ours[:count] / theirs[:count]


def _against_best(data: Measurements, cells: Sequence[plan.Cell]) -> tuple[list[Floats], list[Key]]:
    """Goodput divided by that of the best rival in each cell that has one, and the runs."""
    ratios, keys = [], []
    for cell in cells:
        if (rival := best_rival(data, cell)) is not None:
            ratios.append(relative(data, cell, rival))
            keys += [cell.key(plan.FAIR), cell.key(rival)]
    return ratios, keys


def goodput_in_each(data: Measurements) -> Iterator[Condition]:
    """Conditions that the goodput is nearly that of the best rival in each cell."""
    for standard, way in product(plan.STANDARDS, plan.WAYS):
        ratios, keys = _against_best(data, plan.cells(standard, way, [plan.RIVAL_STATIONS]))
        least = together(ratios, np.min) if ratios else np.array([])
        what = f"{_where(standard, way)}, goodput / best fair rival's, least of 3 cells"
        yield _known(what, least, keys, above=NEARLY)


def goodput_in_all(data: Measurements) -> Points:
    """Condition that the goodput is that of the best rivals at least, in the geometric mean over cells."""
    ratios, keys = _against_best(data, plan.cells(stations=[plan.RIVAL_STATIONS]))
    mean = np.exp(together([np.log(one) for one in ratios], np.mean)) if ratios else np.array([])
    return [_known("goodput / best fair rival's, geometric mean", mean, keys, above=1)]


def _later(
    data: Measurements, what: str, take: Callable[[FairRuns], Floats]
) -> Iterator[Condition]:
    """Conditions on the largest delay beyond that under FQ-CoDel [ms]."""
    for standard, way in product(plan.STANDARDS, plan.WAYS):
        cells = plan.cells(standard, way, [plan.RIVAL_STATIONS])
        keys = [cell.key(scheme) for cell in cells for scheme in (plan.FAIR, plan.FQ_CODEL)]
        pairs = [
            [take(data[cell.key(one)]) for one in (plan.FAIR, plan.FQ_CODEL)] for cell in cells
        ]
        count = min(len(one) for pair in pairs for one in pair)
        most = together([ours[:count] - theirs[:count] for ours, theirs in pairs], np.max)
        yield _known(f"{_where(standard, way)}, {what}", most, keys, below=LATER_MS)


def call_quick(data: Measurements) -> Points:
    """Conditions that the call waits no longer than with FQ-CoDel."""
    return _later(data, "call's p95 less FQ-CoDel's, largest of 3 cells, ms", FairRuns.call)


def downloads_quick(data: Measurements) -> Points:
    """Conditions that short downloads take no longer than with FQ-CoDel."""
    what = "short downloads' time less FQ-CoDel's, largest of 3 cells, ms"
    return _later(data, what, lambda runs: MILLISECONDS * runs.completion())


def content_keeps(data: Measurements) -> Iterator[Condition]:
    """Conditions that the call, which wants little, keeps its goodput."""
    for standard, way in product(plan.STANDARDS, plan.WAYS):
        cells = plan.cells(standard, way)
        keys = [cell.key(scheme) for cell in cells for scheme in (plan.FAIR, plan.AIRTIME)]
        pairs = [
            [data[cell.key(one)].call_goodput() for one in (plan.FAIR, plan.AIRTIME)]
            for cell in cells
        ]
        count = min(len(one) for pair in pairs for one in pair)
        least = together([ours[:count] / theirs[:count] for ours, theirs in pairs], np.min)
        what = f"{_where(standard, way)}, call's goodput / without, least of 9 cells"
        yield _known(what, least, keys, above=KEEPS)


def _sent(data: Measurements, senders: Sequence[str]) -> Iterator[Condition]:
    for standard, way, sender in product(plan.STANDARDS, plan.SENT_WAYS, senders):
        key = plan.sent(standard, way, sender, plan.FAIR)
        what = f"{_where(standard, way)}, {plan.SENDERS[sender]}, index"
        yield _known(what, data[key].jain_with_backlog(), [key], above=EQUAL)


def today_equal(data: Measurements) -> Points:
    """Conditions that BBR and Prague have equal airtime."""
    return _sent(data, plan.TODAY)


def unfriendly_equal(data: Measurements) -> Points:
    """Conditions that traffic whose windows cannot be lowered has equal airtime."""
    return _sent(data, plan.UNFRIENDLY)


def grants_equal(data: Measurements) -> Iterator[Condition]:
    """Conditions that such traffic has equal airtime with grants."""
    for standard, way, sender in product(plan.STANDARDS, plan.SENT_WAYS, plan.UNFRIENDLY):
        key = plan.sent(standard, way, sender, plan.GRANTS)
        what = f"{_where(standard, way)}, {plan.SENDERS[sender]}, index"
        yield _known(what, data[key].jain(), [key], above=EQUAL)


def conditions_equal(data: Measurements) -> Iterator[Condition]:
    """Conditions that uploads have equal airtime under each other condition."""
    for standard, (name, label) in product(plan.STANDARDS, plan.CONDITIONS.items()):
        if plan.has(standard, name):
            key = plan.under(standard, name, plan.FAIR)
            what = f"{plan.STANDARDS[standard]}, {label}, index"
            yield _known(what, data[key].jain_with_backlog(), [key], above=EQUAL)


def settles(data: Measurements) -> Iterator[Condition]:
    """Conditions that the air is shared equally again soon after the cell has changed."""
    for standard, (change, label) in product(plan.STANDARDS, plan.CHANGES.items()):
        key = plan.changed(standard, change, plan.FAIR)
        what = f"{plan.STANDARDS[standard]}, {label}, time to settle, s"
        yield _known(what, data[key].settled(), [key], below=SOON_S)


def _claim(
    id_: str, points: Callable[[Measurements], Points], *setups: str
) -> Predicate[Measurements]:
    return Predicate(id_, Reading("the cells of the study", setups, points))


PREDICATES: tuple[Predicate[Measurements], ...] = (
    _claim("equal-airtime", equal, "cells", "mixed"),
    _claim("equal-in-a-second", equal_within_seconds, "cells", "mixed"),
    _claim("goodput-in-each", goodput_in_each, "cells", "rivals"),
    _claim("goodput-in-all", goodput_in_all, "cells", "rivals"),
    _claim("call-quick", call_quick, "cells", "rivals"),
    _claim("short-downloads-quick", downloads_quick, "cells", "rivals"),
    _claim("content-keeps", content_keeps, "cells", "mixed"),
    _claim("today-equal", today_equal, "transports"),
    _claim("unfriendly-equal", unfriendly_equal, "transports"),
    _claim("grants-equal", grants_equal, "transports"),
    _claim("conditions-equal", conditions_equal, "conditions", plan.NEIGHBOUR),
    _claim("settles-soon", settles, "changes"),
)

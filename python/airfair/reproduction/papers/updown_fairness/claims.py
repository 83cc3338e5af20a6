"""Claims of the paper `updown-fairness`, with a condition for each point that the text mentions.

"Large" buffers are 50 to 200 packets, as in the text. Smaller buffers, which the text does not name, are
reported but decide nothing. M_t > 3 is tested at M_t = 4, 6 and 8, and M_t > 5 at 6 and 8. n is the number of
stations, including those that receive. Losses are estimated as in the paper, from the retransmissions at HOST
A. The deciding system is the one nearest to the printed row of Figure 3; other systems are run with fewer
attempts or buffers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from airfair.estimate import Estimate, Floats, estimate, quotient, ratio_of_means
from airfair.experiment.claims import Predicate, Reading
from airfair.experiment.conditions import Condition, Key, condition, difference, versus
from airfair.experiment.words import LOSS, ROUGHLY, STARVED

from . import plan
from .plan import FOUR, SHOWN, TWO, FigurePoint
from .runs import DOWN, UP, Measurements, UpDownRuns

NOTHING = 0.001
"""Smallest loss of which a decrease can be tested."""
REVERSAL = 3
CHOSEN_BY = 1
"""Attempts (M_t) of the printed row by which the system is chosen."""
UNCHANGED = replace(LOSS, allowed=100 * LOSS.allowed)
"""Word for a loss in percent that “does not change”."""

BOUNDS = {
    "nothing": NOTHING,
    "large": plan.LARGE,
    "reversal": REVERSAL,
    "most_attempts": plan.ATTEMPTS[-1],
    "last": plan.LAST,
    "system": plan.SYSTEMS[plan.DECIDES],
}
"""Numbers for the section `bounds` of the report: bounds of claims that do not come from words."""

Place = tuple[str, str, int, int]
"""Scheme, scenario, attempts (M_t) and buffer (Q) of a point."""


@dataclass(frozen=True)
class View:
    """Conditions on the runs of one system."""

    data: Measurements
    system: str

    @property
    def scope(self) -> plan.Scope:
        """Attempts and buffers at which claims are tested in the system."""
        return plan.SCOPES[self.system]

    def runs(self, place: Place) -> tuple[UpDownRuns, Key]:
        """Runs of a point, and their key."""
        key = FigurePoint(self.system, *place).key
        return self.data[key], key

    def ratio(
        self, what: str, place: Place, above: float = -math.inf, below: float = math.inf
    ) -> Condition:
        """Condition on the ratio of downlink to uplink goodput."""
        runs, key = self.runs(place)
        return condition(what, _ratio(runs), above=above, below=below, of=[key])

    def roughly_one(self, what: str, place: Place) -> Condition:
        """Condition that the ratio of downlink to uplink goodput is roughly 1."""
        runs, key = self.runs(place)
        return ROUGHLY.condition(what, _ratio(runs), of=[key])

    def change(
        self, what: str, places: tuple[Place, Place], take: Take, **options: float
    ) -> Condition:
        """Condition on the difference between a quantity at the second and at the first of two points."""
        before, after = (FigurePoint(self.system, *place).key for place in places)
        return versus(difference, what, self.data, take, after, before, **options)


Take = Callable[[UpDownRuns], Floats]
Points = Callable[[View], Iterable[Condition]]


def _loss(way: str) -> Take:
    return lambda runs: 100 * runs.loss(way)


def mt1_dl2ul2(view: View) -> Sequence[Condition]:
    """Conditions that in Figure 2(a) the ratio is roughly 1 with M_t = 1 and large buffers."""
    return [view.roughly_one(f"ratio at Q = {q}", ("fifo", TWO, 1, q)) for q in view.scope.buffers]


def mt1_dl4ul4(view: View) -> Sequence[Condition]:
    """Conditions that in Figure 2(b) downlink has more with M_t = 1."""
    return _downlink_has_more(view, FOUR, 1)


def mt2_downlink(view: View) -> Sequence[Condition]:
    """Conditions that in Figure 2 downlink has more with M_t = 2, and larger buffers help it."""
    return [
        one
        for scenario in (TWO, FOUR)
        for one in (*_downlink_has_more(view, scenario, 2), *_eased(view, scenario, 2))
    ]


def large_mt(view: View) -> Iterator[Condition]:
    """Conditions that in Figure 2 a large M_t starves downlink, and larger buffers help it."""
    for scenario in (TWO, FOUR):
        yield from _starved(view, scenario, STARVED)
        for m in view.scope.among(plan.LATE):
            yield from _eased(view, scenario, m)


def below_one_to_n(view: View) -> Sequence[Condition]:
    """Conditions that the ratio is below 1 / (n + 1), the access point's share in section III."""
    most = {scenario: 1 / (2 * plan.SYMMETRIC[scenario] + 1) for scenario in (TWO, FOUR)}
    return [one for scenario, share in most.items() for one in _starved(view, scenario, share)]


def _starved(view: View, scenario: str, most: float) -> list[Condition]:
    """Conditions that the ratio with the most attempts is below `most`, with each buffer."""
    m = plan.ATTEMPTS[-1]
    return [
        view.ratio(f"{scenario}, ratio at M_t = {m}, Q = {q}", ("fifo", scenario, m, q), below=most)
        for q in view.scope.buffers
    ]


def _downlink_has_more(view: View, scenario: str, m: int) -> list[Condition]:
    return [
        view.ratio(f"{scenario}, ratio at Q = {q}", ("fifo", scenario, m, q), above=1)
        for q in view.scope.buffers
    ]


def _eased(view: View, scenario: str, m: int) -> list[Condition]:
    """Condition that the ratio is higher with the largest buffer than with the smallest one."""
    few, many = view.scope.buffers[0], view.scope.buffers[-1]
    if few == many:
        return []
    places = ("fifo", scenario, m, few), ("fifo", scenario, m, many)
    what = f"{scenario}, M_t = {m}, ratio at Q = {many} - at {few}"
    return [view.change(what, places, UpDownRuns.ratio, above=0)]


def reversal(view: View) -> Iterator[Condition]:
    """Conditions that in Figure 3 (dl1-ul1) the ratio falls below 1 beyond `REVERSAL`, and the total rises.

    M_t = 1 does not count, because that row was used to choose the system.
    """
    most = plan.ATTEMPTS[-1]
    few, *_ = attempts = [m for m in view.scope.among(plan.ATTEMPTS) if m > CHOSEN_BY]
    at = {m: ("fifo", "dl1-ul1", m, SHOWN) for m in attempts}
    what = f"total at M_t = {most} - at {few}, packets/s"
    yield view.change(what, (at[few], at[most]), UpDownRuns.total, above=0)
    for m, place in at.items():
        low, high = (1.0, math.inf) if m <= REVERSAL else (-math.inf, 1.0)
        yield view.ratio(f"ratio at M_t = {m}", place, low, high)


def uplink_loss(view: View) -> Iterator[Condition]:
    """Conditions that in Figure 4(a) the uplink loss falls with M_t."""
    for few, many in itertools.pairwise(view.scope.among(plan.ATTEMPTS)):
        places = ("fifo", FOUR, few, SHOWN), ("fifo", FOUR, many, SHOWN)
        what = f"loss at M_t = {many} - at {few}, %"
        seen = float(view.runs(places[0])[0].loss(UP).mean()) >= NOTHING
        yield view.change(what, places, _loss(UP), below=0, testable=seen)


def downlink_loss(view: View) -> Iterator[Condition]:
    """Conditions that in Figure 4(b) the downlink loss falls from M_t = 1 to 2, and then rises."""
    for few, many in ((1, 2), (2, 3), (2, plan.ATTEMPTS[-1])):
        places = ("fifo", FOUR, few, SHOWN), ("fifo", FOUR, many, SHOWN)
        bound = {"below": 0.0} if few == 1 else {"above": 0.0}
        what = f"loss at M_t = {many} - at {few}, %"
        yield view.change(what, places, _loss(DOWN), **bound)


def scheduler_1_1(view: View) -> Sequence[Condition]:
    """Conditions that in Figures 6 and 7 the scheduler makes the ratio roughly 1."""
    return [
        view.roughly_one(f"{scenario}, ratio at M_t = {m}, Q = {q}", ("scheduler", scenario, m, q))
        for scenario in plan.SYMMETRIC
        for m in view.scope.among(plan.LAST)
        for q in view.scope.buffers
    ]


def scheduler_losses(view: View) -> Iterator[Condition]:
    """Conditions that the scheduler keeps the uplink loss and lowers the downlink loss (Figures 4 and 8)."""
    for m in view.scope.among(plan.LAST):
        both = ("fifo", FOUR, m, SHOWN), ("scheduler", FOUR, m, SHOWN)
        up = view.change("", both, _loss(UP))
        what = f"M_t = {m}, uplink loss, scheduler - FIFO, %"
        yield UNCHANGED.condition(what, up.measured, target=0, of=up.of)
        what = f"M_t = {m}, downlink loss, scheduler - FIFO, %"
        yield view.change(what, both, _loss(DOWN), below=0)


def no_help_below(view: View) -> Iterator[Condition]:
    """Conditions that the scheduler does not help if downlink has more under FIFO (Figures 2 and 6)."""
    for scenario, m in itertools.product((TWO, FOUR), (1, 2)):
        (fifo, a), (fair, b) = (view.runs((scheme, scenario, m, SHOWN)) for scheme in _BOTH)
        made = ROUGHLY.condition(
            f"{scenario}, M_t = {m}, |ln ratio|, scheduler / FIFO",
            ratio_of_means(fair.unfairness(), fifo.unfairness()),
            side="least",
            of=[a, b],
        )
        yield replace(made, testable=estimate(fifo.ratio()).low > 1)


def _ratio(runs: UpDownRuns) -> Estimate:
    """Ratio of downlink to uplink goodput."""
    return quotient(runs.goodput(DOWN), runs.goodput(UP))


def _predicate(
    id_: str,
    points: Points,
    scenarios: Sequence[str],
    schemes: Sequence[str] = ("fifo",),
    more: Sequence[Reading[Measurements]] = (),
) -> Predicate[Measurements]:
    def reading(system: str) -> Reading[Measurements]:
        needed = tuple(plan.setup_id(system, a, b) for a in schemes for b in scenarios)
        label = plan.SYSTEMS[system]
        return Reading(label, needed, lambda data: points(View(data, system)))

    having = [name for name, scope in plan.SCOPES.items() if set(schemes) <= set(scope.schemes)]
    return plan.AS_READ.only(having).predicate(id_, reading, more=more)


def _ours(
    scenario: str, above: float = -math.inf, below: float = math.inf
) -> Reading[Measurements]:
    """Reading of Figure 2 with M_t = 1 and smaller buffers, under which the ratio lies between bounds."""

    def points(data: Measurements) -> Sequence[Condition]:
        places = {q: FigurePoint(plan.DECIDES, "fifo", scenario, 1, q) for q in plan.SMALL}
        keys = {q: plan.in_group("small", place) for q, place in places.items()}
        return [
            condition(f"ratio at Q = {q}", _ratio(data[key]), above=above, below=below, of=[key])
            for q, key in keys.items()
        ]

    sizes = " and ".join(map(str, plan.SMALL))
    label = f"smaller buffers, {sizes} packets, which the text does not name"
    return Reading(label, ("small",), points)


_BOTH = ("fifo", "scheduler")

PREDICATES: tuple[Predicate[Measurements], ...] = (
    _predicate("mt1-dl2ul2", mt1_dl2ul2, [TWO], more=[_ours(TWO, below=1)]),
    _predicate("mt1-dl4ul4", mt1_dl4ul4, [FOUR], more=[_ours(FOUR, above=1)]),
    _predicate("mt2-downlink", mt2_downlink, [TWO, FOUR]),
    _predicate("large-mt-starves-downlink", large_mt, [TWO, FOUR]),
    _predicate("reversal", reversal, ["dl1-ul1"]),
    _predicate("uplink-loss-falls", uplink_loss, [FOUR]),
    _predicate("downlink-loss-turns", downlink_loss, [FOUR]),
    _predicate("below-1-over-n-plus-1", below_one_to_n, [TWO, FOUR]),
    _predicate("scheduler-1-1", scheduler_1_1, list(plan.SYMMETRIC), ["scheduler"]),
    _predicate("scheduler-losses", scheduler_losses, [FOUR], _BOTH),
    _predicate("scheduler-no-help-below", no_help_below, [TWO, FOUR], _BOTH),
)

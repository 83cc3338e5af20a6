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
from collections.abc import Callable, Sequence
from dataclasses import replace

from airfair.estimate import Estimate, estimate, quotient, ratio_of_means
from airfair.experiment.claims import Predicate, Reading
from airfair.experiment.conditions import Condition, condition, difference
from airfair.experiment.words import LOSS, ROUGHLY, STARVED

from . import plan
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
    "system": plan.SYSTEMS[plan.DECIDES].label,
}
"""Numbers for the section `bounds` of the report: bounds of claims that do not come from words."""

Key = tuple[str, str]


class View:
    """Access to the runs of one system."""

    def __init__(self, data: Measurements, system: str) -> None:
        self._data = data
        self._system = system
        self.scope = plan.SCOPES[system]

    def place(
        self, scheme: str, scenario: str, attempts: int, packets: int = plan.SHOWN
    ) -> tuple[UpDownRuns, Key]:
        """Runs of a point under a scheme, and their key."""
        key = plan.FigurePoint(self._system, scheme, scenario, attempts, packets).key
        return self._data[key], key

    def fifo(
        self, scenario: str, attempts: int, packets: int = plan.SHOWN
    ) -> tuple[UpDownRuns, Key]:
        """Runs of a point under FIFO, and their key."""
        return self.place("fifo", scenario, attempts, packets)

    def among(self, attempts: Sequence[int]) -> tuple[int, ...]:
        """Attempts (M_t), among those given, that are run in this system."""
        return self.scope.among(attempts)


Points = Callable[[View], Sequence[Condition]]


def mt1_dl2ul2(view: View) -> Sequence[Condition]:
    """Conditions that in Figure 2(a) the ratio is roughly 1 with M_t = 1 and large buffers."""
    found = []
    for q in view.scope.buffers:
        runs, key = view.fifo(plan.TWO, 1, q)
        found.append(ROUGHLY.condition(f"ratio at Q = {q}", _ratio(runs), of=[key]))
    return found


def mt1_dl4ul4(view: View) -> Sequence[Condition]:
    """Conditions that in Figure 2(b) downlink has more with M_t = 1."""
    return [_downlink_has_more(view, plan.FOUR, 1, q) for q in view.scope.buffers]


def mt2_downlink(view: View) -> Sequence[Condition]:
    """Conditions that in Figure 2 downlink has more with M_t = 2, and larger buffers help it."""
    found = []
    for scenario in (plan.TWO, plan.FOUR):
        found += [_downlink_has_more(view, scenario, 2, q) for q in view.scope.buffers]
        found += _eased(view, scenario, 2)
    return found


def large_mt(view: View) -> Sequence[Condition]:
    """Conditions that in Figure 2 a large M_t starves downlink, and larger buffers help it."""
    found = []
    for scenario in (plan.TWO, plan.FOUR):
        found += _starved(view, scenario, STARVED)
        for m in view.among(plan.LATE):
            found += _eased(view, scenario, m)
    return found


def below_one_to_n(view: View) -> Sequence[Condition]:
    """Conditions that the ratio is below 1 / (n + 1), the access point's share in section III."""
    found = []
    for scenario in (plan.TWO, plan.FOUR):
        found += _starved(view, scenario, 1 / (2 * plan.SYMMETRIC[scenario] + 1))
    return found


def _starved(view: View, scenario: str, most: float) -> list[Condition]:
    """Conditions that the ratio with the most attempts is below `most`, with each buffer."""
    found = []
    for q in view.scope.buffers:
        runs, key = view.fifo(scenario, plan.ATTEMPTS[-1], q)
        what = f"{scenario}, ratio at M_t = {plan.ATTEMPTS[-1]}, Q = {q}"
        found.append(condition(what, _ratio(runs), below=most, of=[key]))
    return found


def _downlink_has_more(view: View, scenario: str, attempts: int, packets: int) -> Condition:
    runs, key = view.fifo(scenario, attempts, packets)
    what = f"{scenario}, ratio at Q = {packets}"
    return condition(what, _ratio(runs), above=1, of=[key])


def _eased(view: View, scenario: str, attempts: int) -> list[Condition]:
    """Condition that the ratio is higher with the largest buffer than with the smallest one."""
    buffers = view.scope.buffers
    if len(buffers) == 1:
        return []
    (few, a), (many, b) = (view.fifo(scenario, attempts, q) for q in (buffers[0], buffers[-1]))
    what = f"{scenario}, M_t = {attempts}, ratio at Q = {buffers[-1]} - at {buffers[0]}"
    return [difference(what, many.ratio(), few.ratio(), above=0, of=[a, b])]


def reversal(view: View) -> Sequence[Condition]:
    """Conditions that in Figure 3 (dl1-ul1) the ratio falls below 1 beyond `REVERSAL`, and the total rises.

    M_t = 1 does not count, because that row was used to choose the system.
    """
    few, *_ = attempts = [m for m in view.among(plan.ATTEMPTS) if m > CHOSEN_BY]
    (least, first), (most, last) = (view.fifo("dl1-ul1", m) for m in (few, plan.ATTEMPTS[-1]))
    what = f"total at M_t = {plan.ATTEMPTS[-1]} - at {few}, packets/s"
    found = [difference(what, most.total(), least.total(), above=0, of=[first, last])]
    for m in attempts:
        runs, key = view.fifo("dl1-ul1", m)
        low, high = (1.0, math.inf) if m <= REVERSAL else (-math.inf, 1.0)
        what = f"ratio at M_t = {m}"
        found.append(condition(what, _ratio(runs), above=low, below=high, of=[key]))
    return found


def uplink_loss(view: View) -> Sequence[Condition]:
    """Conditions that in Figure 4(a) the uplink loss falls with M_t."""
    found = []
    attempts = view.among(plan.ATTEMPTS)
    for few, many in itertools.pairwise(attempts):
        (before, a), (after, b) = view.fifo(plan.FOUR, few), view.fifo(plan.FOUR, many)
        found.append(
            difference(
                f"loss at M_t = {many} - at {few}, %",
                100 * after.loss(UP),
                100 * before.loss(UP),
                below=0,
                of=[a, b],
                testable=float(before.loss(UP).mean()) >= NOTHING,
            )
        )
    return found


def downlink_loss(view: View) -> Sequence[Condition]:
    """Conditions that in Figure 4(b) the downlink loss falls from M_t = 1 to 2, and then rises."""
    found = []
    for few, many in ((1, 2), (2, 3), (2, plan.ATTEMPTS[-1])):
        (before, a), (after, b) = view.fifo(plan.FOUR, few), view.fifo(plan.FOUR, many)
        found.append(
            difference(
                f"loss at M_t = {many} - at {few}, %",
                100 * after.loss(DOWN),
                100 * before.loss(DOWN),
                above=-math.inf if few == 1 else 0,
                below=0 if few == 1 else math.inf,
                of=[a, b],
            )
        )
    return found


def scheduler_1_1(view: View) -> Sequence[Condition]:
    """Conditions that in Figures 6 and 7 the scheduler makes the ratio roughly 1."""
    found = []
    for scenario in plan.SYMMETRIC:
        for m in view.among(plan.LAST):
            for q in view.scope.buffers:
                runs, key = view.place("scheduler", scenario, m, q)
                what = f"{scenario}, ratio at M_t = {m}, Q = {q}"
                found.append(ROUGHLY.condition(what, _ratio(runs), of=[key]))
    return found


def scheduler_losses(view: View) -> Sequence[Condition]:
    """Conditions that the scheduler keeps the uplink loss and lowers the downlink loss (Figures 4 and 8)."""
    found = []
    for m in view.among(plan.LAST):
        (fifo, a), (fair, b) = view.fifo(plan.FOUR, m), view.place("scheduler", plan.FOUR, m)
        found += [
            UNCHANGED.condition(
                f"M_t = {m}, uplink loss, scheduler - FIFO, %",
                difference("", 100 * fair.loss(UP), 100 * fifo.loss(UP)).measured,
                target=0,
                of=[a, b],
            ),
            difference(
                f"M_t = {m}, downlink loss, scheduler - FIFO, %",
                100 * fair.loss(DOWN),
                100 * fifo.loss(DOWN),
                below=0,
                of=[a, b],
            ),
        ]
    return found


def no_help_below(view: View) -> Sequence[Condition]:
    """Conditions that the scheduler does not help if downlink has more under FIFO (Figures 2 and 6)."""
    found = []
    for scenario in (plan.TWO, plan.FOUR):
        for m in (1, 2):
            (fifo, a), (fair, b) = (
                view.place(scheme, scenario, m) for scheme in ("fifo", "scheduler")
            )
            made = ROUGHLY.condition(
                f"{scenario}, M_t = {m}, |ln ratio|, scheduler / FIFO",
                ratio_of_means(fair.unfairness(), fifo.unfairness()),
                side="least",
                of=[a, b],
            )
            found.append(replace(made, testable=estimate(fifo.ratio()).low > 1))
    return found


def smaller(data: Measurements) -> Sequence[Condition]:
    """Conditions that in Figure 2(a) downlink has less with M_t = 1 and smaller buffers."""
    return [
        condition(
            f"ratio at Q = {q}",
            _ratio(data[_small(plan.TWO, q)]),
            below=1,
            of=[_small(plan.TWO, q)],
        )
        for q in plan.SMALL
    ]


def smaller_four(data: Measurements) -> Sequence[Condition]:
    """Conditions that in Figure 2(b) downlink has more with M_t = 1 and smaller buffers."""
    return [
        condition(
            f"ratio at Q = {q}",
            _ratio(data[_small(plan.FOUR, q)]),
            above=1,
            of=[_small(plan.FOUR, q)],
        )
        for q in plan.SMALL
    ]


def _small(scenario: str, packets: int) -> Key:
    return plan.in_group("small", plan.FigurePoint(plan.DECIDES, "fifo", scenario, 1, packets))


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
        return Reading(plan.SYSTEMS[system].label, needed, lambda data: points(View(data, system)))

    having = [id_ for id_, scope in plan.SCOPES.items() if set(schemes) <= set(scope.schemes)]
    return plan.AS_READ.only(having).predicate(id_, reading, more=more)


def _ours(points: Callable[[Measurements], Sequence[Condition]]) -> Reading[Measurements]:
    sizes = " and ".join(map(str, plan.SMALL))
    return Reading(
        f"smaller buffers, {sizes} packets, which the text does not name", ("small",), points
    )


_BOTH = ("fifo", "scheduler")

PREDICATES: tuple[Predicate[Measurements], ...] = (
    _predicate("mt1-dl2ul2", mt1_dl2ul2, [plan.TWO], more=[_ours(smaller)]),
    _predicate("mt1-dl4ul4", mt1_dl4ul4, [plan.FOUR], more=[_ours(smaller_four)]),
    _predicate("mt2-downlink", mt2_downlink, [plan.TWO, plan.FOUR]),
    _predicate("large-mt-starves-downlink", large_mt, [plan.TWO, plan.FOUR]),
    _predicate("reversal", reversal, ["dl1-ul1"]),
    _predicate("uplink-loss-falls", uplink_loss, [plan.FOUR]),
    _predicate("downlink-loss-turns", downlink_loss, [plan.FOUR]),
    _predicate("below-1-over-n-plus-1", below_one_to_n, [plan.TWO, plan.FOUR]),
    _predicate("scheduler-1-1", scheduler_1_1, list(plan.SYMMETRIC), ["scheduler"]),
    _predicate("scheduler-losses", scheduler_losses, [plan.FOUR], _BOTH),
    _predicate("scheduler-no-help-below", no_help_below, [plan.TWO, plan.FOUR], _BOTH),
)

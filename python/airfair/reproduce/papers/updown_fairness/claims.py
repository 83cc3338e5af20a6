"""The claims of the paper `updown-fairness`.

Bounds, each used wherever the paper's word stands:

- `ABOUT`: a ratio is "about 1" within a quarter.
- `STARVED`: downlink "starves" with less than half of uplink's goodput.
- `NOTHING`: a loss below 0.1 % is none, and cannot fall further.
- `AS_IT_WAS`: a loss "does not change" within half a percentage point.

"Large" buffers are 50 to 200 packets, as the text says; "further" attempts and "above 3" are 4, 6 and 8;
"M_t > 5" is 6 and 8. n is the number of stations, those that receive included. Losses are estimated as the
paper does it, from the retransmissions at HOST A. An ideal channel and windows that never bind decide; the
other systems stand beside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from airfair.reproduce.claims import Predicate, Reading
from airfair.reproduce.conditions import Condition, condition
from airfair.reproduce.estimate import Floats

from .plan import (
    ATTEMPTS,
    BESIDE,
    BUFFERS,
    IDEAL,
    LARGE,
    LAST,
    LATE,
    SHOWN,
    SMALL,
    SYMMETRIC,
    SYSTEMS,
    Place,
    setup_id,
)
from .runs import DOWN, UP, Measurements, Runs

ABOUT = 0.25
STARVED = 0.5
NOTHING = 0.001
AS_IT_WAS = 0.005
REVERSAL = 3

BOUNDS = (
    f"“About 1” means within {ABOUT:.0%}, “starves” less than {STARVED:g} of uplink's goodput, a loss "
    f"below {NOTHING:.1%} is none, a loss “does not change” within {AS_IT_WAS:.1%} of the packets. Large "
    f"buffers are {LARGE[0]} to {LARGE[-1]} packets, M_t > {REVERSAL} is read at "
    f"{', '.join(map(str, LATE))} and M_t > 5 at {' and '.join(map(str, LAST))}. The channel is ideal, "
    "socket buffers never bind, and Q counts each of the scheduler's queues for itself."
)
"""The bounds in words, for readers of a report."""

TWO, FOUR = "dl2-ul2", "dl4-ul4"
Conditions = Callable[[Measurements, str], Sequence[Condition]]


def _fifo(
    data: Measurements, system: str, scenario: str, attempts: int, packets: int = SHOWN
) -> Runs:
    return data[Place(system, "fifo", scenario, attempts, packets).key]


def _fair(
    data: Measurements, system: str, scenario: str, attempts: int, packets: int = SHOWN
) -> Runs:
    return data[Place(system, "scheduler", scenario, attempts, packets).key]


def mt1_dl2ul2(data: Measurements, system: str) -> Sequence[Condition]:
    """Figure 2(a), M_t = 1."""
    ratios = {q: _fifo(data, system, TWO, 1, q).ratio() for q in BUFFERS}
    off = np.max([np.abs(ratios[q] - 1) for q in LARGE], axis=0)
    return [
        condition("largest |ratio - 1| at Q = 50 to 200", off, below=ABOUT),
        condition("largest ratio at smaller Q", _most(ratios[q] for q in SMALL), below=1),
    ]


def mt1_dl4ul4(data: Measurements, system: str) -> Sequence[Condition]:
    """Figure 2(b), M_t = 1."""
    ratios = [_fifo(data, system, FOUR, 1, q).ratio() for q in BUFFERS]
    return [condition("least ratio at any Q", _least(ratios), above=1)]


def mt2_downlink(data: Measurements, system: str) -> Sequence[Condition]:
    """Figure 2, M_t = 2."""
    found = []
    for scenario in (TWO, FOUR):
        ratios = [_fifo(data, system, scenario, 2, q).ratio() for q in LARGE]
        found += [
            condition(f"{scenario}, least ratio at Q = 50 to 200", _least(ratios), above=1),
            condition(f"{scenario}, ratio at Q = 200 - at Q = 50", ratios[-1] - ratios[0], above=0),
        ]
    return found


def large_mt(data: Measurements, system: str) -> Sequence[Condition]:
    """Figure 2, M_t beyond the reversal."""
    found = []
    for scenario in (TWO, FOUR):
        few, many = (
            [_fifo(data, system, scenario, m, q).ratio() for m in LATE]
            for q in (LARGE[0], LARGE[-1])
        )
        eased = np.mean(many, axis=0) - np.mean(few, axis=0)
        found += [
            condition(
                f"{scenario}, larger ratio at M_t = 8", _most([few[-1], many[-1]]), below=STARVED
            ),
            condition(f"{scenario}, ratio over M_t > 3, Q = 200 - Q = 50", eased, above=0),
        ]
    return found


def reversal(data: Measurements, system: str) -> Sequence[Condition]:
    """Figure 3, dl1-ul1."""
    runs = {m: _fifo(data, system, "dl1-ul1", m) for m in ATTEMPTS}
    more = runs[ATTEMPTS[-1]].total() - runs[1].total()
    before = _least(runs[m].ratio() for m in ATTEMPTS if m <= REVERSAL)
    after = _most(runs[m].ratio() for m in ATTEMPTS if m > REVERSAL)
    return [
        condition("total at M_t = 8 - at 1, packets/s", more, above=0),
        condition("least ratio at M_t = 1 to 3", before, above=1),
        condition("largest ratio at M_t = 4 to 8", after, below=1),
    ]


def uplink_loss(data: Measurements, system: str) -> Sequence[Condition]:
    """Figure 4(a)."""
    loss = {m: _fifo(data, system, FOUR, m).loss(UP) for m in ATTEMPTS}
    found = []
    for m in ATTEMPTS[1:]:
        if loss[m - 1].mean() >= NOTHING:
            step = 100 * (loss[m] - loss[m - 1])
            found.append(condition(f"loss at M_t = {m} - at {m - 1}, %", step, below=0))
        else:
            found.append(condition(f"loss at M_t = {m}, %", 100 * loss[m], below=100 * NOTHING))
    return found


def downlink_loss(data: Measurements, system: str) -> Sequence[Condition]:
    """Figure 4(b)."""
    loss = {m: _fifo(data, system, FOUR, m).loss(DOWN) for m in (1, 2, ATTEMPTS[-1])}
    return [
        condition("loss at M_t = 2 - at 1, %", 100 * (loss[2] - loss[1]), below=0),
        condition("loss at M_t = 8 - at 2, %", 100 * (loss[ATTEMPTS[-1]] - loss[2]), above=0),
    ]


def below_one_to_n(data: Measurements, system: str) -> Sequence[Condition]:
    """Section III: n stations and the access point share the channel equally."""
    return [
        condition(
            f"{scenario}, ratio at M_t = {ATTEMPTS[-1]}",
            _fifo(data, system, scenario, ATTEMPTS[-1]).ratio(),
            below=1 / (2 * SYMMETRIC[scenario] + 1),
        )
        for scenario in (TWO, FOUR)
    ]


def scheduler_1_1(data: Measurements, system: str) -> Sequence[Condition]:
    """Figures 6 and 7."""

    def off(scenario: str) -> Floats:
        runs = [_fair(data, system, scenario, m, q) for m in LAST for q in LARGE]
        return _most(np.abs(one.ratio() - 1) for one in runs)

    return [
        condition(
            f"{scenario}, largest |ratio - 1|, M_t > 5, Q = 50 to 200", off(scenario), below=ABOUT
        )
        for scenario in SYMMETRIC
    ]


def scheduler_losses(data: Measurements, system: str) -> Sequence[Condition]:
    """Figure 8 against Figure 4."""
    found = []
    for m in LAST:
        fifo = _fifo(data, system, FOUR, m)
        fair = _fair(data, system, FOUR, m)
        found += [
            condition(
                f"M_t = {m}, uplink loss, scheduler - FIFO, %",
                100 * (fair.loss(UP) - fifo.loss(UP)),
                above=-100 * AS_IT_WAS,
                below=100 * AS_IT_WAS,
            ),
            condition(
                f"M_t = {m}, downlink loss, scheduler - FIFO, %",
                100 * (fair.loss(DOWN) - fifo.loss(DOWN)),
                below=0,
            ),
        ]
    return found


def no_help_below(data: Measurements, system: str) -> Sequence[Condition]:
    """Figure 6 against Figure 2, where downlink has more."""
    found = []
    for scenario in (TWO, FOUR):
        for m in (1, 2):
            fifo = _fifo(data, system, scenario, m)
            fair = _fair(data, system, scenario, m)
            found += [
                condition(f"{scenario}, M_t = {m}, ratio under FIFO", fifo.ratio(), above=1),
                condition(
                    f"{scenario}, M_t = {m}, |ln ratio|, scheduler - FIFO",
                    fair.unfairness() - fifo.unfairness(),
                    above=-ABOUT,
                ),
            ]
    return found


def _least(samples: Iterable[Floats]) -> Floats:
    """Least in each replication."""
    least: Floats = np.min(list(samples), axis=0)
    return least


def _most(samples: Iterable[Floats]) -> Floats:
    """Largest in each replication."""
    most: Floats = np.max(list(samples), axis=0)
    return most


def _predicate(
    id_: str, conditions: Conditions, scenarios: Sequence[str], schemes: Sequence[str] = ("fifo",)
) -> Predicate[Measurements]:
    def reading(system: str) -> Reading[Measurements]:
        needed = tuple(setup_id(system, a, b) for a in schemes for b in scenarios)
        return Reading(SYSTEMS[system].label, needed, lambda data: conditions(data, system))

    return Predicate(id_, reading(IDEAL), tuple(map(reading, BESIDE)))


_BOTH = ("fifo", "scheduler")

PREDICATES: tuple[Predicate[Measurements], ...] = (
    _predicate("mt1-dl2ul2", mt1_dl2ul2, [TWO]),
    _predicate("mt1-dl4ul4", mt1_dl4ul4, [FOUR]),
    _predicate("mt2-downlink", mt2_downlink, [TWO, FOUR]),
    _predicate("large-mt-starves-downlink", large_mt, [TWO, FOUR]),
    _predicate("reversal", reversal, ["dl1-ul1"]),
    _predicate("uplink-loss-falls", uplink_loss, [FOUR]),
    _predicate("downlink-loss-turns", downlink_loss, [FOUR]),
    _predicate("below-1-over-n-plus-1", below_one_to_n, [TWO, FOUR]),
    _predicate("scheduler-1-1", scheduler_1_1, list(SYMMETRIC), ["scheduler"]),
    _predicate("scheduler-losses", scheduler_losses, [FOUR], _BOTH),
    _predicate("scheduler-no-help-below", no_help_below, [TWO, FOUR], _BOTH),
)

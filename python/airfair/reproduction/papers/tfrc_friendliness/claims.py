"""Claims of the paper `tfrc-friendliness`, with a condition for each point that the text mentions.

The text names the combinations 10/1 and 10/10. They decide claims that compare two combinations; other
comparisons are reported, but decide nothing. "Almost always" in Figure 3, where the text names no
combinations, is tested over all simulated ones. Claims on the testbed are decided with the receiver and
channel whose total is nearest to that of Figure 5; others that fit are near. Claims on the simulation are
decided with dedicated links, as in the text. Their throughputs are measured in the interval `LATER`, which
begins 15 s after the start of the last flow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from airfair.estimate import Estimate, Floats, quotient
from airfair.experiment.claims import Predicate, Reading
from airfair.experiment.conditions import (
    Condition,
    Key,
    Point,
    Quota,
    condition,
    difference,
    ratio,
    versus,
)
from airfair.experiment.words import ALMOST_ALL, INDEX, ROUGHLY

from . import plan
from .plan import MANY, TEN
from .runs import FriendlinessRuns, Measurements

LIMIT = 0.6
IDEAL_INDEX = 0.5
HALF = 0.5
MOST = 10
LATER = (50.0, 200.0)

BOUNDS = {
    "channel": plan.VARIANTS[plan.DECIDES],
    "ideal_index": IDEAL_INDEX,
    "half": HALF,
    "later_s": LATER[0],
}
"""Numbers for the section `bounds` of the report: bounds of claims that do not come from words."""

Points = Callable[[Measurements, str], Iterable[Point]]
Pair = tuple[int, int]


def _runs(
    data: Measurements, variant: str, flavour: str, pair: Pair
) -> tuple[FriendlinessRuns, Key]:
    key = (plan.mixed(flavour, *pair), variant)
    return data[key], key


Quantity = tuple[str, Callable[[FriendlinessRuns], Floats]]
INDEX_OF_TFRC: Quantity = ("index", FriendlinessRuns.index)
TIMEOUTS: Quantity = ("share of time-outs", FriendlinessRuns.timeout_share)
"""Quantities that claims compare."""


def _against(
    data: Measurements,
    place: tuple[str, str],
    pairs: tuple[Pair, Pair],
    quantity: Quantity,
    **bound: float,
) -> Condition:
    """Condition on the difference between two combinations under a variant and a flavour of TCP."""
    variant, flavour = place
    one, other = ((plan.mixed(flavour, *pair), variant) for pair in pairs)
    what, take = quantity
    words = f"{what} at {_name(pairs[0])} - at {_name(pairs[1])}"
    return versus(difference, words, data, take, one, other, **bound)


def _name(pair: Pair) -> str:
    return f"{pair[0]}/{pair[1]}"


def reno_index(data: Measurements, variant: str) -> Sequence[Point]:
    """Condition that in Figure 2 the index at 10/10 is close to 0.6."""
    runs, key = _runs(data, variant, "reno", MANY)
    return [INDEX.condition("index at 10/10", runs.index(), LIMIT, of=[key])]


def reno_rises(data: Measurements, variant: str) -> Sequence[Point]:
    """Condition that in Figure 2 the index is higher at 10/10 than at 1/1."""
    return [_against(data, (variant, "reno"), (MANY, plan.EQUAL[0]), INDEX_OF_TFRC, above=0)]


def reno_10_1(data: Measurements, variant: str) -> Sequence[Point]:
    """Condition that in Figure 2 the index is lower at 10/1 than at 10/10."""
    return [_against(data, (variant, "reno"), (TEN, MANY), INDEX_OF_TFRC, below=0)]


def reno_timeouts(data: Measurements, variant: str) -> Sequence[Point]:
    """Conditions that in Figure 2 10/1 has a lower index and more time-outs than 1/1."""
    pairs = TEN, plan.EQUAL[0]
    return [
        _against(data, (variant, "reno"), pairs, INDEX_OF_TFRC, below=0),
        _against(data, (variant, "reno"), pairs, TIMEOUTS, above=0),
    ]


def sack_index(data: Measurements, variant: str) -> Iterator[Point]:
    """Conditions that in Figure 3 the index is almost always above 0.6.

    At 10/1 and 10/10 it is also higher with SACK than with Reno, and time-outs are rarer.
    """
    parts = []
    for pair in plan.COMBINATIONS:
        runs, key = _runs(data, variant, "sack", pair)
        parts.append(condition(f"index at {_name(pair)}", runs.index(), above=LIMIT, of=[key]))
    yield Quota("combinations with an index above 0.6", tuple(parts), ALMOST_ALL)
    for pair in (TEN, MANY):
        (sack, a), (reno, b) = (_runs(data, variant, f, pair) for f in ("sack", "reno"))
        for what, one, other in (
            ("share of time-outs, Reno - SACK", reno.timeout_share(), sack.timeout_share()),
            ("index, SACK - Reno", sack.index(), reno.index()),
        ):
            yield difference(f"{what}, {_name(pair)}", one, other, above=0, of=[a, b])


def sack_10_10(fewer: Pair, data: Measurements, variant: str) -> Sequence[Point]:
    """Conditions that in Figure 3 10/10 has more time-outs and a lower index than fewer flows."""
    return [
        _against(data, (variant, "sack"), (MANY, fewer), TIMEOUTS, above=0),
        _against(data, (variant, "sack"), (MANY, fewer), INDEX_OF_TFRC, below=0),
    ]


def intra_fairness(data: Measurements, variant: str) -> Iterator[Point]:
    """Conditions that in Figure 4 TFRC's max-min fairness is higher than Reno's, with ten flows or more."""
    for flows in plan.ALONE:
        if flows >= MOST:
            tfrc, reno = ((plan.alone(protocol, flows), variant) for protocol in ("tfrc", "reno"))
            what = f"max-min with {flows} flows, TFRC - Reno"
            take = FriendlinessRuns.max_min
            yield versus(difference, what, data, take, tfrc, reno, above=0)


def smoother(data: Measurements, variant: str) -> Iterator[Point]:
    """Conditions that in Figures 5 and 6 TFRC varies less than TCP."""
    for flavour, label in plan.FLAVOURS.items():
        runs, key = _runs(data, variant, flavour, plan.MIXED)
        tfrc, tcp = (runs.variation(tfrc=kind) for kind in (True, False))
        what = f"variation at 1 s beside {label}, TFRC / TCP"
        yield ratio(what, tfrc, tcp, below=1, of=[key])


TCP = {"newreno": "NewReno", "westwood": "Westwood", "sack": "SACK"}
OURS = "tfrc3"
"""TFRC flow that runs from the start."""


def _levels(runs: FriendlinessRuns) -> dict[str, Floats]:
    """Throughput of each flow in the interval `LATER` [kB/s], (replication)."""
    rates = runs.between(*LATER)
    return {flow: rates[:, i] for i, flow in enumerate(runs.flows)}


def relative(runs: FriendlinessRuns, flow: str) -> Estimate:
    """Throughput of the flow `OURS` divided by that of a TCP flow, in the interval `LATER`."""
    rate = _levels(runs)
    return quotient(rate[OURS], rate[flow])


def _steady(runs: FriendlinessRuns, key: Key) -> list[Point]:
    """Conditions that TFRC varies less than each TCP flow."""
    tfrc = runs.variation_of(OURS, LATER[0])
    return [
        ratio(
            f"variation at 1 s, TFRC / {label}",
            tfrc,
            runs.variation_of(flow, LATER[0]),
            below=1,
            of=[key],
        )
        for flow, label in TCP.items()
    ]


def _beside_all_others(
    runs: FriendlinessRuns, key: Key, flow: str, above: float = -math.inf, below: float = math.inf
) -> list[Point]:
    """Conditions on the throughput of a TCP flow divided by that of each other flow."""
    rate = _levels(runs)
    return [
        ratio(f"{TCP[flow]} / {label}", rate[flow], rate[other], above=above, below=below, of=[key])
        for other, label in (TCP | {OURS: "TFRC"}).items()
        if other != flow
    ]


def fig8_newreno_most(data: Measurements, access: str) -> Sequence[Point]:
    """Conditions that in Figure 8 NewReno gets most, and TFRC is steady and gets half as much as NewReno."""
    key = plan.simulated("fig8", access)
    found = _beside_all_others(data[key], key, "newreno", above=1)
    found += [
        ROUGHLY.condition(f"TFRC / {TCP[flow]}", relative(data[key], flow), target, of=[key])
        for flow, target in (("westwood", 1.0), ("sack", 1.0), ("newreno", HALF))
    ]
    return [*found, *_steady(data[key], key)]


def fig10_sack_least(data: Measurements, access: str) -> Sequence[Point]:
    """Conditions that in Figure 10 SACK gets least, and TFRC is fair and steady."""
    key = plan.simulated("fig10", access)
    found = _beside_all_others(data[key], key, "sack", below=1)
    fair = INDEX.condition("TFRC's index", data[key].index(), IDEAL_INDEX, of=[key])
    return [*found, fair, *_steady(data[key], key)]


def _testbed(
    id_: str, setups: Sequence[str], points: Points, ours: tuple[str, Points] | None = None
) -> Predicate[Measurements]:
    """Claim on the testbed; `ours` has label and conditions of comparisons that the text does not name."""

    def reading(variant: str) -> Reading[Measurements]:
        label = plan.VARIANTS[variant]
        return Reading(label, tuple(setups), lambda data: points(data, variant))

    more: list[Reading[Measurements]] = []
    if ours:
        label, against = ours
        more.append(Reading(label, tuple(setups), lambda data: against(data, plan.DECIDES)))
    return plan.AS_READ.predicate(id_, reading, more=more)


def _simulation(id_: str, figure: str, points: Points) -> Predicate[Measurements]:
    def reading(access: str, label: str) -> Reading[Measurements]:
        setup, _ = plan.simulated(figure, access)
        return Reading(label, (setup,), lambda data: points(data, access))

    decides, *others = (reading(access, label) for access, label in plan.ACCESS.items())
    more = {
        plan.PLUS: "Westwood+ in Westwood's place",
        plan.SINCE_2004: "ns-2's RTO and headers of 2004",
    }
    return Predicate(
        id_, decides, (*(reading(access, label) for access, label in more.items()), *others)
    )


_COMBINED = {
    flavour: [plan.mixed(flavour, *pair) for pair in plan.COMBINATIONS] for flavour in plan.FLAVOURS
}
_ALONE = [plan.alone(protocol, n) for protocol in ("reno", "tfrc") for n in plan.ALONE if n >= MOST]

PREDICATES: tuple[Predicate[Measurements], ...] = (
    _testbed(
        "reno-index-0.6",
        _COMBINED["reno"],
        reno_index,
        ("against 1/1, which the text does not name", reno_rises),
    ),
    _testbed(
        "reno-10-1",
        _COMBINED["reno"],
        reno_10_1,
        ("against 1/1, which the text does not name", reno_timeouts),
    ),
    _testbed("sack-index-above-0.6", [*_COMBINED["sack"], *_COMBINED["reno"]], sack_index),
    _testbed(
        "sack-10-10",
        _COMBINED["sack"],
        partial(sack_10_10, TEN),
        ("against 5/5, which the text does not name", partial(sack_10_10, plan.EQUAL[-2])),
    ),
    _testbed("intra-fairness", _ALONE, intra_fairness),
    _testbed("smoother", [plan.mixed(flavour, *plan.MIXED) for flavour in plan.FLAVOURS], smoother),
    _simulation("fig8-newreno-most", "fig8", fig8_newreno_most),
    _simulation("fig10-sack-least", "fig10", fig10_sack_least),
)

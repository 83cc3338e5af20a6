"""The claims of the paper `tfrc-friendliness`, one condition for each point that the text speaks of.

The text names the combinations 10/1 and 10/10; they decide claims that compare two, and others of our own
stand beside. "Almost always" over the combinations of Figure 3, which the text does not name, is judged over
all of ours. The testbed's claims are decided with the receiver and the channel that come nearest to Figure
5's total; the others that fit stand beside as near. The simulation's claims are decided with dedicated links,
as the text has it, and its levels are read from `LATER`, 15 s after the last flow's start, to the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from airfair.estimate import Estimate, Floats, quotient
from airfair.experiment.claims import Predicate, Reading
from airfair.experiment.conditions import Condition, Key, Point, Quota, condition, difference, ratio
from airfair.experiment.words import ALMOST_ALL, INDEX, ROUGHLY

from .plan import (
    ACCESS,
    ALONE,
    AS_READ,
    COMBINATIONS,
    DECIDES,
    EQUAL,
    FLAVOURS,
    MANY,
    MIXED,
    PLUS,
    SINCE_2004,
    TEN,
    VARIANTS,
    alone,
    mixed,
    simulated,
)
from .runs import FriendlinessRuns, Measurements

LIMIT = 0.6
IDEAL_INDEX = 0.5
HALF = 0.5
MOST = 10
LATER = (50.0, 200.0)

BOUNDS = {
    "channel": VARIANTS[DECIDES],
    "ideal_index": IDEAL_INDEX,
    "half": HALF,
    "later_s": LATER[0],
}
"""Numbers of the section `bounds`: bounds beside those of the words, for readers of a report."""

Points = Callable[[Measurements, str], Sequence[Point]]
Pair = tuple[int, int]


def _runs(
    data: Measurements, variant: str, flavour: str, pair: Pair
) -> tuple[FriendlinessRuns, Key]:
    key = (mixed(flavour, *pair), variant)
    return data[key], key


@dataclass(frozen=True)
class _Against:
    """Two combinations under one variant."""

    data: Measurements
    variant: str
    flavour: str
    one: Pair
    other: Pair

    def index_is_lower(self) -> Condition:
        """The condition that the first has the lower index."""
        return self._difference("index", FriendlinessRuns.index, below=0)

    def index_is_higher(self) -> Condition:
        """The condition that the first has the higher index."""
        return self._difference("index", FriendlinessRuns.index, above=0)

    def more_timeouts(self) -> Condition:
        """The condition that more of the first's recoveries begin with a time-out."""
        return self._difference("share of time-outs", FriendlinessRuns.timeout_share, above=0)

    def _difference(
        self,
        what: str,
        take: Callable[[FriendlinessRuns], Floats],
        above: float = -math.inf,
        below: float = math.inf,
    ) -> Condition:
        pairs = (self.one, self.other)
        (one, a), (other, b) = (_runs(self.data, self.variant, self.flavour, p) for p in pairs)
        words = f"{what} at {_name(self.one)} - at {_name(self.other)}"
        return difference(words, take(one), take(other), above=above, below=below, of=[a, b])


def _name(pair: Pair) -> str:
    return f"{pair[0]}/{pair[1]}"


def reno_index(data: Measurements, variant: str) -> Sequence[Point]:
    """Figure 2, 10/10."""
    runs, key = _runs(data, variant, "reno", MANY)
    return [INDEX.condition("index at 10/10", runs.index(), LIMIT, of=[key])]


def reno_rises(data: Measurements, variant: str) -> Sequence[Point]:
    """Figure 2, equal numbers, from the fewest to the most."""
    return [_Against(data, variant, "reno", MANY, EQUAL[0]).index_is_higher()]


def reno_10_1(data: Measurements, variant: str) -> Sequence[Point]:
    """Figure 2, 10/1 against 10/10."""
    return [_Against(data, variant, "reno", TEN, MANY).index_is_lower()]


def reno_timeouts(data: Measurements, variant: str) -> Sequence[Point]:
    """The same against one flow of each, with the time-outs that are to explain it."""
    against = _Against(data, variant, "reno", TEN, EQUAL[0])
    return [against.index_is_lower(), against.more_timeouts()]


def sack_index(data: Measurements, variant: str) -> Sequence[Point]:
    """Figure 3, all combinations, and SACK against Reno in those that the text names."""
    found: list[Point] = [_mostly_above(data, variant, COMBINATIONS)]
    for pair in (TEN, MANY):
        (sack, a), (reno, b) = (_runs(data, variant, f, pair) for f in ("sack", "reno"))
        share = (reno.timeout_share(), sack.timeout_share())
        found += [
            difference(
                f"share of time-outs, Reno - SACK, {_name(pair)}", *share, above=0, of=[a, b]
            ),
            difference(
                f"index, SACK - Reno, {_name(pair)}", sack.index(), reno.index(), above=0, of=[a, b]
            ),
        ]
    return found


def _mostly_above(data: Measurements, variant: str, pairs: Sequence[Pair]) -> Quota:
    parts = []
    for pair in pairs:
        runs, key = _runs(data, variant, "sack", pair)
        parts.append(condition(f"index at {_name(pair)}", runs.index(), above=LIMIT, of=[key]))
    return Quota("combinations with an index above 0.6", tuple(parts), ALMOST_ALL)


def sack_10_10(data: Measurements, variant: str) -> Sequence[Point]:
    """Figure 3, 10/10 against 10/1."""
    return _fairer_at_10_10(data, variant, TEN)


def sack_fewer(data: Measurements, variant: str) -> Sequence[Point]:
    """Figure 3, 10/10 against 5/5."""
    return _fairer_at_10_10(data, variant, EQUAL[-2])


def _fairer_at_10_10(data: Measurements, variant: str, fewer: Pair) -> Sequence[Point]:
    against = _Against(data, variant, "sack", MANY, fewer)
    return [against.more_timeouts(), against.index_is_lower()]


def intra_fairness(data: Measurements, variant: str) -> Sequence[Point]:
    """Figure 4, from the tenth flow on."""
    found = []
    for flows in ALONE:
        if flows >= MOST:
            tfrc, reno = ((alone(protocol, flows), variant) for protocol in ("tfrc", "reno"))
            what = f"max-min with {flows} flows, TFRC - Reno"
            samples = (data[tfrc].max_min(), data[reno].max_min())
            found.append(difference(what, *samples, above=0, of=[tfrc, reno]))
    return found


def smoother(data: Measurements, variant: str) -> Sequence[Point]:
    """Figures 5 and 6."""
    found = []
    for flavour, label in FLAVOURS.items():
        runs, key = _runs(data, variant, flavour, MIXED)
        tfrc, tcp = (runs.variation(tfrc=kind) for kind in (True, False))
        what = f"variation at 1 s beside {label}, TFRC / TCP"
        found.append(ratio(what, tfrc, tcp, below=1, of=[key]))
    return found


TCP = {"newreno": "NewReno", "westwood": "Westwood", "sack": "SACK"}
OURS = "tfrc3"
"""The TFRC flow that is there from the start."""


def _levels(runs: FriendlinessRuns) -> dict[str, Floats]:
    """Throughput of each flow [kB/s], (replication)."""
    rates = runs.between(*LATER)
    return {flow: rates[:, i] for i, flow in enumerate(runs.flows)}


def relative(runs: FriendlinessRuns, flow: str) -> Estimate:
    """TFRC's level over that of a TCP."""
    rate = _levels(runs)
    return quotient(rate[OURS], rate[flow])


def _steady(runs: FriendlinessRuns, key: Key) -> list[Point]:
    """TFRC against each TCP."""
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
    """One TCP's level over each other flow's."""
    rate = _levels(runs)
    return [
        ratio(f"{TCP[flow]} / {label}", rate[flow], rate[other], above=above, below=below, of=[key])
        for other, label in (TCP | {OURS: "TFRC"}).items()
        if other != flow
    ]


def fig8_newreno_most(data: Measurements, access: str) -> Sequence[Point]:
    """Figure 8."""
    key = simulated("fig8", access)
    found = _beside_all_others(data[key], key, "newreno", above=1)
    found += [
        ROUGHLY.condition(f"TFRC / {TCP[flow]}", relative(data[key], flow), target, of=[key])
        for flow, target in (("westwood", 1.0), ("sack", 1.0), ("newreno", HALF))
    ]
    return [*found, *_steady(data[key], key)]


def fig10_sack_least(data: Measurements, access: str) -> Sequence[Point]:
    """Figure 10."""
    key = simulated("fig10", access)
    found = _beside_all_others(data[key], key, "sack", below=1)
    fair = INDEX.condition("TFRC's index", data[key].index(), IDEAL_INDEX, of=[key])
    return [*found, fair, *_steady(data[key], key)]


def _testbed(
    id_: str, setups: Sequence[str], points: Points, ours: tuple[str, Points] | None = None
) -> Predicate[Measurements]:
    """`ours`: comparators that the text does not name, and how to call them."""

    def reading(variant: str) -> Reading[Measurements]:
        return Reading(VARIANTS[variant], tuple(setups), lambda data: points(data, variant))

    more: list[Reading[Measurements]] = []
    if ours:
        label, against = ours
        more.append(Reading(label, tuple(setups), lambda data: against(data, DECIDES)))
    return AS_READ.predicate(id_, reading, more=more)


def _simulation(id_: str, figure: str, points: Points) -> Predicate[Measurements]:
    def reading(access: str, label: str) -> Reading[Measurements]:
        setup, _ = simulated(figure, access)
        return Reading(label, (setup,), lambda data: points(data, access))

    decides, *others = (reading(access, label) for access, label in ACCESS.items())
    more = {PLUS: "Westwood+ in Westwood's place", SINCE_2004: "ns-2's RTO and headers of 2004"}
    return Predicate(
        id_, decides, (*(reading(access, label) for access, label in more.items()), *others)
    )


_COMBINED = {flavour: [mixed(flavour, *pair) for pair in COMBINATIONS] for flavour in FLAVOURS}
_ALONE = [alone(protocol, n) for protocol in ("reno", "tfrc") for n in ALONE if n >= MOST]

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
        sack_10_10,
        ("against 5/5, which the text does not name", sack_fewer),
    ),
    _testbed("intra-fairness", _ALONE, intra_fairness),
    _testbed("smoother", [mixed(flavour, *MIXED) for flavour in FLAVOURS], smoother),
    _simulation("fig8-newreno-most", "fig8", fig8_newreno_most),
    _simulation("fig10-sack-least", "fig10", fig10_sack_least),
)

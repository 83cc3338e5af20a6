"""The claims of the paper `tfrc-friendliness`.

Bounds, each used wherever the paper's word stands:

- `CLOSE`: an index "comes close to 0.6" within 0.05, half the way from 0.5, which is ideal.
- `LIMIT`: 0.6, the paper's own bar; "almost always" above it means in more than `ALMOST` of the
  combinations.
- `ABOUT`: throughputs are "roughly the same" within a quarter, and "half" is 0.4 to 0.6.

The testbed's claims are decided with both PCs on the air and an ideal channel, since each has an 802.11b
card and nothing is known of the channel; wired receivers and a bad channel stand beside. The simulation's
claims are decided with dedicated links, as the text has it; cells stand beside. Levels of Figures 8 and 10
are read from `LATER`, 15 s after the last flow's start, to the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from airfair.reproduce.claims import Predicate, Reading
from airfair.reproduce.conditions import Condition, condition
from airfair.reproduce.estimate import Floats

from .plan import (
    ACCESS,
    ALONE,
    BESIDE,
    COMBINATIONS,
    DECIDES,
    EQUAL,
    FLAVOURS,
    MIXED,
    VARIANTS,
    alone,
    mixed,
    simulated,
)
from .runs import Measurements, Runs

LIMIT = 0.6
CLOSE = 0.05
ALMOST = 0.8
ABOUT = 0.25
HALF = (0.4, 0.6)
FAIR = (0.4, 0.6)
MOST = 10
LATER = (50.0, 200.0)

BOUNDS = (
    f"“Close to 0.6” means within {CLOSE:g}, “almost always” in more than {ALMOST:.0%} of the combinations, "
    f"“roughly the same” within {ABOUT:.0%}, “half” {HALF[0]:g} to {HALF[1]:g}, “fair” an index of "
    f"{FAIR[0]:g} to {FAIR[1]:g}. Testbed: both PCs on the air, ideal channel, the first minute left out. "
    f"Simulation: dedicated links, from {LATER[0]:g} s to the end."
)
"""The bounds in words, for readers of a report."""

Conditions = Callable[[Measurements, str], Sequence[Condition]]


def _index(data: Measurements, variant: str, flavour: str, pair: tuple[int, int]) -> Floats:
    return data[mixed(flavour, *pair), variant].index()


def _shares(
    data: Measurements, variant: str, flavour: str, pairs: Sequence[tuple[int, int]]
) -> Floats:
    """Part of TCP's recoveries that began with a time-out, mean over combinations, (replication)."""
    each = [data[mixed(flavour, *pair), variant].timeout_share() for pair in pairs]
    mean: Floats = np.mean(each, axis=0)
    return mean


def reno_index(data: Measurements, variant: str) -> Sequence[Condition]:
    """Figure 2, equal numbers."""
    few, many = (_index(data, variant, "reno", pair) for pair in (EQUAL[0], EQUAL[-1]))
    return [
        condition("index at 10/10", many, above=LIMIT - CLOSE, below=LIMIT + CLOSE),
        condition("index at 10/10 - at 1/1", many - few, above=0),
    ]


def reno_10_1(data: Measurements, variant: str) -> Sequence[Condition]:
    """Figure 2, 10/1 against the equal combinations."""
    many = _index(data, variant, "reno", (10, 1))
    equal = np.mean([_index(data, variant, "reno", pair) for pair in EQUAL], axis=0)
    share = _shares(data, variant, "reno", [(10, 1)])
    return [
        condition("index at 10/1 - mean of the equal combinations", many - equal, below=0),
        condition(
            "share of time-outs at 10/1 - at 1/1",
            share - _shares(data, variant, "reno", EQUAL[:1]),
            above=0,
        ),
    ]


def sack_index(data: Measurements, variant: str) -> Sequence[Condition]:
    """Figure 3, all combinations, and SACK against Reno."""
    sack = np.array([_index(data, variant, "sack", pair) for pair in COMBINATIONS])
    reno = np.array([_index(data, variant, "reno", pair) for pair in COMBINATIONS])
    shares = (_shares(data, variant, flavour, COMBINATIONS) for flavour in FLAVOURS)
    return [
        condition(
            "part of the combinations with an index above 0.6",
            (sack > LIMIT).mean(axis=0),
            above=ALMOST,
        ),
        condition("share of time-outs, Reno - SACK", np.subtract(*shares), above=0),
        condition("mean index, SACK - Reno", sack.mean(axis=0) - reno.mean(axis=0), above=0),
    ]


def sack_10_10(data: Measurements, variant: str) -> Sequence[Condition]:
    """Figure 3, 10/10 against fewer."""
    fewer = EQUAL[:-1]
    indices = np.mean([_index(data, variant, "sack", pair) for pair in fewer], axis=0)
    share = _shares(data, variant, "sack", EQUAL[-1:]) - _shares(data, variant, "sack", fewer)
    return [
        condition("share of time-outs, 10/10 - fewer flows", share, above=0),
        condition(
            "index, 10/10 - fewer flows",
            _index(data, variant, "sack", EQUAL[-1]) - indices,
            below=0,
        ),
    ]


def intra_fairness(data: Measurements, variant: str) -> Sequence[Condition]:
    """Figure 4, from the tenth flow on."""
    return [
        condition(
            f"max-min with {flows} flows, TFRC - Reno",
            data[alone("tfrc", flows), variant].max_min()
            - data[alone("reno", flows), variant].max_min(),
            above=0,
        )
        for flows in ALONE
        if flows >= MOST
    ]


def smoother(data: Measurements, variant: str) -> Sequence[Condition]:
    """Figures 5 and 6."""
    return [
        condition(
            f"variation at 1 s beside {label}, TFRC / TCP",
            runs.variation(tfrc=True) / runs.variation(tfrc=False),
            below=1,
        )
        for flavour, label in FLAVOURS.items()
        for runs in [data[mixed(flavour, *MIXED), variant]]
    ]


def _levels(runs: Runs) -> dict[str, Floats]:
    """Throughput of each flow [kB/s], (replication)."""
    rates = runs.between(*LATER)
    return {flow: rates[:, i] for i, flow in enumerate(runs.flows)}


def _steady(runs: Runs) -> Condition:
    """TFRC against the steadiest TCP."""
    tcp = [
        runs.variation_of(f, LATER[0])
        for f, is_tfrc in zip(runs.flows, runs.is_tfrc, strict=True)
        if not is_tfrc
    ]
    ours = runs.variation_of("tfrc3", LATER[0])
    return condition("variation at 1 s, TFRC / least TCP", ours / np.min(tcp, axis=0), below=1)


def fig8_newreno_most(data: Measurements, access: str) -> Sequence[Condition]:
    """Figure 8."""
    runs = data[simulated("fig8", access)]
    rate = _levels(runs)
    others = np.max([rate[flow] for flow in rate if flow != "newreno"], axis=0)
    peers = (rate["westwood"] + rate["sack"]) / 2
    return [
        condition("NewReno / the largest other", rate["newreno"] / others, above=1),
        condition(
            "TFRC / mean of Westwood and SACK",
            rate["tfrc3"] / peers,
            above=1 - ABOUT,
            below=1 + ABOUT,
        ),
        condition("TFRC / NewReno", rate["tfrc3"] / rate["newreno"], above=HALF[0], below=HALF[1]),
        _steady(runs),
    ]


def fig10_sack_least(data: Measurements, access: str) -> Sequence[Condition]:
    """Figure 10."""
    runs = data[simulated("fig10", access)]
    rate = _levels(runs)
    others = np.min([rate[flow] for flow in rate if flow != "sack"], axis=0)
    return [
        condition("SACK / the least other", rate["sack"] / others, below=1),
        condition("TFRC's index", runs.index(), above=FAIR[0], below=FAIR[1]),
        _steady(runs),
    ]


def _testbed(id_: str, setups: Sequence[str], conditions: Conditions) -> Predicate[Measurements]:
    def reading(variant: str) -> Reading[Measurements]:
        return Reading(VARIANTS[variant], tuple(setups), lambda data: conditions(data, variant))

    return Predicate(id_, reading(DECIDES), tuple(map(reading, BESIDE)))


def _simulation(id_: str, figure: str, conditions: Conditions) -> Predicate[Measurements]:
    def reading(access: str) -> Reading[Measurements]:
        setup, _ = simulated(figure, access)
        return Reading(ACCESS[access], (setup,), lambda data: conditions(data, access))

    decides, *others = ACCESS
    return Predicate(id_, reading(decides), tuple(map(reading, others)))


_COMBINED = {flavour: [mixed(flavour, *pair) for pair in COMBINATIONS] for flavour in FLAVOURS}
_ALONE = [alone(protocol, n) for protocol in ("reno", "tfrc") for n in ALONE if n >= MOST]

PREDICATES: tuple[Predicate[Measurements], ...] = (
    _testbed("reno-index-0.6", _COMBINED["reno"], reno_index),
    _testbed("reno-10-1", _COMBINED["reno"], reno_10_1),
    _testbed("sack-index-above-0.6", [*_COMBINED["sack"], *_COMBINED["reno"]], sack_index),
    _testbed("sack-10-10", _COMBINED["sack"], sack_10_10),
    _testbed("intra-fairness", _ALONE, intra_fairness),
    _testbed("smoother", [mixed(flavour, *MIXED) for flavour in FLAVOURS], smoother),
    _simulation("fig8-newreno-most", "fig8", fig8_newreno_most),
    _simulation("fig10-sack-least", "fig10", fig10_sack_least),
)

"""Claims of the study `neighbours`: hypotheses, written down before the runs that decide them.

Cells are compared within replications, which share the seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import product

from airfair.experiment.claims import Predicate, Reading
from airfair.experiment.conditions import Condition, Key, condition, ratio, versus

from . import plan
from .runs import Measurements, NeighbourRuns

HALF = 0.5
MORE = 1.1
"""Bound of the word “more”: at least a tenth, as in the study `modern`."""
LITTLE = 0.9
"""Smallest part that is left of a goodput that hardly changes."""
FEW = 0.25
"""Largest goodput of a starved cell, divided by the mean of those of its two neighbours."""
Points = Iterable[Condition]


def drags(data: Measurements) -> Iterator[Condition]:
    """Conditions that a slow station of yours more than halves the goodput of my cell."""
    for standard, way in product(plan.STANDARDS, plan.WAYS):
        keys = [plan.two(way, standard, slow) for slow in (plan.YOURS, plan.NOBODY)]
        what = f"{_where(standard, way)}, my cell beside your slow station / beside fast ones"
        yield versus(ratio, what, data, NeighbourRuns.mine, *keys, below=HALF)


def _cures() -> Iterator[tuple[str, str, str, str]]:
    """Standards, directions and cures, with the labels of their conditions."""
    for standard, way in product(plan.STANDARDS, plan.WAYS):
        for cure, label in plan.CURES[way].items():
            yield standard, way, cure, f"{_where(standard, way)}, {label}"


def yours_helps(data: Measurements) -> Points:
    """Conditions that each cure in your cell alone gives my cell a tenth more goodput."""
    return [
        _gain(data, f"{label} in yours / no cure", way, standard, cure, "yours", above=MORE)
        for standard, way, cure, label in _cures()
    ]


def mine_fails(data: Measurements) -> Points:
    """Conditions that no cure in my cell alone gives my cell a tenth more goodput."""
    return [
        _gain(data, f"{label} in mine / no cure", way, standard, cure, "mine", below=MORE)
        for standard, way, cure, label in _cures()
    ]


def turns_help(data: Measurements) -> Points:
    """Conditions that longer turns in my cell alone give my cell a tenth more goodput in 802.11ax."""
    return [
        _gain(
            data,
            f"{_where('ax', way)}, {plan.LONGER} in mine / no cure",
            way,
            "ax",
            plan.TURNS,
            "mine",
            above=MORE,
        )
        for way in plan.WAYS
    ]


def _gain(  # noqa: PLR0913, PLR0917 - the parts of a name, and the bounds
    data: Measurements,
    what: str,
    way: str,
    standard: str,
    cure: str,
    place: str,
    *,
    above: float = -math.inf,
    below: float = math.inf,
) -> Condition:
    """Condition on the goodput of my cell beside your slow station, with a cure divided by without."""
    keys = plan.two(way, standard, plan.YOURS, cure, place), plan.two(way, standard, plan.YOURS)
    return versus(ratio, what, data, NeighbourRuns.mine, *keys, above=above, below=below)


def both_beat_mine(data: Measurements) -> Iterator[Condition]:
    """Conditions that, if both cells have a slow station, a cure in both beats one in mine by a tenth."""
    for standard, way, cure, label in _cures():
        keys = [plan.two(way, standard, plan.BOTH, cure, place) for place in ("both", "mine")]
        what = f"{label} in both / in mine"
        yield versus(ratio, what, data, NeighbourRuns.mine, *keys, above=MORE)


def reuse_frees(data: Measurements) -> Iterator[Condition]:
    """Conditions that your slow station costs my cell a tenth at most with colours, and half without."""
    for colour, above, below in (("on", LITTLE, math.inf), ("off", -math.inf, HALF)):
        keys = [plan.reuse(colour, slow) for slow in (plan.YOURS, plan.NOBODY)]
        what = f"colour {colour}, my cell beside your slow station / beside fast ones"
        yield versus(ratio, what, data, NeighbourRuns.mine, *keys, above=above, below=below)


def reuse_replaces(data: Measurements) -> Points:
    """Conditions that with colours the cure in your cell helps yours, and does nothing for my cell."""
    keys = plan.reuse("on", plan.YOURS, "airtime", "yours"), plan.reuse("on", plan.YOURS)
    mine = versus(
        ratio, "colour on, my cell with your cure / without", data, NeighbourRuns.mine, *keys,
        above=LITTLE, below=MORE,
    )  # fmt: skip
    yours = versus(
        ratio, "colour on, your cell with your cure / without", data, NeighbourRuns.yours, *keys,
        above=MORE,
    )  # fmt: skip
    return [mine, yours]


def middle_starves(data: Measurements) -> Iterator[Condition]:
    """Conditions that the middle cell has less than a quarter of an outer cell's goodput under each cure."""
    cases = [(plan.NONE, "", "no cure")]
    for (cure, label), (place, where) in product(
        plan.CURES["down"].items(), plan.AMONG_THREE.items()
    ):
        cases.append((cure, place, f"{label} {where}"))
    for standard, (cure, place, label) in product(plan.STANDARDS, cases):
        key: Key = plan.three(standard, plan.OUTER, cure, place)
        what = f"{plan.STANDARDS[standard]}, {label}, middle cell / outer cell"
        yield condition(what, data[key].middle_part(), below=FEW, of=[key])


def _where(standard: str, way: str) -> str:
    return f"{plan.STANDARDS[standard]} {way}"


def _claim(
    id_: str, points: Callable[[Measurements], Points], *setups: str
) -> Predicate[Measurements]:
    return Predicate(id_, Reading("the cells of the study", setups, points))


_TWO = tuple(f"cells-{way}" for way in plan.WAYS)
PREDICATES: tuple[Predicate[Measurements], ...] = (
    _claim("slow-neighbour-drags", drags, *_TWO),
    _claim("cure-in-yours-helps", yours_helps, *_TWO),
    _claim("cure-in-mine-fails", mine_fails, *_TWO),
    _claim("longer-turns-help", turns_help, *_TWO),
    _claim("both-beat-mine", both_beat_mine, *_TWO),
    _claim("middle-starves", middle_starves, "middle"),
    _claim("reuse-frees", reuse_frees, "reuse"),
    _claim("reuse-replaces-cure", reuse_replaces, "reuse"),
)

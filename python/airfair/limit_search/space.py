"""Space of conditions under which a scheme is tried, and points spread evenly over it.

A point has coordinates in the unit cube, one per dimension. The dimensions map coordinates to settings, which
together are the condition. All coordinates give a valid condition.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airfair.experiment.designs import sobol

from .standards import STREAMS, TODAY, WIDTHS, Rate, rate, steps

Floats = NDArray[np.float64]
Setting = float | int | str
"""Value of one dimension."""


@dataclass(frozen=True)
class Number:
    """Numeric dimension between two bounds."""

    id: str
    label: str
    unit: str
    low: float
    high: float
    log: bool = False
    """True if the scale is logarithmic."""
    whole: bool = False
    none_below: float = 0.0
    """Fraction of the axis, from its start, on which the value is zero."""

    def at(self, place: float) -> Setting:
        """Value at a coordinate from 0 to 1."""
        if place < self.none_below:
            return 0.0
        part = (place - self.none_below) / (1 - self.none_below)
        if self.whole:
            # Each whole number has an equal part of the axis.
            low, high = self.low - 0.5, self.high + 0.5
            value = _between(max(low, 0.5), high, part) if self.log else low + part * (high - low)
            return min(max(round(value), int(self.low)), int(self.high))
        value = (
            _between(self.low, self.high, part)
            if self.log
            else (self.low + part * (self.high - self.low))
        )
        return float(f"{value:.4g}")


@dataclass(frozen=True)
class Choice:
    """Dimension with a few values."""

    id: str
    label: str
    values: tuple[str, ...]

    def at(self, place: float) -> Setting:
        """Value at a coordinate from 0 to 1."""
        return self.values[min(int(place * len(self.values)), len(self.values) - 1)]


Dimension = Number | Choice
Space = tuple[Dimension, ...]
Condition = dict[str, Setting]
"""Settings by the id of their dimension."""


def condition(space: Space, place: Sequence[float]) -> Condition:
    """Condition at coordinates in the unit cube."""
    return {d.id: d.at(float(u)) for d, u in zip(space, place, strict=True)}


def spread(space: Space, points: int, seed: int) -> Floats:
    """Coordinates of a scrambled Sobol sequence in the unit cube, (point, dimension)."""
    return sobol(points, seed=seed).places(len(space))


def between(
    space: Space, places: Floats, signs: NDArray[np.int64], points: int, taken: Floats
) -> Floats:
    """Coordinates halfway between neighbouring points of different sign, closest pairs first.

    Dimensions without a middle take the value of one end, in turn. Points too close to those in `taken` or to
    each other are left out, so that fewer than `points` may be returned.
    """
    pairs = _opposite(places, signs)
    found: list[Floats] = []
    choices = np.array([isinstance(d, Choice) for d in space])
    for turn, (a, b) in enumerate(pairs):
        if len(found) == points:
            break
        middle = (places[a] + places[b]) / 2
        middle[choices] = places[(a, b)[turn % 2]][choices]
        known = np.vstack([taken, *found]) if found else taken
        if np.abs(known - middle).max(axis=1).min() > _TOO_CLOSE:
            found.append(middle)
    return np.array(found).reshape(len(found), len(space))


_TOO_CLOSE = 0.02


def _opposite(places: Floats, signs: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Pairs of points with different signs, closest first; each point is in few pairs."""
    first, second = np.triu_indices(len(places), k=1)
    differ = signs[first] != signs[second]
    first, second = first[differ], second[differ]
    distance = np.abs(places[first] - places[second]).sum(axis=1)
    # Pairs of a win and a loss come before pairs with no difference.
    distance = distance / np.abs(signs[first] - signs[second])
    used = np.zeros(len(places), dtype=np.int64)
    pairs: list[tuple[int, int]] = []
    for i in np.argsort(distance, kind="stable"):
        a, b = int(first[i]), int(second[i])
        if used[a] < _USES and used[b] < _USES:
            used[[a, b]] += 1
            pairs.append((a, b))
    return pairs


_USES = 3


def _between(low: float, high: float, part: float) -> float:
    return low * math.pow(high / low, part)


# ------------------------------------------------------------------ dimensions that schemes share

DECLARED: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("schemes.toml").read_text(encoding="utf-8")
)
"""Dimensions with their keys, spaces and schemes."""


def _dimension(name: str, declared: Mapping[str, Any]) -> Dimension:
    if "values" in declared:
        return Choice(declared.get("id", name), declared["label"], tuple(declared["values"]))
    return Number(**{"id": name, "unit": "", **declared})


DIMENSIONS = {name: _dimension(name, declared) for name, declared in DECLARED["dimensions"].items()}


def space(*names: str) -> Space:
    """Space of the dimensions, and of the dimensions of the spaces, with these names."""
    spaces: Mapping[str, Sequence[str]] = DECLARED["spaces"]
    found: list[Dimension] = []
    for name in names:
        found += space(*spaces[name]) if name in spaces else (DIMENSIONS[name],)
    return tuple(found)


EXTRA = space("extra")
"""Dimensions with an option each, which is named as they are."""
EXTRA_STANDARD = "802.11ax"


def under(space: Space, standard: str) -> Space:
    """Space with one standard; 802.11n, ac and ax add channel widths, aggregates and larger windows."""
    only = Choice("standard", "standard", (standard,))
    changed: dict[str, Space] = {"standard": (only,)}
    if standard in TODAY:
        width = Choice("width", "width", WIDTHS[standard])
        changed["standard"] = (only, width, DIMENSIONS["aggregate"])
        changed["window"] = (DIMENSIONS["todays-window"],)
    return tuple(new for d in space for new in changed.get(d.id, (d,)))


def rates(where: Condition) -> tuple[Rate, Rate]:
    """Fast and slow rate of a condition: one of the upper half of the standard, and one not faster.

    If rates change, the slow rate is lower than the fast one.
    """
    standard, width = str(where["standard"]), str(where.get("width", ""))
    count = steps(standard)
    upper = range(count // 2, count)
    fast = upper[_index(len(upper), where["fast"])]
    slow = _index(fast + (where.get("rates", "fixed") == "fixed"), where["slow"])
    return rate(standard, fast, width, STREAMS), rate(standard, slow, width)


def _index(count: int, place: Setting) -> int:
    return min(int(float(place) * count), count - 1)


@dataclass(frozen=True)
class Feature:
    """Quantity that rules and axes can use: a dimension, or one derived from several."""

    id: str
    label: str
    unit: str
    log: bool = False
    whole: bool = False
    values: tuple[str, ...] = ()
    """All values, if the feature is a choice."""


_DERIVED = (
    Feature("fast_rate", "fast rate", "Mb/s"),
    Feature("slow_rate", "slow rate", "Mb/s"),
    Feature("rate_ratio", "fast rate / slow rate", "", log=True),
    Feature("place_per_flow", "access point's queue per station", "packets", log=True),
    Feature("acks", "ACKs that can wait / access point's queue", "", log=True),
)


def features(space: Space) -> dict[str, Feature]:
    """Features of a space by id: its dimensions and the derived ones."""
    ids = {d.id for d in space}
    found = {
        d.id: Feature(d.id, d.label, d.unit, log=d.log, whole=d.whole)
        if isinstance(d, Number)
        else Feature(d.id, d.label, "", values=d.values)
        for d in space
        if d.id not in {"fast", "slow", "period"}
    }
    wanted = [_DERIVED[3]]
    if "standard" in ids:
        wanted += _DERIVED[:3]
    if {"window", "up_share"} <= ids:
        wanted.append(_DERIVED[4])
    return found | {feature.id: feature for feature in wanted}


SEGMENT = 1460
"""Application octets per packet, in every condition."""
NS2_WINDOW = 20
"""Segments of the receivers' window where TCP is as in ns-2."""


def described(space: Space, where: Condition) -> Condition:
    """Values of all features of a condition."""
    known = features(space)
    values: Condition = {key: value for key, value in where.items() if key in known}
    stations = int(where["stations"])
    if str(where.get("flavour")).endswith("as in ns-2"):
        values["window"] = round(NS2_WINDOW * SEGMENT / 1000)
    values["place_per_flow"] = int(where["ap_queue"]) / stations
    if "standard" in where:
        fast, slow = rates(where)
        values |= {"fast_rate": fast.mbps, "slow_rate": slow.mbps}
        values["rate_ratio"] = fast.mbps / slow.mbps
    if "acks" in known:
        up = round(stations * float(where["up_share"]) / 100)
        # Delayed ACKs: one for two segments of the window.
        acks = up * int(values["window"]) * 1000 / SEGMENT / 2
        values["acks"] = acks / int(where["ap_queue"])
    return values

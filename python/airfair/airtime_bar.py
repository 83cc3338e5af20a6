"""Parts of a bar of airtime: stations, beacons, collisions, contention and idle time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import names
from .replications import bounded_half_width, mean, samples
from .run_tables import Item
from .text_table import number

if TYPE_CHECKING:
    from .result import Result

MOST_HOLDERS = 8
"""Largest number of stations with their own part of the bar."""

# Okabe and Ito: distinct for every kind of colour vision.
_COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#f0e442",
    "#8a8a8a",
)
_LETTERS = "abcdefgh"


@dataclass(frozen=True)
class Holder:
    """Part of the bar of airtime: a station, or a kind of lost airtime."""

    name: str
    share: float
    interval: float | None
    note: str
    mark: str
    colour: str
    ink: str = "#ffffff"
    kinds: tuple[float, ...] = ()
    """Parts of a station's share: data sent by it, data sent to it, control."""

    @property
    def is_lost(self) -> bool:
        """True for airtime that no station used."""
        return not self.kinds


_LOST = (
    ("beacon", "beacons", "", "^", "#7a3b9e"),
    ("collision", "collisions", "", "×", "#b00020"),
    ("neighbours", "neighbours", "frames of other cells alone", "n", "#8a6d1d"),
    ("overlap", "overlap", "frames of this and other cells at once", "o", "#d2691e"),
    ("contention", "contention", "gaps and back-off", "-", "#555555"),
    ("idle", "idle", "nothing to send", ".", "#222222"),
)


_ONLY_IF_USED = frozenset({"beacons", "neighbours", "overlap"})


def holders(result: Result, cell: str, alone: int = MOST_HOLDERS) -> list[Holder]:
    """Parts of a cell's air: stations, beacons, collisions, neighbours, overlap, contention, idle.

    They add up to 1. If there are more than `alone` stations, those with consecutive numbers form one part.
    """
    scenario = result.scenario
    channel = samples(result, "channel_shares", scenario.cells)[cell]
    shares = samples(result, "airtime", scenario.stations)
    here = [
        Item(name, shares[name])
        for name, of in zip(scenario.stations, scenario.station_cells, strict=True)
        if of == cell
    ]
    parts = [_holder(i, name, members) for i, (name, members) in enumerate(_shown(here, alone))]
    for column, name, note, mark, colour in _LOST:
        values = channel[column]
        if name not in _ONLY_IF_USED or any(values):
            share = mean(values) or 0.0
            parts.append(Holder(name, share, bounded_half_width(values, 1), note, mark, colour))
    return parts


def _shown(here: Sequence[Item], alone: int) -> list[tuple[str, list[Item]]]:
    """Stations or groups with a part of their own, in the order of the scenario."""
    if len(here) <= alone:
        return [(item.name, [item]) for item in here]
    found = [
        (name, [here[place] for place in places])
        for name, places in names.groups([item.name for item in here])
    ]
    if len(found) <= MOST_HOLDERS:
        return found
    by_share = sorted(found, key=lambda group: -_held(group[1], "airtime_share"))
    first = [name for name, _ in by_share[: MOST_HOLDERS - 1]]
    rest = [item for name, members in found if name not in first for item in members]
    return [group for group in found if group[0] in first] + [(f"{len(rest)} others", rest)]


def _held(members: Sequence[Item], kind: str) -> float:
    return mean(_sum(members, kind)) or 0.0


def _sum(members: Sequence[Item], kind: str) -> list[float]:
    return [sum(values) for values in zip(*(m.samples[kind] for m in members), strict=True)]


def _holder(index: int, name: str, members: Sequence[Item]) -> Holder:
    kinds = tuple(_held(members, kind) for kind in ("data_up", "data_down", "control"))
    up, down, control = (number(100 * share, 1) for share in kinds)
    note = f"data up {up}, down {down}, control {control}"
    shares = _sum(members, "airtime_share")
    mark, colour = _LETTERS[index], _COLOURS[index]
    return Holder(
        name,
        mean(shares) or 0.0,
        bounded_half_width(shares, 1),
        note,
        mark,
        colour,
        "#000000",
        kinds,
    )

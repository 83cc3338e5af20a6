"""Who holds whose air: for cells that share a channel, their own time and that of each neighbour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from . import names
from .replications import Figure, Samples, half_width, mean, samples
from .run_tables import Column, Item, Values, Wish, added, rows, scaled
from .text_table import Table, number

if TYPE_CHECKING:
    from .result import Result

MOST_NAMED = 2
"""Largest number of neighbours that a row names; the others share one number."""
_LONGEST = 10
"""Largest width of a neighbour's name in a row [columns]."""
_BY = "by "
"""Prefix of the columns with the share of one neighbour."""
_OWN = ("data", "control", "beacon", "collision")
_FREE = ("contention", "idle")
_PARTS = ("own", "neighbours", "overlap")


def tables(result: Result, wish: Wish) -> Iterator[tuple[str, Table]]:
    """Table of each channel on which an access point has sensed another cell, with the channel's name.

    Of many cells it has those whose air neighbours hold for the longest time, unless `wish` has all rows.
    The total is the sum over the cells. It exceeds 100 % where cells that do not hear each other use the air
    at the same time, and a frame counts for each cell that hears it.
    """
    columns = [
        Column("own\n%", scaled("own", 100), added("own", 100), 1, 100),
        Column("neigh-\nbours\n%", scaled("neighbours", 100), added("neighbours", 100), 1, 100),
        Column("overlap\n%", scaled("overlap", 100), added("overlap", 100), 1, 100),
        Column("free\n%", scaled("free", 100), None, 1, 100),
        Column("held by\n%", lambda _: [], words=_words),
    ]
    for channel, items in _channels(result):
        if len(items) > wish.rows and not wish.every:
            items.sort(key=lambda item: -sum(item.samples["neighbours"]))
        yield channel, rows("air of cell", items, columns, wish)


def _channels(result: Result) -> Iterator[tuple[str, list[Item]]]:
    """Channels on which an access point has sensed another cell, with the parts of each cell's air."""
    shared = result.scenario.shared_channels
    if not shared:
        return
    shares = samples(result, "channel_shares", result.scenario.cells)
    held = neighbours(result)
    for channel, cells in shared:
        if any(any(shares[cell][part]) for cell in cells for part in ("neighbours", "overlap")):
            yield channel, [Item(cell, _parts(shares[cell], held[cell])) for cell in cells]


def _parts(table: Samples, held: Samples) -> Samples:
    own, free = (
        [sum(values) for values in zip(*(table[use] for use in uses), strict=True)]
        for uses in (_OWN, _FREE)
    )
    return table | {"own": own, "free": free} | {f"{_BY}{name}": held[name] for name in held}


def _words(members: Sequence[Samples]) -> str:
    """Neighbours that hold the air of one cell, with shares [%]: "flat4 12.1, flat7 8.0, 2 others 5.3"."""
    if len(members) > 1:
        return ""
    held = {key.removeprefix(_BY): v for key, v in members[0].items() if key.startswith(_BY)}
    named, others = [*held.items()][:MOST_NAMED], [*held.values()][MOST_NAMED:]
    if len(others) == 1:
        named, others = [*held.items()], []
    words = [f"{names.short(name, _LONGEST)} {_percent(values)}" for name, values in named]
    rest = [sum(values) for values in zip(*others, strict=True)]
    return ", ".join([*words, *([f"{len(others)} others {_percent(rest)}"] if others else [])])


def _percent(values: Values) -> str:
    return number(100 * (mean(values) or 0.0), 1)


def neighbours(result: Result) -> dict[str, Samples]:
    """Shares of each cell's air that its neighbours held, by neighbour, the largest first.

    While frames of several neighbours overlap, the air counts as that of the first of them.
    """
    cells, table = result.scenario.cells, result.columns["neighbours"]
    found: dict[str, Samples] = {cell: {} for cell in cells}
    columns = (table.get(name, []) for name in ("channel", "neighbour", "airtime_share"))
    for cell, neighbour, share in zip(*columns, strict=True):
        found[cells[int(cell)]].setdefault(cells[int(neighbour)], []).append(share)
    return {
        cell: dict(sorted(held.items(), key=lambda item: -sum(item[1])))
        for cell, held in found.items()
    }


def totals(result: Result) -> list[dict[str, Any]]:
    """Channels in a document, each with its cells and the sums over them of the parts of their air."""

    def total(figure: Figure, items: Sequence[Item]) -> dict[str, float | None]:
        return {part: figure(added(part)([item.samples for item in items])) for part in _PARTS}

    return [
        {
            "name": channel,
            "cells": [item.name for item in items],
            "total": total(mean, items),
            "ci95": total(half_width, items),
        }
        for channel, items in _channels(result)
    ]

"""Marks of explicit congestion notification on the packets of flows, and the answers of their senders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .replications import mean, samples_of_flows
from .run_tables import Column, Item, Wish, rows, scaled
from .text_table import Table

if TYPE_CHECKING:
    from .result import Result


def table(result: Result, wish: Wish) -> Table | None:
    """Table of the marks of each flow whose transport has `ecn`; `None` if there is no such flow."""
    of_flows = samples_of_flows(result, "marks")
    items = [Item(name, found) for name, found in of_flows.items() if wish.has(name)]
    if not items:
        return None
    columns = [
        Column("marked\npackets", scaled("packets_marked"), None),
        Column("marked\n%", scaled("marked", 100), None, 2),
        Column("answers\ncount", scaled("answered"), None),
    ]
    return rows("marks of", items, columns, wish)


def document(result: Result) -> list[dict[str, Any]]:
    """Means of the columns of the table `marks` for each flow whose transport has `ecn`."""
    return [
        {"name": name, **{column: mean(values) for column, values in found.items()}}
        for name, found in samples_of_flows(result, "marks").items()
    ]

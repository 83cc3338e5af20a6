"""Messages for which the users of flows wait: answers, pages, chunks of videos, frames of calls and games."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .replications import Samples, mean, samples
from .run_tables import Column, Item, Values, Wish, rows, scaled
from .text_table import Table

if TYPE_CHECKING:
    from .result import Result


def table(result: Result, wish: Wish) -> Table | None:
    """Table of the messages of each flow whose transport has a source; `None` if there is no such flow."""
    items = [Item(name, found) for name, found in _samples(result).items() if wish.has(name)]
    if not items:
        return None
    columns = [
        Column("messages\ncount", scaled("messages"), None),
        Column("wait\np50\nms", scaled("wait_p50_ms"), None, 1),
        Column("wait\np95\nms", scaled("wait_p95_ms"), None, 1),
        Column("wait\nmost\nms", scaled("wait_max_ms"), None, 1),
    ]
    if any(any(map(_is_known, item.samples["lost"])) for item in items):
        columns += [
            Column("lost\n%", _missed("lost"), None, 2, 100),
            Column("late\n%", _missed("late"), None, 2, 100),
        ]
    if any(any(map(_is_known, item.samples["video_rate_bps"])) for item in items):
        columns += [
            Column("video\nrate\nMb/s", scaled("video_rate_bps", 1e-6), None, 3),
            Column("stalls\ncount", _of_video("stalls"), None, 1),
            Column("stalled\ns", _of_video("stalled_s"), None, 1),
        ]
    return rows("messages of", items, columns, wish)


def document(result: Result) -> list[dict[str, Any]]:
    """Means of the columns of the table `messages` for each flow whose transport has a source."""
    return [
        {"name": name, **{column: mean(values) for column, values in found.items()}}
        for name, found in _samples(result).items()
    ]


def _is_known(value: float) -> bool:
    return not math.isnan(value)


def _missed(name: str) -> Callable[[Samples], Values]:
    """Function that takes the share of live frames that were `lost` or `late`; NaN for other sources."""

    def share(table: Samples) -> Values:
        counts = zip(table[name], table["lost"], table["messages"], strict=True)
        return [
            100 * some / (lost + done) if lost + done else math.nan for some, lost, done in counts
        ]

    return share


def _of_video(name: str) -> Callable[[Samples], Values]:
    """Function that takes the column `name` of videos; NaN for other sources."""
    return lambda table: [
        value if _is_known(rate) else math.nan
        for value, rate in zip(table[name], table["video_rate_bps"], strict=True)
    ]


def _samples(result: Result) -> dict[str, Samples]:
    if not result.replications:
        return {}
    columns, flows = result.columns["messages"], result.scenario.flows
    names = [flows[int(place)]["name"] for place in dict.fromkeys(columns.get("flow", []))]
    found = samples(result, "messages", names)
    skipped = ("replication", "flow")
    return {
        name: {column: values for column, values in table.items() if column not in skipped}
        for name, table in found.items()
    }

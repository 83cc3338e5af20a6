"""Messages for which the users of flows wait: frames, answers, pages and chunks of videos."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .replications import Samples, mean, samples_of_flows
from .run_tables import Column, Item, Values, Wish, rows, scaled
from .text_table import Table

if TYPE_CHECKING:
    from .result import Result


def table(result: Result, wish: Wish) -> Table | None:
    """Table of the messages of each flow whose transport has a source; `None` if there is no such flow."""
    of_flows = samples_of_flows(result, "messages")
    items = [Item(name, found) for name, found in of_flows.items() if wish.has(name)]
    if not items:
        return None
    columns = [
        Column("messages\ncount", scaled("messages"), None),
        Column("wait\np50\nms", scaled("wait_p50_ms"), None, 1),
        Column("wait\np95\nms", scaled("wait_p95_ms"), None, 1),
        Column("wait\nmost\nms", scaled("wait_max_ms"), None, 1),
    ]
    if any(any(map(_has_video, item.samples["video_rate_bps"])) for item in items):
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
        for name, found in samples_of_flows(result, "messages").items()
    ]


def _has_video(rate: float) -> bool:
    return not math.isnan(rate)


def _of_video(name: str) -> Callable[[Samples], Values]:
    """Function that takes the column `name` of videos; NaN for other sources."""
    return lambda table: [
        value if _has_video(rate) else math.nan
        for value, rate in zip(table[name], table["video_rate_bps"], strict=True)
    ]

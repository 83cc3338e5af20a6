"""Messages for which the users of flows wait: answers, pages, chunks of videos, frames of calls and games."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from . import names
from .replications import Samples, mean, samples_of_flows
from .run_tables import Column, Item, Values, Wish, rows, scaled
from .text_table import Table

if TYPE_CHECKING:
    from .result import Result

Waits = dict[tuple[str, int], dict[float, float]]
"""Histogram of the waits of each flow and replication: messages by the middle of their bin [ms]."""
_SUMS = ("messages", "stalls", "stalled_s", "lost", "late", "freezes", "frozen_s")
_MEANS = ("video_rate_bps", "target_rate_bps", "missed", "rpm", "rpm_foreign", "rpm_loaded")
_QUANTILES = {"wait_p50_ms": 0.5, "wait_p95_ms": 0.95, "wait_p99_ms": 0.99, "wait_max_ms": 1.0}


def table(result: Result, wish: Wish) -> Table | None:
    """Table of the messages of each flow or group of flows with a source; `None` if there is none.

    Flows with consecutive numbers (page1, page2, …) share a row, with the waits of all their messages.
    """
    found = {name: of for name, of in messages(result).items() if wish.has(name)}
    if wish.every or wish.flows:
        items = [Item(name, of) for name, of in found.items()]
    else:
        waits = histograms(result)
        items = [
            Item(label, merged({name: found[name] for name in members}, waits))
            for label, members in groups(list(found))
        ]
    if not items:
        return None
    columns = [
        Column("messages\ncount", scaled("messages"), None),
        Column("wait\np50\nms", scaled("wait_p50_ms"), None, 1),
        Column("wait\np95\nms", scaled("wait_p95_ms"), None, 1),
        Column("wait\nmost\nms", scaled("wait_max_ms"), None, 1),
    ]
    if _has(items, "lost"):
        columns += [
            Column("lost\n%", _missed("lost"), None, 2, 100),
            Column("late\n%", _missed("late"), None, 2, 100),
        ]
    if _has(items, "target_rate_bps"):
        columns.append(Column("target\nrate\nMb/s", scaled("target_rate_bps", 1e-6), None, 3))
    if _has(items, "freezes"):
        columns.append(Column("freezes\ncount", scaled("freezes"), None, 1))
    if _has(items, "mos"):
        columns.append(Column("MOS", scaled("mos"), None, 2))
    if _has(items, "rpm_foreign"):
        columns += [
            Column("round\ntrips\n/min", scaled("rpm_foreign"), None, 0),
            Column("under\nload\n/min", scaled("rpm"), None, 0),
        ]
    if _has(items, "video_rate_bps"):
        columns += [
            Column("video\nrate\nMb/s", scaled("video_rate_bps", 1e-6), None, 3),
            Column("stalls\ncount", scaled("stalls"), None, 1),
            Column("stalled\ns", scaled("stalled_s"), None, 1),
        ]
    return rows("messages of", items, columns, Wish(every=True))


def document(result: Result) -> list[dict[str, Any]]:
    """Means of the columns of the table `messages` for each flow whose transport has a source."""
    words = sources(result)
    return [
        {
            "name": name,
            "source": words[name],
            **{column: mean(values) for column, values in of.items()},
        }
        for name, of in messages(result).items()
    ]


def sources(result: Result) -> dict[str, str]:
    """Name of the application of each flow that has messages."""
    scenario = result.scenario
    both = zip(scenario.flows, scenario.sources, strict=True)
    return {flow["name"]: word for flow, word in both if word is not None}


def messages(result: Result) -> dict[str, Samples]:
    """Columns of the table `messages` for each flow that has a row, with a value per replication."""
    return samples_of_flows(result, "messages")


def histograms(result: Result) -> Waits:
    """Histogram of the waits of each flow and replication."""
    columns, flows = result.columns["waits"], result.scenario.flows
    found: Waits = {}
    each = (
        columns.get(name, []) for name in ("replication", "flow", "from_ns", "to_ns", "messages")
    )
    for run, place, low, high, count in zip(*each, strict=True):
        of = found.setdefault((flows[int(place)]["name"], int(run)), {})
        of[(low + high) / 2e6] = count
    return found


def groups(found: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Labels of flows, and of groups of flows with consecutive numbers, with the names of their members."""
    for label, places in names.groups(found):
        yield label, [found[place] for place in places]


def merged(members: Mapping[str, Samples], waits: Waits) -> Samples:
    """Columns of one flow as they are; of several flows with the waits of all their messages."""
    tables = list(members.values())
    if len(tables) == 1:
        return tables[0]
    columns: Samples = {name: _over(tables, name, math.fsum) for name in _SUMS}
    columns |= {name: _over(tables, name, _mean) for name in _MEANS}
    columns["mos"] = _over(tables, "mos", median)
    runs = len(tables[0]["messages"])
    together = [summed(waits.get((name, run), {}) for name in members) for run in range(runs)]
    for name, part in _QUANTILES.items():
        columns[name] = [quantile(of, part) for of in together]
    return columns


def summed(histograms: Iterator[dict[float, float]]) -> dict[float, float]:
    """Histogram of the messages of several."""
    total: dict[float, float] = {}
    for histogram in histograms:
        for middle, count in histogram.items():
            total[middle] = total.get(middle, 0) + count
    return total


def quantile(histogram: Mapping[float, float], part: float) -> float:
    """Smallest wait [ms] that at least this part of the messages have or stay below; NaN without messages."""
    wanted, seen = part * sum(histogram.values()), 0.0
    for middle in sorted(histogram):
        seen += histogram[middle]
        if seen >= wanted:
            return middle
    return math.nan


def _over(tables: Sequence[Samples], name: str, make: Callable[[Sequence[float]], float]) -> Values:
    """Value of a column over several flows in each replication; NaN if no flow has one."""
    known = (
        [v for v in row if not math.isnan(v)]
        for row in zip(*(t[name] for t in tables), strict=True)
    )
    return [make(row) if row else math.nan for row in known]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _has(items: Sequence[Item], name: str) -> bool:
    return any(not math.isnan(value) for item in items for value in item.samples[name])


def _missed(name: str) -> Callable[[Samples], Values]:
    """Function that takes the share of live frames that were `lost` or `late`; NaN for other sources."""

    def share(of: Samples) -> Values:
        counts = zip(of[name], of["lost"], of["messages"], strict=True)
        return [
            100 * some / (lost + done) if lost + done else math.nan for some, lost, done in counts
        ]

    return share

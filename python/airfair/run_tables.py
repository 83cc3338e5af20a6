"""Tables of a run for people: flows, stations, links, indices of fairness, with confidence intervals.

In long tables, names with consecutive numbers form a group with sum, mean, minimum, median, 95th percentile
and maximum.
"""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from . import fairness, flow_limits, names
from .flow_limits import FlowLimits
from .replications import Samples, bounded_half_width, half_width, mean, samples
from .statistics import mean as mean_of
from .text_table import Line, Table, index, number

if TYPE_CHECKING:
    from .result import Result

MOST_ROWS = 24
"""Largest number of rows of a table; `--all`, `--json` and `--out` show all."""
SEVERAL = 8
"""Smallest number of numbered rows that form a group; the lines of a group replace at least as many rows."""
WORST = 5
"""Number of slowest flows that are listed for a long table."""
WHOLE = 0.95
"""Smallest fraction of the measured time for which a flow counts as present throughout."""

Values = list[float]
"""Values, one per replication; NaN if missing."""
Sum = Callable[[Sequence[Samples]], Values]
Cell = Values | str | None
"""Content of a cell: values of all replications, text, or nothing."""


@dataclass(frozen=True)
class Column:
    """Column of a table."""

    heading: str
    of: Callable[[Samples], Values]
    total: Sum | None = None
    digits: int | None = None
    most: float | None = None
    """Largest possible value, for fractions of a whole."""
    words: Callable[[Sequence[Samples]], str] | None = None
    """Function that makes the text of a cell from one or several rows; `None` if cells have numbers."""

    def half_width(self, values: Values) -> float | None:
        """Half width of the confidence interval of the mean of `values`."""
        return half_width(values) if self.most is None else bounded_half_width(values, self.most)

    def cell(self, members: Sequence[Samples]) -> Cell:
        """Cell of one row, or with the mean of several rows in each replication."""
        if self.words is not None:
            return self.words(members)
        each = [self.of(table) for table in members]
        if len(each) == 1:
            return each[0]
        return [_mean_known(values) for values in zip(*each, strict=True)]


@dataclass(frozen=True)
class Item:
    """Flow, station, … with its own row or in a group."""

    name: str
    samples: Samples


@dataclass(frozen=True)
class Wish:
    """Options for the rows to show."""

    every: bool = False
    flows: Sequence[str] = ()
    """Patterns of the names of flows to show; if empty, all flows are shown, many of them in groups."""
    rows: int = MOST_ROWS
    """Largest number of rows of a table, unless `every` is true."""
    rest: str = "--all"
    """Hint to the option or file with the rows that are left out."""

    def has(self, name: str) -> bool:
        """True if the flow `name` is wanted."""
        return not self.flows or any(fnmatch.fnmatchcase(name, glob) for glob in self.flows)


def scaled(name: str, factor: float = 1.0) -> Callable[[Samples], Values]:
    """Function that takes the column `name`, multiplied by `factor`."""
    return lambda table: [value * factor for value in table[name]]


def added(name: str, factor: float = 1.0) -> Sum:
    """Function that adds the column `name` over several rows, in each replication."""

    def total(tables: Sequence[Samples]) -> Values:
        return [math.fsum(v) * factor for v in zip(*(t[name] for t in tables), strict=True)]

    return total


def ratio_of_sums(some: str, of: str, factor: float = 1.0) -> Sum:
    """Function that divides the sum of the column `some` over several rows by that of the column `of`."""

    def part(tables: Sequence[Samples]) -> Values:
        return _ratio(added(some)(tables), added(of)(tables), factor)

    return part


def _ratio(some: Values, of: Values, factor: float) -> Values:
    return [
        factor * a / b if b else (0.0 if b == 0 else math.nan)
        for a, b in zip(some, of, strict=True)
    ]


def flows(result: Result, wish: Wish) -> Table:
    """Table of goodput, loss, delay and other results of each flow."""
    scenario = result.scenario
    tables = samples(result, "flows", [flow["name"] for flow in scenario.flows])
    limits = FlowLimits(result).shares
    tables = {name: table | limits.get(name, {}) for name, table in tables.items()}
    columns = _flow_columns(list(tables.values()), scenario.duration_s - scenario.warmup_s)
    if limits and flow_limits.is_known(limits.values()):
        columns.append(Column("limited\nby\n%", lambda _: [], words=flow_limits.words))
    items = [Item(name, table) for name, table in tables.items() if wish.has(name)]
    every = wish.every or bool(wish.flows)
    lines = list(_lines(items, columns, replace(wish, every=every)))
    if len(items) > wish.rows and not every:
        shown = {label for label, places in _groups(items)[: wish.rows] if len(places) == 1}
        hidden = [item for item in items if item.name not in shown]
        competing = [item for item in hidden if any(item.samples["active_s"])]
        worst = sorted(competing, key=lambda item: _mean_known(item.samples["flow_rate_bps"]))
        lines.append(Line("slowest flows:", [""] * len(columns)))
        lines += [line for item in worst[:WORST] for line in _item(item, columns, "  ")]
    total = "total" if len(items) == len(tables) else f"{len(items)} of {len(tables)} flows"
    lines += _total(items, columns, total)
    return _table("flow", columns, lines)


def _flow_columns(tables: Sequence[Samples], measured_s: float) -> list[Column]:
    whole = added("goodput_bps")(tables)

    def share(table: Samples) -> Values:
        return _ratio(table["goodput_bps"], whole, 100)

    def shares(tables: Sequence[Samples]) -> Values:
        return _ratio(added("goodput_bps")(tables), whole, 100)

    def some(heading: str, name: str, digits: int, factor: float = 1.0) -> list[Column]:
        """Column as a list; an empty list if no flow has a value, such as a delay or a completion time."""
        known = any(_known(table[name]) for table in tables)
        return [Column(heading, scaled(name, factor), None, digits)] if known else []

    # Goodput is averaged over the measured time, so that goodputs add up; a rate over the flow's lifetime.
    come_and_go = any(min(table["active_s"]) < WHOLE * measured_s for table in tables)
    return [
        Column("goodput\nMb/s", scaled("goodput_bps", 1e-6), added("goodput_bps", 1e-6), 3),
        Column("share\n%", share, shares, 1, 100),
        *(some("flow\nrate\nMb/s", "flow_rate_bps", 3, 1e-6) if come_and_go else []),
        Column(
            "loss\n%",
            scaled("loss", 100),
            ratio_of_sums("packets_dropped", "packets_sent", 100),
            2,
            100,
        ),
        *some("delay\np50\nms", "delay_p50_ms", 1),
        *some("delay\np95\nms", "delay_p95_ms", 1),
        *some("delay\np99\nms", "delay_p99_ms", 1),
        *some("jitter\nms", "jitter_ms", 1),
        Column("retrans-\nmissions\ncount", scaled("retransmissions"), added("retransmissions")),
        Column("time-\nouts\ncount", scaled("timeouts"), added("timeouts")),
        *some("RTT\np50\nms", "rtt_p50_ms", 1),
        *some("completion\ntime\ns", "completion_s", 2),
    ]


def stations(result: Result, wish: Wish) -> Table:
    """Table of frames, retries, airtime and other results of each station and access point."""
    scenario = result.scenario
    tables = samples(result, "stations", scenario.stations)
    shares = samples(result, "airtime", scenario.stations)
    items = [
        Item(
            name,
            table
            | {"occupancy": shares[name]["occupancy"]}
            | _aggregates(table["mean_aggregate"], table["mean_aggregate_down"]),
        )
        for name, table in tables.items()
    ]
    # Frames of an access point are downlink frames.
    points = [
        Item(
            f"{name} (AP)",
            table | _aggregates([math.nan] * len(table["frames"]), table["mean_aggregate"]),
        )
        for name, table in samples(result, "access_points", scenario.cells).items()
    ]
    columns = _radio_columns([*items, *points], gaps=_keeps_shares(result))
    lines = list(_lines(items, columns, wish))
    for point in points:
        lines += _item(point, columns, "")
    lines += _total([*items, *points], columns, "total")
    return _table("station", columns, lines)


def _aggregates(up: Values, down: Values) -> Samples:
    return {"aggregate_up": up, "aggregate_down": down}


def categories(result: Result) -> Table | None:
    """Table of the results of each access category; `None` if there is only one."""
    tables = samples(result, "categories", result.scenario.categories)
    if not tables:
        return None
    items = [Item(name, table) for name, table in tables.items()]
    columns = [
        Column("goodput\nMb/s", scaled("goodput_bps", 1e-6), added("goodput_bps", 1e-6), 3),
        Column("delay\np50\nms", scaled("delay_p50_ms"), None, 1),
        Column("delay\np95\nms", scaled("delay_p95_ms"), None, 1),
        Column("airtime\n%", scaled("airtime_share", 100), added("airtime_share", 100), 1, 100),
        Column("data\nframes\ncount", scaled("frames"), added("frames")),
        Column("collided\nframes", scaled("collisions"), added("collisions")),
        Column("gave\nway\ncount", scaled("internal_collisions"), added("internal_collisions")),
        Column("dropped\npackets", scaled("drops"), added("drops")),
    ]
    return rows("category", items, columns, Wish(every=True))


_QUEUE_DROPS = ("dropped_queue_full", "dropped_codel", "dropped_ack_filter")


def _radio_columns(items: Sequence[Item], *, gaps: bool) -> list[Column]:
    # Only stations that measure their occupancy have this value.
    measured = any(_known(item.samples.get("measured_airtime_share", [])) for item in items)
    changed = any(any(item.samples.get("rate_changes", [])) for item in items)
    by_scheme = any(any(item.samples["dropped_by_scheme"]) for item in items)
    aggregated = any(_known(item.samples["aggregate_down"]) for item in items) or any(
        _known(item.samples["aggregate_up"]) for item in items
    )

    def dropped(table: Samples) -> Values:
        return [sum(v) for v in zip(*(table[cause] for cause in _QUEUE_DROPS), strict=True)]

    def all_dropped(tables: Sequence[Samples]) -> Values:
        return [math.fsum(v) for v in zip(*map(dropped, tables), strict=True)]

    airtime = [Column("airtime\n%", _percent("airtime_share"), _held("airtime_share"), 1, 100)]
    if gaps:
        airtime.append(Column("occupancy\n%", _percent("occupancy"), _held("occupancy"), 1, 100))
    if measured:
        of = _percent("measured_airtime_share")
        airtime.append(Column("measured\nairtime\n%", of, None, 1, 100))
    aggregates = [
        Column("frame\nup\nMPDUs", scaled("aggregate_up"), None, 1),
        Column("frame\ndown\nMPDUs", scaled("aggregate_down"), None, 1),
    ]
    schemes = [Column("\nscheme\npackets", scaled("dropped_by_scheme"), added("dropped_by_scheme"))]
    rates = [
        Column("mean rate\nup\nMb/s", _maybe("mean_rate_up_bps", 1e-6), None, 2),
        Column("mean rate\ndown\nMb/s", _maybe("mean_rate_down_bps", 1e-6), None, 2),
        Column("rate\nchanges\ncount", _maybe("rate_changes"), None),
    ]
    return [
        *airtime,
        Column("data\nframes\ncount", scaled("frames"), added("frames")),
        Column(
            "retries\n%",
            scaled("retry_share", 100),
            _retries,
            1,
            100,
        ),
        *(aggregates if aggregated else []),
        Column(
            "dropped:\nretries\npackets",
            scaled("dropped_retry_limit"),
            added("dropped_retry_limit"),
        ),
        Column("\nqueue\npackets", dropped, all_dropped),
        *(schemes if by_scheme else []),
        Column("queue\nmean\npackets", scaled("queue_mean"), None, 1),
        Column("\nmost\npackets", scaled("queue_max"), None),
        *(rates if changed else []),
    ]


def _retries(tables: Sequence[Samples]) -> Values:
    kinds = (added("frames")(tables), added("rts_frames")(tables))
    sent = [math.fsum(values) for values in zip(*kinds, strict=True)]
    return _ratio(added("retries")(tables), sent, 100)


def _maybe(name: str, factor: float = 1.0) -> Callable[[Samples], Values]:
    """Function that takes a column multiplied by `factor`; NaN for access points, which lack it."""
    return lambda table: [v * factor for v in table.get(name, [math.nan] * len(table["frames"]))]


def _percent(name: str) -> Callable[[Samples], Values]:
    return _maybe(name, 100)


def _held(name: str) -> Sum:
    return lambda tables: added(name, 100)([table for table in tables if name in table])


def links(result: Result, wish: Wish) -> Table | None:
    """Table of the directions of links that lost packets, or of all directions if there is no cell."""
    directions = result.scenario.links
    places = list(map(str, range(len(directions))))
    items = [
        Item(f"{link['from']} → {link['to']}", table)
        for link, table in zip(directions, samples(result, "links", places).values(), strict=False)
    ]
    lost = ("dropped_queue_full", "dropped_early", "lost")
    if result.scenario.cells:
        items = [item for item in items if any(any(item.samples[cause]) for cause in lost)]
    if not items:
        return None
    columns = [
        Column("packets\ncount", scaled("packets"), None),
        Column("lost on\nlink\npackets", scaled("lost"), added("lost")),
        Column("dropped:\nearly\npackets", scaled("dropped_early"), added("dropped_early")),
        Column("\nqueue\npackets", scaled("dropped_queue_full"), added("dropped_queue_full")),
        Column("queue\nmean\npackets", scaled("queue_mean"), None, 1),
        Column("\nmost\npackets", scaled("queue_max"), None),
    ]
    return rows("link", items, columns, wish)


def indices(result: Result) -> list[tuple[str, str]]:
    """Titles of Jain's indices, each with the text of its mean and interval."""
    titles = {
        "flow_rate": "flow rate",
        "flow_rate_per_link_rate": "flow rate / link rate",
        "airtime": "airtime",
    }
    if _keeps_shares(result):
        titles = {"flow_rate": "flow rate", "airtime": "airtime", "occupancy": "occupancy"}
    found = fairness.indices(result)
    return [
        (title, index(mean(found[key]), half_width(found[key]), 3)) for key, title in titles.items()
    ]


def _keeps_shares(result: Result) -> bool:
    """True if a flow has the scheme "occupancy", whose shares of the channel include gaps and back-off."""
    return any(flow["control"] == "occupancy" for flow in result.scenario.flows)


def rows(first: str, items: Sequence[Item], columns: Sequence[Column], wish: Wish) -> Table:
    """Table with a row or a group for each item, and a total."""
    return _table(first, columns, [*_lines(items, columns, wish), *_total(items, columns, "total")])


def _table(first: str, columns: Sequence[Column], lines: Sequence[Line]) -> Table:
    return Table(first, [column.heading for column in columns], lines)


def _lines(items: Sequence[Item], columns: Sequence[Column], wish: Wish) -> Iterator[Line]:
    every = wish.every
    found = [(item.name, [place]) for place, item in enumerate(items)] if every else _groups(items)
    for name, places in found[: None if every else wish.rows]:
        members = [items[place] for place in places]
        if len(members) == 1:
            yield from _item(members[0], columns, "")
        else:
            yield from _group(name, members, columns)
    rest = 0 if every else sum(len(places) for _, places in found[wish.rows :])
    if rest:
        yield Line(f"… {rest} more: {wish.rest}", [""] * len(columns))


def _groups(items: Sequence[Item]) -> list[tuple[str, list[int]]]:
    """Groups of rows as pairs of a name and indices; in a short table, small groups are split into rows."""
    groups: list[tuple[str, list[int]]] = []
    for name, places in names.groups([item.name for item in items]):
        if len(items) <= MOST_ROWS and len(places) < SEVERAL:
            groups += [(items[place].name, [place]) for place in places]
        else:
            groups.append((name, places))
    return groups


def _item(item: Item, columns: Sequence[Column], indent: str) -> Iterator[Line]:
    cells = [column.cell([item.samples]) for column in columns]
    yield from _with_interval(indent + item.name, cells, columns)


def _group(name: str, members: Sequence[Item], columns: Sequence[Column]) -> Iterator[Line]:
    """Lines of a group: total, mean with its interval, and quantiles over the members."""
    yield Line(name, [""] * len(columns))
    tables = [member.samples for member in members]
    each = [[column.of(table) for table in tables] for column in columns]
    yield from _total(members, columns, f"  all {len(members)}")
    yield from _with_interval("  mean", [column.cell(tables) for column in columns], columns)
    own = [sorted(filter(math.isfinite, map(_mean, of_members))) for of_members in each]
    for word, part in (("least", 0.0), ("median", 0.5), ("p95", 0.95), ("most", 1.0)):
        cells = [
            "" if column.words else number(_quantile(values, part), column.digits)
            for values, column in zip(own, columns, strict=True)
        ]
        yield Line(f"  {word}", cells)


def _total(items: Sequence[Item], columns: Sequence[Column], label: str) -> Iterator[Line]:
    if len(items) > 1 and any(column.total for column in columns):
        tables = [item.samples for item in items]
        cells = [column.total(tables) if column.total else None for column in columns]
        yield from _with_interval(label, cells, columns)


def _with_interval(label: str, cells: Sequence[Cell], columns: Sequence[Column]) -> Iterator[Line]:
    """Line of means and texts, and a line of half widths below it if there are several replications."""
    pairs = [*zip(cells, columns, strict=True)]
    yield Line(
        label,
        [
            number(mean(cell), column.digits) if isinstance(cell, list) else cell or ""
            for cell, column in pairs
        ],
    )
    if any(isinstance(cell, list) and len(cell) > 1 for cell in cells):
        indent = " " * (len(label) - len(label.lstrip()))
        yield Line(
            f"{indent}  ± 95 %",
            [
                number(column.half_width(cell), column.digits) if isinstance(cell, list) else ""
                for cell, column in pairs
            ],
        )


def _quantile(ascending: Sequence[float], part: float) -> float:
    """Quantile of sorted values, by linear interpolation; NaN without values."""
    if not ascending:
        return math.nan
    place = part * (len(ascending) - 1)
    below = ascending[math.floor(place)]
    return below + (ascending[math.ceil(place)] - below) * (place - math.floor(place))


def _mean(values: Values) -> float:
    found = mean(values)
    return math.nan if found is None else found


def _mean_known(values: Sequence[float]) -> float:
    found = mean_of([value for value in values if not math.isnan(value)])
    return math.nan if found is None else found


def _known(values: Values) -> bool:
    return any(not math.isnan(value) for value in values)

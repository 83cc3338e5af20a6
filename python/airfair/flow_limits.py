"""Limits of the flows of a result: as cells of a table, as sentences, and as JSON."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import names
from .replications import Figure, Samples, mean, samples

if TYPE_CHECKING:
    from .result import Result

_WORDS = {
    "handshake": ("opening", "the opening of {} connection"),
    "application": ("app", "{} application"),
    "receive_window": ("rwnd", "{} receive window"),
    "congestion_window": ("cwnd", "{} congestion window"),
    "rate": ("rate", "the rate that {} transport allows"),
    "control": ("control", "{} control scheme"),
    "host_queue": ("host", "the full queue of {} own host"),
    "wire": ("wire", ""),
    "air": ("air", ""),
}
"""Texts by limit: the word in a table, and a template for sentences (empty where they name the place)."""

_MOST_LINES = 5
"""Largest number of sentences below a table, one per flow or group of numbered flows."""
_WORTH_NAMING = 0.2
"""Smallest share of a flow's time for which a sentence names a second limit."""

_CAUSES_OF_NODES = {
    "dropped_queue_full": "in the full queue of",
    "dropped_codel": "by CoDel in the queue of",
    "dropped_retry_limit": "on the air from",
    "dropped_late": "on the air from",
    "dropped_by_scheme": "by the scheme of",
}
_CAUSES_OF_LINKS = {
    "dropped_queue_full": "in the full queue of",
    "dropped_early": "by early detection in the queue of",
    "lost": "on",
}
_MOSTLY = 0.9
"""Smallest share of the losses at a place for which a sentence names their cause."""


@dataclass(frozen=True)
class QueuePlace:
    """Queue on the route of flows: before the air, in a station or access point, or before a wired link."""

    cell: int | None
    """Index of the cell in the scenario; `None` for a wired link."""
    number: int
    """Index in the cell: 0 for the access point, then the stations; or index of the direction of a link."""


@dataclass(frozen=True)
class AtQueue:
    """Waiting and losses of a flow at a queue, one value per replication."""

    waited: list[float]
    """Share of the flow's time in which packets waited at the queue."""
    lost: list[float]
    """Number of packets lost at the queue."""


def words(members: Sequence[Samples]) -> str:
    """Limit with the largest share of time, of one or several flows, with its percentage: "rwnd 71"."""
    shares = _shares(members)
    if not shares:
        return ""
    most = max(shares, key=lambda key: shares[key])
    return f"{_WORDS[most][0]} {100 * shares[most]:.0f}"


def is_known(members: Iterable[Samples]) -> bool:
    """True if limits are known for some flow; those of real programs are not."""
    return any(not math.isnan(value) for table in members for value in table["air"])


def _shares(members: Sequence[Samples]) -> dict[str, float]:
    """Mean share of each limit, over flows and replications that have one."""
    known = [table for table in members if is_known([table])]
    return {
        key: _average([value for table in known for value in table[key] if not math.isnan(value)])
        for key in _WORDS
        if known
    }


class FlowLimits:
    """Limits of all flows of a result."""

    def __init__(self, result: Result) -> None:
        self._result = result
        # The scenario builds these lists at each access.
        self._flows = [flow["name"] for flow in result.scenario.flows]
        self._cells = result.scenario.cells
        self._links = result.scenario.links
        self._stations = result.scenario.stations
        self._members = [[cell] for cell in self._cells]
        for name, cell in zip(self._stations, result.scenario.station_cells, strict=True):
            self._members[self._cells.index(cell)].append(name)

    @functools.cached_property
    def shares(self) -> dict[str, Samples]:
        """Shares of each flow's time by limit, by flow; empty if the result lacks the table."""
        tables = samples(self._result, "limits", self._flows)
        return {name: {key: table[key] for key in _WORDS} for name, table in tables.items()}

    @functools.cached_property
    def places(self) -> Mapping[str, Mapping[QueuePlace, AtQueue]]:
        """Queues at which packets waited or were lost, by flow."""
        table, n = self._result.columns["places"], self._result.replications
        found: dict[str, dict[QueuePlace, AtQueue]] = {name: {} for name in self._flows}
        if not table:
            return found
        numbers = self._result.columns["runs"]["replication"]
        runs = {number: place for place, number in enumerate(numbers)}
        for replication, flow, place, waited, lost in _rows(table):
            at = found[self._flows[flow]].setdefault(place, AtQueue([0.0] * n, [0.0] * n))
            at.waited[runs[replication]] = 0.0 if math.isnan(waited) else waited
            at.lost[runs[replication]] = lost
        return found

    def sentences(self, wanted: Iterable[str]) -> list[str]:
        """Sentences on the flows `wanted`, one per flow or numbered group; of many, only the largest."""
        known = [name for name in wanted if name in self.shares and is_known([self.shares[name]])]
        delivered = samples(self._result, "flows", self._flows)
        groups = [
            (label, [known[place] for place in places]) for label, places in names.groups(known)
        ]

        def octets(group: tuple[str, list[str]]) -> float:
            return math.fsum(sum(delivered[name]["delivered_bytes"]) for name in group[1])

        shown = sorted(groups, key=octets, reverse=True)[:_MOST_LINES]
        lines = [self._sentence(*group) for group in groups if group in shown]
        left = len(known) - sum(len(members) for _, members in shown)
        if left:
            lines.append(f"{left} more flows are not shown; --json prints their limits.")
        return lines

    def _sentence(self, label: str, flows: Sequence[str]) -> str:
        shares = _shares([self.shares[flow] for flow in flows])
        whose, who = ("its", "it") if len(flows) == 1 else ("their", "they")
        by = {words.format(whose): shares[key] for key, (_, words) in _WORDS.items() if words}
        by |= self._waits(flows)
        ordered = sorted(by.items(), key=lambda item: -item[1])
        second = [item for item in ordered[1:2] if item[1] >= _WORTH_NAMING]
        first, *more = [f"by {words} {_percent(share)}" for words, share in [*ordered[:1], *second]]
        limits = ", ".join([f"{first} of the time", *more])
        losses = self._losses(flows)
        lost = f"; {who} lost {losses}" if losses else ""
        return f"{names.printable(label)}: limited {limits}{lost}."

    def _waits(self, flows: Sequence[str]) -> dict[str, float]:
        """Mean share of the time in which packets waited, by words for the wire or the air."""
        found: dict[str, float] = defaultdict(float)
        for flow in flows:
            for place, at in self.places[flow].items():
                found[self._medium(place)] += _average(at.waited) / len(flows)
        return found

    def _losses(self, flows: Sequence[str]) -> str:
        """Text on losses at the queue with most of them; empty without losses."""
        lost: dict[QueuePlace, float] = defaultdict(float)
        for flow in flows:
            for place, at in self.places[flow].items():
                lost[place] += _average(at.lost)
        most = max(lost, key=lambda place: lost[place], default=None)
        if most is None or not lost[most]:
            return ""
        number = f"{lost[most]:,.0f}" if lost[most] >= 1 else "less than 1"
        noun = "packet" if number in {"1", "less than 1"} else "packets"
        return f"{number} {noun} {self._where(most)}"

    def _medium(self, place: QueuePlace) -> str:
        """Text for the wire or the air for which packets wait at a queue."""
        if place.cell is None:
            return self._wire(place.number)
        return f"the air of cell ‘{names.printable(self._cells[place.cell])}’"

    def _wire(self, direction: int) -> str:
        ends = (names.printable(self._links[direction][key]) for key in ("from", "to"))
        return "the wire from ‘{}’ to ‘{}’".format(*ends)

    def _where(self, place: QueuePlace) -> str:
        """Text for a queue, with the cause of its losses if nearly all have the same cause."""
        causes = _CAUSES_OF_NODES
        if place.cell is None:
            words, causes = self._wire(place.number), _CAUSES_OF_LINKS
        else:
            kind = "access point" if place.number == 0 else "station"
            words = f"{kind} ‘{names.printable(self.node(place))}’"
        cause = self.cause(place)
        return f"{causes[cause] if cause else 'at'} {words}"

    def cause(self, place: QueuePlace) -> str | None:
        """Column of the cause of nearly all drops at a queue; `None` if there is no such cause."""
        causes = _CAUSES_OF_NODES
        if place.cell is None:
            causes = _CAUSES_OF_LINKS
            table, things, at = "links", len(self._links), place.number
        elif place.number == 0:
            table, things, at = "access_points", len(self._cells), place.cell
        else:
            table, things = "stations", len(self._stations)
            at = self._stations.index(self.node(place))
        columns = self._result.columns[table]
        dropped = {cause: sum(columns[cause][at::things]) for cause in causes}
        first = max(dropped, key=lambda cause: dropped[cause])
        return first if 0 < _MOSTLY * sum(dropped.values()) <= dropped[first] else None

    def node(self, place: QueuePlace) -> str:
        """Name of the node at which a queue is."""
        if place.cell is None:
            return str(self._links[place.number]["from"])
        return self._members[place.cell][place.number]

    def means(self, flow: str, figure: Figure) -> dict[str, float | None]:
        """Value of each limit of a flow, computed by `figure`: mean or half width."""
        return {key: figure(values) for key, values in self.shares.get(flow, {}).items()}

    def document(self, flow: str) -> dict[str, object]:
        """JSON of the limits of a flow and of the queues on its route, for the document of a run."""
        return {
            "limits": self.means(flow, mean),
            "places": [
                {
                    "node": self.node(place),
                    "channel": None if place.cell is None else self._cells[place.cell],
                    "link": self._links[place.number]["name"] if place.cell is None else None,
                    "waited": mean(at.waited),
                    "lost": mean(at.lost),
                }
                for place, at in self.places[flow].items()
            ],
        }


def _rows(
    table: Mapping[str, Sequence[float]],
) -> Iterator[tuple[float, int, QueuePlace, float, float]]:
    """Replication, flow, queue, share of time and losses, for each row of the table `places`."""
    columns = ("replication", "flow", "channel", "member", "link", "waited", "lost")
    for replication, flow, channel, member, link, waited, lost in zip(
        *(table[name] for name in columns), strict=True
    ):
        is_wire = math.isnan(channel)
        place = QueuePlace(None, int(link)) if is_wire else QueuePlace(int(channel), int(member))
        yield replication, int(flow), place, waited, lost


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _average(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)

"""Warnings about default values that limit a flow to far less than its network can carry.

Flows are suspected from the tables of the run. Only if keys with default values limit a long flow for most of
its time, a second, short run replaces all long flows by saturated UDP and measures the capacity.
"""

from __future__ import annotations

import functools
import math
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import names
from ._core import Scenario, ScenarioError
from .engine import run_many
from .flow_limits import FlowLimits, QueuePlace
from .replications import mean, samples
from .result import Result
from .scenario import toml

_LONG_S = 1.0
"""Smallest lifetime of a long flow [s]."""
_MOST = 0.5
"""Smallest share of a flow's time limited by defaults for which they are suspected."""
_NAMED = 0.1
"""Smallest share of a flow's time for which a warning names a limit."""
_HALF = 0.5
"""Fraction of the rate of saturated UDP below which a warning is given."""
_SETTLING_S, _MEASURED_S = 0.2, 1.0
"""Times of the second run before the measurement and during it [s]."""
_FASTER = 10
"""Factor for the rate of a suspected wire in the second run."""
_WITHOUT_SCALING = "65535 B"

Tree = Mapping[str, Any]
Path = tuple[str, ...]


@dataclass(frozen=True)
class NamedKeys:
    """Keys that a scenario file or the command line names; all others have their defaults."""

    text: bytes
    overrides: Sequence[tuple[str, str]]

    @functools.cached_property
    def tree(self) -> Tree:
        """Keys of the file, with those of the command line laid over them."""
        tree = tomllib.loads(self.text.decode())
        for path, _ in self.overrides:
            table = tree
            for name in path.split("."):
                inner = table.get(name)
                table[name] = inner if isinstance(inner, dict) else {}
                table = table[name]
        return tree

    def raw(self, path: Path) -> Path:
        """Path with the name of the table in the file, which may stand for a group with `count`."""
        section, name, *rest = path
        known = self.tree.get(section, {})
        group = name.rstrip("0123456789")
        return (section, group if name not in known and group in known else name, *rest)

    def has(self, path: Path) -> bool:
        """True if the file or the command line names this key."""
        node: Any = self.tree
        for name in self.raw(path):
            if not isinstance(node, Mapping) or name not in node:
                return False
            node = node[name]
        return True


def warnings(result: Result, keys: NamedKeys) -> list[str]:
    """Warnings, one for each set of defaults that keeps long flows below half of the capacity."""
    if not result.replications:
        return []
    suspicion = _Suspicion(result)
    try:
        held = suspicion.held(keys) if suspicion.flows else {}
    except (ValueError, RecursionError):  # only the core's parser can read this text
        held = {}
    if not held:
        return []
    written = tomllib.loads(result.scenario.to_toml())
    udp = _saturated(result, written, suspicion.long, held)
    groups: dict[tuple[Path, ...], list[str]] = defaultdict(list)
    for flow, paths in held.items():
        groups[tuple(_of_any(path) for path in paths)].append(flow)
    lines = []
    for flows in groups.values():
        got = math.fsum(suspicion.rates[flow] for flow in flows)
        possible = math.fsum(udp.get(flow, 0.0) for flow in flows)
        if got < _HALF * possible:
            lines.append(_line(flows, (got, possible), held[flows[0]], (keys, written)))
    return lines


class _Suspicion:
    """Long flows of a result, and the keys that may limit them."""

    def __init__(self, result: Result) -> None:
        self._result = result
        self._limits = FlowLimits(result)
        self._flows = {flow["name"]: flow for flow in result.scenario.flows}
        self._links = result.scenario.links
        self._hosts = result.scenario.hosts
        self._cells = result.scenario.cells
        tables = samples(result, "flows", list(self._flows))
        self.rates = {name: mean(table["flow_rate_bps"]) or 0.0 for name, table in tables.items()}
        self._lives = {name: mean(table["active_s"]) or 0.0 for name, table in tables.items()}
        self.long = [
            name
            for name, table in tables.items()
            if self._flows[name]["transport"] in {"tcp", "quic", "tfrc"}
            and self._lives[name] >= _LONG_S
            and all(map(math.isnan, table["completion_s"]))
        ]

    @functools.cached_property
    def flows(self) -> list[str]:
        """Long flows that are not limited by a well-used channel."""
        of_air = ("air", "application", "control", "handshake")
        return [
            flow
            for flow in self.long
            if (shares := self._limits.means(flow, mean))
            and (
                1 - math.fsum(shares[key] or 0.0 for key in of_air) >= _MOST
                or self._has_small_frames(flow)
            )
        ]

    def held(self, keys: NamedKeys) -> dict[str, tuple[Path, ...]]:
        """Flows limited by defaults for most of their time, each with the paths of these keys."""
        held = {}
        for flow in self.flows:
            by_default = [
                (share, [path for path in paths if not keys.has(path)])
                for share, paths in self._causes(flow)
            ]
            whole = math.fsum(share for share, paths in by_default if paths)
            paths = [path for share, paths in by_default if share >= _NAMED for path in paths]
            if whole >= _MOST and paths:
                held[flow] = tuple(dict.fromkeys(paths))
        return held

    def _causes(self, flow: str) -> Iterator[tuple[float, Sequence[Path]]]:
        """Limits of a flow: each as share of the flow's time, and paths of the keys that set it."""
        shares = {key: share or 0.0 for key, share in self._limits.means(flow, mean).items()}
        has_window = self._flows[flow]["transport"] in {"tcp", "quic"}
        window = [("flow", flow, "transport", "receive_window")] if has_window else []
        yield shares["receive_window"], window
        places = self._limits.places[flow]
        full = [
            path
            for place, at in places.items()
            if (mean(at.lost) or 0.0) > 0 and self._limits.cause(place) == "dropped_queue_full"
            for path in self._queue(place)
        ]
        yield shares["congestion_window"] + shares["rate"], full
        yield shares["host_queue"], self._own_queue(flow)
        for place, at in places.items():
            if place.cell is None:
                yield mean(at.waited) or 0.0, [(*self._wire(place), "rate")]
        if self._has_small_frames(flow):
            yield shares["air"], full or window

    def _queue(self, place: QueuePlace) -> list[Path]:
        """Key of the length of a queue; none if its capacity is in octets."""
        if place.cell is None:
            return [(*self._wire(place), "queue", "packets")]
        if place.number == 0:
            return [("bss", self._cells[place.cell], "ap", "queue", "packets")]
        return [("station", self._limits.node(place), "queue", "packets")]

    def _own_queue(self, flow: str) -> list[Path]:
        sender = self._flows[flow]["from"]
        if sender in self._hosts:
            return [("host", sender, "link", "queue", "packets")]
        return [("station", sender, "queue", "packets")]

    def _wire(self, place: QueuePlace) -> Path:
        """Path of the table of the wire to which a queue belongs."""
        link = place.number // 2
        name = self._links[place.number]["name"]
        return ("host", name, "link") if link < len(self._hosts) else ("link", name)

    def _has_small_frames(self, flow: str) -> bool:
        """True if a flow mostly waits for the air of a cell in which larger aggregates could double goodput.

        That is possible only if the cell's goodput is less than half of what its link rates could carry.
        """
        places = self._limits.places[flow]
        return any(
            place.cell is not None
            and (mean(at.waited) or 0.0) >= _MOST
            and self._uses[place.cell] < _HALF
            for place, at in places.items()
        )

    @functools.cached_property
    def _uses(self) -> list[float]:
        """Share of the time in which each cell could send its flows' data at link rates without overhead.

        The share is infinite for a cell without aggregates, whose frames cannot grow.
        """
        scenario = self._result.scenario
        stations = samples(self._result, "stations", scenario.stations)
        points = samples(self._result, "access_points", self._cells)
        cell_of = dict(zip(scenario.stations, scenario.station_cells, strict=True))
        used = dict.fromkeys(self._cells, math.inf)
        for cell, tables in [
            *points.items(),
            *((cell_of[name], t) for name, t in stations.items()),
        ]:
            if not all(map(math.isnan, tables["mean_aggregate"])):
                used[cell] = 0.0
        for name, flow in self._flows.items():
            for end, column in (("from", "mean_rate_up_bps"), ("to", "mean_rate_down_bps")):
                if (station := flow[end]) in cell_of:
                    rate = mean(stations[station][column]) or math.inf
                    used[cell_of[station]] += self.rates[name] / rate
        return [used[cell] for cell in self._cells]


def _saturated(
    result: Result,
    written: Tree,
    long: Sequence[str],
    held: Mapping[str, Sequence[Path]],
) -> dict[str, float]:
    """Rate of each flow in a second run, with saturated UDP in place of the flows `long` [bit/s].

    Suspected wires are `_FASTER` times as fast.
    """
    tree = {
        key: dict(table) if isinstance(table, Mapping) else table for key, table in written.items()
    }
    for flow in long:
        old = written["flow"][flow]
        transport = old["transport"]
        is_quic = transport["kind"] == "quic"
        payload = (
            transport.get("datagram", "1200 B") if is_quic else transport.get("segment", "1460 B")
        )
        kept = {key: value for key, value in old.items() if key != "control"}
        tree["flow"][flow] = kept | {
            "transport": {"kind": "udp", "payload": payload, "rate": "saturated"}
        }
    for path in {path for paths in held.values() for path in paths if path[-1] == "rate"}:
        section, name, *inner = path
        table = written[section][name]
        link = table["link"] if inner[0] == "link" else table
        number, unit = link["rate"].split()
        faster = dict(link) | {"rate": f"{float(number) * _FASTER:g} {unit}"}
        tree[section][name] = {"link": faster} if inner[0] == "link" else faster
    tree |= _times(result, written, held)
    try:
        scenario = Scenario.parse(toml(tree).encode())
    except ScenarioError:  # some key of the scenario is not allowed with UDP flows
        return {}
    (udp,) = run_many([scenario])
    tables = samples(udp, "flows", [flow["name"] for flow in scenario.flows])
    return {name: mean(table["flow_rate_bps"]) or 0.0 for name, table in tables.items()}


def _times(result: Result, written: Tree, held: Mapping[str, Sequence[Path]]) -> dict[str, Any]:
    """Duration and warm-up of the second run, which measures once all suspected flows have started."""
    lives = samples(result, "flows", [flow["name"] for flow in result.scenario.flows])
    end = result.scenario.duration_s
    shortest = min(mean(lives[flow]["active_s"]) or 0.0 for flow in held)
    start = end - shortest if shortest < end - result.scenario.warmup_s else 0.0
    begin = min(start + _SETTLING_S, end - _MEASURED_S / 2)
    if _is_steady(written):
        end = min(end, begin + _MEASURED_S)
    times = {"duration": end, "warmup": max(begin, 0.0)}
    texts: dict[str, Any] = {key: f"{round(value * 1e9)} ns" for key, value in times.items()}
    return texts | {"series": "off", "replications": 1}


def _is_steady(written: Tree) -> bool:
    """True if the link rates never change."""
    return all(
        isinstance(station.get("rate"), str) and "mobility" not in station
        for station in written.get("station", {}).values()
    )


def _of_any(path: Path) -> Path:
    """Path with `*` in place of a flow's name, so that keys of different flows are equal."""
    return (path[0], "*", *path[2:]) if path[0] == "flow" else path


def _line(
    flows: Sequence[str],
    rates: tuple[float, float],
    paths: Sequence[Path],
    of: tuple[NamedKeys, Tree],
) -> str:
    keys, written = of
    several = len(flows) > 1
    who = ", ".join(names.printable(label) for label, _ in names.groups(list(flows)))
    got, possible = (f"{rate / 1e6:.3g} Mb/s" for rate in rates)
    over = (
        f" over {_FASTER} times the rate of the wire" if any(p[-1] == "rate" for p in paths) else ""
    )
    told = []
    for path in paths:
        node: Any = written
        for name in path:
            node = node.get(name, "") if isinstance(node, Mapping) else ""
        value = f'"{node}"' if isinstance(node, str) else str(node)
        hint = " (more needs window_scaling = true)" if node == _WITHOUT_SCALING else ""
        told.append(f"{names.printable('.'.join(keys.raw(path)))} = {value}{hint}")
    return (
        f"{who}: {'these flows get' if several else 'this flow gets'} {got}, while saturated UDP would get "
        f"{possible}{over}; the default{'s' if len(told) > 1 else ''} {' and '.join(told)} "
        f"limit{'' if len(told) > 1 else 's'} {'them' if several else 'it'}; set "
        f"{'these keys' if len(told) > 1 else 'this key'} in the scenario"
    )

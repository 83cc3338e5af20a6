"""Pairs of scenarios for a condition: a cell with a scheme and without it.

Stations s1, s2, … have one flow each, to or from a wired host. The properties "slow", "sends", "uses the
scheme" and "has a special load" are spread evenly over the stations, so that they are uncorrelated. The two
scenarios of a pair differ only in the keys of the scheme.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from airfair.law_use import LawUse
from airfair.scenario import Value

from .space import DECLARED, SEGMENT, Condition, rates
from .standards import STREAMS, TODAY

Keys = Mapping[str, "Value"]
Role = Literal["lasting", "short", "idle"]


@dataclass(frozen=True)
class Times:
    """Durations of the warm-up and of the measured time of a run [s]."""

    warmup: float
    measured: float

    @property
    def end(self) -> float:
        """Time at which the run ends [s]."""
        return self.warmup + self.measured


FULL = Times(5, 30)
QUICK = Times(2, 8)
TODAYS = {FULL: Times(2, 10), QUICK: Times(1, 4)}
"""Times for 802.11n, ac and ax, which need less simulated time because they are faster."""


@dataclass(frozen=True)
class Switch:
    """Keys that turn a scheme on."""

    flow: Keys
    """Keys of the flows that use the scheme."""
    cell: Keys
    """Keys of the cell with the scheme."""
    base: Keys
    """Keys, in both scenarios, of the flows that can use the scheme."""
    base_cell: Keys
    """Keys, in both scenarios, of the cell."""
    senders_only: bool
    """True if only flows from stations can use the scheme."""
    leaves_one: bool
    """True if at least one flow must not use the scheme."""
    laws: tuple[LawUse, ...] = ()
    """Laws of one's own that are the scheme, at the access point or at `STATIONS`."""


STATIONS = "station.*"
"""Node of a law that acts at each station whose flow uses the scheme."""


@dataclass(frozen=True)
class Flow:
    """Flow of a station, and its properties."""

    number: int
    slow: bool
    up: bool
    uses: bool = False
    role: Role = "lasting"


@dataclass(frozen=True)
class Pair:
    """Scenarios without and with a scheme, and the flows in both."""

    without: Keys
    using: Keys
    flows: tuple[Flow, ...]
    laws: tuple[LawUse, ...] = ()
    """Laws that act in the scenario with the scheme."""


TRANSFER = {"802.11b": "100 kB", "802.11a": "500 kB", "802.11g": "500 kB"}
TRANSFER |= dict.fromkeys(TODAY, "2 MB")
"""Size of short transfers."""
TRANSFERS = 8
"""Number of short transfers of a station in a run; they start at random times."""


def pair(where: Condition, switch: Switch, times: Times) -> Pair:
    """Pair of scenarios for a condition."""
    flows = assign(where, switch)
    return Pair(
        without=_scenario(where, switch, flows, times, on=False),
        using=_scenario(where, switch, flows, times, on=True),
        flows=flows,
        laws=_placed(switch.laws, flows),
    )


def _placed(laws: Sequence[LawUse], flows: Sequence[Flow]) -> tuple[LawUse, ...]:
    """Laws at their nodes: those of stations at the stations whose flows use the scheme."""
    users = [f"station.s{flow.number}" for flow in flows if flow.uses]
    if len(users) == len(flows):
        users = [STATIONS]
    return tuple(
        replace(law, node=node)
        for law in laws
        for node in (users if law.node == STATIONS else [law.node])
    )


def assign(where: Condition, switch: Switch) -> tuple[Flow, ...]:
    """Flows of a condition, each with its properties: slow, uplink, with the scheme, short or partly idle."""
    n = int(where["stations"])
    ups = _count(n, where.get("up_share", 50), least=int(switch.senders_only))
    senders = _evenly(range(n), ups)
    # The last of each order is always chosen, so that a slow station sends (if any does) and uses the scheme.
    slow = _evenly(_grouped(n, senders), _count(n, where["slow_share"], least=1))
    order = _grouped(n, senders, slow)
    able = [i for i in order if i in senders] if switch.senders_only else order
    most = n - 1 if switch.leaves_one else len(able)
    users = _evenly(able, min(_count(len(able), where.get("deployed", 100), least=1), most))
    roles = _roles(str(where["load"]), _grouped(n, senders, slow, users))
    return tuple(
        Flow(i + 1, i in slow, i in senders, i in users, roles.get(i, "lasting")) for i in range(n)
    )


def _grouped(n: int, *sets: set[int]) -> list[int]:
    """Numbers below `n`, sorted so that members of the same sets are adjacent."""
    return sorted(range(n), key=lambda i: (*(i in members for members in sets), i))


def _roles(load: str, order: Sequence[int]) -> dict[int, Role]:
    """Roles by flow: every second one is short, or idle for most of the time.

    The first station is the first of every order and never chosen, so that f11 is a unique name.
    """
    match load:
        case "greedy":
            return {}
        case "short beside greedy":
            return dict.fromkeys(order[1::2], "short")
        case "partly idle":
            return dict.fromkeys(order[1::2], "idle")
        case _:
            raise ValueError(f"load {load!r}: unknown")


def _count(of: int, percent: object, least: int) -> int:
    return min(max(round(of * float(str(percent)) / 100), least), of)


def _evenly(items: Sequence[int], count: int) -> set[int]:
    """Choice of `count` items at even distances."""
    n = len(items)
    return {item for i, item in enumerate(items) if (i + 1) * count // n > i * count // n}


def _scenario(
    where: Condition, switch: Switch, flows: Sequence[Flow], times: Times, *, on: bool
) -> Keys:
    cell: dict[str, Value] = {
        "standard": where["standard"],
        "ap": {"queue": {"discipline": "fifo", "packets": where["ap_queue"]}},
    }
    is_todays = where["standard"] in TODAY
    if is_todays:
        limit = f"{int(where['aggregate']) * 1000} B"
        cell |= {"width": where["width"], "streams": STREAMS, "band": "5 GHz"}
        cell["aggregation"] = {"max_bytes": limit}
        cell |= DECLARED["ofdma"][str(where.get("ofdma", "off"))]
    if "attempts" in where:
        cell["max_attempts"] = where["attempts"]
    if float(where.get("errors", 0)) > 0:
        cell["errors"] = {"model": "bernoulli", "probability": float(where["errors"]) / 100}
    cell = _merged(cell, switch.base_cell)
    stations = {f"s{flow.number}": _station(where, times, slow=flow.slow) for flow in flows}
    if where.get("path") == "in the cell":
        stations["peer"] = _station(where, times, slow=False)
    wire: dict[str, Value] = {
        "delay": f"{float(where['round_trip']) / 2:g} ms",
        "queue": _WIRE_QUEUE,
    }
    if is_todays:
        wire["rate"] = "1 Gb/s"
    sections: dict[str, Value] = {
        "title": "A point of the map of limits",
        "duration": f"{times.end:g} s",
        "warmup": f"{times.warmup:g} s",
        "series": "1 s",
        "bss": {"cell": _merged(cell, switch.cell) if on else cell},
        "station": stations,
        # The delay of the wire in one direction is half of the round-trip time.
        "host": {"server": {"link": wire}},
        "flow": {f"f{flow.number}": _flow(where, switch, flow, times, on=on) for flow in flows},
    }
    return _beside_neighbour(sections, where) if _level(where) != "none" else sections


def _level(where: Condition) -> str:
    """Level of the dimension `neighbour`."""
    return str(where.get("neighbour", "none"))


def _beside_neighbour(sections: Mapping[str, Any], where: Condition) -> Keys:
    """Scenario with a second cell on the channel, whose access point sends to a fast station.

    All members of both cells hear each other, and the neighbour's access point always sends. A hidden
    neighbour's access point and that of the cell do not hear each other, and it offers a twentieth of the
    fast rate: with more, hardly a frame from the cell's access point would arrive.
    """
    names = ("standard", "width", "streams", "band", "aggregation")
    cells: dict[str, dict[str, Any]] = {
        "cell": {**sections["bss"]["cell"], **_CHANNEL},
        "next": {**{name: sections["bss"]["cell"][name] for name in names}, **_CHANNEL},
    }
    if _level(where) == "hidden":
        cells["cell"] = _merged(cells["cell"], {"ap": {"hears": ["next-station"]}})
        cells["next"] |= {"ap": {"hears": [*sections["station"]]}}
        rate = f"{rates(where)[0].mbps / 20:.4g} Mb/s"
    else:
        rate = "saturated"
    server = sections["host"]["server"]["link"]
    station = {"bss": "next", "rate": rates(where)[0].key}
    return {
        **sections,
        "bss": cells,
        "station": {
            **{name: {"bss": "cell", **keys} for name, keys in sections["station"].items()},
            "next-station": station,
        },
        "host": {
            "server": {"link": {"to": "cell", **server}},
            "next-server": {"link": {"to": "next", "rate": "1 Gb/s", "delay": "1 ms"}},
        },
        "flow": {
            **sections["flow"],
            "next": {
                "from": "next-server",
                "to": "next-station",
                "transport": {**_UDP, "rate": rate},
            },
        },
    }


_CHANNEL: Keys = {"channel": 36}
_UDP: Keys = {"kind": "udp", "payload": f"{SEGMENT} B"}

_WIRE_QUEUE: Keys = {"packets": 1000}


def _station(where: Condition, times: Times, *, slow: bool) -> dict[str, Value]:
    fast, slower = (rate.key for rate in rates(where))
    packets = where.get("station_queue", 50)
    queue: dict[str, Value] = {"queue": {"discipline": "fifo", "packets": packets}}
    if not slow:
        return {"rate": fast, **queue}
    match where.get("rates", "fixed"):
        case "fixed":
            return {"rate": slower, **queue}
        case "falls once":
            falls = f"{times.warmup + times.measured / 3:g} s"
            schedule: Value = [["0 s", fast], [falls, slower]]
            return {"rate": schedule, **queue}
        case "alternates":
            period = float(where["period"])
            return {"rate": _alternating((fast, slower), period, times), **queue}
        case "ARF":
            snr = rates(where)[1].snr_db
            if where["standard"] in TODAY:
                # With one stream ARF finds this rate, because `snr_db` is what its mode needs.
                queue["streams"] = 1
            return {
                "rate": {"control": "arf"},
                "errors": {"model": "snr", "snr": f"{snr:g} dB"},
                **queue,
            }
        case other:
            raise ValueError(f"rates {other!r}: unknown")


def _alternating(both: tuple[str, str], period: float, times: Times) -> Value:
    changes = [f"{i * period:.6g}" for i in range(int(times.end / period) + 1)]
    # A change at the end of the run would have no effect.
    return [[f"{at} s", both[i % 2]] for i, at in enumerate(changes) if float(at) < times.end]


def _flow(where: Condition, switch: Switch, flow: Flow, times: Times, *, on: bool) -> Keys:
    near = f"s{flow.number}"
    far = "peer" if flow.up and where.get("path") == "in the cell" else "server"
    able = flow.up or not switch.senders_only
    keys: dict[str, Value] = {
        "from": near if flow.up else far,
        "to": far if flow.up else near,
        "transport": _tcp(where),
        "start_jitter": "1 s",
    }
    match flow.role:
        case "short":
            transfer: Keys = {"transport": {"size": TRANSFER[str(where["standard"])]}}
            last = f"{times.measured * 0.8:g} s"
            keys = _merged(keys, transfer)
            keys |= {"count": TRANSFERS, "start": f"{times.warmup:g} s", "start_jitter": last}
        case "idle":
            third = times.measured / 3
            keys["start"] = f"{times.warmup + third:g} s"
            keys["stop"] = f"{times.warmup + 2 * third:g} s"
        case "lasting":
            pass
    if able and switch.base:
        keys = _merged(keys, switch.base)
    return _merged(keys, switch.flow) if on and flow.uses else keys


def _tcp(where: Condition) -> Keys:
    flavour, _, variant = str(where.get("flavour", "newreno")).partition(" ")
    if "sender" in where:
        flavour, variant = str(where["sender"]), "today"
    window = int(where.get("window", 65))
    keys: dict[str, Value] = {
        "kind": "tcp",
        "flavour": flavour,
        "sack": flavour in _SELECTIVE,
        "segment": f"{SEGMENT} B",
        "receive_window": f"{window} kB",
        "window_scaling": window * 1000 > _UNSCALED,
        **DECLARED["tcp"]["rfc"],
    }
    return {**keys, **DECLARED["tcp"][variant]} if variant else keys


_UNSCALED = 65535
_SELECTIVE = ("sack", "cubic")
"""Flavours of TCP with selective acknowledgements."""


def _merged(into: Mapping[str, object], keys: Mapping[str, object]) -> dict[str, Any]:
    """`into` with `keys` set; tables in both are merged, except those with a key `kind`."""
    result = dict(into)
    for key, value in keys.items():
        old = result.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping) and "kind" not in value:
            value = _merged(old, value)  # noqa: PLW2901 - the table with both
        result[key] = value
    return result

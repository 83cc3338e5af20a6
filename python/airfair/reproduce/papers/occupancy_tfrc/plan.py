"""Which cells are run: the paper's two figures, what equal shares depend on, what is beyond, and rivals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from airfair.reproduce.paper import Setup, Variant

from .cells import (
    DOWN,
    NAMES,
    NEWRENO,
    PACKETS,
    TFRC,
    TRANSPORTS,
    UP,
    Keys,
    Scheme,
    Station,
    cbr,
    equal_time,
    payload_by_rate,
    tables,
    window_by_rate,
)

if TYPE_CHECKING:
    from airfair.scenario import Value

RATES = (6, 9, 12, 18, 24, 36, 48, 54)
"""Of STA2 in Figure 3, and those drawn from in Figure 4 [Mb/s]."""
SOME_RATES = (6, 12, 18, 24)
COUNTS = tuple(range(1, 21))
"""N of Figure 4."""
TOP = 54

PLAIN, ON, ONCE, HIGHER = "plain", "proposed", "once", "r = 0.9"
SCHEMES: Mapping[str, Scheme] = {
    PLAIN: Scheme("plain"),
    ON: Scheme("proposed", occupancy=True),
    ONCE: Scheme("proposed, spare time counts once", occupancy={"spare": "once"}),
    HIGHER: Scheme("proposed, r = 0.9", occupancy={"satisfied": 0.9}),
}
BOTH = (PLAIN, ON)
"""The paper's two. The third is ours [D-114], the last the paper's with another constant."""
BESIDE = (ONCE, HIGHER)
"""Those beside the claims."""

PAPERS_S = 600
"""Length of a run."""
BESIDE_S = 300
SHORT_S = 200
"""Length of runs that decide no claim [D-117]."""
QUICK: Keys = {"duration": "40 s"}
"""Keys of a quick look."""

STARTED_S = 100
"""After which the start of the flows is over."""

WAYS: Mapping[str, str] = {DOWN: "downlink", UP: "uplink"}


@dataclass(frozen=True)
class Place:
    """What several schemes are run at."""

    setup: str
    point: str
    stations: Mapping[str, Station]
    keys: Keys = field(default_factory=dict)
    seconds: int = BESIDE_S

    def key(self, scheme: str) -> tuple[str, str]:
        """Setup and variant."""
        return (self.setup, f"{self.point}, {scheme}")

    def variant(self, id_: str, scheme: Scheme) -> Variant:
        """The variant of a scheme."""
        keys = {**self.keys, **tables(self.stations, scheme), "duration": f"{self.seconds} s"}
        return Variant(self.key(id_)[1], f"{self.setup}, {self.point}, {scheme.label}", keys)


def pair(
    mbps: float, way: str = DOWN, transport: Keys = TFRC, fast: float = TOP
) -> dict[str, Station]:
    """STA1 and STA2, a flow each."""
    return {
        f"sta{i}": Station(rate, (transport,), way) for i, rate in enumerate((fast, mbps), start=1)
    }


# ------------------------------------------------------------------ Figures 3 and 4


def setup_id(way: str, transport: str) -> str:
    """Setup with the axes of Figure 3 for a transport."""
    return "fig3" if (way, transport) == (DOWN, "tfrc") else f"{transport}-{way}"


def figure3(mbps: int, way: str = DOWN, transport: str = "tfrc") -> Place:
    """A rate of STA2 in the axes of Figure 3."""
    setup = setup_id(way, transport)
    stations = pair(mbps, way, TRANSPORTS[transport])
    return Place(setup, f"{mbps} Mb/s", stations, seconds=PAPERS_S)


EQUAL = tuple((way, transport) for way in (DOWN, UP) for transport in TRANSPORTS)
"""Where equal occupancy is looked for."""


def _beside(mbps: int) -> tuple[str, ...]:
    """Plain TCP, and uplink, at the lowest rate alone."""
    return BOTH if mbps == RATES[0] else (ON,)


def steady(mbps: int) -> Place:
    """Figure 3 without its first 100 s."""
    keys: Keys = {"warmup": f"{STARTED_S} s"}
    return replace(figure3(mbps), setup="steady", keys=keys)


def once(mbps: int, way: str = DOWN) -> Place:
    """The same for the variants of the scheme."""
    setup = "once" if way == DOWN else "once-up"
    return replace(figure3(mbps, way), setup=setup)


def drawn_rates(count: int, replication: int) -> list[int]:
    """Rates of `count` stations: the same in a replication whatever the scheme [D-116]."""
    name = f"occupancy-tfrc/fig4/{count}/{replication}"
    generator = np.random.default_rng(list(name.encode()))
    return [RATES[i] for i in generator.integers(len(RATES), size=count)]


def drawn(count: int, replication: int) -> dict[str, Station]:
    """So many stations with random rates."""
    rates = drawn_rates(count, replication)
    return {f"sta{i}": Station(rate) for i, rate in enumerate(rates, start=1)}


def figure4(count: int) -> Place:
    """An N of Figure 4, with the rates of the first replication."""
    return Place("fig4", f"N = {count}", drawn(count, 0), seconds=PAPERS_S)


def _drawn_keys(count: int, scheme: Scheme, replication: int) -> dict[str, Value]:
    return tables(drawn(count, replication), scheme)


def _figure4_variants() -> Iterable[Variant]:
    for count in COUNTS:
        for id_ in BOTH:
            variant = figure4(count).variant(id_, SCHEMES[id_])
            yield replace(variant, draw=partial(_drawn_keys, count, SCHEMES[id_]))


# ------------------------------------------------------------------ what the law depends on

OBSERVED = (1, 2, 3, 5, 10)
"""n, beacon intervals of an observation slot."""
SATISFIED = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""r."""
PRINTED_N, PRINTED_R = 3, 0.8
QUEUES = (50, 100, 200, 500)


def tuned(mbps: int, beacons: int = PRINTED_N, satisfied: float = PRINTED_R) -> Place:
    """Figure 3 with another n or r."""
    what = f"n = {beacons}" if satisfied == PRINTED_R else f"r = {satisfied:g}"
    return Place("law", f"{what}, {mbps} Mb/s", pair(mbps))


def tuned_scheme(beacons: int = PRINTED_N, satisfied: float = PRINTED_R) -> Scheme:
    """The proposed scheme with another n or r."""
    return replace(SCHEMES[ON], occupancy={"beacons": beacons, "satisfied": satisfied})


def slotted(mbps: int) -> Place:
    """Observation slots that do not overlap: one beacon interval of 300 ms."""
    return Place(
        "law",
        f"a slot of 300 ms, {mbps} Mb/s",
        pair(mbps),
        {"bss.cell.beacon": {"interval": "300 ms"}},
    )


def queued(mbps: int, packets: int) -> Place:
    """Figure 3 with another queue at the access point."""
    if packets == PACKETS:
        return tuned(mbps)
    return Place(
        "queue", f"{packets}, {mbps} Mb/s", pair(mbps), {"bss.cell.ap.queue": {"packets": packets}}
    )


DELAYS_MS = (10, 30, 50, 80)
"""From the server to the access point, one way; the third is the paper's."""


def distant(mbps: int, delay_ms: int) -> Place:
    """Figure 3 with another server."""
    if delay_ms == 50:  # noqa: PLR2004 - the paper's
        return tuned(mbps)
    keys: Keys = {"host.server.link.delay": f"{delay_ms} ms"}
    return Place("delay", f"{delay_ms} ms, {mbps} Mb/s", pair(mbps), keys)


UPLINK: Mapping[str, Keys] = {
    "as it is": {},
    "RTS/CTS": {"bss.cell.rts_threshold": "0 B"},
    "CWmin 127": {"bss.cell.cw_min": 127},
    "stations' queues of 500": {},
}
"""What uplink is changed by, STA2 at 6 Mb/s."""


def uplink(label: str) -> Place:
    """Uplink at the lowest rate, changed."""
    stations = pair(RATES[0], UP)
    if "500" in label:
        queue: Keys = {"queue": {"packets": 500}}
        stations = {name: replace(it, keys=queue) for name, it in stations.items()}
    return Place("uplink", label, stations, UPLINK[label])


def _law_variants() -> Iterable[Variant]:
    for mbps in SOME_RATES:
        for beacons in OBSERVED:
            yield tuned(mbps, beacons).variant(ON, tuned_scheme(beacons))
        for satisfied in SATISFIED:
            if satisfied != PRINTED_R:
                scheme = tuned_scheme(satisfied=satisfied)
                yield tuned(mbps, satisfied=satisfied).variant(ON, scheme)
        yield slotted(mbps).variant(ON, tuned_scheme(beacons=1))


# ------------------------------------------------------------------ beyond the paper

CONSTANT = (0.5, 1.0, 2.0, 4.0)
"""Rates that nobody controls [Mb/s]."""


def beside_constant(mbps: float) -> Place:
    """A constant rate to a station at 6 Mb/s, TFRC to two at 54 Mb/s."""
    fast = {f"sta{i}": Station(TOP) for i in (1, 2)}
    stations = {**fast, "slow": Station(6, (cbr(mbps),))}
    return Place("constant", f"{mbps:g} Mb/s", stations, seconds=SHORT_S)


MIXTURES: Mapping[str, Mapping[str, Station]] = {
    "three flows at 54": {"sta1": Station(54, (TFRC,) * 3), "sta2": Station(6)},
    "three flows at 6": {"sta1": Station(54), "sta2": Station(6, (TFRC,) * 3)},
    "TFRC, TCP, CBR at 6": {"sta1": Station(54), "sta2": Station(6, (TFRC, NEWRENO, cbr(0.5)))},
    "TFRC, TCP, CBR at both": {
        "sta1": Station(54, (TFRC, NEWRENO, cbr(0.5))),
        "sta2": Station(6, (TFRC, NEWRENO, cbr(0.5))),
    },
}
"""Several flows of a station."""


def mixture(label: str) -> Place:
    """Several flows of a station."""
    return Place("mixtures", label, MIXTURES[label], seconds=SHORT_S)


COMES_S, GOES_S = 60, 160
"""When the third station starts and stops."""


def guests() -> Place:
    """A station at 6 Mb/s that comes and goes."""
    flow: Keys = {"start": f"{COMES_S} s", "stop": f"{GOES_S} s"}
    stations = {**pair(24), "guest": Station(6, flow=flow)}
    return Place("guests", "a guest", stations, {"series": "1 s"}, 240)


LOSSES = (0.1, 0.3, 0.5)
"""Part of the frames that noise spoils, beacons among them."""
PATIENCE = (1, 3, 10)


def noisy(loss: float) -> Place:
    """Noise on both links."""
    errors: Value = {"model": "bernoulli", "probability": loss}
    stations = {name: replace(it, keys={"errors": errors}) for name, it in pair(6).items()}
    return Place("noise", f"{loss:.0%} of the frames", stations, seconds=SHORT_S)


def patient(beacons: int) -> str:
    """Id of the proposed scheme with another patience."""
    return f"patience {beacons}"


STANDARDS: Mapping[str, tuple[str, bool, float, float]] = {
    "802.11a": ("802.11a", False, 54, 6),
    "802.11a, RTS/CTS": ("802.11a", True, 54, 6),
    "802.11g": ("802.11g", False, 54, 6),
    "802.11g, RTS/CTS": ("802.11g", True, 54, 6),
    "802.11b": ("802.11b", False, 11, 1),
    "802.11b, RTS/CTS": ("802.11b", True, 11, 1),
}
"""Standard, RTS/CTS, rates of STA1 and STA2."""


def under(label: str) -> Place:
    """Figure 3's lowest rate under another standard."""
    standard, protected, fast, slow = STANDARDS[label]
    keys: Keys = {
        "bss.cell.standard": standard,
        "bss.cell.rts_threshold": "0 B" if protected else "off",
    }
    return Place("standards", label, pair(slow, fast=fast), keys, SHORT_S)


RADIO: Keys = {
    "bss.cell.radio": {
        "range": {"6 Mb/s": "370 m", "54 Mb/s": "37 m"},
        "reception": "qualnet4",
    }
}
"""That of arf-window [D-087]."""
WANDERS: Keys = {
    "rate": {"control": "arf", "preset": "qualnet4"},
    "mobility": {"model": "random-waypoint", "radius": "370 m", "max_speed": "10 m/s"},
}
MOVING = 4


def moving(way: str, transport: str) -> Place:
    """Stations that wander under ARF."""
    station = Station(TOP, (TRANSPORTS[transport],), way, WANDERS)
    stations = {f"sta{i}": station for i in range(1, MOVING + 1)}
    return Place("moving", f"{WAYS[way]}, {NAMES[transport]}", stations, RADIO, SHORT_S)


ARF_RIVALS: Mapping[str, Scheme] = {
    **{id_: SCHEMES[id_] for id_ in BOTH},
    "arf-window": Scheme("arf-window", control="arf-window", needs="stations, software"),
    "arf-aware": Scheme(
        "ARF-aware TCP", control="arf-aware", needs="senders in stations, software"
    ),
}
"""Two need ARF and TCP, and the second a station as sender."""
MOVES: Mapping[tuple[str, str], tuple[str, ...]] = {
    (DOWN, "tfrc"): BOTH,
    (UP, "tfrc"): BOTH,
    (DOWN, "newreno"): (*BOTH, "arf-window"),
    (UP, "newreno"): tuple(ARF_RIVALS),
}

# ------------------------------------------------------------------ rivals

RIVAL_RATES = (54, 36, 24, 12, 6)
"""A station at each; for the settings of the rivals see D-118."""


def _at_access_point(label: str, discipline: str, packets: int) -> Scheme:
    """A discipline of the access point's queue."""
    queue: Keys = {"discipline": discipline, "packets": packets}
    needs = "access point: queue and driver, software"
    return Scheme(label, keys={"bss.cell.ap.queue": queue}, needs=needs)


RIVALS: Mapping[str, Scheme] = {
    PLAIN: replace(SCHEMES[PLAIN], needs="nothing"),
    ON: replace(SCHEMES[ON], needs="access point (beacons) and stations, software of both"),
    ONCE: replace(SCHEMES[ONCE], label="proposed, spare once", needs="the same"),
    "txop": Scheme("TXOP of equal time", edca=equal_time, needs="EDCA of stations, by beacon"),
    "window": Scheme("CWmin by rate", edca=window_by_rate, needs="EDCA of each station, firmware"),
    "payload": Scheme("frame size by rate", payload=payload_by_rate, needs="senders, software"),
    "regulator": _at_access_point("time regulator", "time-regulator", PACKETS),
    "airtime": _at_access_point("airtime DRR, FQ-CoDel", "airtime", 8192),
}
RIVAL_TRANSPORTS = ("tfrc", "newreno")


def rival_place(way: str, transport: str) -> Place:
    """A station at each of five rates."""
    stations = {
        f"sta{i}": Station(mbps, (TRANSPORTS[transport],), way)
        for i, mbps in enumerate(RIVAL_RATES, start=1)
    }
    return Place(f"rivals-{way}", NAMES[transport], stations, seconds=SHORT_S)


# ------------------------------------------------------------------ all of it


def setups(directory: Path) -> dict[str, Setup]:
    """Everything that is run."""
    grouped: dict[str, list[Variant]] = {}
    for place, ids in _paired():
        variants = grouped.setdefault(place.setup, [])
        variants += [place.variant(id_, _SCHEMES[id_]) for id_ in ids]
    grouped["fig4"] = list(_figure4_variants())
    grouped["law"] = list(_law_variants())
    file = directory / "cell.toml"
    quick: Mapping[str, Keys] = {
        "guests": {**QUICK, "flow.of-guest.start": "15 s", "flow.of-guest.stop": "27 s"},
        "steady": {**QUICK, "warmup": "15 s"},
    }
    return {
        id_: Setup(id_, file, tuple(variants), quick.get(id_, QUICK))
        for id_, variants in grouped.items()
    }


_SCHEMES: Mapping[str, Scheme] = {
    **SCHEMES,
    **RIVALS,
    **ARF_RIVALS,
    **{
        patient(n): Scheme(f"proposed, patience of {n} beacons", occupancy={"patience": n})
        for n in PATIENCE
    },
}


def _paired() -> Iterable[tuple[Place, Iterable[str]]]:
    """Places with the schemes at them."""
    yield from ((figure3(mbps), BOTH) for mbps in RATES)
    yield from ((figure3(mbps, *at), _beside(mbps)) for at in EQUAL[1:] for mbps in RATES)
    yield from ((steady(mbps), (ON,)) for mbps in RATES)
    yield from ((once(mbps), BESIDE) for mbps in RATES)
    yield from ((once(mbps, UP), (ONCE,)) for mbps in RATES)
    others = [packets for packets in QUEUES if packets != PACKETS]
    yield from ((queued(mbps, packets), (ON,)) for mbps in SOME_RATES for packets in others)
    others = [delay for delay in DELAYS_MS if delay != 50]  # noqa: PLR2004 - the paper's
    yield from ((distant(mbps, delay), (ON,)) for mbps in SOME_RATES for delay in others)
    yield from ((uplink(label), (ON, ONCE)) for label in UPLINK)
    yield from ((beside_constant(rate), BOTH) for rate in CONSTANT)
    yield from ((mixture(label), BOTH) for label in MIXTURES)
    yield guests(), (*BOTH, ONCE)
    yield from ((noisy(loss), (PLAIN, *map(patient, PATIENCE))) for loss in LOSSES)
    yield from ((under(label), BOTH) for label in STANDARDS)
    yield from ((moving(*at), ids) for at, ids in MOVES.items())
    yield from ((rival_place(way, t), RIVALS) for way in WAYS for t in RIVAL_TRANSPORTS)

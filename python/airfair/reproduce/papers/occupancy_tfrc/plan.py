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
    TFRC_2008,
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
SOME_RATES = (6, 18, 54)
"""Those of what stands beside."""
COUNTS = tuple(range(1, 21))
"""N of Figure 4."""
SOME_COUNTS = (1, 5, 20)
"""Likewise."""
FEW = 6
"""N up to which rates differ much from one replication to the next, and more of them are run."""
FIG4, MANY = "fig4", "fig4-many"
"""Setups of Figure 4 up to that N, and beyond."""
TOP = 54

PLAIN, ON, ONCE = "plain", "proposed", "once"
SCHEMES: Mapping[str, Scheme] = {
    PLAIN: Scheme("plain"),
    ON: Scheme("proposed", occupancy=True),
    ONCE: Scheme("proposed, spare time counts once", occupancy={"spare": "once"}),
}
BOTH = (PLAIN, ON)
"""The paper's two. The third is ours [D-114]."""

REPLICATIONS = 10
"""Runs of what decides claims, but for Figure 4 beyond `FEW` stations."""
FEWER = 5
"""Runs of what stands beside, and of many stations [D-117]."""
PAPERS_S = 600
"""Length of a run."""
SHORT_S = 200
"""Length of runs beside, of which the first `STARTED_S` do not count [D-117]."""
STARTED_S = 50
"""After which the start of the flows is over."""
QUICK: Mapping[str, Keys] = {
    "fig3": {"duration": "240 s", "warmup": "40 s"},
    FIG4: {"duration": "90 s", "warmup": "40 s"},
    MANY: {"duration": "90 s", "warmup": "40 s"},
}
"""Keys of a quick look, which leaves the start out. What two flows of plain TFRC get is alike only in the
long run; what many stations get depends more on the rates drawn than on time."""

WAYS: Mapping[str, str] = {DOWN: "downlink", UP: "uplink"}


@dataclass(frozen=True)
class Place:
    """Place at which several schemes are run."""

    setup: str
    point: str
    stations: Mapping[str, Station]
    keys: Keys = field(default_factory=dict)
    seconds: int = SHORT_S
    warmup: int = STARTED_S

    def key(self, scheme: str) -> tuple[str, str]:
        """Setup and variant."""
        return (self.setup, f"{self.point}, {scheme}")

    def variant(self, id_: str, scheme: Scheme) -> Variant:
        """The variant of a scheme."""
        length: Keys = {"duration": f"{self.seconds} s", "warmup": f"{self.warmup} s"}
        keys = {**self.keys, **tables(self.stations, scheme), **length}
        return Variant(self.key(id_)[1], keys)


def pair(
    mbps: float, way: str = DOWN, transport: Keys = TFRC, fast: float = TOP
) -> dict[str, Station]:
    """STA1 and STA2, a flow each."""
    return {
        f"sta{i}": Station(rate, (transport,), way) for i, rate in enumerate((fast, mbps), start=1)
    }


# ------------------------------------------------------------------ Figures 3 and 4


def figure3(mbps: int) -> Place:
    """A rate of STA2 in Figure 3."""
    return Place("fig3", f"{mbps} Mb/s", pair(mbps), seconds=PAPERS_S, warmup=0)


def once(mbps: int) -> Place:
    """Figure 3 where spare time counts once."""
    return replace(figure3(mbps), setup="once")


def figure3_2008(mbps: int) -> Place:
    """Figure 3 over TFRC as of 2008."""
    return replace(figure3(mbps), setup="rfc5348", stations=pair(mbps, DOWN, TFRC_2008))


def equal(mbps: int, way: str, transport: str) -> Place:
    """Two stations in a direction over a transport."""
    point = f"{WAYS[way]}, {NAMES[transport]}, {mbps} Mb/s"
    return Place("transports", point, pair(mbps, way, TRANSPORTS[transport]))


EQUAL = tuple((way, transport) for way in (DOWN, UP) for transport in TRANSPORTS)
"""Directions and transports in which equal occupancy is looked for."""


def _beside(mbps: int) -> tuple[str, ...]:
    """Variants that are run: the one without the scheme at the lowest rate alone."""
    return BOTH if mbps == RATES[0] else (ON,)


def drawn_rates(count: int, replication: int) -> list[int]:
    """Rates of `count` stations: the same in a replication whatever the scheme [D-116]."""
    name = f"occupancy-tfrc/fig4/{count}/{replication}"
    generator = np.random.default_rng(list(name.encode()))
    return [RATES[i] for i in generator.integers(len(RATES), size=count)]


def drawn(count: int, replication: int, transport: Keys = TFRC) -> dict[str, Station]:
    """So many stations with random rates."""
    rates = drawn_rates(count, replication)
    return {f"sta{i}": Station(rate, (transport,)) for i, rate in enumerate(rates, start=1)}


def figure4(count: int) -> Place:
    """An N of Figure 4, with the rates of the first replication."""
    setup = FIG4 if count <= FEW else MANY
    return Place(setup, f"N = {count}", drawn(count, 0), seconds=PAPERS_S, warmup=0)


def figure4_2008(count: int) -> Place:
    """The same over TFRC as of 2008."""
    return replace(figure4(count), setup="rfc5348-many", stations=drawn(count, 0, TFRC_2008))


def _drawn_keys(count: int, scheme: Scheme, transport: Keys, replication: int) -> Keys:
    return tables(drawn(count, replication, transport), scheme)


def _figure4_variants(places: Iterable[Place], transport: Keys = TFRC) -> Iterable[Variant]:
    for place in places:
        count = len(place.stations)
        for id_ in BOTH:
            draw = partial(_drawn_keys, count, SCHEMES[id_], transport)
            yield replace(place.variant(id_, SCHEMES[id_]), draw=draw)


# ------------------------------------------------------------------ what the law depends on

PROFILES: Mapping[str, Keys] = {"eq. 1": TFRC, "RFC 5348": TFRC_2008}
"""Whose TFRC, by what the reports say of X_recv."""


@dataclass(frozen=True)
class Setting:
    """Setting by which Figure 3 is varied."""

    occupancy: Mapping[str, Value] = field(default_factory=dict)
    """Keys of the scheme."""
    keys: Keys = field(default_factory=dict)
    """Keys of the cell and the server."""


SETTINGS: Mapping[str, Setting] = {
    "as printed": Setting(),
    "r = 0.9": Setting({"satisfied": 0.9}),
    "n = 10": Setting({"beacons": 10}),
    "queue of 50": Setting(keys={"bss.cell.ap.queue": {"packets": 50}}),
    "queue of 75": Setting(keys={"bss.cell.ap.queue": {"packets": 75}}),
    "queue of 200": Setting(keys={"bss.cell.ap.queue": {"packets": 200}}),
    "server at 10 ms": Setting(keys={"host.server.link.delay": "10 ms"}),
    "server at 80 ms": Setting(keys={"host.server.link.delay": "80 ms"}),
}
"""The paper has r = 0.8, n = 3, a queue of 100 packets and a server at 50 ms."""


TUNED_MBPS = 18
"""Rate of STA2 where settings are varied: where RFC 5348 is furthest from equal shares."""


def tuned(label: str, profile: str) -> Place:
    """Figure 3 under another setting."""
    stations = pair(TUNED_MBPS, DOWN, PROFILES[profile])
    return Place("law", f"{label}, {profile}", stations, SETTINGS[label].keys)


UPLINK: Mapping[str, Keys] = {
    "as it is": {},
    "RTS/CTS": {"bss.cell.rts_threshold": "0 B"},
    "CWmin 127": {"bss.cell.cw_min": 127},
    "stations' queues of 500": {},
}
"""Settings by which uplink is changed, STA2 at 6 Mb/s."""


def uplink(label: str) -> Place:
    """Uplink at the lowest rate, changed."""
    stations = pair(RATES[0], UP)
    if "500" in label:
        queue: Keys = {"queue": {"packets": 500}}
        stations = {name: replace(it, keys=queue) for name, it in stations.items()}
    return Place("uplink", label, stations, UPLINK[label])


def _law_variants() -> Iterable[Variant]:
    for label, setting in SETTINGS.items():
        scheme = replace(SCHEMES[ON], occupancy={"beacons": 3, **setting.occupancy})
        yield from (tuned(label, profile).variant(ON, scheme) for profile in PROFILES)


# ------------------------------------------------------------------ beyond the paper

CONSTANT = (0.5, 1.0, 2.0, 4.0)
"""Rates that nobody controls [Mb/s]."""


def beside_constant(mbps: float) -> Place:
    """A constant rate to a station at 6 Mb/s, TFRC to two at 54 Mb/s."""
    fast = {f"sta{i}": Station(TOP) for i in (1, 2)}
    stations = {**fast, "slow": Station(6, (cbr(mbps),))}
    return Place("constant", f"{mbps:g} Mb/s", stations)


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
    return Place("mixtures", label, MIXTURES[label])


COMES_S, GOES_S = 60, 160
"""Times at which the third station starts and stops."""


def guests() -> Place:
    """A station at 6 Mb/s that comes and goes."""
    flow: Keys = {"start": f"{COMES_S} s", "stop": f"{GOES_S} s"}
    stations = {**pair(24), "guest": Station(6, flow=flow)}
    return Place("guests", "a guest", stations, {"series": "1 s"}, 240, 0)


LOSSES = (0.1, 0.3)
"""Part of the frames that noise spoils, beacons among them."""


def noisy(loss: float) -> Place:
    """Noise on both links."""
    errors: Value = {"model": "bernoulli", "probability": loss}
    stations = {name: replace(it, keys={"errors": errors}) for name, it in pair(6).items()}
    return Place("noise", f"{loss:.0%} of the frames", stations)


STANDARDS: Mapping[str, tuple[str, bool, float, float]] = {
    "802.11a, RTS/CTS": ("802.11a", True, 54, 6),
    "802.11g": ("802.11g", False, 54, 6),
    "802.11b": ("802.11b", False, 11, 1),
}
"""Standard, RTS/CTS, rates of STA1 and STA2."""


def under(label: str) -> Place:
    """Figure 3's lowest rate under another standard."""
    standard, protected, fast, slow = STANDARDS[label]
    keys: Keys = {
        "bss.cell.standard": standard,
        "bss.cell.rts_threshold": "0 B" if protected else "off",
    }
    return Place("standards", label, pair(slow, fast=fast), keys)


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
    return Place("moving", f"{WAYS[way]}, {NAMES[transport]}", stations, RADIO)


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
    return Place(f"rivals-{way}", NAMES[transport], stations)


# ------------------------------------------------------------------ all of it


CLAIMED = ("fig3", FIG4, MANY)
"""Setups that decide claims; all others are beyond the paper, or beside its claims."""
DECISIVE = ("fig3", FIG4, "rfc5348")
"""Setups that are run most often: with the reading that the paper's citation suggests."""


def setups(directory: Path) -> dict[str, Setup]:
    """Everything that is run."""
    grouped: dict[str, list[Variant]] = {}
    for place, ids in _paired():
        variants = grouped.setdefault(place.setup, [])
        variants += [place.variant(id_, _SCHEMES[id_]) for id_ in ids]
    for id_, counts in ((FIG4, COUNTS[:FEW]), (MANY, COUNTS[FEW:])):
        grouped[id_] = list(_figure4_variants(map(figure4, counts)))
    grouped["rfc5348-many"] = list(_figure4_variants(map(figure4_2008, SOME_COUNTS), TFRC_2008))
    grouped["law"] = list(_law_variants())
    return {
        id_: Setup(
            id_,
            directory / "cell.toml",
            tuple(variants),
            QUICK.get(id_, {}),
            replications=None if id_ in DECISIVE else FEWER,
            extension=id_ not in CLAIMED,
        )
        for id_, variants in grouped.items()
    }


_SCHEMES: Mapping[str, Scheme] = {**SCHEMES, **RIVALS, **ARF_RIVALS}


def _paired() -> Iterable[tuple[Place, Iterable[str]]]:
    """Places with the schemes at them."""
    yield from ((figure3(mbps), BOTH) for mbps in RATES)
    yield from ((once(mbps), (ONCE,)) for mbps in SOME_RATES)
    yield from ((figure3_2008(mbps), BOTH) for mbps in SOME_RATES)
    yield from ((equal(mbps, *at), _beside(mbps)) for at in EQUAL for mbps in SOME_RATES)
    yield from ((uplink(label), (ON,)) for label in UPLINK)
    yield from ((beside_constant(rate), BOTH) for rate in CONSTANT)
    yield from ((mixture(label), BOTH) for label in MIXTURES)
    yield guests(), (*BOTH, ONCE)
    yield from ((noisy(loss), BOTH) for loss in LOSSES)
    yield from ((under(label), BOTH) for label in STANDARDS)
    yield from ((moving(*at), ids) for at, ids in MOVES.items())
    yield from ((rival_place(way, t), RIVALS) for way in WAYS for t in RIVAL_TRANSPORTS)

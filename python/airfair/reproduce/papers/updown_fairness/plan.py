"""Which cells are run: flows, attempts and buffers, what the access point does, what the hosts are like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from airfair.reproduce.paper import Setup, Variant

if TYPE_CHECKING:
    from airfair.scenario import Value

SYMMETRIC = {"dl1-ul1": 1, "dl2-ul2": 2, "dl4-ul4": 4}
"""The paper's scenarios, and how many flows there are each way."""
TWO, FOUR = "dl2-ul2", "dl4-ul4"
ATTEMPTS = tuple(range(1, 9))
"""M_t, transmission attempts of a frame."""
CURVE = (1, 2, 3, 4, 6, 8)
"""Those of them at which all buffers are run."""
LARGE = (50, 100, 200)
"""Q, packets at the access point: those that the text names, and calls large."""
SMALL = (10, 20)
"""Smaller buffers, of which the text speaks and names none; these are ours [D-064]."""
LATE = (4, 6, 8)
"""Attempts beyond the reversal at M_t = 3."""
LAST = (6, 8)
"""Attempts for which the scheduler is said to reach its target."""
SHOWN = 100
"""The buffer of Figures 3 and 7."""


@dataclass(frozen=True)
class Scheme:
    """Scheme of an access point with `Q` packets."""

    label: str
    queue: Mapping[str, Value]
    more: Mapping[str, Value]

    def keys(self, packets: int) -> dict[str, Value]:
        """The keys that make it so."""
        queue: Value = {"packets": packets, **self.queue}
        return {"bss.cell.ap.queue": queue, **self.more}


def _queue(label: str, **queue: Value) -> Scheme:
    return Scheme(label, queue, {})


def _access(label: str, **edca: Value) -> Scheme:
    value: Value = edca
    return Scheme(label, {}, {"bss.cell.ap.edca": value})


COUNTED = {"discipline": "data-ack", "weights": "active-flows", "overflow": "longest-flow"}

SCHEMES: Mapping[str, Scheme] = {
    "fifo": _queue("FIFO"),
    "scheduler": _queue("DATA/ACK 2:1", discipline="data-ack"),
    "counted": Scheme("DATA/ACK by connections", COUNTED, {}),
    "windows": Scheme("windows shared", {}, {"bss.cell.ap.window_sharing": True}),
    "both": Scheme("by connections, windows shared", COUNTED, {"bss.cell.ap.window_sharing": True}),
    "window": _access("CWmin 7 at the AP", cw_min=7),
    "txop": _access("TXOP 8 ms at the AP", txop_limit="8 ms"),
    "ack-filter": _queue("FIFO, ACK filter", ack_filter=True),
    "codel": _queue("CoDel", discipline="codel"),
    "fq-codel": _queue("FQ-CoDel", discipline="fq-codel"),
    "shared": _queue("DATA/ACK 2:1, Q shared", discipline="data-ack", limit="shared"),
}
"""The paper's two disciplines, what it leaves to future work, and the rivals that it cites or does not
know yet."""
RIVALS = ("scheduler", "counted", "windows", "window", "ack-filter")
"""Those beside each other in the axes of Figure 6(b)."""
RIVAL_ATTEMPTS = (1, 2, 8)


@dataclass(frozen=True)
class System:
    """Radio and hosts of the testbed."""

    label: str
    keys: Mapping[str, Value]


def _hosts(**transport: Value) -> dict[str, Value]:
    """Settings of TCP in both directions."""
    flows = ("uplink", "downlink")
    return {f"flow.{flow}.transport.{key}": v for flow in flows for key, v in transport.items()}


def _bernoulli(probability: float) -> Value:
    return {"model": "bernoulli", "probability": probability}


def _frames(probability: float) -> System:
    """Frames spoilt on the air, everybody's."""
    return System(
        f"{probability:.1%} of all frames spoilt", {"bss.cell.errors": _bernoulli(probability)}
    )


def _senders(probability: float) -> System:
    """Frames spoilt between the stations that send and the access point."""
    return System(
        f"{probability:.1%} of the sending stations’ frames spoilt",
        {"station.up.errors": _bernoulli(probability)},
    )


def _lost(probability: float) -> System:
    """Packets lost whatever M_t is."""
    return System(
        f"{probability:.1%} of the packets lost for good",
        {"host.A.link.loss": _bernoulli(probability)},
    )


def _capture(receivers: str, lost: float = 0.0) -> System:
    """The stronger frame survives; all that send are in one place, all that receive in another."""
    also = _lost(lost) if lost else None
    return System(
        f"capture, receivers at {receivers}" + (f", {also.label}" if also else ""),
        {
            "bss.cell.radio": {"capture": CAPTURE},
            "station.up.position": ["-5 m", "0 m"],
            "station.down.position": [receivers, "0 m"],
            **(also.keys if also else {}),
        },
    )


CAPTURE = "6 dB"
"""By how much a frame must be the stronger one. In free space all from 0 to 6 dB are one case with receivers
as far from the access point as the senders, 5 m the other way; beyond, nothing is captured there."""

RFC: Mapping[str, Value] = {
    "byte_counting": True,
    "quick_acks": 0,
    "full_queue": "loss",
    "initial_window": 10,
    "min_rto": "1 s",
    "tick": "1 us",
    "delayed_ack": True,
}
"""TCP as today's RFCs have it, instead of Linux's of 2005."""

SYSTEMS: Mapping[str, System] = {
    "ideal": System("ideal channel", {}),
    "rfc": System("ideal channel, TCP by today’s RFCs", _hosts(**RFC)),
    **{f"frames-{p}": _frames(p) for p in (0.01, 0.02)},
    **{f"lost-{p}": _lost(p) for p in (0.003, 0.01, 0.02)},
    **{f"senders-{p}": _senders(p) for p in (0.01, 0.015, 0.02, 0.025, 0.03)},
    "capture": _capture("5 m"),
    **{f"capture-near-{p}": _capture("2.5 m", p) for p in (0.0, 0.005, 0.015)},
}
"""The candidates: what the testbed's radio and hosts may have been like."""

DECIDES = "senders-0.02"
"""The system that decides the claims: the nearest to Figure 3's printed row, which FIFO alone gives."""
NEAR = "senders-0.025"
"""The other one whose row is, in the root mean square, within what “the same” allows."""


@dataclass(frozen=True)
class Scope:
    """Part of the paper's plane that is run in a system."""

    attempts: tuple[int, ...]
    """M_t, with a buffer of `SHOWN`."""
    buffers: tuple[int, ...]
    """Q, where a claim speaks of several."""
    schemes: tuple[str, ...] = ("fifo", "scheduler")
    replications: int | None = None

    def among(self, attempts: Iterable[int]) -> tuple[int, ...]:
        """Those of the attempts that are run."""
        return tuple(m for m in attempts if m in self.attempts)


_WHOLE = Scope(ATTEMPTS, LARGE)
_BRIEF = (1, 2, 3, 4, 8)
SCOPES: Mapping[str, Scope] = {
    DECIDES: _WHOLE,
    NEAR: _WHOLE,
    "capture": Scope(_BRIEF, (SHOWN,), ("fifo",), replications=3),
    "lost-0.003": Scope(_BRIEF, (SHOWN,), replications=3),
    "ideal": Scope(_BRIEF, (SHOWN,), replications=3),
}
"""The systems under which claims are told. What decides nothing is run with one buffer and less often."""

QUICK: Mapping[str, Value] = {"duration": "150 s"}
"""A quick look at a cell."""
FEW = 3
"""Replications of what goes beyond the paper."""

STACK: Mapping[str, System] = {
    "file": System("as in the file", {}),
    "undelayed": System("no delayed ACKs", _hosts(delayed_ack=False)),
    "bytes": System("byte counting", _hosts(byte_counting=True)),
    "rto": System("RTO from 1 s on", _hosts(min_rto="1 s")),
    "rest": System(
        "the rest: quick ACKs, start, full queue",
        _hosts(quick_acks=0, initial_window=10, full_queue="loss"),
    ),
}
"""Differences of Linux of 2005, one thing changed at a time."""

WINDOWS = ("64 kB", "128 kB")
"""Socket buffers in the table of the scheduler's limit; the file's never bind."""
ASYMMETRIC = ((4, 4), (1, 7), (7, 1))
"""Flows up and down."""
COMPARED = ("fifo", "scheduler", "counted", "windows", "window", "txop", "codel", "fq-codel")
"""Schemes that meet different numbers of flows."""
MIXED = ("fifo", "scheduler", "counted", "windows", "both")
"""Schemes under which short flows are mixed in."""


@dataclass(frozen=True)
class Place:
    """One point of a figure."""

    system: str
    scheme: str
    scenario: str
    attempts: int
    packets: int

    @property
    def key(self) -> tuple[str, str]:
        """Setup and variant."""
        return (setup_id(self.system, self.scheme, self.scenario), _point(self))


def _point(place: Place) -> str:
    return f"M{place.attempts}-Q{place.packets}"


def setup_id(system: str, scheme: str, scenario: str) -> str:
    """Id of the setup with all points of a scenario under a scheme in a system."""
    return f"{system}-{scheme}-{scenario}"


def places(
    system: str,
    scheme: str,
    scenarios: Iterable[str],
    attempts: Iterable[int],
    packets: Iterable[int],
) -> list[Place]:
    """All combinations."""
    packets = tuple(packets)
    attempts = tuple(attempts)
    return [Place(system, scheme, s, m, q) for s in scenarios for m in attempts for q in packets]


def claimed(system: str) -> list[Place]:
    """Every point that a claim looks at."""
    scope = SCOPES[system]

    def some(
        scheme: str, scenarios: Iterable[str], attempts: Iterable[int], packets: Iterable[int]
    ) -> list[Place]:
        return places(system, scheme, scenarios, scope.among(attempts), packets)

    fifo = [
        *some("fifo", ("dl1-ul1", FOUR), ATTEMPTS, (SHOWN,)),
        *some("fifo", (TWO, FOUR), (1, 2, *LATE), scope.buffers),
    ]
    fair = [
        *some("scheduler", SYMMETRIC, LAST, scope.buffers),
        *some("scheduler", (TWO, FOUR), (1, 2), (SHOWN,)),
    ]
    asked = [*fifo, *fair]
    return list(dict.fromkeys(place for place in asked if place.scheme in scope.schemes))


def _drawn() -> list[Place]:
    """Every point of the paper's figures."""
    return [
        *places(DECIDES, "fifo", SYMMETRIC, ATTEMPTS, (SHOWN,)),
        *places(DECIDES, "scheduler", SYMMETRIC, ATTEMPTS, (SHOWN,)),
        *places(DECIDES, "fifo", (TWO, FOUR), CURVE, LARGE),
        *places(DECIDES, "scheduler", (TWO, FOUR), CURVE, LARGE),
    ]


def stack_places() -> dict[str, Place]:
    """Points at which each detail of the stack is tried, with their labels."""
    return {
        "dl2, M_t 1": Place(DECIDES, "fifo", TWO, 1, SHOWN),
        "dl4, M_t 2": Place(DECIDES, "fifo", FOUR, 2, SHOWN),
        "dl1, M_t 3": Place(DECIDES, "fifo", "dl1-ul1", 3, SHOWN),
        "2:1, dl1, M_t 8, Q 200": Place(DECIDES, "scheduler", "dl1-ul1", 8, LARGE[-1]),
    }


def setups(directory: Path) -> dict[str, Setup]:
    """Everything that is run."""
    path = directory / "cell.toml"
    asked = [*_drawn(), *(place for system in SCOPES for place in claimed(system))]
    grouped: dict[str, list[Place]] = {}
    for place in dict.fromkeys(asked):
        grouped.setdefault(place.key[0], []).append(place)
    rivals = [Place(DECIDES, rival, FOUR, m, SHOWN) for rival in RIVALS for m in RIVAL_ATTEMPTS]
    shared = places(DECIDES, "shared", (FOUR,), LAST[:1], LARGE)
    small = places(DECIDES, "fifo", (TWO, FOUR), (1,), SMALL)
    others = [
        _calibration(path),
        _group("small", path, small),
        _group("rivals", path, [one for one in rivals if one.key[0] not in grouped]),
        _group("shared", path, shared),
        _stack(path),
        _windows(path),
        *(_asymmetric(path, *flows) for flows in ASYMMETRIC),
        _mixed(directory / "short-flows.toml"),
    ]
    paper = [_claimed(id_, path, found) for id_, found in grouped.items()]
    return {setup.id: setup for setup in (*paper, *others)}


def _claimed(id_: str, path: Path, found: Sequence[Place]) -> Setup:
    """The points of a scenario under a scheme in a system."""
    return Setup(
        id_,
        path,
        tuple(Variant(place.key[1], _keys(place)) for place in found),
        QUICK,
        replications=SCOPES[found[0].system].replications,
        extension=found[0].system not in (DECIDES, NEAR),
    )


def _group(id_: str, path: Path, found: Sequence[Place]) -> Setup:
    """Points of several schemes or scenarios that decide nothing."""
    variants = tuple(Variant("-".join(place.key), _keys(place)) for place in found)
    return Setup(id_, path, variants, QUICK, replications=FEW, extension=True)


def in_group(id_: str, place: Place) -> tuple[str, str]:
    """Setup and variant of a point in such a group."""
    return (id_, "-".join(place.key))


def _keys(place: Place) -> dict[str, Value]:
    return {
        **_counts(SYMMETRIC[place.scenario], SYMMETRIC[place.scenario]),
        "bss.cell.max_attempts": place.attempts,
        **SCHEMES[place.scheme].keys(place.packets),
        **SYSTEMS[place.system].keys,
    }


def _counts(up: int, down: int) -> dict[str, Value]:
    return {"station.up.count": up, "station.down.count": down}


def _calibration(path: Path) -> Setup:
    variants = tuple(
        Variant(id_, _keys(Place(id_, "fifo", "dl1-ul1", 1, SHOWN))) for id_ in SYSTEMS
    )
    return Setup("calibration", path, variants, QUICK)


def _stack(path: Path) -> Setup:
    variants = tuple(
        Variant(f"{id_}-{i}", {**_keys(place), **change.keys})
        for id_, change in STACK.items()
        for i, place in enumerate(stack_places().values())
    )
    return Setup("stack", path, variants, QUICK, replications=FEW, extension=True)


def _windows(path: Path) -> Setup:
    """The scheduler and windows of several sizes, on an ideal channel: nothing else limits them."""
    variants = tuple(
        Variant(
            f"{scenario}-{size}-Q{packets}",
            {
                **_keys(Place("ideal", "scheduler", scenario, LAST[0], packets)),
                **_hosts(receive_window=size),
            },
        )
        for scenario in SYMMETRIC
        for size in WINDOWS
        for packets in LARGE
    )
    return Setup("windows", path, variants, QUICK, replications=FEW, extension=True)


def asymmetric_id(up: int, down: int) -> str:
    """Id of the setup in which the schemes meet so many flows."""
    return f"flows-{up}-{down}"


def _asymmetric(path: Path, up: int, down: int) -> Setup:
    variants = tuple(
        Variant(
            id_,
            {
                **_counts(up, down),
                "bss.cell.max_attempts": LAST[0],
                **SCHEMES[id_].keys(SHOWN),
                **SYSTEMS[DECIDES].keys,
            },
        )
        for id_ in COMPARED
    )
    return Setup(asymmetric_id(up, down), path, variants, QUICK, replications=FEW, extension=True)


def _mixed(path: Path) -> Setup:
    variants = tuple(Variant(id_, SCHEMES[id_].keys(SHOWN)) for id_ in MIXED)
    starts = {f"flow.{flow}.start_jitter": "100 s" for flow in ("upload", "download")}
    return Setup(
        "short-flows", path, variants, {**QUICK, **starts}, replications=FEW, extension=True
    )

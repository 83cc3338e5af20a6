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
ATTEMPTS = tuple(range(1, 9))
"""M_t, transmission attempts of a frame."""
BUFFERS = (10, 20, 50, 100, 200)
"""Q, packets at the access point; the text names 50, 100 and 200, the others are ours [D-064]."""
LARGE = (50, 100, 200)
"""Buffers that the text calls large."""
SMALL = (10, 20)
LATE = (4, 6, 8)
"""Attempts beyond the reversal at M_t = 3."""
LAST = (6, 8)
"""Attempts for which the scheduler is said to reach its target."""
SHOWN = 100
"""The buffer of Figures 3 and 7."""


@dataclass(frozen=True)
class Scheme:
    """What an access point with `Q` packets does."""

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
    "aifs": _access("AIFSN 1 at the AP", aifsn=1),
    "txop": _access("TXOP 8 ms at the AP", txop_limit="8 ms"),
    "ack-filter": _queue("FIFO, ACK filter", ack_filter=True),
    "round-robin": _queue("round robin", discipline="round-robin"),
    "deficit": _queue("deficit round robin", discipline="deficit-round-robin"),
    "codel": _queue("CoDel", discipline="codel"),
    "fq-codel": _queue("FQ-CoDel", discipline="fq-codel"),
    "shared": _queue("DATA/ACK 2:1, Q shared", discipline="data-ack", limit="shared"),
}
"""The paper's two disciplines, what it leaves to future work, and the rivals that it cites or does not
know yet."""
RIVALS = ("scheduler", "counted", "windows", "window", "ack-filter")
"""Those beside each other in the axes of Figure 6."""
RIVAL_ATTEMPTS = (1, 2, 3, 5, 8)


@dataclass(frozen=True)
class System:
    """What the radio and the hosts are like."""

    label: str
    keys: Mapping[str, Value]


def _hosts(**transport: Value) -> dict[str, Value]:
    """Settings of TCP in both directions."""
    flows = ("uplink", "downlink")
    return {f"flow.{flow}.transport.{key}": v for flow in flows for key, v in transport.items()}


def _bernoulli(probability: float) -> Value:
    return {"model": "bernoulli", "probability": probability}


FRAME_ERRORS = 0.013
"""Frames spoilt on the air that bring dl1-ul1 at M_t = 1 to the paper's 370 packets/s; see the scan."""
LOST_FOR_GOOD = 0.003
"""Packets lost whatever M_t is, in the system that has such losses."""
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

IDEAL = "ideal"
"""The system that decides the claims: nothing is known of the testbed's channel."""
SYSTEMS: Mapping[str, System] = {
    IDEAL: System("ideal channel", {}),
    "errors": System(
        f"{FRAME_ERRORS:.1%} of the frames spoilt", {"bss.cell.errors": _bernoulli(FRAME_ERRORS)}
    ),
    "losses": System(
        f"{LOST_FOR_GOOD:.1%} of the packets lost for good",
        {"host.A.link.loss": _bernoulli(LOST_FOR_GOOD)},
    ),
    "buffers": System("windows of 64 kB", _hosts(receive_window="64 kB")),
    "rfc": System("TCP by today's RFCs", _hosts(**RFC)),
}
BESIDE = tuple(system for system in SYSTEMS if system != IDEAL)

QUICK: Mapping[str, Value] = {"duration": "150 s"}
"""A quick look at a cell."""

STACK: Mapping[str, System] = {
    "file": System("as in the file", {}),
    "quick": System("no quick ACKs at the start", _hosts(quick_acks=0)),
    "undelayed": System("no delayed ACKs", _hosts(delayed_ack=False)),
    "unlimited": System("cwnd grows beyond its use", _hosts(grow_beyond_receive_window=True)),
    "bytes": System("byte counting", _hosts(byte_counting=True)),
    "loss": System("full queue loses", _hosts(full_queue="loss")),
    "rto": System("RTO from 1 s on", _hosts(min_rto="1 s")),
    "ten": System("10 segments at the start", _hosts(initial_window=10)),
}
"""What Linux of 2005 did otherwise, one thing changed at a time."""

SCAN = (0.0, 0.005, 0.01, 0.015, 0.02, 0.03)
"""Frame error rates in the search for 370 packets/s."""
WINDOWS = ("32 kB", "64 kB", "128 kB", "256 kB", "1 MB")
"""Socket buffers in the table of the scheduler's limit."""
ASYMMETRIC = ((4, 4), (1, 7), (7, 1))
"""Flows up and down."""
COMPARED = (50, 200)
"""Buffers in the comparison of schemes over them."""
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
    two, four = "dl2-ul2", "dl4-ul4"

    def fifo(*args: Sequence[str] | Sequence[int]) -> list[Place]:
        scenarios, attempts, packets = args
        return places(system, "fifo", scenarios, attempts, packets)  # type: ignore[arg-type]

    return [
        *fifo((two, four), (1,), BUFFERS),
        *fifo((two, four), (2,), LARGE),
        *fifo((two, four), LATE, (LARGE[0], LARGE[-1])),
        *fifo((two, four), (ATTEMPTS[-1],), (SHOWN,)),
        *fifo(("dl1-ul1", four), ATTEMPTS, (SHOWN,)),
        *places(system, "scheduler", SYMMETRIC, LAST, LARGE),
        *places(system, "scheduler", (two, four), (1, 2), (SHOWN,)),
    ]


def _everything() -> list[Place]:
    """Every point in one of the paper's scenarios."""
    rivals = [
        *places(IDEAL, "shared", SYMMETRIC, LAST, LARGE),
        *(
            place
            for rival in RIVALS
            for place in places(IDEAL, rival, ("dl2-ul2", "dl4-ul4"), RIVAL_ATTEMPTS, (SHOWN,))
        ),
    ]
    figures = [
        *places(IDEAL, "fifo", SYMMETRIC, ATTEMPTS, BUFFERS),
        *places(IDEAL, "scheduler", SYMMETRIC, ATTEMPTS, BUFFERS),
        *places("errors", "fifo", SYMMETRIC, ATTEMPTS, (SHOWN,)),
        *places("errors", "scheduler", SYMMETRIC, ATTEMPTS, (SHOWN,)),
    ]
    beside = [place for system in BESIDE for place in claimed(system)]
    return list(dict.fromkeys([*figures, *beside, *rivals]))


def stack_places() -> dict[str, Place]:
    """Points at which each detail of the stack is tried, with their labels."""
    two, four = "dl2-ul2", "dl4-ul4"
    fifo, fair = "fifo", "scheduler"
    return {
        "dl2, M_t 1": Place(IDEAL, fifo, two, 1, SHOWN),
        "dl4, M_t 2": Place(IDEAL, fifo, four, 2, SHOWN),
        "dl1, M_t 3": Place(IDEAL, fifo, "dl1-ul1", 3, SHOWN),
        "dl4, M_t 8": Place(IDEAL, fifo, four, 8, LARGE[-1]),
        "2:1, dl1, M_t 8": Place(IDEAL, fair, "dl1-ul1", 8, LARGE[-1]),
        "2:1, dl4, M_t 8": Place(IDEAL, fair, four, 8, LARGE[-1]),
    }


def setups(directory: Path) -> dict[str, Setup]:
    """Everything that is run."""
    path = directory / "cell.toml"
    grouped: dict[str, list[Variant]] = {}
    for place in _everything():
        grouped.setdefault(place.key[0], []).append(_variant(place))
    symmetric = [Setup(id_, path, tuple(variants), QUICK) for id_, variants in grouped.items()]
    others = [
        _stack(path),
        _scan(path),
        *(_windows(path, scenario) for scenario in SYMMETRIC),
        *(_asymmetric(path, *flows) for flows in ASYMMETRIC),
        _mixed(directory / "short-flows.toml"),
    ]
    return {setup.id: setup for setup in (*symmetric, *others)}


def _variant(place: Place) -> Variant:
    label = f"{place.scenario}, M_t {place.attempts}, Q {place.packets}"
    return Variant(_point(place), label, _keys(place))


def _keys(place: Place) -> dict[str, Value]:
    return {
        **_counts(SYMMETRIC[place.scenario], SYMMETRIC[place.scenario]),
        "bss.cell.max_attempts": place.attempts,
        **SCHEMES[place.scheme].keys(place.packets),
        **SYSTEMS[place.system].keys,
    }


def _counts(up: int, down: int) -> dict[str, Value]:
    return {"station.up.count": up, "station.down.count": down}


def _stack(path: Path) -> Setup:
    variants = tuple(
        Variant(f"{id_}-{i}", f"{change.label}: {label}", {**_keys(place), **change.keys})
        for id_, change in STACK.items()
        for i, (label, place) in enumerate(stack_places().items())
    )
    return Setup("stack", path, variants, QUICK)


def _scan(path: Path) -> Setup:
    place = Place(IDEAL, "fifo", "dl1-ul1", 1, SHOWN)
    variants = tuple(
        Variant(
            str(rate),
            f"{rate:.1%} of the frames spoilt",
            {**_keys(place), "bss.cell.errors": _bernoulli(rate)},
        )
        for rate in SCAN
    )
    return Setup("scan", path, variants, QUICK)


def windows_id(scenario: str) -> str:
    """Id of the setup in which the scheduler meets windows of several sizes."""
    return f"windows-{scenario}"


def _windows(path: Path, scenario: str) -> Setup:
    variants = tuple(
        Variant(
            f"{size}-Q{packets}",
            f"windows of {size}, Q {packets}",
            {
                **_keys(Place(IDEAL, "scheduler", scenario, LAST[0], packets)),
                **_hosts(receive_window=size),
            },
        )
        for size in WINDOWS
        for packets in LARGE
    )
    return Setup(windows_id(scenario), path, variants, QUICK)


def asymmetric_id(up: int, down: int) -> str:
    """Id of the setup in which all schemes meet so many flows."""
    return f"flows-{up}-{down}"


def _asymmetric(path: Path, up: int, down: int) -> Setup:
    variants = tuple(
        Variant(
            f"{id_}-Q{packets}",
            f"{scheme.label}, Q {packets}",
            {**_counts(up, down), "bss.cell.max_attempts": LAST[0], **scheme.keys(packets)},
        )
        for id_, scheme in SCHEMES.items()
        for packets in COMPARED
    )
    return Setup(asymmetric_id(up, down), path, variants, QUICK)


def _mixed(path: Path) -> Setup:
    variants = tuple(Variant(id_, SCHEMES[id_].label, SCHEMES[id_].keys(SHOWN)) for id_ in MIXED)
    starts = {f"flow.{flow}.start_jitter": "100 s" for flow in ("upload", "download")}
    return Setup("short-flows", path, variants, {**QUICK, **starts})

"""Names of the runs: systems, schemes, scenarios, attempts, buffers. The study files declare each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from airfair.experiment.claims import Readings
from airfair.reproduce import studies
from airfair.reproduce.paper import Words

_CLAIMS = studies.declared("updown-fairness", "claims")
_FACTORS = _CLAIMS["factors"]
_STACK = studies.declared("updown-fairness", "stack")

SYMMETRIC: Mapping[str, int] = {
    id_: keys["station.up.count"] for id_, keys in _FACTORS["scenario"].items()
}
"""The paper's scenarios, and how many flows there are each way."""
TWO, FOUR = "dl2-ul2", "dl4-ul4"
ATTEMPTS = tuple(_FACTORS["M"]["values"])
"""M_t, transmission attempts of a frame."""
CURVE = (1, 2, 3, 4, 6, 8)
"""Attempts (M_t) at which all buffers are run."""
LARGE, SMALL = (50, 100, 200), (10, 20)
"""Q, packets at the access point: those that the text names, and smaller ones, of which it names none."""
LATE = (4, 6, 8)
"""Attempts beyond the reversal at M_t = 3."""
LAST = (6, 8)
"""Attempts for which the paper claims that the scheduler reaches its target."""
SHOWN = 100
"""The buffer of Figures 3 and 7."""

SCHEMES = {id_: Words(label) for id_, label in _CLAIMS["words"]["scheme"].items()}
SCHEME_KEYS = _FACTORS["scheme"]
"""The keys that make each of them."""
RIVALS = ("scheduler", "counted", "windows", "window", "ack-filter")
"""Those beside each other in the axes of Figure 6(b)."""
RIVAL_ATTEMPTS = (1, 2, 8)
COMPARED = ("fifo", "scheduler", "counted", "windows", "window", "txop", "codel", "fq-codel")
"""Schemes that meet different numbers of flows."""
MIXED = ("fifo", "scheduler", "counted", "windows", "both")
"""Schemes under which short flows are mixed in."""

System = Words
"""Radio and hosts that the testbed may have had."""
SYSTEMS = {id_: System(label) for id_, label in _CLAIMS["words"]["system"].items()}
CAPTURE = _FACTORS["system"]["capture"]["bss.cell.radio"]["capture"]
"""By how much a frame must be the stronger one."""

DECIDES = "senders-0.02"
"""The system that decides the claims: the nearest to Figure 3's printed row, which FIFO alone gives, of those
that assume one thing."""
RESIDUAL = ("residual-0.0005", "residual-0.001")
"""The same with packets lost for good, whatever is repeated; the first is in a first look, too."""
NEAR = ("senders-0.025", *RESIDUAL)
"""The others whose row is, in the root mean square, within what “the same” allows."""
ONE_WEAK = "one-weak"
"""One of the senders is received badly. The row has one sender, so that it cannot tell one from all."""
AS_READ = Readings(DECIDES, near=(*NEAR, ONE_WEAK), beside=("capture", "lost-0.003", "ideal"))
"""Systems under which claims are decided, and those that decide nothing."""
CANDIDATES: tuple[str, ...] = tuple(
    studies.declared("updown-fairness", "calibration")["design"][0]["system"]
)
"""Systems whose row is measured."""
PLACES = Readings(SYSTEMS[DECIDES].label, near=tuple(SYSTEMS[id_].label for id_ in NEAR))
"""Result of the calibration, by labels of candidates."""


@dataclass(frozen=True)
class Scope:
    """Attempts and buffers at which claims are tested in a system."""

    attempts: tuple[int, ...]
    """M_t, with a buffer of `SHOWN`."""
    buffers: tuple[int, ...]
    """Q, where a claim speaks of several."""
    schemes: tuple[str, ...] = ("fifo", "scheduler")

    def among(self, attempts: Iterable[int]) -> tuple[int, ...]:
        """Attempts of those given that are run."""
        return tuple(m for m in attempts if m in self.attempts)


_BRIEF = (1, 2, 3, 4, 8)
SCOPES: Mapping[str, Scope] = {
    DECIDES: Scope(ATTEMPTS, LARGE),
    **{id_: Scope(_BRIEF, LARGE) for id_ in (*NEAR, ONE_WEAK)},
    "capture": Scope(_BRIEF, (SHOWN,), ("fifo",)),
    "lost-0.003": Scope(_BRIEF, (SHOWN,)),
    "ideal": Scope(_BRIEF, (SHOWN,)),
}
"""Systems with runs for claims."""

STACK = {id_: Words(label) for id_, label in _STACK["words"]["change"].items()}
"""Differences of Linux of 2005, one thing changed at a time."""
WINDOWS = ("64 kB", "128 kB")
"""Socket buffers in the table of the scheduler's limit."""
ASYMMETRIC = ((4, 4), (1, 7), (7, 1))
"""Flows up and down."""


@dataclass(frozen=True)
class FigurePoint:
    """Point of a figure: system, scheme, scenario, attempts (M_t) and buffer (Q)."""

    system: str
    scheme: str
    scenario: str
    attempts: int
    packets: int

    @property
    def key(self) -> tuple[str, str]:
        """Setup and variant."""
        setup = setup_id(self.system, self.scheme, self.scenario)
        return (setup, f"M{self.attempts}-Q{self.packets}")


def setup_id(system: str, scheme: str, scenario: str) -> str:
    """Id of the setup with all points of a scenario under a scheme in a system."""
    return f"{system}-{scheme}-{scenario}"


def in_group(id_: str, place: FigurePoint) -> tuple[str, str]:
    """Setup and variant of a point in a setup of several schemes or scenarios, which decides nothing."""
    return (id_, "-".join(place.key))


def stack_places() -> list[str]:
    """The points at which each detail of the stack is tried."""
    return list(_STACK["words"]["place"].values())


def asymmetric_id(up: int, down: int) -> str:
    """Id of the setup with `up` uplink and `down` downlink flows."""
    return f"flows-{up}-{down}"

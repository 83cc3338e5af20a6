"""Names of the variants: systems, schemes, scenarios, attempts, buffers. The study files declare each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from airfair.experiment.claims import Readings
from airfair.reproduction import studies
from airfair.reproduction.paper import Json

PRINTED: Json = studies.printed("updown-fairness")["fig3"]
"""Printed row of Figure 3 [packets/s]."""
_CLAIMS = studies.declared("updown-fairness", "claims")
_FACTORS = _CLAIMS["factors"]
_STACK = studies.declared("updown-fairness", "stack")

SYMMETRIC: Mapping[str, int] = {
    id_: keys["station.up.count"] for id_, keys in _FACTORS["scenario"].items()
}
"""Scenarios of the paper, and the number of flows in each direction."""
TWO, FOUR = "dl2-ul2", "dl4-ul4"
ATTEMPTS = tuple(_FACTORS["M"]["values"])
"""Largest numbers M_t of transmission attempts of a frame."""
CURVE = (1, 2, 3, 4, 6, 8)
"""Attempts (M_t) at which all buffers are run."""
LARGE, SMALL = (50, 100, 200), (10, 20)
"""Buffers Q of the access point [packets]: those that the text names, and smaller ones."""
LATE = (4, 6, 8)
"""Attempts beyond the reversal at M_t = 3."""
LAST = (6, 8)
"""Attempts for which the paper claims that the scheduler reaches its target."""
SHOWN = 100
"""Buffer of Figures 3 and 7 [packets]."""

SCHEMES: Mapping[str, str] = _CLAIMS["words"]["scheme"]
SCHEME_KEYS = _FACTORS["scheme"]
"""Keys of a scenario that turn each scheme on."""
RIVALS = ("scheduler", "counted", "windows", "window", "ack-filter")
"""Schemes that are drawn in the axes of Figure 6(b)."""
RIVAL_ATTEMPTS = (1, 2, 8)
COMPARED = ("fifo", "scheduler", "counted", "windows", "window", "txop", "codel", "fq-codel")
"""Schemes that are run with different numbers of uplink and downlink flows."""
MIXED = ("fifo", "scheduler", "counted", "windows", "both")
"""Schemes that are run with short flows."""

SYSTEMS: Mapping[str, str] = _CLAIMS["words"]["system"]
"""Assumptions on the radio and hosts of the testbed."""
CAPTURE = _FACTORS["system"]["capture"]["bss.cell.radio"]["capture"]
"""Power ratio at which the stronger of two frames is received."""

DECIDES = "senders-0.025"
"""Deciding system: the nearest to the printed row of Figure 3 among those with one assumption. The row is
measured with FIFO."""
RESIDUAL = ("senders-0.025-lost-0.0005", "senders-0.025-lost-0.001")
"""Systems like the deciding one, in which some packets are lost in spite of retransmissions. The first of
them is part of a quick run."""
TWO_KINDS = ("senders-0.02-lost-0.0005", "senders-0.02-lost-0.001", *RESIDUAL)
"""Systems with two kinds of losses, which assume more than the others."""
NEAR = ("senders-0.03", "senders-0.02", "senders-0.02-lost-0.001", *RESIDUAL)
"""Near systems, whose distance from the printed row is within the tolerance of “the same”."""
ONE_WEAK = "one-weak"
"""Near system in which one of several senders is received badly; in the printed row there is only one."""
AS_READ = Readings(DECIDES, near=(*NEAR, ONE_WEAK), beside=("capture", "lost-0.003", "ideal"))
"""Systems in which claims are decided, and those that decide nothing."""
CANDIDATES: tuple[str, ...] = tuple(
    studies.declared("updown-fairness", "calibration")["design"][0]["system"]
)
"""Systems that the calibration compares with the printed row."""
PLACES = Readings(SYSTEMS[DECIDES], near=tuple(SYSTEMS[id_] for id_ in NEAR))
"""Result of the calibration, by labels of candidates."""


@dataclass(frozen=True)
class Scope:
    """Attempts and buffers at which claims are tested in a system."""

    attempts: tuple[int, ...]
    """Attempts (M_t) that are run with a buffer of `SHOWN`."""
    buffers: tuple[int, ...]
    """Buffers (Q) for claims about several buffers."""
    schemes: tuple[str, ...] = ("fifo", "scheduler")

    def among(self, attempts: Iterable[int]) -> tuple[int, ...]:
        """Attempts (M_t), among those given, that are run."""
        return tuple(m for m in attempts if m in self.attempts)


_BRIEF = (1, 2, 3, 4, 8)
SCOPES: Mapping[str, Scope] = {
    DECIDES: Scope(ATTEMPTS, LARGE),
    **{id_: Scope(_BRIEF, LARGE) for id_ in (*NEAR, ONE_WEAK)},
    "capture": Scope(_BRIEF, (SHOWN,), ("fifo",)),
    "lost-0.003": Scope(_BRIEF, (SHOWN,)),
    "ideal": Scope(_BRIEF, (SHOWN,)),
}
"""Scopes of the systems in which claims are tested."""

STACK: Mapping[str, str] = _STACK["words"]["change"]
"""Changes to the hosts' TCP towards Linux of 2005, made one at a time."""
STACK_PLACES: tuple[str, ...] = tuple(_STACK["words"]["place"].values())
"""Texts of the points at which each change is run."""
WINDOWS = ("64 kB", "128 kB")
"""Socket buffers in the finding on windows."""
ASYMMETRIC = ((4, 4), (1, 7), (7, 1))
"""Numbers of uplink and downlink flows."""


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
        """Setup and variant of the point."""
        setup = setup_id(self.system, self.scheme, self.scenario)
        return (setup, f"M{self.attempts}-Q{self.packets}")


def setup_id(system: str, scheme: str, scenario: str) -> str:
    """Id of the setup with all points of a scenario under a scheme in a system."""
    return f"{system}-{scheme}-{scenario}"


def in_group(id_: str, place: FigurePoint) -> tuple[str, str]:
    """Setup and variant of a point in the setup `id_`, which has several schemes or scenarios."""
    return (id_, "-".join(place.key))


def asymmetric_id(up: int, down: int) -> str:
    """Id of the setup with `up` uplink and `down` downlink flows."""
    return f"flows-{up}-{down}"

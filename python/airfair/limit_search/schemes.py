"""Schemes, each with the space of conditions that is searched.

To add a scheme, add an entry to `SCHEMES`: the keys that turn the scheme on, the dimensions of its space, and
its judged measures.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .cells import Keys, Switch
from .measures import CRITERIA, Criterion
from .space import (
    AP_QUEUE,
    ATTEMPTS,
    CHANGING,
    DEPLOYED,
    ERRORS,
    FAST,
    FLAVOUR,
    FLAVOUR_OR_NS2,
    LASTING,
    LOAD,
    PATH,
    PERIOD,
    RATES,
    ROUND_TRIP,
    SEGMENT,
    SLOW,
    SLOW_SHARE,
    SOME_STATIONS,
    STANDARD,
    STATION_QUEUE,
    STATIONS,
    UP_SHARE,
    WINDOW,
    Space,
    under,
)

_TFRC: Keys = {"transport": {"kind": "tfrc", "segment": f"{SEGMENT} B"}}


@dataclass(frozen=True)
class Scheme:
    """Scheme, and the space of conditions in which its limits are searched."""

    id: str
    title: str
    paper: str
    space: Space
    judged: tuple[str, ...]
    """Criteria that decide the effect at a point: the aims of the scheme, and total goodput."""
    felt: tuple[str, ...]
    """Other criteria that are reported."""
    flow: Keys = field(default_factory=dict)
    """Keys of the flows that use the scheme."""
    cell: Keys = field(default_factory=dict)
    """Keys of the cell with the scheme."""
    base: Keys = field(default_factory=dict)
    """Keys, in both scenarios, of the flows that can use the scheme."""
    senders_only: bool = False
    """True if only flows from stations can use the scheme."""
    leaves_one: bool = False
    """True if at least one flow must not use the scheme."""

    more: tuple[Criterion, ...] = ()
    """Criteria of the user's own, which are reported."""
    standard: str | None = None
    """Standard of the space if it has only one; by default the space has 802.11b, a and g."""

    def under(self, standard: str) -> Scheme:
        """Scheme with a space of one standard."""
        return replace(self, space=under(self.space, standard), standard=standard)

    @property
    def measures(self) -> tuple[str, ...]:
        """Ids of all criteria of the scheme."""
        return (*self.judged, *self.felt, *(one.id for one in self.more))

    @property
    def criteria(self) -> dict[str, Criterion]:
        """All criteria of the scheme by id."""
        own = {one.id: one for one in self.more}
        return {id_: own.get(id_) or CRITERIA[id_] for id_ in self.measures}

    @property
    def switch(self) -> Switch:
        """Keys that turn the scheme on."""
        return Switch(self.flow, self.cell, self.base, self.senders_only, self.leaves_one)


_CELL: Space = (STANDARD, FAST, SLOW, STATIONS, SLOW_SHARE)
_PATH: Space = (ROUND_TRIP, AP_QUEUE, STATION_QUEUE, ERRORS)
_UP_AND_DOWN: Space = (*_CELL, *_PATH, UP_SHARE, RATES, PERIOD, LOAD, FLAVOUR, WINDOW, ATTEMPTS)
_EQUAL_SHARES: Keys = {"ap": {"occupancy": True}}
"""Keys of the cell for equal shares. The scheme needs beacons, whose airtime is part of its cost."""
_QUEUES_FELT = ("goodput_fairness", "airtime_fairness", "slowest", "loss", "delay", "completion")

SCHEMES = {
    scheme.id: scheme
    for scheme in (
        Scheme(
            id="arf-aware",
            title="ARF-aware TCP",
            paper="arf-aware-tcp",
            space=(
                *_CELL, *_PATH, UP_SHARE, RATES, PERIOD, LOAD, FLAVOUR_OR_NS2, WINDOW, PATH, DEPLOYED,
            ),
            judged=("total", "airtime_fairness"),
            felt=(
                "goodput_fairness", "slowest", "own", "others", "loss", "delay", "completion",
            ),
            flow={"control": "arf-aware"},
            senders_only=True,
        ),
        Scheme(
            id="data-ack",
            title="DATA and ACKs in queues of their own, 2:1",
            paper="updown-fairness",
            space=_UP_AND_DOWN,
            judged=("total", "balance"),
            felt=_QUEUES_FELT,
            cell={"ap": {"queue": {"discipline": "data-ack", "weights": {"data": 2, "ack": 1}}}},
        ),
        Scheme(
            id="data-ack-flows",
            title="DATA and ACKs in queues of their own, weights by flows",
            paper="updown-fairness",
            space=_UP_AND_DOWN,
            judged=("total", "balance"),
            felt=_QUEUES_FELT,
            cell={
                "ap": {
                    "queue": {
                        "discipline": "data-ack",
                        "weights": "active-flows",
                        "overflow": "longest-flow",
                    }
                }
            },
        ),
        Scheme(
            id="arf-window",
            title="TCP's window from channel occupancy, as printed",
            paper="arf-window",
            # The scheme does nothing at a constant rate.
            space=(*_CELL, *_PATH, UP_SHARE, CHANGING, PERIOD, LOAD, FLAVOUR, WINDOW, DEPLOYED),
            judged=("total", "loss"),
            felt=(
                "goodput_fairness", "airtime_fairness", "slowest", "own", "others", "delay", "completion",
            ),
            # Literal reading of the paper instead of the default one.
            flow={
                "control": {
                    "scheme": "arf-window",
                    "rise": "printed",
                    "fall": "printed",
                    "round_trip": "smoothed",
                }
            },
        ),
        Scheme(
            id="tfrc",
            title="TFRC in the place of TCP NewReno",
            paper="tfrc-friendliness",
            space=(
                STANDARD, FAST, SLOW, SOME_STATIONS, SLOW_SHARE,
                *_PATH, UP_SHARE, RATES, PERIOD, LASTING, WINDOW, DEPLOYED,
            ),
            judged=("own", "others"),
            felt=(
                "total", "goodput_fairness", "airtime_fairness", "slowest", "unevenness", "loss", "delay",
            ),
            flow=_TFRC,
            leaves_one=True,
        ),
        Scheme(
            id="occupancy",
            title="Equal shares of the channel, TFRC",
            paper="occupancy-tfrc",
            space=(*_CELL, *_PATH, UP_SHARE, RATES, PERIOD, LASTING, DEPLOYED),
            judged=("total", "occupancy_fairness"),
            felt=(
                "goodput_fairness", "airtime_fairness", "slowest", "own", "others", "unevenness", "loss",
                "delay",
            ),
            base=_TFRC,
            flow={"control": "occupancy"},
            cell=_EQUAL_SHARES,
        ),
        Scheme(
            id="occupancy-tcp",
            title="Equal shares of the channel, TCP",
            paper="occupancy-tfrc",
            space=(*_CELL, *_PATH, UP_SHARE, RATES, PERIOD, LOAD, FLAVOUR, WINDOW, DEPLOYED),
            judged=("total", "occupancy_fairness"),
            felt=(
                "goodput_fairness", "airtime_fairness", "slowest", "own", "others", "loss", "delay",
                "completion",
            ),
            flow={"control": "occupancy"},
            cell=_EQUAL_SHARES,
        ),
    )
}  # fmt: skip

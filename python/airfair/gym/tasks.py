"""Form in which a task is declared, and the declarations of all tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from airfair.scenario import Value

Level = tuple[int, ...]
"""Values of a lever."""


@dataclass(frozen=True)
class Lever:
    """Setting of a world that an action changes."""

    name: str
    """Name of the setting in `airfair._core.Worlds`."""
    noun: str
    """Word for the setting in tables."""
    levels: Sequence[Level]
    """Values of the discrete actions, in ascending order."""
    between: Callable[[float], Level]
    """Values of a continuous action, which is a number from 0 to 1."""
    each_station: bool = False
    """True if an action has a part for each station."""


@dataclass(frozen=True)
class Signals:
    """Signals that a learner sees of each step."""

    world: Sequence[str]
    """Signals of all stations and access points together."""
    stations: Sequence[str] = ()
    """Signals of each station, which follow the others."""


@dataclass(frozen=True)
class Declaration:
    """A task."""

    name: str
    """Name in the registry of Gymnasium."""
    scenario: str
    """Name of the scenario's file, beside this module."""
    step: str
    """Time between two actions."""
    history: int
    """Number of steps that an observation covers."""
    window: int | None
    """Number of steps in each mean and standard deviation of an observation; `None` for the steps."""
    observe: Mapping[str, Signals]
    """Signals by the value of the option `observe`: "cell" and "local"."""
    lever: Lever
    """Setting that actions change."""
    reward: Literal["goodput", "fair goodput", "timely goodput"]
    """Aim of the task."""
    rivals: Mapping[str, Mapping[str, Value]]
    """Mechanisms that act in place of a learner, by name, with the scenario's keys that choose them."""
    vary: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    """Key of the scenario with the values for which baselines are printed."""


TASK = "airfair/ContentionWindow-v0"
"""Name of the first task, which is the default."""


def _powers(lowest: float, highest: float, share: float) -> float:
    """Power of two, whose exponent lies between two exponents."""
    return float(2.0 ** (lowest + share * (highest - lowest)))


# Contention window of all nodes of a crowded cell, of Wydmański and Szott [contention-window-2021].
_CONTENTION_WINDOW = Declaration(
    name=TASK,
    scenario="crowded-cell.toml",
    step="10 ms",
    history=300,
    window=150,
    observe={"cell": Signals(["collided"]), "local": Signals(["busy", "airtime"])},
    lever=Lever(
        name="contention window",
        noun="window",
        levels=[(2**exponent - 1,) for exponent in range(4, 11)],
        between=lambda share: (int(_powers(4, 10, share)) - 1,),
    ),
    reward="goodput",
    rivals={"802.11 back-off": {}},
    vary={"station.s.count": (5, 10, 20, 30, 40, 50)},
)


def _ratio(share: float) -> Level:
    """Weights of a ratio from 1 : 8 to 8 : 1."""
    ratio = _powers(-3, 3, share)
    return (8, max(round(8 / ratio), 1)) if ratio >= 1 else (max(round(8 * ratio), 1), 8)


# Weights of TCP's DATA and ACKs in an access point's queue, of Vacirca and Cuomo [updown-fairness §IV].
# Their own weights are 2 : 1, or the numbers of connections that the access point sees. Equal airtime is
# that of mac80211 [hoiland-2017].
_QUEUE_WEIGHTS = Declaration(
    name="airfair/QueueWeights-v0",
    scenario="up-and-down.toml",
    step="1 s",
    history=4,
    window=None,
    observe={
        "cell": Signals(["uploads", "uploaded", "downloaded", "busy", "collided"]),
        "local": Signals(["uploads", "uploaded", "downloaded", "busy"]),
    },
    lever=Lever(
        name="queue weights",
        noun="weights",
        levels=[(1, 8), (1, 4), (1, 2), (1, 1), (2, 1), (4, 1), (8, 1)],
        between=_ratio,
    ),
    reward="fair goodput",
    rivals={
        "first in, first out": {"bss.home.ap.queue": {"packets": 100}},
        "equal airtime": {"bss.home.ap.queue": {"discipline": "airtime"}},
        "DATA/ACK 2:1": {},
        "by active flows": {
            "bss.home.ap.queue": {
                "discipline": "data-ack",
                "packets": 100,
                "overflow": "longest-flow",
                "weights": "active-flows",
            }
        },
    },
    vary={"station.downloader.count": (1, 3, 7)},
)


# Rate of a link under fading. Its rivals are ARF [kamerman-1997], Minstrel-HT [linux-minstrel-ht], and an
# oracle that knows the channel and takes the rate with the least expected transmission time [bicket-2005 §5].
_LINK_RATE = Declaration(
    name="airfair/LinkRate-v0",
    scenario="fading-link.toml",
    step="10 ms",
    history=20,
    window=None,
    observe={
        "cell": Signals(["rate_down", "retried", "goodput", "busy"]),
        "local": Signals(["rate_down", "retried", "goodput"]),
    },
    lever=Lever(
        name="rate down",
        noun="rate",
        levels=[(index,) for index in range(8)],
        between=lambda share: (round(7 * share),),
    ),
    reward="goodput",
    rivals={
        "ARF": {"station.s.rate.down": {"control": "arf"}},
        "Minstrel-HT": {"station.s.rate.down": {"control": "minstrel"}},
        "oracle": {"station.s.rate.down": {"control": "oracle"}},
    },
    vary={"bss.home.radio.fading.coherence": ("20 ms", "200 ms", "1 s")},
)


# Windows of uploads whose rates change. Its rivals are the schemes of the papers [arf-aware-tcp],
# [arf-window] and [occupancy-tfrc], which all aim at equal shares of the channel.
_UPLOAD_WINDOWS = Declaration(
    name="airfair/UploadWindows-v0",
    scenario="slow-upload.toml",
    step="500 ms",
    history=4,
    window=None,
    observe={
        "cell": Signals(["collided"], ["rate_up", "goodput", "airtime"]),
        "local": Signals(["busy"], ["rate_up", "goodput", "airtime"]),
    },
    lever=Lever(
        name="window",
        noun="windows",
        levels=[(2**exponent,) for exponent in range(6)],
        between=lambda share: (round(_powers(0, 5, share)),),
        each_station=True,
    ),
    reward="fair goodput",
    rivals={
        "TCP": {},
        "ARF-aware TCP": {"flow.a.control": "arf-aware", "flow.b.control": "arf-aware"},
        "window under ARF": {"flow.a.control": "arf-window", "flow.b.control": "arf-window"},
        "occupancy": {
            "flow.a.control": "occupancy",
            "flow.b.control": "occupancy",
            "bss.home.ap.occupancy": True,
        },
    },
)


def _limit(share: float) -> Level:
    """Longest aggregate [µs], from 250 µs to the longest PPDU."""
    return (round(250 * (5484 / 250) ** share),)


# Limit of aggregates beside calls, of Saldana et al. [saldana-2021], with uploads in place of downloads. The
# step, the packets of the calls and the allowed delay are theirs. Their limits are octets. That of drivers as
# ath9k and iwlwifi is 4 ms, a time, which suits all rates. "Calls first" is the access category of voice.
_AGGREGATE_LIMITS = Declaration(
    name="airfair/AggregateLimits-v0",
    scenario="uploads-and-calls.toml",
    step="250 ms",
    history=4,
    window=None,
    observe={
        "cell": Signals(["delay", "uploaded", "busy", "collided"]),
        "local": Signals(["delay", "uploaded", "busy"]),
    },
    lever=Lever(
        name="aggregate limit",
        noun="limit",
        levels=[(limit,) for limit in (250, 500, 1000, 2000, 4000, 5484)],
        between=_limit,
    ),
    reward="timely goodput",
    rivals={
        "802.11": {},
        "4 ms": {"station.uploader.aggregation.max_duration": "4 ms"},
        "calls first": {"flow.call.access_category": "voice"},
    },
    vary={"station.uploader.count": (1, 5, 10)},
)

TASKS: Mapping[str, Declaration] = {
    each.name: each
    for each in (
        _CONTENTION_WINDOW,
        _QUEUE_WEIGHTS,
        _LINK_RATE,
        _UPLOAD_WINDOWS,
        _AGGREGATE_LIMITS,
    )
}
"""Declarations by their names in the registry of Gymnasium."""

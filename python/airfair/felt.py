"""What people felt of a run: a sentence for each flow or group of flows with an application."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from . import messages
from .replications import Samples
from .run_tables import Wish

if TYPE_CHECKING:
    from .result import Result

SATISFACTION = (
    (90, "very satisfied"),
    (80, "satisfied"),
    (70, "some dissatisfied"),
    (60, "many dissatisfied"),
    (50, "nearly all dissatisfied"),
)
"""Least rating factor R of each degree of satisfaction of the users of a call.  [G107 Annex B]"""
_WORST = "not recommended"
_NOUNS = {
    "web": "page",
    "rpc": "answer",
    "frames": "frame",
    "video-call": "picture",
    "call": "frame",
    "game": "frame",
    "desktop": "update",
}
_SECOND = 1_000
"""Length of a second [ms]."""


@dataclass(frozen=True)
class Felt:
    """What somebody felt."""

    name: str
    """Name of the flow, or of the group of flows."""
    says: str


@dataclass(frozen=True)
class _Flows:
    """A flow, or a group of flows with one application."""

    source: str
    members: Sequence[Samples]
    histogram: dict[float, float]
    """Waits of all their messages, in all replications."""

    def all(self, column: str) -> list[float]:
        """Values of a column for all members and replications that have one."""
        return [v for of in self.members for v in of[column] if not math.isnan(v)]

    def mean(self, column: str) -> float:
        """Mean of a column; NaN if nobody has a value."""
        values = self.all(column)
        return math.fsum(values) / len(values) if values else math.nan

    def sum(self, column: str) -> float:
        """Sum of a column."""
        return math.fsum(self.all(column))


def felt(result: Result, wish: Wish) -> list[Felt]:
    """What each person felt: one entry for each flow, or group of numbered flows, with an application."""
    found = {name: of for name, of in messages.messages(result).items() if wish.has(name)}
    words = messages.sources(result)
    if not found:
        return []
    waits = messages.histograms(result)
    runs = range(result.replications)
    entries = []
    for label, members in _parts(messages.groups(list(found)), words):
        histogram = messages.summed(waits.get((name, run), {}) for name in members for run in runs)
        flows = _Flows(words[members[0]], [found[name] for name in members], histogram)
        entries.append(Felt(label, "; ".join(_says(flows))))
    return entries


def document(result: Result) -> list[dict[str, str]]:
    """What each person felt, for a JSON document."""
    return [{"name": entry.name, "says": entry.says} for entry in felt(result, Wish())]


def _parts(
    groups: Iterator[tuple[str, list[str]]], words: dict[str, str]
) -> Iterator[tuple[str, list[str]]]:
    """Groups whose members have one application; the members of others stand alone."""
    for label, members in groups:
        if len({words[name] for name in members}) == 1:
            yield label, members
        else:
            yield from ((name, [name]) for name in members)


def _says(flows: _Flows) -> Iterator[str]:
    by_source: dict[str, Callable[[_Flows], Iterator[str]]] = {
        "call": _call,
        "game": _frames,
        "video-call": _pictures,
        "desktop": _frames,
        "video": _video,
        "responsiveness": _responsiveness,
    }
    yield from by_source.get(flows.source, _waits)(flows)


def _waits(flows: _Flows) -> Iterator[str]:
    """Number of messages, and the time for which somebody waited for one."""
    count = flows.sum("messages")
    noun = _NOUNS.get(flows.source, "message")
    if not count:
        yield f"no {noun} was complete"
        return
    middle, high = (messages.quantile(flows.histogram, part) for part in (0.5, 0.95))
    yield f"{count:,.0f} {noun}{'' if count == 1 else 's'}, p50 {_time(middle)}, p95 {_time(high)}"


def _frames(flows: _Flows) -> Iterator[str]:
    """Delays of frames, and how many of them were lost or late."""
    yield from _waits(flows)
    missed = flows.mean("missed")
    if not math.isnan(missed):
        yield f"{_percent(missed)} lost or late" if missed else "none lost or late"


def _pictures(flows: _Flows) -> Iterator[str]:
    """Delays of pictures, the rate that the call's control allowed them, and freezes."""
    yield from _frames(flows)
    rate, freezes, frozen = (
        flows.mean("target_rate_bps"),
        flows.sum("freezes"),
        flows.sum("frozen_s"),
    )
    if not math.isnan(rate):
        yield f"{rate / 1e6:.2f} Mb/s allowed"
    if freezes:
        yield f"{freezes:,.0f} freeze{'' if freezes == 1 else 's'}, {frozen:.1f} s in all"


def _call(flows: _Flows) -> Iterator[str]:
    """Opinion of a call; without one the delays of its frames."""
    scores, ratings = flows.all("mos"), flows.all("rating")
    if not scores:
        yield from _frames(flows)
        return
    rating = median(ratings)
    words = next((word for least, word in SATISFACTION if rating >= least), _WORST)
    several = len(flows.members) > 1
    worst = f", the worst {min(scores):.2f}" if several else ""
    yield f"MOS {median(scores):.2f} ({words}){worst}"
    played = median(flows.all("playout_ms"))
    yield f"played {_time(played)} after it was said"


def _video(flows: _Flows) -> Iterator[str]:
    """Rate of a film, and its stalls."""
    rate, stalls, stalled = (
        flows.mean("video_rate_bps"),
        flows.sum("stalls"),
        flows.sum("stalled_s"),
    )
    if math.isnan(rate):
        yield "no chunk was complete"
        return
    yield f"{rate / 1e6:.2f} Mb/s"
    if not stalls:
        yield "no stall"
    else:
        yield f"{stalls:,.0f} stall{'' if stalls == 1 else 's'}, {stalled:.1f} s in all"


def _responsiveness(flows: _Flows) -> Iterator[str]:
    """Round trips per minute, under load if there was some."""
    loaded, alone = flows.mean("rpm"), flows.mean("rpm_foreign")
    if not math.isnan(loaded):
        yield f"{loaded:,.0f} round trips a minute under load"
    elif not math.isnan(alone):
        yield f"{alone:,.0f} round trips a minute"
    else:
        yield "no probe was answered"


def _time(ms: float) -> str:
    """Time with three digits at most after the point."""
    if ms >= _SECOND:
        return f"{ms / _SECOND:.2f} s"
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms"  # noqa: PLR2004


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %" if share >= 1e-4 else "< 0.01 %"  # noqa: PLR2004

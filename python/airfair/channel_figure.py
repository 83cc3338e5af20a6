"""Picture of the channel over a short time: one lane per station with its frames, back-off and waits."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from .figures import STYLE, Figure, encoded, legend_below
from .palette import GRID, INK, MUTED, PALETTE

COLUMN, PAGE = 3.5, 7.16
"""Widths of a column and of a page of a paper in two columns [inch]."""
MOST = 3_000
"""Largest number of intervals in a picture."""

_LANE, _AROUND = 0.34, 0.95
"""Height of a lane, and height of the axis and the legend together [inch]."""
_FRAME, _SLOTS = 0.62, 0.30
"""Heights of a frame and of a slot, in lanes."""
_UNIT, _TALLEST = 0.40, 9.0
"""Height of a resource unit with words, and of the tallest lane of stacked units, in lanes."""
_CHARACTER = 0.062
"""Width of a character in a frame [inch]."""

_RATE_UNITS = ((3e-3, 1e6, "µs"), (3.0, 1e3, "ms"), (float("inf"), 1.0, "s"))
"""Units of the time axis: longest picture that uses the unit [s], units per second, and name."""

_STYLE: dict[Any, Any] = {
    **STYLE,
    "font.size": 8,
    "axes.grid": False,
    "axes.spines.left": False,
    "hatch.linewidth": 0.7,
}


@dataclass(frozen=True)
class Look:
    """Style in which a kind of frame is drawn."""

    label: str
    fill: str
    edge: str
    text: str
    hatch: str = ""

    def patch(self) -> dict[str, Any]:
        """Properties of the matplotlib patch that is drawn for a frame."""
        return {
            "facecolor": self.fill,
            "edgecolor": self.edge,
            "hatch": self.hatch,
            "linewidth": 0.7,
        }


_DATA = Look("data", "#d3e5f2", PALETTE[1], INK)
_RESPONSE = Look("ACK", PALETTE[2], PALETTE[2], "#ffffff")
_REQUEST = Look("RTS", "#ffffff", PALETTE[2], INK, "....")
_BEACON = Look("beacon", "#efe6cc", PALETTE[4], INK)
_COLLIDED = Look("collided", "#ffffff", PALETTE[0], INK, "//////")
_LOST = Look("lost to noise", "#ffffff", PALETTE[3], INK, "xxxxx")
_PARTLY_LOST = Look("data, some MPDUs lost", "#d3e5f2", PALETTE[3], INK, "xx")
_KINDS = {
    "data": _DATA,
    "buffer report": _RESPONSE,
    "block acks": _RESPONSE,
    "trigger": _REQUEST,
    "ACK": _RESPONSE,
    "block ack": _RESPONSE,
    "CTS": _RESPONSE,
    "CTS to itself": _RESPONSE,
    "RTS": _REQUEST,
    "block ack request": _REQUEST,
    "beacon": _BEACON,
}
_TINTS = ("#e6dcc0", "#c4ad72", "#f6f1e2", "#a98f4a")
"""Colours of neighbours that hold the air, in the order of their names."""
_HOLDER = "#8a6d1d"
_OVERLAP = Look("overlap with a neighbour", "#ffffff", _HOLDER, INK, "xxxxx")
LOOKS = (_DATA, _RESPONSE, _REQUEST, _BEACON, _PARTLY_LOST, _COLLIDED, _LOST)
"""Styles of frames, in the order of a legend."""


@dataclass(frozen=True)
class Slice:
    """An interval of one lane [s]."""

    start: float
    end: float
    category: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def look(self) -> Look:
        """Style of the frame; only for an interval of the category "frame"."""
        if self.arguments["outcome"] == "collided":
            return _COLLIDED
        if self.arguments["outcome"] == "received" and self.arguments.get("lost"):
            return _PARTLY_LOST
        return _KINDS[self.arguments["kind"]] if self.arguments["outcome"] == "received" else _LOST


def slices(trace: Mapping[str, Any]) -> dict[str, list[Slice]]:
    """Intervals of each lane of a trace that `--timeline` wrote, by name; empty lanes are included.

    The lane of an access point includes its tracks for further resource units. A cell that shares its channel
    has a lane with the time for which neighbours hold its air.
    """
    events: Iterable[Mapping[str, Any]] = trace["traceEvents"]
    cells, lanes = set(), {}
    found: dict[str, list[Slice]] = {}
    for event in events:
        place = (event["pid"], event.get("tid"))
        if event["name"] == "process_name" and event["args"]["name"].startswith("cell "):
            cells.add(event["pid"])
        elif event["name"] == "thread_name" and event["pid"] in cells:
            lanes[place] = event["args"].get("of", event["args"]["name"])
            found.setdefault(lanes[place], [])
        elif event["ph"] == "X":
            start = event["ts"] * 1e-6
            end = start + event["dur"] * 1e-6
            found[lanes[place]].append(Slice(start, end, event["cat"], event["args"]))
    return found


def draw(
    lanes: Mapping[str, Sequence[Slice]],
    window: tuple[float, float],
    *,
    width: float = PAGE,
    access_points: Sequence[str] = (),
) -> Figure:
    """Draw the lanes between the two times of `window` [s]; slots are marked if there is room."""
    start, end = window
    scale, unit = next((scale, unit) for span, scale, unit in _RATE_UNITS if end - start <= span)
    with mpl.rc_context(_STYLE):
        shown = [
            [it for it in lane if it.end > start and it.start < end] for lane in lanes.values()
        ]
        heights = [_height(lane) for lane in shown]
        bottoms = list(itertools.accumulate(heights, initial=-0.5))
        tall = bottoms[-1] if lanes else 0.5
        figure = Figure(figsize=(width, _AROUND + _LANE * (tall + 0.5)), layout="constrained")
        ax = figure.subplots()
        per_inch = (end - start) * scale / (width - 0.8)
        ax.set_ylim(tall + 0.1, -0.6)
        ax.set_xlim(0, (end - start) * scale)
        holders = _holders(it for lane in lanes.values() for it in lane)
        rows = [top + height / 2 for top, height in zip(bottoms, heights, strict=False)]
        for row, height, lane in zip(rows, heights, shown, strict=True):
            for it in lane:
                left, right = (it.start - start) * scale, (it.end - start) * scale
                at = _Place(ax, row, height, left, right, per_inch, scale, holders)
                _DRAWN[it.category](at, it)
        names = [f"{name} (AP)" if name in access_points else name for name in lanes]
        ax.set_yticks(rows, names)
        ax.tick_params(axis="y", length=0, labelcolor=INK)
        since = "" if start == 0 else f" since {start:.9g} s"
        ax.set_xlabel(f"time{since} [{unit}]")
        found = [it for lane in lanes.values() for it in lane]
        slots = [it.arguments["slot_us"] for it in found if it.category == "backoff"]
        has_slots = bool(slots) and max(slots) * 1e-6 * scale >= _NARROWEST * per_inch
        _tell(figure, found, width, has_slots=has_slots)
        return figure


def _holders(found: Iterable[Slice]) -> dict[str, Look]:
    """Style of each neighbour that holds the air, by name."""
    names = sorted({it.arguments["cell"] for it in found if it.category == "neighbour"})
    return {
        name: Look(f"air held by {name}", _TINTS[place % len(_TINTS)], _HOLDER, INK)
        for place, name in enumerate(names)
    }


def _height(lane: Sequence[Slice]) -> float:
    """Height of a lane: larger if frames of several resource units are stacked in it."""
    frames = [it for it in lane if it.category == "frame"]
    at_once = Counter(it.start for it in frames)
    stacked: list[int] = [it.arguments.get("places", 1) for it in frames if at_once[it.start] > 1]
    return min(max([1.0, *(places * _UNIT + 1 - _FRAME for places in stacked)]), _TALLEST)


@dataclass(frozen=True)
class _Place:
    """Position of an interval in the figure.

    This is its row with the row's height, in lanes, and its start and end in units of the axis.
    """

    ax: Axes
    row: float
    height: float
    left: float
    right: float
    per_inch: float
    per_second: float
    holders: Mapping[str, Look]
    """Style of each neighbour that holds the air."""

    def box(self, left: float, right: float, height: float, properties: Mapping[str, Any]) -> None:
        """Draw a box, vertically centred in the lane."""
        self.band((left, right), (self.row - height / 2, self.row + height / 2), properties)

    def band(
        self, span: tuple[float, float], rows: tuple[float, float], properties: Mapping[str, Any]
    ) -> None:
        """Draw a box between two times and two heights."""
        corner = (span[0], rows[0])
        size = (span[1] - span[0], rows[1] - rows[0])
        self.ax.add_patch(Rectangle(corner, *size, **properties))


def _frame(at: _Place, it: Slice) -> None:
    """Draw a frame, which fills its share of the width: the lowest frequencies are at the bottom."""
    look, full = it.look, at.height - 1 + _FRAME
    place, places = it.arguments.get("place", 0), it.arguments.get("places", 1)
    bottom = at.row + full / 2 - full * place / places
    rows = (bottom - full / places, bottom)
    at.band((at.left, at.right), rows, {**look.patch(), "zorder": 3})
    ground = look.fill if look.hatch else None
    if full / places < _UNIT * 0.7:
        if at.height > 1:
            return
        # The frame of a station in a narrow unit: an outline of the whole width has room for words.
        at.box(at.left, at.right, full, {"fill": False, "edgecolor": look.edge, "linewidth": 0.4})
        rows, ground = (at.row - full / 2, at.row + full / 2), "#ffffff"
    left, right = max(at.left, 0), min(at.right, at.ax.get_xlim()[1])
    room = (right - left) / (_CHARACTER * at.per_inch)
    wishes = _wishes(it.arguments, is_stacked=at.height > 1)
    words = next((words for words in wishes if len(words) < room), "")
    if not words:
        return
    at.ax.text(
        (left + right) / 2,
        sum(rows) / 2,
        words,
        ha="center",
        va="center_baseline",
        fontsize=7,
        color=INK if ground == "#ffffff" else look.text,
        zorder=4,
        # A plain background keeps the words readable on a hatched frame.
        bbox={"facecolor": ground, "edgecolor": "none", "pad": 0.8} if ground else None,
    )


def _wishes(arguments: Mapping[str, Any], *, is_stacked: bool) -> list[str]:
    """Labels for a frame, the longest first; `_frame` draws the first one that fits.

    A frame that is stacked with others names its receiver.
    """
    kind = arguments["kind"]
    rate = arguments.get("unit", f"{arguments['rate_mbps']:g} Mb/s")
    category, mpdus = arguments.get("category"), arguments.get("mpdus")
    if category:
        kind = category
    if is_stacked and "unit" in arguments:
        kind = f"{kind} to {arguments['to']}"
    if mpdus:
        lost = arguments["lost"] if arguments["outcome"] == "received" else 0
        count = f"{mpdus} MPDUs" + (f", {lost} lost" if lost else "")
        short = f"{mpdus}, {lost} lost" if lost else str(mpdus)
        return [f"{kind}, {count}, {rate}", f"{kind}, {count}", count, short, str(mpdus)]
    if arguments.get("retry"):
        return [f"{kind}, {rate}, retry", f"{kind}, retry", "retry", "r"]
    if arguments["kind"] == "data":
        return [f"{kind}, {rate}", kind]
    return [kind, "BA"] if kind == "block ack" else [kind]


def _backoff(at: _Place, it: Slice) -> None:
    slot = it.arguments["slot_us"] * 1e-6 * at.per_second
    if slot < _NARROWEST * at.per_inch:
        at.box(at.left, at.right, _SLOTS, _SLOT)
        return
    left = at.left
    while left < at.right - slot * 1e-3:
        at.box(left, min(left + slot, at.right), _SLOTS, _SLOT)
        left += slot


def _wait(at: _Place, _it: Slice) -> None:
    at.ax.plot((at.left, at.right), (at.row, at.row), zorder=1, **_LINE)


def _answer(at: _Place, _it: Slice) -> None:
    at.ax.plot((at.left, at.right), (at.row, at.row), zorder=1, **_DOTS)


def _held(at: _Place, it: Slice) -> None:
    """Shade the time for which a neighbour holds the air, with its name if there is room."""
    words = it.arguments["cell"]
    at.box(at.left, at.right, _FRAME, {**at.holders[words].patch(), "zorder": 2})
    left, right = max(at.left, 0), min(at.right, at.ax.get_xlim()[1])
    if len(words) < (right - left) / (_CHARACTER * at.per_inch):
        style: dict[str, Any] = {
            "ha": "center",
            "va": "center_baseline",
            "fontsize": 7,
            "color": INK,
        }
        at.ax.text((left + right) / 2, at.row, words, **style)


def _overlap(at: _Place, _it: Slice) -> None:
    at.box(at.left, at.right, _FRAME, {**_OVERLAP.patch(), "zorder": 2})


_DRAWN = {
    "frame": _frame,
    "backoff": _backoff,
    "wait": _wait,
    "answer": _answer,
    "neighbour": _held,
    "overlap": _overlap,
}
_SLOT: dict[str, Any] = {"facecolor": GRID, "edgecolor": MUTED, "linewidth": 0.5, "zorder": 2}
_LINE: dict[str, Any] = {"color": MUTED, "linewidth": 0.9, "linestyle": (0, (3, 2))}
_DOTS: dict[str, Any] = {"color": MUTED, "linewidth": 0.9, "linestyle": (0, (0.8, 2.2))}
_ONE_LINE = 6
"""Largest number of legend entries in one line on a page."""
_NARROWEST = 0.02
"""Smallest width at which slots are drawn one by one [inch]."""


def _tell(figure: Figure, found: Sequence[Slice], width: float, *, has_slots: bool) -> None:
    """Add a legend with the kinds of intervals that occur in `found`."""
    handles: list[Any] = []
    labels: list[str] = []

    def add(handle: Any, label: str) -> None:  # noqa: ANN401 - an artist, or several
        handles.append(handle)
        labels.append(label)

    categories = {it.category for it in found}
    frames = [it for it in found if it.category == "frame"]
    looks = {it.look for it in frames}
    kinds = [kind for kind in _KINDS if any(it.arguments["kind"] == kind for it in frames)]
    for look in LOOKS:
        if look in looks:
            shown = [kind for kind in kinds if _KINDS[kind] == look]
            add(Patch(**look.patch()), ", ".join(shown) or look.label)
    if "backoff" in categories:
        add(tuple(Patch(**_SLOT) for _ in range(3)) if has_slots else Patch(**_SLOT), "back-off")
    if "wait" in categories:
        add(Line2D([], [], **_LINE), "waits for the channel")
    held = [*_holders(found).values()]
    for look in (
        held if len(held) <= len(_TINTS) else [replace(held[0], label="air held by others")]
    ):
        add(Patch(**look.patch()), look.label)
    if "overlap" in categories:
        add(Patch(**_OVERLAP.patch()), _OVERLAP.label)
    if "answer" in categories:
        add(Line2D([], [], **_DOTS), "waits for an answer")
    if handles:
        columns = _legend_columns(len(handles)) if width > COLUMN else 2
        tuples = {tuple: HandlerTuple(ndivide=None, pad=0)}
        style = {"fontsize": 7, "handlelength": 1.6, "columnspacing": 1.2}
        legend_below(figure, handles, labels, columns, handler_map=tuples, **style)


def _legend_columns(count: int) -> int:
    """Number of columns of a legend with `count` entries on a page: more than six need two lines."""
    return count if count <= _ONE_LINE else -(-count // 2)


def save(figure: Figure, suffix: str) -> bytes:
    """The octets of the file with this suffix: .png, .svg or .pdf."""
    return encoded(figure, suffix[1:], dpi=300, style=_STYLE)

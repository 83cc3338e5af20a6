"""Pictures of the channel: frames and waits of each station and access point in the last milliseconds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from airfair._core import Scenario, traceable
from airfair.channel_figure import LOOKS, Look, Slice
from airfair.figures import STYLE
from airfair.palette import GRID, INK, MUTED

if TYPE_CHECKING:
    from .rendering import Image, Interval

_DPI, _WIDTH = 100, 860
_LEFT, _RIGHT, _TOP, _BOTTOM = 110, 16, 28, 74
"""Margins [pixels]."""
_HIGHEST, _LOWEST, _ROOM = 22, 4, 640
"""Highest and lowest lane, and the height that all of them share [pixels]."""
_READABLE = 11
"""Lowest lane that has a name [pixels]."""
_HATCH = 6
"""Distance of the stripes of a frame that was not received [pixels]."""


class Pictures:
    """Pictures of one scenario: a background that is drawn once, and intervals that are painted upon it.

    A picture shows a time of `span_ns`.
    """

    def __init__(self, scenario: Scenario, span_ns: int) -> None:
        self.scenario, self._span_ns = scenario, span_ns
        cells = scenario.cells
        names: list[str] = []
        self._first_lane: list[int] = []
        for name in traceable(scenario):
            # The monitor of a cell, whose name has a colon, precedes its access point and its stations.
            if ":" in name:
                self._first_lane.append(len(names))
            else:
                names.append(f"{name} (AP)" if name in cells else name)
        self._lane = min(max(_ROOM // len(names), _LOWEST), _HIGHEST)
        self._background = self._drawn(names)

    def paint(self, film: Iterable[Interval], now_ns: int) -> Image:
        """Picture of the time before `now_ns`."""
        image = self._background.copy()
        room = _WIDTH - _LEFT - _RIGHT
        shown: list[tuple[int, int, int, Slice]] = []
        for cell, member, from_ns, to_ns, category, kind, outcome, lost in film:
            ends = [
                _LEFT + round((1 + (at - now_ns) / self._span_ns) * room) for at in (from_ns, to_ns)
            ]
            left, right = max(ends[0], _LEFT), min(ends[1], _WIDTH - _RIGHT)
            arguments = {"kind": kind, "outcome": outcome, "lost": lost}
            it = Slice(from_ns * 1e-9, to_ns * 1e-9, category, arguments)
            if left <= right:
                shown.append((self._first_lane[cell] + member, left, max(right, left + 1), it))
        # Frames are painted last, and so remain visible beside waits of the same pixel.
        for lane, left, right, it in sorted(shown, key=lambda each: each[3].category == "frame"):
            self._paint(image, lane, (left, right), it)
        return image

    def _paint(self, image: Image, lane: int, ends: tuple[int, int], it: Slice) -> None:
        top = _TOP + lane * self._lane
        middle, (left, right) = top + self._lane // 2, ends
        if it.category == "frame":
            border = max(self._lane // 8, 1)
            _box(image[top + border : top + self._lane - border, left:right], it.look)
        elif it.category == "backoff":
            half = max(self._lane // 6, 1)
            image[middle - half : middle + half, left:right] = _rgb(GRID)
            image[middle + half - 1, left:right] = _rgb(MUTED)
        elif it.category == "wait":
            image[middle, left:right] = _rgb(MUTED)
        else:
            image[middle, left:right:3] = _rgb(MUTED)

    def _drawn(self, names: Sequence[str]) -> Image:
        """Names, axis and legend."""
        inside = self._lane * len(names)
        height = _TOP + inside + _BOTTOM
        with mpl.rc_context({**STYLE, "axes.grid": False, "axes.spines.left": False}):
            figure = Figure(figsize=(_WIDTH / _DPI, height / _DPI), dpi=_DPI)
            ax = figure.add_axes(
                (
                    _LEFT / _WIDTH,
                    _BOTTOM / height,
                    (_WIDTH - _LEFT - _RIGHT) / _WIDTH,
                    inside / height,
                )
            )
            ax.set_xlim(-self._span_ns / 1e6, 0)
            ax.set_ylim(len(names) - 0.5, -0.5)
            ax.set_yticks(range(len(names)), names) if self._lane >= _READABLE else ax.set_yticks(
                []
            )
            ax.tick_params(axis="y", length=0, labelcolor=INK)
            ax.set_xlabel("time before now [ms]")
            figure.text(_LEFT / _WIDTH, 1 - 8 / height, self.scenario.title, va="top")
            handles: dict[str, Artist] = {look.label: Patch(**look.patch()) for look in LOOKS}
            handles["back-off"] = Patch(facecolor=GRID, edgecolor=MUTED)
            handles["waits"] = Line2D([], [], color=MUTED, linewidth=0.9)
            figure.legend(
                [*handles.values()],
                [*handles],
                loc="lower center",
                ncols=len(handles),
                frameon=False,
                fontsize=7,
                handlelength=1.6,
                columnspacing=1.2,
            )
            canvas = FigureCanvasAgg(figure)
            canvas.draw()  # type: ignore[no-untyped-call] # matplotlib
            octets = canvas.buffer_rgba()  # type: ignore[no-untyped-call] # matplotlib
            return np.asarray(octets)[..., :3].copy()


def _box(inside: Image, look: Look) -> None:
    """Paint a frame: its colour, stripes if it was not received, and its edge."""
    inside[...] = _rgb(look.fill)
    if look.hatch:
        rows, columns = np.indices(inside.shape[:2])
        inside[(rows + columns) % _HATCH < _HATCH // 3] = _rgb(look.edge)
    for edge in (inside[0], inside[-1], inside[:, 0], inside[:, -1]):
        edge[...] = _rgb(look.edge)


def _rgb(colour: str) -> Image:
    return np.array([round(255 * part) for part in to_rgb(colour)], np.uint8)

"""Draws the points of a claim as dots with their names, deciding intervals and allowed ranges (SVG).

Widths are percentages, so that a drawing scales to any width while its text keeps its size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from airfair.experiment.claims import Verdict
from airfair.experiment.conditions import ERROR, Condition, Point, State, states

MOST_SCALES = 3
"""Largest number of ranges with their own axis; with more, each point is drawn relative to its range."""
FEW = 6
"""Largest number of points that the description lists."""
NAME, ROW = 11, 21
"""Heights of the name of a point, and of the name with the dot below it."""
LONGEST = 46
"""Largest number of characters of a name."""
AXIS = 18
"""Height of the text below an axis."""
EDGE = 2.0
"""Margin on either side [% of the width]."""
BEYOND = 1.0
"""Largest part of an axis beyond dots and bounds, as a fraction of their range, for intervals."""

Range = tuple[float, float]


@dataclass(frozen=True)
class Dot:
    """Condition and its state, corrected for the number of points."""

    condition: Condition
    state: State


@dataclass(frozen=True)
class Scale:
    """Mapping from values to positions [% of the width]."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Position of a value, clamped to the edges."""
        part = (value - self.low) / (self.high - self.low)
        return EDGE + (100 - 2 * EDGE) * min(1.0, max(0.0, part))


def draw(verdict: Verdict, name: str) -> Markup:
    """SVG of the points of a verdict; ids begin with `name`, to be unique in the page."""
    dots = [dot for point, state in verdict.ruled for dot in _dots(point, state)]
    groups: dict[Range, list[Dot]] = {}
    for dot in dots:
        groups.setdefault((dot.condition.above, dot.condition.below), []).append(dot)
    rows: list[Markup] = []
    y = 0.0
    if len(groups) <= MOST_SCALES:
        for allowed, members in groups.items():
            scale = _scale([one.condition for one in members])
            rows.append(_allowed(scale, allowed, y, ROW * len(members)))
            for one in members:
                rows.append(_row(one, scale, y))
                y += ROW
            rows.append(_axis(scale, allowed, y))
            y += AXIS
    else:
        for one in dots:
            scale = _scale([one.condition])
            rows.append(_allowed(scale, (one.condition.above, one.condition.below), y + 1, ROW - 2))
            rows.append(_row(one, scale, y))
            y += ROW
    about = "; ".join(
        f"{one.condition.figures}: {one.state}" if one else f"and {len(dots) - FEW} more"
        for one in ([*dots[:FEW], None] if len(dots) > FEW else dots)
    )
    return Markup(
        '<svg class="dots" role="img" aria-labelledby="{0}-title {0}-desc" width="100%" height="{1:g}">'
        '<title id="{0}-title">{2}: each point with its {4} interval; what is allowed is shaded</title>'
        '<desc id="{0}-desc">{3}</desc>'
    ).format(name, y, verdict.counted, about, level(verdict.points)) + Markup("").join(
        [*rows, Markup("</svg>")]
    )


def level(points: Sequence[Point]) -> str:
    """Text of the confidence level of deciding intervals: 95 %, or more after repeated tests."""
    return f"{100 * (1 - (points[0].error if points else ERROR)):.3g} %"


def _dots(point: Point, state: State) -> Iterator[Dot]:
    """Dots of a condition or of the parts of a quota."""
    if isinstance(point, Condition):
        yield Dot(point, state)
    else:
        yield from map(Dot, point.parts, states(point.parts))


def _scale(conditions: Sequence[Condition]) -> Scale:
    """Scale that covers all dots and bounds, and intervals near them."""
    places = [
        value
        for one in conditions
        for value in (one.measured.mean, one.above, one.below)
        if math.isfinite(value)
    ]
    low, high = min(places), max(places)
    reach = (high - low) or abs(high) or 1.0
    ends = [end for one in conditions for end in one.deciding.shown if math.isfinite(end)]
    low = max(low - BEYOND * reach, min([low - 0.1 * reach, *ends]))
    high = min(high + BEYOND * reach, max([high + 0.1 * reach, *ends]))
    return Scale(low, high)


def _allowed(scale: Scale, allowed: Range, y: float, height: float) -> Markup:
    above, below = allowed
    start = scale.at(above) if math.isfinite(above) else 0.0
    end = scale.at(below) if math.isfinite(below) else 100.0
    parts = [
        Markup('<rect class="allowed" x="{:.2f}%" y="{:g}" width="{:.2f}%" height="{:g}"/>').format(
            start, y, end - start, height
        )
    ]
    parts += [
        Markup('<line class="bound" x1="{0:.2f}%" x2="{0:.2f}%" y1="{1:g}" y2="{2:g}"/>').format(
            scale.at(bound), y, y + height
        )
        for bound in allowed
        if math.isfinite(bound)
    ]
    return Markup("").join(parts)


def _row(dot: Dot, scale: Scale, top: float) -> Markup:
    """SVG of the name of a point and the dot with its interval below it."""
    measured, what = dot.condition.deciding, dot.condition.what
    low, high = measured.shown
    short = what if len(what) <= LONGEST else f"{what[: LONGEST - 1]}…"
    name = Markup('<text class="name" x="{:g}%" y="{:g}">{}<title>{}</title></text>').format(
        EDGE, top + NAME, short, dot.condition.figures
    )
    if not math.isfinite(measured.mean):
        return name
    return name + Markup(
        '<g class="{}"><line x1="{:.2f}%" x2="{:.2f}%" y1="{y:g}" y2="{y:g}"/>'
        '<circle cx="{:.2f}%" cy="{y:g}" r="3.5"/></g>'
    ).format(
        dot.state,
        scale.at(low),
        scale.at(high),
        scale.at(measured.mean),
        y=top + (NAME + ROW) / 2,
    )


def _axis(scale: Scale, allowed: Range, y: float) -> Markup:
    """SVG of the bounds as numbers below the axis."""
    bounds = [bound for bound in allowed if math.isfinite(bound)]
    words = []
    for place, bound in enumerate(bounds):
        at = scale.at(bound)
        anchor = "middle"
        if at < 12:  # noqa: PLR2004 - room for a number
            anchor = "start"
        elif at > 88:  # noqa: PLR2004
            anchor = "end"
        if len(bounds) > 1:
            anchor = "end" if place == 0 and at > 12 else "start" if at < 88 else "end"  # noqa: PLR2004
        words.append(
            Markup('<text x="{:.2f}%" y="{:g}" text-anchor="{}">{:.4g}</text>').format(
                at, y + 12, anchor, bound
            )
        )
    return Markup("").join(words)

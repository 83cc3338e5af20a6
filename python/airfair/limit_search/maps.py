"""Map of the wins and losses of a scheme over the most informative dimensions."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from airfair import figures, palette

from .decide import Comparison, Effect
from .rules import conditions, telling
from .search import Found
from .space import Condition, Feature

# Orange and blue are distinct for every kind of colour vision; triangles also point down or up.
_LOSES, _WINS, _NEITHER = palette.PALETTE[0], palette.PALETTE[1], "#a8a8a8"
_SIZES = {3.0: 3.0, 10.0: 4.5, 30.0: 6.5, np.inf: 9.0}
"""Size of a mark, by the largest effect that it represents [%, or percentage points]."""
_MOST_COLUMNS = 4
_LABEL = 28
"""Largest number of characters of a label beside a panel."""


@dataclass(frozen=True)
class _Column:
    title: str
    members: list[int]


def draw(found: Found) -> Figure:
    """Map with a row for each judged measure, and a column for each part of the third dimension."""
    points, _ = conditions(found, range(len(found.points)))
    order = telling(found)
    numbers = [feature for feature in order if not _is_choice(points, feature)]
    x = numbers[0]
    y = next(feature for feature in numbers if feature.id not in _kin(x))
    third = next(feature for feature in order if feature.id not in _kin(x, y))
    columns = _columns(points, third)
    judged = found.scheme.judged
    with mpl.rc_context(figures.STYLE):
        figure = Figure(
            figsize=(1.4 + 2.35 * len(columns), 0.9 + 2.3 * len(judged)), layout="constrained"
        )
        grid = figure.subplots(len(judged), len(columns), sharex=True, sharey=True, squeeze=False)
        for row, name in zip(grid, judged, strict=True):
            for ax, column in zip(row, columns, strict=True):
                said = [(points[i], found.comparisons[i]) for i in column.members]
                _panel(ax, (x, y), [(point, c[name]) for point, c in said if name in c])
            row[0].set_ylabel(_wrapped(y))
            where = f", {found.scheme.standard}" if found.scheme.standard else ""
            row[0].set_title(found.scheme.criteria[name].label.capitalize() + where, pad=16)
        for row in grid:
            for ax, column in zip(row, columns, strict=True):
                _above(ax, column.title)
        for ax in grid[-1]:
            ax.set_xlabel(_wrapped(x))
        marks = _legend()
        figures.legend_below(figure, marks, [str(mark.get_label()) for mark in marks], 5)
        return figure


def svg(figure: Figure) -> str:
    """Compact SVG of a figure: marks share styles, and coordinates are rounded."""
    text = "\n".join(line.strip() for line in figures.svg(figure).splitlines())
    return _MARKS_OF_A_KIND.sub(_shared, _DIGITS.sub(r"\1", text)) + "\n"


_DIGITS = re.compile(r"(\.\d\d)\d+")
_MARKS_OF_A_KIND = re.compile(r'<g clip-path="([^"]*)">\n((?:<use [^>]*style="fill: #\w+"/>\n)+)')


def _shared(group: re.Match[str]) -> str:
    marks = group[2]
    style = marks[marks.index(" style=") : marks.index("/>")]
    return f'<g clip-path="{group[1]}"{style}>\n{marks.replace(style, "")}'


def _above(ax: Axes, words: str) -> None:
    ax.annotate(
        words,
        (0, 1),
        xycoords="axes fraction",
        xytext=(0, 4),
        textcoords="offset points",
        fontsize=8,
        color=palette.INK,
    )


def _kin(*features: Feature) -> set[str]:
    """Features closely related to those given, with these."""
    groups = (
        {"slow_rate", "fast_rate", "rate_ratio"},
        {"ap_queue", "place_per_flow", "acks"},
        {"rates", "period"},
    )
    ids = {feature.id for feature in features}
    return ids.union(*(group for group in groups if group & ids))


def _is_choice(points: Sequence[Condition], feature: Feature) -> bool:
    return isinstance(points[0][feature.id], str)


def _columns(points: Sequence[Condition], feature: Feature) -> list[_Column]:
    if _is_choice(points, feature):
        values = list(dict.fromkeys(str(p[feature.id]) for p in points))
        named = f"{feature.label}: "
        return [
            _Column(
                (named if i == 0 else "") + value,
                [n for n, p in enumerate(points) if p[feature.id] == value],
            )
            for i, value in enumerate(sorted(values))
        ][:_MOST_COLUMNS]
    numbers = np.array([float(p[feature.id]) for p in points])
    low, high = (float(f"{bound:.2g}") for bound in np.percentile(numbers, [33, 67]))
    unit = f" {feature.unit}" if feature.unit else ""
    parts = {
        f"{feature.label} ≤ {low:g}{unit}": numbers <= low,
        f"to {high:g}{unit}": (numbers > low) & (numbers <= high),
        f"above {high:g}{unit}": numbers > high,
    }
    return [
        _Column(title, np.flatnonzero(mask).tolist()) for title, mask in parts.items() if mask.any()
    ]


def _panel(
    ax: Axes, axes: tuple[Feature, Feature], said: Sequence[tuple[Condition, Comparison]]
) -> None:
    for verdict, colour, marker in _MARKS:
        for largest, size in _SIZES.items():
            if verdict is None and largest != min(_SIZES):
                continue
            wanted = (verdict, largest if verdict else None)
            chosen = [point for point, comparison in said if _drawn(comparison) == wanted]
            ax.plot(
                [float(point[axes[0].id]) for point in chosen],
                [float(point[axes[1].id]) for point in chosen],
                linestyle="none",
                marker=marker,
                markersize=size if verdict else 2.0,
                color=colour,
                markeredgewidth=0,
            )
    for feature, scale, formatter in (
        (axes[0], ax.set_xscale, ax.xaxis),
        (axes[1], ax.set_yscale, ax.yaxis),
    ):
        if feature.log:
            scale("log")
            formatter.set_major_formatter(lambda value, _: f"{value:g}")
            formatter.set_minor_formatter(lambda _, __: "")
    ax.grid(visible=False)


_MARKS = ((None, _NEITHER, "o"), (Effect.LOSES, _LOSES, "v"), (Effect.WINS, _WINS, "^"))


def _drawn(comparison: Comparison) -> tuple[Effect | None, float | None]:
    if comparison.verdict.sign == 0:
        return None, None
    size = next(largest for largest in _SIZES if abs(comparison.effect) <= largest)
    return comparison.verdict, size


def _wrapped(feature: Feature) -> str:
    label = feature.label[0].upper() + feature.label[1:]
    whole = f"{label} [{feature.unit}]" if feature.unit else label
    return "\n".join(textwrap.wrap(whole, _LABEL))


def _legend() -> list[Line2D]:
    def mark(colour: str, marker: str, size: float, label: str) -> Line2D:
        return Line2D(
            [], [], linestyle="none", color=colour, marker=marker, markersize=size, label=label,
            markeredgewidth=0,
        )  # fmt: skip

    small, *_, large = _SIZES.values()
    return [
        mark(_WINS, "^", small, "wins, up to 3 % or points"),
        mark(_WINS, "^", large, "more than 30"),
        mark(_LOSES, "v", small, "loses, up to 3 % or points"),
        mark(_LOSES, "v", large, "more than 30"),
        mark(_NEITHER, "o", 2.0, "no significant difference"),
    ]

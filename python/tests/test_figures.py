"""Tests of figures: wide ones have a second form for narrow screens."""

from __future__ import annotations

import itertools

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from airfair import figures
from airfair.figures import (
    NARROW,
    WIDE,
    Category,
    Chart,
    Curve,
    Panel,
    Points,
    by_category,
    by_name,
    over_number,
    over_time,
)


def points(*means: float) -> list[Points]:
    return [
        Points(f"series {i}", np.array([[mean] * 3, [0.1] * 3])) for i, mean in enumerate(means)
    ]


def test_a_wide_figure_has_its_panels_one_below_the_other_on_a_narrow_screen() -> None:
    charts = [Chart(f"panel {i}", [1, 2, 3], points(i + 1.0, i + 2.0)) for i in range(4)]
    names = ["one", "two\nlines", "three"]
    category = Category("", "Goodput", "Cell", names, points(1.0, 2.0))
    panel = Panel("time", "rate", np.arange(3.0), [Curve("a", np.ones((2, 3)))])
    for figure, count in (
        (over_number(charts, "x", "y"), 4),
        (over_number(charts, "x", ["left", "right"]), 4),
        (over_number(charts[:1], "x", "y", columns=1), 1),
        (by_category(category, wide=True), 1),
        (by_name([category, category]), 2),
        (over_time([panel, panel], wide=True), 2),
    ):
        assert figure.narrow is not None
        narrow = figure.narrow()
        assert narrow.get_figwidth() == NARROW < figure.get_figwidth() == WIDE
        assert len([ax for ax in narrow.axes if ax.get_visible()]) == count
        assert len({round(ax.get_position().x0, 2) for ax in narrow.axes}) == 1
        assert figures.narrow_svg(figure).startswith("<?xml")
    assert by_category(category).narrow is None
    assert figures.narrow_svg(by_category(category)) == ""


def test_panels_of_one_label_keep_one_scale_on_a_narrow_screen() -> None:
    charts = [Chart(str(i), [1, 2, 3], points(10.0**i)) for i in range(4)]
    figure = over_number(charts, "x", ["left", "right"])
    assert figure.narrow is not None
    axes = figure.narrow().axes
    assert [ax.get_title(loc="left") for ax in axes] == ["0", "2", "1", "3"]
    assert [ax.get_ylabel() for ax in axes] == ["left", "left", "right", "right"]
    assert axes[0].get_ylim() == axes[1].get_ylim()
    assert axes[2].get_ylim() == axes[3].get_ylim()


def test_long_titles_of_panels_stay_beside_each_other() -> None:
    title = (
        "A scheme with a long name: session 2 keeps 93 % of its throughput while session 1 is slow"
    )
    panel = Panel(title, "rate", np.arange(3.0), [Curve("a", np.ones((2, 3)))])
    chart = Chart(title, [1, 2, 3], points(1.0, 2.0))
    category = Category(title, "Goodput", "Cell", ["one", "two", "three"], points(1.0, 2.0))
    for figure in (
        over_time([panel, panel], wide=True),
        over_number([chart] * 3, "x", ["a", "b", "c"], columns=3),
        by_name([category] * 3),
        by_category(category),
    ):
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        titles = [text for text in figure.findobj(Text) if text.get_text().startswith("A scheme")]
        boxes = [text.get_window_extent() for text in titles]
        assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))
        assert boxes[-1].x1 <= figure.bbox.x1

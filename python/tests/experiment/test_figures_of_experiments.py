"""Tests of experiments' figures: their content, and errors in requests for figures."""

# ruff: noqa: ANN401 - options are of any type

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import airfair
from airfair.figures import svg
from small_experiments import RATES, SCHEMES, run


def test_a_figure_shows_the_means_in_the_unit_that_people_read(
    grid: airfair.ExperimentResult,
) -> None:
    figure = grid.plot("station.slow.rate", "goodput", "scheme")
    (axes,) = figure.axes
    assert axes.get_xlabel() == "station.slow.rate [Mb/s]"
    assert axes.get_ylabel() == "goodput [Mb/s]"
    means = grid.summary("goodput").filter(scheme="plain")["mean"] / 1e6
    drawn = {str(line.get_label()): line for line in axes.lines}
    assert np.asarray(drawn["plain"].get_xdata()).tolist() == [1.0, 2.0]
    assert np.asarray(drawn["plain"].get_ydata()).tolist() == pytest.approx(means.to_list())


def test_numbers_stand_in_order_whatever_the_order_of_the_levels() -> None:
    made = run(factors={"station.slow.rate": ["2 Mb/s", "1 Mb/s"]})
    (line,) = made.plot().axes[0].lines
    assert np.asarray(line.get_xdata()).tolist() == [1.0, 2.0]
    means = made.summary()["mean"].to_list()
    assert np.asarray(line.get_ydata()).tolist() == pytest.approx([means[1] / 1e6, means[0] / 1e6])


def test_names_stand_side_by_side_and_panels_beside_each_other(
    grid: airfair.ExperimentResult,
) -> None:
    (axes,) = grid.plot("scheme", by="station.slow.rate").axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["plain", "short"]
    titles = [
        axes.get_title(loc="left") for axes in grid.plot("station.slow.rate", panel="scheme").axes
    ]
    assert titles == ["scheme = plain", "scheme = short"]


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({}, r"scheme varies too; choose one level \(at=\{\"scheme\": …\}\)"),
        ({"x": "speed"}, "unknown factor speed; allowed station.slow.rate, scheme"),
        ({"by": "schema"}, "unknown factor schema"),
        ({"x": "scheme", "by": "scheme"}, "scheme is named twice"),
        ({"by": "scheme", "at": {"scheme": "plain"}}, "scheme is named twice"),
        ({"at": {"scheme": "plan"}}, "scheme has no level 'plan'; allowed plain, short"),
        ({"x": "scheme", "panel": "station.slow.rate"}, "panels need numbers on the x axis"),
    ],
)
def test_a_figure_that_cannot_be_says_why(
    grid: airfair.ExperimentResult, options: Any, wrong: str
) -> None:
    with pytest.raises(airfair.StudyError, match=f"plot: .*{wrong}"):
        grid.plot(**options)


def test_more_lines_than_can_be_told_apart_are_refused() -> None:
    made = run(factors={**RATES, "station.slow.queue.packets": [2, 3, 4, 5, 6, 7]}, replications=1)
    with pytest.raises(airfair.StudyError, match="has 6 levels; allowed are 5 lines"):
        made.plot("station.slow.rate", by="station.slow.queue.packets")
    assert made.plot("station.slow.queue.packets", by="station.slow.rate").axes


def test_no_factor_is_nothing_to_draw_along() -> None:
    with pytest.raises(airfair.StudyError, match="every factor is already used"):
        run(replications=1).plot()


def test_names_with_dollars_underscores_and_controls_are_drawn_as_words() -> None:
    labels = {"_$a$": {}, "$\\frac$": {}, "\x1b\u202eb": {}}
    made = run(factors={"x$\x07": labels, **RATES}, replications=1)
    for figure in (
        made.plot("x$\x07", by="station.slow.rate", title="$\\bad\x1b"),
        made.plot("station.slow.rate", by="x$\x07"),
        made.plot("station.slow.rate", panel="x$\x07"),
    ):
        text = svg(figure)
        assert "\x1b" not in text
        assert "\u202e" not in text
    legend = made.plot("station.slow.rate", by="x$\x07").legends[0]
    assert len(legend.get_texts()) >= 3


def test_a_point_that_has_no_value_leaves_a_gap() -> None:
    points = [
        {"station.slow.rate": "1 Mb/s", "scheme": "plain"},
        {"station.slow.rate": "2 Mb/s", "scheme": "short"},
    ]
    made = run(factors={**RATES, **SCHEMES}, design=points)
    lines = made.plot("station.slow.rate", by="scheme").axes[0].lines
    assert [np.isnan(np.asarray(line.get_ydata())).tolist() for line in lines[:2]] == [
        [False, True],
        [True, False],
    ]

"""Tests of box plots and cumulative distributions of experiments."""

from __future__ import annotations

import math
import tomllib
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch

import airfair
from airfair.figures import svg
from small_experiments import RATES, SCHEMES, run

# Replications 0 to 7 have these values: quartiles 2.75 and 6.25, median 4.5; 20 is beyond 6.25 + 1.5 · 3.5.
VALUES = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 20.0]


def made_up(result: airfair.Result) -> float:
    """Value of a run with known quartiles, 10 higher at 2 Mb/s."""
    place = result.runs["replication"].item()
    rate = tomllib.loads(result.scenario.to_toml())["station"]["slow"]["rate"]
    return VALUES[place] + {"1 Mb/s": 0, "2 Mb/s": 10}[rate]


def half(result: airfair.Result) -> float:
    """Value of every other run."""
    place = result.runs["replication"].item()
    return float(place) if place % 2 == 0 else math.nan


KNOWN = airfair.measure(made_up, name="made up", unit="ms")
HALF = airfair.measure(half, name="half", unit="ms")


@pytest.fixture(scope="module")
def eight() -> airfair.ExperimentResult:
    return run(factors=RATES, replications=len(VALUES))


def boxes(axes: Axes) -> list[PathPatch]:
    return [patch for patch in axes.patches if isinstance(patch, PathPatch)]


def test_a_box_has_quartiles_median_whiskers_and_every_run(eight: airfair.ExperimentResult) -> None:
    (axes,) = eight.plot.boxes(y=KNOWN).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("station.slow.rate", "made up [ms]")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1 Mb/s", "2 Mb/s"]
    for shift, box in zip((0, 10), boxes(axes), strict=True):
        heights = box.get_path().vertices[:, 1]
        assert (min(heights), max(heights)) == (2.75 + shift, 6.25 + shift)
    flat = [np.asarray(line.get_ydata()).tolist() for line in axes.lines]
    assert [4.5, 4.5] in flat, "median"
    assert [1.0, 1.0] in flat, "lower cap"
    assert [7.0, 7.0] in flat, "upper cap, at the last run within 1.5 interquartile ranges"
    assert VALUES in flat, "a dot for each run"


def test_levels_of_by_are_boxes_side_by_side_in_their_colours(
    grid: airfair.ExperimentResult,
) -> None:
    (axes,) = grid.plot.boxes("station.slow.rate", by="scheme").axes
    drawn = boxes(axes)
    assert len(drawn) == 4
    middles = [box.get_path().vertices[:, 0].mean() for box in drawn]
    assert middles[0] < 0 < middles[2] < middles[1] < 1 < middles[3]
    assert len({box.get_edgecolor() for box in drawn}) == 2
    figure = axes.get_figure(root=True)
    assert figure is not None
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["plain", "short", "box: quartiles and median of the runs"]


def test_a_distribution_is_a_step_for_each_run(eight: airfair.ExperimentResult) -> None:
    (axes,) = eight.plot.cdf(KNOWN).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("made up [ms]", "runs [%]")
    first, second = axes.lines
    assert [first.get_label(), second.get_label()] == ["1 Mb/s", "2 Mb/s"]
    assert np.asarray(first.get_xdata())[1:-1].tolist() == VALUES
    shares = [100 * done / 8 for done in range(9)]
    assert np.asarray(first.get_ydata()).tolist() == [*shares, 100]
    assert np.asarray(second.get_xdata())[1:-1].tolist() == [value + 10 for value in VALUES]


def test_a_distribution_is_in_the_unit_that_people_read(grid: airfair.ExperimentResult) -> None:
    (axes,) = grid.plot.cdf(at={"scheme": "plain"}).axes
    assert axes.get_xlabel() == "goodput [Mb/s]"
    one = grid.values("goodput").filter(
        pl.col("station.slow.rate") == "1 Mb/s", pl.col("scheme") == "plain"
    )
    expected = (one["value"].sort() / 1e6).to_list()
    assert np.asarray(axes.lines[0].get_xdata())[1:-1].tolist() == pytest.approx(expected)


def test_levels_are_in_the_order_of_their_numbers_and_found_by_them() -> None:
    made = run(factors={"station.slow.rate": ["2 Mb/s", "1 Mb/s"], **SCHEMES})
    (axes,) = made.plot.boxes("station.slow.rate", at={"scheme": "plain"}).axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1 Mb/s", "2 Mb/s"]
    (line,) = made.plot.cdf(by="scheme", at={"station.slow.rate": 2}).axes[0].lines[:1]
    values = made.values("goodput").filter(
        pl.col("station.slow.rate") == "2 Mb/s", pl.col("scheme") == "plain"
    )
    assert np.asarray(line.get_xdata())[1:-1] == pytest.approx(
        (values["value"].sort() / 1e6).to_list()
    )


def test_runs_without_a_value_are_said(eight: airfair.ExperimentResult) -> None:
    (axes,) = eight.plot.cdf(HALF).axes
    assert axes.get_title(loc="left") == "half by station.slow.rate\n8 of 16 runs have no value"
    assert np.asarray(axes.lines[0].get_ydata())[-1] == 50
    (axes,) = eight.plot.boxes(y=HALF).axes
    assert "8 of 16 runs have no value" in axes.get_title(loc="left")
    nothing = airfair.measure(lambda _: math.nan, name="nothing")
    for draw in (eight.plot.cdf, eight.plot.boxes):
        with pytest.raises(airfair.StudyError, match="no run has a value of nothing"):
            draw(y=nothing)


def test_an_experiment_of_one_point_is_one_curve() -> None:
    made = run(factors={}, replications=3)
    (axes,) = made.plot.cdf().axes
    assert len(axes.lines) == 1
    assert axes.get_title(loc="left") == "goodput"
    with pytest.raises(airfair.StudyError, match="every factor is already used"):
        made.plot.boxes()


@pytest.mark.parametrize(
    ("kind", "options", "wrong"),
    [
        ("boxes", {}, r"plot\.boxes: scheme varies too; .*, or name the factor as by$"),
        ("boxes", {"x": "speed"}, r"plot\.boxes: unknown factor speed; allowed station"),
        ("boxes", {"x": "scheme", "by": "scheme"}, "scheme is named twice"),
        (
            "cdf",
            {},
            r"plot\.cdf: scheme varies too; choose one level .*, or name the factor as by$",
        ),
        ("cdf", {"by": "speed"}, r"plot\.cdf: unknown factor speed"),
        ("cdf", {"at": {"speed": 1}}, r"plot\.cdf: unknown factor speed"),
        ("cdf", {"at": {"scheme": "plan"}}, "scheme has no level 'plan'; allowed plain, short"),
    ],
)
def test_a_wrong_request_is_an_error(
    grid: airfair.ExperimentResult,
    kind: str,
    options: dict[str, Any],
    wrong: str,
) -> None:
    with pytest.raises(airfair.StudyError, match=wrong):
        getattr(grid.plot, kind)(**options)


def test_more_levels_than_colours_are_refused() -> None:
    made = run(factors={"station.slow.queue.packets": [5, 6, 7, 8, 9, 10]}, replications=1)
    with pytest.raises(airfair.StudyError, match=r"has 6 levels; allowed are 5 lines$"):
        made.plot.cdf()
    (axes,) = made.plot.boxes().axes
    assert len(boxes(axes)) == 6


def test_hostile_labels_are_drawn() -> None:
    made = run(factors={"x$\x07": {"$a": {}, "_b": {"station.*.queue.packets": 5}}})
    for figure in (made.plot.boxes(title="$\\bad"), made.plot.cdf(title="$\\bad")):
        assert "_b" in svg(figure)

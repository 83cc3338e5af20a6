"""Tests of the distributions of one result: goodputs, delays of packets, completion times."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.patches import StepPatch

import airfair
from airfair import distributions
from support import SCENARIO
from test_terminal import CROWD

RUNS = 5


@pytest.fixture(scope="module")
def result() -> airfair.Result:
    return airfair.run(SCENARIO, replications=RUNS)


def stairs(axes: Axes) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Shares and edges of each histogram, by its label."""
    patches = [patch for patch in axes.patches if isinstance(patch, StepPatch)]
    return {str(patch.get_label()): patch.get_data()[:2] for patch in patches}


def test_goodput_is_a_step_for_each_run(result: airfair.Result) -> None:
    (axes,) = result.plot.goodput().axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("goodput [Mb/s]", "runs [%]")
    assert [line.get_label() for line in axes.lines] == ["a", "b"]
    for line in axes.lines:
        goodputs = result.flows.filter(flow=line.get_label())["goodput_bps"].sort() / 1e6
        x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        assert x[1:-1] == pytest.approx(goodputs.to_list())
        # Of five runs each is 20 %; the share is 0 before the first and stays 100 % after the last.
        assert y.tolist() == [0, 20, 40, 60, 80, 100, 100]
        assert (x[0], x[-1]) == axes.get_xlim()


def test_numbered_flows_share_a_curve_of_all_their_goodputs() -> None:
    crowd = airfair.run(CROWD)
    (axes,) = crowd.plot.goodput().axes
    assert axes.get_ylabel() == "flows [%]"
    downloads = axes.lines[0]
    assert downloads.get_label() == "down1 … down40\n(40 flows)"
    goodputs = (
        crowd.flows.filter(pl.col("flow").str.starts_with("down"))["goodput_bps"].sort() / 1e6
    )
    assert np.asarray(downloads.get_xdata())[1:-1] == pytest.approx(goodputs.to_list())


def test_few_runs_have_no_distribution_of_goodputs() -> None:
    few = airfair.run(SCENARIO, replications=3)
    assert not few.plot.has_goodputs
    with pytest.raises(ValueError, match="3 replications; a distribution of goodputs needs 4"):
        few.plot.goodput()


def test_delays_are_shares_of_all_packets(result: airfair.Result) -> None:
    (axes,) = result.plot.delays().axes
    assert axes.get_xlabel() == "one-way delay [ms]"
    assert axes.get_ylabel() == "packets of the flow [%]"
    assert axes.get_xscale() == "log"
    drawn = stairs(axes)
    assert {"a", "b"} <= set(drawn)
    for flow in ("a", "b"):
        shares, edges = drawn[flow]
        assert sum(shares) == pytest.approx(100)
        table = result.delays.filter(flow=flow)
        # The table's buckets are narrower than a bin, so a share is right but for the packets of
        # the two buckets that an edge divides.
        for place in range(0, len(edges), 5):
            edge_ns = edges[place] * 1e6
            below = table.filter(pl.col("to_ns") <= edge_ns)["packets"].sum()
            reached = table.filter(pl.col("from_ns") <= edge_ns)["packets"].sum()
            share = sum(shares[:place]) / 100 * table["packets"].sum()
            assert below - 0.5 <= share <= reached + 0.5
        rows = result.flows.filter(flow=flow)
        assert edges[0] <= rows["delay_min_ms"].min() * 1.02  # type: ignore[operator]
        assert edges[-1] >= rows["delay_max_ms"].max() / 1.02  # type: ignore[operator]


def test_bins_contain_all_values_and_have_one_ratio() -> None:
    values = np.array([1.0, 3.0, 16.0])
    edges = distributions.bins(values)
    assert edges[0] == 1  # eight bins per octave begin at every power of two
    assert edges[-2] == 16 < edges[-1]
    assert edges[1:] / edges[:-1] == pytest.approx(2 ** (1 / 8))
    assert len(edges) == 4 * 8 + 2
    assert distributions.bins(np.array([5.0])).tolist() == pytest.approx([4.757, 5.187], rel=1e-3)


def test_missing_values_count_and_leave_the_curve_below_100_percent() -> None:
    axes = airfair.run(SCENARIO).plot.airtime().add_subplot()
    values = np.array([3.0, np.nan, 1.0, np.nan])
    distributions.cumulative(axes, values, (0, 4), colour="#000000", label="x")
    (line,) = axes.lines
    assert np.asarray(line.get_xdata()).tolist() == [0, 1, 3, 4]
    assert np.asarray(line.get_ydata()).tolist() == [0, 25, 50, 50]


def test_results_of_archived_runs_have_no_histogram_of_delays(tmp_path: Path) -> None:
    scenario = tmp_path / "cell.toml"
    scenario.write_text(SCENARIO)
    made = airfair.Experiment(scenario, factors={}, replications=1).run(progress=False)
    assert not made.result().plot.has_delays
    with pytest.raises(ValueError, match="archived runs have no histogram of delays"):
        made.result().plot.delays()


def test_a_directory_has_the_pictures_of_its_distributions(
    result: airfair.Result, tmp_path: Path
) -> None:
    result.save(tmp_path / "out")
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"goodput.svg", "goodput.png", "delays.svg", "delays.png"} <= files
    loaded = airfair.load_result(tmp_path / "out")
    assert loaded.plot.has_delays
    assert "One-way delays of the packets" in (tmp_path / "out/report.html").read_text()

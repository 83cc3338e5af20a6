"""Tests of the metrics of [tfrc-friendliness §3] against numbers worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

import airfair
from airfair import friendliness as fr

Octets = NDArray[np.int64]

OCTETS = [500, 1500, 0, 1000, 3000, 0]
"""Octets of a flow in six steps of half a second: 1, 3, 0, 2, 6 and 0 packets of 500 octets."""


def test_packets_are_counted_over_the_interval_that_ends_at_t() -> None:
    """Verifies: [tfrc-friendliness eq. 6]"""
    # Three steps back: 1, 1+3, 1+3+0, 3+0+2, 0+2+6, 2+6+0; the first two reach back to the start.
    assert fr.packets_within(OCTETS, 3, 500).tolist() == [1, 4, 4, 5, 8, 8]
    assert fr.packets_within(OCTETS, 1, 500).tolist() == [1, 3, 0, 2, 6, 0]
    # An interval longer than the flow: packets since its start.
    assert fr.packets_within(OCTETS, 99, 500).tolist() == [1, 4, 4, 6, 12, 12]


def test_a_flow_that_starts_later_has_nothing_before() -> None:
    """Verifies: [tfrc-friendliness eq. 6]"""
    # At the third step t - δ < t0: octets count from t0, the start of that step.
    assert fr.octets_within([0, 0, 700, 100], 3).tolist() == [0, 0, 700, 800]


def test_throughput_divides_by_the_whole_interval() -> None:
    """Verifies: [tfrc-friendliness eq. 7]"""
    # δ = 2 · 0.5 s = 1 s: 500, 500+1500, 1500+0, 0+1000, 1000+3000, 3000+0 octets in one second.
    assert fr.throughput(OCTETS, 2, 0.5).tolist() == [500, 2000, 1500, 1000, 4000, 3000]
    assert fr.samples(OCTETS, 2, 0.5).tolist() == [2000, 1000, 3000]
    # δ = 2 s is 4 steps: one whole interval, 3000 octets in 2 s; two steps are left.
    assert fr.samples(OCTETS, 4, 0.5).tolist() == [1500]


def test_the_average_is_the_throughput_over_the_whole_time() -> None:
    """Verifies: [tfrc-friendliness eq. 8]"""
    # 6000 octets in 3 s; the mean of B_{f,δ} over adjacent intervals is the same.
    assert fr.average(OCTETS, 0.5) == 2000
    for window in (1, 2, 3, 6):
        assert fr.samples(OCTETS, window, 0.5).mean() == pytest.approx(2000)


def test_figure_5_of_the_paper_gives_0_556() -> None:
    """Verifies: [tfrc-friendliness eq. 9, eq. 10]"""
    reno = fr.of_protocol([67.06, 67.06, 67.06])
    # 67.06 / (67.06 + 53.48) = 0.5563
    assert fr.inter_protocol(53.48, reno) == pytest.approx(0.5563, abs=5e-5)
    assert fr.inter_protocol(reno, 53.48) == pytest.approx(1 - 0.5563, abs=5e-5)
    assert fr.inter_protocol(5.0, 5.0) == 0.5
    assert fr.inter_protocol(0.0, 5.0) == 1
    assert math.isnan(fr.inter_protocol(0.0, 0.0))


def test_max_min_fairness_is_the_least_by_the_largest() -> None:
    """Verifies: [tfrc-friendliness eq. 11]"""
    assert fr.max_min([40.0, 10.0, 25.0]) == 0.25
    assert fr.max_min([7.0]) == 1
    assert fr.max_min([[3.0, 0.0], [2.0, 2.0]]).tolist() == [0, 1]
    assert math.isnan(fr.max_min([0.0, 0.0]))


def test_the_coefficient_of_variation_is_relative() -> None:
    # Mean 4, deviations -2, 0, 2: √(8/3)/4 = 0.40825
    assert fr.coefficient_of_variation([2.0, 4.0, 6.0]) == pytest.approx(0.40825, abs=5e-6)
    assert fr.coefficient_of_variation([20.0, 40.0, 60.0]) == pytest.approx(0.40825, abs=5e-6)
    assert fr.coefficient_of_variation([5.0, 5.0]) == 0
    assert math.isnan(fr.coefficient_of_variation([0.0, 0.0]))


def test_the_equivalence_ratio_leaves_out_instants_at_which_nobody_sends() -> None:
    """Verifies: [floyd-2000 §4.1.2]"""
    a, b = [10.0, 30.0, 0.0, 0.0], [20.0, 30.0, 5.0, 0.0]
    at_each = fr.equivalence(a, b)
    assert at_each[:3].tolist() == [0.5, 1, 0]
    assert math.isnan(at_each[3])
    # The mean of 0.5, 1 and 0
    assert fr.equivalence_ratio(a, b) == pytest.approx(0.5)
    assert fr.equivalence_ratio(b, a) == pytest.approx(0.5)
    assert math.isnan(fr.equivalence_ratio([0.0], [0.0]))


def test_the_share_of_timeouts_is_undefined_without_losses() -> None:
    share = fr.timeout_share([3, 0, 2, 0], [9, 4, 0, 0])
    assert share[:3].tolist() == [0.25, 0, 1]
    assert math.isnan(share[3])


def test_an_interval_has_at_least_one_step() -> None:
    with pytest.raises(ValueError, match="window 0"):
        fr.octets_within(OCTETS, 0)


series = arrays(np.int64, st.tuples(st.just(2), st.integers(1, 30)), elements=st.integers(0, 10**6))


@given(series, st.integers(1, 40))
def test_windows_agree_with_a_sum_over_each(octets: Octets, window: int) -> None:
    within = fr.octets_within(octets, window)
    for end in range(1, octets.shape[-1] + 1):
        start = max(0, end - window)
        assert within[:, end - 1].tolist() == octets[:, start:end].sum(axis=-1).tolist()


@given(series)
def test_indices_stay_in_their_ranges(octets: Octets) -> None:
    a, b = octets.astype(float)
    for index in (fr.equivalence_ratio(a, b), fr.max_min(octets.T), fr.inter_protocol(a, b)):
        defined = index[~np.isnan(index)]
        assert ((defined >= 0) & (defined <= 1)).all()
    # The indices of both protocols add up to 1.
    both = fr.inter_protocol(a, b) + fr.inter_protocol(b, a)
    assert np.allclose(both[~np.isnan(both)], 1)


# ------------------------------------------------------------------ metrics of a result

CELL = """\
duration = "12 s"
warmup   = "2 s"
series   = "100 ms"
replications = 2

[bss.cell]
standard = "802.11b"

[station.pc]
queue = { packets = 10 }

[host.server]

[flow.reno1]
from = "pc"
to = "server"
transport = { kind = "tcp", flavour = "reno" }

[flow.reno2]
from = "pc"
to = "server"
transport = { kind = "tcp", flavour = "reno" }

[flow.smooth]
from = "pc"
to = "server"
transport = { kind = "tfrc" }
"""


@pytest.fixture(scope="module")
def result() -> airfair.Result:
    return airfair.run(CELL)


def test_a_result_has_a_row_per_protocol(result: airfair.Result) -> None:
    table = result.friendliness()
    assert table["replication"].to_list() == [0, 0, 1, 1]
    assert table["protocol"].to_list() == ["reno", "tfrc"] * 2
    assert table["flows"].to_list() == [2, 1] * 2
    goodput = {row["flow"]: row["goodput_bps"] for row in result.flows.head(3).to_dicts()}
    reno = (goodput["reno1"] + goodput["reno2"]) / 2
    row = table.row(0, named=True)
    assert row["throughput_bps"] == pytest.approx(reno)
    assert row["inter_protocol"] == pytest.approx(goodput["smooth"] / (goodput["smooth"] + reno))
    least, largest = sorted([goodput["reno1"], goodput["reno2"]])
    assert row["max_min"] == pytest.approx(least / largest)
    flows = result.flows.head(2)
    timeouts, fast = flows["timeouts"].sum(), flows["fast_retransmits"].sum()
    assert row["timeout_share"] == pytest.approx(timeouts / (timeouts + fast))
    assert table["timeout_share"].to_list()[1] is None


def test_smoothness_is_read_after_the_warm_up_at_the_granularity(result: airfair.Result) -> None:
    for granularity, step in (("1 s", 1.0), ("500 ms", 0.5)):
        one = result.series(step=granularity).filter(replication=0, flow="smooth")
        rates = one.filter(one["time_s"] >= 2.0)["throughput_bps"].to_numpy()
        assert len(rates) == 10 / step
        table = result.friendliness(granularity).filter(replication=0, protocol="tfrc")
        assert table.item(0, "coefficient_of_variation") == pytest.approx(
            rates.std() / rates.mean()
        )


def test_pairs_of_flows_have_equivalence_ratios(result: airfair.Result) -> None:
    table = result.equivalence("1 s")
    assert table.height == 2 * 3
    assert table.columns == ["replication", "first", "second", "equivalence_ratio"]
    rates = {}
    for name in ("reno1", "smooth"):
        one = result.series(step="1 s").filter(replication=1, flow=name)
        rates[name] = one.filter(one["time_s"] >= 2.0)["throughput_bps"].to_numpy()
    expected = fr.equivalence_ratio(rates["reno1"], rates["smooth"])
    got = table.filter(replication=1, first="reno1", second="smooth")
    assert got.item(0, "equivalence_ratio") == pytest.approx(float(expected))


def test_sliding_intervals_end_at_their_time(result: airfair.Result) -> None:
    table = result.sliding("1 s").filter(replication=0, flow="smooth")
    delivered = result.series("delivered").filter(replication=0, flow="smooth")
    octets = delivered["delivered_bytes"].to_list()
    assert table["time_s"].to_list()[:3] == pytest.approx([0.1, 0.2, 0.3])
    # From 2.5 to 3.5 s: steps 25 to 34.
    at = table.filter((table["time_s"] - 3.5).abs() < 1e-9)
    assert at.item(0, "throughput_bps") == pytest.approx(8 * sum(octets[25:35]))


def test_a_protocol_alone_has_nobody_to_be_fair_to() -> None:
    alone = airfair.run(CELL.replace('{ kind = "tfrc" }', '{ kind = "tcp", flavour = "reno" }'))
    assert alone.friendliness()["inter_protocol"].to_list() == [None, None]


def test_a_granularity_is_a_multiple_of_the_step(result: airfair.Result) -> None:
    for ask in (result.friendliness, result.equivalence, result.sliding):
        with pytest.raises(ValueError, match=r"allowed are multiples of 0\.1 s"):
            ask("150 ms")
    with pytest.raises(ValueError, match="longer than the measured time"):
        result.friendliness("11 s")

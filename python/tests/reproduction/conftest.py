"""Fixtures with runs made by hand, to test claims and reports without simulations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from airfair.reproduction.papers.arf_aware_tcp.plan import NOTICES
from airfair.reproduction.papers.arf_aware_tcp.runs import ArfAwareRuns

Levels = list[tuple[int, list[float]]]
"""Throughputs of all flows [kb/s] until each instant [s]; the flows start at 1 s."""
MakeRuns = Callable[..., ArfAwareRuns]

SEGMENT = 1000


def made_up(
    levels: Levels, rates_mbps: list[float], *, noise: float = 0.02, seed: int = 1
) -> ArfAwareRuns:
    generator = np.random.default_rng(seed)
    replications, start = 10, 1
    series = np.zeros((replications, len(rates_mbps), 100))
    for end, kbps in levels:
        for flow, level in enumerate(kbps):
            shape = (replications, end - start)
            series[:, flow, start:end] = level * 125 * generator.normal(1, noise, shape)
        start = end
    octets = series.round().astype(np.int64)
    return ArfAwareRuns(
        flows=tuple(f"flow{i}" for i in range(len(rates_mbps))),
        elapsed_s=100.0,
        delivered=octets.sum(axis=-1),
        mean_link_rate_bps=np.array(rates_mbps) * 1e6,
        series=octets,
        step_s=1.0,
        segment=SEGMENT,
    )


@pytest.fixture
def make_runs() -> MakeRuns:
    return made_up


@pytest.fixture
def measurements(
    papers_world: dict[tuple[str, str], ArfAwareRuns],
) -> dict[tuple[str, str], ArfAwareRuns]:
    """Copy of measurements with which each claim of the paper holds; tests may change the copy."""
    return dict(papers_world)


@pytest.fixture(scope="session")
def papers_world() -> dict[tuple[str, str], ArfAwareRuns]:
    """Measurements with which each claim of the paper holds, computed once for all tests."""
    two, both, five = [3.0, 11.0], [3.0, 3.0], [3.0, 11.0, 11.0, 11.0, 11.0]
    mixed, back = [3.0, 3.8, 6.6, 11.0, 11.0], [6.0, 11.0]
    fair, share = (20, [1050.0, 1050.0]), (20, [420.0] * 5)
    data: dict[tuple[str, str], ArfAwareRuns] = {
        ("table2", "newreno"): made_up([(100, [1050, 1050])], [11.0, 11.0]),
        ("table1", "arf_aware"): made_up([fair, (100, [350, 1000])], two),
        ("table4", "arf_aware"): made_up([share, (100, [60, 480, 480, 480, 480])], five),
        ("table5", "arf_aware"): made_up([share, (100, [150, 200, 300, 700, 700])], mixed),
        ("recovery", "arf_aware"): made_up([fair, (70, [350, 1000]), (100, [1050, 1050])], back),
        ("recovery", "newreno"): made_up([fair, (70, [490, 490]), (100, [1050, 1050])], back),
    }
    data["table1", "newreno"] = made_up([fair, (100, [490, 490])], two)
    data["table4", "newreno"] = made_up([share, (100, [280] * 5)], five)
    data["table5", "newreno"] = made_up([share, (100, [230] * 5)], mixed)
    for scheme in ("one_shot", "continuous"):
        for setup in ("table1", "table4", "table5", "recovery"):
            data[setup, scheme] = data[setup, "arf_aware"]
    for scheme in ("arf_aware", "newreno", "one_shot", "continuous"):
        data["table3", scheme] = made_up([fair, (100, [310, 310])], both)
    for scheme in ("arf_aware", "newreno"):
        data["table1-one-hop", scheme] = made_up([fair, (100, [900, 930])], two)
        data["table3-slow-relay", scheme] = made_up([fair, (100, [250, 250])], both)
    for notice in NOTICES:
        data["polling", notice] = data["table1", "arf_aware"]
    return data

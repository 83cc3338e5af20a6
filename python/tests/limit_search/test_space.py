"""Tests of conditions: each point of the space is a valid scenario, and pairs differ in the scheme alone."""

from __future__ import annotations

import tomllib
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import airfair
from airfair.limit_search.cells import FULL, QUICK, TODAYS, TRANSFERS, assign, pair
from airfair.limit_search.measures import CRITERIA, sampled
from airfair.limit_search.schemes import SCHEMES, Scheme
from airfair.limit_search.space import (
    DIMENSIONS,
    between,
    condition,
    described,
    rates,
    spread,
)
from airfair.limit_search.standards import TODAY, rate
from airfair.scenario import load

EVERY = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
_ALL = [
    *SCHEMES.values(),
    *(s.under(standard) for standard in TODAY for s in SCHEMES.values()),
    *(
        s.with_extra(*extra)
        for extra in (["ofdma"], ["neighbour"], ["sender"])
        for s in SCHEMES.values()
    ),
]
EVERYWHERE = pytest.mark.parametrize("scheme", _ALL, ids=lambda s: s.folder.replace("/", "-"))


@EVERYWHERE
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_every_place_is_a_valid_pair(scheme: Scheme, data: st.DataObject) -> None:
    coordinate = st.floats(0, 1, exclude_max=True) | st.sampled_from([0.0, 0.5, 1 - 1e-12])
    place = data.draw(st.lists(coordinate, min_size=len(scheme.space), max_size=len(scheme.space)))
    where = condition(scheme.space, place)
    both = pair(where, scheme.switch, TODAYS[QUICK] if scheme.standard else FULL)
    scenarios = [load(keys) for keys in (both.without, both.using)]  # raises an error if invalid
    assert scenarios[0].to_toml() != scenarios[1].to_toml()
    fast, slow = rates(where)
    assert slow.mbps <= fast.mbps
    assert described(scheme.space, where)["rate_ratio"] == fast.mbps / slow.mbps
    assert any(flow.uses for flow in both.flows)
    assert any(flow.slow for flow in both.flows)
    assert both.flows[0].role == "lasting"
    if scheme.senders_only:
        assert all(flow.up for flow in both.flows if flow.uses)
    if scheme.leaves_one:
        assert not all(flow.uses for flow in both.flows)


@EVERYWHERE
def test_a_pair_differs_by_what_the_scheme_sets(scheme: Scheme) -> None:
    where = condition(scheme.space, [0.5] * len(scheme.space))
    both = pair(where, scheme.switch, FULL)
    without, using = (tomllib.loads(load(k).to_toml()) for k in (both.without, both.using))
    if "edca" not in scheme.cell:  # which the stations of a cell obey
        assert without["station"] == using["station"]
    assert without["host"] == using["host"]
    changed = {key for key in without["flow"] if without["flow"][key] != using["flow"][key]}
    # The short transfers of f3 are f31 to f38.
    users = {
        f"f{flow.number}{i}"
        for flow in both.flows
        if flow.uses
        for i in (range(1, TRANSFERS + 1) if flow.role == "short" else [""])
    }
    assert changed == (users if scheme.flow else set())
    assert (without["bss"] == using["bss"]) == (not scheme.cell)


def test_a_short_transfer_keeps_its_size_and_its_control() -> None:
    scheme = SCHEMES["arf-aware"]
    where = condition(scheme.space, [0.5] * len(scheme.space))
    where |= {"load": "short beside greedy", "stations": 8, "up_share": 100.0, "deployed": 100.0}
    flow = pair(where, scheme.switch, FULL).using["flow"]
    assert isinstance(flow, dict)
    short = [keys for keys in flow.values() if "size" in keys["transport"]]
    assert len(short) == 4
    assert all(keys["control"] == "arf-aware" for keys in short)


def test_a_rate_does_not_change_when_the_run_ends() -> None:
    # The run ends at 28·1.25 s = 35 s, when no rate changes any more. So there are 28 rates, from 0 s on.
    scheme = SCHEMES["tfrc"]
    where = condition(scheme.space, [0.5] * len(scheme.space))
    where |= {"rates": "alternates", "period": 1.25}
    both = pair(where, scheme.switch, FULL)
    station = both.without["station"]
    assert isinstance(station, dict)
    changing = [keys["rate"] for keys in station.values() if isinstance(keys["rate"], list)]
    assert changing
    assert all(len(rate) == 28 for rate in changing)
    load(both.without)


def test_occupancy_is_judged_by_what_the_results_say() -> None:
    scheme = SCHEMES["occupancy"]
    where = condition(scheme.space, [0.5] * len(scheme.space)) | {"stations": 4, "load": "greedy"}
    both = pair(where, scheme.switch, QUICK)
    result = airfair.run(load(both.using, replications=2))
    # All flows are backlogged all the time, so the index is over all stations.
    names = ("occupancy_fairness", "airtime_fairness")
    samples = sampled(result, both.flows, [CRITERIA[name] for name in names])
    for name, column in zip(names, ("occupancy", "airtime"), strict=True):
        assert samples[name] == pytest.approx(result.fairness[column].to_numpy())
    assert not np.array_equal(*(samples[name] for name in names))


def test_who_is_slow_sends_and_uses_it_does_not_go_together() -> None:
    scheme = SCHEMES["tfrc"]
    where = condition(scheme.space, [0.5] * len(scheme.space))
    where |= {"stations": 16, "slow_share": 50.0, "up_share": 50.0, "deployed": 50.0}
    # Three properties split the 16 stations in halves: each of the eight combinations has two.
    flows = assign(where, scheme.switch)
    assert set(Counter((f.slow, f.up, f.uses) for f in flows).values()) == {2}


def test_the_ends_of_an_axis_are_its_bounds_and_whole_numbers_are_equally_frequent() -> None:
    assert DIMENSIONS["round_trip"].at(0.0) == 2
    assert DIMENSIONS["round_trip"].at(1.0) == 300
    # The middle of a logarithmic axis is the geometric mean: √(2·300) = 24.49 ms.
    assert DIMENSIONS["round_trip"].at(0.5) == 24.49
    counts = Counter(DIMENSIONS["stations"].at((i + 0.5) / 2000) for i in range(2000))
    assert counts == dict.fromkeys(range(1, 21), 100)


def test_places_are_spread_evenly_and_the_same_for_the_same_seed() -> None:
    space = SCHEMES["data-ack"].space
    places = spread(space, 64, seed=3)
    assert np.array_equal(places, spread(space, 64, seed=3))
    assert not np.array_equal(places, spread(space, 64, seed=4))
    # A Sobol sequence has one of 64 points in each of 64 equal parts of every axis.
    assert (np.sort((places * 64).astype(int), axis=0) == np.arange(64)[:, None]).all()
    # A longer sequence starts with the shorter one, so a longer search uses the runs of a shorter one.
    assert np.array_equal(places, spread(space, 100, seed=3)[:64])


def test_new_points_are_between_neighbours_of_different_sign() -> None:
    space = (DIMENSIONS["round_trip"],)
    places = np.array([[0.1], [0.3], [0.5], [0.9]])
    signs = np.array([1, 1, -1, -1])
    # The closest pair of different sign is 0.3 and 0.5, the next 0.1 and 0.5, then 0.3 and 0.9.
    new = between(space, places, signs, 3, places)
    assert new.ravel() == pytest.approx([0.4, 0.6, 0.7][: len(new)], abs=0.11)
    assert new[0] == pytest.approx(0.4)
    assert between(space, places, np.ones(4, dtype=np.int64), 3, places).size == 0


def test_rates_of_today_are_those_of_the_standard() -> None:
    # 52 · 6 · 5/6 / 4 µs; 108 · 8 · 3/4 · 2 / 4; 980 · 10 · 5/6 · 2 / 13.6; 234 / 2 / 13.6
    assert rate("802.11n", 7, "20 MHz").mbps == 65
    assert rate("802.11ac", 8, "40 MHz", 2).mbps == 324
    assert rate("802.11ax", 11, "80 MHz", 2).mbps == 1_201.0
    assert rate("802.11ax", 0, "20 MHz").mbps == 8.6
    names = [rate(s, 1, "20 MHz", 2).key for s in TODAY]
    assert names == ["ht-mcs9", "vht-mcs1x2", "he-mcs1x2"]


def test_a_condition_of_today_says_width_and_aggregates() -> None:
    scheme = SCHEMES["data-ack"].under("802.11ax")
    where = condition(scheme.space, [0.999] * len(scheme.space))
    both = pair(where, scheme.switch, FULL)
    cell = tomllib.loads(load(both.without).to_toml())["bss"]["cell"]
    assert (cell["standard"], cell["width"]) == ("802.11ax", "80 MHz")
    assert cell["aggregation"]["max_bytes"] == "64000 B"
    assert where["window"] == 4079


def test_ofdma_is_one_more_dimension_which_leaves_the_others_as_they_are() -> None:
    plain, more = SCHEMES["tfrc"].under("802.11ax"), SCHEMES["tfrc"].with_extra("ofdma")
    assert more.space[:-1] == plain.space
    where = [condition(more.space, place) for place in spread(more.space, 64, 1)]
    assert Counter(one["ofdma"] for one in where) == dict.fromkeys(
        ("off", "down", "up", "both"), 16
    )
    both = {
        str(one["ofdma"]): pair(one, more.switch, TODAYS[QUICK]).without["bss"]["cell"]
        for one in where
    }
    assert "ofdma" not in both["off"]
    assert both["up"]["ofdma"]["down"] == "off"
    assert "up" not in both["down"]["ofdma"]
    assert both["both"]["mu_edca"]["aifsn"] == 0


def test_todays_senders_take_the_place_of_older_flavours() -> None:
    scheme = SCHEMES["data-ack"].with_extra("sender")
    assert scheme.folder == "802.11ax-sender/data-ack"
    assert "flavour" not in {one.id for one in scheme.space}
    assert "flavour" in {one.id for one in SCHEMES["data-ack"].with_extra("neighbour").space}
    place = [0.5] * (len(scheme.space) - 1)
    for sender, at in (("cubic", 0.1), ("bbr1", 0.3), ("bbr", 0.6), ("prague", 0.9)):
        both = pair(condition(scheme.space, [*place, at]), scheme.switch, TODAYS[QUICK])
        for sections in (both.without, both.using):
            sent = [flow["transport"] for flow in sections["flow"].values()]
            assert {one["flavour"] for one in sent} == {sender}
            assert all(one["sack"] and one["loss_recovery"] == "rack" for one in sent)


def test_a_neighbour_is_one_more_dimension_and_its_flow_counts_in_no_measure() -> None:
    scheme = SCHEMES["data-ack"].with_extra("neighbour")
    assert scheme.folder == "802.11ax-neighbour/data-ack"
    place = [0.5] * (len(scheme.space) - 1)
    pairs = {
        level: pair(condition(scheme.space, [*place, at]), scheme.switch, TODAYS[QUICK])
        for level, at in (("none", 0.1), ("in range", 0.5), ("hidden", 0.9))
    }
    assert "channel" not in pairs["none"].without["bss"]["cell"]
    assert "hears" not in pairs["in range"].without["bss"]["cell"]["ap"]
    assert pairs["hidden"].without["bss"]["cell"]["ap"]["hears"] == ["next-station"]
    assert "discipline" in pairs["hidden"].using["bss"]["cell"]["ap"]["queue"]
    result = airfair.run(load(pairs["in range"].without))
    samples = sampled(result, pairs["in range"].flows, [CRITERIA["total"], CRITERIA["loss"]])
    mine = result.flows.filter(pl.col("flow") != "next")
    assert samples["total"] == pytest.approx([mine["goodput_bps"].sum()])
    assert samples["total"] < result.flows["goodput_bps"].sum() / 2
    lost = mine["packets_dropped"].sum() / mine["packets_sent"].sum()
    assert samples["loss"] == pytest.approx([lost])

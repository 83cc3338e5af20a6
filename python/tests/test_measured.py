"""Tests of measured values: delays of packets, rates over flows' lives, and time series."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import airfair
from support import SCENARIO

# A router between two hosts. A packet of 1000 octets takes 1 us to the router, then 1 ms and a delay of 2 ms.
WIRES = {
    "router": {"r": {}},
    "host": {
        "a": {"link": {"to": "r", "rate": "8 Gb/s", "delay": "0 s"}},
        "b": {"link": {"to": "r", "rate": "8 Mb/s", "delay": "2 ms"}},
    },
}
VOICE = {"kind": "udp", "payload": "972 B", "rate": "777.6 kb/s"}

SERIES = {
    "throughput": ["throughput_bps"],
    "delivered": ["delivered_bytes"],
    "cwnd": ["cwnd_segments"],
    "ssthresh": ["ssthresh_segments"],
    "rtt": ["rtt_ms"],
    "delay": ["delay_ms"],
    "airtime": ["airtime_share"],
    "rate": ["rate_up_bps", "rate_down_bps"],
    "queue": ["queue_packets"],
}


def voice(**keys: str) -> dict[str, Any]:
    return {"from": "a", "to": "b", "transport": VOICE, **keys}


def wires(flows: dict[str, Any], **keys: str) -> airfair.Result:
    return airfair.run({"duration": "100 s", **WIRES, "flow": flows, **keys})


@pytest.fixture(scope="module")
def result() -> airfair.Result:
    return airfair.run(SCENARIO, seed=3, replications=2)


def test_a_goodput_is_over_the_measured_time_and_a_flow_rate_over_the_flows_own_life() -> None:
    # The calls send 97.2 octets per ms. The transfer has 500 kB, at 7.5 Mb/s after slow start.
    transfer = {"kind": "tcp", "size": "500 kB"}
    flows = wires(
        {
            "whole": voice(),
            "call": voice(start="50 s", stop="55 s"),
            "file": {"from": "a", "to": "b", "start": "20 s", "transport": transfer},
            "early": voice(stop="5 s"),
        },
        warmup="10 s",
    ).flows
    whole, call, file, early = flows.iter_rows(named=True)
    assert whole["flow_rate_bps"] == whole["goodput_bps"] == pytest.approx(777_600, rel=1e-3)
    assert call["flow_rate_bps"] == pytest.approx(777_600, rel=2e-3)
    assert call["active_s"] == pytest.approx(5, rel=2e-3)
    assert call["goodput_bps"] == call["delivered_bytes"] * 8 / 90
    assert file["active_s"] == pytest.approx(file["completion_s"])
    assert file["flow_rate_bps"] == pytest.approx(500_000 * 8 / file["completion_s"])
    assert file["goodput_bps"] == pytest.approx(500_000 * 8 / 90)
    assert (early["flow_rate_bps"], early["loss"], early["active_s"]) == (None, None, 0)
    assert early["goodput_bps"] == 0


def test_fairness_is_among_those_that_compete() -> None:
    flows = {"a": voice(), "b": voice(start="60 s", stop="70 s"), "gone": voice(stop="5 s")}
    fairness = wires(flows, warmup="10 s").fairness
    assert fairness.item(0, "flow_rate") == pytest.approx(1, abs=1e-5)
    nobody = wires({"gone": voice(stop="5 s")}, warmup="10 s").fairness
    assert nobody.select("flow_rate", "airtime").row(0) == (None, None)


def test_delay_and_jitter_of_datagrams() -> None:
    flow = wires({"f": voice()}).flows.row(0, named=True)
    for column in ("mean", "min", "p50", "p95", "p99", "max"):
        assert flow[f"delay_{column}_ms"] == pytest.approx(3.001)
    assert flow["jitter_ms"] == 0
    assert flow["rtt_p50_ms"] is None


@st.composite
def crowds(draw: st.DrawFn) -> dict[str, Any]:
    """Scenario of two stations with flows that start and stop, and a long or a short queue."""
    transports = [
        {"kind": "tcp"},
        {"kind": "tcp", "size": "30 kB"},
        {"kind": "tfrc"},
        {"kind": "udp", "payload": "700 B", "rate": "3 Mb/s"},
    ]
    queue = {
        "packets": draw(st.sampled_from([3, 50, 1000])),
        "discipline": draw(st.sampled_from(["fifo", "fq-codel"])),
    }
    flows = {}
    for index in range(draw(st.integers(1, 4))):
        ends = ["sta1", "server"] if draw(st.booleans()) else ["server", "sta2"]
        start = draw(st.integers(0, 1500))
        stop = draw(st.sampled_from(["end", f"{start + 300} ms"]))
        transport = draw(st.sampled_from(transports))
        flows[f"f{index}"] = {
            "from": ends[0],
            "to": ends[1],
            "transport": transport,
            "start": f"{start} ms",
        } | ({} if stop == "end" or "size" in transport else {"stop": stop})
    return {
        "duration": "2 s",
        "warmup": draw(st.sampled_from(["0 s", "400 ms", "1900 ms"])),
        "seed": draw(st.integers(1, 5)),
        "replications": 2,
        "series": "off",
        "bss": {"c": {"standard": "802.11b", "rts_threshold": "500 B", "ap": {"queue": queue}}},
        "station": {"sta": {"count": 2, "rate": draw(st.sampled_from(["1 Mb/s", "11 Mb/s"]))}},
        "host": {
            "server": {
                "link": {"rate": "4 Mb/s", "delay": "20 ms", "queue": {"packets": 20}},
            }
        },
        "flow": flows,
    }


def shares(table: pl.DataFrame, *columns: str) -> Iterator[float]:
    for column in columns:
        yield from table[column].drop_nulls()


@settings(max_examples=25, deadline=None)
@given(crowds())
def test_ratios_are_between_nothing_and_all(crowd: dict[str, Any]) -> None:
    result = airfair.run(crowd)
    flows, channels = result.flows, result.channels
    ends = ("packets_received", "packets_dropped", "packets_in_flight")
    assert flows.select(pl.sum_horizontal(ends) == pl.col("packets_sent")).to_series().all()
    links = result.links.select("packets", "dropped_queue_full", "dropped_early", "lost")
    assert (links.sum_horizontal() <= result.links["packets_sent"]).all()
    ratios = [
        *shares(flows, "loss", "loss_estimated"),
        *shares(result.links, "loss"),
        *shares(result.stations, "airtime_share", "retry_share"),
        *shares(result.access_points, "retry_share"),
        *shares(result.airtime, "data_up", "data_down", "control", "occupancy"),
        *shares(channels, "busy"),
        *shares(result.fairness, "flow_rate", "airtime", "occupancy"),
    ]
    assert all(0 <= ratio <= 1 for ratio in ratios)
    kinds = [name for name in channels.columns if name.endswith("_ns") and name != "elapsed_ns"]
    assert (channels.select(kinds).sum_horizontal() == channels["elapsed_ns"]).all()
    elapsed_s = result.runs["elapsed_ns"][0] / 1e9
    assert all(0 <= life <= elapsed_s for life in flows["active_s"])
    total = [flow["share"] for flow in result.to_json()["flows"]]
    assert None in total or sum(total) == pytest.approx(1)
    # The sum of goodputs is the delivered data over the measured time, whenever flows start and stop.
    octets = flows["delivered_bytes"].sum() / result.replications
    assert flows["goodput_bps"].sum() / result.replications == pytest.approx(8 * octets / elapsed_s)


@pytest.mark.parametrize(("what", "columns"), SERIES.items())
def test_every_series_has_one_row_for_each_thing_and_step(
    result: airfair.Result, what: str, columns: list[str]
) -> None:
    table = result.series(what, step="1 s")
    names = {
        "airtime": ["station"],
        "rate": ["station"],
        "queue": ["station", "access_point", "link", "from", "to"],
    }.get(what, ["flow"])
    assert table.columns == ["replication", *names, "time_s", *columns]
    # 2 replications of 4 steps have 2 flows or 2 stations; queues: 2 stations, 1 access point, 2 directions
    assert table.height == 2 * 4 * (5 if what == "queue" else 2)
    assert table["time_s"].unique().to_list() == [0.0, 1.0, 2.0, 3.0]


def test_series_agree_with_the_tables(result: airfair.Result) -> None:
    def mean(what: str, name: str, value: str) -> list[float]:
        table = result.series(what).group_by("replication", name, maintain_order=True)
        return table.agg(pl.col(value).mean())[value].to_list()

    airtime = mean("airtime", "station", "airtime_share")
    assert airtime == pytest.approx(result.airtime["airtime_share"].to_list())
    queues = result.series("queue").filter(pl.col("access_point").is_not_null())
    mean_queue = queues.group_by("replication", maintain_order=True).agg(
        pl.col("queue_packets").mean()
    )["queue_packets"]
    assert mean_queue.to_list() == pytest.approx(result.access_points["queue_mean"].to_list())
    rates = result.series("rate").filter(station="slow")["rate_up_bps"]
    assert rates.unique().to_list() == [1e6]
    delays, flows = result.series("delay", step="4 s")["delay_ms"], result.flows["delay_mean_ms"]
    assert delays.to_list() == pytest.approx(flows.to_list())
    rtts, flows = result.series("rtt", step="4 s")["rtt_ms"], result.flows["rtt_mean_ms"]
    assert rtts.to_list() == pytest.approx(flows.to_list())


def test_a_coarser_step_has_the_window_at_its_end(result: airfair.Result) -> None:
    fine, coarse = result.series("cwnd"), result.series("cwnd", step="2 s")
    assert coarse["cwnd_segments"].to_list() == fine["cwnd_segments"].to_list()[3::4]


def test_what_has_no_value_is_null() -> None:
    flows = {"call": voice(start="50 s", stop="55 s")}
    run = wires(flows, series="10 s")
    assert run.series("cwnd")["cwnd_segments"].null_count() == 10
    delays = run.series("delay")["delay_ms"].to_list()
    assert [delay is None for delay in delays] == [step != 5 for step in range(10)]
    json.dumps(run.to_json(), allow_nan=False)


def test_a_thing_has_one_name_in_all_tables(result: airfair.Result) -> None:
    tables = (result.flows, result.stations, result.airtime, result.links, result.fairness)
    for table in (*tables, result.access_points, result.channels, *map(result.series, SERIES)):
        assert not {"name", "share"} & set(table.columns)
    for table in (result.stations, result.airtime, result.series("airtime")):
        assert {"station", "airtime_share"} <= set(table.columns)


def test_dir_shows_what_is_imported_late() -> None:
    assert set(airfair.__all__) <= set(dir(airfair))


def test_numbers_of_numpy_are_numbers() -> None:
    keys = {"seed": np.int64(7), "replications": np.uint8(2), "bss.home.rts_threshold": "off"}
    loaded = airfair.load(SCENARIO, set=keys)  # type: ignore[arg-type]
    assert (loaded.seed, loaded.replications) == (7, 2)
    probability = {"bss.home.errors": {"model": "bernoulli", "probability": np.float64(0.25)}}
    assert "0.25" in airfair.load(SCENARIO, set=probability).to_toml()


def test_pandas_takes_the_tables_by_name(result: airfair.Result) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    assert list(result.flows.to_pandas().columns) == result.flows.columns

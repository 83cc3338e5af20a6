"""Tests of the Python interface: sources of scenarios, tables, series and means."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import airfair
from airfair import scenario as sources
from support import SCENARIO


@pytest.fixture(scope="module")
def result() -> airfair.Result:
    return airfair.run(SCENARIO, seed=3, replications=3)


def test_a_path_a_text_bytes_and_a_mapping_give_the_same_runs(scenario: Path) -> None:
    given_as = [
        scenario,
        str(scenario),
        SCENARIO,
        SCENARIO.encode(),
        tomllib.loads(SCENARIO),
        airfair.load(SCENARIO),
    ]
    hashes = {airfair.run(source).runs.item(0, "record_hash") for source in given_as}
    assert len(hashes) == 1


def test_set_replaces_keys() -> None:
    loaded = airfair.load(SCENARIO, set={"title": "another", "station.fast.rate": "2 Mb/s"})
    assert loaded.title == "another"
    assert tomllib.loads(loaded.to_toml())["station"]["fast"]["rate"] == "2 Mb/s"


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        airfair.run(tmp_path / "none.toml")


def test_more_replications_leave_the_first_ones_alone(result: airfair.Result) -> None:
    one = airfair.run(SCENARIO, seed=3)
    assert one.flows.equals(result.flows.filter(replication=0))


def test_tables_are_long_and_named(result: airfair.Result) -> None:
    assert result.replications == 3
    assert result.flows["replication"].to_list() == [0, 0, 1, 1, 2, 2]
    assert result.flows["flow"].to_list() == ["a", "b"] * 3
    assert result.stations.columns[:3] == ["replication", "station", "airtime_share"]
    assert result.links["from"].to_list() == ["server", "home"] * 3
    assert result.links["link"].unique().to_list() == ["server"]
    assert result.access_points["access_point"].to_list() == ["home"] * 3
    assert hasattr(result.flows, "__arrow_c_stream__")


def test_the_air_is_accounted_for_to_the_nanosecond(result: airfair.Result) -> None:
    channel = result.channels
    kinds = ("data_ns", "control_ns", "beacon_ns", "collision_ns", "contention_ns", "idle_ns")
    assert channel.select(pl.sum_horizontal(kinds)).to_series().to_list() == [4_000_000_000] * 3
    held = result.stations.group_by("replication", maintain_order=True).agg(
        data_ns=(pl.col("airtime_data_up_ns") + pl.col("airtime_data_down_ns")).sum(),
        control_ns=pl.col("airtime_control_ns").sum(),
    )
    assert held.equals(channel.select("replication", "data_ns", "control_ns"))


def test_the_series_adds_up_to_what_was_delivered(result: airfair.Result) -> None:
    delivered = result.series("delivered").group_by("replication", "flow", maintain_order=True)
    sums = delivered.agg(pl.col("delivered_bytes").sum())
    assert sums.equals(result.flows.select("replication", "flow", "delivered_bytes"))


def test_a_coarser_series_is_the_mean_of_the_finer(result: airfair.Result) -> None:
    fine, coarse = result.series("throughput"), result.series("throughput", step="1 s")
    assert fine["time_s"].to_list()[:3] == [0.0, 0.5, 1.0]
    assert coarse["time_s"].to_list()[:3] == [0.0, 1.0, 2.0]
    assert coarse["throughput_bps"].sum() * 2 == pytest.approx(fine["throughput_bps"].sum())


def test_the_last_step_may_be_shorter_and_its_throughput_is_not_lower() -> None:
    # 4 s in steps of 1.5 s: the third lasts 1 s
    steps = airfair.run(SCENARIO, series="500 ms").series("throughput", step="1.5 s")
    assert steps.filter(flow="a")["time_s"].to_list() == [0.0, 1.5, 3.0]
    whole = airfair.run(SCENARIO).flows.filter(flow="a").item(0, "delivered_bytes")
    rates = steps.filter(flow="a")["throughput_bps"]
    assert rates[0] * 1.5 + rates[1] * 1.5 + rates[2] * 1.0 == pytest.approx(whole * 8)


@pytest.mark.parametrize("step", ["300 ms", "250 ms", "1", "0 s", "0.1 ns"])
def test_a_step_that_does_not_fit_is_refused(result: airfair.Result, step: str) -> None:
    with pytest.raises(ValueError, match="step"):
        result.series("throughput", step=step)


def test_an_unknown_series_and_one_not_recorded_are_refused(result: airfair.Result) -> None:
    with pytest.raises(ValueError, match='not recorded; allowed "throughput"'):
        result.series("colour")
    with pytest.raises(ValueError, match='not recorded, did you mean "throughput"\\?; allowed'):
        result.series("troughput")
    with pytest.raises(ValueError, match="records no time series"):
        airfair.run(SCENARIO, series="off").series()


def test_the_document_holds_means_and_intervals(result: airfair.Result) -> None:
    document = result.to_json()
    goodputs = result.flows.filter(flow="a")["goodput_bps"].to_list()
    flow = document["flows"][0]
    assert flow["goodput_bps"] == pytest.approx(sum(goodputs) / 3)
    # t(2 degrees of freedom, 97.5 %) = 4.302653
    deviation = math.sqrt(sum((g - sum(goodputs) / 3) ** 2 for g in goodputs) / 2)
    assert flow["goodput_ci95_bps"] == pytest.approx(4.302653 * deviation / math.sqrt(3), rel=1e-6)
    assert sum(flow["share"] for flow in document["flows"]) == pytest.approx(1)
    (channel,) = document["channels"]
    assert sum(channel["airtime"].values()) == pytest.approx(1)
    held = sum(station["airtime_share"] for station in document["stations"])
    assert held == pytest.approx(channel["airtime"]["data"] + channel["airtime"]["control"])


def test_one_replication_has_no_interval() -> None:
    document = airfair.run(SCENARIO).to_json()
    assert document["flows"][0]["goodput_ci95_bps"] is None
    assert document["fairness"]["flow_rate_ci95"] is None


def test_the_things_that_limit_a_flow_add_up_and_its_places_have_names() -> None:
    result = airfair.run(SCENARIO)
    shares = result.limits.drop("replication", "flow")
    assert shares.sum_horizontal().to_list() == pytest.approx([1, 1])
    # Both stations always have packets to upload, so the air limits them.
    assert result.limits["air"].min() > 0.9
    places = result.places
    assert places["channel"].unique().to_list() == result.scenario.cells
    assert places["link"].null_count() == places["from"].null_count() == places.height
    assert sorted(places["member"]) == [1, 2]


def test_fairness_counts_only_stations_that_take_part() -> None:
    idle = SCENARIO + '\n[station.idle]\nbss = "home"\nrate = "11 Mb/s"\n'
    with_idle, without = airfair.run(idle), airfair.run(SCENARIO)
    assert with_idle.fairness.item(0, "airtime") == pytest.approx(
        without.fairness.item(0, "airtime"), abs=0.1
    )


def test_many_scenarios_run_in_one_queue() -> None:
    scenarios = [airfair.load(SCENARIO, seed=seed, replications=2) for seed in (1, 2, 3)]
    results = airfair.run_many(scenarios)
    assert [result.scenario.seed for result in results] == [1, 2, 3]
    alone = airfair.run(SCENARIO, seed=2, replications=2)
    assert results[1].flows.equals(alone.flows)
    assert not any(result.interrupted for result in results)


def test_many_sources_are_paths_texts_and_mappings(scenario: Path) -> None:
    sources = [scenario, str(scenario), SCENARIO, SCENARIO.encode(), tomllib.loads(SCENARIO)]
    results = airfair.run_many(iter(sources), seed=5, replications=2)
    alone = airfair.run(SCENARIO, seed=5, replications=2)
    assert all(result.runs.equals(alone.runs) for result in results)
    assert len(results) == len(sources)
    changed = {"station.slow.rate": "11 Mb/s"}
    (other,) = airfair.run_many([airfair.load(SCENARIO)], set=changed)
    assert other.runs.equals(airfair.run(SCENARIO, set=changed).runs)


def test_mistakes_in_many_sources_come_at_once_with_their_source(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(SCENARIO.replace("802.11b", "802.11z"))
    with pytest.raises(airfair.ScenarioError) as error:
        airfair.run_many([wrong, SCENARIO, SCENARIO.replace('"1 Mb/s"', '"3 Mb/s"')])
    problems = error.value.problems
    assert problems[0].startswith(f"{wrong}: bss.home.standard")
    assert problems[-1].startswith("sources[2]: station.slow.rate")


@pytest.mark.parametrize("single", [SCENARIO, Path("cell.toml"), b"", {"duration": "1 s"}])
def test_a_single_source_is_not_a_list_of_sources(single: object) -> None:
    with pytest.raises(TypeError, match=r"allowed is a list of scenarios; airfair\.run"):
        airfair.run_many(single)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^sources\[0\]: 3: allowed is a path"):
        airfair.run_many([3])  # type: ignore[list-item]


keys = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(keys, values))
def test_a_mapping_written_as_toml_reads_back_the_same(
    table: dict[str, sources.Value],
) -> None:
    assert tomllib.loads(sources.toml(table)) == table


def test_a_value_that_toml_lacks_is_refused() -> None:
    with pytest.raises(TypeError, match="allowed in a scenario are"):
        airfair.load(SCENARIO, set={"title": None})  # type: ignore[dict-item]


def test_a_name_that_begins_with_an_underscore_is_in_the_legend() -> None:
    from airfair.run_figures import figures

    text = SCENARIO.replace("[flow.a]", "[flow._a]")
    drawn = figures(airfair.run(text, set={"duration": "1 s"}))["throughput.svg"].decode()
    assert re.search(r"> *_a</text>", drawn)
    assert re.search(r"> *b</text>", drawn)


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (np.float64(2.5), "2.5"),
        (np.float32(2.5), "2.5"),
        (np.int64(2), "2"),
        (np.bool_(True), "true"),  # noqa: FBT003 - a value, not an option
    ],
)
def test_numbers_of_numpy_are_numbers(number: sources.Value, written: str) -> None:
    assert sources.toml_value(number) == written

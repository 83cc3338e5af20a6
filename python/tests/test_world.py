"""Worlds that Python steps, observes, changes and copies."""

from __future__ import annotations

import json
import re
import signal
import threading
from pathlib import Path

import numpy as np
import pytest

import airfair
from airfair import _core, settings
from airfair.world import Observation

DOWNLOAD = "scenarios/download.toml"
SATURATED = "scenarios/saturated-cell.toml"
TWO_WAYS = """
duration = "1 s"
[bss.home]
standard = "802.11ac"
ap.queue = { discipline = "data-ack" }
[station.one]
[station.two]
[host.server]
link = { rate = "1 Gb/s", delay = "1 ms" }
[flow.up]
from = "one"
to = "server"
transport = { kind = "tcp" }
[flow.down]
from = "server"
to = "two"
transport = { kind = "tfrc" }
"""


def record_hash(world: airfair.World) -> int:
    """Hash of all records of a world, after it has run to its end."""
    if not world.over:
        world.advance()
    return world.result().outcomes[0].record_hash


@pytest.mark.parametrize(
    "path", [DOWNLOAD, SATURATED, "scenarios/two-cells.toml", "scenarios/up-and-down.toml"]
)
@pytest.mark.parametrize("step", ["777 us", 0.1, "7 s"])
def test_steps_of_any_length_give_the_result_of_a_run(path: str, step: str | float) -> None:
    """The tables, the time series and the record hash do not depend on the steps."""
    short = {"duration": "4 s", "warmup": "0 s"}
    whole = airfair.run(path, seed=3, set=short, series="500 ms")
    with airfair.World(path, seed=3, set=short, series="500 ms") as world:
        while not world.over:
            world.advance(step)
        result = world.result()
    assert result.outcomes[0].record_hash == whole.outcomes[0].record_hash
    assert result.flows.equals(whole.flows)
    assert result.series("throughput").equals(whole.series("throughput"))


def test_a_replication_of_a_world_is_that_of_a_run() -> None:
    """World number 2 has the records of the third replication."""
    whole = airfair.run(SATURATED, seed=5, replications=3, set={"duration": "2 s"})
    world = airfair.World(SATURATED, seed=5, replication=2, set={"duration": "2 s"})
    assert record_hash(world) == whole.outcomes[2].record_hash


def test_columns_of_observations_have_names_and_the_order_of_the_scenario() -> None:
    """Each column of the core is declared in the stub, with the length of the objects that it describes."""
    world = airfair.World("scenarios/two-cells.toml")
    seen = world.advance("1 s")
    lengths = {
        "flows": len(world.flows),
        "stations": len(world.stations),
        "cells": len(world.cells),
        "links": len(world.links),
    }
    stub = (Path(_core.__file__).parent / "_core.pyi").read_text("utf-8")
    declared = stub[stub.index("class Observation") :]
    for objects, name, meaning in _core.observation_columns():
        values = getattr(seen, name)
        assert isinstance(values, np.ndarray)
        assert values.shape == (lengths[objects],), name
        assert f"def {name}(self)" in declared
        assert meaning in declared
        assert name in dir(seen)
    assert repr(seen) == "<Observation of 1 s up to 1 s>"


def test_what_steps_show_adds_up_to_the_result() -> None:
    """Goodput times length, summed over the steps, is the data that each flow delivered."""
    with airfair.World(DOWNLOAD, set={"duration": "5 s", "warmup": "0 s"}) as world:
        octets = np.zeros(len(world.flows))
        while not world.over:
            seen = world.advance("130 ms")
            octets += seen.goodput_bps * seen.length_s / 8
        delivered = world.result().flows["delivered_bytes"].to_numpy()
    np.testing.assert_allclose(octets, delivered)


def test_a_contention_window_decides_who_gets_the_channel() -> None:
    """A station with windows of 255 slots sends much less than its nine neighbours with 15."""

    def drive(world: airfair.World) -> None:
        world.station["s1"].contention_window = (255, 255)

    result = airfair.run(SATURATED, set={"duration": "4 s"}, drive=drive)
    goodput = result.flows["goodput_bps"].to_numpy()
    assert goodput[0] < goodput[1:].min() / 5


def test_settings_give_what_the_same_keys_of_a_scenario_give() -> None:
    """Settings before the first step lead to the flows of a scenario that has these keys."""
    keys = {
        "station.one.queue": {"discipline": "codel"},
        "station.two.errors": {"model": "bernoulli", "probability": 0.2},
        "bss.home.ap.queue": {"discipline": "fq-codel"},
        "host.server.link.rate": "20 Mb/s",
        "host.server.link.loss": {"model": "bernoulli", "probability": 0.01},
        "station.one.rate": "vht-mcs3x1",
    }
    for path, value in keys.items():
        driven = airfair.World(TWO_WAYS)
        driven.set({path: value})
        undriven = airfair.World(TWO_WAYS)
        as_scenario = airfair.World(TWO_WAYS, set={path: value})
        for world in (driven, as_scenario, undriven):
            world.advance()
        # A world that was set has a record of the change of a rate, which a scenario has not.
        tables = [
            world.result().flows.drop("mean_link_rate_bps")
            for world in (driven, as_scenario, undriven)
        ]
        assert tables[0].equals(tables[1]), path
        assert not tables[0].equals(tables[2]), path


def test_properties_set_what_paths_set() -> None:
    """Each property of a part leads to the records of the path that it stands for."""
    pairs = [
        (
            lambda w: setattr(w.station["one"], "rate", "vht-mcs3x1"),
            {"station.one.rate": "vht-mcs3x1"},
        ),
        (
            lambda w: setattr(w.station["one"], "rate_up", "vht-mcs3x1"),
            {"station.one.rate.up": "vht-mcs3x1"},
        ),
        (lambda w: w.station["one"].set_rate_index(0), {"station.one.rate": "vht-mcs0x1"}),
        (
            lambda w: setattr(w.station["two"], "errors", 0.2),
            {"station.two.errors": {"model": "bernoulli", "probability": 0.2}},
        ),
        (lambda w: setattr(w.link["server"], "rate", 2e7), {"host.server.link.rate": "20 Mb/s"}),
        (
            lambda w: setattr(w.link["server"], "loss", 0.01),
            {"host.server.link.loss": {"model": "bernoulli", "probability": 0.01}},
        ),
        (
            lambda w: setattr(w.access_point["home"], "queue", {"discipline": "codel"}),
            {"bss.home.ap.queue": {"discipline": "codel"}},
        ),
    ]
    for change, keys in pairs:
        by_property, by_path = airfair.World(TWO_WAYS), airfair.World(TWO_WAYS)
        change(by_property)
        by_path.set(keys)
        assert record_hash(by_property) == record_hash(by_path), keys


WEIGHTED = TWO_WAYS.replace('"data-ack"', '"airtime", airtime_quantum = "300 us"')


def test_a_station_of_twice_the_weight_gets_more_of_the_air() -> None:
    """Downloads through an access point that shares airtime by weights; one flow is started by hand."""
    downloads = WEIGHTED.replace(
        'from = "one"\nto = "server"', 'from = "server"\nto = "one"\nstart = "900 ms"'
    ).replace('"tfrc"', '"tcp"')
    shares = []
    for weight in (256, 1024):
        world = airfair.World(downloads, set={"warmup": "0 s"})
        world.flow["up"].start()
        world.station["one"].airtime_weight = weight
        seen = world.advance()
        shares.append(seen.airtime_share[0] / seen.airtime_share[1])
    assert shares[0] == pytest.approx(1, abs=0.25)
    assert shares[1] > 2 * shares[0]


def test_further_settings_change_the_records() -> None:
    """Settings without a path of a scenario have an effect; values that the world has already do not."""
    plain = record_hash(airfair.World(TWO_WAYS))
    changes = [
        lambda w: w.station["one"].set_contention_window(63, 255, category="best_effort"),
        lambda w: setattr(w.station["one"], "aifsn", 7),
        lambda w: setattr(w.access_point["home"], "txop_limit", "3 ms"),
        lambda w: w.station["one"].limit_aggregates(mpdus=2, direction="up"),
        lambda w: w.station["one"].limit_aggregates(octets=4000, direction="up"),
        lambda w: w.station["one"].limit_aggregates(duration="200 us", direction="up"),
        lambda w: setattr(w.access_point["home"], "weights", (5, 1)),
        lambda w: w.flow["up"].limit_window(segments=2),
        lambda w: w.flow["up"].limit_window(octets=5000, end="receiver"),
        lambda w: w.flow["up"].limit_window(divide_by=50),
        lambda w: w.flow["down"].limit_rate(2e5, end="receiver"),
        lambda w: w.flow["down"].limit_rate("1 Mb/s"),
        lambda w: w.flow["up"].stop(),
    ]
    for change in changes:
        world = airfair.World(TWO_WAYS)
        world.advance("100 ms")
        change(world)
        assert record_hash(world) != plain
    world = airfair.World(TWO_WAYS)
    world.station["one"].aifsn = 3
    world.flow["up"].limit_window()
    assert record_hash(world) == plain


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w: w.set({"station.one.rate": "7 Mb/s"}), "station.one.rate = .*: .*allowed"),
        (
            lambda w: w.set({"station.one.standard": "802.11a"}),
            "station.one.standard: .*allowed are station",
        ),
        (
            lambda w: w.set({"station.on.rate": "6 Mb/s"}),
            "station.on.rate: no station has this name",
        ),
        (
            lambda w: w.station["one"].set_contention_window(63, 31),
            "station.one.contention_window: allowed",
        ),
        (
            lambda w: w.station["one"].set_contention_window(-1, 99999),
            "contention_window: -1: allowed",
        ),
        (
            lambda w: setattr(w.station["one"], "aifsn", 16),
            "station.one.aifsn: allowed is an AIFSN",
        ),
        (lambda w: w.station["one"].set_aifsn(3, category="best"), "category .*best.*allowed are"),
        (
            lambda w: setattr(w.station["one"], "txop_limit", "9 ms"),
            "txop_limit: allowed are limits up to",
        ),
        (
            lambda w: setattr(w.station["one"], "airtime_weight", 512),
            "airtime_weight: .*discipline",
        ),
        (lambda w: setattr(w.station["one"], "weights", (1, 1)), "station.one.weights: .*data-ack"),
        (
            lambda w: setattr(w.access_point["home"], "weights", (0, 1)),
            "bss.home.ap.weights: allowed",
        ),
        (lambda w: w.station["one"].limit_aggregates(octets=0), "aggregates: allowed are limits"),
        (lambda w: w.station["one"].set_rate_index(999), r"station.one.rates\[999\]: not a rate"),
        (lambda w: w.flow["up"].limit_rate("1 Mb/s"), "flow.up.limit_rate: .*TFRC"),
        (
            lambda w: w.flow["down"].limit_window(segments=3),
            "flow.down.limit_window: the flow has no",
        ),
        (
            lambda w: w.flow["up"].limit_window(segments=3, octets=3),
            "octets and segments: allowed is one",
        ),
        (lambda w: w.flow["up"].start(), "flow.up.start: the flow has already started"),
        (
            lambda w: setattr(w.station["one"], "rate", float("nan")),
            "station.one.rate: nan: allowed are",
        ),
        (
            lambda w: setattr(w.station["one"], "txop_limit", -1.0),
            "txop_limit: -1.*: allowed are numbers",
        ),
        (
            lambda w: setattr(w.link["server"], "rate", float("inf")),
            "host.server.link.rate: inf: allowed",
        ),
        (
            lambda w: setattr(w.station["one"], "queue", {"discipline": "airtime"}),
            "station.one.queue.*(access point|allowed)",
        ),
    ],
)
def test_settings_that_are_refused_say_where_and_why(change, message: str) -> None:  # noqa: ANN001
    """A refused setting raises an error with its address and the allowed values, and changes no record."""
    plain = airfair.World(TWO_WAYS)
    plain.advance("100 ms")
    world = airfair.World(TWO_WAYS)
    world.advance("100 ms")
    with pytest.raises(airfair.SettingError, match=message):
        change(world)
    assert record_hash(world) == record_hash(plain)


def test_unknown_parts_are_errors_with_a_proposal() -> None:
    """A part that does not exist is named, with the part that may be meant."""
    world = airfair.World(TWO_WAYS)
    with pytest.raises(KeyError, match=r"no station .*on.*, did you mean"):
        world.station["on"]
    with pytest.raises(AttributeError, match="can be set and not read"):
        _ = world.station["one"].rate
    assert list(world.station) == ["one", "two"]
    assert len(world.flow) == 2


@pytest.mark.parametrize(
    ("step", "found"), [("0 s", "0 s"), (0, "0 s"), (-1.0, "-1 s"), (float("nan"), "nan s")]
)
def test_a_step_lasts_longer_than_nothing(step: str | float, found: str) -> None:
    """A step of no duration would never reach the end."""
    with pytest.raises(ValueError, match=f"a duration of {found}: allowed are 1 ns and more"):
        airfair.World(DOWNLOAD).advance(step)


def test_a_step_without_a_unit_is_an_error() -> None:
    """The error names the units."""
    with pytest.raises(ValueError, match="allowed ns, us, ms, s, min, h"):
        airfair.World(DOWNLOAD).advance("10 parsec")


def test_a_world_that_is_not_over_has_no_result() -> None:
    """The error says how far the world is; at the end the result can be asked for again."""
    world = airfair.World(SATURATED)
    world.advance("1 s")
    with pytest.raises(
        airfair.RunError, match="has reached 1 s of 10 s; advance\\(\\) runs to the end"
    ):
        world.result()
    world.advance(1e30)
    assert world.over
    assert world.result() is world.result()
    with pytest.raises(airfair.RunError, match="the world is over"):
        world.advance()
    with pytest.raises(airfair.RunError, match="is over"):
        world.copy()


def test_a_copy_goes_on_from_the_same_state() -> None:
    """The same steps and settings lead to the same records; other settings leave the original alone."""
    original = airfair.World(SATURATED)
    original.advance("2 s")
    same, other = original.copy(), original.copy()
    other.station["s1"].contention_window = (3, 3)
    hashes = [record_hash(it) for it in (other, same, original)]
    assert hashes[0] != hashes[1] == hashes[2]
    assert hashes[1] == airfair.run(SATURATED).outcomes[0].record_hash


def test_a_driven_run_writes_its_traces(tmp_path: Path) -> None:
    """The files are those of `airfair run --pcap --timeline` if nothing is set, whatever the steps."""
    short = airfair.load(DOWNLOAD, set={"duration": "1 s", "warmup": "0 s"})

    def paths(name: str) -> dict[str, Path]:
        return {"pcap": tmp_path / f"{name}.pcapng", "timeline": tmp_path / f"{name}.json"}

    comment = f"{short.title}, seed 1, replication 0"
    undriven = _core.Tracing(short, comment, **paths("undriven"))
    airfair.run_many([short], tracing=(0, undriven))
    undriven.finish()
    for step in ("3 ms", "10 s"):
        with airfair.World(short, **paths(step)) as world:
            world.copy().advance()
            while not world.over:
                world.advance(step)
            world.result()
        assert json.loads(paths(step)["timeline"].read_text("utf-8"))["traceEvents"]
        for option, path in paths(step).items():
            assert path.read_bytes() == paths("undriven")[option].read_bytes()


def test_a_full_disk_costs_the_trace_and_not_the_result() -> None:
    """The error names the file; the result is still there."""
    world = airfair.World(DOWNLOAD, set={"duration": "1 s", "warmup": "0 s"}, pcap="/dev/full")
    world.advance()
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        world.result()
    assert world.result().flows["packets_received"].sum() > 0


@pytest.mark.parametrize("replication", [-1, 2**32])
def test_a_replication_has_a_number_of_32_bits(replication: int) -> None:
    """The error says which numbers are allowed."""
    with pytest.raises(ValueError, match="allowed is 0 to 4294967295"):
        airfair.World(DOWNLOAD, replication=replication)


def test_a_function_drives_each_replication() -> None:
    """`drive` gets the worlds in order; a world that it leaves early runs on to the end."""
    seen: list[tuple[int, float]] = []

    def drive(world: airfair.World) -> None:
        world.advance("1 s")
        seen.append((world.replication, world.now_s))

    shares: list[float] = []
    driven = airfair.run(SATURATED, replications=3, drive=drive, progress=shares.append)
    plain = airfair.run(SATURATED, replications=3)
    assert seen == [(0, 1.0), (1, 1.0), (2, 1.0)]
    assert shares == pytest.approx([1 / 3, 2 / 3, 1])
    assert [it.record_hash for it in driven.outcomes] == [it.record_hash for it in plain.outcomes]


def test_what_is_finished_survives_an_interrupt() -> None:
    """After Ctrl-C the exception has the finished replications."""

    def drive(world: airfair.World) -> None:
        if world.replication == 2:
            raise KeyboardInterrupt

    with pytest.raises(airfair.Interrupted) as raised:
        airfair.run(SATURATED, replications=5, set={"duration": "2 s"}, drive=drive)
    assert raised.value.result.replications == 2
    assert raised.value.result.interrupted


def test_ctrl_c_ends_a_long_step_and_the_world_goes_on() -> None:
    """An interrupted world has stopped between two events, and continues to the records of a whole run."""
    long = {"duration": "200 s", "warmup": "0 s"}
    world = airfair.World(SATURATED, set=long)
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(0.05, signal.pthread_kill, (main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        world.advance()
    assert 0 < world.now_s < 200
    assert record_hash(world) == airfair.run(SATURATED, set=long).outcomes[0].record_hash


def test_worlds_advance_side_by_side_in_threads() -> None:
    """A step does not hold the interpreter's lock, and two worlds do not disturb each other."""
    worlds = [airfair.World(SATURATED, seed=seed) for seed in (1, 2)]

    def advance(world: airfair.World) -> None:
        while not world.over:
            world.advance("50 ms")

    threads = [threading.Thread(target=advance, args=(world,)) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    hashes = [airfair.run(SATURATED, seed=seed).outcomes[0].record_hash for seed in (1, 2)]
    assert [record_hash(world) for world in worlds] == hashes


def test_observations_outlive_their_world() -> None:
    """An observation is a snapshot."""

    def first() -> Observation:
        return airfair.World(SATURATED).advance("1 s")

    assert first().goodput_bps.sum() > 1e6


PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "step.md"


def rows_of(heading: str) -> list[list[str]]:
    """Cells of the table below a heading of the page on worlds, without the table's own heading."""
    section = PAGE.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_page_lists_the_columns_of_observations() -> None:
    """The table of columns has each column of the core, in its order and with its meaning."""
    names = {
        "flows": "flow",
        "stations": "station",
        "cells": "cell",
        "links": "direction of a link",
    }
    assert rows_of("Observations") == [
        [names[objects], f"`{name}`", meaning.removesuffix(".")]
        for objects, name, meaning in _core.observation_columns()
    ]


def test_the_page_lists_the_settings_of_each_part() -> None:
    """The table of settings names what each part has, and nothing else."""
    kinds = {
        "station": settings.Station,
        "access point": settings.AccessPoint,
        "flow": settings.Flow,
        "link": settings.Link,
    }
    listed: dict[str, set[str]] = {kind: set() for kind in kinds}
    for parts, cell, *_ in rows_of("Settings"):
        for part in parts.split(", "):
            listed[part] |= set(re.findall(r"`([a-z_]+)", cell))
    for kind, part in kinds.items():
        found = {name for name in dir(part) if not name.startswith("_")} - {"rates"}
        assert listed[kind] == found, kind

"""Worlds that are misused: wrong values, calls at the wrong time, from elsewhere, and after the end."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import airfair
from airfair import Law
from airfair.law import Node

CELL = """
duration = "300 ms"
warmup = "0 s"
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
    if not world.over:
        world.advance()
    return world.result().outcomes[0].record_hash


def _assigned(part: str, name: str, setting: str) -> Callable[[airfair.World, Any], None]:
    return lambda world, value: setattr(getattr(world, part)[name], setting, value)


SETTINGS: dict[str, Callable[[airfair.World, Any], None]] = {
    "station.one.rate": _assigned("station", "one", "rate"),
    "station.one.rate.up": _assigned("station", "one", "rate_up"),
    "station.one.rate.down": _assigned("station", "one", "rate_down"),
    "station.one.errors": _assigned("station", "one", "errors"),
    "station.one.contention_window": _assigned("station", "one", "contention_window"),
    "station.one.aifsn": _assigned("station", "one", "aifsn"),
    "station.one.txop_limit": _assigned("station", "one", "txop_limit"),
    "station.one.queue": _assigned("station", "one", "queue"),
    "station.one.airtime_weight": _assigned("station", "one", "airtime_weight"),
    "station.one.rates": lambda world, value: world.station["one"].set_rate_index(value),
    "station.one.aggregates": lambda world, value: world.station["one"].limit_aggregates(
        octets=value, mpdus=value, duration=value
    ),
    "bss.home.ap.queue": _assigned("access_point", "home", "queue"),
    "bss.home.ap.weights": _assigned("access_point", "home", "weights"),
    "flow.up.limit_window": lambda world, value: world.flow["up"].limit_window(segments=value),
    "flow.down.limit_rate": lambda world, value: world.flow["down"].limit_rate(value),
    "host.server.link.rate": _assigned("link", "server", "rate"),
    "host.server.link.loss": _assigned("link", "server", "loss"),
}
WRONG: list[Any] = [
    *(float("nan"), float("inf"), -1, -1.5, 1e308, 10**30, 2**63, -(2**70)),
    *("", "x", "-1 ms", "9e99 s", "1e400 b/s", b"x", [1], (1, 2, 3), {"a": 1}, object()),
]


@pytest.mark.parametrize("path", SETTINGS)
def test_wrong_values_are_errors_with_the_path_and_change_nothing(path: str) -> None:
    """Values of the wrong type, negative, huge and not numbers are refused at once and cost no memory."""
    world, plain = airfair.World(CELL), airfair.World(CELL)
    for it in (world, plain):
        it.advance("100 ms")
    for value in WRONG:
        with pytest.raises(airfair.SettingError) as raised:
            SETTINGS[path](world, value)
        key = path.removesuffix(".up").removesuffix(".down")
        assert str(raised.value).startswith(key), value
    assert record_hash(world) == record_hash(plain)


def test_a_schedule_is_not_a_setting() -> None:
    """The key of a scenario allows a schedule, of which a setting would keep the first rate alone."""
    schedule = [["0 s", "vht-mcs3x1"], ["200 ms", "vht-mcs0x1"]]
    with pytest.raises(airfair.SettingError, match=r"station.one.rate = .*: allowed is one rate"):
        airfair.World(CELL).set({"station.one.rate": schedule})


@pytest.mark.parametrize("weight", [0, 2**32])
def test_a_weight_has_32_bits_and_is_not_zero(weight: int) -> None:
    for weights in [(weight, 1), (1, weight)]:
        with pytest.raises(airfair.SettingError, match=r"ap.weights: .*allowed are weights from 1"):
            airfair.World(CELL).access_point["home"].weights = weights


CALLS: dict[str, Callable[[airfair.World], object]] = {
    "advance": lambda world: world.advance("1 ms"),
    "set": lambda world: world.set({"station.one.rate": "vht-mcs3x1"}),
    "setting": lambda world: world.station["one"].set_aifsn(4),
    "rates": lambda world: world.station["one"].rates,
    "start": lambda world: world.flow["up"].start(),
    "copy": lambda world: world.copy(),
}


@pytest.mark.parametrize("call", [*CALLS, "result"])
def test_a_closed_world_says_so(call: str) -> None:
    world = airfair.World(CELL)
    world.advance("100 ms")
    world.close()
    world.close()
    with pytest.raises(airfair.RunError, match="the world is over: it has been closed"):
        {**CALLS, "result": lambda world: world.result()}[call](world)
    assert (world.now_s, world.over) == (0.1, False)
    assert "at 0.1 s of 0.3 s" in repr(world)


@pytest.mark.parametrize("call", CALLS)
def test_a_world_whose_result_has_been_taken_says_so_and_keeps_it(call: str) -> None:
    world = airfair.World(CELL)
    world.advance()
    world.station["one"].set_aifsn(
        4
    )  # a controller sets once more after the last step, without effect
    result = world.result()
    with pytest.raises(airfair.RunError, match="the world is over: its result has been taken"):
        CALLS[call](world)
    world.close()
    assert world.result() is result
    assert world.over
    assert result.outcomes[0].record_hash == record_hash(airfair.World(CELL))


class _Calls(Law):
    """Calls a method of its own world."""

    world: airfair.World
    name = ""

    def start(self, node: Node) -> None:
        node.wake_in("100 ms")

    def timer(self, node: Node) -> None:
        assert node.name == "one"
        CALLS[self.name](type(self).world)


@pytest.mark.parametrize("call", CALLS)
def test_a_law_cannot_use_its_own_world(call: str) -> None:
    """The world is in the middle of an event. The error is one of the law, and ends the run."""
    law = type("Calls", (_Calls,), {"name": call})
    world = airfair.World(CELL, laws={"station.one": law})
    law.world = world
    with pytest.raises(airfair.RunError, match="in the middle of a step") as raised:
        world.advance()
    assert raised.value.__notes__ == ["in Calls at one, at 0.1 s of the run"]
    with pytest.raises(airfair.RunError, match="the world is over: its run has failed"):
        CALLS[call](world)
    with pytest.raises(airfair.RunError, match="its run has failed"):
        world.result()


def test_a_law_may_use_another_world() -> None:
    """Worlds inside laws have records of their own, and leave those of the outer world alone."""
    hashes: list[int] = []

    class Plans(Law):
        def start(self, node: Node) -> None:
            assert node.name == "one"
            hashes.append(record_hash(airfair.World(CELL)))

    outer = record_hash(airfair.World(CELL, laws={"station.one": Plans}))
    assert hashes == [outer]


def test_copies_of_copies_have_the_records_of_the_first() -> None:
    """`copy.copy` and `copy.deepcopy` make worlds of their own, which are not tied to their original."""
    world = airfair.World(CELL)
    world.advance("100 ms")
    kept = copy.deepcopy(copy.copy(world))
    for _ in range(20):
        kept = kept.copy()
    world.station["one"].contention_window = (255, 255)
    changed = record_hash(world)
    assert record_hash(kept) == record_hash(airfair.World(CELL)) != changed


def test_a_world_cannot_be_pickled() -> None:
    with pytest.raises(TypeError, match="a world cannot be pickled: build it from its scenario"):
        pickle.dumps(airfair.World(CELL))


def test_two_trace_files_are_two(tmp_path: Path) -> None:
    """One file for both would have the packets of one amid the events of the other."""
    both = tmp_path / "both"
    with pytest.raises(ValueError, match=r"timeline = .*both': this is also the file of pcap"):
        airfair.World(CELL, pcap=both, timeline=tmp_path / "." / "both")
    assert not both.exists()


def test_a_loaded_scenario_is_not_parsed_again() -> None:
    """A scenario that is loaded gives the same object, and with another seed the records of this seed."""
    scenario = airfair.load(CELL)
    assert airfair.load(scenario) is scenario
    seeded = airfair.load(scenario, seed=7)
    assert (seeded.seed, scenario.seed) == (7, 1)
    assert seeded.to_toml() == airfair.load(CELL, seed=7).to_toml()
    assert record_hash(airfair.World(scenario, seed=7)) == record_hash(airfair.World(CELL, seed=7))
    for seed in (-1, 2**63, "x", 0.5):
        with pytest.raises(airfair.ScenarioError, match="seed = "):
            airfair.load(scenario, seed=seed)  # type: ignore[arg-type]

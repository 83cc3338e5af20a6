"""Laws that do what they should not, and the order in which several laws act."""
# ruff: noqa: ARG002 - a method has the arguments of its event

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable
from typing import Any

import pytest

import airfair
from airfair.law import Law, Laws, Node, Packet

CELL = """
duration = "300 ms"
[bss.home]
standard = "802.11a"
[station.phone]
rate = [["0 s", "54 Mb/s"], ["100 ms", "6 Mb/s"]]
[host.server]
link = { rate = "100 Mb/s", delay = "4 ms" }
[flow.file]
from = "phone"
to = "server"
transport = { kind = "tcp" }
[flow.film]
from = "server"
to = "phone"
transport = { kind = "tfrc" }
"""


def hash_of(laws: Laws | None = None, keys: dict[str, Any] | None = None) -> int:
    """Record hash of the cell."""
    return airfair.run(CELL, seed=1, set=keys, laws=laws).outcomes[0].record_hash


class Two(Law):
    """Limits the window to two segments at 50 ms."""

    segments = 2

    def start(self, node: Node) -> None:
        node.wake_in("50 ms")

    def timer(self, node: Node) -> None:
        node.senders[0].limit_window(segments=self.segments)


class Five(Two):
    """Limits the window to five segments at the same time."""

    segments = 5


def test_of_two_laws_that_limit_a_window_the_last_one_counts() -> None:
    """Laws act in the order of the table, in one list and in two entries."""
    two, five = hash_of({"station.*": Two}), hash_of({"station.*": Five})
    assert two != five
    assert hash_of({"station.*": [Two, Five]}) == five
    assert hash_of({"station.*": [Five, Two]}) == two
    assert hash_of({"station.*": Two, "station.phone": Five}) == five
    assert hash_of({"station.phone": Five, "station.*": Two}) == two


def test_a_control_of_the_scenario_acts_before_a_law() -> None:
    """At 6 of 54 Mb/s, "one-shot" has divided cwnd by 9 when the law learns the rate."""
    seen: list[int | None] = []

    class Sees(Law):
        def rate(self, node: Node, rate: int, highest: int) -> None:
            seen.append(node.senders[0].cwnd)

    for keys in ({}, {"flow.file.control": {"scheme": "arf-aware", "variant": "one-shot"}}):
        hash_of({"station.phone": Sees}, keys)
    alone, after = seen
    assert alone is not None
    assert alone > 9
    assert after == alone // 9


def test_ctrl_c_interrupts_a_law_that_does_not_return() -> None:
    """`KeyboardInterrupt` leaves the law and the world, and another world works."""

    class Endless(Law):
        def start(self, node: Node) -> None:
            node.wake_in("1 ms")

        def timer(self, node: Node) -> None:
            signal.raise_signal(signal.SIGINT)
            while True:
                pass

    world = airfair.World(CELL, laws={"station.phone": Endless})
    with pytest.raises(KeyboardInterrupt):
        world.advance()
    assert airfair.World(CELL).advance("50 ms").goodput_bps.sum() > 0


def test_a_law_cannot_use_the_world_in_which_it_runs() -> None:
    """A world that is called by its own law refuses, and its records stay the same."""
    refused: list[str] = []

    class Calls(Law):
        def start(self, node: Node) -> None:
            node.wake_in("50 ms")

        def timer(self, node: Node) -> None:
            for call in (
                world.advance,
                world.copy,
                world.result,
                lambda: world.set({"station.phone.rate": "6 Mb/s"}),
            ):
                with pytest.raises(RuntimeError) as raised:
                    call()
                refused.append(str(raised.value))

    world = airfair.World(CELL, seed=1, laws={"station.phone": Calls})
    world.advance()
    assert len(refused) == 4
    assert world.result().outcomes[0].record_hash == hash_of()


VALUES = (
    None,
    -1,
    0,
    1,
    2**31,
    2**63 - 1,
    2**64,
    -0.5,
    1e30,
    float("nan"),
    float("inf"),
    "",
    "x",
    b"",
)
ACTIONS: dict[str, Callable[[Node, Packet | None, Any], object]] = {
    "limit_window": lambda node, _, value: node.senders[0].limit_window(octets=value),
    "segments": lambda node, _, value: node.senders[0].limit_window(segments=value),
    "divide_by": lambda node, _, value: node.senders[0].limit_window(divide_by=value),
    "set_cwnd": lambda node, _, value: node.senders[0].set_cwnd(value),
    "limit_rate": lambda node, _, value: node.receivers[0].limit_rate(value),
    "set_weights": lambda node, _, value: node.set_weights(value, value),
    "listen": lambda node, _, value: node.listen(value),
    "wake_in": lambda node, _, value: node.wake_in(value),
    "wake_at_ns": lambda node, _, value: node.wake_at_ns(value),
    "random_below": lambda node, _, value: node.random_below(value),
    "report": lambda node, _, value: node.report(0, value, own_ns=0, others_ns=0, active=1),
    "active": lambda node, _, value: node.report(0, 1, own_ns=0, others_ns=0, active=value),
    "time of octets": lambda node, _, value: node.packet_time_ns(value, 54_000_000, "up"),
    "time at rate": lambda node, _, value: node.packet_time_ns(1_500, value, "up"),
    "time of most": lambda node, _, value: node.packet_time_ns(1, 54_000_000, "up", most=value),
    "time after": lambda node, _, value: node.packet_time_ns(1, 54_000_000, "up", access_ns=value),
    "delay": lambda _, packet, value: packet and packet.delay(value),
    "lower_window": lambda _, packet, value: packet and packet.lower_window(value),
}


class Hostile(Law):
    """Acts once, with a value that may be wrong."""

    listen = "packets"

    def __init__(self, action: str, value: object) -> None:
        self.action, self.value, self.done = ACTIONS[action], value, False
        if action not in ("delay", "lower_window"):
            self.listen = None  # type: ignore[misc]

    def start(self, node: Node) -> None:
        node.wake_in("20 ms")

    def timer(self, node: Node) -> None:
        if not self.done:
            self.done = True
            self.action(node, None, self.value)

    def packet(self, node: Node, packet: Packet) -> None:
        if not self.done:
            self.done = True
            self.action(node, packet, self.value)


@pytest.mark.parametrize("action", ACTIONS)
def test_wrong_values_of_actions_are_typed_errors(action: str) -> None:
    """Each value is taken or refused with an error, and the world does not panic."""
    plain = hash_of()
    refused = 0
    for value in VALUES:
        at = "access-point" if action in ("delay", "lower_window") else "station.phone"
        world = airfair.World(CELL, seed=1, laws={at: lambda value=value: Hostile(action, value)})
        with contextlib.suppress(ValueError, TypeError, OverflowError):
            world.advance("50 ms")
            refused -= 1
        refused += 1
    assert refused > 3
    assert hash_of() == plain

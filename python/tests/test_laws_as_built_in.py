"""Laws of the examples, each with the record hash of the built-in scheme."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from arf_aware import ArfAware, Variant
from data_ack import DataAckWeights, SharedWindows
from granting import Granting
from occupancy_meter import ACCESS, ChannelTime, Meter

import airfair
from airfair.law import Frame, Laws, Node

ONE_SLOW = """
duration = "4 s"
[bss.home]
standard = "{standard}"
[station.slow]
rate = [["0 s", "{high}"], ["1 s", "{low}"], ["2 s", "{middle}"], ["3 s", "{high}"]]
[station.fast]
[host.server]
link = {{ rate = "100 Mb/s", delay = "2 ms", loss = {{ model = "bernoulli", probability = 0.01 }} }}
[flow.slow]
from = "slow"
to = "server"
transport = {{ kind = "tcp" }}
[flow.fast]
from = "fast"
to = "server"
transport = {{ kind = "tcp" }}
"""
B = {"standard": "802.11b", "high": "11 Mb/s", "middle": "5.5 Mb/s", "low": "1 Mb/s"}
N = {"standard": "802.11n", "high": "65 Mb/s", "middle": "39 Mb/s", "low": "13 Mb/s"}

UP_AND_DOWN = """
duration = "4 s"
[bss.home]
standard = "{standard}"
[station.sender]
count = 3
[station.receiver]
count = 3
[host.server]
[flow.up]
from = "sender"
to = "server"
transport = {{ kind = "tcp" }}
[flow.down]
from = "server"
to = "receiver"
transport = {{ kind = "tcp" }}
[flow.file]
from = "sender"
to = "receiver"
transport = {{ kind = "tcp", size = "100 kB" }}
"""


def hash_of(scenario: str, keys: dict[str, Any] | None = None, laws: Laws | None = None) -> int:
    """Record hash of a run with the built-in schemes of `keys` and with `laws`."""
    return airfair.run(scenario, seed=1, set=keys, laws=laws).outcomes[0].record_hash


@pytest.mark.parametrize("rates", [B, N], ids=["802.11b", "802.11n"])
def test_arf_aware_tcp_has_the_records_of_the_built_in_one(rates: dict[str, str]) -> None:
    """Each variant has its own records, and those of `control` with this variant."""
    scenario = ONE_SLOW.format(**rates)
    records = {hash_of(scenario)}
    variants: list[Variant] = ["held", "one-shot", "continuous"]
    for variant in variants:
        control = {"scheme": "arf-aware", "variant": variant}
        keys = {"flow.slow.control": control, "flow.fast.control": control}
        own = hash_of(scenario, laws={"station.*": partial(ArfAware, variant)})
        assert own == hash_of(scenario, keys), variant
        records.add(own)
    assert len(records) == 4


@pytest.mark.parametrize(("poll", "delay"), [(None, 10), (130, 0), (130, 50), (70, 150)])
def test_arf_aware_tcp_may_learn_rates_late(poll: int | None, delay: int) -> None:
    """Rates that TCP polls, or knows after a delay [ms], lead to records of their own, the built-in ones."""
    scenario = ONE_SLOW.format(**B)
    control = {"scheme": "arf-aware", "notification_delay": f"{delay} ms"}
    if poll is not None:
        control["poll"] = f"{poll} ms"
    keys = {"flow.slow.control": control, "flow.fast.control": control}
    late = partial(
        ArfAware,
        poll_ns=None if poll is None else poll * 1_000_000,
        notification_delay_ns=delay * 1_000_000,
    )
    own = hash_of(scenario, laws={"station.*": late})
    assert own == hash_of(scenario, keys)
    assert own not in (hash_of(scenario), hash_of(scenario, laws={"station.*": ArfAware}))


@pytest.mark.parametrize("standard", ["802.11b", "802.11n"])
@pytest.mark.parametrize("overflow", ["tail", "longest-flow"])
def test_weights_of_data_and_acks_have_the_records_of_counted_flows(
    standard: str, overflow: str
) -> None:
    """A queue with any fixed weights, which the law sets, is one with `weights = "active-flows"`."""
    scenario = UP_AND_DOWN.format(standard=standard)
    queue = {"discipline": "data-ack", "packets": 50, "overflow": overflow}
    counted = hash_of(scenario, {"bss.home.ap.queue": {**queue, "weights": "active-flows"}})
    assert counted != hash_of(scenario, {"bss.home.ap.queue": queue})
    for weights in ({"data": 1, "ack": 1}, {"data": 7, "ack": 3}):
        keys = {"bss.home.ap.queue": {**queue, "weights": weights}}
        assert hash_of(scenario, keys, {"access-point": DataAckWeights}) == counted


@pytest.mark.parametrize("standard", ["802.11b", "802.11n"])
@pytest.mark.parametrize("packets", [5, 100])
def test_shared_windows_have_the_records_of_window_sharing(standard: str, packets: int) -> None:
    """Shared windows lead to the records of `window_sharing`, alone and together with weights."""
    scenario = UP_AND_DOWN.format(standard=standard)
    plain = {"bss.home.ap.queue": {"packets": packets}}
    shared = hash_of(scenario, {**plain, "bss.home.ap.window_sharing": True})
    laws: Laws = {"access-point": partial(SharedWindows, packets)}
    assert hash_of(scenario, plain, laws) == shared != hash_of(scenario, plain)

    queue = {"discipline": "data-ack", "packets": packets}
    counted = {**queue, "weights": "active-flows"}
    both = hash_of(scenario, {"bss.home.ap.queue": counted, "bss.home.ap.window_sharing": True})
    laws = {"access-point": [partial(SharedWindows, packets), DataAckWeights]}
    assert hash_of(scenario, {"bss.home.ap.queue": queue}, laws) == both


def frame(kind: str, end_us: int, to: str, sender: str | None = None, **fields: int) -> Any:  # noqa: ANN401
    """Frame of 28 µs, or as `fields` say, that the station "phone" hears."""
    usual = {"duration_ns": 28_000, "duration_field_ns": 0, "backoff_ns": None, "octets": 0}
    named = {"kind": kind, "sender": sender, "receiver": to, "end_ns": end_us * 1_000}
    return SimpleNamespace(is_foreign=False, **usual | named | fields)


CELL: Any = SimpleNamespace(access_point="home", sifs_ns=16_000)


def test_an_exchange_is_over_with_its_ack() -> None:
    """An RTS of 28 µs announces 352 µs more; an ACK 144 µs after the RTS ends the exchange: 172 µs."""
    meter = Meter("phone", CELL)
    meter.hear(frame("rts", 100, "phone", "home", duration_field_ns=352_000), {})
    meter.hear(frame("ack", 244, "home"), {})
    assert meter.current.stations["phone"].down == ChannelTime(172_000, 0, ACCESS, ACCESS)


def test_a_slot_has_the_part_of_its_exchanges_before_it() -> None:
    """Of an exchange from 299.762 ms to 300.054 ms, 238 µs are before the second slot of 300 ms."""
    meter = Meter("phone", CELL, 300_000_000)
    data = {"duration_ns": 248_000, "duration_field_ns": 44_000}
    meter.hear(frame("data", 300_010, "home", "phone", **data), {})
    meter.hear(frame("ack", 300_054, "phone"), {})
    meter.hear(frame("data", 310_000, "home", "laptop", **data), {})
    meter.hear(frame("ack", 310_044, "laptop"), {})
    assert meter.current.early_ns == [238_000, 0]
    assert meter.current.stations["phone"].up == ChannelTime(292_000, 0, ACCESS, ACCESS)


class Compared(Granting):
    """Access point that compares its grants with those of the built-in one, and sends none."""

    def __init__(self) -> None:
        super().__init__()
        self.grant = b""
        self.grants: set[bytes] = set()
        self.requests = 0
        compared.append(self)

    def beacon(self, node: Node) -> None:  # type: ignore[override]
        self.grant = super().beacon(node)

    def frame(self, node: Node, frame: Frame) -> None:
        super().frame(node, frame)
        self.requests += frame.kind == "block-ack-request"
        if frame.kind == "beacon":
            assert frame.elements == {221: self.grant}
            self.grants.add(self.grant)


compared: list[Compared] = []
"""Laws of `Compared` that have been created."""

NOISE = {"model": "bit", "ber": 3e-5}
NOISY = {
    "station.sender.errors": NOISE,
    "station.receiver.errors": NOISE,
    "bss.home.aggregation.after_silence": "request",
}
"""Links that lose block-acks, which are requested again."""


@pytest.mark.parametrize(
    ("standard", "more", "requests"),
    [("802.11b", {}, 0), ("802.11n", {}, 0), ("802.11n", NOISY, 20)],
    ids=["b", "n", "n-noisy"],
)
@pytest.mark.parametrize("rts", ["off", "500 B"])
def test_an_access_point_grants_the_shares_of_the_built_in_one(
    standard: str, more: dict[str, Any], requests: int, rts: str
) -> None:
    """Each beacon of an access point under `control = "occupancy"` has the octets that the law computes."""
    compared.clear()
    keys = {
        "bss.home.ap.occupancy": True,
        "flow.up.control": "occupancy",
        "flow.down.control": "occupancy",
        "bss.home.rts_threshold": rts,
        **more,
    }
    scenario = UP_AND_DOWN.format(standard=standard)
    own = hash_of(scenario, keys, {"access-point": Compared})
    assert own == hash_of(scenario, keys)
    (law,) = compared
    assert len(law.grants) > 15
    assert law.requests >= requests


@pytest.mark.parametrize("standard", ["802.11b", "802.11n"])
def test_an_access_point_that_grants_has_the_records_of_the_built_in_one(standard: str) -> None:
    """Beacons with the grants of the law lead to the records of `ap.occupancy = true`."""
    scenario = UP_AND_DOWN.format(standard=standard)
    plain: dict[str, Any] = {"bss.home.beacon": {}}
    own = hash_of(scenario, plain, {"access-point": Granting})
    granted = hash_of(scenario, {**plain, "bss.home.ap.occupancy": True})
    assert own == granted != hash_of(scenario, plain)


def test_a_copy_of_a_world_copies_its_laws() -> None:
    """Worlds that are copied in the middle of a run end with the records of a run without a copy."""
    scenario = UP_AND_DOWN.format(standard="802.11n")
    keys: dict[str, Any] = {
        "bss.home.beacon": {},
        "bss.home.ap.queue": {"discipline": "data-ack", "packets": 100},
    }
    laws: Laws = {
        "access-point": [Granting, SharedWindows, DataAckWeights],
        "station.*": ArfAware,
    }
    whole = hash_of(scenario, keys, laws)
    with airfair.World(scenario, seed=1, set=keys, laws=laws) as world:
        world.advance("1.5 s")
        with world.copy() as copy:
            for each in (copy, world):
                each.advance()
                assert each.result().outcomes[0].record_hash == whole

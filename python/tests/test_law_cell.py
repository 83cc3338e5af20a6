"""The cell that a law sees, and the measurements of the channel that it reports."""
# ruff: noqa: ARG002 - a method has the arguments of its event

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import airfair
from airfair.law import Frame, Law, Node

CELL = """
duration = "1 s"
[bss.home]
standard = "{standard}"
rts_threshold = "500 B"
[station.phone]
[station.laptop]
[host.server]
link = {{ rate = "100 Mb/s", delay = "2 ms" }}
[flow.up]
from = "phone"
to = "server"
transport = {{ kind = "tcp" }}
[flow.down]
from = "server"
to = "laptop"
transport = {{ kind = "tcp", receive_window = "50 kB" }}
"""


def run(laws: dict[str, Any], standard: str = "802.11a") -> airfair.Result:
    return airfair.run(CELL.format(standard=standard), seed=1, laws=laws)


def test_a_node_knows_the_members_and_the_timing_of_its_cell() -> None:
    """802.11a has SIFS 16, slot 9 and DIFS 16 + 2 · 9 = 34 µs; 15 slots of back-off have the mean 67.5 µs."""
    seen = []

    class Sees(Law):
        def start(self, node: Node) -> None:
            cell = node.cell
            assert cell is not None
            seen.append((node.name, cell.access_point, cell.stations))
            timing = (cell.sifs_ns, cell.slot_ns, cell.difs_ns, cell.cw_min, cell.mean_backoff_ns)
            assert timing == (16_000, 9_000, 34_000, 15, 67_500)

    run({"access-point": Sees, "station.phone": Sees})
    assert seen == [(name, "home", ("phone", "laptop")) for name in ("home", "phone")]


@pytest.mark.parametrize("standard", ["802.11a", "802.11n"])
def test_a_frame_has_msdus_and_a_cts_the_time_of_its_request(standard: str) -> None:
    """An MSDU has 8 octets of LLC/SNAP; a packet in the queue has none. An RTS is no shorter than its CTS."""
    requests, kinds = set(), set()

    class Sees(Law):
        listen = "own"

        def start(self, node: Node) -> None:
            node.listen("all")
            if node.cell is not None and node.name == node.cell.access_point:
                node.listen("packets")

        def frame(self, node: Node, frame: Frame) -> None:
            kinds.add(frame.kind)
            assert (frame.request_ns is not None) == (frame.kind == "cts")
            if frame.request_ns is not None:
                assert frame.request_ns >= frame.duration_ns
                requests.add(frame.request_ns)
            assert all(packet.msdu_octets == packet.octets + 8 for packet in frame.packets)

        def packet(self, node: Node, packet: Any) -> None:  # noqa: ANN401
            kinds.add(packet.point)
            assert packet.msdu_octets is None
            assert packet.station == {"up": "phone", "down": "laptop"}[packet.flow]

    run({"access-point": Sees, "station.*": Sees}, standard)
    assert {"rts", "cts", "data", "from-station", "to-queue", "delivered"} <= kinds
    assert len(requests) == 1


def test_only_a_receiver_of_tcp_has_a_buffer() -> None:
    buffers = {}

    class Sees(Law):
        def timer(self, node: Node) -> None:
            for end in (*node.senders, *node.receivers):
                buffers[end.flow] = end.buffer

        def start(self, node: Node) -> None:
            node.wake_in("500 ms")

    run({"station.*": Sees})
    assert buffers == {"up": None, "down": 50_000}


def test_a_report_is_recorded() -> None:
    """A report changes the record hash, and two equal ones give the same."""

    class Reports(Law):
        def __init__(self, own_ns: int = 40_000_000) -> None:
            self.own_ns = own_ns

        def start(self, node: Node) -> None:
            node.wake_in("300 ms")

        def timer(self, node: Node) -> None:
            node.report(0, 300_000_000, own_ns=self.own_ns, others_ns=0, active=1)

    hashes = [
        run(laws).outcomes[0].record_hash
        for laws in ({}, {"station.phone": Reports}, {"station.phone": Reports})
    ]
    assert hashes[0] != hashes[1] == hashes[2]
    other = run({"station.phone": lambda: Reports(50_000_000)})
    assert other.outcomes[0].record_hash not in hashes


@pytest.mark.parametrize(
    ("at", "span", "durations", "error"),
    [
        ("station.phone", (0, 400), (1, 1, (0, 0)), "a time that is over"),
        ("station.phone", (300, 300), (1, 1, (0, 0)), "a time that is over"),
        ("station.phone", (0, 300), (301, 1, (0, 0)), "at most 300000000, the time so far"),
        ("station.phone", (0, 300), (1, 1, (2, 0)), "at most own_ns and others_ns"),
        ("access-point", (0, 300), (1, 1, (0, 0)), "the node is an access point"),
    ],
)
def test_a_report_that_cannot_be_is_refused(
    at: str, span: tuple[int, int], durations: tuple[int, int, tuple[int, int]], error: str
) -> None:
    ms = 1_000_000
    own, others, early = durations

    class Reports(Law):
        def start(self, node: Node) -> None:
            node.wake_in("300 ms")

        def timer(self, node: Node) -> None:
            early_ns = (early[0] * ms, early[1] * ms)
            node.report(
                span[0] * ms,
                span[1] * ms,
                own_ns=own * ms,
                others_ns=others * ms,
                active=1,
                early_ns=early_ns,
            )

    with pytest.raises(airfair.SettingError, match=error):
        run({at: Reports})


@pytest.mark.parametrize(("at", "to"), [("station.phone", "packets"), ("access-point", "noise")])
def test_a_node_cannot_listen_to_what_it_does_not_hear(at: str, to: Any) -> None:  # noqa: ANN401
    class Listens(Law):
        def start(self, node: Node) -> None:
            node.listen(to)

    with pytest.raises(airfair.SettingError, match="allowed"):
        run({at: Listens})


def at_start(standard: str, ask: Callable[[Node], object], at: str = "station.phone") -> object:
    """Return what a law at a node asks for at the start, in a cell without RTS."""
    found = []

    class Asks(Law):
        def start(self, node: Node) -> None:
            found.append(ask(node))

    text = CELL.format(standard=standard).replace('rts_threshold = "500 B"', "")
    airfair.run(text, set={"duration": "10 ms"}, laws={at: Asks})
    return found[0]


def test_a_packet_takes_its_part_of_an_exchange() -> None:
    """Durations by hand, as in the tests of the built-in schemes, at 54 Mb/s and at 65 Mb/s.

    802.11a: 1508 + 28 octets take 20 + 4 · 57 = 248 µs, SIFS and ACK 16 + 28. In 802.11n, the frame of three
    packets takes 608 µs, and that of 28, the most, 5360; SIFS and block-ack 16 + 32.
    """

    def times(rate: int, *most: int | None) -> Callable[[Node], object]:
        return lambda node: [
            node.packet_time_ns(1508, rate, "up", most=many, access_ns=101_000) for many in most
        ]

    assert at_start("802.11a", times(54_000_000, None, 1, 9)) == [393_000] * 3
    three, all_ = (101 + 608 + 48) * 1000 // 3, (101 + 5360 + 48) * 1000 // 28
    assert at_start("802.11n", times(65_000_000, 3, None)) == [three, all_]


def test_limits_of_aggregates_may_change() -> None:
    """A frame of one packet takes 36 + 48 · 4 µs at 65 Mb/s, SIFS and ACK 16 + 28."""
    found = []

    class Asks(Law):
        def start(self, node: Node) -> None:
            node.wake_in("50 ms")

        def timer(self, node: Node) -> None:
            found.append(node.packet_time_ns(1508, 65_000_000, "up"))

    text = CELL.format(standard="802.11n").replace('rts_threshold = "500 B"', "")
    with airfair.World(text, laws={"station.phone": Asks}) as world:
        world.station["phone"].limit_aggregates(mpdus=1)
        world.advance("100 ms")
    assert found == [272_000]


@pytest.mark.parametrize(
    ("at", "asked", "error"),
    [
        ("station.phone", (1508, 53_000_000, "up"), "rate = 53000000: allowed are rates of the"),
        ("station.phone", (1508, 0, "up"), "rate = 0: allowed"),
        ("station.phone", (1508, -1, "up"), "rate = -1: allowed"),
        ("station.phone", (65_536, 54_000_000, "up"), "65536: allowed are 0 to 65535 octets"),
        ("station.phone", (1508, 54_000_000, "left"), "allowed are .up. and .down."),
        ("access-point", (1508, 54_000_000, "up"), "allowed at a station"),
    ],
)
def test_a_packet_that_cannot_be_has_no_time(at: str, asked: tuple[Any, ...], error: str) -> None:
    with pytest.raises(airfair.SettingError, match=error):
        at_start("802.11a", lambda node: node.packet_time_ns(*asked), at)
    with pytest.raises(airfair.SettingError, match="1 and more packets"):
        at_start("802.11a", lambda node: node.packet_time_ns(1508, 54_000_000, "up", most=0))


def test_ends_of_flows_are_in_the_order_of_the_scenario() -> None:
    """`ends` are the ends of all flows; the round-trip time is the same in both units."""
    ends, times = {}, []

    class Sees(Law):
        def start(self, node: Node) -> None:
            ends[node.name] = [(end.flow, end.side, end.is_tcp, end.is_tfrc) for end in node.ends]
            assert node.ends == (*node.senders, *node.receivers)
            node.wake_in("500 ms")

        def timer(self, node: Node) -> None:
            times.extend((end.rtt_ns, end.rtt_s) for end in node.senders)

    changed = {"flow.down.transport": {"kind": "tfrc"}}
    airfair.run(CELL.format(standard="802.11a"), set=changed, laws={"station.*": Sees})
    assert ends == {
        "phone": [("up", "sender", True, False)],
        "laptop": [("down", "receiver", False, True)],
    }
    (rtt_ns, rtt_s), *_ = times
    assert rtt_ns is not None
    assert rtt_ns / 1e9 == rtt_s

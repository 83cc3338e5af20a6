"""Links, which carry objects of the caller through a cell."""

from __future__ import annotations

import pickle
import signal
import threading
from collections.abc import Callable

import pytest

import airfair
from airfair.link import Delivered, End, Lost, Room, UnderWay

HOME = """
duration = "1 s"
[bss.home]
standard = "802.11g"
[station.laptop]
queue.packets = 2
[host.server]
link = { rate = "100 Mb/s", delay = "5 ms" }
[flow.quic]
from = "laptop"
to = "server"
transport = { kind = "external" }
"""


def drained(link: airfair.Link, until: float) -> list[Delivered | Lost | Room]:
    events = []
    while (event := link.poll(until)) is not None:
        events.append(event)
    return events


def test_a_packet_of_any_type_arrives_as_the_same_object() -> None:
    link = airfair.Link(HOME)
    laptop, server = link.ends()
    assert (laptop, server) == link.ends("quic")
    assert laptop == End("quic", "laptop", is_receiver=False)
    packet = {"number": 7}
    assert link.send("100 ms", laptop, packet, size=1_500)
    assert link.under_way == 1
    event = link.poll(1 / 2)
    assert isinstance(event, Delivered)
    assert event.packet is packet
    assert (event.size, event.sender, event.receiver, event.sent_at_s) == (
        1_500,
        laptop,
        server,
        0.1,
    )
    # 5 ms over the wire, 0.3 ms on the air.
    assert 0.105 < event.at_s == link.now_s < 0.106
    assert link.poll(0.5) is None
    assert (link.now_s, link.under_way) == (0.5, 0)


def test_a_receiver_answers_at_the_time_of_arrival() -> None:
    link = airfair.Link(HOME)
    laptop, server = link.ends()
    link.send(0, laptop, b"ping")
    ping = link.poll(0.5)
    assert isinstance(ping, Delivered)
    assert ping.size == 4 + 28
    assert link.send(ping.at_s, server, b"pong")
    pong = link.poll(0.5)
    assert isinstance(pong, Delivered)
    assert (pong.packet, pong.receiver, pong.sent_at_s) == (b"pong", laptop, ping.at_s)


def test_a_full_queue_refuses_and_then_tells_of_room() -> None:
    link = airfair.Link(HOME)
    laptop, _ = link.ends()
    taken = [link.send(0, laptop, number, size=1_500) for number in range(5)]
    assert taken.count(True) in {2, 3}
    events = drained(link, 0.5)
    assert [event.packet for event in events if isinstance(event, Delivered)] == [
        number for number, was_taken in enumerate(taken) if was_taken
    ]
    assert [event.end for event in events if isinstance(event, Room)] == [laptop]


def test_a_link_between_two_nodes_runs_beside_the_flows_of_the_scenario() -> None:
    def run(seed: int) -> tuple[list[Delivered | Lost | Room], airfair.Result]:
        link = airfair.Link(
            "scenarios/one-slow-station.toml", between=("server", "fast"), seed=seed
        )
        server, _ = link.ends()
        for number in range(100):
            link.send(number / 100, server, number, size=1_000)
        return drained(link, 2.0), link.result()

    events, result = run(1)
    assert len(events) == 100
    assert list(result.flows["flow"]) == ["a", "b", "link"]
    assert result.flows["goodput_bps"][0] > 1e6
    assert result.scenario.duration_s == 2.0
    assert run(1)[0] == events
    assert run(2)[0] != events


def test_next_timeout_leads_to_each_event() -> None:
    link = airfair.Link(HOME)
    assert link.next_timeout() is not None  # the start of the flow
    laptop, _ = link.ends()
    link.send(0, laptop, b"")
    events = []
    while (at := link.next_timeout()) is not None:
        event = link.poll(at)
        assert link.now_s == at
        events += [event] if event else []
    assert len(events) == 1


def test_a_result_leaves_no_packet_behind() -> None:
    link = airfair.Link(HOME)
    laptop, _ = link.ends()
    link.send(0.5, laptop, "one", size=100)
    link.send(0.6, laptop, "two", size=100)
    result = link.result()
    assert link.result() is result
    assert [
        (type(event), event.packet) for event in link.unfinished if not isinstance(event, Room)
    ] == [
        (Delivered, "one"),
        (UnderWay, "two"),
    ]
    with pytest.raises(airfair.RunError, match="the link is over: its result has been taken"):
        link.poll(0.9)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (
            lambda link, end: link.send(0.1, end, b""),
            ValueError,
            "100 ms has passed: allowed are 200 ms",
        ),
        (
            lambda link, _: link.poll(0.1),
            ValueError,
            "100 ms has passed: allowed are 200 ms and later",
        ),
        (lambda link, _: link.poll(-1), ValueError, "a time of -1 s: allowed are 0 s and more"),
        (lambda link, _: link.poll(float("nan")), ValueError, "a time of nan s: allowed are 0 s"),
        (lambda link, _: link.poll("soon"), ValueError, "soon"),
        (lambda link, _: link.poll(None), TypeError, "NoneType"),
        (
            lambda link, _: link.poll(2),
            airfair.RunError,
            "2 s is not before the end of the scenario",
        ),
        (lambda link, end: link.send(1, end, b""), airfair.RunError, "1 s is not before the end"),
        (
            lambda link, end: link.send(0.3, end, 1),
            TypeError,
            "a packet of type int: allowed without size is bytes",
        ),
        (
            lambda link, end: link.send(0.3, end, 1, size=0),
            ValueError,
            "a packet of 0 B: allowed are 1 B to 2296 B",
        ),
        (
            lambda link, end: link.send(0.3, end, 1, size=2_297),
            ValueError,
            "a packet of 2297 B: allowed are 1 B",
        ),
        (
            lambda link, end: link.send(0.3, end, 1, size=-1),
            ValueError,
            "size = -1: allowed are 1 and more",
        ),
        (
            lambda link, _: link.ends("tcp"),
            ValueError,
            "flow = 'tcp': allowed is the name of an external flow, \"quic\"",
        ),
        (lambda link, _: pickle.dumps(link), TypeError, "a link cannot be pickled"),
    ],
)
def test_wrong_calls_are_errors(
    call: Callable[[airfair.Link, End], object], error: type[Exception], sentence: str
) -> None:
    link = airfair.Link(HOME)
    laptop, _ = link.ends()
    assert link.poll(0.2) is None
    with pytest.raises(error) as raised:
        call(link, laptop)
    assert sentence in str(raised.value)
    assert link.longest_packet(laptop) == 2_296  # 2304 octets with LLC and SNAP


def test_wrong_scenarios_are_errors() -> None:
    with pytest.raises(airfair.ScenarioError, match="standard"):
        airfair.Link(HOME, set={"bss.home.standard": "802.11z"})
    with pytest.raises(airfair.OptionError) as raised:
        airfair.Link("scenarios/one-slow-station.toml")
    assert str(raised.value).startswith(
        "source: the scenario has no flow for packets of the caller"
    )
    with pytest.raises(airfair.OptionError) as raised:
        airfair.Link(HOME, between=("laptop", "phone"))
    assert str(raised.value) == (
        'between: no station and no host is named "phone"; allowed "laptop", "server"'
    )
    late = airfair.Link(HOME, set={"warmup": "500 ms"})
    with pytest.raises(airfair.RunError, match="ended within the warm-up"):
        late.result()


def test_ctrl_c_interrupts_a_poll_and_the_link_goes_on() -> None:
    link = airfair.Link(
        "scenarios/saturated-cell.toml", between=("s1", "sink"), set={"duration": "10000 s"}
    )
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        link.poll(9_999)
    timer.join()
    now = link.now_s
    assert 0 < now < 9_999
    assert link.poll(now + 0.1) is None

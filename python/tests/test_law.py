"""Laws of one's own at the nodes of a world."""
# ruff: noqa: ARG001, ARG002 - a method has the arguments of its event

from __future__ import annotations

import gc
import weakref
from typing import Any, ClassVar

import pytest

import airfair
from airfair import Law
from airfair.law import Frame, Node, Packet

SLOW = "scenarios/one-slow-station.toml"
SATURATED = "scenarios/saturated-cell.toml"
DOWNLOAD = """
duration = "3 s"
[bss.home]
standard = "802.11a"
beacon = { interval = "100 ms" }
[station.phone]
[station.laptop]
[host.server]
link = { rate = "100 Mb/s", delay = "10 ms" }
[flow.voice]
from = "server"
to = "phone"
transport = { kind = "udp", payload = "500 B", rate = "400 kb/s" }
[flow.file]
from = "laptop"
to = "server"
transport = { kind = "tcp" }
"""


def hash_of(source: str, **options: Any) -> int:  # noqa: ANN401 - options of `run`
    """Record hash of the first replication."""
    return airfair.run(source, **options).outcomes[0].record_hash


class ArfAware(Law):
    """While the link is slow, each TCP sender uses a k-th of the window that it had.  [arf-aware-tcp §3]"""

    version = "1"

    def start(self, node: Node) -> None:
        """No window is saved yet."""
        self.saved: dict[str, int] = {}

    def rate(self, node: Node, rate: int, highest: int) -> None:
        """Limit the windows, or give the saved ones back."""
        ratio = -(-highest // rate)
        for sender in node.senders:
            if ratio > 1:
                assert sender.cwnd is not None
                saved = self.saved.setdefault(sender.flow, sender.cwnd)
                sender.limit_window(segments=max(1, saved // ratio))
            else:
                sender.limit_window()
                if sender.flow in self.saved:
                    sender.set_cwnd(self.saved.pop(sender.flow))


def test_a_law_in_python_has_the_records_of_the_built_in_one() -> None:
    """ARF-aware TCP in Python leads to the record hash of `control = "arf-aware"`."""
    control = {"flow.a.control": "arf-aware", "flow.b.control": "arf-aware"}
    own = hash_of(SLOW, laws={"station.*": ArfAware})
    assert own == hash_of(SLOW, set=control) != hash_of(SLOW)


def test_a_law_that_does_nothing_changes_no_record() -> None:
    """A law without methods, and one that listens to everything, leave the records alone."""

    class Listens(Law):
        listen = "all"
        frames: ClassVar[list[Frame]] = []

        def frame(self, node: Node, frame: Frame) -> None:
            self.frames.append(frame)

    plain = hash_of(DOWNLOAD)
    assert hash_of(DOWNLOAD, laws={"station.*": Law, "access-point": Law}) == plain
    assert hash_of(DOWNLOAD, laws={"station.phone": Listens}) == plain
    kinds = {frame.kind for frame in Listens.frames}
    assert kinds == {"data", "ack", "beacon"}
    data = next(frame for frame in Listens.frames if frame.kind == "data" and frame.to_me)
    assert (data.sender, data.receiver) == ("home", "phone")
    (packet,) = data.packets
    assert (packet.flow, packet.origin, packet.payload, packet.is_ack) == (
        "voice",
        "sender",
        500,
        False,
    )
    assert data.octets > packet.octets > packet.payload
    assert data.duration_ns > 8e9 * data.octets / data.rate_bps
    ack = next(frame for frame in Listens.frames if frame.kind == "ack")
    assert ack.sender is None
    assert repr(data) == "<Frame data from home to phone>"


def test_frames_of_others_have_no_packets() -> None:
    """A station knows the packets of the frames that it sends or receives, and no others."""

    class Counts(Law):
        listen = "all"
        foreign = 0

        def frame(self, node: Node, frame: Frame) -> None:
            if node.name not in (frame.sender, frame.receiver):
                type(self).foreign += frame.kind == "data"
                assert not frame.packets

    airfair.run(DOWNLOAD, laws={"station.*": Counts})
    assert Counts.foreign > 100


def test_an_access_point_drops_packets() -> None:
    """Every tenth of the 299 packets that reach the access point within 3 s is dropped before its queue."""

    class Drop(Law):
        listen = "packets"

        def start(self, node: Node) -> None:
            self.count = 0

        def packet(self, node: Node, packet: Packet) -> None:
            if packet.point == "to-queue" and packet.flow == "voice":
                self.count += 1
                if self.count % 10 == 0:
                    packet.drop()

    flows = airfair.run(DOWNLOAD, laws={"access-point.home": Drop}).flows
    assert flows["packets_dropped"][0] == 29
    assert flows["packets_received"][0] + flows["packets_in_flight"][0] == 271


def test_an_access_point_delays_packets_and_lowers_windows() -> None:
    """A delay of 20 ms shows in the mean delay; a window of two segments shows in the goodput."""

    class Delay(Law):
        listen = "packets"

        def packet(self, node: Node, packet: Packet) -> None:
            if packet.point == "to-queue" and packet.flow == "voice":
                packet.delay("20 ms")
            if packet.is_ack and packet.point == "to-queue":
                packet.lower_window(2 * 1460)

    changed = airfair.run(DOWNLOAD, laws={"access-point": Delay}).flows
    plain = airfair.run(DOWNLOAD).flows
    later = changed["delay_mean_ms"][0] - plain["delay_mean_ms"][0]
    assert later == pytest.approx(20, abs=1)
    assert changed["goodput_bps"][1] < plain["goodput_bps"][1] / 2


def test_beacons_carry_what_a_law_says() -> None:
    """An access point's octets reach the stations as a vendor-specific element, or under their numbers."""

    class Speaks(Law):
        def beacon(self, node: Node) -> bytes | dict[int, bytes] | None:
            return b"hello" if node.now_s < 1.5 else {7: b"later"}

    class Hears(Law):
        listen = "own"
        heard: ClassVar[list[tuple[str, dict[int, bytes]]]] = []

        def frame(self, node: Node, frame: Frame) -> None:
            if frame.kind == "beacon":
                self.heard.append((node.name, frame.elements))

    airfair.run(DOWNLOAD, laws={"access-point": Speaks, "station.*": Hears})
    elements = [it for name, it in Hears.heard if name == "phone"]
    assert elements[0] == {221: b"hello"}
    assert elements[-1] == {7: b"later"}


def test_timers_ring_once_at_their_time() -> None:
    """Timers of two laws at one node do not disturb each other; one time is one timer."""

    class Ticks(Law):
        rung: ClassVar[list[tuple[str, int]]] = []
        period = 100

        def start(self, node: Node) -> None:
            node.wake_in(f"{self.period} ms")
            node.wake_in(self.period / 1000)

        def timer(self, node: Node) -> None:
            self.rung.append((type(self).__name__, node.now_ns // 1_000_000))
            if node.now_ns < 250_000_000:
                node.wake_at_ns(node.now_ns + self.period * 1_000_000)

    class Slower(Ticks):
        period = 150

    airfair.run(DOWNLOAD, laws={"station.phone": [Ticks, Slower]})
    assert Ticks.rung == [
        ("Ticks", 100),
        ("Slower", 150),
        ("Ticks", 200),
        ("Ticks", 300),
        ("Slower", 300),
    ]


def test_random_numbers_belong_to_the_node_and_the_seed() -> None:
    """Equal seeds give equal draws; nodes and seeds have different ones, and no other record moves."""

    class Draws(Law):
        drawn: ClassVar[dict[str, list[float]]] = {}

        def start(self, node: Node) -> None:
            draws = [node.random() for _ in range(100)]
            assert all(0 <= it < 1 for it in draws)
            assert {node.random_below(3) for _ in range(100)} == {0, 1, 2}
            self.drawn[node.name] = draws

    plain = hash_of(DOWNLOAD, seed=1)
    taken = []
    for seed in (1, 1, 2):
        record_hash = hash_of(DOWNLOAD, seed=seed, laws={"station.*": Draws})
        assert seed == 2 or record_hash == plain
        taken.append(dict(Draws.drawn))
    assert taken[0] == taken[1]
    assert taken[0]["phone"] != taken[0]["laptop"]
    assert taken[0]["phone"] != taken[2]["phone"]


def test_laws_act_in_the_order_of_the_table_on_objects_of_their_own() -> None:
    """Each node has its own object of each law."""

    class First(Law):
        started: ClassVar[list[tuple[str, str, int]]] = []

        def start(self, node: Node) -> None:
            self.started.append((type(self).__name__, node.name, id(self)))

    class Second(First):
        pass

    airfair.run(DOWNLOAD, laws={"station.*": [First, Second], "access-point": Second})
    assert [it[:2] for it in First.started] == [
        ("First", "phone"),
        ("First", "laptop"),
        ("Second", "phone"),
        ("Second", "laptop"),
        ("Second", "home"),
    ]
    assert len({it[2] for it in First.started}) == 5


def test_an_exception_of_a_law_ends_the_run_with_its_traceback() -> None:
    """The exception is the law's own, with a note that names the law, the node and the time."""

    class Fails(Law):
        def start(self, node: Node) -> None:
            node.wake_in("2 s")

        def timer(self, node: Node) -> None:
            raise ZeroDivisionError("a mistake")

    world = airfair.World(DOWNLOAD, laws={"station.phone": Fails})
    world.advance("1 s")
    with pytest.raises(ZeroDivisionError, match="a mistake") as raised:
        world.advance("2 s")
    assert raised.value.__notes__ == ["in Fails at phone, at 2 s of the run"]
    assert raised.traceback[-1].name == "timer"
    with pytest.raises(airfair.RunError, match="is over"):
        world.advance("1 s")
    # Another world on the same thread is not affected.
    assert airfair.World(DOWNLOAD).advance("1 s").goodput_bps.sum() > 0


@pytest.mark.parametrize("method", ["start", "end"])
def test_exceptions_at_the_start_and_at_the_end_are_raised(method: str) -> None:
    """No exception of a law is lost."""

    def fail(self: Law, node: Node) -> None:
        raise KeyError(method)

    failing = type("Failing", (Law,), {method: fail})
    with pytest.raises(KeyError, match=method):
        airfair.run(DOWNLOAD, laws={"station.phone": failing})


class _Asks(Law):
    """Asks for something that its node may not have."""

    what = ""
    listen = ("packets", "own")

    def start(self, node: Node) -> None:
        if self.what == "packet":
            return
        exec(self.what, {"node": node})  # noqa: S102 - the action under test

    def packet(self, node: Node, packet: Packet) -> None:
        self.kept = getattr(self, "kept", packet)
        if self.kept is not packet:
            self.kept.drop()


@pytest.mark.parametrize(
    ("where", "what", "message"),
    [
        ("station.laptop", "node.senders[0].limit_rate(1e6)", "no rate that can be limited"),
        ("station.laptop", "node.senders[0].limit_window(octets=0)", "allowed are 1 to"),
        (
            "station.laptop",
            "node.senders[0].limit_window(octets=1, segments=1)",
            "one of octets, segments",
        ),
        ("station.laptop", "node.senders[0].set_cwnd(-1)", "-1: allowed are 0 to"),
        ("station.phone", "node.receivers[0].limit_window(octets=3000)", "has no limits"),
        ("station.phone", "node.set_weights(1, 1)", "has no weights"),
        ("station.phone", "node.wake_in(0)", "0 s: allowed are 1 ns and more"),
        ("station.phone", "node.random_below(0)", "allowed is 1 and more"),
        (
            "station.phone",
            "node.wake_in(1e30)",
            "no run lasts as long; allowed are times within 100",
        ),
        ("station.phone", "node.wake_at_ns(2**64 - 1)", "no run lasts as long"),
        ("access-point", "packet", "the packet has gone on"),
    ],
)
def test_wrong_values_are_errors_and_not_crashes(where: str, what: str, message: str) -> None:
    """A law that asks for something impossible gets a typed error."""
    asks = type("Asks", (_Asks,), {"what": what, "listen": "packets" if what == "packet" else None})
    with pytest.raises(ValueError, match=message):
        airfair.run(DOWNLOAD, laws={where: asks})


def test_elements_of_beacons_that_do_not_fit_are_errors() -> None:
    """Two laws share the room of a beacon; only an access point sends beacons, with numbers of one octet."""

    class Long(Law):
        def beacon(self, node: Node) -> bytes | dict[int, bytes] | None:
            return b"x" * 15

    class Numbered(Law):
        def beacon(self, node: Node) -> bytes | dict[int, bytes] | None:
            return {300: b"x"}

    airfair.run(DOWNLOAD, laws={"access-point": Long})
    with pytest.raises(airfair.SettingError, match="the beacon has no room"):
        airfair.run(DOWNLOAD, laws={"access-point": [Long, Long]})
    with pytest.raises(airfair.SettingError, match="no beacon is due"):
        airfair.run(DOWNLOAD, laws={"station.phone": Long})
    with pytest.raises(airfair.SettingError, match="300: allowed are element numbers"):
        airfair.run(DOWNLOAD, laws={"access-point": Numbered})


def test_a_packet_is_not_delayed_for_longer_than_a_run_can_last() -> None:
    """A delay that no run reaches is an error of the law."""

    class Delays(Law):
        listen = "packets"

        def packet(self, node: Node, packet: Packet) -> None:
            packet.delay(1e30)

    with pytest.raises(airfair.SettingError, match="no run lasts as long"):
        airfair.run(DOWNLOAD, laws={"access-point": Delays})


def test_a_law_hears_frames_of_neighbours_if_it_asks_for_them() -> None:
    """With "all" and "neighbours" a law gets frames of the other cell without names, with "own" none."""
    cell = """
        [bss.{0}]
        standard = "802.11a"
        channel = 36
        [station.of-{0}]
        bss = "{0}"
        [host.at-{0}]
        link = {{ to = "{0}" }}
        [flow.in-{0}]
        from = "of-{0}"
        to = "at-{0}"
        transport = {{ kind = "udp", payload = "500 B", rate = "400 kb/s" }}
        """
    cells = 'duration = "1 s"' + cell.format("home") + cell.format("guest")
    heard: dict[str, list[Frame]] = {}

    def listener(word: str) -> type[Law]:
        def frame(_: Law, node: Node, frame: Frame) -> None:
            heard.setdefault(word, []).append(frame)

        return type("Listener", (Law,), {"listen": word, "frame": frame})

    for word in ("own", "all", "neighbours"):
        airfair.run(cells, laws={"station.of-home": listener(word)})
    foreign = {word: [it for it in all_ if it.is_foreign] for word, all_ in heard.items()}
    assert not foreign["own"]
    assert len(foreign["all"]) == len(foreign["neighbours"]) == len(heard["neighbours"]) > 0
    for it in foreign["all"]:
        assert it.kind in {"data", "ack"}
        assert (it.sender, it.receiver, it.packets, it.elements) == (None, None, [], {})


def test_wrong_laws_and_wrong_nodes_are_named() -> None:
    """The errors say what was found and what is allowed."""
    with pytest.raises(
        ValueError, match=r"laws: 'station.phon' is no node, did you mean .station.phone"
    ):
        airfair.World(DOWNLOAD, laws={"station.phon": Law})
    with pytest.raises(TypeError, match="allowed is a subclass of Law"):
        airfair.World(DOWNLOAD, laws={"station.phone": int})  # type: ignore[dict-item]
    deaf = type("Deaf", (Law,), {"listen": "everything"})
    with pytest.raises(airfair.SettingError, match=r"listen = .everything.: allowed are"):
        airfair.World(DOWNLOAD, laws={"station.phone": deaf})
    watches = type("Watches", (Law,), {"listen": "packets"})
    with pytest.raises(airfair.SettingError, match="allowed at an access point"):
        airfair.World(DOWNLOAD, laws={"station.phone": watches})


class Counter(Law):
    """Counts its timers, and draws as many random numbers."""

    def start(self, node: Node) -> None:
        """Begin at zero."""
        self.node, self.counted, self.draws = node, 0, [node.random()]
        node.wake_in("100 ms")

    def timer(self, node: Node) -> None:
        """Count, and limit the window by what was counted."""
        assert node is self.node
        self.counted += 1
        self.draws.append(node.random())
        for sender in node.senders:
            sender.limit_window(segments=self.counted)
        node.wake_in("100 ms")


def test_a_copy_of_a_world_has_copies_of_its_laws() -> None:
    """Both go on from the same state with the same random numbers, and do not share their objects."""
    whole = airfair.World(DOWNLOAD, laws={"station.*": Counter})
    whole.advance()
    original = airfair.World(DOWNLOAD, laws={"station.*": Counter})
    original.advance("1 s")
    copy = original.copy()
    copy.advance()
    original.advance()
    hashes = [world.result().outcomes[0].record_hash for world in (whole, original, copy)]
    assert hashes[0] == hashes[1] == hashes[2]


def test_a_law_that_cannot_be_copied_says_so() -> None:
    """The exception of `copy.deepcopy` is raised by the copy, and the original goes on."""

    class Uncopied(Law):
        def start(self, node: Node) -> None:
            self.generator = (it for it in ())

    world = airfair.World(DOWNLOAD, laws={"station.phone": Uncopied})
    world.advance("1 s")
    with pytest.raises(TypeError, match="generator"):
        world.copy()
    world.advance()
    assert world.over


def test_laws_are_released_with_their_world() -> None:
    """No law, node or end of a flow outlives its world."""
    made: list[weakref.ref[Law]] = []

    class Keeps(Law):
        def start(self, node: Node) -> None:
            self.senders = node.senders
            made.append(weakref.ref(self))

    world = airfair.World(DOWNLOAD, laws={"station.*": Keeps})
    world.advance("1 s")
    del world
    gc.collect()
    assert [it() for it in made] == [None, None]

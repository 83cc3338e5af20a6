"""Laws that choose the users of an access point's PPDUs."""
# ruff: noqa: ARG002 - a method has the arguments of its event

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from round_robin import RoundRobin

import airfair
from airfair import Law
from airfair.law import Laws, Node, UsersDue, UsersServed

CELL = """
duration = "1 s"
[bss.home]
standard = "802.11ax"
width = "20 MHz"
beacon = false
ofdma = {{ down = "{down}", up = "{up}", users = 4, ack = "mu-bar", trigger_every = "3 ms", poll = {poll} }}
[station.near]
count = 4
rate = "he-mcs9x1"
[station.far]
count = 3
rate = "he-mcs1x1"
[station.old]
standard = "802.11n"
[host.server]
link = {{ rate = "1 Gb/s", delay = "1 ms" }}
[flow.near]
from = "server"
to = "near"
transport = {{ kind = "udp", payload = "1200 B", rate = "saturated" }}
[flow.far]
from = "server"
to = "far"
transport = {{ kind = "tcp" }}
[flow.old]
from = "server"
to = "old"
transport = {{ kind = "tcp" }}
[flow.up]
from = "near"
to = "server"
transport = {{ kind = "udp", payload = "1200 B", rate = "2 Mb/s" }}
"""
BOTH = CELL.format(down="round-robin", up="round-robin", poll="true")
DOWN = BOTH.replace('up = "round-robin"', 'up = "off"').replace(
    ', trigger_every = "3 ms", poll = true', ""
)


def hash_of(source: str, laws: Laws | None = None, **options: Any) -> int:  # noqa: ANN401 - options of `run`
    """Record hash of the first replication."""
    return airfair.run(source, seed=1, laws=laws, **options).outcomes[0].record_hash


@pytest.mark.parametrize("txop", ["0 s", "2.528 ms"])
@pytest.mark.parametrize("text", [BOTH, BOTH.replace("poll = true", "poll = false"), DOWN])
def test_round_robin_in_python_has_the_records_of_the_built_in_one(text: str, txop: str) -> None:
    """The law decides in both directions, and the scheduler that the cell has beside it does not."""
    keys = {"bss.home.ap.edca.txop_limit": txop}
    other = text.replace("round-robin", "largest-backlog")
    laws: Laws = {"access-point": RoundRobin}
    own = hash_of(other, laws, set=keys)
    assert own == hash_of(text, set=keys) != hash_of(other, set=keys)
    assert own == hash_of(other, laws, set=keys)


class Asked(Law):
    """Leaves the choice to the cell, and keeps what it has seen."""

    listen = "users"
    due: ClassVar[list[UsersDue]] = []
    ppdus: ClassVar[list[UsersServed]] = []

    def users(self, node: Node, due: UsersDue) -> None:
        self.due.append(due)

    def served(self, node: Node, ppdu: UsersServed) -> None:
        self.ppdus.append(ppdu)


def test_a_law_that_leaves_the_choice_changes_no_record() -> None:
    """It sees what an access point sees: backlogs and waits of its queue, and reports of the stations."""
    Asked.due.clear()
    Asked.ppdus.clear()
    assert hash_of(BOTH, {"access-point": Asked}) == hash_of(BOTH)
    assert {(it.direction, it.is_poll) for it in Asked.due} == {
        ("down", False),
        ("up", False),
        ("up", True),
    }
    for due in Asked.due:
        assert (due.most, due.width_mhz, due.units) == (4, 20, (9, 4, 2, 1))
        assert (due.first is None) == (due.direction == "up")
        for it in due.candidates:
            assert it.station != "old"
            assert it.urgency == "other"
            assert (it.waiting_ns is None) == (due.direction == "up")
            assert it.octets is None or it.octets > 0
            # 234 subcarriers x 8 bits x 5/6, or x 2 bits x 1/2, in 13.6 us
            assert it.rate_bps == (114_705_882 if it.station.startswith("near") else 17_205_882)
    reports = [it.octets for due in Asked.due if due.direction == "up" for it in due.candidates]
    assert "old" in {due.first for due in Asked.due}
    assert None in reports
    assert any(octets is not None and octets % 256 == 0 for octets in reports)
    for ppdu in Asked.ppdus:
        assert len(ppdu.stations) == len(ppdu.tones) <= 4
        assert ppdu.duration_ns > 0
        assert (ppdu.octets is None) <= (len(ppdu.stations) == 1)
    assert 52 in {tones for ppdu in Asked.ppdus for tones in ppdu.tones}
    assert {ppdu.direction for ppdu in Asked.ppdus} == {"down", "up"}


def returning(chosen: Any, only: str = "down") -> type[Law]:  # noqa: ANN401 - anything that a law may return
    """Law whose `users` returns what `chosen` is, or returns for its argument, in one direction."""

    class Returns(Law):
        listen = "users"

        def users(self, node: Node, due: UsersDue) -> Any:  # noqa: ANN401
            if due.direction != only:
                return None
            return chosen(due) if callable(chosen) else chosen

    return Returns


@pytest.mark.parametrize(
    ("users", "served", "tones"), [(1, 1, 242), (2, 2, 106), (3, 2, 106), (4, 4, 52)]
)
def test_the_channel_has_the_most_units_of_which_each_has_a_user(
    users: int, served: int, tones: int
) -> None:
    """20 MHz have 4, 2 or 1 equal units for up to 4 users; of three stations, the third waits."""
    names = ("far1", "far2", "far3", "near1")
    Asked.ppdus.clear()
    always = returning(lambda due: names[:users] if len(due.candidates) == 7 else None)
    airfair.run(DOWN, seed=1, laws={"access-point": [always, Asked]})
    shared = {ppdu.stations: ppdu.tones for ppdu in Asked.ppdus if ppdu.octets is not None}
    assert shared[names[:served]] == (tones,) * served


def test_an_empty_list_sends_frames_for_one_station() -> None:
    """The run is that of a cell without OFDMA, but for the choice of the queue."""
    Asked.ppdus.clear()
    airfair.run(DOWN, seed=1, laws={"access-point": [returning([]), Asked]})
    assert Asked.ppdus
    assert all(ppdu.octets is None and len(ppdu.stations) == 1 for ppdu in Asked.ppdus)


def test_the_last_law_that_chooses_decides() -> None:
    """A law that returns `None` leaves the choice of the law before it."""
    laws = {
        "access-point": [
            returning(lambda due: [due.candidates[0].station], "up"),
            RoundRobin,
            Asked,
        ]
    }
    assert hash_of(BOTH, laws) == hash_of(BOTH)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (["nobody"], r'users: "nobody" is no candidate for this PPDU; allowed are "near1", '),
        (["old", "near1"], r'users: "old" is no candidate'),
        (["home"], r'users: "home" is no candidate'),
        (["near1", "near1"], r'users: "near1" is in the list twice; allowed is once'),
        (
            lambda due: [it.station for it in due.candidates],
            r"users: \d stations; allowed are at most 4 in a PPDU",
        ),
    ],
)
def test_a_choice_that_is_not_allowed_ends_the_run(chosen: Any, message: str) -> None:  # noqa: ANN401
    """The error names the method, the value and what is allowed; a note names the law and its node."""
    full = returning(
        lambda due: (
            (chosen(due) if callable(chosen) else chosen) if len(due.candidates) > 4 else None
        )
    )
    with pytest.raises(airfair.SettingError, match=message) as caught:
        airfair.run(DOWN, seed=1, laws={"access-point": full})
    assert caught.value.__notes__[0].startswith("in Returns at home, at 0.0")


def test_a_station_without_data_is_no_candidate() -> None:
    """A queue with nothing for a station does not serve it."""
    text = DOWN.replace('from = "server"\nto = "far"', 'from = "far"\nto = "server"')
    with pytest.raises(airfair.SettingError, match='"far1" is no candidate'):
        airfair.run(text, seed=1, laws={"access-point": returning(["near1", "far1"])})


@pytest.mark.parametrize("chosen", ["near1", 3, [3], {"near1": 1.0}])
def test_anything_but_a_list_of_names_is_an_error(chosen: Any) -> None:  # noqa: ANN401
    """A text is no list of its letters."""
    with pytest.raises(TypeError, match="allowed are a list of names of stations, and None"):
        airfair.run(DOWN, seed=1, laws={"access-point": returning(chosen)})


def test_a_trigger_frame_has_at_least_one_user() -> None:
    """The access point has won the channel for it."""
    with pytest.raises(airfair.SettingError, match="no station for a trigger frame"):
        airfair.run(BOTH, seed=1, laws={"access-point": returning([], "up")})


@pytest.mark.parametrize("method", ["users", "served"])
def test_the_node_allows_no_action_in_the_middle_of_an_event(method: str) -> None:
    """A timer is set in another method."""
    wakes = type(
        "Wakes", (Law,), {"listen": "users", method: lambda _, node, __: node.wake_in("1 ms")}
    )
    with pytest.raises(airfair.SettingError, match=f"{method}: an action of the node"):
        airfair.run(BOTH, seed=1, laws={"access-point": wakes})


def test_a_law_that_has_not_asked_for_users_keeps_the_names_for_itself() -> None:
    """Its methods are not called when another law at the access point has asked."""

    class Own(Law):
        def users(self, *_: object) -> Any:  # noqa: ANN401
            raise AssertionError

        served = users

    assert hash_of(DOWN, {"access-point": [Own, Asked]}) == hash_of(DOWN)


@pytest.mark.parametrize("method", ["users", "served"])
def test_an_exception_ends_the_run(method: str) -> None:
    """Its traceback and its note are those of every law."""

    def fail(*_: object) -> None:
        raise KeyError(method)

    failing = type("Fails", (Law,), {"listen": "users", method: fail})
    with pytest.raises(KeyError, match=method) as caught:
        airfair.run(BOTH, seed=1, laws={"access-point": failing})
    assert caught.value.__notes__[0].startswith("in Fails at home, at 0.0")


@pytest.mark.parametrize(
    ("node", "keys", "message"),
    [
        ("station.old", {}, "the node is a station; allowed at an access point"),
        (
            "access-point",
            {"bss.home.ofdma": "off"},
            "sends no PPDUs for several stations; allowed in a cell with `ofdma`",
        ),
    ],
)
def test_only_an_access_point_with_ofdma_has_users(
    node: str, keys: dict[str, Any], message: str
) -> None:
    """The error comes at the start of the run."""
    with pytest.raises(airfair.SettingError, match=message):
        airfair.run(DOWN, seed=1, laws={node: Asked}, set=keys)


class AnyChoice(Law):
    """Chooses any stations in any order, from one to as many as a PPDU has."""

    listen = "users"

    def users(self, node: Node, due: UsersDue) -> list[str]:
        stations = [it.station for it in due.candidates]
        stations.sort(key=lambda _: node.random())
        return stations[: 1 + node.random_below(due.most)]


@pytest.mark.parametrize("ack", ["bar", "mu-bar", "aggregated-mu-bar"])
@pytest.mark.parametrize("txop", ["0 s", "4 ms"])
def test_any_choice_conserves_packets_and_airtime(ack: str, txop: str) -> None:
    """Packets are received, dropped or under way, and the shares of the time add up to one."""
    keys = {
        "bss.home.ap.edca.txop_limit": txop,
        "bss.home.ofdma.ack": ack,
        "station.far.errors": {"model": "bernoulli", "probability": 0.1},
    }
    result = airfair.run(BOTH, seed=1, laws={"access-point": AnyChoice}, set=keys)
    flows = result.flows
    ends = flows["packets_received"] + flows["packets_dropped"] + flows["packets_in_flight"]
    assert (ends == flows["packets_sent"]).all()
    shares = result.channel_shares.drop("replication", "channel").row(0)
    assert sum(shares) == pytest.approx(1)


def test_a_copy_of_a_world_has_a_copy_of_its_scheduler() -> None:
    """Both go on from the same credits, also where the world advances in steps."""
    expected = hash_of(BOTH, {"access-point": RoundRobin})
    world = airfair.World(BOTH, seed=1, laws={"access-point": RoundRobin})
    world.advance("100 ms")
    copy = world.copy()
    for it in (copy, world):
        while not it.over:
            it.advance("7 ms")
        assert it.result().outcomes[0].record_hash == expected

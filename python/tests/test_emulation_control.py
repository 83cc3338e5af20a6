"""Tests of the control socket of an emulation with wrong requests and connections that break off."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airfair.emulation import control


class Deaf:
    """Emulation that refuses each change of a setting."""

    nodes = ({"name": "b", "rates_bps": [5_500_000, 8_602_941]},)

    def set_rate(self, station: str, direction: str, rate: float) -> None:
        raise ValueError(f"{station} {direction} {rate:.0f}")

    def set_errors(self, station: str, probability: float) -> None:
        raise ValueError(f"{station} {probability}")

    def set_weights(self, cell: str, data: int, acks: int) -> None:
        raise ValueError(f"{cell} {data} {acks}")

    def set_queue(self, cell: str, queue: str) -> None:
        raise ValueError(f"{cell} {queue}")


STATE = {"nodes": ["much" * 20_000]}
"""State whose JSON is larger than a socket's buffer."""


def deaf() -> Any:  # noqa: ANN401 - used as an emulation
    return Deaf()


RATE: dict[str, object] = {"set": "rate", "station": "a", "value": "1 Mb/s"}
ERRORS: dict[str, object] = {"set": "errors", "station": "a", "value": 0.5}
WEIGHTS: dict[str, object] = {"set": "weights", "cell": "home", "data": 2, "acks": 1}
QUEUE: dict[str, object] = {"set": "queue", "cell": "home", "value": {"discipline": "fifo"}}


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (RATE, 'set = "rate": a both 1000000'),
        (
            RATE | {"station": "b"},
            'value = "1 Mb/s": allowed for b are 5.5, 8.6 Mb/s',
        ),
        (RATE | {"station": "b", "value": "5.5 Mb/s"}, 'set = "rate": b both 5500000'),
        (RATE | {"value": "soon"}, 'set = "rate": not a number'),
        (RATE | {"value": 1}, "value = 1: allowed is text"),
        (RATE | {"station": 3}, "station = 3: allowed is text"),
        (RATE | {"direction": None}, "direction = null: allowed is text: up, down or both"),
        (
            RATE | {"dircetion": "up"},
            'set = "rate": unknown key "dircetion", did you mean "direction"?',
        ),
        ({"set": "rate", "station": "a"}, 'set = "rate": the key "value" is missing'),
        (ERRORS, 'set = "errors": a 0.5'),
        (ERRORS | {"value": True}, "value = true: allowed is a probability from 0 to 1"),
        (ERRORS | {"value": 10**400}, "000…: allowed is a probability from 0 to 1"),
        (ERRORS | {"value": "0.5"}, 'value = "0.5": allowed is a probability from 0 to 1'),
        (WEIGHTS, 'set = "weights": home 2 1'),
        (WEIGHTS | {"data": True}, "data = true: allowed is a whole number from 1 to 4294967295"),
        (WEIGHTS | {"acks": -1}, "acks = -1: allowed is a whole number from 1"),
        (WEIGHTS | {"acks": 1.5}, "acks = 1.5: allowed is a whole number from 1"),
        (QUEUE, 'set = "queue": home { discipline = "fifo" }'),
        (QUEUE | {"value": True}, "value = true: allowed are the keys of ap.queue in a scenario"),
        (QUEUE | {"value": {"packets": None}}, "None: allowed in a scenario are text"),
        ({"set": True}, "allowed are"),
        ({"get": "moon"}, "allowed are"),
        ([], "allowed are"),
        (None, "allowed are"),
    ],
)
def test_a_request_that_cannot_be_met_is_told_where_and_why(request_: object, error: str) -> None:
    said = control.answer(request_, deaf(), dict)
    assert not said["ok"]
    assert error in said["error"]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"soon", "not JSON: Expecting value"),
        (b"", "not JSON: Expecting value"),
        (b"\xff\n", "not JSON: 'utf-8' codec can't decode byte 0xff"),
        (b'"\\ud800"', "surrogates not allowed"),
        (b"[" * 60_000, "not JSON: nested too deeply"),
        (b'{"set": "errors", "station": "a", "value": NaN}', "not JSON: NaN is not a number"),
        (b"1" * 5_000, "not JSON: Exceeds the limit"),
    ],
)
def test_a_line_that_is_no_json_is_told_so(line: bytes, error: str) -> None:
    with pytest.raises(control.RefusedError) as told:
        control.read(line)
    assert error in str(told.value)


def test_a_queue_that_is_nested_too_deeply_is_told_so() -> None:
    deep = '{"set": "queue", "cell": "home", "value": ' + '{"a":' * 800 + "1" + "}" * 801
    said = control.answer(control.read(deep.encode()), deaf(), dict)
    assert said == {"ok": False, "error": "the request is nested too deeply"}


WORDS = ["get", "set", "state", "rate", "errors", "weights", "queue", "station", "cell", "value"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*WORDS, "direction", "data", "acks", "a"]), inner)
    ),
    max_leaves=8,
)


@given(st.sampled_from([RATE, ERRORS, WEIGHTS, QUEUE, {}]), JSON)
def test_whatever_is_asked_is_answered(good: dict[str, object], strange: object) -> None:
    request = good | strange if isinstance(strange, dict) else strange
    said = control.answer(request, deaf(), dict)
    assert json.loads(json.dumps(said)) == said
    # A deaf emulation answers this request alone.
    assert said["ok"] == (request == {"get": "state"})


@given(st.binary(max_size=60) | JSON.map(lambda it: json.dumps(it).encode()))
def test_whatever_is_read_is_a_request_or_refused(line: bytes) -> None:
    try:
        control.read(line)
    except control.RefusedError as error:
        assert str(error).startswith("not JSON: ")  # noqa: PT017 - a valid request raises no error


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    with closing(control.Control(tmp_path / "control", deaf(), lambda: STATE)):
        yield tmp_path / "control"


def connected(path: Path) -> socket.socket:
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(10)
    line.connect(str(path))
    return line


def ask(line: socket.socket, octets: bytes) -> Any:  # noqa: ANN401 - JSON
    line.sendall(octets)
    with line.makefile("rb") as said:
        return json.loads(said.readline())


def test_who_hangs_up_in_the_middle_is_nobody_elses_trouble(
    path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for octets in (b'{"get": "state"}\n', b'{"get": "sta', b'{"get": "state"}\n' * 100, b""):
        with connected(path) as line:
            line.sendall(octets)
    with connected(path) as line:
        assert ask(line, b'{"get": "state"}\n')["state"] == STATE
    time.sleep(0.1)
    assert capfd.readouterr() == ("", "")


def test_a_request_that_is_too_long_is_refused_once_and_the_next_one_answered(path: Path) -> None:
    with connected(path) as line:
        said = ask(line, b"[" * 200_000 + b"\n")
        assert said == {"ok": False, "error": "the request is too long; allowed are 65536 octets"}
        assert ask(line, b'{"get": "state"}\n')["ok"]
        # A request of the greatest length is answered.
        assert ask(line, b'{"get": "state"}'.ljust(control.LONGEST - 1) + b"\n")["ok"]


def test_there_are_only_so_many_connections_and_threads(path: Path) -> None:
    before = threading.active_count()
    lines = [connected(path) for _ in range(control.MOST)]
    try:
        for line in lines:
            assert ask(line, b"1\n")["error"].startswith("unknown request")
        for _ in range(20):
            with connected(path) as line, line.makefile("rb") as said:
                told = json.loads(said.readline())
                error = "64 connections are open; allowed are 64; close one"
                assert told == {"ok": False, "error": error}
                assert said.readline() == b""
        assert threading.active_count() <= before + control.MOST
        # A closed connection makes room for another.
        lines.pop().close()
        for _ in range(100):
            with connected(path) as line, line.makefile("rb") as said:
                line.settimeout(0.1)
                try:
                    said.readline()
                except TimeoutError:
                    break
            time.sleep(0.01)
        else:
            raise AssertionError("there is no room again")
    finally:
        for line in lines:
            line.close()

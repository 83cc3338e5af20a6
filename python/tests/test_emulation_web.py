"""Tests of the live picture of an emulation: its server with right and wrong requests, and its options."""

from __future__ import annotations

import http.client
import itertools
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from airfair import Emulation, OptionError
from airfair.cli import main
from airfair.emulation import broadcast, control, web
from emulations import CELL

PAGE = b"<title>a page</title>"
ABOUT = {"title": "A cell", "cells": ["home"]}


class Quiet:
    """Emulation whose state counts up, and whose station `a` may be set to 6 Mb/s."""

    def __init__(self) -> None:
        self.numbers = itertools.count()
        self.nodes: list[dict[str, Any]] = []
        self.rates: list[tuple[str, str, float]] = []
        self.is_over = False

    def view(self) -> str:
        if self.is_over:
            raise RuntimeError("the emulation is over")
        return json.dumps({"elapsed_s": next(self.numbers)})

    def set_rate(self, station: str, direction: str, rate: float) -> None:
        if (station, rate) != ("a", 6e6):
            raise ValueError(f"{station}: no such station or rate")
        self.rates.append((station, direction, rate))


class Served:
    """Server of a live picture, and requests to it."""

    def __init__(self, emulation: Quiet, server: web.Web, listener: web.Listener) -> None:
        self.emulation, self.server, self.url = emulation, server, listener.url
        self.port, self.token = listener.socket.getsockname()[1], listener.token

    def ask(
        self, method: str, place: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and body of the answer to a request; `place` is the path behind the token."""
        return self.raw(method, f"/{self.token}/{place}", body, headers)

    def raw(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, dict[str, str], str]:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)) as line:
            line.request(method, path, body, headers or {})
            answer = line.getresponse()
            return answer.status, dict(answer.headers), answer.read().decode()

    def change(self, body: object, **headers: str) -> tuple[int, dict[str, Any]]:
        """Status and content of the answer to a request for a change."""
        octets = body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = {"Content-Type": "application/json", **headers}
        status, _, text = self.ask("POST", "set", octets, **kind)
        return status, json.loads(text)

    @contextmanager
    def events(self) -> Iterator[Iterator[tuple[str, Any]]]:
        """Events of the stream, as pairs of a kind and a document."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)) as line:
            line.request("GET", f"/{self.token}/stream")
            answer = line.getresponse()
            assert answer.headers["Content-Type"] == "text/event-stream"
            yield read_events(answer)


def received(line: socket.socket) -> bytes:
    """All that the other end sends until it closes."""
    return b"".join(iter(lambda: line.recv(4096), b""))


def read_events(answer: http.client.HTTPResponse) -> Iterator[tuple[str, Any]]:
    while kind := answer.readline().decode():
        text = answer.readline().decode().removeprefix("data: ")
        assert answer.readline() == b"\n"
        yield kind.removeprefix("event: ").strip(), json.loads(text) if text.strip() else None


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cell.html"
    path.write_bytes(PAGE)
    monkeypatch.setattr(web, "PAGE", path)
    return path


@pytest.fixture
def served(page: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    del page
    monkeypatch.setattr(broadcast, "STEP_S", 0.01)
    emulation, listener = Quiet(), web.listen("0")
    used: Any = emulation
    with closing(listener.socket):
        server = web.Web(listener, ABOUT, used, lambda: {"elapsed_s": -1})
        with closing(server):
            yield Served(emulation, server, listener)


def test_the_page_and_the_state_are_behind_the_token(served: Served) -> None:
    assert served.url == f"http://127.0.0.1:{served.port}/{served.token}/"
    status, headers, text = served.ask("GET", "")
    assert (status, text) == (200, PAGE.decode())
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert headers["Cache-Control"] == "no-store"
    assert json.loads(served.ask("GET", "state")[2]) == {"elapsed_s": -1}
    status, headers, _ = served.raw("GET", f"/{served.token}")
    assert (status, headers["Location"]) == (301, f"/{served.token}/")


@pytest.mark.parametrize(
    "path", ["/", "/wrong/", "/wrong/state", "/wrong/stream", "//state", "/%00/"]
)
def test_without_the_token_there_is_nothing(served: Served, path: str) -> None:
    status, headers, text = served.raw("GET", path)
    assert status == 403
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    assert text.startswith(
        "The token in the address is missing or wrong: open the address that airfair"
    )
    assert served.token not in text


def test_a_token_is_of_one_emulation(page: Path) -> None:
    del page
    tokens = set()
    for _ in range(3):
        listener = web.listen("0")
        listener.socket.close()
        tokens.add(listener.token)
    assert len(tokens) == 3
    assert min(map(len, tokens)) >= 20


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:9000", "localhost:8080", "LOCALHOST"])
def test_this_machine_has_several_names(served: Served, host: str) -> None:
    assert served.ask("GET", "", Host=host)[0] == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "["])
def test_a_page_of_another_site_has_no_access(served: Served, host: str) -> None:
    status, _, text = served.ask("GET", "", Host=host)
    assert status == 403
    assert text == f"Host: found {host}; allowed are 127.0.0.1 and localhost.\n"
    origin = f"http://{host}"
    request = {"set": "rate", "station": "a", "value": "6 Mb/s"}
    status, said = served.change(request, Origin=origin)
    assert (status, said["ok"]) == (403, False)
    assert said["error"] == f"Origin: found {origin}; allowed are 127.0.0.1 and localhost."
    assert served.emulation.rates == []


def test_a_request_without_a_host_is_refused(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.port), 10) as line:
        line.sendall(f"GET /{served.token}/ HTTP/1.0\r\n\r\n".encode())
        said = received(line)
    assert said.startswith(b"HTTP/1.0 403 ")
    assert said.endswith(b"Host: found nothing; allowed are 127.0.0.1 and localhost.\n")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "HEAD", "OPTIONS", "BREW"])
def test_other_methods_are_refused(served: Served, method: str) -> None:
    status, _, text = served.ask(method, "")
    assert status == 405
    assert method == "HEAD" or text == f"{method}: allowed are GET and POST.\n"


def test_only_post_changes_the_cell(served: Served) -> None:
    status, headers, text = served.ask("GET", "set?set=rate")
    assert (status, headers["Allow"], text) == (405, "POST", "GET: allowed is POST.\n")
    status, headers, text = served.ask("POST", "state", b"{}")
    assert (status, headers["Allow"]) == (405, "GET")
    assert json.loads(text) == {"ok": False, "error": "POST: allowed is GET."}
    status, _, text = served.ask("GET", "moon")
    assert status == 404
    assert text == "/moon: not found; allowed are /, /state, /stream and /set.\n"


def test_a_change_acts_on_the_emulation(served: Served) -> None:
    origin = f"http://127.0.0.1:{served.port}"
    request = {"set": "rate", "station": "a", "value": "6000000 b/s"}
    assert served.change(request, Origin=origin) == (200, {"ok": True})
    assert served.emulation.rates == [("a", "both", 6e6)]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (
            {"set": "rate", "station": "b", "value": "6 Mb/s"},
            'set = "rate": b: no such station or rate',
        ),
        ({"set": "rate", "station": "a"}, 'set = "rate": the key "value" is missing'),
        ({"set": "moon"}, "unknown request; allowed are"),
        (b"", "not JSON: Expecting value"),
        (b"\xff", "not JSON: 'utf-8' codec"),
        (b"[" * 60_000, "not JSON: nested too deeply"),
        (b"[1,", "not JSON: "),
    ],
)
def test_a_wrong_change_is_told_where_and_why(served: Served, body: object, error: str) -> None:
    status, said = served.change(body)
    assert (status, said["ok"]) == (400, False)
    assert said["error"].startswith(error)


def test_a_body_has_a_kind_and_a_length(served: Served) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        status, _, text = served.ask("POST", "set", b"{}", **{"Content-Type": kind})
        assert status == 415
        assert "allowed is application/json" in json.loads(text)["error"]
    status, said = served.change(b" " * (control.LONGEST + 1))
    assert status == 413
    assert said["error"] == "Content-Length: found 65537; allowed are 65536 octets."
    for length in ("-1", "1_0", "٣", "9" * 400, "many"):
        head = f"POST /{served.token}/set HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        with socket.create_connection(("127.0.0.1", served.port), 10) as line:
            line.sendall(f"{head}Content-Length: {length}\r\n\r\n".encode())
            answer = received(line)
        assert b" 411 " in answer.partition(b"\n")[0], length
        assert b"Content-Length: missing or no whole number." in answer


@pytest.mark.parametrize(
    "octets",
    [
        b"\r\n\r\n",
        b"soon\r\n\r\n",
        b"GET / HTTP/9\r\n\r\n",
        b"GET http://[/ HTTP/1.0\r\nHost: localhost\r\n\r\n",
        b"GET /\xc3\xa9/ HTTP/1.0\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\xff\n",
        b"G" * 70_000,
    ],
)
def test_what_is_no_http_is_refused_and_prints_nothing(
    served: Served, octets: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_connection(("127.0.0.1", served.port), 10) as line:
        line.sendall(octets)
        line.shutdown(socket.SHUT_WR)
        said = b""
        with suppress(ConnectionResetError):  # the server has closed before it has read all
            said = received(line)
    assert served.token.encode() not in said
    assert served.ask("GET", "")[0] == 200
    assert capfd.readouterr() == ("", "")


def test_the_stream_has_the_cell_and_then_each_new_state(served: Served) -> None:
    with served.events() as events:
        assert next(events) == ("about", ABOUT)
        found = list(itertools.islice(events, 5))
    assert {kind for kind, _ in found} == {"state"}
    times = [state["elapsed_s"] for _, state in found]
    assert times == sorted(set(times))


def test_who_comes_later_gets_the_last_minute_first(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "STEP_S", 0.001)
    while next(served.emulation.numbers) < 100 * broadcast.KEPT_EVERY:
        time.sleep(0.01)
    with served.events() as events:
        next(events)
        past = [state["elapsed_s"] for _, state in itertools.islice(events, broadcast.KEPT)]
    assert past == sorted(set(past))
    assert past[-1] - past[0] >= (broadcast.KEPT - 2) * broadcast.KEPT_EVERY


def test_the_end_of_the_emulation_ends_the_stream(served: Served) -> None:
    with served.events() as events:
        next(events)
        next(events)
        served.emulation.is_over = True
        threading.Timer(0.1, lambda: served.server.close('{"valid": true}')).start()
        *_, last = events
    assert last == ("end", {"valid": True})


def test_an_emulation_that_fails_ends_the_stream_too(served: Served) -> None:
    with served.events() as events:
        next(events)
        threading.Timer(0.1, served.server.close).start()
        *_, last = events
    assert last == ("end", None)


def test_there_are_only_so_many_connections(served: Served) -> None:
    lines = [socket.create_connection(("127.0.0.1", served.port), 10) for _ in range(web.MOST)]
    try:
        with socket.create_connection(("127.0.0.1", served.port), 10) as line:
            said = received(line)
        assert said.startswith(b"HTTP/1.0 503 ")
        assert said.endswith(b"32 connections are open; allowed are 32; close a page\n")
    finally:
        for line in lines:
            line.close()
    for _ in range(100):
        with suppress(ConnectionError):
            if served.ask("GET", "")[0] == 200:
                break
        time.sleep(0.01)
    else:
        raise AssertionError("there is no room again")


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize("port", ["soon", "-1", "65536", "99999999", "8080.5", "", "٣"])
def test_a_port_is_a_number(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["emulate", "one-slow-station", f"--web={port}"]) == 2
    said = capsys.readouterr().err
    assert said == f"airfair: --web {port}: allowed is a port from 0 to 65535; 0 takes a free one\n"


@pytest.mark.usefixtures("page")
def test_a_port_that_is_taken_is_told_before_anything_is_set_up(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["emulate", "one-slow-station", "--web", str(port)]) == 2
    said = capsys.readouterr().err
    assert (
        said
        == f"airfair: --web {port}: Address already in use; name another port, or 0 for a free one\n"
    )


def test_a_build_without_the_page_says_so(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page.unlink()
    assert main(["emulate", "one-slow-station", "--web", "0"]) == 2
    said = capsys.readouterr().err
    assert (
        "--web 0: the page is not part of this build of airfair; build it in a clone with `make web`"
        in said
    )


def test_radios_of_the_kernel_have_no_picture(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["emulate", "one-slow-station", "--backend", "hwsim", "--web", "0"]) == 2
    assert "--backend hwsim: --web is not allowed, because" in capsys.readouterr().err


@pytest.mark.parametrize("port", [-1, 65_536, True, 80.0, "80"])
def test_a_port_in_python_is_a_number(port: Any) -> None:  # noqa: ANN401 - wrong on purpose
    with pytest.raises(OptionError, match="allowed is a port from 0 to 65535; 0 takes a free one"):
        Emulation(CELL, web=port)

"""Page with a live picture of an emulation, on 127.0.0.1 alone.

The URL has a random token. Requests without it are refused, because any program and any user of this machine
can connect to the port. The name in `Host` is checked as well: a page of another site may have its own name
resolved to 127.0.0.1.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from airfair import _core

from . import control
from .broadcast import Broadcast
from .connections import Limited

if TYPE_CHECKING:
    from .control import State

PAGE = Path(__file__).resolve().parents[1] / "cell.html"
"""Path of the page, which `make web` builds."""
ADDRESS = "127.0.0.1"
HOSTS = (ADDRESS, "localhost")
"""Allowed names of this machine in requests; their port may be that of a tunnel."""
LARGEST_PORT = 65_535
MOST = 32
"""Largest number of connections at a time; each open page has one."""
PATIENCE_S = 10
"""Longest wait for a client to send its request, or to take an answer [s]."""
POLL_S = 0.1
"""Time between two looks of the server at the end [s]."""
MOST_IGNORED = 1_000_000
"""Number of octets of a refused body that are read, so that the client reads the answer [octets]."""
SAID = "live picture: "
"""First words of the line with the URL."""


class WebError(Exception):
    """Raised if the page cannot be served; the message has the port, and what is allowed."""


@dataclass(frozen=True)
class Listener:
    """Socket that already accepts connections, with what is served on it."""

    socket: socket.socket
    page: bytes
    token: str

    @property
    def url(self) -> str:
        """URL of the page, with the token."""
        return f"http://{ADDRESS}:{self.socket.getsockname()[1]}/{self.token}/"


def port_number(text: str) -> int:
    """Number of a port; raises `WebError`."""
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(LARGEST_PORT))) or (
        int(text) > LARGEST_PORT
    ):
        raise WebError(f"{text}: allowed is a port from 0 to {LARGEST_PORT}; 0 takes a free one")
    return int(text)


def listen(text: str) -> Listener:
    """Listener on a port, 0 for a free one, whose socket the caller closes; raises `WebError`."""
    port = port_number(text)
    try:
        page = PAGE.read_bytes()
    except FileNotFoundError:
        raise WebError(
            f"{text}: the page is not part of this build of airfair; build it in a clone with `make web`"
        ) from None
    try:
        opened = socket.create_server((ADDRESS, port))
    except OSError as error:
        # The words of `error` repeat the address.
        why = os.strerror(error.errno) if error.errno else str(error)
        raise WebError(f"{text}: {why}; name another port, or 0 for a free one") from error
    return Listener(opened, page, secrets.token_urlsafe(16))


class RefusedError(Exception):
    """Raised for a request that is refused, with its status and a sentence."""

    def __init__(self, status: HTTPStatus, why: str, **headers: str) -> None:
        super().__init__(why)
        self.status, self.why, self.headers = status, why, headers


class Web:
    """Server of the page, its stream of states, and changes of the emulation, until it is closed.

    `about` describes the emulation; the page gets it before the states.
    """

    def __init__(
        self,
        listener: Listener,
        about: dict[str, Any],
        emulation: _core.Emulation,
        state: State,
    ) -> None:
        self._broadcast = broadcast = Broadcast(emulation.view)

        class Conversation(_Conversation):
            def _of_page(self) -> None:
                self._send(HTTPStatus.OK, "text/html; charset=utf-8", listener.page)

            def _of_state(self) -> None:
                self._send_json(HTTPStatus.OK, state())

            def _of_stream(self) -> None:
                self._begin(HTTPStatus.OK, "text/event-stream")
                self._event("about", json.dumps(about))
                for kind, text in broadcast.follow():
                    self._event(kind, text)

            def _of_change(self, body: bytes) -> None:
                try:
                    said = control.answer(control.read(body), emulation, state)
                except control.RefusedError as error:
                    said = {"ok": False, "error": str(error)}
                self._send_json(HTTPStatus.OK if said["ok"] else HTTPStatus.BAD_REQUEST, said)

        self._server = _Server(listener, Conversation)
        serve = partial(self._server.serve_forever, POLL_S)
        self._thread = threading.Thread(target=serve, daemon=True)
        self._thread.start()

    def close(self, last: str = "") -> None:
        """Send the last state of the emulation, if any, to all pages, and stop."""
        self._broadcast.close(last)
        self._server.shutdown()
        self._server.server_close()


class _Server(Limited, HTTPServer):
    """Server on a socket that already listens."""

    def __init__(self, listener: Listener, conversation: type[_Conversation]) -> None:
        self.token = listener.token
        said = f"{MOST} connections are open; allowed are {MOST}; close a page\n".encode()
        head = f"HTTP/1.0 503 Service Unavailable\r\nContent-Length: {len(said)}\r\n\r\n"
        super().__init__(
            MOST, head.encode() + said, (ADDRESS, 0), conversation, bind_and_activate=False
        )
        self.socket.close()
        self.socket = listener.socket.dup()
        self.server_address = self.socket.getsockname()


class _Conversation(BaseHTTPRequestHandler):
    """One request and its answer."""

    server: _Server
    timeout = PATIENCE_S
    server_version, sys_version = "airfair", ""

    def do_GET(self) -> None:
        """Answer a request for the page or its data."""
        self._handle({"": self._of_page, "state": self._of_state, "stream": self._of_stream})

    def do_POST(self) -> None:
        """Answer a request for a change."""
        self._handle({"set": lambda: self._of_change(self._body())})

    def _of_page(self) -> None:
        raise NotImplementedError

    def _of_state(self) -> None:
        raise NotImplementedError

    def _of_stream(self) -> None:
        raise NotImplementedError

    def _of_change(self, body: bytes) -> None:
        raise NotImplementedError

    def _handle(self, answers: dict[str, Any]) -> None:
        try:
            name = self._place()
            if name not in answers:
                self._refuse_place(name)
            answers[name]()
        except RefusedError as error:
            self._ignore_body()
            self._say(error.status, error.why, error.headers)

    def _place(self) -> str:
        """Place behind the token in the path; raises `RefusedError` if the request is not admitted."""
        self._check_name("Host", self.headers.get_all("Host", []), required=True)
        self._check_name("Origin", self.headers.get_all("Origin", []), required=False)
        token, slash, name = self.path.partition("?")[0].removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise RefusedError(
                HTTPStatus.FORBIDDEN,
                "The token in the address is missing or wrong: open the address that airfair has printed. "
                "Each emulation has an address of its own.",
            )
        if not slash:
            raise RefusedError(
                HTTPStatus.MOVED_PERMANENTLY,
                "The page is one slash further.",
                Location=f"/{token}/",
            )
        return name

    @staticmethod
    def _check_name(header: str, found: list[str], *, required: bool) -> None:
        """Raise `RefusedError` if a header has another name than those of this machine."""
        if not found and not required:
            return
        text = found[0] if len(found) == 1 else ""
        try:
            name = urlsplit(text if "//" in text else f"//{text}").hostname
        except ValueError:
            name = None
        if name not in HOSTS:
            told = ", ".join(found) or "nothing"
            raise RefusedError(
                HTTPStatus.FORBIDDEN, f"{header}: found {told}; allowed are {' and '.join(HOSTS)}."
            )

    def _refuse_place(self, name: str) -> None:
        places = {"": "GET", "state": "GET", "stream": "GET", "set": "POST"}
        if name in places:
            raise RefusedError(
                HTTPStatus.METHOD_NOT_ALLOWED,
                f"{self.command}: allowed is {places[name]}.",
                Allow=places[name],
            )
        raise RefusedError(
            HTTPStatus.NOT_FOUND, f"/{name}: not found; allowed are /, /state, /stream and /set."
        )

    def _body(self) -> bytes:
        kind = self.headers.get_content_type()
        if kind != "application/json":
            raise RefusedError(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                f"Content-Type: found {kind}; allowed is application/json.",
            )
        length = self._length()
        if length is None:
            raise RefusedError(
                HTTPStatus.LENGTH_REQUIRED, "Content-Length: missing or no whole number."
            )
        if length > control.LONGEST:
            raise RefusedError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"Content-Length: found {length}; allowed are {control.LONGEST} octets.",
            )
        self._taken = True
        return self.rfile.read(length)

    def _length(self) -> int | None:
        text = self.headers.get("Content-Length", "")
        is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(2**64))
        return int(text) if is_number else None

    _taken = False

    def _ignore_body(self) -> None:
        """Read the body of a refused request: a client that still sends would not see the answer."""
        if not self._taken:
            self.rfile.read(min(self._length() or 0, MOST_IGNORED))

    def _say(self, status: HTTPStatus, why: str, headers: dict[str, str]) -> None:
        """Send a sentence: as JSON to a program that asks for a change, else as plain text."""
        if self.command == "POST":
            self._send_json(status, {"ok": False, "error": why}, headers)
        else:
            self._send(status, "text/plain; charset=utf-8", f"{why}\n".encode(), headers)

    def _send_json(
        self, status: HTTPStatus, content: dict[str, Any], headers: dict[str, str] | None = None
    ) -> None:
        self._send(status, "application/json", json.dumps(content).encode(), headers)

    def _send(
        self, status: HTTPStatus, kind: str, body: bytes, headers: dict[str, str] | None = None
    ) -> None:
        self._begin(status, kind, {"Content-Length": str(len(body)), **(headers or {})})
        if self.command != "HEAD":
            self.wfile.write(body)

    def _begin(self, status: HTTPStatus, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        security = {
            # The address has the token: no other site may learn it, embed the page, or keep it.
            "Referrer-Policy": "no-referrer",
            "Content-Security-Policy": "frame-ancestors 'none'",
            "Cross-Origin-Resource-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        }
        for key, value in {"Content-Type": kind, **(headers or {}), **security}.items():
            self.send_header(key, value)
        self.end_headers()

    def _event(self, kind: str, text: str) -> None:
        self.wfile.write(f"event: {kind}\ndata: {text}\n\n".encode())

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a request that is no HTTP, or that has another method."""
        del explain
        status = HTTPStatus(code)
        if status is HTTPStatus.NOT_IMPLEMENTED:
            status, message = (
                HTTPStatus.METHOD_NOT_ALLOWED,
                f"{self.command}: allowed are GET and POST.",
            )
        # A request line that cannot be read has set neither of these.
        self.command = self.command or ""
        if not hasattr(self, "request_version") or self.request_version == "HTTP/0.9":
            self.request_version = "HTTP/1.0"
        self._say(status, message or status.phrase, {})
        self.close_connection = True

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002, ANN401 - as inherited
        """Print nothing: the terminal is that of the emulation."""

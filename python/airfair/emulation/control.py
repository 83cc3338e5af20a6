"""The control socket of an emulation: JSON, a line per request and a line per answer."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from airfair import _core
from airfair.scenario import toml_value

LONGEST = 65_536
"""Octets of a request."""

ALLOWED = (
    'allowed are {"get": "state"} and {"set": "rate" | "errors" | "weights" | "queue", …}: '
    "docs/emulator.md"
)

State = Callable[[], dict[str, Any]]


def answer(request: object, emulation: _core.Emulation, state: State) -> dict[str, Any]:
    """Do what a request says."""
    try:
        match request:
            case {"get": "state"}:
                return {"ok": True, "state": state()}
            case {"set": "rate", "station": str(station), "value": str(value), **more}:
                direction = str(more.get("direction", "both"))
                emulation.set_rate(station, direction, _core.quantity(value, "rate"))
            case {"set": "errors", "station": str(station), "value": int() | float() as value}:
                emulation.set_errors(station, float(value))
            case {"set": "queue", "cell": str(cell), "value": dict(value)}:
                emulation.set_queue(cell, toml_value(value))
            case {"set": "weights", "cell": str(cell), "data": int(data), "acks": int(acks)}:
                emulation.set_weights(cell, data, acks)
            case _:
                return {"ok": False, "error": ALLOWED}
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        return {"ok": False, "error": str(error)}
    return {"ok": True}


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False


class Control:
    """The control socket, until it is closed."""

    def __init__(self, path: Path, emulation: _core.Emulation, state: State) -> None:
        class Conversation(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                while line := self.rfile.readline(LONGEST):
                    try:
                        request = json.loads(line)
                    except ValueError as error:
                        said: dict[str, Any] = {"ok": False, "error": f"not JSON: {error}"}
                    else:
                        said = answer(request, emulation, state)
                    self.wfile.write(json.dumps(said).encode() + b"\n")

        self._server = _Server(str(path), Conversation)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take no more requests."""
        self._server.shutdown()
        self._server.server_close()

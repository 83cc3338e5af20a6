"""Control socket of an emulation. Each request and each answer is one line of JSON."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from airfair import _core
from airfair.names import did_you_mean, short
from airfair.scenario import toml_value

from .connections import Limited

LONGEST = 65_536
"""Largest size of a request with its line end [octets]."""
MOST = 64
"""Largest number of connections at a time."""

ALLOWED = (
    'unknown request; allowed are {"get": "state"} and {"set": "rate" | "errors" | "weights" | "queue", …} '
    "(docs/emulator.md)"
)
_KEYS = {
    "rate": ("station", "direction", "value"),
    "errors": ("station", "value"),
    "weights": ("cell", "data", "acks"),
    "queue": ("cell", "value"),
}
"""Keys of each request `set`, by its value."""
_OPTIONAL = {"direction": "both"}
_LARGEST_WEIGHT = 2**32 - 1
_SHOWN = 40
"""Largest width of a value in an error message [columns]."""

State = Callable[[], dict[str, Any]]


class RefusedError(ValueError):
    """Raised for a wrong request; the message has the key, the value found and the allowed values."""


def answer(request: object, emulation: _core.Emulation, state: State) -> dict[str, Any]:
    """Execute a request and return its answer."""
    try:
        if request == {"get": "state"}:
            return {"ok": True, "state": state()}
        if not isinstance(request, dict) or request.get("set") not in list(_KEYS):
            return {"ok": False, "error": ALLOWED}
        _set(request, emulation)
    except RecursionError:
        return {"ok": False, "error": "the request is nested too deeply"}
    except (TypeError, ValueError, RuntimeError) as error:
        return {"ok": False, "error": str(error)}
    return {"ok": True}


def _set(request: dict[str, Any], emulation: _core.Emulation) -> None:
    """Execute a request `set`; raises `RefusedError` if it is wrong or the emulation refuses it."""
    what = str(request["set"])
    keys = _KEYS[what]
    for key in request:
        if key != "set" and key not in keys:
            raise RefusedError(
                f'set = "{what}": unknown key {_shown(key)}{did_you_mean(key, keys)}'
            )
    given = {**_OPTIONAL, **request}
    for key in keys:
        if key not in given:
            raise RefusedError(f'set = "{what}": the key "{key}" is missing')
    try:
        _SETTERS[what](given, emulation)
    except RefusedError:
        raise
    except ValueError as error:
        raise RefusedError(f'set = "{what}": {error}') from error


def _set_rate(given: dict[str, Any], emulation: _core.Emulation) -> None:
    rate = _core.quantity(_text(given, "value", "a rate, for example 11 Mb/s"), "rate")
    direction = _text(given, "direction", "up, down or both")
    station = _text(given, "station", "a name")
    try:
        emulation.set_rate(station, direction, rate)
    except ValueError:
        rates = {node["name"]: node["rates_bps"] for node in emulation.nodes}.get(station)
        if rates and round(rate) not in rates:
            # Rounded as in the tables of the standard, which requests may use.
            allowed = ", ".join(f"{round(bps / 1e6, 1):g}" for bps in rates)
            _refuse(given, "value", f"allowed for {station} are {allowed} Mb/s")
        raise


def _set_errors(given: dict[str, Any], emulation: _core.Emulation) -> None:
    value = given["value"]
    if not _is_number(value) or not 0 <= value <= 1:
        _refuse(given, "value", "allowed is a probability from 0 to 1")
    emulation.set_errors(_text(given, "station", "a name"), float(value))


def _set_weights(given: dict[str, Any], emulation: _core.Emulation) -> None:
    data, acks = (_weight(given, key) for key in ("data", "acks"))
    emulation.set_weights(_text(given, "cell", "a name"), data, acks)


def _set_queue(given: dict[str, Any], emulation: _core.Emulation) -> None:
    if not isinstance(given["value"], dict):
        _refuse(given, "value", "allowed are the keys of ap.queue in a scenario")
    emulation.set_queue(_text(given, "cell", "a name"), toml_value(given["value"]))


_SETTERS = {
    "rate": _set_rate,
    "errors": _set_errors,
    "weights": _set_weights,
    "queue": _set_queue,
}


def _text(given: dict[str, Any], key: str, what: str) -> str:
    value = given[key]
    if not isinstance(value, str):
        _refuse(given, key, f"allowed is text: {what}")
    return value


def _weight(given: dict[str, Any], key: str) -> int:
    value = given[key]
    if not _is_number(value) or not 1 <= value <= _LARGEST_WEIGHT or value != int(value):
        _refuse(given, key, f"allowed is a whole number from 1 to {_LARGEST_WEIGHT}")
    return int(value)


def _is_number(value: object) -> bool:
    """True for a number, but not for JSON's `true` and `false`, which Python counts as integers."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _refuse(given: dict[str, Any], key: str, why: str) -> NoReturn:
    raise RefusedError(f"{key} = {_shown(given[key])}: {why}")


def _shown(value: object) -> str:
    return short(json.dumps(value, ensure_ascii=False), _SHOWN)


def read(line: bytes) -> Any:  # noqa: ANN401 - JSON
    """Request from a line of JSON; raises `RefusedError` if the line is invalid."""

    def constant(name: str) -> NoReturn:
        raise ValueError(f"{name} is not a number in JSON")

    try:
        request = json.loads(line, parse_constant=constant)
        # JSON can contain a lone surrogate, which is not valid text; encoding it raises `ValueError`.
        json.dumps(request, ensure_ascii=False).encode()
    except RecursionError:
        raise RefusedError("not JSON: nested too deeply") from None
    except ValueError as error:
        raise RefusedError(f"not JSON: {error}") from error
    return request


class _Server(Limited, socketserver.UnixStreamServer):
    """Server on the control socket."""

    request_queue_size = MOST


def _line(said: dict[str, Any]) -> bytes:
    return json.dumps(said).encode() + b"\n"


class Control:
    """Server on the control socket; runs in a thread until it is closed."""

    def __init__(self, path: Path, emulation: _core.Emulation, state: State) -> None:
        class Conversation(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                while line := self.rfile.readline(LONGEST):
                    self.wfile.write(_line(self._said(line)))

            def _said(self, line: bytes) -> dict[str, Any]:
                if len(line) == LONGEST and not line.endswith(b"\n"):
                    while line and not line.endswith(b"\n"):
                        line = self.rfile.readline(LONGEST)
                    return {
                        "ok": False,
                        "error": f"the request is too long; allowed are {LONGEST} octets",
                    }
                try:
                    request = read(line)
                except RefusedError as error:
                    return {"ok": False, "error": str(error)}
                return answer(request, emulation, state)

        said = f"{MOST} connections are open; allowed are {MOST}; close one"
        refusal = _line({"ok": False, "error": said})
        self._server = _Server(MOST, refusal, str(path), Conversation)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop accepting connections, and close the socket."""
        self._server.shutdown()
        self._server.server_close()

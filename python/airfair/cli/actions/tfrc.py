"""Action of `airfair tfrc`: sends or receives a TFRC flow, and prints its state."""

from __future__ import annotations

import json
import secrets
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from airfair import _core, json_documents
from airfair.cli.status import DONE, FAILED, INTERRUPTED, InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    State = dict[str, Any]
    Report = Callable[[float, State], None]
    Outcome = dict[str, Any]

WIDTH = 79
"""Width of the live line [columns]."""

QUIET = 2.0
"""Time without a packet or report after which the live line shows it [s]."""

UNITS = {"duration_s": "s", "rtt_ms": "ms", "bytes_sent": "B", "bytes_received": "B"}

NAMES = {
    "rate_bps": "rate",
    "rtt_ms": "round trip",
    "unsent": "refused by network",
    "network_error": "last network error",
    "feedbacks": "reports received",
    "overtaken": "reports out of order",
    "no_feedback_timeouts": "no-feedback timeouts",
    "feedbacks_sent": "reports sent",
    "loss_event_rate": "loss event rate",
    "lost": "packets lost",
    "late": "of those, arrived late",
    "refused": "refused datagrams",
}
"""Names in the text of values whose name differs from the key in the document."""


def main(arguments: argparse.Namespace) -> int:
    """Send or receive until the duration is over or Ctrl-C; print the result and return the exit status."""
    duration = _quantity("--duration", arguments.duration, "time")
    report = _live_line(arguments.end, arguments.address) if sys.stderr.isatty() else None
    try:
        if arguments.end == "send":
            outcome = _send(arguments, duration, report)
        else:
            outcome = _receive(arguments, duration, report)
    except (ValueError, OSError) as problem:
        raise InputError(str(problem)) from problem
    if report is not None:
        _write("\n")
    error = _failure(arguments, outcome)
    sys.stdout.write(_document(arguments, outcome, error) if arguments.json else _text(outcome))
    sys.stdout.flush()
    if error is not None:
        _write(f"airfair: {error}\n")
    # Without a duration, Ctrl-C is the usual end and no failure.
    if outcome["interrupted"] and duration is not None:
        return INTERRUPTED
    return DONE if error is None else FAILED


def _send(arguments: argparse.Namespace, duration: float | None, report: Report | None) -> Outcome:
    rate = _quantity("--rate", arguments.rate, "rate")
    largest = _quantity("--max-rate", arguments.max_rate, "rate") or 0
    segment = _quantity("--segment", arguments.segment, "size")
    if rate is not None and rate > largest:
        raise InputError(
            f"--rate {arguments.rate}: allowed is up to --max-rate {arguments.max_rate}"
        )
    return _core.tfrc_send(
        arguments.address,
        profile=arguments.profile,
        segment=int(segment or 0),
        ssrc=secrets.randbits(32),
        max_rate_bps=int(largest),
        rate_bps=None if rate is None else int(rate),
        duration_s=duration,
        limits=arguments.limits,
        report=report,
    )


def _receive(
    arguments: argparse.Namespace, duration: float | None, report: Report | None
) -> Outcome:
    address = arguments.address
    if ":" not in address:
        address = f"0.0.0.0:{address}"
    return _core.tfrc_receive(
        address,
        profile=arguments.profile,
        reporter=secrets.randbits(32),
        duration_s=duration,
        report=report,
    )


def _quantity(option: str, text: str | None, dimension: str) -> float | None:
    if text is None:
        return None
    try:
        return _core.quantity(text, dimension)
    except ValueError as error:
        raise InputError(f"{option} {text}: {error}") from error


def _failure(arguments: argparse.Namespace, outcome: Outcome) -> str | None:
    """Error message if no receiver has answered; else `None`."""
    if arguments.end == "receive" or outcome["feedbacks"] > 0:
        return None
    why = outcome["network_error"] or "no packets arrived"
    waited = f"{outcome['duration_s']:.1f} s"
    return f"no receiver answered at {arguments.address} within {waited}: {why}"


def _live_line(end: str, address: str) -> Report:
    """Callback that shows the state of the flow in one line on standard error."""
    line = _sending(address) if end == "send" else _receiving

    def show(elapsed: float, state: State) -> None:
        _write(f"\r{f'{elapsed:6.1f} s  {line(state)}'[:WIDTH]:<{WIDTH}}")

    return show


def _sending(address: str) -> Callable[[State], str]:
    def line(state: State) -> str:
        trouble = state["network_error"] or "no packets arrive"
        if not state["answered"]:
            return f"no answer from {address} yet: {trouble}"
        sent, allowed = _megabits(state["rate_bps"]), _megabits(state["allowed_bps"])
        if state["silence_s"] > QUIET:
            return f"sent {sent} Mb/s  no report for {state['silence_s']:.0f} s: {trouble}"
        path = f"RTT {state['rtt_s'] * 1e3:.1f} ms  loss events {_share(state)}"
        return f"sent {sent} of {allowed} Mb/s allowed  {path}"

    return line


def _receiving(state: State) -> str:
    silence = state["silence_s"]
    if silence is None:
        return "no sender yet"
    received = f"received {_megabits(state['rate_bps'])} Mb/s"
    if silence > QUIET:
        return f"{received}  no packets for {silence:.0f} s"
    return f"{received}  lost {state['lost']} packets  loss events {_share(state)}"


def _megabits(rate_bps: float) -> str:
    return f"{rate_bps / 1e6:7.3f}"


def _share(state: State) -> str:
    return f"{state['loss_event_rate']:.3%}"


def _write(text: str) -> None:
    """Write to standard error; errors are ignored, so that they do not prevent the result."""
    with suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _goodput(outcome: Outcome) -> float:
    octets: int = outcome.get("bytes_sent", outcome.get("bytes_received")) or 0
    return octets * 8 / (outcome["duration_s"] or 1)


def _document(arguments: argparse.Namespace, outcome: Outcome, error: str | None) -> str:
    head = {"end": arguments.end, "address": arguments.address, "profile": arguments.profile}
    tail = {"rate_bps": _goodput(outcome), "error": error}
    whole = json_documents.document("tfrc", {**head, **outcome, **tail})
    return json.dumps(whole, indent=2) + "\n"


def _text(outcome: Outcome) -> str:
    rows = {"rate": f"{_goodput(outcome) / 1e6:.3f} Mb/s"}
    for name, value in outcome.items():
        if name == "interrupted" or value is None:
            continue
        if name == "loss_event_rate":
            shown = f"{value:.3%}"
        else:
            shown = f"{value:.4g}" if isinstance(value, float) else f"{value}"
        label = NAMES.get(name, name.removesuffix("_s").replace("_", " "))
        rows[label] = f"{shown} {UNITS.get(name, '')}".rstrip()
    return "".join(f"{name:<22} {value}\n" for name, value in rows.items())

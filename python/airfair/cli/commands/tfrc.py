"""`airfair tfrc`: sends or receives a TFRC flow, and prints its state."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from airfair import json_documents, tfrc
from airfair.cli.output import print_json
from airfair.cli.status import DONE, FAILED, INTERRUPTED, InputError
from airfair.engine import Interrupted
from airfair.errors import OptionError

if TYPE_CHECKING:
    State = dict[str, Any]
    Report = Callable[[float, State], None]
    End = tfrc.Sent | tfrc.Received

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
    report = _live_line(arguments.end, arguments.address) if sys.stderr.isatty() else None
    error, status = None, DONE
    try:
        found = _flow(arguments, report)
    except tfrc.UnansweredError as silence:
        found, error, status = silence.result, str(silence), FAILED
        # Ctrl-C ends a wait with a duration early.
        if found.interrupted and arguments.duration is not None:
            status = INTERRUPTED
    except Interrupted as stop:
        found, status = stop.result, INTERRUPTED
    except OptionError as mistake:
        problems = [one.replace("max_rate", "--max-rate") for one in mistake.problems]
        raise InputError(
            *(one if one.startswith("--") else f"--{one}" for one in problems)
        ) from mistake
    except (ValueError, OSError) as problem:
        raise InputError(str(problem)) from problem
    if report is not None:
        _write("\n")
    if arguments.json:
        print_json(_document(arguments.end, found, error))
    else:
        sys.stdout.write(_text(found))
        sys.stdout.flush()
    if error is not None:
        _write(f"airfair: {error}\n")
    return status


def _flow(arguments: argparse.Namespace, report: Report | None) -> End:
    common = {"duration": arguments.duration, "profile": arguments.profile, "progress": report}
    if arguments.end == "receive":
        return tfrc.receive(arguments.address, **common)
    return tfrc.send(
        arguments.address,
        rate=arguments.rate,
        max_rate=arguments.max_rate,
        segment=arguments.segment,
        limits=arguments.limits,
        **common,
    )


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


def _document(end: str, found: End, error: str | None) -> dict[str, Any]:
    head = {"end": end, "address": found.address, "profile": found.profile}
    tail = {"rate_bps": found.rate_bps, "error": error}
    return json_documents.document("tfrc", {**head, **found.document(), **tail})


def _text(found: End) -> str:
    rows = {"rate": f"{found.rate_bps / 1e6:.3f} Mb/s"}
    for name, value in found.document().items():
        if name == "interrupted" or value is None:
            continue
        if name == "loss_event_rate":
            shown = f"{value:.3%}"
        else:
            shown = f"{value:.4g}" if isinstance(value, float) else f"{value}"
        label = NAMES.get(name, name.removesuffix("_s").replace("_", " "))
        rows[label] = f"{shown} {UNITS.get(name, '')}".rstrip()
    return "".join(f"{name:<22} {value}\n" for name, value in rows.items())

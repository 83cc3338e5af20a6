"""`airfair tfrc`: a TFRC flow between two real hosts."""

from __future__ import annotations

import json
import secrets
import sys
from typing import TYPE_CHECKING

from . import _core
from .cli import DONE, INTERRUPTED, InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    Report = Callable[[float, float, float, float, float], None]
    Outcome = dict[str, float | bool | None]


def main(arguments: argparse.Namespace) -> int:
    """Send or receive until the duration is over or Ctrl-C comes, and tell what became of it."""
    duration = _quantity("--duration", arguments.duration, "time")
    report = _live_line(arguments.end) if sys.stderr.isatty() else None
    try:
        if arguments.end == "send":
            outcome = _send(arguments, duration, report)
        else:
            outcome = _receive(arguments, duration, report)
    except ValueError as error:
        raise InputError(str(error)) from error
    except OSError as error:
        told = str(error)
        if not told.startswith(arguments.address):
            told = f"{arguments.address}: {error.strerror or told}"
        raise InputError(told) from error
    if report is not None:
        sys.stderr.write("\n")
    sys.stdout.write(_document(arguments, outcome) if arguments.json else _text(outcome))
    # Without a duration Ctrl-C is how it ends.
    return INTERRUPTED if outcome["interrupted"] and duration is not None else DONE


def _send(arguments: argparse.Namespace, duration: float | None, report: Report | None) -> Outcome:
    rate = _quantity("--rate", arguments.rate, "rate")
    segment = _quantity("--segment", arguments.segment, "size")
    return _core.tfrc_send(
        arguments.address,
        profile=arguments.profile,
        segment=int(segment or 0),
        ssrc=secrets.randbits(32),
        rate_bps=None if rate is None else int(rate),
        duration_s=duration,
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


def _live_line(end: str) -> Report:
    """Shows the rate on one line of the terminal, a few times per second."""

    def show(elapsed: float, rate: float, rtt: float, p: float, lost: float) -> None:
        tail = f"RTT {rtt * 1e3:6.1f} ms" if end == "send" else f"lost {lost:6.0f}"
        line = f"{elapsed:7.1f} s  {rate / 1e6:8.3f} Mb/s  {tail}  loss events {p:8.2%}"
        sys.stderr.write(f"\r{line}")
        sys.stderr.flush()

    return show


def _goodput(outcome: Outcome) -> float:
    octets = outcome.get("bytes_sent", outcome.get("bytes_received")) or 0
    return octets * 8 / (outcome["duration_s"] or 1)


def _document(arguments: argparse.Namespace, outcome: Outcome) -> str:
    head = {"end": arguments.end, "address": arguments.address, "profile": arguments.profile}
    return json.dumps({**head, **outcome, "rate_bps": _goodput(outcome)}, indent=2) + "\n"


def _text(outcome: Outcome) -> str:
    rows = {"rate": f"{_goodput(outcome) / 1e6:.3f} Mb/s"}
    for name, value in outcome.items():
        if name == "interrupted" or value is None:
            continue
        if name == "loss_event_rate":
            shown = f"{value:.3%}"
        else:
            shown = f"{value:.4g}" if isinstance(value, float) else f"{value}"
        rows[name.replace("_", " ")] = shown
    return "".join(f"{name:<22} {value}\n" for name, value in rows.items())

"""TFRC (RFC 5348) over RTP and UDP between two real hosts: `send` and `receive` a flow.

>>> import airfair
>>> got = airfair.tfrc.receive("5004", duration="10 s")  # doctest: +SKIP
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from . import _core
from .engine import Interrupted
from .errors import OptionError

Profile: TypeAlias = Literal["rfc5348", "rfc3448", "ns-2"]
"""Version of TFRC: an RFC or ns-2's."""
State: TypeAlias = dict[str, Any]
"""Rates, losses and silences of a flow while it goes on."""


@dataclass(frozen=True)
class _End:
    address: str
    profile: Profile
    interrupted: bool
    """True if Ctrl-C ended the flow."""
    duration_s: float

    def document(self) -> dict[str, Any]:
        """Values that the end has measured, by name."""
        whole = asdict(self)
        del whole["address"], whole["profile"]
        return whole


@dataclass(frozen=True)
class Sent(_End):
    """Flow that was sent."""

    packets_sent: int
    bytes_sent: int
    """Octets of payload."""
    unsent: int
    """Packets that the network of this host refused."""
    network_error: str | None
    feedbacks: int
    """Reports of the receiver."""
    overtaken: int
    """Reports that arrived out of order."""
    no_feedback_timeouts: int
    rtt_ms: float | None
    """Smoothed round-trip time; `None` without a report."""
    loss_event_rate: float
    refused: int
    """Datagrams that are no reports for this flow."""

    @property
    def rate_bps(self) -> float:
        """Mean rate of payload [bit/s]."""
        return self.bytes_sent * 8 / (self.duration_s or 1)


@dataclass(frozen=True)
class Received(_End):
    """Flow that was received."""

    senders: int
    """Number of senders, one after the other."""
    packets_received: int
    bytes_received: int
    """Octets of payload."""
    lost: int
    """Packets lost, with those that arrived late."""
    loss_events: int
    loss_event_rate: float
    reordered: int
    late: int
    """Packets that arrived after they were counted as lost."""
    duplicates: int
    feedbacks_sent: int
    unsent: int
    """Reports that the network of this host refused."""
    network_error: str | None
    refused: int
    """Datagrams that are no packets of this flow."""

    @property
    def rate_bps(self) -> float:
        """Mean rate of payload [bit/s]."""
        return self.bytes_received * 8 / (self.duration_s or 1)


class UnansweredError(ConnectionError):
    """Raised if no receiver has answered; `result` is what was sent."""

    def __init__(self, result: Sent) -> None:
        why = result.network_error or "no packets arrived"
        super().__init__(
            f"no receiver answered at {result.address} within {result.duration_s:.1f} s: {why}"
        )
        self.result = result

    def __reduce__(self) -> tuple[type[UnansweredError], tuple[Sent]]:
        return UnansweredError, (self.result,)


def send(  # noqa: PLR0913 - options, each with a default
    address: str,
    *,
    rate: str | None = None,
    max_rate: str = "1 Gb/s",
    segment: str = "1000 B",
    duration: str | None = None,
    profile: Profile = "rfc5348",
    limits: bool = False,
    progress: Callable[[float, State], object] | None = None,
) -> Sent:
    """Send a flow to the receiver at `address`, which is HOST:PORT.

    `rate` is that of the application, by default as much as TFRC allows, and never more than `max_rate`.
    `segment` is the payload of each packet. The flow ends after `duration` or, without one, at Ctrl-C.
    `limits` reads limits of the rate from standard input while sending, one per line: "400 kb/s", or "none".
    `progress` is called with the elapsed time [s] and the state of the flow, several times per second.

    Raises `OptionError` for wrong arguments, `OSError` if the network cannot be used, `UnansweredError` if no
    receiver answers within 10 s, and `Interrupted` if Ctrl-C comes before the end of `duration`; its `result`
    is what was sent.
    """
    seconds = _quantity("duration", duration, "time")
    wanted = _quantity("rate", rate, "rate")
    largest = _quantity("max_rate", max_rate, "rate") or 0
    octets = _quantity("segment", segment, "size") or 0
    if wanted is not None and wanted > largest:
        raise OptionError(f"rate {rate}: allowed is up to max_rate {max_rate}")
    outcome = _core.tfrc_send(
        address,
        profile=profile,
        segment=int(octets),
        ssrc=secrets.randbits(32),
        max_rate_bps=int(largest),
        rate_bps=None if wanted is None else int(wanted),
        duration_s=seconds,
        limits=limits,
        report=progress,
    )
    result = Sent(address=address, profile=profile, **outcome)
    if result.feedbacks == 0:
        raise UnansweredError(result)
    if result.interrupted and seconds is not None:
        raise Interrupted(result, 0)
    return result


def receive(
    address: str,
    *,
    duration: str | None = None,
    profile: Profile = "rfc5348",
    progress: Callable[[float, State], object] | None = None,
) -> Received:
    """Receive the first flow that arrives at `address`, which is [HOST:]PORT, and report to its sender.

    Once that sender has been silent for 5 s, another one can take its place. `duration` and `progress` are
    those of `send`.

    Raises `OptionError` for wrong arguments, `OSError` if the network cannot be used, and `Interrupted` if
    Ctrl-C comes before the end of `duration`; its `result` is what was received.
    """
    seconds = _quantity("duration", duration, "time")
    outcome = _core.tfrc_receive(
        address if ":" in address else f"0.0.0.0:{address}",
        profile=profile,
        reporter=secrets.randbits(32),
        duration_s=seconds,
        report=progress,
    )
    result = Received(address=address, profile=profile, **outcome)
    if result.interrupted and seconds is not None:
        raise Interrupted(result, 0)
    return result


def _quantity(option: str, text: str | None, dimension: str) -> float | None:
    if text is None:
        return None
    try:
        return _core.quantity(text, dimension)
    except ValueError as error:
        raise OptionError(f"{option} {text}: {error}") from error

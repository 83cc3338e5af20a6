"""A cell as a link: packets of a program of one's own, in simulated time and without I/O."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias

from . import _core
from .errors import OptionError
from .result import Result
from .scenario import Source, Value, load

__all__ = [
    "UDP_OVER_IPV4",
    "UDP_OVER_IPV6",
    "Delivered",
    "End",
    "Event",
    "Link",
    "Lost",
    "Room",
    "UnderWay",
]

_SECOND = 10**9

_Row: TypeAlias = tuple[str, int, bool, int, tuple[object, int, int] | None]
"""Event of the core: kind, index of the flow, true for its receiver, time [ns]; packet, size, time sent."""

UDP_OVER_IPV4 = 28
"""Octets of the headers of UDP and IPv4."""
UDP_OVER_IPV6 = 48
"""Octets of the headers of UDP and IPv6."""


@dataclass(frozen=True, slots=True)
class End:
    """One end of an external flow: a station or host that sends and receives packets of the caller."""

    flow: str
    """Name of the flow."""
    node: str
    """Name of the station or host."""
    is_receiver: bool = field(repr=False)
    """True for the node `to` of the flow."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """A packet has arrived at the other end."""

    packet: object
    """Packet that the caller has sent."""
    size: int
    """Size of the IP packet [octets]."""
    sender: End
    """End from which the caller has sent the packet."""
    receiver: End
    """The other end."""
    sent_at_s: float
    """Time at which the caller has sent the packet [s]."""
    at_s: float
    """Time of the event [s]."""


@dataclass(frozen=True, slots=True)
class Lost(Delivered):
    """A queue or a wired link has dropped a packet, or a station has given it up after its last attempt.

    A real sender does not see this. The fields are those of `Delivered`.
    """


@dataclass(frozen=True, slots=True)
class Room:
    """The queue of a node, for which `send` returned false, has room again."""

    end: End
    """End at that node."""
    at_s: float
    """Time of the event [s]."""


@dataclass(frozen=True, slots=True)
class UnderWay(Delivered):
    """A packet was under way when the link ended. The fields are those of `Delivered`."""


Event: TypeAlias = Delivered | Lost | Room
"""An event of a link."""

_PACKETS = {"delivered": Delivered, "lost": Lost, "under way": UnderWay}


class Link:
    """A cell that carries packets of the caller, with all other flows of its scenario in the background.

    >>> link = airfair.Link("cell.toml", between=("laptop", "server"))  # doctest: +SKIP
    >>> laptop, server = link.ends()  # doctest: +SKIP
    >>> link.send(0.5, laptop, b"a request", size=1200)  # doctest: +SKIP
    True
    >>> link.poll(1.0)  # doctest: +SKIP
    Delivered(packet=b'a request', size=1200, ...)

    The packets are those of the external flows of the scenario, which have `transport = { kind = "external"
    }`, or those of a flow between the two nodes `between`. A packet is any object; the link gives each back
    exactly once. The same scenario, seed and calls give the same events. A link lasts as long as its
    scenario.

    `source`, `seed` and `set` are those of `airfair.run`. Times are in seconds, or texts such as "10 ms".

    Raises `ScenarioError` with all mistakes at once, `OSError` if a file cannot be read, and `OptionError` if
    the scenario has no external flow or lacks a node of `between`.
    """

    def __init__(
        self,
        source: Source,
        *,
        between: tuple[str, str] | None = None,
        seed: int | None = None,
        set: Mapping[str, Value] | None = None,  # noqa: A002 - named after the option --set
    ) -> None:
        scenario = load(source, seed=seed, set=set)
        try:
            self._core = _core.Link(scenario, seed=scenario.seed, between=between)
        except ValueError as error:
            option = "source" if between is None else "between"
            raise OptionError(f"{option}: {error}") from None
        self.scenario = self._core.scenario()
        """Scenario of the link, with the flow `between` two nodes."""
        self._ends = [
            (
                End(flow["name"], flow["from"], is_receiver=False),
                End(flow["name"], flow["to"], is_receiver=True),
            )
            for flow in self.scenario.flows
        ]
        external = [flow["transport"] == "external" for flow in self.scenario.flows]
        if between is not None:
            external[:-1] = [False] * (len(external) - 1)
        self._own = {
            ends[0].flow: ends for ends, own in zip(self._ends, external, strict=True) if own
        }
        self.unfinished: list[Event] = []
        """Events that were not polled, and packets that were under way, when the result was taken."""
        self._result: Result | None = None
        self._started = (time.perf_counter(), time.process_time())

    def __repr__(self) -> str:
        return f"<Link {self.scenario.title!r} at {self.now_s:g} s of {self.end_s:g} s>"

    @property
    def now_s(self) -> float:
        """Time that the link has reached, that of its last call or event [s]."""
        return self._core.now_ns / _SECOND

    @property
    def end_s(self) -> float:
        """End of the scenario, at which the link ends [s]."""
        return self.scenario.duration_ns / _SECOND

    @property
    def under_way(self) -> int:
        """Number of packets that are under way in the link."""
        return self._core.under_way

    def ends(self, flow: str | None = None) -> tuple[End, End]:
        """Both ends of an external flow, `from` and `to`; without a name, those of the only one.

        Raises `OptionError` if there is no such flow, or more than one without a name.
        """
        if flow is None and len(self._own) == 1:
            return next(iter(self._own.values()))
        if flow is None or flow not in self._own:
            allowed = ", ".join(f'"{name}"' for name in self._own)
            raise OptionError(
                f"flow = {flow!r}: allowed is the name of an external flow, {allowed}"
            )
        return self._own[flow]

    def send(
        self, now: str | float, sender: End, packet: object, *, size: int | None = None
    ) -> bool:
        """Send a packet from one end to the other; returns false if the queue of the sending node is full.

        `size` is the size of the IP packet [octets]; without it, `packet` is the payload of a UDP datagram
        over IPv4. The link first runs up to `now`; events before `now` wait for `poll`.

        Raises `ValueError` for a size that the flow does not carry and for a time that has passed, and
        `RunError` for a time that is not before the end of the scenario.
        """
        if size is None:
            if not isinstance(packet, bytes | bytearray | memoryview):
                raise TypeError(
                    f"a packet of type {type(packet).__name__}: allowed without size is bytes"
                )
            size = memoryview(packet).nbytes + UDP_OVER_IPV4
        if size < 0:
            raise ValueError(f"size = {size}: allowed are 1 and more octets")
        return self._core.send(now, sender.flow, sender.is_receiver, size, packet)

    def poll(self, now: str | float) -> Event | None:
        """Run the link up to `now`, or to the first event if that is earlier, and return this event.

        Events at `now` are included. `None` means that the link has reached `now` without an event.

        Raises `ValueError` for a time that has passed. For a time that is not before the end of the scenario
        it returns the events before the end, and then raises `RunError`. Ctrl-C raises `KeyboardInterrupt`,
        after which the link can go on.
        """
        row = self._core.poll(now)
        return None if row is None else self._event(row)

    def next_timeout(self) -> float | None:
        """Time at which the link wants to be polled [s]; `None` if nothing happens unless a packet is sent.

        A program that polls in simulated time does not need it: `poll` stops at each event.
        """
        at = self._core.next_timeout_ns
        return None if at is None else at / _SECOND

    def longest_packet(self, sender: End) -> int:
        """Size of the longest packet that an end may send [octets]."""
        return self._core.longest_packet(sender.flow)

    def result(self) -> Result:
        """End the link at its current time, and return the result of all flows, stations and cells.

        `unfinished` has the packets that are then under way. Raises `RunError` within the warm-up.
        """
        if self._result is None:
            wall, cpu = self._started
            scenario, outcome, rows = self._core.finish()
            self.unfinished = [self._event(row) for row in rows]
            if outcome is None:
                raise _core.RunError(
                    "the link has ended within the warm-up, which results leave out"
                )
            self._result = Result(
                scenario,
                [outcome],
                cpu_s=time.process_time() - cpu,
                wall_s=time.perf_counter() - wall,
            )
        return self._result

    def _event(self, row: _Row) -> Event:
        kind, flow, is_receiver, at, content = row
        ends = self._ends[flow]
        end, other = ends[is_receiver], ends[not is_receiver]
        if content is None:
            return Room(end, at / _SECOND)
        packet, size, sent_at = content
        return _PACKETS[kind](packet, size, end, other, sent_at / _SECOND, at / _SECOND)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a link cannot be pickled: build it from its scenario in the other process")

"""Laws of one's own: agents that run at the nodes of a world."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Literal

from . import law_source
from ._core import Candidate, Cell, FlowEnd, Frame, Node, Packet, Scenario, UsersDue, UsersServed
from .names import did_you_mean

__all__ = [
    "Candidate",
    "Cell",
    "FlowEnd",
    "Frame",
    "Law",
    "LawError",
    "LawWarning",
    "Laws",
    "Node",
    "Packet",
    "UsersDue",
    "UsersServed",
]

Listen = Literal["own", "all", "neighbours", "packets", "users"]


class LawError(ValueError):
    """Raised for a law that does not exist, that is given to no node, or whose file has changed."""


def has_raised(error: BaseException) -> bool:
    """True if a law has raised the exception: a note names the law or its node, and the time."""
    notes: list[str] = getattr(error, "__notes__", [])
    return any(note.startswith("in ") and note.endswith(" of the run") for note in notes)


class LawWarning(UserWarning):
    """Warning that a law can run in this process alone, and so on one core."""


class Law:
    """Law of one's own, which runs at one station or access point of a world.

    A subclass overrides the methods for the events that it handles. It sees what its node can see, and acts
    through the node. A law keeps its state in attributes; each node has its own object.

    >>> class Divide(airfair.Law):  # doctest: +SKIP
    ...     "While the link is slow, each TCP sender uses a part of its window."
    ...
    ...     def rate(self, node, rate, highest):
    ...         for sender in node.senders:
    ...             sender.limit_window(divide_by=-(-highest // rate))
    >>> airfair.run("cell.toml", laws={"station.*": Divide})  # doctest: +SKIP

    A law draws random numbers from `node.random()`, not from Python's generators, and reads the time from the
    node, not from the computer's clock. Then the same seed gives the same records.
    """

    version: ClassVar[str] = ""
    """Version of the law, for the reader of results."""

    listen: ClassVar[Listen | Sequence[Listen] | None] = None
    """Frames and packets that the law wants.

    "own": frames that the node sends or that are addressed to it, and beacons. "all": all frames that it
    decodes, also those of other cells. "neighbours": frames of other cells that it decodes. "packets", at an
    access point: each packet that it forwards. "users", at an access point with OFDMA: each PPDU for several
    stations. Several are a tuple.
    """

    def __init_subclass__(cls, **options: object) -> None:
        """Note the source of the law."""
        super().__init_subclass__(**options)
        law_source.note(cls)

    def start(self, node: Node) -> None:
        """Handle the start of the run."""

    def end(self, node: Node) -> None:
        """Handle the end of the run."""

    def rate(self, node: Node, rate: int, highest: int) -> None:
        """Handle a new rate of the node's own frames; `highest` is that of the standard [bit/s]."""

    def frame(self, node: Node, frame: Frame) -> None:
        """Handle a frame that the node has decoded or sent; only with `listen` "own" or "all"."""

    def packet(self, node: Node, packet: Packet) -> None:
        """Handle a packet that an access point forwards; only with `listen` "packets".

        The law may drop or delay the packet, or lower its window, before the method returns.
        """

    def beacon(self, node: Node) -> bytes | Mapping[int, bytes] | None:
        """Handle a beacon that is due; an access point's law returns elements for it, or `None`.

        Octets form one vendor-specific element. A mapping has the octets of each element by its number.

        Laws of the stations are called, too, so that they can count the beacons that they miss.
        """

    def users(self, node: Node, due: UsersDue) -> Sequence[str] | None:
        """Choose the stations of an access point's next PPDU; only with `listen` "users".

        Called when the access point has won the channel and has more than one station to serve, or to
        trigger. Returns the names of at most `due.most` stations in the order in which they are served, or
        `None` to leave the choice to the cell's scheduler. The channel is divided into the most equal units
        of which each has a user; stations without a unit wait. One station has the whole width. An empty
        list, allowed in the downlink, sends the frame for one station that is next in the queue.

        The method is called in the middle of an event, so that the node allows no action.
        """

    def served(self, node: Node, ppdu: UsersServed) -> None:
        """Handle the end of an exchange of an access point with data; only with `listen` "users".

        Called before the next `users`, in both directions and also for PPDUs of one station. The node allows
        no action.
        """

    def timer(self, node: Node) -> None:
        """Handle a timer that the law has set by `node.wake_in` or `node.wake_at_ns`."""


Maker = Callable[[], Law]
"""Function that creates a law; mostly the class itself."""

Laws = Mapping[str, Maker | Sequence[Maker]]
"""Laws by node: "station.NAME", "access-point" for all access points, or "access-point.CELL".

Names may have wildcards, as in "station.*". Each node gets its own object. Several laws at one node act in
the order of the mapping, after a `control` of the scenario.
"""


def place(laws: Laws, scenario: Scenario) -> list[tuple[int, Law]]:
    """Create the laws of all nodes: pairs of a member and its law.

    A member is the index of a station, or -1 - c for the access point of cell c.

    Raises `LawError` if a key matches no node, and `TypeError` if a value creates no law.
    """
    placed = []
    for pattern, makers in laws.items():
        try:
            found = nodes(pattern, scenario)
        except LawError as error:
            raise LawError(f"laws: {error}") from None
        for maker in [makers] if callable(makers) else makers:
            placed += [(member, _made(pattern, maker)) for member in found]
    return placed


def nodes(pattern: str, scenario: Scenario) -> list[int]:
    """Members at nodes that a key of `Laws` matches; raises `LawError` if it matches none."""
    members = {f"station.{name}": index for index, name in enumerate(scenario.stations)}
    members |= {f"access-point.{name}": -1 - index for index, name in enumerate(scenario.cells)}
    wanted = "access-point.*" if pattern == "access-point" else pattern
    found = [member for name, member in members.items() if fnmatch.fnmatchcase(name, wanted)]
    if not found:
        raise LawError(
            f"{pattern!r} is no node{did_you_mean(pattern, members)}; allowed are station.NAME, "
            "access-point and access-point.CELL, also with wildcards"
        )
    return found


def _made(pattern: str, maker: object) -> Law:
    try:
        law = maker() if callable(maker) else maker
    except LawError:
        raise
    except Exception as error:
        error.add_note(f"in the constructor of the law at {pattern}, before the start of the run")
        raise
    if not isinstance(law, Law):
        allowed = "allowed is a subclass of Law, or a function that returns one of its objects"
        raise TypeError(f"laws[{pattern!r}] = {maker!r}: {allowed}")
    return law

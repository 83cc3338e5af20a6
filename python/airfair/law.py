"""Laws of one's own: agents that run at the nodes of a world."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from . import law_source
from ._core import Cell, FlowEnd, Frame, Node, Packet
from .names import did_you_mean

if TYPE_CHECKING:
    from ._core import Scenario

__all__ = ["Cell", "FlowEnd", "Frame", "Law", "LawError", "LawWarning", "Laws", "Node", "Packet"]

Listen = Literal["own", "all", "packets"]


class LawError(ValueError):
    """Raised for a law that does not exist, that is given to no node, or whose file has changed."""


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
    decodes. "packets", at an access point: each packet that it forwards. Several are a tuple.
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
    law = maker() if callable(maker) else maker
    if not isinstance(law, Law):
        allowed = "allowed is a subclass of Law, or a function that returns one of its objects"
        raise TypeError(f"laws[{pattern!r}] = {maker!r}: {allowed}")
    return law

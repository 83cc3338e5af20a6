"""Round robin with credits of time times width, as "round-robin" of `ofdma` has it.  [ns3-multi-user]"""

from __future__ import annotations

from collections import defaultdict

from airfair import Law
from airfair.law import Node, UsersDue, UsersServed

CAP_NS = 1_000_000_000
"""Largest credit of a station."""


class Credits:
    """Airtime that each station of one direction has been given and has not used [ns]."""

    def __init__(self, members: int) -> None:
        self.members = members
        self.given = self.rest = self.ppdus = 0
        self.zero: dict[str, int] = defaultdict(int)
        self.last: dict[str, int] = defaultdict(int)

    def of(self, station: str) -> int:
        """Credit of a station, which grows with all PPDUs."""
        return min(self.given - self.zero[station], CAP_NS)

    def turn(self, station: str) -> tuple[int, int]:
        """Key of the order: the highest credit first, then the station that was served before the others."""
        return -self.of(station), self.last[station]

    def settle(self, ppdu: UsersServed) -> None:
        """Give the time of a PPDU to all members, and take it from the stations that it has served."""
        each, self.rest = divmod(ppdu.duration_ns + self.rest, self.members)
        self.given += each
        self.ppdus += 1
        width, before, paid = sum(ppdu.tones), 0, 0
        for station, tones in zip(ppdu.stations, ppdu.tones, strict=True):
            before += tones
            due = ppdu.duration_ns * before // width
            self.zero[station] = self.given - self.of(station) + due - paid
            self.last[station], paid = self.ppdus, due


class RoundRobin(Law):
    """The stations with the highest credits share each PPDU of an access point."""

    listen = "users"

    def start(self, node: Node) -> None:
        """Begin with equal credits in both directions."""
        assert node.cell is not None
        members = 1 + len(node.cell.stations)
        self.credits = {"down": Credits(members), "up": Credits(members)}

    def users(self, node: Node, due: UsersDue) -> list[str]:  # noqa: ARG002
        """Choose the stations with the highest credits, unless the next in the queue must be alone."""
        stations = [it.station for it in due.candidates]
        if due.first is not None and due.first not in stations:
            return []
        return sorted(stations, key=self.credits[due.direction].turn)[: due.most]

    def served(self, node: Node, ppdu: UsersServed) -> None:  # noqa: ARG002
        """Account for a PPDU."""
        self.credits[ppdu.direction].settle(ppdu)

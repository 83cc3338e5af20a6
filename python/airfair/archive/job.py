"""Job: one run to execute, with the hash of all its inputs."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar, overload
from weakref import WeakKeyDictionary

from airfair import _core
from airfair._core import Scenario

if TYPE_CHECKING:
    from hashlib import _Hash

    from airfair.law_use import LawUse

# Keys left out of the hash of a scenario: the title has no effect on a run, and `Job.key` adds the seed.
_ASIDE = re.compile(r"^(title|seed|replications) = .*\n", re.MULTILINE)

Item = TypeVar("Item")

_HASHED: WeakKeyDictionary[Scenario, _Hash] = WeakKeyDictionary()
"""Cache of hashes of scenarios; hashing the text takes a hundred times as long as seed and replication."""


@dataclass(frozen=True, slots=True)
class Job:
    """Job: a scenario, the number of a replication, and laws."""

    scenario: Scenario
    replication: int
    laws: tuple[LawUse, ...] = ()
    """Laws that act in the run."""

    @property
    def key(self) -> bytes:
        """Hash of all inputs of the run except the build of the simulator."""
        hashed = _hashed(self.scenario).copy()
        hashed.update(f"\0{self.scenario.seed}\0{self.replication}".encode())
        for law in self.laws:
            hashed.update(b"\0" + law.key)
        return hashed.digest()

    @property
    def is_archived(self) -> bool:
        """True if an archive may hold the run: the source of each of its laws can be read."""
        return all(law.sha256 for law in self.laws)


class Jobs(Sequence[Job], Generic[Item]):
    """Lazy sequence of jobs, each made from an item when it is needed.

    If values are drawn at random, each job has its own scenario; all of them together would need ten times
    the memory of the results.
    """

    def __init__(self, items: Sequence[Item], job: Callable[[Item], Job]) -> None:
        self._items = items
        self._job = job

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, place: int) -> Job: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Job]: ...
    def __getitem__(self, place: int | slice) -> Job | Sequence[Job]:
        if isinstance(place, slice):
            return [self._job(item) for item in self._items[place]]
        return self._job(self._items[place])


def _hashed(scenario: Scenario) -> _Hash:
    """Hash of a scenario without title, seed and number of replications."""
    known = _HASHED.get(scenario)
    if known is None:
        head, bracket, rest = scenario.to_toml().partition("\n[")
        text = _ASIDE.sub("", head + "\n") + bracket + rest
        known = _HASHED[scenario] = hashlib.sha256(text.encode())
    return known


@functools.cache
def build() -> bytes:
    """Hash of the simulator's binary, which identifies the build more precisely than the version."""
    path = _core.__file__
    return hashlib.sha256(Path(path).read_bytes()).digest()

"""One run to do, and the hash of all that it depends on."""

from __future__ import annotations

import functools
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from airfair import _core
from airfair._core import Scenario

if TYPE_CHECKING:
    from hashlib import _Hash

# Keys of a scenario that do not reach a run: what it is called, and which of its replications are run.
_ASIDE = re.compile(r"^(title|seed|replications) = .*\n", re.MULTILINE)

_HASHED: WeakKeyDictionary[Scenario, _Hash] = WeakKeyDictionary()
"""Hash of each scenario's text, which takes a hundred times as long as the hash of a job's two numbers."""


@dataclass(frozen=True, slots=True)
class Job:
    """One run: a scenario under a seed, as a replication."""

    scenario: Scenario
    replication: int

    @property
    def key(self) -> bytes:
        """Hash of all that the run depends on, but for the simulator."""
        hashed = _hashed(self.scenario).copy()
        hashed.update(f"\0{self.scenario.seed}\0{self.replication}".encode())
        return hashed.digest()


def _hashed(scenario: Scenario) -> _Hash:
    """Hash of a scenario but for the keys that do not reach a run."""
    known = _HASHED.get(scenario)
    if known is None:
        head, bracket, rest = scenario.to_toml().partition("\n[")
        text = _ASIDE.sub("", head + "\n") + bracket + rest
        known = _HASHED[scenario] = hashlib.sha256(text.encode())
    return known


@functools.cache
def build() -> bytes:
    """Hash of the simulator itself, since a version has many builds while it is worked on."""
    path = _core.__file__
    return hashlib.sha256(Path(path).read_bytes()).digest()

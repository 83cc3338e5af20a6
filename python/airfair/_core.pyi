"""Simulator core of airfair."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, final, overload

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LARGEST_SCENARIO",
    "LARGEST_TRACE",
    "LONGEST_FRAME_NS",
    "Batch",
    "Emulation",
    "Outcome",
    "Radios",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Tracing",
    "__version__",
    "delays",
    "emulation_enter",
    "emulation_isolate",
    "emulation_try",
    "escaped",
    "quantity",
    "reference",
    "run",
    "schema",
    "series",
    "series_columns",
    "stream",
    "table_columns",
    "tables",
    "tfrc_receive",
    "tfrc_send",
    "traceable",
]

__version__: str
LARGEST_SCENARIO: int
LARGEST_TRACE: int
LONGEST_FRAME_NS: int

class ScenarioError(ValueError):
    """A scenario has mistakes: `problems` holds one line for each."""

    problems: list[str]

class RunError(RuntimeError):
    """A run failed."""

@final
class Scenario:
    """One experiment that cannot be wrong."""

    @staticmethod
    def parse(
        text: bytes,
        overrides: Sequence[tuple[str, str]] = ...,
        read: Callable[[str], bytes | str] | None = ...,
        *,
        emulated: bool = ...,
    ) -> Scenario: ...
    @staticmethod
    def applied_defaults(
        text: bytes,
        overrides: Sequence[tuple[str, str]] = ...,
        *,
        emulated: bool = ...,
    ) -> list[dict[str, str]]: ...
    def to_toml(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def replications(self) -> int: ...
    @property
    def duration_s(self) -> float: ...
    @property
    def duration_ns(self) -> int: ...
    @property
    def warmup_s(self) -> float: ...
    @property
    def series_step_s(self) -> float | None: ...
    @property
    def series_step_ns(self) -> int | None: ...
    @property
    def cells(self) -> list[str]: ...
    @property
    def stations(self) -> list[str]: ...
    @property
    def categories(self) -> list[str]: ...
    @property
    def station_cells(self) -> list[str]: ...
    @property
    def hosts(self) -> list[str]: ...
    @property
    def links(self) -> list[dict[str, str]]: ...
    @property
    def flows(self) -> list[dict[str, str]]: ...
    def cut(self, until_ns: int) -> Scenario:
        """The same scenario that is over at `until_ns` if not before, without warm-up and series."""

@final
class Emulation:
    """A cell under a wall clock, with a network namespace for each station and host."""

    def __new__(
        cls,
        scenario: Scenario,
        *,
        backend: str,
        seed: int,
        duration_ns: int | None = None,
        spin: bool = False,
    ) -> Emulation: ...
    @property
    def nodes(self) -> list[dict[str, Any]]: ...
    @property
    def programs(self) -> list[dict[str, Any]]:
        """Programs that carry flows: node, arguments of `airfair`, start_s, stop_s, `limited` flow."""
    @property
    def hosts_file(self) -> str: ...
    @property
    def congestion_control(self) -> str: ...
    @property
    def goes_before_others(self) -> bool: ...
    @property
    def is_over(self) -> bool: ...
    def view(self) -> str:
        """Its state, as a JSON document."""
    def set_rate(self, station: str, direction: str, rate: float) -> None:
        """Sets the rate of a station, `up`, `down` or `both` ways."""
    def set_errors(self, station: str, probability: float) -> None:
        """Sets the probability with which a frame between a station and its access point is errored."""
    def set_weights(self, cell: str, data: int, acks: int) -> None:
        """Sets the weights of data and ACKs in the queue of the access point of a cell."""
    def set_queue(self, cell: str, queue: str) -> None:
        """Gives the access point of a cell another transmit queue, a table of TOML."""
    def spawn(
        self,
        node: str,
        command: list[str],
        hosts: PathLike[str],
        *,
        to_errors: bool = False,
        limited: int | None = None,
    ) -> int:
        """Starts a program in the namespace of a node, with `hosts` as `/etc/hosts`: its process id."""
    def end(self) -> tuple[Scenario, Outcome | None, str]:
        """Ends it: the scenario as emulated, its outcome (`None` within the warm-up), and its last state."""

@final
class Radios:
    """The medium of a scenario behind the radios of `mac80211_hwsim`."""

    def __new__(
        cls, scenario: Scenario, *, seed: int, duration_ns: int | None = None
    ) -> Radios: ...
    @property
    def members(self) -> list[tuple[str, str]]: ...
    @property
    def is_over(self) -> bool: ...
    def line(self) -> str:
        """A line on what has happened since the last one."""
    def end(self) -> str:
        """Ends it: its accounts in words; raises `OSError` if the radios had gone before."""

@final
class Outcome:
    """Measurements of one run; `tables` turns them into columns."""

    @property
    def replication(self) -> int: ...
    @property
    def seed(self) -> int: ...
    @property
    def elapsed_ns(self) -> int: ...
    @property
    def events(self) -> int: ...
    @property
    def record_hash(self) -> int: ...
    def to_bytes(self, *, histograms: bool = True) -> bytes:
        """Everything in it, or all but histograms, as only this very build of airfair reads it."""
    @staticmethod
    def from_bytes(octets: bytes) -> Outcome:
        """The outcome that `to_bytes` wrote; raises `ValueError` for anything else."""

@final
class Batch:
    """Runs that `run` finished."""

    @property
    def outcomes(self) -> list[Outcome | None]: ...
    @property
    def interrupted(self) -> bool: ...

@final
class Tracing:
    """Files that are written while one run goes on."""

    def __new__(
        cls,
        scenario: Scenario,
        comment: str,
        *,
        pcap: str | PathLike[str] | None = None,
        timeline: str | PathLike[str] | None = None,
        from_ns: int = 0,
        until_ns: int | None = None,
        names: Sequence[str] | None = None,
    ) -> Tracing: ...
    def finish(self) -> list[dict[str, Any]]:
        """End the files: option, items, until_ns, errno of each."""

def traceable(scenario: Scenario) -> list[str]: ...
def run(
    jobs: Sequence[tuple[Scenario, int, int]],
    *,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
    tracing: tuple[int, Tracing] | None = None,
) -> Batch: ...
def stream(
    jobs: Sequence[tuple[Scenario, int, int]],
    done: Callable[[list[tuple[int, bytes]]], object],
    *,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> bool: ...
@overload
def tables(
    scenario: Scenario, outcomes: Sequence[Outcome], *, lists: Literal[False] = False
) -> dict[str, dict[str, NDArray[np.generic]]]: ...
@overload
def tables(
    scenario: Scenario, outcomes: Sequence[Outcome], *, lists: Literal[True]
) -> dict[str, dict[str, list[float]]]: ...
def series(
    scenario: Scenario, outcomes: Sequence[Outcome], what: str
) -> dict[str, NDArray[np.generic]]: ...
def delays(outcomes: Sequence[Outcome]) -> dict[str, NDArray[np.generic]]: ...
def table_columns() -> dict[str, tuple[str, list[tuple[str, str, str, bool]]]]: ...
def series_columns() -> dict[str, tuple[str, list[tuple[str, str, str, bool]]]]: ...
def quantity(text: str, dimension: str) -> float: ...
def tfrc_send(
    to: str,
    *,
    profile: str,
    segment: int,
    ssrc: int,
    max_rate_bps: int,
    rate_bps: int | None = None,
    duration_s: float | None = None,
    limits: bool = False,
    report: Callable[[float, dict[str, Any]], object] | None = None,
) -> dict[str, Any]: ...
def tfrc_receive(
    at: str,
    *,
    profile: str,
    reporter: int,
    duration_s: float | None = None,
    report: Callable[[float, dict[str, Any]], object] | None = None,
) -> dict[str, Any]: ...
def emulation_try(backend: str) -> None: ...
def emulation_isolate() -> None: ...
def emulation_enter(
    network: str | PathLike[str],
    hosts: str | PathLike[str],
    user: str | PathLike[str] | None = None,
) -> None: ...
def escaped(text: str) -> str: ...
def schema() -> str: ...
def reference() -> str: ...

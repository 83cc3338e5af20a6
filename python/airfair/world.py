"""Worlds that their owner steps: advance, observe, change settings, copy."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self

from . import _core
from ._core import Observation, SettingError
from .law import Law, Laws, place
from .result import Result
from .scenario import Source, Value, load
from .settings import AccessPoint, Flow, Link, Parts, Station, set_key

__all__ = ["Observation", "SettingError", "World"]

_SECOND = 10**9
_REPLICATIONS = 2**32


class World:
    """One replication of a scenario, which its owner advances in steps.

    >>> with airfair.World("scenarios/one-slow-station.toml") as world:  # doctest: +SKIP
    ...     while not world.over:
    ...         seen = world.advance("10 ms")
    ...         if seen.airtime_share[0] > 0.5:
    ...             world.station["slow"].contention_window = (63, 1023)
    ...     result = world.result()

    Steps of any length lead to the same records: a world without changes gives the result of `airfair.run`.
    Arrays of an `Observation` are in the order of `stations`, `flows`, `cells` and `links`.

    `source`, `seed`, `series` and `set` are those of `airfair.run`; `replication` is the number of the
    replication. `pcap` and `timeline` are files to which the run writes its frames and events. `laws` are
    laws of one's own by node; an exception of a law ends the step in which it was raised.

    Raises `ScenarioError` with all mistakes at once, and `OSError` if a file cannot be read or written.
    """

    def __init__(  # noqa: PLR0913 - options, each with a default
        self,
        source: Source,
        *,
        seed: int | None = None,
        replication: int = 0,
        series: str | None = None,
        set: Mapping[str, Value] | None = None,  # noqa: A002 - named after the option --set
        pcap: str | os.PathLike[str] | None = None,
        timeline: str | os.PathLike[str] | None = None,
        laws: Laws | None = None,
    ) -> None:
        scenario = load(source, seed=seed, series=series, set=set)
        if not 0 <= replication < _REPLICATIONS:
            allowed = f"allowed is 0 to {_REPLICATIONS - 1}"
            raise ValueError(f"replication = {replication}: {allowed}")
        placed = place(laws or {}, scenario)  # before a trace file loses its earlier contents
        self._files = {"pcap": pcap, "timeline": timeline}
        self._tracing = _tracing(scenario, replication, pcap, timeline)
        self._closes_tracing = True
        self._begin(scenario, replication, placed)

    @classmethod
    def begun(
        cls,
        scenario: _core.Scenario,
        replication: int,
        laws: Laws | None,
        tracing: _core.Tracing | None,
    ) -> World:
        """World of a scenario that has been loaded. The caller closes the trace files of `tracing`."""
        world = object.__new__(cls)
        world._tracing, world._closes_tracing = tracing, False
        world._begin(scenario, replication, place(laws or {}, scenario))
        return world

    def _begin(
        self, scenario: _core.Scenario, replication: int, laws: Sequence[tuple[int, Law]]
    ) -> None:
        self.scenario, self.replication = scenario, replication
        self._core = _core.World(
            scenario,
            seed=scenario.seed,
            replication=replication,
            tracing=self._tracing,
            laws=laws,
        )
        self._result: Result | None = None
        self._started = (time.perf_counter(), time.process_time())
        self._name_parts()

    def _name_parts(self) -> None:
        scenario, core = self.scenario, self._core
        self.stations: Sequence[str] = tuple(scenario.stations)
        """Names of the stations, in the order of an observation's arrays."""
        self.flows: Sequence[str] = tuple(flow["name"] for flow in scenario.flows)
        """Names of the flows, in the order of an observation's arrays."""
        self.cells: Sequence[str] = tuple(scenario.cells)
        """Names of the cells, in the order of an observation's arrays."""
        self.links: Sequence[str] = tuple(
            f"{link['name']}: {link['from']} to {link['to']}" for link in scenario.links
        )
        """Directions of the wired links, in the order of an observation's arrays."""
        names = dict.fromkeys(link["name"] for link in scenario.links)
        self.station = Parts(
            "station", {name: Station(core, i, name) for i, name in enumerate(self.stations)}
        )
        """Stations by name."""
        self.access_point = Parts(
            "cell", {name: AccessPoint(core, -1 - i, name) for i, name in enumerate(self.cells)}
        )
        """Access points by the names of their cells."""
        self.flow = Parts("flow", {name: Flow(core, i, name) for i, name in enumerate(self.flows)})
        """Flows by name."""
        self.link = Parts(
            "link", {name: Link(core, name, name in self.scenario.hosts) for name in names}
        )
        """Wired links by name; the link of a host has the name of the host."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except OSError as lost:
            if error is None:
                raise
            error.add_note(f"a trace file is incomplete: {lost}")

    def __repr__(self) -> str:
        return (
            f"<World {self.scenario.title!r} at {self.now_s:g} s of {self.scenario.duration_s:g} s>"
        )

    @property
    def now_s(self) -> float:
        """Simulated time [s]: everything before it has happened."""
        return self._core.now_ns / _SECOND

    @property
    def over(self) -> bool:
        """True once the world has reached the end of the scenario."""
        return self._core.now_ns >= self.scenario.duration_ns

    def advance(self, by: str | float | None = None) -> Observation:
        """Advance the world and return the activity since the last step.

        `by` is a duration such as "10 ms", or a number of seconds; without it, the world advances to the end
        of the scenario. A step that would pass the end stops there.

        Raises `RunError` if the run fails or is over, and `KeyboardInterrupt` on Ctrl-C, after which the
        world can go on.
        """
        return self._core.advance(by)

    def set(self, settings: Mapping[str, Value]) -> None:
        """Set keys of the scenario for the rest of the run, by dotted path.

        Allowed are `station.NAME.rate` (also `.up`, `.down`), `station.NAME.errors`, `station.NAME.queue`,
        `bss.NAME.ap.queue`, and `rate` and `loss` of a link.

        Raises `SettingError` for another key, and for a value that is not allowed; the keys before it stay
        set.
        """
        for path, value in settings.items():
            set_key(self._core, path, value)

    def copy(self) -> World:
        """World that continues from the same state, and is independent of this one.

        The same steps and settings lead to the same records. A copy writes no trace files. Laws are copied by
        `copy.deepcopy`. `copy.copy` and `copy.deepcopy` of a world do the same.

        Raises `RunError` if the run is over and its result has been taken.
        """
        other = object.__new__(World)
        other.scenario, other.replication = self.scenario, self.replication
        other._core, other._result = self._core.copy(), None
        other._tracing, other._closes_tracing = None, True
        other._started = self._started
        other._name_parts()
        return other

    def result(self) -> Result:
        """Result of the run, as `airfair.run` returns it for this replication.

        Raises `RunError` if the world has not reached the end of the scenario.
        """
        if self._result is None:
            wall, cpu = self._started
            outcome = self._core.finish()
            self._result = Result(
                self.scenario,
                [outcome],
                cpu_s=time.process_time() - cpu,
                wall_s=time.perf_counter() - wall,
            )
            self.close()
        return self._result

    def close(self) -> None:
        """End the world and close its trace files, which go up to this time.

        The result of a run that is not over is lost. A closed world keeps the result that has been taken.

        Raises `OSError` if a trace file could not be written to its end.
        """
        self._core.close()
        tracing, self._tracing = self._tracing, None
        if tracing is None or not self._closes_tracing:
            return
        for report in tracing.finish():
            if report["errno"] is not None:
                path = self._files[report["option"]]
                raise OSError(report["errno"], os.strerror(report["errno"]), path)

    def __copy__(self) -> World:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> World:
        return self.copy()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a world cannot be pickled: build it from its scenario in the other process"
        )


def _tracing(
    scenario: _core.Scenario,
    replication: int,
    pcap: str | os.PathLike[str] | None,
    timeline: str | os.PathLike[str] | None,
) -> _core.Tracing | None:
    if pcap is None and timeline is None:
        return None
    if (
        pcap is not None
        and timeline is not None
        and Path(pcap).resolve() == Path(timeline).resolve()
    ):
        raise ValueError(f"timeline = {str(timeline)!r}: this is also the file of pcap")
    comment = f"{scenario.title}, seed {scenario.seed}, replication {replication}"
    capture, events = (None if path is None else Path(path) for path in (pcap, timeline))
    return _core.Tracing(scenario, comment, pcap=capture, timeline=events)

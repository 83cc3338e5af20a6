"""Options for tracing a run: time window, stations, and the files to write."""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from airfair._core import Scenario, Tracing, quantity, traceable
from airfair.cli.output import Output
from airfair.cli.status import InputError, check_globs
from airfair.errors import describe

_OUTLETS = ("pcap", "timeline", "qlog")
_LOGS = "*.sqlog"
_LOGGED = ("tcp", "quic", "tfrc")
_SECOND = 10**9


@dataclass(frozen=True)
class Window:
    """Interval of the simulated time [ns]."""

    start_ns: int
    end_ns: int

    def __str__(self) -> str:
        return f"between {_seconds(self.start_ns)} and {_seconds(self.end_ns)}"


@dataclass(frozen=True)
class Wanted:
    """Trace files that the command line names, before they are open."""

    paths: dict[str, Path]
    window: Window
    names: Sequence[str]
    replication: int = 0
    version: str = "draft"
    """Version of qlog."""

    def open(self, scenario: Scenario) -> Traces:
        """Open the files, which lose their earlier contents. Raises `InputError`."""
        fresh = [path for path in self.paths.values() if not path.exists()]
        comment = f"{scenario.title}, seed {scenario.seed}, replication {self.replication}"
        try:
            tracing = Tracing(
                scenario,
                comment,
                pcap=self.paths.get("pcap"),
                timeline=self.paths.get("timeline"),
                qlog=self.paths.get("qlog"),
                qlog_version=self.version,
                from_ns=self.window.start_ns,
                until_ns=self.window.end_ns,
                names=self.names,
            )
        except OSError as error:
            _remove(fresh)  # new files that were opened before the error
            failed = Path(error.filename)
            option = next(
                name for name, path in self.paths.items() if path in (failed, failed.parent)
            )
            raise InputError(f"--{option} {error.filename}: {describe(error)}") from error
        asked = scenario.replications
        return Traces(tracing, self.replication, self.paths, self.window, asked, fresh)


@dataclass
class Traces:
    """Open trace files of one replication."""

    tracing: Tracing
    replication: int
    paths: dict[str, Path]
    window: Window
    replications: int
    fresh: list[Path]
    """Files that did not exist before."""

    def discard(self) -> None:
        """Close the files of a run that has not begun, and remove those that did not exist before."""
        self.tracing.finish()
        _remove(self.fresh)

    def finish(self, interrupted: bool) -> tuple[list[str], list[str]]:  # noqa: FBT001 - what ended the run
        """Close the files; return lines with what was written, and lines with errors."""
        said, failed = [], []
        for report in self.tracing.finish():
            name, items = report["option"], report["items"]
            path = self.paths[name]
            things = f"{items} {'packets' if name == 'pcap' else 'events'}"
            of = "" if self.replications == 1 else f" of replication {self.replication}"
            if report["errno"] is not None:
                why = os.strerror(report["errno"])
                failed.append(f"--{name} {path}: {why}; the file is incomplete")
            elif not items:
                end_ns = report["until_ns"] if interrupted else self.window.end_ns
                window = Window(min(self.window.start_ns, end_ns), end_ns)
                said.append(f"--{name} {path}: nothing happened {window}{of}")
            elif interrupted and report["until_ns"] < self.window.end_ns:
                cut = f"up to {_seconds(report['until_ns'])}, where the run was interrupted"
                said.append(f"wrote {path} {cut}: {things}{of}")
            else:
                said.append(f"wrote {path}: {things}{of}")
        return said, failed


def _remove(paths: Sequence[Path]) -> None:
    for path in paths:
        with contextlib.suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def outputs(arguments: argparse.Namespace) -> list[Output]:
    """Trace files that the command line names."""
    return [
        Output(f"--{name}", path, [_LOGS] if name == "qlog" else None)
        for name, path in _paths(arguments).items()
    ]


def _paths(arguments: argparse.Namespace) -> dict[str, Path]:
    return {name: path for name in _OUTLETS if (path := getattr(arguments, name, None)) is not None}


def prepare(arguments: argparse.Namespace, scenario: Scenario) -> Traces | None:
    """Open the trace files before the run; `None` if there are none. Raises `InputError`."""
    wished = wanted(arguments, scenario, scenario.duration_ns)
    return None if wished is None else wished.open(scenario)


def wanted(arguments: argparse.Namespace, scenario: Scenario, lasts_ns: int) -> Wanted | None:
    """Trace files of a run of this duration; `None` if there are none. Raises `InputError`."""
    paths, version = _paths(arguments), getattr(arguments, "qlog_version", None)
    if not paths:
        possible = [f"--{name}" for name in _OUTLETS if hasattr(arguments, name)]
        allowed = f"{', '.join(possible[:-1])} or {possible[-1]}"
        names = ("from", "until", "station", "replication")
        given = [
            name for name in names if getattr(arguments, f"trace_{name}", None) not in (None, [])
        ]
        if given:
            raise InputError(*(f"--trace-{name}: works only with {allowed}" for name in given))
    if "qlog" not in paths and version is not None:
        raise InputError("--qlog-version: works only with --qlog")
    if not paths:
        return None
    if "qlog" in paths and not any(flow["transport"] in _LOGGED for flow in scenario.flows):
        raise InputError(f"--qlog {paths['qlog']}: the scenario has no flow of TCP, QUIC or TFRC")
    times = (arguments.trace_from, arguments.trace_until)
    window = window_of(lasts_ns, *times, "--trace-")
    stations = chosen(scenario, arguments.trace_station, "--trace-station")
    number = getattr(arguments, "trace_replication", None)
    which = replication(scenario, number, "--trace-replication")
    return Wanted(paths, window, stations, which, version or "draft")


def chosen(scenario: Scenario, globs: Sequence[str], option: str) -> list[str]:
    """Names of stations, access points and monitors that match; `InputError` if a glob matches none."""
    known = traceable(scenario)
    check_globs(option, globs, known, "station, access point or monitor")
    return [
        name
        for name in known
        if not globs or any(fnmatch.fnmatchcase(name, glob) for glob in globs)
    ]


def replication(scenario: Scenario, number: int | None, option: str) -> int:
    """Index of the replication to trace, by default 0; raises `InputError` if the scenario has fewer."""
    if number is not None and not 0 <= number < scenario.replications:
        raise InputError(
            f"{option} {number}: allowed is a whole number from 0 to {scenario.replications - 1}"
        )
    return number or 0


def window_of(lasts: int, start: str | None, end: str | None, prefix: str) -> Window:
    """Window between two times of the command line, in a run that lasts `lasts` [ns].

    Raises `InputError` if the times do not form a window.
    """
    problems: list[str] = []
    start_ns = 0 if start is None else _time(f"{prefix}from", start, problems)
    end_ns = lasts if end is None else _time(f"{prefix}until", end, problems)
    if not problems and start_ns >= lasts:
        problems.append(
            f"{prefix}from {start}: allowed is a time before the end of the run, {_seconds(lasts)}"
        )
    elif not problems and end_ns <= start_ns:
        problems.append(
            f"{prefix}until {end}: allowed is a time after {prefix}from {start or '0 s'}"
        )
    if problems:
        raise InputError(*problems)
    return Window(start_ns, min(end_ns, lasts))


def _time(option: str, text: str, problems: list[str]) -> int:
    try:
        return round(quantity(text, "time") * _SECOND)
    except ValueError as error:
        problems.append(f"{option} {text!r}: {error}")
        return 0


def _seconds(time_ns: int) -> str:
    return f"{time_ns / _SECOND:.9f}".rstrip("0").rstrip(".") + " s"

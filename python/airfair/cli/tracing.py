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


@dataclass
class Traces:
    """Open trace files of one replication."""

    tracing: Tracing
    replication: int
    paths: dict[str, Path]
    window: Window
    replications: int

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


def outputs(arguments: argparse.Namespace) -> list[Output]:
    """Trace files that the command line names."""
    return [
        Output(f"--{name}", path, [_LOGS] if name == "qlog" else None)
        for name, path in _paths(arguments).items()
    ]


def _paths(arguments: argparse.Namespace) -> dict[str, Path]:
    return {name: path for name in _OUTLETS if (path := getattr(arguments, name)) is not None}


def prepare(arguments: argparse.Namespace, scenario: Scenario) -> Traces | None:
    """Open the trace files before the run; `None` if there are none. Raises `InputError`."""
    paths = _paths(arguments)
    if not paths:
        given = [
            name for name in ("from", "until", "station", "replication") if _given(arguments, name)
        ]
        if given:
            raise InputError(
                *(f"--trace-{name}: works only with --pcap, --timeline or --qlog" for name in given)
            )
    if "qlog" not in paths and arguments.qlog_version is not None:
        raise InputError("--qlog-version: works only with --qlog")
    if not paths:
        return None
    if "qlog" in paths and not any(flow["transport"] in _LOGGED for flow in scenario.flows):
        raise InputError(f"--qlog {paths['qlog']}: the scenario has no flow of TCP, QUIC or TFRC")
    window = window_of(scenario, arguments.trace_from, arguments.trace_until, "--trace-")
    names = chosen(scenario, arguments.trace_station, "--trace-station")
    wanted = replication(scenario, arguments.trace_replication, "--trace-replication")
    version = arguments.qlog_version or "draft"
    tracing = _open(scenario, wanted, paths, (version, window, names))
    return Traces(tracing, wanted, paths, window, scenario.replications)


def _given(arguments: argparse.Namespace, name: str) -> bool:
    value = getattr(arguments, f"trace_{name}")
    return value is not None and value != []


def _open(
    scenario: Scenario,
    replication: int,
    paths: dict[str, Path],
    selected: tuple[str, Window, Sequence[str]],
) -> Tracing:
    version, window, names = selected
    fresh = [path for path in paths.values() if not path.exists()]
    comment = f"{scenario.title}, seed {scenario.seed}, replication {replication}"
    try:
        return Tracing(
            scenario,
            comment,
            pcap=paths.get("pcap"),
            timeline=paths.get("timeline"),
            qlog=paths.get("qlog"),
            qlog_version=version,
            from_ns=window.start_ns,
            until_ns=window.end_ns,
            names=names,
        )
    except OSError as error:
        for path in fresh:  # remove new files that were opened before the error
            with contextlib.suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        failed = Path(error.filename)
        option = next(name for name, path in paths.items() if path in (failed, failed.parent))
        raise InputError(f"--{option} {error.filename}: {describe(error)}") from error


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


def window_of(scenario: Scenario, start: str | None, end: str | None, prefix: str) -> Window:
    """Window between two times of the command line; raises `InputError` if they do not form one."""
    lasts = scenario.duration_ns
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

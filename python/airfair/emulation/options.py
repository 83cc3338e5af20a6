"""Options of `airfair emulate` for the arguments of `airfair.Emulation`."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from airfair import _core
from airfair.errors import OptionError
from airfair.names import did_you_mean

from . import backend, congestion, joining, web

if TYPE_CHECKING:
    Words = str | os.PathLike[str]


def of_machine(kind: str | None, duration: str | None, *, spin: bool) -> list[str]:
    """Options for the kind of the interfaces, the time and the way to wait; raises `OptionError`."""
    if kind is not None and kind not in backend.KINDS:
        hint = did_you_mean(kind, backend.KINDS)
        raise OptionError(f"backend = {kind!r}: allowed is {' or '.join(backend.KINDS)}{hint}")
    options = [] if kind is None else ["--backend", kind]
    if duration is not None:
        if seconds("duration", duration) <= 0:
            raise OptionError(f"duration = {duration!r}: allowed is a time above 0")
        options += ["--duration", duration]
    return [*options, "--spin"] if spin else options


def of_picture(port: object) -> list[str]:
    """Options for a live picture; raises `OptionError` for no port."""
    if port is None:
        return []
    if type(port) is not int or not 0 <= port <= web.LARGEST_PORT:
        raise OptionError(
            f"web = {port!r}: allowed is a port from 0 to {web.LARGEST_PORT}; 0 takes a free one"
        )
    return ["--web", str(port)]


def of_joined(nodes: Mapping[str, Words], scenario: _core.Scenario) -> list[str]:
    """Options for the nodes that join namespaces; raises `OptionError`."""
    try:
        paths = joining.paths(nodes, scenario)
    except joining.JoiningError as error:
        raise OptionError(f"nodes: {error}") from error
    return [word for node, path in paths.items() for word in ("--node", f"{node}={path}")]


def of_congestion(
    chosen: str | Mapping[str, str] | None, joined: Mapping[str, Words], scenario: _core.Scenario
) -> list[str]:
    """Options for the congestion control of nodes; raises `OptionError`."""
    if isinstance(chosen, str):
        words = [chosen]
    else:
        words = [f"{node}={name}" for node, name in (chosen or {}).items()]
    try:
        congestion.pairs(words, [*scenario.stations, *scenario.hosts], joined)
    except congestion.CongestionError as error:
        raise OptionError(f"congestion_control: {error}") from error
    return [word for text in words for word in ("--congestion-control", text)]


def of_traces(pcap: Words | None, timeline: Words | None) -> list[str]:
    """Options for the trace files; raises `OptionError` if both are the same file."""
    given = {"pcap": pcap, "timeline": timeline}
    # The file must not begin with a dash, and the working directory may change before the start.
    paths = {name: Path(file).absolute() for name, file in given.items() if file is not None}
    if len({path.resolve() for path in paths.values()}) < len(paths):
        raise OptionError(f"timeline = {str(timeline)!r}: this is also the file of pcap")
    return [word for name, path in paths.items() for word in (f"--{name}", str(path))]


def seconds(name: str, text: str) -> float:
    """Time in seconds; raises `OptionError` with the name of its argument."""
    try:
        time = float(_core.quantity(text, "time"))
    except (TypeError, ValueError) as error:
        raise OptionError(f"{name} = {text!r}: allowed is a time such as '5 s'") from error
    if not math.isfinite(time):
        raise OptionError(f"{name} = {text!r}: allowed is a finite time")
    return time

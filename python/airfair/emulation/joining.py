"""Existing network namespaces, which nodes of an emulation join."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from airfair._core import Scenario
from airfair.names import did_you_mean

from .mistakes import MistakeError

ENGINES = ("docker", "podman")
"""Programs that know the processes of containers by name."""
ALLOWED = "a path such as /run/netns/NAME, pid:N, docker:NAME or podman:NAME"


class JoiningError(MistakeError):
    """Raised for a node that cannot join a namespace; the text has node, place and what is allowed."""

    option = "--node"


def paths(joined: Mapping[str, str | os.PathLike[str]], scenario: Scenario) -> dict[str, Path]:
    """Path of the namespace of each node in `joined`. Raises `JoiningError`."""
    names = [*scenario.stations, *scenario.hosts]
    found = {}
    for node, place in joined.items():
        if node not in names:
            raise JoiningError(
                f"{node!r}: the scenario has no such station or host{did_you_mean(node, names)}"
            )
        found[node] = _path(node, place)
    return found


def pairs(options: Iterable[str]) -> dict[str, str]:
    """Nodes and places of options such as `a=pid:1234`. Raises `JoiningError`."""
    found: dict[str, str] = {}
    for text in options:
        node, equals, place = text.partition("=")
        if not equals or not node or not place:
            raise JoiningError(f"{text!r}: allowed is NODE=PLACE, and as PLACE {ALLOWED}")
        if node in found:
            raise JoiningError(f"{text!r}: {node} joins {found[node]} already")
        found[node] = place
    return found


def _path(node: str, place: str | os.PathLike[str]) -> Path:
    kind, colon, name = os.fspath(place).partition(":")
    if colon and kind == "pid":
        return _of_process(f"{node} = pid:{name}", name)
    if colon and kind in ENGINES:
        label = f"{node} = {kind}:{name}"
        return _of_process(label, _process(label, kind, name))
    path = Path(place)
    if not path.exists():
        raise JoiningError(f"{node} = {os.fspath(place)}: no such file; allowed is {ALLOWED}")
    return path


def _of_process(label: str, process: str) -> Path:
    path = Path("/proc") / process / "ns/net"
    if not process.isdecimal() or not path.exists():
        raise JoiningError(f"{label}: no such process; allowed is {ALLOWED}")
    return path


def _process(label: str, engine: str, name: str) -> str:
    """Process id of a container."""
    words = [engine, "inspect", "--format", "{{.State.Pid}}", "--", name]
    try:
        done = subprocess.run(words, capture_output=True, check=False, text=True)
    except OSError as error:
        raise JoiningError(f"{label}: {engine} is not installed") from error
    if done.returncode != 0:
        said = done.stderr.strip().partition("\n")[0] or f"{engine} failed"
        raise JoiningError(f"{label}: {said}")
    process = done.stdout.strip()
    if process == "0":
        raise JoiningError(f"{label}: the container does not run")
    return process

"""`airfair shell`: starts a shell in a network namespace of a running emulation."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from airfair import _core
from airfair.cli.status import FAILED, InputError, complain
from airfair.errors import describe
from airfair.names import did_you_mean

if TYPE_CHECKING:
    from airfair.emulation.running import Running


def main(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit status."""
    if sys.platform != "linux":
        raise InputError("airfair shell runs on Linux only: it needs network namespaces")
    found = _find(arguments)
    network = found.network(arguments.name)
    user = Path(f"/proc/{found.process}/ns/user")
    try:
        is_ours = user.readlink() == Path("/proc/self/ns/user").readlink()
        _core.emulation_enter(str(network), str(found.hosts), user=None if is_ours else str(user))
    except OSError as error:
        return complain(FAILED, f"{arguments.name}: {describe(error)}")
    os.environ["AIRFAIR_NODE"] = arguments.name
    words = arguments.rest or [os.environ.get("SHELL", "/bin/sh")]
    try:
        os.execvp(words[0], words)  # noqa: S606 - it is the user's own command
    except OSError as error:
        raise InputError(f"{words[0]}: {describe(error)}") from error


def _find(arguments: argparse.Namespace) -> Running:
    from airfair.emulation import running

    every = running.all_running(running.folder())
    if not every:
        raise InputError(
            "you have no running emulation; start one with: airfair emulate SCENARIO.toml"
        )
    with_name = [one for one in every if one.network(arguments.name) is not None]
    if not with_name:
        names = [node["name"] for one in every for node in one.state["nodes"]]
        hint = did_you_mean(arguments.name, names)
        raise InputError(
            f"{arguments.name!r}: no running emulation has such a station or host{hint}; allowed "
            f"{', '.join(names)}"
        )
    chosen = [one for one in with_name if arguments.pid in (None, one.process)]
    if len(chosen) != 1:
        processes = ", ".join(str(one.process) for one in with_name)
        raise InputError(
            f"{arguments.name!r}: several running emulations have it; choose one with --pid, allowed "
            f"{processes}"
        )
    return chosen[0]

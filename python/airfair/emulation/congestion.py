"""TCP congestion control of the nodes of an emulation."""

from __future__ import annotations

import errno
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from airfair import _core
from airfair.errors import describe
from airfair.names import did_you_mean

from .mistakes import MistakeError

_SETTINGS = Path("/proc/sys/net/ipv4")
_NAME = re.compile(r"[\w-]{1,15}", re.ASCII)
"""Form of the kernel's names of congestion controls."""


class CongestionError(MistakeError):
    """Raised for a congestion control that a node cannot have."""

    option = "--congestion-control"


def pairs(options: Iterable[str], names: Iterable[str], joined: Collection[str]) -> dict[str, str]:
    """Congestion control of nodes, by options such as `server=bbr`, or `bbr` for all nodes.

    An option for one node replaces that for all nodes. The nodes in `joined` have none: they join existing
    namespaces, which keep theirs. Raises `CongestionError`.
    """
    everywhere: str | None = None
    found: dict[str, str] = {}
    for text in options:
        node, equals, name = text.rpartition("=")
        if equals and node in found:
            raise CongestionError(f"{text!r}: {node} has {found[node]} already")
        if not equals and everywhere is not None:
            raise CongestionError(f"{text!r}: all nodes have {everywhere} already")
        if equals:
            found[node] = name
        else:
            everywhere = name
    known = list(names)
    for node in found:
        if node not in known:
            hint = did_you_mean(node, known)
            raise CongestionError(f"{node!r}: the scenario has no such station or host{hint}")
        if node in joined:
            raise CongestionError(
                f"{node!r}: joins a namespace, which keeps its congestion control"
            )
    if everywhere is None:
        return found
    return {**{node: everywhere for node in known if node not in joined}, **found}


def check(chosen: Mapping[str, str]) -> None:
    """Raise `CongestionError` if the kernel refuses a congestion control to a namespace."""
    for node, name in chosen.items():
        said = f"{node} = {name!r}"
        if _NAME.fullmatch(name) is None:
            raise CongestionError(f"{said}: no name of a congestion control; {_available()}")
        try:
            _core.emulation_congestion(name)
        except OSError as error:
            raise CongestionError(f"{said}: {_why(name, error)}") from error


def _why(name: str, error: OSError) -> str:
    """Reason of the kernel, with what it allows."""
    if error.errno == errno.ENOENT:
        return f"the kernel has no such congestion control; {_available()}"
    if error.errno == errno.EPERM:
        key, allowed = "tcp_allowed_congestion_control", _words("tcp_allowed_congestion_control")
        return (
            f"the kernel does not permit it in a namespace; allowed are {', '.join(allowed)}; to permit it: "
            f"sudo sysctl net.ipv4.{key}='{' '.join([*allowed, name])}'"
        )
    return f"{describe(error)}; {_available()}"


def _available() -> str:
    return f"available are {', '.join(_words('tcp_available_congestion_control'))}"


def _words(key: str) -> list[str]:
    try:
        return (_SETTINGS / key).read_text(encoding="ascii").split()
    except OSError:
        return []

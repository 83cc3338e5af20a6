"""Choice between the kinds of network interfaces, by what this process may create."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path

from airfair import _core
from airfair.errors import describe

KINDS = ("TAP", "veth")
"""Kinds of interfaces, the faster one first."""
FASTER = "TAP devices are faster"
"""First words of the line that names the step to the faster kind."""

_SYSCTLS = Path("/proc/sys")
_FORBIDDING = {
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "0"),  # Ubuntu 24.04
    "kernel/unprivileged_userns_clone": ("0", "1"),  # Debian before 11
    "user/max_user_namespaces": ("0", "10000"),
}
"""Values of sysctls that forbid user namespaces, with values that permit them."""


class Place(Enum):
    """Network namespaces in which an emulation makes its interfaces."""

    OF_ROOT = "network namespaces, as root"
    OF_USER = "a user namespace, without root"


@dataclass(frozen=True)
class Choice:
    """Kind of interfaces that this process may create."""

    kind: str
    place: Place
    refusal: OSError | None = None
    """Reason against TAP devices, if the kind is veth because of it."""

    @property
    def report(self) -> str:
        """Kind and place in words."""
        return f"{_REPORTED[self.kind]} in {self.place.value}"

    @property
    def advice(self) -> str | None:
        """Step to the faster kind; `None` if this is the faster kind or the user's own choice."""
        if self.refusal is None:
            return None
        return f"{FASTER}; /dev/net/tun: {describe(self.refusal)}; {_opens_devices(self.refusal)}"


_REPORTED = {"TAP": "TAP devices", "veth": "pairs of interfaces"}


def is_report(line: str) -> bool:
    """True for the lines on interfaces and written files, which are no errors."""
    return line.startswith((FASTER, "wrote ", *_REPORTED.values()))


class NotPermittedError(Exception):
    """Raised if no kind of interface can be created; the message has reasons and remedies."""

    def __init__(self, as_root: OSError, as_user: OSError, remedy: str) -> None:
        self.lines = (
            "this process cannot make the network namespaces that an emulation needs",
            f"as root: {describe(as_root)}",
            f"without root, in a user namespace: {describe(as_user)}",
            remedy,
        )
        super().__init__("; ".join(self.lines))


def choose(wanted: str | None = None) -> Choice:
    """Best permitted kind of interface, or `wanted`; this process enters a user namespace if it needs one.

    Raises `NotPermittedError`.
    """
    as_root = OSError("not tried")
    if wanted != "veth":
        refusal = _refusal(partial(_core.emulation_try, "TAP"))
        if refusal is None:
            return Choice("TAP", Place.OF_ROOT)
        as_root = refusal
    if (refusal := _refusal(_core.emulation_isolate)) is not None:
        raise NotPermittedError(as_root, refusal, _opens_namespaces())
    refusals: list[OSError] = []
    for kind in KINDS if wanted is None else (wanted,):
        refusal = _refusal(partial(_core.emulation_try, kind))
        if refusal is None:
            return Choice(kind, Place.OF_USER, refusals[0] if refusals else None)
        refusals.append(refusal)
    remedy = _opens_devices(refusals[0]) if wanted == "TAP" else _opens_namespaces()
    raise NotPermittedError(as_root, refusals[-1], remedy)


def _refusal(attempt: Callable[[], None]) -> OSError | None:
    """Error of an attempt; `None` if it succeeds."""
    try:
        attempt()
    except OSError as error:
        return error
    return None


def _opens_devices(refusal: OSError) -> str:
    """Step that opens TAP devices to a user, by the error of an attempt."""
    if refusal.errno in {errno.ENOENT, errno.ENODEV, errno.ENXIO}:
        return "load its module: sudo modprobe tun (a container: --device /dev/net/tun)"
    if refusal.errno == errno.EACCES:
        return "open it: sudo chmod 0666 /dev/net/tun (to last, a udev rule: docs/emulator.md, Backends)"
    return "permit the device to this process (a container: --device /dev/net/tun)"


def _opens_namespaces() -> str:
    """Step that permits user namespaces, by the sysctl that forbids them."""
    for key, (forbids, permits) in _FORBIDDING.items():
        try:
            value = (_SYSCTLS / key).read_text().strip()
        except OSError:
            continue
        if value == forbids:
            return f"permit user namespaces: sudo sysctl {key.replace('/', '.')}={permits}; or run as root"
    return "run as root with /dev/net/tun, or permit user namespaces (a container forbids them by seccomp)"

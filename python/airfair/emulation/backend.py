"""Choice between the kinds of network interfaces, by what this process may create."""

from __future__ import annotations

from airfair import _core
from airfair.errors import describe


class NotPermittedError(Exception):
    """Raised if no kind of interface can be created; the message has reasons and remedies."""

    def __init__(self, tap: OSError, veth: OSError) -> None:
        self.lines = (
            "this process cannot make the network namespaces that an emulation needs",
            f"as root, with TAP devices: {describe(tap)}",
            f"without root, in a user namespace: {describe(veth)}",
            "run as root with /dev/net/tun, or permit user namespaces (sysctl user.max_user_namespaces)",
        )
        super().__init__("; ".join(self.lines))


MEANING = {
    "TAP": "TAP devices in network namespaces, as root",
    "veth": "pairs of interfaces in a user namespace, without root",
}


def choose(wanted: str | None = None) -> str:
    """Best permitted kind of interface, or `wanted`; with "veth", this process has entered a user namespace.

    Raises `NotPermittedError`.
    """
    tap = OSError("not tried")
    if wanted != "veth":
        try:
            _core.emulation_try("TAP")
        except OSError as error:
            if wanted is not None:
                raise NotPermittedError(error, OSError("not tried")) from error
            tap = error
        else:
            return "TAP"
    try:
        _core.emulation_isolate()
        _core.emulation_try("veth")
    except OSError as veth:
        raise NotPermittedError(tap, veth) from veth
    return "veth"

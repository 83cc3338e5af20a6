"""Names of the runs: combinations of flows, receivers, channels, access. The studies say what each is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from airfair.experiment.claims import Readings
from airfair.reproduce import studies

if TYPE_CHECKING:
    from airfair.scenario import Value

_TESTBED, _VARIED, _ACCESS, _SIZES = (
    studies.declared("tfrc-friendliness", study)
    for study in ("testbed", "varied", "dedicated", "sizes")
)

COMBINATIONS = ((1, 1), (2, 2), (3, 3), (5, 5), (10, 10), (10, 1), (1, 10))
"""TCP and TFRC flows of Figures 2 and 3."""
EQUAL = tuple(pair for pair in COMBINATIONS if pair[0] == pair[1])
TEN, MANY = (10, 1), (10, 10)
"""The combinations that the text names."""
ALONE = (2, 4, 10, 20)
"""Flows of one protocol in Figure 4."""
MIXED = (3, 1)
"""TCP and TFRC flows of Figures 5 and 6."""
FLAVOURS: Mapping[str, str] = _TESTBED["words"]["flavour"]

QUEUES = (50, 100, 200)
"""Packets that the access point holds, in the finding about it. 50 is airfair's default."""
HELD = ((5, 5), MANY)
"""Combinations in which they are compared."""
OPEN: Mapping[str, tuple[str, Mapping[str, Value]]] = {
    id_: (label, _VARIED["factors"]["change"][id_])
    for id_, label in _VARIED["words"]["change"].items()
}
"""Settings that the paper leaves open, one changed at a time."""
VARIED = (MANY,)
"""Combinations in which they are."""

DECIDES = "wireless-bits-2e-5"
"""The variant that decides the claims on the testbed: the nearest to Figure 5's total of those that fit."""
NEAR = ("wireless-periods-150", "wireless-periods-1000")
"""The others whose total could be the printed one."""
IDEAL = "wireless-ideal"
CANDIDATES = tuple(
    f"{part['receiver']}-{channel}"
    for part in studies.declared("tfrc-friendliness", "calibration")["design"]
    for channel in part["air"]
)
"""Receivers and channels that were tried."""


def told(variant: str) -> str:
    """A receiver and a channel in words."""
    receiver, _, channel = variant.partition("-")
    words: str = _TESTBED["words"]["air"][channel]
    return words if receiver == "wireless" else f"{words}, receiver {receiver}"


AS_READ = Readings(DECIDES, near=NEAR, beside=(IDEAL,))
"""Receivers and channels under which the testbed's claims are decided, and one that decides nothing."""
VARIANTS = {variant: told(variant) for variant in AS_READ}
PLACES = Readings(told(DECIDES), near=tuple(map(told, NEAR)))
"""Result of the calibration, by labels of candidates."""

ACCESS = {
    "dedicated": "dedicated links",
    "wlan-11": "802.11b at 11 Mb/s",
    "wlan-1": "802.11b at 1 Mb/s",
}
"""Kinds of access of Figures 8 and 10. The first is the paper's: all links have 1 Mb/s."""
PLUS = "dedicated-plus"
"""Dedicated links with Westwood+ in place of Westwood."""
SINCE_2004 = "dedicated-2004"
"""Dedicated links with the defaults that ns-2 has had since 2004."""
SIZES: tuple[str, ...] = tuple(_SIZES["factors"]["octets"])
"""Octets of TFRC's packets on the wire."""
PAPERS_SIZE = "500"
SIMULATED: Mapping[str, str] = {
    figure: keys["link.BS0-H0.rate"] for figure, keys in _ACCESS["factors"]["figure"].items()
}
"""Rate of the link BS0 - H0."""


def mixed(flavour: str, tcp: int, tfrc: int) -> str:
    """Id of the setup with `tcp` and `tfrc` flows."""
    return f"{flavour}-{tcp}-{tfrc}"


def queues(tcp: int, tfrc: int) -> str:
    """Id of the setup in which SACK meets TFRC under several queues."""
    return f"queues-{tcp}-{tfrc}"


def varied(flavour: str, tcp: int, tfrc: int) -> str:
    """Id of the setup in which open settings are varied."""
    return f"varied-{flavour}-{tcp}-{tfrc}"


def alone(protocol: str, flows: int) -> str:
    """Id of the setup with flows of one protocol only."""
    return f"{protocol}-alone-{flows}"


def simulated(figure: str, access: str) -> tuple[str, str]:
    """Setup and variant of a figure under a kind of access."""
    return (f"{figure}-{access.partition('-')[0]}", access)

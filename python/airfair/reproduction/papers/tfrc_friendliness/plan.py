"""Names of the variants: combinations of flows, receivers, channels, access. Study files declare each."""

from __future__ import annotations

from collections.abc import Mapping

from airfair.experiment.claims import Readings
from airfair.reproduction import studies
from airfair.reproduction.paper import Json
from airfair.scenario import Value

PRINTED: Json = studies.printed("tfrc-friendliness")
_TESTBED, _VARIED, _ACCESS, _SIZES = (
    studies.declared("tfrc-friendliness", study)
    for study in ("testbed", "varied", "dedicated", "sizes")
)

COMBINATIONS = ((1, 1), (2, 2), (3, 3), (5, 5), (10, 10), (10, 1), (1, 10))
"""Numbers of TCP and TFRC flows in Figures 2 and 3."""
EQUAL = tuple(pair for pair in COMBINATIONS if pair[0] == pair[1])
TEN, MANY = (10, 1), (10, 10)
"""Combinations that the text names."""
ALONE = (2, 4, 10, 20)
"""Numbers of flows of one protocol in Figure 4."""
MIXED = (3, 1)
"""Numbers of TCP and TFRC flows in Figures 5 and 6."""
FLAVOURS: Mapping[str, str] = _TESTBED["words"]["flavour"]

QUEUES = (50, 100, 200)
"""Lengths of the access point's queue in a finding [packets]; 50 is airfair's default."""
HELD = ((5, 5), MANY)
"""Combinations in which lengths of the queue are compared."""
OPEN: Mapping[str, tuple[str, Mapping[str, Value]]] = {
    id_: (label, _VARIED["factors"]["change"][id_])
    for id_, label in _VARIED["words"]["change"].items()
}
"""Settings that the paper leaves open, one changed at a time."""
VARIED = (MANY,)
"""Combinations in which open settings are varied."""

DECIDES = "wireless-bits-2e-5"
"""Deciding variant of the testbed: the one that fits and is nearest to the total of Figure 5."""
NEAR = ("wireless-periods-150", "wireless-periods-1000")
"""Near variants, whose total also fits the printed one."""
IDEAL = "wireless-ideal"
CANDIDATES = tuple(
    f"{part['receiver']}-{channel}"
    for part in studies.declared("tfrc-friendliness", "calibration")["design"]
    for channel in part["air"]
)
"""Receivers and channels that the calibration compares."""


def told(variant: str) -> str:
    """Text for a variant, that is a receiver and a channel."""
    receiver, _, channel = variant.partition("-")
    words: str = _TESTBED["words"]["air"][channel]
    return words if receiver == "wireless" else f"{words}, receiver {receiver}"


AS_READ = Readings(DECIDES, near=NEAR, beside=(IDEAL,))
"""Variants under which claims on the testbed are decided, and one that decides nothing."""
VARIANTS = {variant: told(variant) for variant in AS_READ}
PLACES = Readings(told(DECIDES), near=tuple(map(told, NEAR)))
"""Result of the calibration, by labels of candidates."""

ACCESS = {
    "dedicated": "dedicated links",
    "wlan-11": "802.11b at 11 Mb/s",
    "wlan-1": "802.11b at 1 Mb/s",
}
"""Kinds of access in Figures 8 and 10. The first is the paper's, in which all links have 1 Mb/s."""
PLUS = "dedicated-plus"
"""Dedicated links with Westwood+ in place of Westwood."""
SINCE_2004 = "dedicated-2004"
"""Dedicated links with the defaults that ns-2 has had since 2004."""
SIZES: tuple[str, ...] = tuple(_SIZES["factors"]["octets"])
"""Sizes of TFRC's packets on the wire [octets]."""
PAPERS_SIZE = "500"
SIMULATED: Mapping[str, str] = {
    figure: keys["link.BS0-H0.rate"] for figure, keys in _ACCESS["factors"]["figure"].items()
}
"""Rate of the link BS0 - H0, by figure."""


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

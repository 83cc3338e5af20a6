"""Which scenario runs in which variants: combinations, receivers, channels, kinds of access."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from airfair.reproduce.paper import Setup, Variant

if TYPE_CHECKING:
    from airfair.scenario import Value

COMBINATIONS = ((1, 1), (2, 2), (3, 3), (5, 5), (10, 10), (10, 1), (1, 10))
"""TCP and TFRC flows of Figures 2 and 3; the text names 10/1 and 10/10, the others are ours [D-046]."""
EQUAL = tuple(pair for pair in COMBINATIONS if pair[0] == pair[1])
TEN, MANY = (10, 1), (10, 10)
"""The combinations that the text names."""
ALONE = (2, 4, 10, 20)
"""Flows of one protocol in Figure 4."""
MIXED = (3, 1)
"""TCP and TFRC flows of Figures 5 and 6."""
FLAVOURS = {"reno": "TCP Reno", "sack": "TCP SACK"}

RECEIVERS = {"wireless": "desktop", "wired": "server"}
"""Word for a receiver, and its name in the scenario."""


@dataclass(frozen=True)
class Channel:
    """Errors of frames on the air of the laboratory."""

    label: str
    """Which frames are spoilt: so many, by wrong bits, in bad periods of a mean length beside good ones."""
    errors: Value


def _periods(good: str, bad: str) -> Channel:
    model: dict[str, Value] = {"model": "gilbert-elliott", "mean_good": good, "mean_bad": bad}
    return Channel(f"bad periods of {bad} after {good}", model)


def _frames(probability: float) -> Channel:
    return Channel(
        f"{probability:.0%} of the frames", {"model": "bernoulli", "probability": probability}
    )


def _bits(rate: str) -> Channel:
    return Channel(f"bit errors {rate}", {"model": "bit", "ber": float(rate)})


CHANNELS: Mapping[str, Channel] = {
    "ideal": Channel("ideal", "none"),
    **{f"frames-{p:.0%}".rstrip("%"): _frames(p) for p in (0.05, 0.1, 0.15, 0.2, 0.3)},
    **{f"bits-{rate}": _bits(rate) for rate in ("1e-5", "2e-5", "3e-5")},
    **{f"periods-{ms}": _periods("1 s", f"{ms} ms") for ms in (50, 100, 150, 200)},
    "periods-1000": _periods("10 s", "1 s"),
    "snr-7": Channel("SNR of 7 dB", {"model": "snr", "snr": "7 dB"}),
    "snr-6.5": Channel("SNR of 6.5 dB", {"model": "snr", "snr": "6.5 dB"}),
}
"""The candidates: kinds of what an indoor channel may do, each at a few levels."""
WIRED = ("ideal", "frames-20", "frames-30", "bits-3e-5", "periods-200", "snr-6.5")
"""Those tried with a wired receiver too, which leaves twice as much of the air: the worst of each kind."""

QUEUES = (50, 100, 200)
"""Packets that the access point holds, in the finding about it. 50 is airfair's default."""
HELD = ((5, 5), MANY)
"""Combinations in which they are compared."""

OPEN: Mapping[str, tuple[str, Mapping[str, Value]]] = {
    "file": ("as in the file", {}),
    "byte-counting": ("byte counting", {"flow.tcp.transport.byte_counting": True}),
    "no-delay": ("no delayed ACKs", {"flow.tcp.transport.delayed_ack": False}),
    "window-32": ("window 32 kB", {"flow.tcp.transport.receive_window": "32 kB"}),
    "rto-1s": ("RTO from 1 s on", {"flow.tcp.transport.min_rto": "1 s"}),
    "tfrc-1000": ("TFRC of 1000 B", {"flow.tfrc.transport.segment": "1000 B"}),
    "rfc5348": ("TFRC of 2008", {"flow.tfrc.transport.profile": "rfc5348"}),
    "ns-2": ("TFRC of ns-2", {"flow.tfrc.transport.profile": "ns-2"}),
    "ap-20": ("AP queue 20", {"bss.lan.ap.queue": {"packets": 20}}),
    "ap-100": ("AP queue 100", {"bss.lan.ap.queue": {"packets": 100}}),
    "pc-50": ("PC queue 50", {"station.laptop.queue": {"packets": 50}}),
    "short": ("short preamble", {"bss.lan.preamble": "short"}),
}
"""Settings that the paper leaves open, one changed at a time."""
VARIED = (MANY,)
"""Combinations in which they are."""

DECIDES = "wireless-bits-2e-5"
"""The variant that decides the claims on the testbed: the nearest to Figure 5's total of those that fit."""
NEAR = ("wireless-periods-150", "wireless-periods-1000")
"""The others whose total could be the printed one."""
IDEAL = "wireless-ideal"


PLACES = (
    *(f"wireless-{channel}" for channel in CHANNELS),
    *(f"wired-{channel}" for channel in WIRED),
)
"""Receivers and channels that were tried."""


def told(variant: str) -> str:
    """A receiver and a channel in words."""
    receiver, _, channel = variant.partition("-")
    words = CHANNELS[channel].label
    return words if receiver == "wireless" else f"{words}, receiver {receiver}"


VARIANTS = {variant: told(variant) for variant in (DECIDES, *NEAR, IDEAL)}
"""Receivers and channels under which the testbed's claims are told."""

QUICK: Mapping[str, Value] = {"duration": "120 s"}
"""A quick look at the testbed: one minute is counted, not two."""
FEW = 5
"""Replications of what goes beyond the paper."""

ACCESS = {
    "dedicated": "dedicated links",
    "wlan-11": "802.11b at 11 Mb/s",
    "wlan-1": "802.11b at 1 Mb/s",
}
"""Kinds of access of Figures 8 and 10. The first is the paper's: all links have 1 Mb/s."""
PLUS = "dedicated-plus"
"""Dedicated links with Westwood+ in place of Westwood."""
SIMULATED = {"fig8": "1 Mb/s", "fig10": "4 Mb/s"}
"""Rate of the link BS0 - H0."""


def mixed(flavour: str, tcp: int, tfrc: int) -> str:
    """Id of the setup with so many flows of each."""
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


def setups(directory: Path) -> dict[str, Setup]:
    """Everything that is run."""
    all_setups = [
        _calibration(directory),
        *(_mixed(directory, f, *pair) for f in FLAVOURS for pair in (*COMBINATIONS, MIXED)),
        *(_queues(directory, *pair) for pair in HELD),
        *(_varied(directory, f, *pair) for f in FLAVOURS for pair in VARIED),
        *(_alone(directory, protocol, n) for protocol in ("reno", "tfrc") for n in ALONE),
        *(setup for figure in SIMULATED for setup in _simulated(directory, figure)),
    ]
    return {setup.id: setup for setup in all_setups}


def _variants(
    keys: Mapping[str, Value], flows: tuple[str, ...], variants: Iterable[str]
) -> tuple[Variant, ...]:
    """Receivers and channels."""

    def channel(variant: str) -> dict[str, Value]:
        receiver, _, channel = variant.partition("-")
        to: dict[str, Value] = {f"flow.{flow}.to": RECEIVERS[receiver] for flow in flows}
        return {**keys, **to, "bss.lan.errors": CHANNELS[channel].errors}

    return tuple(Variant(id_, channel(id_)) for id_ in variants)


def _calibration(directory: Path) -> Setup:
    """Figure 5 with each receiver and channel."""
    variants = _variants(_counts("reno", *MIXED), ("tcp", "tfrc"), PLACES)
    return Setup("calibration", directory / "testbed.toml", variants, QUICK)


def _mixed(directory: Path, flavour: str, tcp: int, tfrc: int) -> Setup:
    variants = _variants(_counts(flavour, tcp, tfrc), ("tcp", "tfrc"), VARIANTS)
    return Setup(mixed(flavour, tcp, tfrc), directory / "testbed.toml", variants, QUICK)


def _counts(flavour: str, tcp: int, tfrc: int) -> dict[str, Value]:
    return {
        "flow.tcp.transport.flavour": flavour,
        "flow.tcp.count": tcp,
        "flow.tfrc.count": tfrc,
    }


def _decided(flavour: str, tcp: int, tfrc: int) -> Mapping[str, Value]:
    """The variant that decides, with so many flows."""
    (variant,) = _variants(_counts(flavour, tcp, tfrc), ("tcp", "tfrc"), [DECIDES])
    return variant.set


def _varied(directory: Path, flavour: str, tcp: int, tfrc: int) -> Setup:
    variants = tuple(
        Variant(id_, {**_decided(flavour, tcp, tfrc), **keys}) for id_, (_, keys) in OPEN.items()
    )
    return _beyond(varied(flavour, tcp, tfrc), directory / "testbed.toml", variants)


def _queues(directory: Path, tcp: int, tfrc: int) -> Setup:
    variants = tuple(
        Variant(
            str(packets),
            {**_decided("sack", tcp, tfrc), "bss.lan.ap.queue": {"packets": packets}},
        )
        for packets in QUEUES
    )
    return _beyond(queues(tcp, tfrc), directory / "testbed.toml", variants)


def _beyond(id_: str, path: Path, variants: tuple[Variant, ...]) -> Setup:
    return Setup(id_, path, variants, QUICK, replications=FEW, extension=True)


def _alone(directory: Path, protocol: str, flows: int) -> Setup:
    name = "tfrc" if protocol == "tfrc" else "tcp"
    variants = _variants({f"flow.{name}.count": flows}, (name,), VARIANTS)
    return Setup(alone(protocol, flows), directory / f"{name}-alone.toml", variants, QUICK)


def simulated(figure: str, access: str) -> tuple[str, str]:
    """Setup and variant of a figure under a kind of access."""
    return (f"{figure}-{access.partition('-')[0]}", access)


def _simulated(directory: Path, figure: str) -> list[Setup]:
    """One setup for the dedicated links, one for the cell."""
    rate = SIMULATED[figure]
    keys: dict[str, Value] = {"link.BS0-H0.rate": rate}

    def variant(id_: str, more: dict[str, Value]) -> Variant:
        return Variant(id_, {**keys, **more})

    plus: dict[str, Value] = {"flow.westwood.transport.flavour": "westwood+"}
    links = (
        variant("dedicated", {}),
        variant(PLUS, plus),
    )
    cells = tuple(variant(f"wlan-{n}", {"station.S.rate": f"{n} Mb/s"}) for n in (11, 1))
    return [
        Setup(f"{figure}-dedicated", directory / "dedicated-access.toml", links),
        _beyond(f"{figure}-wlan", directory / "wlan-access.toml", cells),
    ]

"""Which scenario runs in which variants: combinations, receivers, channels, kinds of access."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from airfair.reproduce.paper import Setup, Variant

if TYPE_CHECKING:
    from airfair.scenario import Value

COMBINATIONS = ((1, 1), (2, 2), (3, 3), (5, 5), (10, 10), (10, 1), (1, 10))
"""TCP and TFRC flows of Figures 2 and 3; the text names 10/1 and 10/10, the others are ours [D-046]."""
EQUAL = tuple(pair for pair in COMBINATIONS if pair[0] == pair[1])
ALONE = (2, 4, 10, 20)
"""Flows of one protocol in Figure 4."""
MIXED = (3, 1)
"""TCP and TFRC flows of Figures 5 and 6."""
FLAVOURS = {"reno": "TCP Reno", "sack": "TCP SACK"}

RECEIVERS = {"wireless": "desktop", "wired": "server"}
"""Word for a receiver, and its name in the scenario."""


@dataclass(frozen=True)
class Channel:
    """What spoils frames on the air of the laboratory."""

    label: str
    """Which frames are spoilt: so many, by wrong bits, in bad periods of a mean length beside good ones."""
    errors: Value


def _periods(good: str, bad: str) -> Channel:
    model: dict[str, Value] = {"model": "gilbert-elliott", "mean_good": good, "mean_bad": bad}
    return Channel(f"bad {bad} / {good}".replace(" ms", "ms").replace(" s", "s"), model)


def _frames(probability: float) -> Channel:
    return Channel(f"frames {probability:.0%}", {"model": "bernoulli", "probability": probability})


CHANNELS: Mapping[str, Channel] = {
    "ideal": Channel("ideal", "none"),
    "frames-5": _frames(0.05),
    "frames-10": _frames(0.1),
    "frames-20": _frames(0.2),
    "frames-30": _frames(0.3),
    "bits-1e-5": Channel("bits 1e-5", {"model": "bit", "ber": 1e-5}),
    "bits-3e-5": Channel("bits 3e-5", {"model": "bit", "ber": 3e-5}),
    "periods-50": _periods("1 s", "50 ms"),
    "periods-100": _periods("1 s", "100 ms"),
    "periods-1000": _periods("10 s", "1 s"),
    "snr-7": Channel("SNR 7 dB", {"model": "snr", "snr": "7 dB"}),
    "snr-6": Channel("SNR 6 dB", {"model": "snr", "snr": "6 dB"}),
}
"""Channels of Figure 5's table. None is fitted: they span what an indoor channel may do."""
BAD = "periods-100"
"""Stands for a bad radio channel where one is shown beside the ideal one."""

QUEUES = (50, 100, 200)
"""Packets that the access point holds, in the finding about it. 50 is airfair's default."""

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
VARIED = ((1, 1), (10, 10))
"""Combinations in which they are."""

DECIDES = "wireless-ideal"
"""The variant that decides the claims on the testbed: both PCs have 802.11b cards, and nothing is
known of the channel."""
BESIDE = {
    "wired-ideal": "receiver wired",
    f"wireless-{BAD}": "bad periods on the air",
    f"wired-{BAD}": "receiver wired, bad periods",
}
"""Other variants, and what to call them."""
VARIANTS = {DECIDES: "receiver wireless", **BESIDE}

ACCESS = {
    "dedicated": "dedicated links",
    "wlan-11": "802.11b at 11 Mb/s",
    "wlan-1": "802.11b at 1 Mb/s",
}
"""Kinds of access of Figures 8 and 10. The first is the paper's: all links have 1 Mb/s."""
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
        *(_mixed(directory, f, *pair) for f in FLAVOURS for pair in (*COMBINATIONS, MIXED)),
        *(_queues(directory, *pair) for pair in EQUAL),
        *(_varied(directory, f, *pair) for f in FLAVOURS for pair in VARIED),
        *(_alone(directory, protocol, n) for protocol in ("reno", "tfrc") for n in ALONE),
        *(setup for figure in SIMULATED for setup in _simulated(directory, figure)),
    ]
    return {setup.id: setup for setup in all_setups}


def _channel(receiver: str, channel: str, flows: tuple[str, ...]) -> dict[str, Value]:
    to: dict[str, Value] = {f"flow.{flow}.to": RECEIVERS[receiver] for flow in flows}
    return {**to, "bss.lan.errors": CHANNELS[channel].errors}


def _variants(
    keys: Mapping[str, Value], flows: tuple[str, ...], channels: tuple[str, ...]
) -> tuple[Variant, ...]:
    return tuple(
        Variant(
            f"{receiver}-{channel}",
            f"receiver {receiver}, channel {CHANNELS[channel].label}",
            {**keys, **_channel(receiver, channel, flows)},
        )
        for receiver in RECEIVERS
        for channel in channels
    )


def _mixed(directory: Path, flavour: str, tcp: int, tfrc: int) -> Setup:
    keys = _counts(flavour, tcp, tfrc)
    channels = tuple(CHANNELS) if (tcp, tfrc) == MIXED else ("ideal", BAD)
    variants = _variants(keys, ("tcp", "tfrc"), channels)
    return Setup(mixed(flavour, tcp, tfrc), directory / "testbed.toml", variants)


def _counts(flavour: str, tcp: int, tfrc: int) -> dict[str, Value]:
    return {
        "flow.tcp.transport.flavour": flavour,
        "flow.tcp.count": tcp,
        "flow.tfrc.count": tfrc,
    }


def _varied(directory: Path, flavour: str, tcp: int, tfrc: int) -> Setup:
    variants = tuple(
        Variant(id_, label, {**_counts(flavour, tcp, tfrc), **keys})
        for id_, (label, keys) in OPEN.items()
    )
    return Setup(varied(flavour, tcp, tfrc), directory / "testbed.toml", variants)


def _queues(directory: Path, tcp: int, tfrc: int) -> Setup:
    keys = _counts("sack", tcp, tfrc)
    variants = tuple(
        Variant(
            str(packets),
            f"{packets} packets at the access point",
            {**keys, "bss.lan.ap.queue": {"packets": packets}},
        )
        for packets in QUEUES
    )
    return Setup(queues(tcp, tfrc), directory / "testbed.toml", variants)


def _alone(directory: Path, protocol: str, flows: int) -> Setup:
    name = "tfrc" if protocol == "tfrc" else "tcp"
    variants = _variants({f"flow.{name}.count": flows}, (name,), ("ideal", BAD))
    return Setup(alone(protocol, flows), directory / f"{name}-alone.toml", variants)


def simulated(figure: str, access: str) -> tuple[str, str]:
    """Setup and variant of a figure under a kind of access."""
    return (f"{figure}-{access.partition('-')[0]}", access)


def _simulated(directory: Path, figure: str) -> list[Setup]:
    """One setup for the dedicated links, one for the cell."""
    rate = SIMULATED[figure]
    keys: dict[str, Value] = {"link.BS0-H0.rate": rate}

    def variant(access: str, more: dict[str, Value]) -> Variant:
        return Variant(access, f"{ACCESS[access]}, BS0 - H0 {rate}", {**keys, **more})

    cells = [variant(f"wlan-{n}", {"station.S.rate": f"{n} Mb/s"}) for n in (11, 1)]
    return [
        Setup(
            f"{figure}-dedicated", directory / "dedicated-access.toml", (variant("dedicated", {}),)
        ),
        Setup(f"{figure}-wlan", directory / "wlan-access.toml", tuple(cells)),
    ]

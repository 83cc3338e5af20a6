"""Cells in which the kernel's TCP is compared with simulated TCP that is configured as in Linux."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

STANDARDS = {"11b": ("802.11b", "11 Mb/s", "1 Mb/s"), "11a": ("802.11a", "54 Mb/s", "6 Mb/s")}
"""Standard, and rates of a fast and of a slow station, by label."""
WAYS = {"up": ("up",), "down": ("down",), "both": ("up", "down")}
FLAVOURS = ("newreno", "cubic", "bbr1")
LOSSES = (0, 1, 3)
"""Random loss on the wire, in both directions [%]."""
KERNELS = '{{ kind = "tcp", stack = "kernel", flavour = "{}" }}'
LINUX = """{{ kind = "tcp", flavour = "{}", sack = true, loss_recovery = "rack", arithmetic = "linux", \
timestamps = true, segment = "1448 B", initial_window = 10, min_rto = "200 ms", \
delayed_ack = {{ segments = 2, timeout = "40 ms" }}, quick_acks = 16, window_scaling = true, \
receive_window = "WINDOW", byte_counting = true, grow_beyond_receive_window = false, handshake = true }}"""
"""Simulated TCP configured as in Linux; `docs/scenario-linux.md` explains each key."""


TFRC = "tfrc"
"""Value in place of a TCP flavour, for comparing `airfair tfrc` over real UDP with simulated TFRC."""
REAL_TFRC, SIMULATED_TFRC = '{ kind = "tfrc", stack = "kernel" }', '{ kind = "tfrc" }'


@dataclass(frozen=True)
class KernelCell:
    """Cell of a comparison: a scenario without the transport of its flows."""

    name: str
    head: str
    """TOML of the scenario without its flows."""
    flows: dict[str, tuple[str, str]]
    flavour: str = "newreno"
    control: str = "none"
    warmup: int = 2
    """Warm-up [s]."""
    window: str = "3 MB"
    """Receive window of simulated TCP, which never shrinks."""

    def text(self, transport: str, seconds: int) -> str:
        """Scenario file with a transport for its flows, lasting `seconds`."""
        text = f'duration = "{seconds} s"\nwarmup = "{self.warmup} s"\nseries = "off"\n{self.head}'
        text += f'[host.server]\nlink = {{ rate = "100 Mb/s", delay = "2 ms"{self.loss()} }}\n'
        for name, (sender, receiver) in self.flows.items():
            text += (
                f'[flow.{name}]\nfrom = "{sender}"\nto = "{receiver}"\ncontrol = "{self.control}"\n'
            )
            text += f"transport = {self._settings(transport)}\n"
        return text

    def _settings(self, transport: str) -> str:
        if self.flavour == TFRC:
            return REAL_TFRC if transport == KERNELS else SIMULATED_TFRC
        return transport.format(self.flavour).replace("WINDOW", self.window)

    def loss(self) -> str:
        """TOML of the random loss on the server's link, whose percentage ends the cell's name."""
        percent = int(self.name.rsplit(" ", 1)[1].rstrip("%")) if self.name.endswith("%") else 0
        probability = f"probability = {percent / 100}"
        return f', loss = {{ model = "bernoulli", {probability} }}' if percent else ""


def flows(stations: tuple[str, ...], way: str) -> dict[str, tuple[str, str]]:
    """Ends of a flow for each station and direction, by name."""
    found = {}
    for station, direction in itertools.product(stations, WAYS[way]):
        name = f"{station}_{direction}"
        found[name] = (station, "server") if direction == "up" else ("server", station)
    return found


def stacks() -> list[KernelCell]:
    """Cells of all combinations of standards, rates, directions, flavours and losses."""
    found = []
    for label, (standard, fast, slow) in STANDARDS.items():
        rates = {"fast": fast, "slow": slow}
        for stations in (("fast",), ("fast", "slow")):
            head = f'[bss.home]\nstandard = "{standard}"\n'
            head += "".join(f'[station.{it}]\nrate = "{rates[it]}"\n' for it in stations)
            kind = label + (" alone" if len(stations) == 1 else " two")
            for way, flavour, loss in itertools.product(WAYS, FLAVOURS, LOSSES):
                name = f"{kind} {way} {flavour} {loss}%"
                found.append(KernelCell(name, head, flows(stations, way), flavour))
    return found


def is_quick(cell: KernelCell) -> bool:
    """True for a cell with a single flow, whose interval is narrow after a short time."""
    return " alone " in cell.name and len(cell.flows) == 1

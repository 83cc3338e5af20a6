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
delayed_ack = {{ segments = 2, timeout = "40 ms", coalescing = "50 us" }}, quick_acks = 16, \
window_scaling = true, receive_window = "WINDOW", byte_counting = true, \
grow_beyond_receive_window = false, handshake = true, full_queue = "loss", small_queues = "off" }}"""
"""Simulated TCP configured as in Linux over a TAP device; `docs/scenario-linux.md` explains each key."""


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
    ecn: bool = False
    """True if flows take part in explicit congestion notification."""
    delay: str = "2 ms"
    """Delay of the server's link, in each direction."""
    wire: str = 'rate = "100 Mb/s"'
    """TOML of the server's link, without its delay and loss."""
    seconds: int | None = None
    """Duration of a run [s]; `None` for that of the comparison."""

    def text(self, transport: str, seconds: int) -> str:
        """Scenario file with a transport for its flows, lasting `seconds`, or as long as the cell says."""
        seconds = self.seconds or seconds
        text = f'duration = "{seconds} s"\nwarmup = "{self.warmup} s"\nseries = "off"\n{self.head}'
        text += f'[host.server]\nlink = {{ {self.wire}, delay = "{self.delay}"{self.loss()} }}\n'
        for name, (sender, receiver) in self.flows.items():
            text += (
                f'[flow.{name}]\nfrom = "{sender}"\nto = "{receiver}"\ncontrol = "{self.control}"\n'
            )
            text += f"transport = {self._settings(transport)}\n"
        return text

    def _settings(self, transport: str) -> str:
        if self.flavour == TFRC:
            return REAL_TFRC if transport == KERNELS else SIMULATED_TFRC
        settings = transport.format(self.flavour).replace("WINDOW", self.window)
        return settings.replace("{ ", "{ ecn = true, ", 1) if self.ecn else settings

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


def marked() -> list[KernelCell]:
    """Cells whose queues are FQ-CoDel with marks, and flows that answer marks."""
    found = []
    for label, (standard, fast, slow) in STANDARDS.items():
        rates = {"fast": fast, "slow": slow}
        queue = 'queue = { discipline = "fq-codel" }\n'
        for stations in (("fast",), ("fast", "slow")):
            head = f'[bss.home]\nstandard = "{standard}"\nap.{queue}'
            head += "".join(f'[station.{it}]\nrate = "{rates[it]}"\n{queue}' for it in stations)
            kind = label + (" ecn alone" if len(stations) == 1 else " ecn two")
            for way, flavour in itertools.product(("up", "down"), ("newreno", "cubic")):
                name, ends = f"{kind} {way} {flavour}", flows(stations, way)
                found.append(KernelCell(name, head, ends, flavour, ecn=True))
    return found


def starts() -> list[KernelCell]:
    """Cells with the first seconds of a flow over a long path, in which slow start ends."""
    found = []
    for label, (standard, fast, _) in STANDARDS.items():
        queue = "queue = { packets = 100 }\n"
        head = f'[bss.home]\nstandard = "{standard}"\nap.{queue}[station.fast]\nrate = "{fast}"\n{queue}'
        for way, flavour in itertools.product(("up", "down"), ("newreno", "cubic", "bbr1")):
            name, ends = f"{label} start alone {way} {flavour}", flows(("fast",), way)
            cell = KernelCell(name, head, ends, flavour, warmup=0, delay="50 ms", seconds=4)
            found.append(cell)
    return found


def cells() -> list[KernelCell]:
    """All cells of a comparison."""
    return [*stacks(), *marked(), *starts()]


def is_quick(cell: KernelCell) -> bool:
    """True for a cell with a single flow, whose interval is narrow after a short time."""
    return " alone " in cell.name and len(cell.flows) == 1

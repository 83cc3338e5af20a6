"""Compares TCP flows in cells of 802.11b, n and ax with ns-3.37, and finds the rules that differ.

Run from a checkout after `make build`, with Debian's libns3-dev and g++ installed:
`.venv/bin/python bench/ns3/compare_flows.py`. `--record` writes the figures to `flows.json`, which the
documents use.

Each row is a cell: its goodput [Mb/s of TCP payload] in ns-3 as it is, in ns-3 with one rule changed, and in
airfair.

* **n and ax**: one CUBIC flow, up or down. ns-3 passes each packet of an aggregate up when its MPDU has ended
  on the air; airfair does it when the PPDU has ended. With `--whole` ns-3 waits for that as well.
* **b**: NewReno flows up and down, whose frames have one attempt. A station of ns-3 that gets a frame
  and has a packet to send in answer sends it a DIFS after its ACK, without a back-off: the medium was idle
  when the packet came, and ns-3 does not look again after the ACK
  (ChannelAccessManager::NeedBackoffUponAccess). With `--processing` the packet comes 20 µs later, during the
  ACK, and a back-off is drawn. TcpNewReno of ns-3 grows by an ACK and not by octets, as airfair does with
  `byte_counting = false`.

Further conventions of ns-3.37: TcpSocketBase crashes when the receive window is full to the octet, so windows
are 8 MB and never full; after a lost block ack a sender asks for it, as with `after_silence = "request"`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECORD = HERE / "flows.json"
MODULES = ("applications", "internet", "mobility", "point-to-point", "traffic-control", "wifi")
REPLICATIONS = 4
WARMUP = 5


@dataclass(frozen=True)
class Cell:
    """Cell of the comparison."""

    key: str
    standard: str
    uploads: int
    downloads: int
    duration: int
    round_trip_ms: int = 10
    queue: int = 1000
    ap_queue: int = 1000
    attempts: int = 7
    seeds: int = 1

    @property
    def is_b(self) -> bool:
        """True for the cells of NewReno flows in 802.11b."""
        return self.standard == "b"

    @property
    def name(self) -> str:
        """Name of the cell in the table."""
        flows = f"{self.uploads} up, {self.downloads} down"
        if self.is_b:
            return (
                f"b, {flows}, {self.attempts} attempt, {self.ap_queue} packets at the access point"
            )
        return f"{self.standard}, {flows}, {self.round_trip_ms} ms"


CELLS = [
    *(Cell(f"{it}_up_{trip}", it, 1, 0, 20, trip) for it in ("n", "ax") for trip in (10, 50)),
    *(Cell(f"{it}_down_10", it, 0, 1, 20) for it in ("n", "ax")),
    Cell("b_two", "b", 2, 2, 100, queue=100, ap_queue=100, attempts=1, seeds=4),
    Cell("b_four", "b", 4, 4, 100, queue=100, ap_queue=20, attempts=1, seeds=4),
]


def build(scratch: Path) -> Path:
    """Compile the program for ns-3."""
    wanted = [f"ns3-{module}" for module in MODULES]
    found = subprocess.run(
        ["pkg-config", "--libs", *wanted], check=True, capture_output=True, text=True
    )
    # Debian's flags name a directory of headers that does not exist, so only the libraries are used.
    libraries = sorted({flag for flag in found.stdout.split() if flag.startswith("-lns3")})
    program = scratch / "flows_cell"
    source = str(HERE / "flows_cell.cc")
    subprocess.run(["g++", "-std=c++17", "-O2", source, "-o", str(program), *libraries], check=True)
    return program


@dataclass(frozen=True)
class Goodput:
    """Goodput of all flows of a direction: the mean over the runs [Mb/s]."""

    up: float
    down: float

    @property
    def total(self) -> float:
        """Goodput of both directions [Mb/s]."""
        return self.up + self.down

    def __str__(self) -> str:
        if self.up and self.down:
            return f"{self.up:.2f} + {self.down:.2f} = {self.total:.2f}"
        return f"{self.total:.2f}"


def ns3(program: Path, cell: Cell, extra: Sequence[str]) -> Goodput:
    """Return the goodput in ns-3; runs go on in parallel on all processors."""
    keys = {
        "standard": cell.standard,
        "mcs": 11 if cell.standard == "ax" else 7,
        "uploads": cell.uploads,
        "downloads": cell.downloads,
        "flavour": "TcpNewReno" if cell.is_b else "TcpCubic",
        "queue": cell.queue,
        "ap-queue": cell.ap_queue,
        "round-trip": cell.round_trip_ms / 1000,
        "attempts": cell.attempts,
        "duration": cell.duration,
        "warmup": WARMUP,
    }
    command = ["nice", str(program), *(f"--{key}={value}" for key, value in keys.items()), *extra]

    def run(seed: int) -> tuple[float, float]:
        done = subprocess.run(
            [*command, f"--seed={seed}"], check=True, capture_output=True, text=True
        )
        found = json.loads(done.stdout)
        return sum(found["up_mbps"]), sum(found["down_mbps"])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        up, down = zip(*pool.map(run, range(1, cell.seeds + 1)), strict=True)
    return Goodput(statistics.mean(up), statistics.mean(down))


SCENARIO = """
duration = "{duration} s"
warmup   = "{warmup} s"
series   = "off"

[bss.cell]
{cell}
ap = {{ queue = {{ discipline = "fifo", packets = {ap_queue} }} }}
{stations}
[host.server]
link = {{ rate = "1 Gb/s", delay = "{delay} ms", queue = {{ packets = 10000 }} }}
"""
STATION = """
[station.{way}]
count = {count}
rate  = "{rate}"
queue = {{ discipline = "fifo", packets = {queue} }}

[flow.{way}]
from = "{sender}"
to   = "{receiver}"

[flow.{way}.transport]
kind           = "tcp"
flavour        = "{flavour}"
sack           = true
prr            = true
loss_recovery  = "duplicates"
arithmetic     = "rfc"
timestamps     = true
segment        = "1448 B"
delayed_ack    = true
quick_acks     = 0
window_scaling = true
receive_window = "8 MB"
min_rto        = "1 s"
full_queue     = "loss"
small_queues   = "off"
byte_counting  = {byte_counting}
"""


def scenario(cell: Cell, *, byte_counting: bool) -> str:
    """Return the scenario of the cell for airfair."""
    if cell.is_b:
        keys = f'standard = "802.11b"\nbasic_rate = "2 Mb/s"\nmax_attempts = {cell.attempts}'
    else:
        keys = (
            f'standard = "802.11{cell.standard}"\nband = "5 GHz"\nwidth = "20 MHz"\n'
            'guard_interval = "800 ns"\n'
            'aggregation = { max_bytes = "65535 B", after_silence = "request" }'
        )
    rate = {"b": "11 Mb/s", "n": "ht-mcs7", "ax": "he-mcs11x1"}[cell.standard]
    stations = ""
    for way, count in (("up", cell.uploads), ("down", cell.downloads)):
        if count:
            sender, receiver = (way, "server") if way == "up" else ("server", way)
            stations += STATION.format(
                way=way,
                count=count,
                rate=rate,
                queue=cell.queue,
                sender=sender,
                receiver=receiver,
                flavour="newreno" if cell.is_b else "cubic",
                byte_counting=str(byte_counting).lower(),
            )
    return SCENARIO.format(
        duration=cell.duration + WARMUP,
        warmup=WARMUP,
        cell=keys,
        ap_queue=cell.ap_queue,
        stations=stations,
        delay=cell.round_trip_ms / 2,
    )


def ours(cell: Cell, *, byte_counting: bool) -> Goodput:
    """Return the goodput in airfair."""
    import airfair

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cell.toml"
        path.write_text(scenario(cell, byte_counting=byte_counting), encoding="utf-8")
        result = airfair.run(path, replications=REPLICATIONS)
    goodput = {"up": 0.0, "down": 0.0}
    for row in result.flows.iter_rows(named=True):
        way = "up" if row["flow"].startswith("up") else "down"
        goodput[way] += row["delivered_bytes"] * 8e-6 / cell.duration / REPLICATIONS
    return Goodput(goodput["up"], goodput["down"])


def compare(program: Path, cell: Cell) -> dict[str, float]:
    """Run one cell, print its row, and return its figures."""
    changed = ["--whole=1", *(["--processing=0.00002"] if cell.is_b else [])]
    theirs, then = ns3(program, cell, []), ns3(program, cell, changed)
    mine = ours(cell, byte_counting=not cell.is_b)
    columns = [cell.name, str(theirs), str(then), str(mine), f"{mine.total / then.total:.3f}"]
    figures = {
        "ns3": theirs.total,
        "ns3_changed": then.total,
        "airfair": mine.total,
        "off_percent": 100 * abs(mine.total / then.total - 1),
    }
    if cell.is_b:
        rfc = ours(cell, byte_counting=True)
        columns.append(str(rfc))
        for name, goodput in (("ns3", theirs), ("ns3_changed", then), ("airfair", mine)):
            figures[f"{name}_share"] = goodput.down / goodput.up
        figures |= {"airfair_octets": rfc.total, "airfair_octets_share": rfc.down / rfc.up}
    else:
        columns.append("")
    print("| " + " | ".join(columns) + " |", flush=True)
    return {name: round(value, 2) for name, value in figures.items()}


def main() -> int:
    """Print the table. Write it down with `--record`."""
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        print("| cell | ns-3.37 [Mb/s] | one rule changed | airfair | ratio | growth by octets |")
        print("| --- | --- | --- | --- | --- | --- |")
        figures: dict[str, float] = {}
        for cell in CELLS:
            figures |= {f"{cell.key}_{name}": v for name, v in compare(program, cell).items()}
    if "--record" in sys.argv[1:]:
        RECORD.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

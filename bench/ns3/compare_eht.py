"""Compares airfair with ns-3.44 in cells of 802.11be, up to 160 MHz and 1024 MPDUs; prints Markdown.

Run from a checkout after `make build`, with the wheel `ns3` of PyPI (3.44) in any environment, and g++:
`.venv/bin/python bench/ns3/compare_eht.py PATH`, where PATH is the folder `ns3` in its `site-packages`.
`--record` writes the greatest deviations to `eht.json`, which the documents use. Channels
of 320 MHz and punctured ones are not compared; closed forms check them (`crates/sim/tests/lab/modern.rs`).

The table has the goodput [Mb/s of UDP payload] of saturated stations, or of a saturated access point, as in
`compare_cells.py`: mean over the seeds, half width of the 95 % confidence interval, and the calculation. ns-3
may deviate by 3 % from the calculation, and airfair by 3 %, or by the confidence interval of the difference,
from ns-3 after a correction for its longer preambles (column `scale`).

Conventions of ns-3.44 that differ from `compare_cells.py`, and their treatment here:

* A PPDU for one user is an EHT MU PPDU, as in the standard: 20 µs, RL-SIG 4, U-SIG 8, EHT-SIG, EHT-STF 4 and
  the EHT-LTFs. EHT-SIG has 4 µs, and at MCS 0 three symbols, 12 µs; by the standard its 52 bits take two,
  8 µs, as in airfair. The column `scale` corrects for this and for the training fields, at most 0.1 %.
* EHT-LTFs last 8 µs with any guard interval, in airfair 7.2 µs with one of 0.8 µs.
* Data bits of a symbol are not rounded down, and each PPDU has BCC's six tail bits: at most one symbol.
* BlockAcks have bitmaps of 8, 32 or 128 octets, by the window, in both simulators.
* Failures of an MPDU are counted for each MPDU (FrameRetryLimit), without a limit here; airfair's is
  `unlimited`.
* After a collision of equally strong signals no station waits an EIFS; airfair's setting is not to.
* The queue of the access point holds twice the window of each receiver, in order of arrival: an aggregate
  goes to the receiver of the first packet. airfair has a FIFO of the same size, behind a wire of 100 Gb/s.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from compare_cells import (
    AIFS,
    BITS,
    LONGEST_PPDU,
    PAYLOAD,
    SIFS,
    SLOT,
    SUBCARRIERS,
    WITHIN,
    aggregate,
    attempt_rate,
)

HERE = Path(__file__).resolve().parent
RECORD = HERE / "eht.json"
SEEDS = 3
T_975 = {2: 4.303, 4: 2.776}
"""Student's t, two-sided 95 %, by degrees of freedom."""
DURATION, WARMUP = 2, 2
EHT_BITS = (*BITS, 9, 10)
"""Data bits per subcarrier and symbol, by MCS."""
BLOCK_ACK = {64: 32.0, 256: 40.0, 512: 52.0, 1024: 72.0}
"""Duration of a BlockAck at 24 Mb/s, by window [µs]; at 6 Mb/s, which answers MCS 0, see `expected`."""


@dataclass(frozen=True)
class Cell:
    """Cell of the comparison."""

    width: int
    mcs: int
    window: int
    up: int = 1
    down: int = 0
    streams: int = 1

    @property
    def name(self) -> str:
        """Name of the cell in the table."""
        ways = f"{self.up} up" if self.up else f"{self.down} down"
        return f"{self.width} MHz, MCS {self.mcs}x{self.streams}, window {self.window}, {ways}"


CELLS = [
    Cell(20, 13, 64),
    Cell(40, 12, 256),
    Cell(80, 11, 64, up=5),
    Cell(80, 13, 1024),
    Cell(160, 0, 1024),
    Cell(160, 13, 64),
    Cell(160, 13, 1024),
    Cell(160, 13, 1024, streams=2),
    Cell(160, 13, 1024, up=5),
    Cell(80, 12, 256, up=0, down=1),
    Cell(160, 13, 1024, up=0, down=1),
    Cell(160, 13, 1024, up=0, down=1, streams=2),
    Cell(160, 13, 1024, up=0, down=2),
]


def ppdu(cell: Cell, psdu: int, *, by_ns3: bool) -> float:
    """Return the duration of a PPDU with the preamble of ns-3, or else of the standard [µs]."""
    eht_sig = 4 if cell.mcs else 12 if by_ns3 else 8
    preamble = 20.0 + 4 + 8 + eht_sig + 4
    preamble += cell.streams * (8.0 if by_ns3 else 7.2)
    bits = SUBCARRIERS["ax"][cell.width] * EHT_BITS[cell.mcs] * cell.streams
    return preamble + 13.6 * math.ceil(round((16 + 6 + 8 * psdu) / bits, 9))


def mpdus(cell: Cell) -> int:
    """Return the number of MPDUs in the longest aggregate."""
    counts = range(1, cell.window + 1)
    return max(n for n in counts if ppdu(cell, aggregate(n), by_ns3=True) <= LONGEST_PPDU)


def expected(cell: Cell, *, by_ns3: bool) -> float:
    """Return the goodput by Bianchi's model [Mb/s]."""
    count, stations = mpdus(cell), cell.up or 1
    on_air = ppdu(cell, aggregate(count), by_ns3=by_ns3)
    response = BLOCK_ACK[cell.window]
    if cell.mcs == 0:
        response = 20 + 4 * math.ceil((16 + 6 + 8 * (24 + cell.window / 8)) / 24)
    tau = attempt_rate(stations)
    idle = (1 - tau) ** stations
    success = stations * tau * (1 - tau) ** (stations - 1)
    collision = 1 - idle - success
    time = idle * SLOT + success * (on_air + SIFS + response + AIFS) + collision * (on_air + AIFS)
    return success * count * PAYLOAD * 8 / time


def build(ns3: Path, scratch: Path) -> Path:
    """Compile the program with the headers and libraries of the wheel."""
    program, libraries = scratch / "eht_cell", ns3 / "lib64"
    names = [f"-lns3.44-{module}" for module in ("wifi", "network", "mobility", "core")]
    compiler = ["g++", "-std=c++20", "-O2", f"-I{ns3 / 'include'}", str(HERE / "eht_cell.cc")]
    paths = [f"-L{libraries}", f"-Wl,-rpath,{libraries}"]
    subprocess.run([*compiler, "-o", str(program), *paths, *names], check=True)
    return program


def theirs(program: Path, cell: Cell) -> list[float]:
    """Return the goodput of each run of ns-3 [Mb/s]; two runs at a time."""

    def run(seed: int) -> float:
        keys = {
            "width": cell.width,
            "mcs": cell.mcs,
            "streams": cell.streams,
            "uploads": cell.up,
            "downloads": cell.down,
            "window": cell.window,
            "duration": DURATION,
            "warmup": WARMUP,
            "seed": seed,
        }
        command = ["nice", str(program), *(f"--{key}={value}" for key, value in keys.items())]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return float(sum(json.loads(out)["mbps"]))

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(run, range(1, SEEDS + 1)))


# No EIFS after collisions and no limit of attempts: see the conventions above.
SCENARIO = """
duration = "{duration} s"
warmup   = "{warmup} s"
series   = "off"

[bss.cell]
standard        = "802.11be"
band            = "5 GHz"
width           = "{width} MHz"
streams         = {streams}
aggregation     = {{ window = {window} }}
after_collision = "difs"
max_attempts    = "unlimited"
ap              = {{ queue = {{ discipline = "fifo", packets = {queue} }} }}

[station.s]
count = {stations}
rate  = "eht-mcs{mcs}x{streams}"
queue = {{ discipline = "fifo", packets = {queue} }}

[host.server]
link = {{ rate = "100 Gb/s", delay = "1 ms", queue = {{ packets = 5000 }} }}

[flow.f]
from      = "{source}"
to        = "{sink}"
start     = "{start} s"
transport = {{ kind = "udp", payload = "1472 B", rate = "saturated" }}
"""


def ours(cell: Cell) -> list[float]:
    """Return the goodput of each replication of airfair [Mb/s]."""
    import airfair

    source, sink = ("s", "server") if cell.up else ("server", "s")
    stations = cell.up + cell.down
    text = SCENARIO.format(
        duration=DURATION + WARMUP,
        warmup=WARMUP,
        width=cell.width,
        streams=cell.streams,
        window=cell.window,
        mcs=cell.mcs,
        stations=stations,
        queue=2 * cell.window * (cell.down or 1),
        source=source,
        sink=sink,
        start=WARMUP - 0.5,
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cell.toml"
        path.write_text(text, encoding="utf-8")
        result = airfair.run(path, replications=SEEDS)
    goodput = [0.0] * SEEDS
    for row in result.flows.iter_rows(named=True):
        goodput[row["replication"]] += row["delivered_bytes"] * 8e-6 / DURATION
    return goodput


def text(values: list[float]) -> str:
    """Format the mean and the half width of its 95 % confidence interval."""
    half = T_975[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))
    return f"{statistics.mean(values):.1f} ± {half:.1f}"


def compare(program: Path, cell: Cell) -> tuple[float, float, bool]:
    """Run one cell in both simulators and print its row.

    Return the ratios of ns-3 to the calculation and of airfair to ns-3, and if both are near enough to 1.
    """
    measured, model = theirs(program, cell), expected(cell, by_ns3=True)
    scale = expected(cell, by_ns3=False) / model
    scaled, mine = [scale * each for each in measured], ours(cell)
    to_model = statistics.mean(measured) / model
    to_ns3 = statistics.mean(mine) / statistics.mean(scaled)
    spread = math.sqrt((statistics.variance(scaled) + statistics.variance(mine)) / SEEDS)
    allowed = max(WITHIN, T_975[2 * SEEDS - 2] * spread / statistics.mean(scaled))
    is_near = abs(to_model - 1) <= WITHIN and abs(to_ns3 - 1) <= allowed
    columns = [cell.name, str(mpdus(cell)), text(measured), f"{model:.1f}", f"{to_model:.3f}"]
    columns += [f"{scale:.4f}", text(mine), f"{to_ns3:.4f}", "yes" if is_near else "**no**"]
    print("| " + " | ".join(columns) + " |", flush=True)
    return to_model, to_ns3, is_near


def main() -> int:
    """Print the table. Return 1 if a cell deviates too much."""
    flags = [each for each in sys.argv[1:] if each.startswith("--")]
    (ns3,) = (Path(each) for each in sys.argv[1:] if not each.startswith("--"))
    with tempfile.TemporaryDirectory() as folder:
        program = build(ns3, Path(folder))
        print("| cell | MPDUs | ns-3.44 | calculated | ratio | scale | airfair | ratio | near |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        cells = [compare(program, cell) for cell in CELLS]
    if "--record" in flags:
        kept = {
            "cells": len(cells),
            "worst_of_ns3_to_model": round(max(abs(it[0] - 1) for it in cells) * 100, 2),
            "worst_of_airfair_to_ns3": round(max(abs(it[1] - 1) for it in cells) * 100, 2),
        }
        RECORD.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return int(not all(is_near for _, _, is_near in cells))


if __name__ == "__main__":
    sys.exit(main())

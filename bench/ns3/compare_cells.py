"""Compares airfair with ns-3.37 and a calculation by hand, in cells of 802.11n, ac and ax; prints Markdown.

Run from a checkout after `make build`, with Debian's libns3-dev and g++ installed:
`.venv/bin/python bench/ns3/compare_cells.py`. `--ns3-only` leaves airfair out; `--record` writes the greatest
deviations to `cells.json`, which the documents use. `bench/race.py` compares the CPU times.

The table has the goodput [Mb/s of UDP payload] of saturated stations, which are all at one position and
receive each other: the mean over the seeds and the half width of its 95 % confidence interval. ns-3 may
deviate by 3 % from the calculation, which is Bianchi's [bianchi-2000 eq. 7, 9, 13]. airfair may deviate
from ns-3 by 3 %, or by the confidence interval of the difference, after a correction of ns-3's goodput for
its shorter or longer preambles (column `scale`). The calculation:

    An idle slot takes 9 µs, a success PPDU + SIFS + response + AIFS, a collision PPDU + AIFS.
    A success carries K MPDUs of 1538 octets: 1472 of payload, 28 of IP and UDP, 8 of LLC/SNAP, 30 of MAC.
    K is the window, or the number of MPDUs that max_bytes or a PPDU of 5.484 ms hold if it is smaller.
    Responses go at 24 Mb/s: an ACK takes 28 µs, a BlockAck of 32 octets 32 µs.

Conventions of ns-3.37, the classes of src/wifi/model that implement them, and their treatment here:

* After a lost BlockAck the sender contends for a BAR, and the response to the BAR resets the contention
  window (HtFrameExchangeManager::MissedBlockAck, UseExplicitBarAfterMissedBlockAck of QosTxop). So a sender
  of aggregates hardly backs off. Here this is off: the sender repeats the aggregate and doubles the window,
  as most drivers do. One cell has it on, and airfair's `after_silence = "request"`.
* An ACK resets the counter of failures, but a BlockAck does not
  (WifiRemoteStationManager::ReportAmpduTxStatus). Every seventh lost BlockAck, consecutive or not, makes
  the sender drop the whole aggregate and reset the window: 7 % of the goodput of ten stations. Here the
  limit is out of reach (`--attempts`), and airfair's is `unlimited`.
* RTS and CTS come before each PSDU above 65 535 octets (RtsCtsThreshold). Here the threshold is at its
  maximum.
* After a collision of equally strong signals no station waits an EIFS, since none detects a preamble.
  Stations of the standard would wait; airfair's setting is not to. The transmitters of a collision count
  slots from their time-out, 45 µs after the PPDU, and the other stations from AIFS, 43 µs.
* A back-off counts the slot boundary at which it is interrupted (ChannelAccessManager::UpdateBackoff). The
  standard's EDCA does so as well, one slot more than the DCF, and so does airfair in 802.11n, ac and ax. Each
  busy time is then one slot of Bianchi's model, which needs no correction.
* Best effort has a TXOP limit of 0, not 2.528 ms as in the standard of 2020 (WifiMac::ConfigureDcf); AIFSN
  is 3, the windows 15 to 1023.
* HE-LTFs last 8 µs with any guard interval (HePhy::GetTrainingDuration), in airfair 7.2 µs with one of
  0.8 µs: a difference of 0.05 % of a long aggregate, 0.5 % without aggregation.
* VHT-SIG-B is left out of PPDUs for one user (VhtPhy::GetSigBDuration), 4 µs: 0.3 % of a long aggregate,
  2 % without aggregation.
  The column `scale` corrects for these two.
* Data bits of a symbol are not rounded down (HtPhy::GetPayloadDuration), HE has BCC's tail bits, and
  PPDUs with the short guard intervals of HT and VHT do not end on the grid of 4 µs.
* Without aggregation VHT and HE send each MPDU as an S-MPDU of 1542 octets, as the standard does, and HT
  one of 1538.

Stations associate by probes, since the access point sends no beacons. Packets go to the stations' devices
without a network stack, and each queue always holds twice the window, as with a saturated source of
airfair. Uploads end at ns-3's access point; in airfair they end behind a wire without a queue. TCP
downloads have windows of 65 535 octets: with some larger windows ns-3.37 crashes in TcpRateLinux::SkbSent,
by a null pointer.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECORD = HERE / "cells.json"
MODULES = ("applications", "internet", "mobility", "point-to-point", "traffic-control", "wifi")
SEEDS = 5
T_975 = {4: 2.776, 8: 2.306}
"""Student's t, two-sided 95 %, by degrees of freedom."""
WITHIN = 0.03
DURATION, WARMUP = 5, 2
PAYLOAD, MPDU, DELIMITER = 1472, 1538, 4
SLOT, SIFS, AIFS = 9.0, 16.0, 16.0 + 3 * 9.0
WINDOW, STAGES = 16, 6
ACK, BLOCK_ACK = 28.0, 32.0
LONGEST_PPDU = 5484.0

SUBCARRIERS = {
    "n": {20: 52, 40: 108},
    "ac": {20: 52, 40: 108, 80: 234, 160: 468},
    "ax": {20: 234, 40: 468, 80: 980, 160: 1960},
}
"""Number of data subcarriers, by standard and width [MHz]."""
BITS = (0.5, 1, 1.5, 2, 3, 4, 4.5, 5, 6, 20 / 3, 7.5, 25 / 3)
"""Data bits per subcarrier and symbol, by MCS."""


@dataclass(frozen=True)
class Cell:
    """Cell of the comparison."""

    standard: str
    width: int
    mcs: int
    stations: int
    aggregates: bool = True
    streams: int = 1
    guard: int = 800
    max_bytes: int = 131071
    window: int = 64
    ask: bool = False
    downloads: int = 0

    @property
    def name(self) -> str:
        """Name of the cell in the table."""
        kind = f"A-MPDU {self.window}" if self.aggregates else "no aggregation"
        extra = ", asks" if self.ask else ""
        extra += f", {self.downloads} TCP downloads" if self.downloads else ""
        return f"{self.standard} {self.width} MHz MCS {self.mcs}x{self.streams}, {kind}{extra}"


CELLS = [
    *(Cell("ax", 80, 11, n) for n in (1, 2, 5, 10, 20)),
    Cell("ax", 80, 11, 10, ask=True),
    *(Cell("ax", 80, 11, n, aggregates=False) for n in (1, 10)),
    Cell("ax", 20, 0, 10),
    Cell("ax", 20, 5, 10),
    *(Cell("ac", 80, 9, n, max_bytes=65535) for n in (1, 10)),
    Cell("ac", 80, 9, 10, aggregates=False),
    *(Cell("n", 20, 7, n, max_bytes=65535) for n in (1, 10)),
    Cell("n", 20, 7, 10, aggregates=False),
    Cell("ax", 80, 11, 0, downloads=4),
]


def symbol(cell: Cell) -> float:
    """Return the duration of a data symbol [µs]."""
    return (12.8 if cell.standard == "ax" else 3.2) + cell.guard / 1000


def ppdu(cell: Cell, psdu: int, *, by_ns3: bool = True) -> float:
    """Return the duration of a PPDU with the preamble of ns-3, or else of the standard [µs]."""
    training = {1: 1, 2: 2, 3: 4, 4: 4, 5: 6, 6: 6, 7: 8, 8: 8}[cell.streams]
    he_ltf = 8.0 if by_ns3 else {800: 7.2, 1600: 8.0, 3200: 16.0}.get(cell.guard, 0.0)
    preamble = {
        "n": 20 + 8 + 4 + 4 * training,
        "ac": 20 + 8 + 4 + 4 * training + (0 if by_ns3 else 4),
        "ax": 20 + 4 + 8 + 4 + he_ltf * training,
    }[cell.standard]
    per_symbol = SUBCARRIERS[cell.standard][cell.width] * BITS[cell.mcs] * cell.streams
    rate = per_symbol / symbol(cell)
    encoders = {"n": math.ceil(rate / 300), "ac": math.ceil(rate / 600), "ax": 1}[cell.standard]
    bits = 16 + 6 * encoders + 8 * psdu
    return preamble + symbol(cell) * math.ceil(round(bits / per_symbol, 9))


def aggregate(mpdus: int) -> int:
    """Return the octets of an A-MPDU: each subframe except the last is padded to a multiple of four."""
    subframe = DELIMITER + MPDU
    return (mpdus - 1) * (subframe + -subframe % 4) + subframe


def mpdus(cell: Cell) -> int:
    """Return the number of MPDUs in the longest aggregate that the cell allows."""
    if not cell.aggregates:
        return 1

    def fits(count: int) -> bool:
        octets = aggregate(count)
        return octets <= cell.max_bytes and ppdu(cell, octets) <= LONGEST_PPDU

    return max(count for count in range(1, cell.window + 1) if fits(count))


def expected(cell: Cell, *, by_ns3: bool = True) -> float | None:
    """Return the goodput by Bianchi's model [Mb/s]; None for cells that the model does not describe."""
    if cell.ask or cell.downloads:
        return None
    count = mpdus(cell)
    if cell.aggregates:
        octets, response = aggregate(count), BLOCK_ACK
    else:
        octets, response = MPDU + (0 if cell.standard == "n" else DELIMITER), ACK
    if cell.standard == "ax" and cell.mcs == 0:
        # Responses to BPSK go at 6 Mb/s: 20 + 4·12 and 20 + 4·6 µs.
        response = 68.0 if cell.aggregates else 44.0
    on_air = ppdu(cell, octets, by_ns3=by_ns3)
    tau = attempt_rate(cell.stations)
    idle = (1 - tau) ** cell.stations
    success = cell.stations * tau * (1 - tau) ** (cell.stations - 1)
    collision = 1 - idle - success
    time = idle * SLOT + success * (on_air + SIFS + response + AIFS) + collision * (on_air + AIFS)
    return success * count * PAYLOAD * 8 / time


def attempt_rate(stations: int) -> float:
    """Return the probability that a station transmits in a slot.  [bianchi-2000 eq. 7, 9]"""
    low, high = 0.0, 1.0
    for _ in range(60):
        tau = (low + high) / 2
        p = 1 - (1 - tau) ** (stations - 1)
        doublings = sum((2 * p) ** i for i in range(STAGES))
        low, high = (tau, high) if tau < 2 / (1 + WINDOW + p * WINDOW * doublings) else (low, tau)
    return (low + high) / 2


def build(scratch: Path) -> Path:
    """Compile the program for ns-3."""
    wanted = [f"ns3-{module}" for module in MODULES]
    found = subprocess.run(
        ["pkg-config", "--libs", *wanted], check=True, capture_output=True, text=True
    )
    # Debian's flags name a directory of headers that does not exist, so only the libraries are used.
    libraries = sorted({flag for flag in found.stdout.split() if flag.startswith("-lns3")})
    program = scratch / "cell"
    compiler = ["g++", "-std=c++17", "-O2", str(HERE / "cell.cc"), "-o", str(program), *libraries]
    subprocess.run(compiler, check=True)
    return program


def ns3_command(program: Path, cell: Cell, seed: int) -> list[str]:
    """Return the command of one run of ns-3."""
    keys = {
        "standard": cell.standard,
        "width": cell.width,
        "mcs": cell.mcs,
        "streams": cell.streams,
        "guard": cell.guard,
        "uploads": cell.stations,
        "downloads": cell.downloads,
        "aggregation": int(cell.aggregates),
        "max-octets": cell.max_bytes,
        "window": cell.window,
        "ask": int(cell.ask),
        "duration": DURATION,
        "warmup": WARMUP,
        "seed": seed,
    }
    return [str(program), *(f"--{key}={value}" for key, value in keys.items())]


def ns3(program: Path, cell: Cell) -> list[float]:
    """Return the goodput of each run of ns-3 [Mb/s]; runs go on in parallel on all processors."""

    def run(seed: int) -> float:
        command = ["nice", *ns3_command(program, cell, seed)]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found = json.loads(out)
        return float(sum(found["up_mbps"] + found["down_mbps"]))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(run, range(1, SEEDS + 1)))


# No EIFS after collisions and no limit of attempts: see the conventions above.
SCENARIO = """
duration = "{duration} s"
warmup   = "{warmup} s"
series   = "off"

[bss.cell]
standard        = "802.11{standard}"
band            = "5 GHz"
width           = "{width} MHz"
guard_interval  = "{guard} ns"
streams         = {streams}
aggregation     = {aggregation}
after_collision = "difs"
max_attempts    = "unlimited"
ap              = {{ queue = {{ discipline = "fifo", packets = 1000 }} }}
{stations}
[host.server]
link = {{ rate = "1 Gb/s", delay = "1 ms", queue = {{ packets = 1000 }} }}
"""
UPLOADS = """
[station.up]
count = {count}
rate  = "{rate}"
queue = {{ discipline = "fifo", packets = {queue} }}

[flow.up]
from      = "up"
to        = "server"
start     = "{start} s"
transport = {{ kind = "udp", payload = "1472 B", rate = "saturated" }}
"""
DOWNLOADS = """
[station.down]
count = {count}
rate  = "{rate}"
queue = {{ discipline = "fifo", packets = 50 }}

[flow.down]
from      = "server"
to        = "down"
start     = "{start} s"

[flow.down.transport]
kind           = "tcp"
flavour        = "newreno"
sack           = false
loss_recovery  = "duplicates"
arithmetic     = "rfc"
timestamps     = false
segment        = "1460 B"
delayed_ack    = true
initial_window = 10
quick_acks     = 0
window_scaling = false
receive_window = "65535 B"
min_rto        = "1 s"
full_queue     = "loss"
small_queues   = "off"
"""


def scenario(cell: Cell) -> str:
    """Return the scenario of the cell for airfair."""
    rate = {
        "n": f"ht-mcs{cell.mcs + 8 * (cell.streams - 1)}",
        "ac": f"vht-mcs{cell.mcs}x{cell.streams}",
        "ax": f"he-mcs{cell.mcs}x{cell.streams}",
    }[cell.standard]
    stations = ""
    if cell.stations:
        stations += UPLOADS.format(
            count=cell.stations, rate=rate, queue=2 * cell.window, start=WARMUP - 0.5
        )
    if cell.downloads:
        stations += DOWNLOADS.format(count=cell.downloads, rate=rate, start=WARMUP - 1)
    limits = f'max_bytes = "{cell.max_bytes} B", window = {cell.window}'
    if cell.ask:
        limits += ', after_silence = "request"'
    return SCENARIO.format(
        duration=DURATION + WARMUP,
        warmup=WARMUP,
        standard=cell.standard,
        width=cell.width,
        guard=cell.guard,
        streams=cell.streams,
        aggregation=f"{{ {limits} }}" if cell.aggregates else '"off"',
        stations=stations,
    )


def ours(cell: Cell, replications: int = SEEDS) -> list[float] | str:
    """Return the goodput of each replication of airfair [Mb/s], or the message of the error."""
    import airfair  # not needed with `--ns3-only`

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cell.toml"
        path.write_text(scenario(cell), encoding="utf-8")
        try:
            result = airfair.run(path, replications=replications)
        except ValueError as error:
            return str(error).splitlines()[0]
    goodput = [0.0] * replications
    for row in result.flows.iter_rows(named=True):
        goodput[row["replication"]] += row["delivered_bytes"] * 8e-6 / DURATION
    return goodput


def text(values: list[float]) -> str:
    """Format the mean and the half width of its 95 % confidence interval."""
    half = T_975[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))
    return f"{statistics.mean(values):.2f} ± {half:.2f}"


def verdict(theirs: list[float], mine: list[float]) -> str:
    """Return the criterion by which the two agree, or `**no**`."""
    difference = statistics.mean(mine) - statistics.mean(theirs)
    if abs(difference) <= WITHIN * statistics.mean(theirs):
        return "3 %"
    spread = math.sqrt((statistics.variance(theirs) + statistics.variance(mine)) / SEEDS)
    return "spread" if abs(difference) <= T_975[2 * SEEDS - 2] * spread else "**no**"


@dataclass
class Comparison:
    """Result of one cell, as ratios that should be 1."""

    is_off: bool = False
    ns3_to_model: float = 1.0
    airfair_to_ns3: float = 1.0


def compare(program: Path, cell: Cell, *, ns3_only: bool) -> Comparison:
    """Run one cell in both simulators and print its row."""
    theirs = ns3(program, cell)
    columns = [cell.name, str(cell.stations), str(mpdus(cell)), text(theirs)]
    model, standards = expected(cell), expected(cell, by_ns3=False)
    comparison, scale = Comparison(), 1.0
    if model is None or standards is None:
        columns += ["", "", ""]
    else:
        ratio, scale = statistics.mean(theirs) / model, standards / model
        columns += [f"{model:.2f}", f"{ratio:.3f}", f"{scale:.3f}"]
        comparison = Comparison(abs(ratio - 1) > WITHIN, ratio)
    mine = "not asked" if ns3_only else ours(cell)
    if isinstance(mine, str):
        columns += [mine, "", ""]
    else:
        theirs = [scale * each for each in theirs]
        how = verdict(theirs, mine)
        comparison.is_off |= how == "**no**"
        comparison.airfair_to_ns3 = statistics.mean(mine) / statistics.mean(theirs)
        columns += [text(mine), f"{comparison.airfair_to_ns3:.3f}", how]
    print("| " + " | ".join(columns) + " |", flush=True)
    return comparison


def record(cells: list[Comparison]) -> None:
    """Write the number of cells, and the greatest deviation of each ratio from 1 [%]."""

    def worst(ratios: Iterable[float]) -> float:
        return round(max(abs(ratio - 1) for ratio in ratios) * 100, 2)

    kept = {
        "cells": len(cells),
        "worst_of_ns3_to_model": worst(cell.ns3_to_model for cell in cells),
        "worst_of_airfair_to_ns3": worst(cell.airfair_to_ns3 for cell in cells),
    }
    RECORD.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """Print the table. Return 1 if a cell deviates too much."""
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        print(
            "| cell | stations | MPDUs | ns-3.37 [Mb/s] | calculated | ratio | scale "
            "| airfair | ratio | within |"
        )
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        ns3_only = "--ns3-only" in sys.argv[1:]
        cells = [compare(program, cell, ns3_only=ns3_only) for cell in CELLS]
    if "--record" in sys.argv[1:]:
        record(cells)
    return int(any(cell.is_off for cell in cells))


if __name__ == "__main__":
    sys.exit(main())

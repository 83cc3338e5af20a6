"""Compares airfair with ns-2.35 on TCP uploads and downloads in one 802.11b cell; prints Markdown.

Run from a checkout after `make build`, with `ns` installed:
`.venv/bin/python bench/ns2/compare_updown.py [JSON]`. JSON is the file to which the
numbers are written. The documents use `bench/ns2/updown.json`.

The table has the segments per second that the receivers of a direction deliver in order after the warm-up:
the mean of their sum over the seeds, and the half width of its 95 % confidence interval. Two values agree if
they differ by at most 15 %, or if zero lies in the 95 % interval of the difference of the means.

Cells with four flows and seven attempts starve the downlink, and ns-2's Sack1 deviates there. In recovery
it subtracts one packet from its count of packets in flight for each ACK that arrives, but the access
point's full queue drops a third of the uplinks' ACKs. The count stays above the window, the sender sends
nothing, and a time-out follows. An uplink in time-outs leaves airtime and queue to the downlink. ns-2's
Linux sender counts by its scoreboard, as RFC 6675 and airfair do. The last rows use this sender, and deviate
only by the statistical spread of few packets.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import airfair

HERE = Path(__file__).resolve().parent
SEEDS = 5
T_975 = {4: 2.776, 8: 2.306}
"""Student's t, two-sided 95 %, by degrees of freedom."""
FLOWS = (1, 2, 4)
QUEUES = (20, 100)
ATTEMPTS = (2, 7)
DURATION, WARMUP = 120, 20
SEGMENT, WINDOW = 1460, 700
DIRECTIONS = ("down", "up")
WITHIN = 0.15

Samples = dict[str, list[float]]
"""Goodput [packets/s] of each run, by direction."""
Rows = dict[str, dict[str, tuple[float, float]]]
"""Means with their half widths [packets/s], by cell, simulator and direction."""


@dataclass(frozen=True)
class Cell:
    """Cell of the comparison: flows per direction, the access point's queue, and the limit of attempts."""

    flows: int
    queue: int
    attempts: int
    sender: str = "Sack1"
    """TCP sender of ns-2; airfair's is the same in every cell."""

    @property
    def label(self) -> str:
        """Name of the cell in the record."""
        linux = "" if self.sender == "Sack1" else f", {self.sender}"
        return f"n = {self.flows}, Q = {self.queue}, M_t = {self.attempts}{linux}"


def ns2_run(cell: Cell, seed: int) -> dict[str, list[int]]:
    """Run ns-2 once."""
    keys: dict[str, int | str] = {
        "flows": cell.flows,
        "queue": cell.queue,
        "attempts": cell.attempts,
    }
    keys |= {"seed": seed, "duration": DURATION, "warmup": WARMUP, "sender": cell.sender}
    options = [part for key, value in keys.items() for part in (f"-{key}", str(value))]
    command = ["ns", "updown_fairness.tcl", *options]
    out = subprocess.run(command, cwd=HERE, check=True, capture_output=True, text=True).stdout
    run: dict[str, list[int]] = json.loads(next(s for s in out.splitlines() if s.startswith("{")))
    return run


def ns2(cell: Cell) -> Samples:
    """Run ns-2 with each seed, in parallel on all processors."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = list(pool.map(lambda seed: ns2_run(cell, seed), range(1, SEEDS + 1)))
    span = DURATION - WARMUP
    return {way: [sum(run[f"segments_{way}"]) / span for run in runs] for way in DIRECTIONS}


# ns-2 adds 34 octets of MAC to a packet; airfair adds 36 with LLC/SNAP and 28 without. The TCP settings
# are those of docs/scenario-ns2.md, with a larger window and delayed ACKs.
SCENARIO = """
duration = "{duration} s"
warmup   = "{warmup} s"
series   = "off"

[bss.cell]
standard     = "802.11b"
basic_rates  = ["1 Mb/s", "2 Mb/s"]
eifs         = "ns-2"
llc_snap     = true
max_attempts = {attempts}
ap           = {{ queue = {{ packets = {queue} }} }}

[station.down]
count = {flows}
queue = {{ packets = 100 }}

[station.up]
count = {flows}
queue = {{ packets = 100 }}

[host.server]
link = {{ rate = "100 Mb/s", delay = "1 ms", queue = {{ packets = 1000 }} }}

[flow.down]
from         = "server"
to           = "down"
start_jitter = "1 s"
transport    = {{ {transport} }}

[flow.up]
from         = "up"
to           = "server"
start_jitter = "1 s"
transport    = {{ {transport} }}
"""
TRANSPORT = f"""
kind = "tcp", flavour = "sack", segment = "{SEGMENT} B", initial_window = 2,
receive_window = "{SEGMENT * WINDOW} B", window_scaling = true, initial_ssthresh = {WINDOW},
delayed_ack = {{ segments = 2, timeout = "100 ms" }}, min_rto = "200 ms", tick = "10 ms",
byte_counting = false, grow_beyond_receive_window = true
""".replace("\n", " ").strip()


def scenario(cell: Cell) -> str:
    """Return the scenario of the cell for airfair."""
    return SCENARIO.format(
        duration=DURATION,
        warmup=WARMUP,
        transport=TRANSPORT,
        flows=cell.flows,
        queue=cell.queue,
        attempts=cell.attempts,
    )


def ours(cell: Cell) -> Samples:
    """Run airfair with each seed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "updown.toml"
        path.write_text(scenario(cell), encoding="utf-8")
        result = airfair.run(path, replications=SEEDS)
    samples = {way: [0.0] * SEEDS for way in DIRECTIONS}
    for row in result.flows.iter_rows(named=True):
        way = "down" if row["flow"].startswith("down") else "up"
        samples[way][row["replication"]] += row["delivered_bytes"] / SEGMENT / (DURATION - WARMUP)
    return samples


def half_width(values: list[float]) -> float:
    """Return the half width of the 95 % confidence interval of the mean."""
    return T_975[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))


def verdict(theirs: list[float], mine: list[float]) -> str:
    """Return the criterion by which the two agree, or `**no**`."""
    difference = statistics.mean(mine) - statistics.mean(theirs)
    if abs(difference) <= WITHIN * statistics.mean(theirs):
        return "15 %"
    spread = math.sqrt((statistics.variance(theirs) + statistics.variance(mine)) / SEEDS)
    return "spread" if abs(difference) <= T_975[2 * SEEDS - 2] * spread else "**no**"


def compare(cell: Cell, rows: Rows) -> int:
    """Print the lines of one cell and store its numbers. Return the number of directions that deviate."""
    theirs, mine = ns2(cell), ours(cell)
    row = rows.setdefault(cell.label, {})
    off = 0
    for way in DIRECTIONS:
        a, b = theirs[way], mine[way]
        how = verdict(a, b)
        off += how == "**no**"
        row[f"ns-2 {way}"] = (statistics.mean(a), half_width(a))
        row[f"airfair {way}"] = (statistics.mean(b), half_width(b))
        print(
            f"| {cell.sender} | {cell.flows} | {cell.queue} | {cell.attempts} | {way} "
            f"| {statistics.mean(a):.1f} ± {half_width(a):.1f} "
            f"| {statistics.mean(b):.1f} ± {half_width(b):.1f} "
            f"| {statistics.mean(b) / statistics.mean(a):.2f} | {how} |",
            flush=True,
        )
    return off


def main() -> int:
    """Print the table. Return 1 if a direction deviates too much."""
    cells = [Cell(*values) for values in product(FLOWS, QUEUES, ATTEMPTS)]
    cells += [Cell(4, queue, 7, "Linux") for queue in QUEUES]
    print(
        "| sender | flows | queue | attempts | way | ns-2.35 [packets/s] | airfair | ratio | within |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    off, rows = 0, Rows()
    for number, cell in enumerate(cells, start=1):
        print(f"{number} of {len(cells)}: {cell}", file=sys.stderr)
        off += compare(cell, rows)
    if len(sys.argv) > 1:
        document = {"rows": rows, "all": 2 * len(cells), "off": off}
        Path(sys.argv[1]).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return int(off > 0)


if __name__ == "__main__":
    sys.exit(main())

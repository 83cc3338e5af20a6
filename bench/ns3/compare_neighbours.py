"""Compares airfair with ns-3.37 and calculations, in several cells on one channel; prints Markdown.

Run from a checkout after `make build`: `.venv/bin/python bench/ns3/compare_neighbours.py`. ns-3's figures are
those of `neighbours.json`. `--run` runs ns-3 instead, with Debian's libns3-dev and g++ installed, and
`--record` also writes its figures to the file. `--ns3-only` leaves airfair out, `--row TEXT` takes the rows
whose names contain the text.

The table has the goodput [Mb/s of UDP payload] of a cell, as the mean over the seeds and the half width of
its 95 % confidence interval; `outer` and `middle` are the cells of three in a row. Two nodes receive each
other, or sense nothing of each other. Senders are saturated. `calculated` is Bianchi's model where all nodes
receive each other, and a Markov network [boorstyn-1987] for cells in a row with a constant window. airfair
may deviate from ns-3 by 3 %, after a correction for ns-3's preambles (column `scale`), or by the interval of
the difference. For a starved cell 2 % of what a cell has alone are enough, which the column `within` says.

Conventions of ns-3.37, the classes of src/wifi/model that implement them, and their treatment here:

* The conventions of `compare_cells.py` hold too: attempts are not limited, a lost BlockAck repeats the data,
  collisions of frames that begin together have no EIFS, and HE-LTFs last 8 µs.
* EIFS after a frame with errors ends SIFS + ACK at 6 Mb/s + DIFS (or AIFS) after the end of that frame
  (ChannelAccessManager::GetAccessGrantStart). A later busy period does not begin it again, and a frame that
  is received, or the node's own, cancels it. A frame whose preamble was not detected has none, such as one
  that begins while another is received. airfair's key is `eifs = "ns-3"`. The rows `no EIFS` have a listener
  in the program that calls each reception correct, and airfair's `eifs = "none"`.
* All signals are equally strong. Of two frames that overlap at a receiver, the later one is not received and
  the earlier one has errors; of an aggregate only the MPDUs that overlap have (InterferenceHelper). EIFS
  follows an aggregate if all its MPDUs have errors (PhyEntity::EndReceivePayload).
* At the signal-to-interference ratio of 0 dB that this means, BPSK has few errors (TableBasedErrorRateModel),
  so that 6 Mb/s survives overlaps, as L-SIG does. Data here are faster. With NistErrorRateModel L-SIG is lost
  as well, and the node then sends into the rest of the frame, which it no longer senses: the middle cell gets
  a third (one run). With the table that happened in 3 of 1222 attempts in the middle of three cells of n
  without aggregation, and in 4 of 42 of ax with A-MPDUs.
* A second preamble within the 4 µs in which the first is detected (PreambleDetectionPeriod) hides both. The
  node senses their energy, and waits an AIFS after them.
* The channel's delay is 3 ns between any two nodes.

airfair's cells have `channel = 36` and `hears`, the cells that all members of a cell hear. Access points that
do not hear each other hear the stations of the other cell alone (`ap.hears`).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from neighbours_cells import NAMES, ROWS, Row, alone, expected

HERE = Path(__file__).resolve().parent
RECORD = HERE / "neighbours.json"
MODULES = ("mobility", "network", "propagation", "wifi")
WARMUP = 2
SEEDS = 10
T_975 = 2.262
"""Student's t, two-sided 95 %, with 9 degrees of freedom."""
WITHIN, WITHIN_CAPACITY = 0.03, 0.02


@dataclass
class Figure:
    """Goodput of a cell [Mb/s]: mean over the seeds and their standard deviation."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, samples: list[float]) -> Figure:
        """Return the figure of one sample for each seed."""
        return cls(statistics.mean(samples), statistics.stdev(samples))

    @property
    def half_width(self) -> float:
        """Half width of the 95 % confidence interval of the mean."""
        return T_975 * self.deviation / math.sqrt(SEEDS)

    def __str__(self) -> str:
        """Mean and half width of its interval."""
        return f"{self.mean:.2f} ± {self.half_width:.2f}"


@dataclass
class Runs:
    """Goodput of the stations of each cell [Mb/s], by seed, and CPU time of a simulated second [s]."""

    mbps: list[list[list[float]]]
    cpu: float = math.nan

    def figures(self, row: Row) -> dict[str, Figure]:
        """Return the figure of each group of cells; `least` is the cell of a run that has the least."""
        cells = [[sum(stations) for stations in run] for run in self.mbps]
        found = {
            group: Figure.of([statistics.mean(run[i] for i in places) for run in cells])
            for group, places in row.groups.items()
        }
        if row.layout == "hidden-aps":
            found["least"] = Figure.of([min(run) for run in cells])
        return found

    def stations(self) -> list[list[float]]:
        """Return the mean of each station of each cell."""
        return [
            [round(statistics.mean(seeds), 3) for seeds in zip(*cell, strict=True)]
            for cell in zip(*self.mbps, strict=True)
        ]


@dataclass
class Recorded:
    """Figures of ns-3 for a row."""

    figures: dict[str, Figure]
    cpu: float
    stations: list[list[float]] = field(default_factory=list)

    @classmethod
    def read(cls, row: Row) -> Recorded:
        """Return the figures of the record."""
        kept = json.loads(RECORD.read_text(encoding="utf-8"))["rows"][row.name]
        figures = {name: Figure(*pair) for name, pair in kept["mbps"].items()}
        return cls(figures, kept["cpu_s_per_s"], kept["stations_mbps"])

    def write(self, row: Row) -> None:
        """Replace the row of the record."""
        rows = json.loads(RECORD.read_text(encoding="utf-8"))["rows"] if RECORD.exists() else {}
        rows[row.name] = {
            "options": " ".join(row.options()),
            "mbps": {
                name: [round(one.mean, 4), round(one.deviation, 4)]
                for name, one in self.figures.items()
            },
            "stations_mbps": self.stations,
            "calculated": {name: round(value, 4) for name, value in expected(row).items()},
            "alone": round(alone(row), 4),
            "cpu_s_per_s": round(self.cpu, 3),
            "seeds": SEEDS,
            "seconds": row.seconds,
        }
        ordered = {one.name: rows[one.name] for one in ROWS if one.name in rows}
        RECORD.write_text(json.dumps({"rows": ordered}, indent=1) + "\n", encoding="utf-8")


def build(scratch: Path) -> Path:
    """Compile the program for ns-3."""
    wanted = [f"ns3-{module}" for module in MODULES]
    found = subprocess.run(
        ["pkg-config", "--libs", *wanted], check=True, capture_output=True, text=True
    )
    # Debian's flags name a directory of headers that does not exist, so only the libraries are used.
    libraries = sorted({flag for flag in found.stdout.split() if flag.startswith("-lns3")})
    program, source = scratch / "neighbours_cell", HERE / "neighbours_cell.cc"
    compiler = ["g++", "-std=c++17", "-O2", str(source), "-o", str(program), *libraries]
    subprocess.run(compiler, check=True)
    return program


def ns3(program: Path, row: Row) -> Recorded:
    """Return the figures of ns-3; runs go on in parallel on all processors."""

    def run(seed: int) -> dict[str, object]:
        times = [f"--duration={row.seconds}", f"--warmup={WARMUP}", f"--seed={seed}"]
        command = ["nice", "-n", "10", str(program), *row.options(), *times]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return dict(json.loads(out))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(run, range(1, SEEDS + 1)))
    runs = Runs([one["mbps"] for one in found])  # type: ignore[misc]
    cpu = min(float(str(one["cpu_s"])) for one in found) / row.seconds
    return Recorded(runs.figures(row), cpu, runs.stations())


CELL = """
[bss.{name}]
standard        = "802.11{standard}"
{modern}max_attempts    = "unlimited"
eifs            = "{eifs}"
cw_min          = {cw_min}
cw_max          = {cw_max}
{hearing}
[bss.{name}.ap]
queue = {{ discipline = "{discipline}", packets = {queue} }}
{ap}
[station.{name}_sta]
bss   = "{name}"
count = {stations}
rate  = "{rate}"
queue = {{ discipline = "fifo", packets = {queue} }}

[host.{name}_host]
link = {{ to = "{name}", rate = "10 Gb/s", delay = "1 ms", queue = {{ packets = 1000 }} }}

[flow.{name}]
from      = "{source}"
to        = "{sink}"
start     = "{start} s"
transport = {{ kind = "udp", payload = "1472 B", rate = "saturated" }}
"""
WINDOW = 64


def hearing(row: Row, name: str) -> tuple[str, str]:
    """Return the keys of a cell and of its access point that say whom they hear."""
    cell, ap = "channel         = 36\n", ""
    others = row.hears()[name]
    if row.layout in {"middle", "apart"}:
        cell += f"hears           = {json.dumps(others)}\n"
    elif row.layout == "hidden-aps":
        ap = f"hears = {json.dumps([f'{other}_sta' for other in others])}\n"
    return cell, ap


def scenario(row: Row) -> str:
    """Return the scenario of the row for airfair."""
    modern = f'band            = "5 GHz"\nwidth           = "{row.width} MHz"\n'
    limits = f'{{ max_bytes = "{row.max_octets} B", window = {WINDOW} }}'
    modern += f"aggregation     = {limits if row.aggregation else json.dumps('off')}\n"
    if row.standard == "ax":
        modern += 'guard_interval  = "800 ns"\n'
    rates = {"a": f"{row.mcs} Mb/s", "n": f"ht-mcs{row.mcs}", "ax": f"he-mcs{row.mcs}x1"}
    document = f'duration = "{row.seconds + WARMUP} s"\nwarmup   = "{WARMUP} s"\nseries   = "off"\n'
    for name in NAMES[: row.cells]:
        ends = f"{name}_sta", f"{name}_host"
        cell, ap = hearing(row, name)
        document += CELL.format(
            name=name,
            standard=row.standard,
            modern="" if row.standard == "a" else modern,
            eifs="ns-3" if row.eifs else "none",
            cw_min=row.cw_min,
            cw_max=row.cw_max,
            hearing=cell,
            discipline="fifo" if row.up else "round-robin",
            ap=ap,
            queue=2 * WINDOW,
            stations=row.stations,
            rate=rates[row.standard],
            source=ends[0 if row.up else 1],
            sink=ends[1 if row.up else 0],
            start=WARMUP - 0.5,
        )
    return document


def ours(row: Row) -> dict[str, Figure] | str:
    """Return the figures of airfair, or the message of the error."""
    import airfair  # not needed with `--ns3-only`

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cells.toml"
        path.write_text(scenario(row), encoding="utf-8")
        try:
            result = airfair.run(path, replications=SEEDS)
        except ValueError as error:
            return str(error).splitlines()[0]
    mbps = [[[0.0] for _ in range(row.cells)] for _ in range(SEEDS)]
    for one in result.flows.iter_rows(named=True):
        cell = NAMES.index(one["flow"][0])
        mbps[one["replication"]][cell][0] += one["delivered_bytes"] * 8e-6 / row.seconds
    return Runs(mbps).figures(row)


def verdict(theirs: Figure, mine: Figure, capacity: float) -> str:
    """Return the criterion by which the two agree, or `**no**`."""
    difference = abs(mine.mean - theirs.mean)
    if difference <= WITHIN * theirs.mean:
        return "3 %"
    if difference <= math.hypot(theirs.half_width, mine.half_width):
        return "spread"
    return "2 % of capacity" if difference <= WITHIN_CAPACITY * capacity else "**no**"


def compare(row: Row, theirs: Recorded, mine: dict[str, Figure] | str) -> bool:
    """Print the lines of a row. Return true if one deviates too much."""
    capacity, model = alone(row), expected(row)
    scale = alone(row, by_ns3=False) / capacity
    is_off = False
    for group, figure in theirs.figures.items():
        columns = [row.name, group, str(figure), f"{theirs.cpu:.2f}"]
        if group in model:
            columns += [f"{model[group]:.2f}", f"{figure.mean / model[group]:.3f}"]
        else:
            columns += ["", ""]
        columns.append(f"{scale:.3f}")
        if isinstance(mine, str):
            columns += [mine, "", "", ""]
        else:
            scaled = Figure(scale * figure.mean, scale * figure.deviation)
            difference = mine[group].mean - scaled.mean
            how = verdict(scaled, mine[group], capacity)
            is_off |= how == "**no**"
            columns += [
                str(mine[group]),
                f"{difference / scaled.mean:+.1%}",
                f"{difference / capacity:+.1%}",
                how,
            ]
        print("| " + " | ".join(columns) + " |", flush=True)
    return is_off


def main() -> int:
    """Print the table. Return 1 if a row deviates too much."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--run", action="store_true", help="run ns-3 instead of its record")
    parser.add_argument("--record", action="store_true", help="run ns-3 and write the record")
    parser.add_argument("--ns3-only", action="store_true", help="leave airfair out")
    parser.add_argument("--row", default="", help="take the rows whose names contain this text")
    asked = parser.parse_args()
    print(
        "| cells | group | ns-3.37 [Mb/s] | CPU s per s | calculated | ratio | scale "
        "| airfair | difference | of capacity | within |"
    )
    print("| " + "--- | " * 11)
    off = False
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder)) if asked.run or asked.record else None
        for row in (one for one in ROWS if asked.row in one.name):
            theirs = ns3(program, row) if program else Recorded.read(row)
            if asked.record:
                theirs.write(row)
            off |= compare(row, theirs, "not asked" if asked.ns3_only else ours(row))
    return int(off)


if __name__ == "__main__":
    sys.exit(main())

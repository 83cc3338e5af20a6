"""Compares OBSS-PD spatial reuse in airfair with ns-3.37, in two cells of 802.11ax; prints Markdown.

Run from a checkout after `make build`: `.venv/bin/python bench/ns3/compare_reuse.py`. ns-3's figures are
those of `reuse.json`. `--record` runs ns-3, with Debian's libns3-dev and g++ installed, and writes its
figures and airfair's to the file.

The cells are those of ns-3's example `wifi-spatial-reuse`: a saturated station 30 m from each access point,
which are 150 m apart, Friis' path loss, HE MCS 0 of 20 MHz with a guard interval of 3.2 µs. The table has
the goodput [Mb/s] of a cell as the mean over ten seeds and both cells, with the half width of its 95 %
confidence interval. airfair may deviate from ns-3 by 3 %. The rows:

* `reuse`: both cells have an OBSS-PD level of -72 dBm. The stations receive each other at -80 dBm.
* `less power`: a level of -64 dBm, so that a node sends with 3 dBm instead of 10 after it has ignored a
  frame. The stations then do not receive each other. ns-3's goodput falls by 6 % between the levels of -70
  and -69 dBm, where this begins, and airfair's does not. The reason is not known, so the row decides
  nothing.
* `no reuse`: the stations wait for each other.
* `example`: the example's own settings, in ns-3 alone: access points with 21 dBm, beacons, packets that
  expire after half a second (a BlockAckReq then precedes nearly each aggregate), and a retry limit.

Conventions of ns-3.37, and their treatment here:

* Only HE PPDUs are ignored, after HE-SIG-A. BlockAcks go at 6 Mb/s without a colour, so they are heard and
  set the NAV. In airfair all frames of another colour are ignored, as in the standard, which tells cells
  apart by the addresses of a frame as well [80211ax-2021 §26.2.2].
* A member that has ignored a frame sends its next frame with limited power, and only this one
  (WifiPhy::ResetCca).
* A frame whose preamble was missed, because the node sent, makes the medium busy from -62 dBm on
  (CcaEdThreshold). In airfair it does so from -82 dBm on, unless the member ignores it, so that the rows
  with reuse are alike.
* HE-LTFs last 8 µs at every guard interval: 8 µs of 5 ms.
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
from dataclasses import dataclass
from pathlib import Path

from airfair.engine import run
from airfair.scenario import load
from airfair.validation.aggregates import goodput
from airfair.validation.cells import SOURCE

HERE = Path(__file__).resolve().parent
RECORD = HERE / "reuse.json"
MODULES = ("mobility", "network", "propagation", "spectrum", "wifi")
SEEDS = 10
T_975 = 2.262
"""Student's t, two-sided 95 %, with 9 degrees of freedom."""
WITHIN = 0.03
SECONDS, WARMUP = 10, 2


@dataclass(frozen=True)
class Row:
    """Row of the table."""

    level: int | None
    """OBSS-PD level of both cells [dBm]."""
    is_example: bool = False
    decides: bool = True
    """True if airfair must agree with ns-3."""

    def options(self) -> list[str]:
        """Options of the program."""
        times = [f"--duration={SECONDS}", f"--warmup={WARMUP}"]
        reuse = ["--reuse=0"] if self.level is None else [f"--level={self.level}"]
        return [*times, *reuse, *(["--example=1", "--ap-power=21"] if self.is_example else [])]


ROWS = {
    "reuse": Row(-72),
    "less power": Row(-64, decides=False),
    "no reuse": Row(None),
    "example": Row(-72, is_example=True),
}


def build(scratch: Path) -> Path:
    """Compile the program for ns-3."""
    wanted = [f"ns3-{module}" for module in MODULES]
    found = subprocess.run(
        ["pkg-config", "--libs", *wanted], check=True, capture_output=True, text=True
    )
    libraries = sorted({flag for flag in found.stdout.split() if flag.startswith("-lns3")})
    program, source = scratch / "reuse_cell", HERE / "reuse_cell.cc"
    compiler = ["g++", "-std=c++17", "-O2", str(source), "-o", str(program), *libraries]
    subprocess.run(compiler, check=True)
    return program


def theirs(program: Path, row: Row) -> list[float]:
    """Return the goodput of a cell in ns-3 [Mb/s], for each seed."""

    def one(seed: int) -> float:
        command = ["nice", "-n", "10", str(program), *row.options(), f"--seed={seed}"]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return statistics.mean(json.loads(out)["mbps"])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(one, range(1, SEEDS + 1)))


def ours(row: Row) -> list[float]:
    """Return the goodput of a cell in airfair [Mb/s], for each replication."""
    names, station = ("a", "b"), "0 m"
    queue = {"discipline": "fifo", "packets": 500}
    radio = {
        "frequency": "5.18 GHz",
        "tx_power": "10 dBm",
        "noise_figure": "7 dB",
        "carrier_sense": "-82 dBm",
    }
    cell = {
        "standard": "802.11ax",
        "width": "20 MHz",
        "guard_interval": "3200 ns",
        "aggregation": {"max_bytes": "65535 B"},
        "channel": 36,
        "max_attempts": "unlimited",
        "eifs": "ns-3",
        "ofdma": "off",
        "radio": radio,
        **({} if row.level is None else {"obss_pd": f"{row.level} dBm"}),
    }
    places = {"a": "0 m", "b": "150 m"}
    scenario = load(
        {
            "duration": f"{SECONDS + WARMUP} s",
            "warmup": f"{WARMUP} s",
            "series": "off",
            "bss": {
                name: {**cell, "colour": colour, "ap": {"position": [places[name], "0 m"]}}
                for colour, name in enumerate(names, 1)
            },
            "station": {
                f"{name}-sta": {
                    "bss": name,
                    "position": [station, "30 m"],
                    "rate": "he-mcs0x1",
                    "queue": queue,
                }
                for name in names
            },
            "host": {f"{name}-host": {"link": {"to": name, "rate": "1 Gb/s"}} for name in names},
            "flow": {
                name: {"from": f"{name}-sta", "to": f"{name}-host", "transport": SOURCE}
                for name in names
            },
        },
        replications=SEEDS,
    )
    return [both / 2 for both in goodput(run(scenario)).tolist()]


def figure(samples: list[float]) -> list[float]:
    """Return the mean and the half width of its interval."""
    width = T_975 * statistics.stdev(samples) / math.sqrt(SEEDS)
    return [round(statistics.mean(samples), 4), round(width, 4)]


def shown(figure: list[float]) -> str:
    """Return the text of a figure."""
    mean, width = figure
    return f"{mean:.2f} ± {width:.2f}"


def main() -> int:
    """Print the table. Return 1 if a row deviates too much."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--record", action="store_true", help="run ns-3 and write the record")
    asked = parser.parse_args()
    kept = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    print("| cells | ns-3.37 [Mb/s] | airfair [Mb/s] | difference |\n| --- | --- | --- | --- |")
    off = False
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder)) if asked.record else None
        for name, row in ROWS.items():
            other = figure(theirs(program, row)) if program else kept[name]["ns3"]
            if row.is_example:
                print(f"| {name} | {shown(other)} | | |", flush=True)
                kept[name] = {"ns3": other}
                continue
            mine = figure(ours(row))
            difference = mine[0] / other[0] - 1
            off |= row.decides and abs(difference) > WITHIN
            print(f"| {name} | {shown(other)} | {shown(mine)} | {difference:+.1%} |", flush=True)
            kept[name] = {"ns3": other, "airfair": mine}
    if asked.record:
        RECORD.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return int(off)


if __name__ == "__main__":
    sys.exit(main())

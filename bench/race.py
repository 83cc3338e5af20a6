"""Compares the CPU time of airfair with that of ns-2 and ns-3 on one machine.

`make bench` runs this script after the table of lines. `bench/race.py ROUNDS` changes the number of rounds
from three. `--record` writes the ratios to `bench/race.json`, which the documents use.
The simulators take turns in each round, so that other load slows them equally. The ratio is that of their
fastest rounds.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECORD = HERE / "race.json"
LINES = HERE.parent / "crates/sim/benches/engine/scenarios.rs"
NS3_MODULES = ("applications", "internet", "mobility", "point-to-point", "traffic-control", "wifi")
AX_CELL = ("--standard=ax", "--width=80", "--mcs=11", "--warmup=2", "--duration=5")
"""Options of the 802.11ax cell, whose simulated time is that of the bench's lines.

Saturated stations start half a second before the warm-up ends, downloads one second."""


@dataclass(frozen=True)
class Race:
    """Line of the bench, and the command that runs the same scenario in another simulator."""

    name: str
    line: str
    against: str
    command: list[str]


def main() -> None:
    """Run all races."""
    counts = [one for one in sys.argv[1:] if one != "--record"]
    rounds = int(counts[0]) if counts else 3
    kept = json.loads(RECORD.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as scratch:
        for race in (ns2(), *ns3(Path(scratch))):
            if isinstance(race, str):
                print(f"{race}: no race")
            elif has_line(race.line):
                kept[race.name] = run(race, rounds)
            else:
                print(
                    f"{race.line}: {race.against} {cpu_of(race.command):.3f} s, and no such line of the bench"
                )
    if "--record" in sys.argv:
        RECORD.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def ns2() -> Race | str:
    """Return the race against ns-2, or the reason why it cannot run."""
    if shutil.which("ns") is None:
        return "ns-2 is not installed (Debian's package ns2)"
    script = str(HERE / "ns2" / "arf_aware_tcp.tcl")
    return Race("ns2", "table 4", "ns-2", ["ns", script, "-table", "table4", "-seed", "1"])


def ns3(scratch: Path) -> list[Race | str]:
    """Compile the programs for ns-3 in `scratch`, and return its races, or the reason why they cannot run."""
    wanted = [f"ns3-{module}" for module in NS3_MODULES]
    if shutil.which("pkg-config") is None or shutil.which("g++") is None:
        return ["g++ or pkg-config is not installed"]
    found = subprocess.run(
        ["pkg-config", "--libs", *wanted], check=False, capture_output=True, text=True
    )
    if found.returncode != 0:
        return ["ns-3 is not installed (Debian's package libns3-dev)"]
    # Debian's flags name a directory of headers that does not exist, so only the libraries are used.
    libraries = sorted({flag for flag in found.stdout.split() if flag.startswith("-lns3")})
    programs = {}
    for name in ("tcp_cell", "cell", "ofdma_cell"):
        programs[name] = str(scratch / name)
        source = str(HERE / "ns3" / f"{name}.cc")
        compiler = ["g++", "-std=c++17", "-O2", source, "-o", programs[name], *libraries]
        subprocess.run(compiler, check=True)
    saturated = [programs["cell"], *AX_CELL, "--uploads=10"]
    downloads = [programs["cell"], *AX_CELL, "--uploads=0", "--downloads=4"]
    both = [programs["ofdma_cell"], "--up=mu", "--reports=1", "--mu-timer=262144"]
    return [
        Race("ns3", "5 TCP uploads", "ns-3", [programs["tcp_cell"]]),
        Race("ns3_ax", "ns-3's cell of 802.11ax", "ns-3", saturated),
        Race("ns3_ax_tcp", "4 TCP downloads, 802.11ax", "ns-3", downloads),
        Race("ns3_ofdma_down", "8 users of OFDMA, down", "ns-3", [programs["ofdma_cell"]]),
        Race("ns3_ofdma_both", "8 users of OFDMA, both", "ns-3", both),
    ]


def has_line(line: str) -> bool:
    """Return true if the bench of airfair has a line whose name begins so."""
    return f'"{line}' in LINES.read_text(encoding="utf-8")


def run(race: Race, rounds: int) -> dict[str, float]:
    """Run both simulators in turn, and print the ratio of their CPU times."""
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(rounds):
        ours.append(cpu_of_bench(race.line))
        theirs.append(cpu_of(race.command))
    ratio = min(theirs) / min(ours)
    print(
        f"{race.line}: airfair {min(ours) * 1e3:.1f} ms, {race.against} {min(theirs):.3f} s, "
        f"{ratio:.1f} times (fastest of {rounds}, in turn)"
    )
    return {
        "airfair_ms": round(min(ours) * 1e3, 1),
        "other_s": round(min(theirs), 3),
        "times": round(ratio, 1),
    }


def cpu_of_bench(line: str) -> float:
    """Return the CPU time of the fastest run of a line of the bench [s]."""
    command = [
        "cargo",
        "bench",
        "--package",
        "airfair-sim",
        "--locked",
        "--quiet",
        "--",
        "--times",
        line,
    ]
    out = subprocess.run(command, cwd=HERE, check=True, capture_output=True, text=True).stdout
    found = re.search(rf"^{re.escape(line)}.*? +\S+ +\S+ +\d+ +(\S+) +\S+$", out, re.MULTILINE)
    if found is None:
        raise SystemExit(f"no line {line} in:\n{out}")
    return float(found[1]) / 1e3


def cpu_of(command: list[str]) -> float:
    """Return the CPU time of a command, user and system time together [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


if __name__ == "__main__":
    main()

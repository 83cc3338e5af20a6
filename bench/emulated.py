"""The kernel's TCP in emulated cells beside the simulated TCP of a run, which is set up as Linux has it.

.venv/bin/python bench/emulated.py [--runs N] [--seconds N]

Prints the table of docs/emulator.md: goodput of each flow in Mb/s, with half the width of its 95 % interval.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from airfair.statistics import half_width, mean

CELLS = {
    "802.11b": (("11 Mb/s",), ("11 Mb/s", "1 Mb/s")),
    "802.11a": (("54 Mb/s",), ("54 Mb/s", "6 Mb/s")),
}
KERNELS = '{ kind = "tcp", stack = "kernel", flavour = "newreno" }'
SIMULATED = """{ kind = "tcp", flavour = "newreno", sack = true, timestamps = true, segment = "1448 B", \
initial_window = 10, min_rto = "200 ms", delayed_ack = { segments = 2, timeout = "40 ms" }, quick_acks = 16, \
window_scaling = true, receive_window = "3 MB", byte_counting = true, grow_beyond_receive_window = false, \
handshake = true }"""


def scenario(standard: str, rates: tuple[str, ...], way: str, transport: str, seconds: int) -> str:
    """A station for each rate, with a flow to or from a server."""
    text = f'duration = "{seconds} s"\nwarmup = "2 s"\nseries = "off"\n[bss.home]\nstandard = "{standard}"\n'
    text += '[host.server]\nlink = { rate = "100 Mb/s", delay = "2 ms" }\n'
    for number, rate in enumerate(rates):
        station = f"s{number}"
        ends = (station, "server") if way == "up" else ("server", station)
        text += f'[station.{station}]\nrate = "{rate}"\n[flow.f{number}]\n'
        text += f'from = "{ends[0]}"\nto = "{ends[1]}"\ntransport = {transport}\n'
    return text


def goodputs(command: list[str], text: str) -> list[float]:
    """Goodput of each flow [Mb/s]."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cell.toml"
        file.write_text(text)
        words = [sys.executable, "-m", "airfair", *command, str(file), "--json"]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    document = json.loads(done.stdout)
    if not document.get("valid", True):
        print(f"invalid: {document['objections']}", file=sys.stderr)
    flows = document.get("result", document)["flows"]
    return [flow["goodput_bps"] / 1e6 for flow in flows]


def shown(runs: list[list[float]]) -> str:
    """Each flow's mean with its interval."""
    each = zip(*runs, strict=True)
    return " + ".join(f"{mean(flow):.2f} ± {half_width(flow) or 0:.2f}" for flow in each)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=32)
    wanted = parser.parse_args()
    print("| cell | way | emulated | simulated |\n| --- | --- | --- | --- |")
    for standard, cells in CELLS.items():
        for rates in cells:
            for way in ("up", "down"):
                seconds = wanted.seconds
                real = scenario(standard, rates, way, KERNELS, seconds)
                ours = scenario(standard, rates, way, SIMULATED, seconds)
                emulate = ["emulate", "--duration", f"{seconds} s"]
                seeds = [["--seed", str(number)] for number in range(1, wanted.runs + 1)]
                emulated = [goodputs([*emulate, *seed], real) for seed in seeds]
                simulated = [goodputs(["run", *seed], ours) for seed in seeds]
                cell = f"{standard}, {' + '.join(rates)}"
                print(f"| {cell} | {way} | {shown(emulated)} | {shown(simulated)} |", flush=True)


if __name__ == "__main__":
    main()

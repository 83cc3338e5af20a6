"""Uploads of Linux's TCP with small queues, with pacing, with both and with neither, in cells of 802.11ax.

Run after `make build`: `.venv/bin/python bench/pacing.py`. It prints a table, and with `--record` writes
`pacing.json`, which the documents use.

The cells are those in which the queue of a station matters: one CUBIC upload; a fast station's upload beside
a slow one's; and an upload beside a download of the same station. Stations hold 256 packets.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import airfair

RECORD = Path(__file__).resolve().with_suffix(".json")
REPLICATIONS = 4
DURATION, WARMUP = 20, 5
SCENARIO = """
duration = "{end} s"
warmup   = "{warmup} s"
series   = "off"

[bss.cell]
standard = "802.11ax"
band     = "5 GHz"
width    = "20 MHz"
ap       = {{ queue = {{ discipline = "fifo", packets = 256 }} }}

[host.server]
link = {{ rate = "1 Gb/s", delay = "10 ms" }}
"""
STATION = """
[station.{name}]
rate  = "he-mcs{mcs}x1"
queue = {{ discipline = "fifo", packets = 256 }}
"""
FLOW = """
[flow.{name}]
from      = "{sender}"
to        = "{receiver}"
transport = {{ kind = "tcp", flavour = "cubic", {keys} }}
"""
CELLS = {
    "alone": [("fast", 11, "up")],
    "slow": [("fast", 11, "up"), ("slow", 0, "up")],
    "both": [("fast", 11, "up"), ("fast", 11, "down")],
}
KEYS = {
    "neither": 'small_queues = "off"',
    "queues": 'small_queues = "8 ms"',
    "pacing": 'small_queues = "off", pacing = true',
    "linux_fq": 'small_queues = "8 ms", pacing = true',
}


def scenario(flows: list[tuple[str, int, str]], keys: str) -> str:
    """Return the scenario of a cell."""
    text = SCENARIO.format(end=DURATION + WARMUP, warmup=WARMUP)
    for name, mcs in sorted({(name, mcs) for name, mcs, _ in flows}):
        text += STATION.format(name=name, mcs=mcs)
    for name, _, way in flows:
        sender, receiver = (name, "server") if way == "up" else ("server", name)
        if way == "down":
            # A wired host has 1 ms by default.
            keys = keys.replace("8 ms", "1 ms")
        text += FLOW.format(name=f"{name}-{way}", sender=sender, receiver=receiver, keys=keys)
    return text


def measure(flows: list[tuple[str, int, str]], keys: str) -> dict[str, float]:
    """Return goodput [Mb/s] and round trip [ms] of each flow, and the fast station's mean aggregate."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cell.toml"
        path.write_text(scenario(flows, keys), encoding="utf-8")
        result = airfair.run(path, replications=REPLICATIONS)
    found = {"aggregate": 0.0}
    for row in result.flows.iter_rows(named=True):
        name = row["flow"].replace("-", "_")
        found[name] = found.get(name, 0.0) + row["goodput_bps"] / 1e6 / REPLICATIONS
        found[f"{name}_rtt"] = found.get(f"{name}_rtt", 0.0) + row["rtt_mean_ms"] / REPLICATIONS
    for row in result.stations.iter_rows(named=True):
        if row["station"] == "fast":
            found["aggregate"] += row["mean_aggregate"] / REPLICATIONS
    return {name: round(value, 2) for name, value in found.items()}


def main() -> None:
    """Print the figures of each cell. Write them down with `--record`."""
    figures = {}
    for cell, flows in CELLS.items():
        for name, keys in KEYS.items():
            figures[f"{cell}_{name}"] = measure(flows, keys)
            print(cell, name, figures[f"{cell}_{name}"], flush=True)
    if "--record" in sys.argv[1:]:
        RECORD.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

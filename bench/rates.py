"""Compares rate control with the best fixed rate, on one 802.11n link at given signal-to-noise ratios.

.venv/bin/python bench/rates.py   (some minutes; writes bench/rates.json, for the documents)

The cell has one saturated download, with two spatial streams at 20 MHz. Each fixed rate is simulated; the
best one has the highest goodput.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import airfair

HERE = Path(__file__).parent
CELL = """
title = "One link at a given ratio of signal to noise"
duration = "12 s"
warmup = "2 s"
series = "off"
[bss.home]
standard = "802.11n"
streams = 2
ap.queue = { discipline = "fifo", packets = 50 }
[station.it]
errors = { model = "snr", snr = "20 dB" }
[host.server]
link = { rate = "1 Gb/s", delay = "1 ms", queue = { packets = 100 } }
[flow.download]
from = "server"
to = "it"
transport = { kind = "udp", payload = "1470 B", rate = "saturated" }
"""
RATIOS = (4, 7, 10, 13, 16, 19, 22, 25, 28)
RATES = tuple(f"ht-mcs{mcs}" for mcs in range(16))
ALGORITHMS = ("minstrel", "arf", "aarf")
REPLICATIONS = 3


def goodput(cell: Path, ratio: int, rate: str | dict[str, str]) -> list[float]:
    """Return the mean goodput and the half width of its 95 % confidence interval [Mb/s]."""
    settings = {"station.it.errors.snr": f"{ratio} dB", "station.it.rate": rate}
    done = airfair.run(cell, replications=REPLICATIONS, set=settings)
    flow = done.to_json()["flows"][0]
    return [flow["goodput_bps"] / 1e6, flow["goodput_ci95_bps"] / 1e6]


def main() -> None:
    """Run every fixed rate and every algorithm, and write the results."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        cell = Path(folder) / "cell.toml"
        cell.write_text(CELL, encoding="utf-8")
        for ratio in RATIOS:
            fixed = {rate: goodput(cell, ratio, rate) for rate in RATES}
            best = max(fixed, key=lambda rate: fixed[rate][0])
            algorithms = {name: goodput(cell, ratio, {"control": name}) for name in ALGORITHMS}
            found[f"{ratio} dB"] = {"best": best, "fixed": fixed[best], **algorithms}
            print(ratio, found[f"{ratio} dB"], flush=True)
    (HERE / "rates.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

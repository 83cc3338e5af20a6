"""Records the speed of a house of many cells in `house.json`, and draws it in `docs/figures/house.svg`.

Run from a checkout after `make build`: `.venv/bin/python bench/house.py`. It takes some minutes. Cells are in
groups of three that hear each other. Each has ten stations of 802.11ax, 80 MHz, MCS 7 and one stream, which
always send packets of 1500 octets.
"""

from __future__ import annotations

import json
from pathlib import Path

from matplotlib.figure import Figure

import airfair
from airfair.figures import svg
from airfair.palette import PALETTE

HERE = Path(__file__).resolve()
RECORD = HERE.with_suffix(".json")
PICTURE = HERE.parents[1] / "docs" / "figures" / "house.svg"
CELLS = (10, 50, 100, 200, 500)
STATIONS = 10
TOGETHER = 3
"""Largest number of cells that hear each other."""
QUEUE = {"discipline": "fifo", "packets": 256}
TURNS = 3
"""Measurements of each house, of which the fastest counts."""
WARMUP_S = 0.1


def house(cells: int, simulated_s: float) -> airfair.Scenario:
    """Scenario of a house with this number of cells."""
    names = [f"flat{i}" for i in range(cells)]
    groups = [names[i - i % TOGETHER : i - i % TOGETHER + TOGETHER] for i in range(cells)]
    return airfair.load(
        {
            "duration": f"{simulated_s + WARMUP_S:g} s",
            "warmup": f"{WARMUP_S:g} s",
            "series": "off",
            "bss": {
                name: {
                    "standard": "802.11ax",
                    "channel": 36,
                    "width": "80 MHz",
                    "hears": [other for other in group if other != name],
                    "ap": {"queue": QUEUE},
                }
                for name, group in zip(names, groups, strict=True)
            },
            "station": {
                f"{name}-": {
                    "bss": name,
                    "rate": "he-mcs7x1",
                    "count": STATIONS,
                    "queue": QUEUE,
                }
                for name in names
            },
            "host": {f"{name}-line": {"link": {"to": name}} for name in names},
            "flow": {
                name: {
                    "from": f"{name}-",
                    "to": f"{name}-line",
                    # With headers of UDP and IP a packet has 1500 octets.
                    "transport": {"kind": "udp", "payload": "1472 B", "rate": "saturated"},
                }
                for name in names
            },
        }
    )


def measured(cells: int) -> dict[str, float]:
    """Simulated seconds per CPU second, for the house and for each cell of it."""
    simulated_s = max(1.0, 30 / cells)
    scenario = house(cells, simulated_s)
    results = [airfair.run(scenario, replications=1, threads=1) for _ in range(TURNS)]
    cpu_s = min(result.cpu_s or 0.0 for result in results)
    speed = (simulated_s + WARMUP_S) / cpu_s
    return {"cpu_s": round(cpu_s, 3), "speed": round(speed, 3), "cells": round(speed * cells, 1)}


def figure(record: dict[str, dict[str, float]]) -> Figure:
    """Speed of the house, and of its cells, by the number of cells."""
    drawn = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = drawn.subplots()
    sizes = [int(cells) for cells in record]
    for key, label, colour in (
        ("speed", "the house", PALETTE[0]),
        ("cells", "the house × its cells", PALETTE[1]),
    ):
        axes.loglog(sizes, [one[key] for one in record.values()], "o-", color=colour, label=label)
    axes.axhline(1, color="0.6", linewidth=0.8)
    axes.set_ylim(0.1, 1000)
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("cells")
    axes.set_ylabel("simulated seconds per CPU second")
    axes.legend()
    return drawn


def main() -> None:
    """Measure the houses and write the record and the picture."""
    record = {}
    for cells in CELLS:
        record[str(cells)] = measured(cells)
        print(cells, record[str(cells)], flush=True)
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    PICTURE.write_text(svg(figure(record)), encoding="utf-8")


if __name__ == "__main__":
    main()

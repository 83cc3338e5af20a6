"""Measures runs with a law on one core and on two: a law runs in one process per core.

.venv/bin/python bench/laws.py [--record]

The law hears each frame of its node. `--record` writes the numbers to `bench/laws.json`. Times are wall-clock
times of the fastest of several rounds, in which one process and two take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

import airfair
from airfair import law_names
from airfair.law import Frame, Node

HERE = Path(__file__).resolve().parent
RECORD = HERE / "laws.json"
CELL = HERE.parent / "scenarios" / "one-slow-station.toml"
ROUNDS = 2
LENGTH_S = 1200
"""Simulated time of a run [s]; the start of a process takes about 0.2 s."""
REPLICATIONS = 16


class Hears(airfair.Law):
    """Counts the frames that its node sends and gets."""

    version = "1"
    listen = "own"

    def start(self, node: Node) -> None:  # noqa: ARG002 - of the interface
        """Begin with no frames."""
        self.frames = 0

    def frame(self, node: Node, frame: Frame) -> None:  # noqa: ARG002 - of the interface
        """Count the frame."""
        self.frames += 1


def main() -> None:
    """Measure, print, and with `--record` write the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write bench/laws.json")
    record = parser.parse_args().record
    laws = {"station.*": law_names.find("laws:Hears", [HERE])}
    load = os.getloadavg()[0]
    best = {1: float("inf"), 2: float("inf")}
    hashes: dict[int, list[int]] = {}
    for _ in range(ROUNDS):
        for processes in (1, 2):
            began = time.perf_counter()
            result = airfair.run(
                CELL,
                replications=REPLICATIONS,
                set={"duration": f"{LENGTH_S} s"},
                threads=processes,
                laws=laws,
            )
            best[processes] = min(best[processes], time.perf_counter() - began)
            hashes[processes] = [outcome.record_hash for outcome in result.outcomes]
    if hashes[1] != hashes[2]:
        sys.exit("bench/laws.py: two processes give other records than one")
    numbers = {
        "replications": REPLICATIONS,
        "simulated_s": LENGTH_S,
        "one_process_s": round(best[1], 3),
        "two_processes_s": round(best[2], 3),
        "speedup": round(best[1] / best[2], 3),
        "load": round(load, 2),
    }
    print(json.dumps(numbers, indent=2))
    if record:
        RECORD.write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Runs of everything that ships, by which a profile-guided build learns which ways are taken.

`make wheel PGO=1` runs it with the instrumented module. `bench/train.py --time` prints the CPU time, by which
two builds are compared.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from airfair import load
from airfair.engine import run_many

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Run each example scenario and each experiment once."""
    paths = sorted([*ROOT.glob("scenarios/*.toml"), *ROOT.glob("experiments/*/*.toml")])
    scenarios = [load(path, replications=1) for path in paths if path.name != "reference.toml"]
    start = time.process_time()
    run_many(scenarios, threads=1)
    if "--time" in sys.argv:
        print(f"{len(scenarios)} runs: {time.process_time() - start:.2f} s")


if __name__ == "__main__":
    main()

"""Runs all scenarios of the repository, to train a profile-guided build.

`make wheel PGO=1` runs this script with the instrumented module. `bench/train.py --time` prints the CPU
time, by which builds can be compared.
"""

from __future__ import annotations

import sys
import time
import tomllib
from pathlib import Path

from airfair import Scenario, load
from airfair.engine import run_many

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Run each example scenario and each experiment once."""
    scenarios = shipped_scenarios()
    start = time.process_time()
    run_many(scenarios, threads=1)
    if "--time" in sys.argv:
        print(f"{len(scenarios)} runs: {time.process_time() - start:.2f} s")


def shipped_scenarios() -> list[Scenario]:
    """Return all scenarios; files without flows are studies or a paper's reference values."""
    paths = sorted([*ROOT.glob("scenarios/*.toml"), *ROOT.glob("experiments/*/*.toml")])
    has_flows = (
        path for path in paths if "flow" in tomllib.loads(path.read_text(encoding="utf-8"))
    )
    return [load(path, replications=1) for path in has_flows]


if __name__ == "__main__":
    main()

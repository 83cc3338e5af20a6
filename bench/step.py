"""Measures a world that is stepped: the costs of steps, settings, copies and resets.

.venv/bin/python bench/step.py [--times] [--record]

`make bench` runs this script. `--times` leaves out the instructions, which valgrind counts. `--record` writes
the numbers to `bench/step.json`, which the documents use. Times are CPU times of the fastest of several runs,
because noise only adds time. Instructions are the difference of a long and a short run, which cancels out the
start of Python.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import airfair

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

HERE = Path(__file__).resolve().parent
RECORD = HERE / "step.json"
CELL = HERE.parent / "scenarios" / "saturated-cell.toml"
"""Ten saturated stations."""
TCP = HERE.parent / "scenarios" / "one-slow-station.toml"
STEPS_MS = (1, 10, 100)
ROUNDS = 7
HALF_S = 30
"""Simulated time after which a world is copied."""
LENGTHS_S = (10, 30)
"""Simulated times of the two runs whose instructions are compared."""
_US = 1e6


def scenario(path: Path, seconds: int) -> airfair.Scenario:
    """Scenario of a file that lasts `seconds`, without a time series."""
    return airfair.load(path, series="off", set={"duration": f"{seconds} s", "warmup": "0 s"})


def stepped(cell: airfair.Scenario, step: str) -> None:
    """Advance a world to its end in steps, without a change."""
    world = airfair.World(cell)
    while not world.over:
        world.advance(step)


def in_one_step(cell: airfair.Scenario) -> None:
    """Advance a world to its end at once."""
    airfair.World(cell).advance()


def undriven(cell: airfair.Scenario) -> None:
    """Run the scenario."""
    airfair.run(cell, threads=1)


def seconds(*works: Callable[[], object], rounds: int = ROUNDS) -> Sequence[float]:
    """CPU time of each work [s]: the fastest of several rounds, in which the works take turns."""
    best = [float("inf")] * len(works)
    gc.collect()
    for _ in range(rounds):
        for number, work in enumerate(works):
            before = time.process_time()
            work()
            best[number] = min(best[number], time.process_time() - before)
    return best


def steps() -> Mapping[str, float]:
    """Steps per CPU second, and the cost of a step beyond the work of the engine."""
    cell = scenario(CELL, 20)
    bare, whole, *driven = seconds(
        lambda: undriven(cell),
        lambda: in_one_step(cell),
        *(partial(stepped, cell, f"{step} ms") for step in STEPS_MS),
    )
    found = {"run_ms": bare * 1e3, "world_more_percent": (whole / bare - 1) * 100}
    for step, cpu in zip(STEPS_MS, driven, strict=True):
        count = round(cell.duration_s * 1e3) // step
        found[f"per_second_{step}_ms"] = count / cpu
        found[f"time_more_percent_{step}_ms"] = (cpu / bare - 1) * 100
        if step == min(STEPS_MS):  # the longer the step, the more does noise count
            found["cost_us"] = (cpu - whole) / count * _US
    return found


def calls() -> Mapping[str, float]:
    """Time of reading a column of an observation, and of a setting [µs]."""
    world = airfair.World(scenario(CELL, 20))
    seen, station, count = world.advance("1 s"), world.station["s1"], 10_000

    def read() -> None:
        for _ in range(count):
            _ = seen.airtime_share

    def change() -> None:
        for _ in range(count):
            station.contention_window = (31, 1023)

    def rate() -> None:
        for _ in range(count):
            station.set_rate_index(3)

    def path() -> None:
        for _ in range(count // 10):
            world.set({"station.s1.rate": "24 Mb/s"})

    reading, changing, rating, setting = seconds(read, change, rate, path)
    return {
        "column_us": reading / count * _US,
        "window_us": changing / count * _US,
        "rate_index_us": rating / count * _US,
        "path_us": setting / (count // 10) * _US,
    }


def copies(path: Path, count: int = 200) -> Mapping[str, float]:
    """Time [µs] and memory [KiB] of a copy in the middle of a run, and time of a new world [µs]."""
    world, source = _half_way(path), scenario(path, HALF_S * 2)
    copying, starting = seconds(
        lambda: [world.copy() for _ in range(count)],
        lambda: [airfair.World(source) for _ in range(count)],
    )
    # In a process of its own: memory that others have freed would be used again.
    memory = subprocess.run(
        [sys.executable, __file__, "--memory", str(path)],
        check=True,
        capture_output=True,
        text=True,
    )
    return {
        "copy_us": copying / count * _US,
        "copy_kib": float(memory.stdout),
        "reset_us": starting / count * _US,
    }


def _half_way(path: Path) -> airfair.World:
    world = airfair.World(scenario(path, HALF_S * 2))
    world.advance(HALF_S)
    return world


def memory_kib(path: Path, count: int = 1_000) -> float:
    """Memory that a copy adds to this process [KiB], mean over `count` copies."""
    world = _half_way(path)
    before = _resident_kib()
    kept = [world.copy() for _ in range(count)]
    return (_resident_kib() - before) / len(kept)


def _resident_kib() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1024


WAYS: Mapping[str, Callable[[airfair.Scenario], None]] = {
    "run": undriven,
    "world": in_one_step,
    **{f"{step} ms": partial(stepped, step=f"{step} ms") for step in STEPS_MS},
}
"""Ways to simulate a scenario, whose instructions are compared."""


def instructions() -> Mapping[str, float]:
    """Instructions per simulated second of a run, and how many more a stepped one has [%]."""
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: no instructions")
        return {}
    counts = {way: _instructions(way) for way in WAYS}
    bare = counts["run"]
    found = {"instructions_per_second": bare}
    for way, count in counts.items():
        if way != "run":
            found[f"instructions_more_percent_{way.replace(' ', '_')}"] = (count / bare - 1) * 100
    slowest = min(STEPS_MS)
    more = counts[f"{slowest} ms"] - counts["world"]
    return {**found, "instructions_per_step": more * slowest / 1e3}


def _instructions(way: str) -> float:
    short, long = LENGTHS_S
    running = [_valgrind(way, length) for length in LENGTHS_S]
    few, many = (_count(program) for program in running)
    return (many - few) / (long - short)


def _valgrind(way: str, length: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            *("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"),
            *(sys.executable, __file__, "--once", way, str(length)),
        ],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )


def _count(program: subprocess.Popen[str]) -> int:
    _, log = program.communicate()
    found = [line for line in log.splitlines() if "Collected :" in line]
    if program.returncode != 0 or not found:
        raise SystemExit(log)
    return int(found[0].rpartition(":")[2])


def main() -> None:
    """Measure all, print it, and record it if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", action="store_true", help="leave out the instructions")
    parser.add_argument("--record", action="store_true", help="write bench/step.json")
    parser.add_argument("--once", nargs=2, metavar=("WAY", "SECONDS"), help=argparse.SUPPRESS)
    parser.add_argument("--memory", type=Path, metavar="SCENARIO", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory is not None:
        print(memory_kib(options.memory))
        return
    if options.once is not None:
        way, length = options.once
        WAYS[way](scenario(CELL, int(length)))
        return
    found: dict[str, Mapping[str, float]] = {
        "saturated": {**steps(), **calls(), **copies(CELL)},
        "tcp": copies(TCP),
    }
    if not options.times:
        found["counted"] = instructions()
    for part, numbers in found.items():
        for name, number in numbers.items():
            print(f"{part:<10} {name:<36} {number:>14,.2f}")
    if options.record:
        kept = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
        kept.update({part: _rounded(numbers) for part, numbers in found.items() if numbers})
        RECORD.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def _rounded(numbers: Mapping[str, float]) -> Mapping[str, float]:
    """Numbers with four digits."""
    return {name: float(f"{number:.4g}") for name, number in numbers.items()}


if __name__ == "__main__":
    main()

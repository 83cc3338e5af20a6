"""Measures the cost that an experiment adds to its runs: time per run, memory, and the gain of a second core.

    .venv/bin/python bench/experiment.py [--runs 100000]

Each measurement has its own process. Runs of a sweep typically take 10 ms. Memory is measured with runs of a
fraction of a millisecond.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import airfair
from airfair import _core

CELL = """\
title    = "Five stations that upload"
duration = "{duration}"
[bss.home]
standard = "802.11g"
[station.laptop]
rate  = "54 Mb/s"
count = 5
[host.server]
link = {{ rate = "100 Mb/s", delay = "2 ms", queue = {{ packets = 100 }} }}
[flow.upload]
from      = "laptop"
to        = "server"
transport = {{ kind = "tcp", flavour = "newreno" }}
"""


def main() -> None:
    """Measure and print a table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument(
        "--runs", type=int, default=100_000, help="runs of the measurement of memory"
    )
    runs = options.parse_args().runs
    duration = _duration_of(10.0)
    print(f"A cell of five flows, {duration} simulated: 10 ms")
    print(f"{'':34}{'engine':>10}{'whole':>10}{'machinery':>12}")
    for name, store, points in (
        ("1 point, no store", False, 1),
        ("200 points, no store", False, 200),
        ("1 point, store", True, 1),
        ("200 points, store", True, 200),
        ("200 points, store, drawn keys", True, -200),
    ):
        engine, whole = _alone(_cost, duration, points, store)
        print(f"{name:34}{engine:7.2f} ms{whole:7.2f} ms{(whole - engine) / engine:11.1%}")
    one, two = (_alone(_threads, duration, number) for number in (1, 2))
    print(f"\n400 runs on one core {one:.2f} s, on two {two:.2f} s: {one / two:.2f} times as fast")
    seconds, tables, megabytes = _alone(_memory, runs)
    print(f"\n{runs:,} runs of 1 000 points: {seconds:.1f} s, flows and a summary {tables:.1f} s, "
          f"{megabytes:.0f} MB at most")  # fmt: skip


def _alone(work: Callable[..., Any], *arguments: object) -> Any:  # noqa: ANN401 - any result
    """Return the result of `work` in a fresh process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def _duration_of(milliseconds: float) -> str:
    """Return the simulated time whose computation takes a given CPU time."""
    scenario = airfair.load(CELL.format(duration="2 s"))
    took = min(
        _cpu(lambda: _core.run([(scenario, 1, n) for n in range(10)], threads=1)) / 10
        for _ in range(5)
    )
    return f"{2000 * milliseconds / 1000 / took:.0f} ms"


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _cost(duration: str, points: int, store: bool) -> tuple[float, float]:  # noqa: FBT001 - called with a row of the table
    """Return the CPU time per run of the engine and of the whole sweep [ms]; the best sweep of three."""
    exp = _experiment(
        CELL.format(duration=duration), abs(points), 200 // abs(points), drawn=points < 0
    )
    runs = exp.size * exp.replications.most
    stream, engine = _core.stream, [0.0]

    def timed(jobs: Any, done: Callable[[Any], object], **options: Any) -> bool:  # noqa: ANN401 - the engine's
        """Run the engine and measure its CPU time, without the callback that receives the runs."""

        def untimed(outcomes: Any) -> None:  # noqa: ANN401 - as above
            engine[0] -= _cpu(lambda: done(outcomes))

        begun = time.process_time()
        interrupted = stream(jobs, untimed, **options)
        engine[0] += time.process_time() - begun
        return interrupted

    _core.stream = timed  # type: ignore[assignment]
    measured = []
    for _ in range(4):
        engine[0] = 0.0
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "runs.sqlite" if store else None
            whole = _cpu(
                lambda place=place: exp.run(store=place, threads=1, progress=False).summary()
            )  # type: ignore[misc]
        measured.append((1000 * engine[0] / runs, 1000 * whole / runs))
    # The first sweep also imports modules, so it does not count.
    return min(measured[1:], key=lambda pair: pair[1] - pair[0])


def _cpu(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _experiment(
    text: str, points: int, replications: int, *, drawn: bool = False
) -> airfair.Experiment:
    draw = {"bss.home.ap.queue.packets": airfair.between(50, 99)} if drawn else None
    levels = {"station.laptop.queue.packets": list(range(10, 10 + points))}
    return airfair.Experiment(text, factors=levels, replications=replications, draw=draw)


def _threads(duration: str, threads: int) -> float:
    exp = _experiment(CELL.format(duration=duration), 4, 100)
    exp.run(store=None, progress=False, threads=threads)  # imports modules
    return min(
        _timed(lambda: exp.run(store=None, threads=threads, progress=False)) for _ in range(3)
    )


def _memory(runs: int) -> tuple[float, float, float]:
    """Return the seconds of the runs and of the tables, and the peak of resident memory [MiB]."""
    exp = _experiment(CELL.format(duration="5 ms"), 1000, runs // 1000)
    begun = time.perf_counter()
    result = exp.run(store=None, progress=False)
    ran = time.perf_counter()
    result.summary("goodput", "delay_p95")
    rows = result.flows.height
    done = time.perf_counter()
    if rows != 5 * runs:
        sys.exit(f"{rows} rows of {runs} runs")
    return ran - begun, done - ran, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()

"""Measures the cost of keeping finished runs: disk space, time and memory, each in its own process.

.venv/bin/python bench/store.py [--runs N]
"""

from __future__ import annotations

import argparse
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from airfair import _core
from airfair.archive import Archive, Job, run
from airfair.scenario import load

RATES = ("1 Mb/s", "2 Mb/s", "5.5 Mb/s", "11 Mb/s", "11 Mb/s")


def jobs(count: int, duration: str, *, drawn: bool = False) -> Sequence[Job]:
    """Return jobs of a cell with five flows. With `drawn`, each job has a scenario of its own."""
    if drawn:
        return [Job(_scenario(duration, delay_us=number), 0) for number in range(count)]
    scenario = _scenario(duration)
    return [Job(scenario, number) for number in range(count)]


def _scenario(duration: str, delay_us: int = 2000) -> _core.Scenario:
    text = f'duration = "{duration}"\nseries = "off"\n[bss.home]\nstandard = "802.11b"\n'
    text += f'[host.server]\nlink = {{ to = "home", rate = "100 Mb/s", delay = "{delay_us} us" }}\n'
    for number, rate in enumerate(RATES):
        text += f'[station.s{number}]\nbss = "home"\nrate = "{rate}"\n'
        text += (
            f'[flow.f{number}]\nfrom = "s{number}"\nto = "server"\ntransport = {{ kind = "tcp" }}\n'
        )
    return load(text)


def encodings() -> None:
    """Print the size of a run in several encodings [octets]."""
    outcomes = _core.run(_work(jobs(500, "100 s"))).outcomes
    raw = [outcome.to_bytes(histograms=False) for outcome in outcomes if outcome is not None]

    def level(number: int) -> Callable[[bytes], bytes]:
        return lambda octets: zlib.compress(octets, number, wbits=-15)

    def known(octets: bytes, dictionary: bytes) -> bytes:
        deflate = zlib.compressobj(wbits=-15, zdict=dictionary)
        return deflate.compress(octets) + deflate.flush()

    ways: dict[str, Callable[[bytes], bytes]] = {
        "the core's octets": bytes,
        "deflated, level 1": level(1),
        "deflated, level 6": level(6),
        "deflated, level 9": level(9),
        "deflated, the scenario's first run as dictionary": lambda octets: known(octets, raw[0]),
        "deflated, its first twenty as dictionary": lambda octets: known(
            octets, b"".join(raw[:20])
        ),
    }
    for name, way in ways.items():
        started = time.perf_counter()
        size = sum(len(way(octets)) for octets in raw[20:]) / len(raw[20:])
        print(f"{size:6.0f} B  {(time.perf_counter() - started) / 480 * 1e6:5.0f} us  {name}")
    for together in (10, 100):
        blocks = [b"".join(raw[i : i + together]) for i in range(0, len(raw), together)]
        size = sum(len(level(6)(block)) for block in blocks) / len(raw)
        print(f"{size:6.0f} B            deflated, {together} runs together")


def journals() -> None:
    """Print the time of a commit with each of SQLite's journal modes."""
    row = (b"x" * 16, b"y" * 700)
    for journal in ("DELETE", "WAL"):
        for rows in (1, 200):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "base"
                with closing(sqlite3.connect(path, isolation_level=None)) as base:
                    base.execute("PRAGMA page_size = 16384")
                    base.execute(f"PRAGMA journal_mode = {journal}")
                    base.execute(
                        "CREATE TABLE runs (id INTEGER PRIMARY KEY, key BLOB, outcome BLOB)"
                    )
                    started = time.perf_counter()
                    for _ in range(50):
                        base.execute("BEGIN IMMEDIATE")
                        base.executemany(
                            "INSERT INTO runs (key, outcome) VALUES (?, ?)", [row] * rows
                        )
                        base.execute("COMMIT")
                    each = (time.perf_counter() - started) / 50
            print(f"{each * 1e3:6.1f} ms  commit of {rows} runs, journal {journal}")


def machinery(*, drawn: bool = False) -> None:
    """Print the CPU time of runs of 10 ms, and the time that the archive and the engine's driver add."""
    sample = _work(jobs(40, "60 s"))
    each = min(_cpu_time(lambda: _core.run(sample, threads=1)) for _ in range(3)) / len(sample)
    count, duration = 200, f"{60 * 0.010 / each:.1f} s"
    for threads in (1, 2):
        bare, whole = [], []
        for _ in range(5):
            work_list = jobs(count, duration, drawn=drawn)
            bare.append(_engine_alone(work_list, threads))
            whole.append(_archived(work_list, threads))
        part = (min(whole) / min(bare) - 1) * 100
        print(
            f"{min(bare) / count * 1e3:6.2f} ms  a run alone, {part:+.1f} % with all around it; "
            f"{threads} threads, {'a scenario each' if drawn else 'one scenario'}"
        )


def _engine_alone(work_list: Sequence[Job], threads: int) -> float:
    work = _work(work_list)
    return _cpu_time(lambda: _core.stream(work, lambda _: None, threads=threads))


def _archived(work_list: Sequence[Job], threads: int) -> float:
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs") as archive:
        return _cpu_time(lambda: run(work_list, archive, threads=threads))


def _work(work_list: Sequence[Job]) -> list[tuple[_core.Scenario, int, int]]:
    return [(job.scenario, job.scenario.seed, job.replication) for job in work_list]


def _cpu_time(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def cores() -> None:
    """Print the speed-up of two threads over one, with the archive and without; the best of three runs."""
    work_list = jobs(300, "60 s")
    ways: dict[str, Callable[[int], float]] = {
        "runs alone": lambda threads: _wall_time(
            lambda: _core.stream(_work(work_list), lambda _: None, threads=threads)
        ),
        "with all around them": lambda threads: _archived_wall_time(work_list, threads),
    }
    for name, way in ways.items():
        one, two = (min(way(threads) for _ in range(3)) for threads in (1, 2))
        print(f"{one / two:6.2f}     times as fast on two threads as on one, {name}")
    print(f"{os.getloadavg()[0]:6.1f}     load of the machine")


def _archived_wall_time(work_list: Sequence[Job], threads: int) -> float:
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs") as archive:
        return _wall_time(lambda: run(work_list, archive, threads=threads))


def _wall_time(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def many(count: int) -> None:
    """Print the disk space and the memory of many short runs, and the time to read them from the archive."""
    work_list = jobs(count, "1 s")
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs") as archive:
        started = time.perf_counter()
        first = run(work_list, archive)
        took = time.perf_counter() - started
        print(f"{archive.size / count:6.0f} B   of the file for each of {count} runs of 1 s")
        print(f"{took / count * 1e6:6.0f} us  for each of them, on all cores")
        started = time.perf_counter()
        again = run(work_list, archive)
        took = time.perf_counter() - started
        assert again.found == count  # noqa: S101 - all runs must come from the archive
        print(f"{took / count * 1e6:6.0f} us  for each when they are there")
        started = time.perf_counter()
        whole = sum(outcome is not None for outcome in first.outcomes)
        print(f"{(time.perf_counter() - started) / whole * 1e6:6.0f} us  to unpack one")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{peak:6.0f} MiB at most, both calls' outcomes at once")


def main() -> None:
    """Run each part in its own process, so that each has its own peak of memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument(
        "--part", choices=["encodings", "journals", "machinery", "drawn", "cores", "many"]
    )
    arguments = parser.parse_args()
    match arguments.part:
        case None:
            for part in ("encodings", "journals", "machinery", "drawn", "cores", "many"):
                command = [sys.executable, __file__, "--part", part, "--runs", str(arguments.runs)]
                subprocess.run(command, check=True)
        case "encodings":
            encodings()
        case "journals":
            journals()
        case "machinery":
            machinery()
        case "drawn":
            machinery(drawn=True)
        case "cores":
            cores()
        case "many":
            many(arguments.runs)


if __name__ == "__main__":
    main()

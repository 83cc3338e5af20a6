"""An emulation under load for minutes: programs, stations, other emulations come and go; nothing stays.

Two minutes, or `AIRFAIR_SOAK_SECONDS`. It goes by this machine's clock and kernel, as root or without.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from airfair.emulation import running
from emulations import staying

SECONDS = float(os.environ.get("AIRFAIR_SOAK_SECONDS", "120"))
PROGRAM = [sys.executable, "-m", "airfair"]
STATIONS = [f"s{number}" for number in range(1, 9)]
GET = """
import sys, urllib.request
for url in sys.argv[1:]:
    answer = urllib.request.urlopen(url, timeout=20)
    while answer.read(65536): pass
"""
RATES = ["6 Mb/s", "12 Mb/s", "24 Mb/s", "54 Mb/s"]
GROWTH_KB = 4_096
"""Memory that may come in the second half of the time: what the allocator rounds up to."""


def cell() -> str:
    """Eight stations, a server, and background of ours."""
    stations = "".join(
        f'[station.{name}]\nrate = "{rate}"\n'
        for name, rate in zip(STATIONS, RATES * 2, strict=True)
    )
    return (
        'title = "A soak"\nduration = "10 h"\nseries = "off"\n[bss.home]\nstandard = "802.11a"\n'
        'ap.queue = { discipline = "fq-codel", packets = 200 }\n'
        f'{stations}[host.server]\nlink = {{ rate = "100 Mb/s", delay = "2 ms" }}\n'
        '[flow.background]\nfrom = "s1"\nto = "server"\n'
        'transport = { kind = "udp", rate = "500 kb/s", payload = "1000 B" }\n'
        '[flow.long]\nfrom = "server"\nto = "s2"\ntransport = { kind = "tcp", stack = "kernel" }\n'
    )


@dataclass
class Footprint:
    """What a process holds."""

    memory_kb: int
    descriptors: int
    threads: int

    @classmethod
    def of(cls, process: int) -> Footprint:
        """Read it."""
        status = Path(f"/proc/{process}/status").read_text()
        lines = dict(line.split(":", 1) for line in status.splitlines())
        count = len(list(Path(f"/proc/{process}/fd").iterdir()))
        return cls(int(lines["VmRSS"].split()[0]), count, int(lines["Threads"]))


def namespaces() -> set[str]:
    """All network namespaces that a process of this machine is in."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/ns/net"):
        with contextlib.suppress(OSError):
            found.add(str(path.readlink()))
    return found


@dataclass
class Load:
    """Whatever comes and goes, a thread each, until it is over."""

    emulation: running.Running
    folder: Path
    is_over: threading.Event = field(default_factory=threading.Event)
    counts: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    @contextlib.contextmanager
    def going(self) -> Iterator[None]:
        """All of it goes on meanwhile."""
        works = [self._download, self._download, self._go_away, self._turn, self._emulate_beside]
        threads = [
            threading.Thread(target=self._repeat, args=(work, random.Random(number)))  # noqa: S311
            for number, work in enumerate(works)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.is_over.set()
            for thread in threads:
                thread.join(60)

    def _repeat(self, work: Callable[[random.Random], None], draw: random.Random) -> None:
        while not self.is_over.is_set():
            try:
                work(draw)
            except (AssertionError, OSError, ValueError, subprocess.SubprocessError) as error:
                self.faults.append(f"{work.__name__}: {error!r}")
                return
            self.counts[work.__name__] = self.counts.get(work.__name__, 0) + 1

    def _shell(self, node: str, *command: str) -> subprocess.Popen[bytes]:
        words = [*PROGRAM, "shell", "--pid", str(self.emulation.process), node, "--", *command]
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _download(self, draw: random.Random) -> None:
        """A program comes, loads something from the server or a neighbour, and ends or is killed."""
        at, of = draw.sample([*STATIONS, "server"], 2)
        url = f"http://{of}/{draw.choice(['1k', '100k', '1M'])}"
        with self._shell(at, sys.executable, "-c", GET, url) as program:
            try:
                program.wait(draw.uniform(0.3, 6))
            except subprocess.TimeoutExpired:
                program.kill()

    def _go_away(self, draw: random.Random) -> None:
        """A station's interface goes down, and comes back."""
        station = draw.choice(STATIONS)
        for state in ("down", "up"):
            with self._shell(station, "ip", "link", "set", "wlan0", state) as program:
                program.wait(20)
            self.is_over.wait(draw.uniform(0.2, 1.5))

    def _turn(self, draw: random.Random) -> None:
        """Rates and errors change over the control socket."""
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.emulation.control))
            with line.makefile("rw") as talk:
                for _ in range(20):
                    station = draw.choice(STATIONS)
                    ask(talk, set="rate", station=station, value=draw.choice(RATES))
                    ask(talk, set="errors", station=station, value=draw.choice([0, 0.1, 0.5]))
                    ask(talk, get="state")
                    self.is_over.wait(0.05)

    def _emulate_beside(self, draw: random.Random) -> None:
        """Another emulation begins, and ends as it should, by a signal, or by kill -9."""
        words = [*PROGRAM, "emulate", str(self.folder / "beside.toml"), "--duration", "1 s"]
        with subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as beside:
            with contextlib.suppress(subprocess.TimeoutExpired):
                beside.wait(draw.choice([0.7, 1.2, 5]))
            beside.send_signal(draw.choice([signal.SIGINT, signal.SIGKILL]))


def ask(talk: Any, **request: object) -> dict[str, Any]:  # noqa: ANN401 - a text stream of both ways
    """Ask over a control socket; what was asked is done."""
    talk.write(json.dumps(request) + "\n")
    talk.flush()
    answer: dict[str, Any] = json.loads(talk.readline())
    assert answer["ok"], answer
    return answer


def test_nothing_grows_and_nothing_is_left_behind(tmp_path: Path) -> None:
    # In a process of its own, which may change its namespaces.
    code = "from airfair.emulation import backend; backend.choose(None)"
    tried = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    if tried.returncode != 0:
        pytest.skip(f"nothing can be emulated here: {tried.stderr.splitlines()[-1]}")
    before = namespaces()
    (tmp_path / "cell.toml").write_text(cell())
    (tmp_path / "beside.toml").write_text(cell().replace("A soak", "Beside"))
    with staying(tmp_path / "cell.toml", "--json") as (process, emulation):
        load = Load(emulation, tmp_path)
        held = []
        with load.going():
            begun = time.monotonic()
            while time.monotonic() < begun + SECONDS and process.poll() is None:
                time.sleep(1)
                held.append(Footprint.of(process.pid))
        time.sleep(1)
        idle = Footprint.of(process.pid)
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=30)
    print(f"{load.counts}, {held[len(held) // 2]} to {held[-1]}, idle {idle}")
    assert process.returncode == 0
    assert load.faults == []
    assert set(load.counts) == {"_download", "_go_away", "_turn", "_emulate_beside"}
    # Memory: the last quarter beside the second.
    quarter = len(held) // 4
    means = [
        statistics.mean(one.memory_kb for one in part)
        for part in (held[quarter : 2 * quarter], held[-quarter:])
    ]
    assert means[1] - means[0] < GROWTH_KB
    # A conversation over the control socket, and connections to the file servers, at most.
    assert idle.descriptors <= min(one.descriptors for one in held[quarter:]) + 1
    assert idle.threads <= min(one.threads for one in held[quarter:]) + 1
    document = json.loads(told)
    assert document["elapsed_s"] > SECONDS / 2
    assert {flow["name"] for flow in document["result"]["flows"]} >= {"background", "long"}
    subprocess.run([*PROGRAM, "emulate", "--clean"], check=True, stdout=subprocess.DEVNULL)
    assert running.all_running(running.folder()) == []
    assert namespaces() <= before

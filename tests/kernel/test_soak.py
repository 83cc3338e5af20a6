"""Test of an emulation under load, while programs, stations and other emulations start and stop.

The load lasts two minutes, or `AIRFAIR_SOAK_SECONDS`. The test runs on the host's kernel in real time, as
root or as another user.
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
"""Greatest growth of memory in the second half of the time, a margin for the allocator."""


def cell() -> str:
    """Return a scenario with eight stations, a server, and background flows."""
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
    """Resources that a process holds."""

    memory_kb: int
    descriptors: int
    threads: int

    @classmethod
    def of(cls, process: int) -> Footprint:
        """Read the resources of a process."""
        status = Path(f"/proc/{process}/status").read_text()
        lines = dict(line.split(":", 1) for line in status.splitlines())
        count = len(list(Path(f"/proc/{process}/fd").iterdir()))
        return cls(int(lines["VmRSS"].split()[0]), count, int(lines["Threads"]))


def namespaces() -> set[str]:
    """Return the network namespaces of all processes of this host."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/ns/net"):
        with contextlib.suppress(OSError):
            found.add(str(path.readlink()))
    return found


@dataclass
class Load:
    """Load on an emulation: a thread for each kind of activity repeats it until the load ends."""

    emulation: running.Running
    folder: Path
    is_over: threading.Event = field(default_factory=threading.Event)
    counts: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    @contextlib.contextmanager
    def going(self) -> Iterator[None]:
        """Run the load while the body of the `with` statement runs."""
        activities = [
            self._download,
            self._download,
            self._disconnect,
            self._change_settings,
            self._emulate_another,
        ]
        threads = [
            threading.Thread(target=self._repeat, args=(activity, random.Random(number)))  # noqa: S311
            for number, activity in enumerate(activities)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.is_over.set()
            for thread in threads:
                thread.join(60)

    def _repeat(self, activity: Callable[[random.Random], None], draw: random.Random) -> None:
        while not self.is_over.is_set():
            try:
                activity(draw)
            except (AssertionError, OSError, ValueError, subprocess.SubprocessError) as error:
                self.errors.append(f"{activity.__name__}: {error!r}")
                return
            self.counts[activity.__name__] = self.counts.get(activity.__name__, 0) + 1

    def _shell(self, node: str, *command: str) -> subprocess.Popen[bytes]:
        words = [*PROGRAM, "shell", "--pid", str(self.emulation.process), node, "--", *command]
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _download(self, draw: random.Random) -> None:
        """Start a program that downloads a file from the server or a station, and kill it if it is slow."""
        at, of = draw.sample([*STATIONS, "server"], 2)
        url = f"http://{of}/{draw.choice(['1k', '100k', '1M'])}"
        with self._shell(at, sys.executable, "-c", GET, url) as program:
            try:
                program.wait(draw.uniform(0.3, 6))
            except subprocess.TimeoutExpired:
                program.kill()

    def _disconnect(self, draw: random.Random) -> None:
        """Set a station's interface down and up again."""
        station = draw.choice(STATIONS)
        for state in ("down", "up"):
            with self._shell(station, "ip", "link", "set", "wlan0", state) as program:
                program.wait(20)
            self.is_over.wait(draw.uniform(0.2, 1.5))

    def _change_settings(self, draw: random.Random) -> None:
        """Change rates and errors over the control socket."""
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.emulation.control))
            with line.makefile("rw") as talk:
                for _ in range(20):
                    station = draw.choice(STATIONS)
                    ask(talk, set="rate", station=station, value=draw.choice(RATES))
                    ask(talk, set="errors", station=station, value=draw.choice([0, 0.1, 0.5]))
                    ask(talk, get="state")
                    self.is_over.wait(0.05)

    def _emulate_another(self, draw: random.Random) -> None:
        """Start another emulation, which ends after its duration, by SIGINT or by SIGKILL."""
        words = [*PROGRAM, "emulate", str(self.folder / "beside.toml"), "--duration", "1 s"]
        with subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as beside:
            with contextlib.suppress(subprocess.TimeoutExpired):
                beside.wait(draw.choice([0.7, 1.2, 5]))
            beside.send_signal(draw.choice([signal.SIGINT, signal.SIGKILL]))


def ask(talk: Any, **request: object) -> dict[str, Any]:  # noqa: ANN401 - a text stream in both directions
    """Send a request over a control socket and return the answer, which must be positive."""
    talk.write(json.dumps(request) + "\n")
    talk.flush()
    answer: dict[str, Any] = json.loads(talk.readline())
    assert answer["ok"], answer
    return answer


def test_nothing_grows_and_nothing_is_left_behind(tmp_path: Path) -> None:
    # The check runs in a process of its own, since it can change the namespaces of its process.
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
        footprints = []
        with load.going():
            started = time.monotonic()
            while time.monotonic() < started + SECONDS and process.poll() is None:
                time.sleep(1)
                footprints.append(Footprint.of(process.pid))
        time.sleep(1)
        idle = Footprint.of(process.pid)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=30)
    print(f"{load.counts}, {footprints[len(footprints) // 2]} to {footprints[-1]}, idle {idle}")
    assert process.returncode == 0
    assert load.errors == []
    assert set(load.counts) == {"_download", "_disconnect", "_change_settings", "_emulate_another"}
    # The mean memory of the last quarter is compared with that of the second.
    quarter = len(footprints) // 4
    means = [
        statistics.mean(one.memory_kb for one in part)
        for part in (footprints[quarter : 2 * quarter], footprints[-quarter:])
    ]
    assert means[1] - means[0] < GROWTH_KB
    # After the load, the process holds at most one resource more than at the quietest moment under load.
    assert idle.descriptors <= min(one.descriptors for one in footprints[quarter:]) + 1
    assert idle.threads <= min(one.threads for one in footprints[quarter:]) + 1
    document = json.loads(output)
    assert document["elapsed_s"] > SECONDS / 2
    assert {flow["name"] for flow in document["result"]["flows"]} >= {"background", "long"}
    subprocess.run([*PROGRAM, "emulate", "--clean"], check=True, stdout=subprocess.DEVNULL)
    assert running.all_running(running.folder()) == []
    assert namespaces() <= before

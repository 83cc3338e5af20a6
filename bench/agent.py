"""The agent's schemes with the kernel's TCP, beside the simulator's TCP, set up as Linux's.

sudo .venv/bin/python bench/agent.py [--scheme arf-aware | arf-window | occupancy] [--runs N] [--wire MS]

Keeps figures of docs/agent-measurements.md in bench/agent.json, without the scheme and with it, with half
the width of 95 % intervals: goodput of both sessions in kb/s where the agent is at a station. ARF-aware TCP
has the cell of experiments/arf-aware-tcp/table1.toml, and arf-window one whose station falls from 54 to
6 Mb/s. With occupancy the agent is at the server, behind a wire, as at an access point, and the figures are
Jain's index of the shares of the air and goodput in Mb/s. `make book` writes the page's tables from them.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airfair.statistics import half_width, jain, mean
from airfair.validate.kernel.cells import KERNELS, LINUX

KEPT = Path(__file__).with_suffix(".json")
TABLE = Path(__file__).parents[1] / "experiments" / "arf-aware-tcp" / "table1.toml"
AIRFAIR = [sys.executable, "-m", "airfair"]
SOCKET = re.compile(r"control socket: (\S+)/(\d+)/control")


FALL = """duration = "30 s"
warmup = "10 s"
[bss.cell]
standard = "802.11a"
[host.server]
link = { rate = "100 Mb/s", delay = "20 ms" }
[station.slow.rate]
up = [["0 s", "54 Mb/s"], ["8 s", "6 Mb/s"]]
down = [["0 s", "54 Mb/s"], ["8 s", "6 Mb/s"]]
[station.fast]
rate = "54 Mb/s"
"""


SHARED = """duration = "{seconds} s"
warmup = "5 s"
[bss.cell]
standard = "802.11a"
beacon = {{ interval = "102.4 ms" }}
[host.server]
link = {{ rate = "1 Gb/s", delay = "{wire} ms" }}
[station.slow]
rate = "6 Mb/s"
[station.fast]
rate = "54 Mb/s"
"""


@dataclass(frozen=True)
class Outcome:
    """What the slow and the fast station had."""

    goodput: list[float]
    """Of their flows [kb/s]."""
    air: list[float]
    """Shares that frames of their exchanges held."""

    @property
    def fairness(self) -> float:
        """Jain's index of the shares of the air."""
        return jain(self.air) or 0.0


def outcome(result: dict[str, Any]) -> Outcome:
    """Outcome of a document with a result."""
    goodput = {flow["name"]: flow["goodput_bps"] / 1e3 for flow in result["flows"]}
    air = {station["name"]: station["airtime_share"] for station in result["stations"]}
    return Outcome([goodput[name] for name in NAMES], [air[name] for name in NAMES])


NAMES = ("slow", "fast")


@dataclass(frozen=True)
class Cell:
    """A cell with a session of a station that is slow, or becomes it, and one of another."""

    scheme: str
    name: str
    text: str
    seconds: int
    ends: tuple[str, str]
    """From and to, with the station's name for {}."""
    start: str = "1 s"
    """Of the sessions."""
    agent: tuple[str, str] = ("slow", "wlan0")
    """Node and interface of the agent."""

    @property
    def is_shared(self) -> bool:
        """True if the agent shares the air out between stations, as an access point does."""
        return self.scheme == "occupancy"

    def scenario(self, transport: str, control: str) -> str:
        """The cell with flows of such a transport."""
        text = self.text
        if self.is_shared and control != "none":
            text = text.replace("beacon", "ap = { occupancy = true }\nbeacon", 1)
        settings = transport.format("newreno").replace("WINDOW", "3 MB")
        for name in NAMES:
            sender, receiver = (end.format(name) for end in self.ends)
            text += f'[flow.{name}]\nfrom = "{sender}"\nto = "{receiver}"\n'
            text += f'start = "{self.start}"\ncontrol = "{control}"\ntransport = {settings}\n'
        return text

    def watch(self, socket: str) -> list[str]:
        """What the agent is told to look at."""
        words = ["--interface", self.agent[1], "--emulator", socket, "--scheme", self.scheme]
        return words if self.is_shared else [*words, "--station", self.agent[0]]


def shared(way: str, wire_ms: float, seconds: int = 25) -> Cell:
    """A cell of 54 and 6 Mb/s whose server is behind a wire; the agent is there before the flows."""
    text = SHARED.format(seconds=seconds, wire=wire_ms)
    ends = ("{}", "server") if way == "up" else ("server", "{}")
    return Cell("occupancy", way, text, seconds, ends, "3 s", ("server", "eth0"))


def cells(scheme: str, wire_ms: float) -> list[Cell]:
    """Cells of a scheme's table."""
    if scheme == "arf-aware":
        text = TABLE.read_text().partition("[flow.slow]")[0]
        return [Cell(scheme, "sessions", text, 100, ("{}", "{}-sink"))]
    if scheme == "arf-window":
        ways = {"down": ("server", "{}"), "up": ("{}", "server")}
        return [Cell(scheme, way, FALL, 30, ends) for way, ends in ways.items()]
    return [shared(way, wire_ms) for way in ("up", "down")]


SCHEMES = ("arf-aware", "arf-window", "occupancy")
SIMULATED = 20
"""Runs of the simulator, which cost little."""


def simulated(file: Path, seed: int) -> Outcome:
    """Simulate both sessions."""
    words = [*AIRFAIR, "run", str(file), "--json", "--seed", str(seed)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return outcome(json.loads(done.stdout))


def emulated(file: Path, seed: int, cell: Cell, *, with_agent: bool) -> Outcome:
    """Emulate both sessions, which are the kernel's."""
    seconds = cell.seconds
    words = [*AIRFAIR, "emulate", str(file), "--json", "--seed", str(seed)]
    words += ["--duration", f"{seconds} s"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True) as emulation:
        socket = next(filter(None, map(SOCKET.search, emulation.stderr or ())))
        agent = None
        if with_agent:
            path, process = f"{socket[1]}/{socket[2]}/control", socket[2]
            inside = [*AIRFAIR, "shell", cell.agent[0], "--pid", process, "--", *AIRFAIR]
            inside += ["agent", "run", *cell.watch(path), "--for", f"{seconds} s"]
            agent = subprocess.Popen(inside, stderr=pipe, text=True)
        document = json.loads(emulation.communicate()[0])
    if agent is not None:
        said = agent.communicate()[1]
        if agent.returncode != 0:
            sys.exit(f"the agent has ended with status {agent.returncode}: {said}")
        print(said, file=sys.stderr)
    if not document["valid"]:
        print(f"invalid: {document['objections']}", file=sys.stderr)
    return outcome(document["result"])


Figure = list[float]
"""Mean of some runs, and half the width of its interval."""


def figure(values: Sequence[float], digits: int) -> Figure:
    """Mean and interval of some runs."""
    return [round(mean(values), digits), round(half_width(values) or 0, digits)]


def figures(runs: list[Outcome], cell: Cell) -> dict[str, Figure]:
    """Both sessions and their sum."""
    each = dict(zip(NAMES, zip(*(run.goodput for run in runs), strict=True), strict=True))
    each["both"] = tuple(math.fsum(run.goodput) for run in runs)
    if not cell.is_shared:
        return {name: figure(values, 0) for name, values in each.items()}
    index = figure([run.fairness for run in runs], 3)
    return {
        "index": index,
        **{name: figure([one / 1e3 for one in it], 2) for name, it in each.items()},
    }


def part(scheme: str, wire_ms: float) -> str:
    """Name of the figures in the record."""
    names = {"arf-aware": "table1", "arf-window": "becomes_slow"}
    return names.get(scheme, f"emulation_{wire_ms:g}_ms")


def keep(name: str, found: dict[str, Any], emulations: int) -> None:
    """Replace a part of the record."""
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    about = {
        "date": f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d}",
        "machine": f"{os.cpu_count()} cores, Linux {os.uname().release}, load {os.getloadavg()[0]:.1f}",
        "how": f"written by bench/agent.py: {SIMULATED} simulated runs, {emulations} emulations",
    }
    text = json.dumps({**kept, name: {"about": about, **found}}, indent=1, ensure_ascii=False)
    KEPT.write_text(re.sub(r"\[\s+(\S+)\s+(\S+)\s+\]", r"[\1 \2]", text) + "\n", encoding="utf-8")


def main() -> None:
    """Measure, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="emulations of each cell")
    parser.add_argument("--scheme", choices=SCHEMES, default="arf-aware")
    parser.add_argument("--wire", type=float, default=10, help="to the server, occupancy's [ms]")
    wanted = parser.parse_args()
    seeds = range(1, wanted.runs + 1)
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cell.toml"
        for cell in cells(wanted.scheme, wanted.wire):
            of_cell = found.setdefault(cell.name, {"none": {}, cell.scheme: {}})
            for control, of_control in of_cell.items():
                file.write_text(cell.scenario(LINUX, control))
                runs = [simulated(file, seed) for seed in range(1, SIMULATED + 1)]
                of_control["simulated"] = figures(runs, cell)
                file.write_text(cell.scenario(KERNELS, "none"))
                runs = [emulated(file, it, cell, with_agent=control != "none") for it in seeds]
                of_control["kernel"] = figures(runs, cell)
                print(cell.name, control, of_control, flush=True)
    keep(part(wanted.scheme, wanted.wire), found, wanted.runs)


if __name__ == "__main__":
    main()

"""Measures the agent's schemes with the kernel's TCP, and with the simulator's TCP set up as Linux's.

sudo .venv/bin/python bench/agent.py [--scheme SCHEME] [--runs N] [--wire MS]

Writes the numbers of docs/agent-measurements.md to bench/agent.json, without and with each scheme: means
and the half widths of their 95 % confidence intervals. `make book` makes the page's tables from them.

With arf-aware and arf-window the agent runs at a station, and the numbers are the goodputs of both sessions
[kb/s]. arf-aware uses the cell of experiments/arf-aware-tcp/table1.toml, arf-window a cell in which the rate
of a station falls from 54 to 6 Mb/s. With occupancy and fair the agent runs at a wired server in place of an
access point, and the numbers are Jain's index of the shares of airtime and the goodputs [Mb/s].
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
from airfair.validation.kernel.cells import KERNELS, LINUX

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
    """Results of one run: first of the slow station, then of the fast one."""

    goodput: list[float]
    """Goodput of the stations' flows [kb/s]."""
    air: list[float]
    """Shares of the airtime that the stations' frame exchanges took."""

    @property
    def fairness(self) -> float:
        """Jain's index of the shares of airtime."""
        return jain(self.air) or 0.0


def outcome(result: dict[str, Any]) -> Outcome:
    """Read the outcome from the JSON document of a run."""
    goodput = {flow["name"]: flow["goodput_bps"] / 1e3 for flow in result["flows"]}
    air = {station["name"]: station["airtime_share"] for station in result["stations"]}
    return Outcome([goodput[name] for name in NAMES], [air[name] for name in NAMES])


NAMES = ("slow", "fast")
SHARING = {
    "occupancy": "ap = { occupancy = true }",
    "fair": 'ap = { queue = { discipline = "airtime" }, fair = true }',
}
"""Schemes that divide the airtime between stations, with the keys of the simulated access point."""


@dataclass(frozen=True)
class Cell:
    """Cell with two TCP sessions: one of a station that is slow or becomes slow, one of a fast station."""

    scheme: str
    name: str
    text: str
    seconds: int
    ends: tuple[str, str]
    """Sender and receiver of each session; {} is replaced by the station's name."""
    start: str = "1 s"
    """Start of the sessions."""
    agent: tuple[str, str] = ("slow", "wlan0")
    """Node on which the agent runs, and its interface."""

    @property
    def is_shared(self) -> bool:
        """True if the agent divides the airtime between stations, as an access point does."""
        return self.scheme in SHARING

    def scenario(self, transport: str, control: str) -> str:
        """Return the scenario of the cell, with sessions of a transport and a control."""
        text = self.text
        if self.is_shared and control != "none":
            text = text.replace("beacon", f"{SHARING[self.scheme]}\nbeacon", 1)
            control = "occupancy" if self.scheme == "occupancy" else "none"
        settings = transport.format("cubic" if self.scheme == "fair" else "newreno").replace(
            "WINDOW", "3 MB"
        )
        for name in NAMES:
            sender, receiver = (end.format(name) for end in self.ends)
            text += f'[flow.{name}]\nfrom = "{sender}"\nto = "{receiver}"\n'
            text += f'start = "{self.start}"\ncontrol = "{control}"\ntransport = {settings}\n'
        return text

    def agent_options(self, socket: str) -> list[str]:
        """Return the agent's options, given the path of the emulator's control socket."""
        options = ["--interface", self.agent[1], "--emulator", socket, "--scheme", self.scheme]
        return options if self.is_shared else [*options, "--station", self.agent[0]]


def shared(scheme: str, way: str, wire_ms: float, seconds: int = 25) -> Cell:
    """Return a cell with rates of 54 and 6 Mb/s and a wired server; the agent starts before the sessions."""
    text = SHARED.format(seconds=seconds, wire=wire_ms)
    ends = ("{}", "server") if way == "up" else ("server", "{}")
    return Cell(scheme, way, text, seconds, ends, "3 s", ("server", "eth0"))


def cells(scheme: str, wire_ms: float) -> list[Cell]:
    """Return the cells of a scheme's table."""
    if scheme == "arf-aware":
        text = TABLE.read_text().partition("[flow.slow]")[0]
        return [Cell(scheme, "sessions", text, 100, ("{}", "{}-sink"))]
    if scheme == "arf-window":
        ways = {"down": ("server", "{}"), "up": ("{}", "server")}
        return [Cell(scheme, way, FALL, 30, ends) for way, ends in ways.items()]
    return [shared(scheme, way, wire_ms) for way in ("up", "down")]


SCHEMES = ("arf-aware", "arf-window", *SHARING)
SIMULATED = 20
"""Number of simulated runs of each cell."""


def simulated(file: Path, seed: int) -> Outcome:
    """Simulate a scenario with both sessions."""
    command = [*AIRFAIR, "run", str(file), "--json", "--seed", str(seed)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return outcome(json.loads(done.stdout))


def emulated(file: Path, seed: int, cell: Cell, *, with_agent: bool) -> Outcome:
    """Emulate a scenario, whose sessions are connections of the kernel's TCP."""
    seconds = cell.seconds
    command = [*AIRFAIR, "emulate", str(file), "--json", "--seed", str(seed)]
    command += ["--duration", f"{seconds} s"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as emulation:
        socket = next(filter(None, map(SOCKET.search, emulation.stderr or ())))
        agent = None
        if with_agent:
            path, process = f"{socket[1]}/{socket[2]}/control", socket[2]
            inside = [*AIRFAIR, "shell", cell.agent[0], "--pid", process, "--", *AIRFAIR]
            inside += ["agent", "run", *cell.agent_options(path), "--for", f"{seconds} s"]
            agent = subprocess.Popen(inside, stderr=pipe, text=True)
        document = json.loads(emulation.communicate()[0])
    if agent is not None:
        errors = agent.communicate()[1]
        if agent.returncode != 0:
            sys.exit(f"the agent has ended with status {agent.returncode}: {errors}")
        print(errors, file=sys.stderr)
    if not document["valid"]:
        print(f"invalid: {document['objections']}", file=sys.stderr)
    return outcome(document["result"])


Figure = list[float]
"""Mean of some runs, and the half width of its 95 % confidence interval."""


def figure(values: Sequence[float], digits: int) -> Figure:
    """Return the mean of some runs and the half width of its interval, rounded."""
    return [round(mean(values), digits), round(half_width(values) or 0, digits)]


def figures(runs: list[Outcome], cell: Cell) -> dict[str, Figure]:
    """Return the goodputs of both sessions and their sum, and for a shared cell Jain's index."""
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
    """Return the key of a scheme's numbers in the record."""
    names = {"arf-aware": "table1", "arf-window": "becomes_slow"}
    prefix = "" if scheme == "occupancy" else f"{scheme}_"
    return names.get(scheme, f"{prefix}emulation_{wire_ms:g}_ms")


def keep(name: str, found: dict[str, Any], emulations: int) -> None:
    """Write numbers to the record, where they replace those with the same key."""
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    about = {
        "date": f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d}",
        "machine": f"{os.cpu_count()} cores, Linux {os.uname().release}, load {os.getloadavg()[0]:.1f}",
        "how": f"written by bench/agent.py: {SIMULATED} simulated runs, {emulations} emulations",
    }
    text = json.dumps({**kept, name: {"about": about, **found}}, indent=1, ensure_ascii=False)
    KEPT.write_text(re.sub(r"\[\s+(\S+)\s+(\S+)\s+\]", r"[\1 \2]", text) + "\n", encoding="utf-8")


def main() -> None:
    """Measure the cells and write the numbers to the record."""
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

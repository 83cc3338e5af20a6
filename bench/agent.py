"""A station's schemes with the kernel's TCP and the agent, beside the simulator's TCP, set up as Linux's.

sudo .venv/bin/python bench/agent.py [--scheme arf-aware | arf-window] [--runs N]

Prints tables of docs/agent.md: goodput of both sessions in kb/s, with half the width of its 95 % interval,
without the scheme and with it. ARF-aware TCP has the cell of experiments/arf-aware-tcp/table1.toml, and
arf-window one whose station falls from 54 to 6 Mb/s.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from airfair.statistics import half_width, mean
from airfair.validate.kernel.cells import KERNELS, LINUX

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


@dataclass(frozen=True)
class Cell:
    """A cell with a session of a station that becomes slow and one of another."""

    scheme: str
    name: str
    text: str
    seconds: int
    ends: tuple[str, str]
    """From and to, with the station's name for {}."""

    def scenario(self, transport: str, control: str) -> str:
        """The cell with flows of such a transport."""
        text = self.text
        settings = transport.format("newreno").replace("WINDOW", "3 MB")
        for name in ("slow", "fast"):
            sender, receiver = (end.format(name) for end in self.ends)
            text += f'[flow.{name}]\nfrom = "{sender}"\nto = "{receiver}"\nstart = "1 s"\n'
            text += f'control = "{control}"\ntransport = {settings}\n'
        return text


CELLS = {
    "arf-aware": [
        Cell("arf-aware", "", TABLE.read_text().partition("[flow.slow]")[0], 100, ("{}", "{}-sink"))
    ],
    "arf-window": [
        Cell("arf-window", "down", FALL, 30, ("server", "{}")),
        Cell("arf-window", "up", FALL, 30, ("{}", "server")),
    ],
}


def simulated(file: Path, seed: int) -> list[float]:
    """Goodput of both sessions [kb/s]."""
    words = [*AIRFAIR, "run", str(file), "--json", "--seed", str(seed)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return [flow["goodput_bps"] / 1e3 for flow in json.loads(done.stdout)["flows"]]


def emulated(file: Path, seed: int, cell: Cell, *, with_agent: bool) -> list[float]:
    """Goodput of both sessions of the kernel [kb/s]."""
    seconds = cell.seconds
    words = [*AIRFAIR, "emulate", str(file), "--json", "--seed", str(seed)]
    words += ["--duration", f"{seconds} s"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True) as emulation:
        socket = next(filter(None, map(SOCKET.search, emulation.stderr or ())))
        agent = None
        if with_agent:
            path, process = f"{socket[1]}/{socket[2]}/control", socket[2]
            inside = [*AIRFAIR, "shell", "slow", "--pid", process, "--", *AIRFAIR, "agent", "run"]
            inside += ["--interface", "wlan0", "--emulator", path, "--station", "slow"]
            inside += ["--scheme", cell.scheme]
            agent = subprocess.Popen([*inside, "--for", f"{seconds} s"], stderr=pipe, text=True)
        document = json.loads(emulation.communicate()[0])
    if agent is not None:
        said = agent.communicate()[1]
        if agent.returncode != 0:
            sys.exit(f"the agent has ended with status {agent.returncode}: {said}")
        print(said, file=sys.stderr)
    if not document["valid"]:
        print(f"invalid: {document['objections']}", file=sys.stderr)
    flows = {flow["name"]: flow["goodput_bps"] / 1e3 for flow in document["result"]["flows"]}
    return [flows["slow"], flows["fast"]]


def shown(runs: list[list[float]]) -> str:
    """Both sessions, and their sum, each with its interval."""
    each = [*zip(*runs, strict=True), [sum(run) for run in runs]]
    cells = (f"{mean(values):.0f} ± {half_width(values) or 0:.0f}" for values in each)
    return " | ".join(cells)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--scheme", choices=CELLS, default="arf-aware")
    wanted = parser.parse_args()
    seeds = range(1, wanted.runs + 1)
    print("| TCP | scheme | slow | fast | both |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cell.toml"
        for cell in CELLS[wanted.scheme]:
            for control in ("none", cell.scheme):
                file.write_text(cell.scenario(LINUX, control))
                runs = [simulated(file, seed) for seed in seeds]
                print(f"| simulated | {cell.name} {control} | {shown(runs)} |", flush=True)
            file.write_text(cell.scenario(KERNELS, "none"))
            for control in ("none", cell.scheme):
                with_agent = control != "none"
                runs = [emulated(file, it, cell, with_agent=with_agent) for it in seeds]
                print(f"| the kernel's | {cell.name} {control} | {shown(runs)} |", flush=True)


if __name__ == "__main__":
    main()

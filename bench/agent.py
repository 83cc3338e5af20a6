"""ARF-aware TCP's Table 1 with the kernel's TCP and the agent, beside the simulator's TCP, set up as Linux's.

sudo .venv/bin/python bench/agent.py [--runs N] [--seconds N]

Prints a table of docs/agent.md: goodput of both sessions in kb/s, with half the width of its 95 % interval,
without the scheme and with it. The cell is that of experiments/arf-aware-tcp/table1.toml.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from airfair.statistics import half_width, mean
from airfair.validate.kernel.cells import KERNELS, LINUX

TABLE = Path(__file__).parents[1] / "experiments" / "arf-aware-tcp" / "table1.toml"
AIRFAIR = [sys.executable, "-m", "airfair"]
SOCKET = re.compile(r"control socket: (\S+)/(\d+)/control")


def scenario(transport: str, control: str, seconds: int) -> str:
    """The cell of Table 1 with flows of such a transport."""
    cell, _, _ = TABLE.read_text().partition("[flow.slow]")
    cell = re.sub(r'(?m)^duration = "100 s"', f'duration = "{seconds} s"', cell)
    settings = transport.format("newreno").replace("WINDOW", "3 MB")
    for name in ("slow", "fast"):
        cell += f'[flow.{name}]\nfrom = "{name}"\nto = "{name}-sink"\nstart = "1 s"\n'
        cell += f'control = "{control}"\ntransport = {settings}\n'
    return cell


def simulated(file: Path, seed: int) -> list[float]:
    """Goodput of both sessions [kb/s]."""
    words = [*AIRFAIR, "run", str(file), "--json", "--seed", str(seed)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return [flow["goodput_bps"] / 1e3 for flow in json.loads(done.stdout)["flows"]]


def emulated(file: Path, seed: int, seconds: int, *, with_agent: bool) -> list[float]:
    """Goodput of both sessions of the kernel [kb/s]."""
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
            agent = subprocess.Popen([*inside, "--for", f"{seconds} s"], stderr=pipe, text=True)
        document = json.loads(emulation.communicate()[0])
    if agent is not None:
        print(agent.communicate()[1], file=sys.stderr)
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
    parser.add_argument("--seconds", type=int, default=100)
    wanted = parser.parse_args()
    seeds = range(1, wanted.runs + 1)
    print("| TCP | scheme | slow | fast | both |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cell.toml"
        for control in ("none", "arf-aware"):
            file.write_text(scenario(LINUX, control, wanted.seconds))
            runs = [simulated(file, seed) for seed in seeds]
            print(f"| simulated | {control} | {shown(runs)} |", flush=True)
        file.write_text(scenario(KERNELS, "none", wanted.seconds))
        for control in ("none", "arf-aware"):
            with_agent = control != "none"
            runs = [emulated(file, it, wanted.seconds, with_agent=with_agent) for it in seeds]
            print(f"| the kernel's | {control} | {shown(runs)} |", flush=True)


if __name__ == "__main__":
    main()

"""The kernel's TCP in emulated cells beside the simulated TCP of a run, which is set up as Linux has it.

.venv/bin/python bench/emulated.py stacks cures   (as root, an hour in real time; writes bench/emulated.json)
.venv/bin/python bench/emulated.py --print        (the tables of docs/emulator.md from that file)

`stacks` are cells without any cure: standards, rates, ways, flavours, random loss. `cures` are the papers'
schemes. An emulation that is not valid by its own verdict is run again. Several run side by side: each holds
a core for a small part of the time only.
"""

from __future__ import annotations

import argparse
import datetime as dt
import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airfair.statistics import half_width, mean

KEPT = Path(__file__).with_suffix(".json")
RATES = {"11b": ("802.11b", "11 Mb/s", "1 Mb/s"), "11a": ("802.11a", "54 Mb/s", "6 Mb/s")}
WAYS = {"up": ("up",), "down": ("down",), "both": ("up", "down")}
FLAVOURS = ("newreno", "cubic")
LOSSES = (0, 1, 3)
KERNELS = '{{ kind = "tcp", stack = "kernel", flavour = "{}" }}'
SIMULATED = """{{ kind = "tcp", flavour = "{}", sack = true, timestamps = true, segment = "1448 B", \
initial_window = 10, min_rto = "200 ms", delayed_ack = {{ segments = 2, timeout = "40 ms" }}, \
quick_acks = 16, window_scaling = true, receive_window = "WINDOW", byte_counting = true, \
grow_beyond_receive_window = false, handshake = true }}"""
FALL = '[["0 s", "11 Mb/s"], ["4 s", "1 Mb/s"]]'
"""Schemes that look for a change of the rate see one, within the warm-up."""
ATTEMPTS = 4


@dataclass(frozen=True)
class Cell:
    """A scenario but for the transport of its flows."""

    name: str
    head: str
    """All but its flows."""
    flows: dict[str, tuple[str, str]]
    flavour: str = "newreno"
    control: str = "none"
    warmup: int = 2
    window: str = "3 MB"
    """The receiver's, where it is simulated. What it has promised it does not take back."""

    def text(self, transport: str, seconds: int) -> str:
        """The scenario file."""
        text = f'duration = "{seconds} s"\nwarmup = "{self.warmup} s"\nseries = "off"\n{self.head}'
        text += f'[host.server]\nlink = {{ rate = "100 Mb/s", delay = "2 ms"{self.loss()} }}\n'
        for name, (sender, receiver) in self.flows.items():
            text += (
                f'[flow.{name}]\nfrom = "{sender}"\nto = "{receiver}"\ncontrol = "{self.control}"\n'
            )
            settings = transport.format(self.flavour).replace("WINDOW", self.window)
            text += f"transport = {settings}\n"
        return text

    def loss(self) -> str:
        """Random loss on the server's link, in percent behind the last word of the cell's name."""
        percent = int(self.name.rsplit(" ", 1)[1].rstrip("%")) if self.name.endswith("%") else 0
        probability = f"probability = {percent / 100}"
        return f', loss = {{ model = "bernoulli", {probability} }}' if percent else ""


def flows(stations: tuple[str, ...], way: str) -> dict[str, tuple[str, str]]:
    """A flow for each station and direction."""
    found = {}
    for station, direction in itertools.product(stations, WAYS[way]):
        name = f"{station}_{direction}"
        found[name] = (station, "server") if direction == "up" else ("server", station)
    return found


def stacks() -> list[Cell]:
    """Cells without a cure."""
    found = []
    for label, (standard, fast, slow) in RATES.items():
        rates = {"fast": fast, "slow": slow}
        for stations in (("fast",), ("fast", "slow")):
            head = f'[bss.home]\nstandard = "{standard}"\n'
            head += "".join(f'[station.{it}]\nrate = "{rates[it]}"\n' for it in stations)
            kind = label + (" alone" if len(stations) == 1 else " two")
            for way, flavour, loss in itertools.product(WAYS, FLAVOURS, LOSSES):
                name = f"{kind} {way} {flavour} {loss}%"
                found.append(Cell(name, head, flows(stations, way), flavour))
    return found


def cures() -> list[Cell]:
    """What the papers have against the anomaly, and against downloads that starve beside uploads."""

    def anomaly(name: str, way: str, ap: str = "", control: str = "none") -> Cell:
        head = f'[bss.home]\nstandard = "802.11b"\n{ap}\n'
        head += f'[station.fast]\nrate = "11 Mb/s"\n[station.slow]\nrate = {FALL}\n'
        pairs = flows(("fast", "slow"), way)
        return Cell(name, head, pairs, control=control, warmup=8, window="256 kB")

    def updown(name: str, ap: str = "") -> Cell:
        head = f'[bss.home]\nstandard = "802.11b"\n{ap}\n'
        head += '[station.a]\nrate = "11 Mb/s"\n[station.b]\nrate = "11 Mb/s"\n'
        pairs = {"up": ("a", "server"), "down": ("server", "b")}
        return Cell(name, head, pairs, warmup=8, window="256 kB")

    counted = 'discipline = "data-ack", weights = "active-flows"'
    return [
        anomaly("up: none", "up"),
        anomaly("up: arf-aware", "up", control="arf-aware"),
        anomaly("up: arf-window", "up", control="arf-window"),
        anomaly("up: occupancy", "up", "ap.occupancy = true", "occupancy"),
        anomaly("down: none", "down"),
        anomaly("down: arf-window", "down", control="arf-window"),
        anomaly("down: occupancy", "down", "ap.occupancy = true", "occupancy"),
        anomaly("down: airtime", "down", 'ap.queue = { discipline = "airtime" }'),
        anomaly("down: time-regulator", "down", 'ap.queue = { discipline = "time-regulator" }'),
        updown("both: none"),
        updown("both: data-ack", f"ap.queue = {{ {counted} }}"),
        updown("both: window sharing", "ap.window_sharing = true"),
    ]


CELLS = {"stacks": stacks, "cures": cures}
NAMES = {
    "11b alone": "11b, 11",
    "11b two": "11b, 11 + 1",
    "11a alone": "11a, 54",
    "11a two": "11a, 54 + 6",
}


def goodputs(command: list[str], text: str) -> dict[str, float] | None:
    """Goodput of each flow [Mb/s]; None of an emulation that is not valid."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cell.toml"
        file.write_text(text, encoding="utf-8")
        words = [sys.executable, "-m", "airfair", *command, str(file), "--json"]
        done = subprocess.run(words, capture_output=True, check=False, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr}\n{text}")
    document = json.loads(done.stdout)
    if not document.get("valid", True):
        return None
    rows = document.get("result", document)["flows"]
    return {row["name"]: row["goodput_bps"] / 1e6 for row in rows}


def emulated(cell: Cell, seconds: int, seed: int) -> tuple[dict[str, float], int]:
    """A valid emulation, and how many were not before it."""
    command = ["emulate", "--duration", f"{seconds} s", "--seed", str(seed)]
    for invalid in range(ATTEMPTS):
        found = goodputs(command, cell.text(KERNELS, seconds))
        if found is not None:
            return found, invalid
    raise RuntimeError(f"{cell.name}: {ATTEMPTS} emulations in a row are not valid")


def summed(runs: list[dict[str, float]]) -> dict[str, Any]:
    """Mean and half an interval of each flow, and of all together."""
    rows = [{**run, "all": sum(run.values())} for run in runs]
    return {name: [mean(of := [row[name] for row in rows]), half_width(of)] for name in rows[0]}


def measure(kind: str, wanted: argparse.Namespace) -> None:
    """Run the cells of a kind and keep what they give."""
    seeds = range(1, wanted.runs + 1)
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    chosen = [cell for cell in CELLS[kind]() if wanted.only in cell.name]
    before = os.getloadavg()[0]
    with ThreadPoolExecutor(wanted.side_by_side) as pool:
        jobs = [
            (cell, [pool.submit(emulated, cell, wanted.seconds, seed) for seed in seeds])
            for cell in chosen
        ]
        found, invalid = kept.get(kind, {}), 0
        for cell, runs in jobs:
            text = cell.text(SIMULATED, wanted.seconds)
            ours = [goodputs(["run", "--seed", str(seed)], text) for seed in seeds]
            done = [run.result() for run in runs]
            invalid += sum(again for _, again in done)
            real = summed([goodput for goodput, _ in done])
            found[cell.name] = {"emulated": real, "simulated": summed([it for it in ours if it])}
            print(cell.name, found[cell.name], flush=True)
    about = {
        "date": f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d}",
        "kernel": os.uname().release,
        "cores": os.cpu_count(),
        "side_by_side": wanted.side_by_side,
        "load": [round(before, 1), round(os.getloadavg()[0], 1)],
        "runs": wanted.runs,
        "seconds": wanted.seconds,
        "not_valid": invalid,
    }
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    kept |= {kind: found, f"{kind}_about": about}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def number(kind: str, cell: str, column: str, flow: str) -> str:
    """A number as documents have it."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))[kind][cell][column][flow]
    name = f'emulated.{kind}["{cell}"].{column}.{flow}'
    return f"{kept[0]:.2f} ± {kept[1]:.2f}<!--= {name} -->"


def show(kind: str) -> None:
    """Print the table of a kind."""
    if kind == "stacks":
        print(
            "| cell | way | loss | Reno emulated | Reno simulated | CUBIC emulated | CUBIC simulated |"
        )
        print("| --- | --- | --- | --- | --- | --- | --- |")
    else:
        print("| cell and cure | emulated | simulated |\n| --- | --- | --- |")
    cells = {cell.name: cell for cell in CELLS[kind]()}
    for name, cell in cells.items():
        if kind == "stacks" and " newreno " not in name:
            continue
        names = [name, name.replace("newreno", "cubic")] if kind == "stacks" else [name]
        said = [
            " + ".join(number(kind, each, column, flow) for flow in cell.flows)
            for each in names
            for column in ("emulated", "simulated")
        ]
        words = name.split()
        labels = [NAMES[" ".join(words[:2])], words[2], words[4]] if kind == "stacks" else [name]
        print(f"| {' | '.join([*labels, *said])} |")


def main() -> None:
    """Measure, or print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", choices=[*CELLS, []], help="what to measure")
    parser.add_argument("--print", action="store_true", help="print what is kept")
    parser.add_argument("--only", default="", help="cells with this in their name")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=32)
    parser.add_argument("--side-by-side", type=int, default=4)
    wanted = parser.parse_args()
    for kind in wanted.kinds:
        measure(kind, wanted)
    if wanted.print:
        for kind in CELLS:
            show(kind)


if __name__ == "__main__":
    main()

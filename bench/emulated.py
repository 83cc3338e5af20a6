"""Compares the kernel's TCP in emulated cells with the simulated TCP, which has Linux's settings.

.venv/bin/python bench/emulated.py stacks cures   (as root, an hour in real time; writes bench/emulated.json)
.venv/bin/python bench/emulated.py fair --runs 3 --seconds 40 --side-by-side 1   (as root, 40 minutes)
.venv/bin/python bench/emulated.py stacks parts --simulated   (simulations only; recorded emulations stay)

`stacks` are the cells of `airfair validate --kernel`, without any scheme. `recent` are those with one flow
that has BBR, answers marks, or has just started. `cures` are cells with the papers' schemes. `fair` are cells
with and without a fair access point. `parts` are three cells of `stacks`, with a simulated TCP that has only
a part of Linux's settings. `coalescing` are six uploads in 802.11ax, with several times for which a simulated
receiver's ACKs wait. An invalid emulation is repeated. Several emulations run at once, since each needs a
small part of a core.
"""

from __future__ import annotations

import argparse
import datetime as dt
import itertools
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from airfair.validation.kernel.cells import LINUX, TFRC, KernelCell, cells, flows, is_quick, stacks
from airfair.validation.kernel.runs import emulated, goodputs, simulated, summed, with_index
from airfair.validation.kernel.table import rows, text

KEPT = Path(__file__).with_suffix(".json")
FALL = '[["0 s", "11 Mb/s"], ["4 s", "1 Mb/s"]]'
"""Rate of the slow station, which falls during the warm-up, since some schemes react to a change of rate."""


def cures() -> list[KernelCell]:
    """Return cells with the papers' schemes against the anomaly and against starving downloads."""

    def anomaly(
        name: str, way: str, ap: str = "", control: str = "none", flavour: str = "newreno"
    ) -> KernelCell:
        head = f'[bss.home]\nstandard = "802.11b"\n{ap}\n'
        head += f'[station.fast]\nrate = "11 Mb/s"\n[station.slow]\nrate = {FALL}\n'
        pairs = flows(("fast", "slow"), way)
        return KernelCell(name, head, pairs, flavour, control=control, warmup=8, window="256 kB")

    def updown(name: str, ap: str = "") -> KernelCell:
        head = f'[bss.home]\nstandard = "802.11b"\n{ap}\n'
        head += '[station.a]\nrate = "11 Mb/s"\n[station.b]\nrate = "11 Mb/s"\n'
        pairs = {"up": ("a", "server"), "down": ("server", "b")}
        return KernelCell(name, head, pairs, warmup=8, window="256 kB")

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
        anomaly("up: TFRC, none", "up", flavour=TFRC),
        anomaly("up: TFRC, occupancy", "up", "ap.occupancy = true", "occupancy", TFRC),
        anomaly("down: TFRC, none", "down", flavour=TFRC),
        anomaly("down: TFRC, occupancy", "down", "ap.occupancy = true", "occupancy", TFRC),
        updown("both: none"),
        updown("both: data-ack", f"ap.queue = {{ {counted} }}"),
        updown("both: window sharing", "ap.window_sharing = true"),
    ]


def recent() -> list[KernelCell]:
    """Return cells of one flow that has BBR, answers marks, or has just started."""
    kinds = (" bbr1 ", " ecn ", " start ")
    return [cell for cell in cells() if is_quick(cell) and any(kind in cell.name for kind in kinds)]


def parts() -> list[KernelCell]:
    """Return the cells in which Linux's loss recovery and its arithmetic make the greatest difference."""
    named = ("newreno 3%", "cubic 1%", "cubic 3%")
    return [cell for cell in stacks() if cell.name in {f"11a alone up {it}" for it in named}]


FAIR = {
    "g": ('standard = "802.11g"', "54 Mb/s", "6 Mb/s"),
    "n": (
        'standard = "802.11n"\nband = "2.4 GHz"\nguard_interval = "400 ns"\nstreams = 2',
        "ht-mcs15",
        "ht-mcs0",
    ),
    "ax": (
        'standard = "802.11ax"\nband = "5 GHz"\nwidth = "80 MHz"\nstreams = 2',
        "he-mcs11x2",
        "he-mcs0x1",
    ),
}
"""Keys of the cell, and rates of a fast and of the slow station, by label."""


def fair() -> list[KernelCell]:
    """Return cells of five fast stations and a slow one, with and without a fair access point."""
    found = []
    for label, way, is_fair in itertools.product(FAIR, ("down", "up", "both"), (False, True)):
        keys, fast, slow = FAIR[label]
        queue = "queue = { packets = 1000 }\n"
        head = f'[bss.home]\n{keys}\nap.queue = {{ discipline = "airtime" }}\n'
        head += 'ap.fair = true\nedca.txop_limit = "2.528 ms"\n' if is_fair else ""
        rates = {f"fast{k}": fast for k in range(5)} | {"slow": slow}
        for name, rate in rates.items():
            head += f'[station.{name}]\nrate = "{rate}"\n{queue}'
        name = f"{label} {way} {'fair' if is_fair else 'airtime'}"
        wire = 'rate = "10 Gb/s", queue = { packets = 100000 }'
        ends = flows(tuple(rates), way)
        cell = KernelCell(name, head, ends, "cubic", warmup=10, delay="25 ms", wire=wire)
        found.append(cell)
    return found


CELLS = {"stacks": stacks, "recent": recent, "cures": cures, "fair": fair}
RACK, ARITHMETIC = 'loss_recovery = "rack", ', 'arithmetic = "linux", '
PARTS = {
    "neither": LINUX.replace(RACK, "").replace(ARITHMETIC, ""),
    "rack": LINUX.replace(ARITHMETIC, ""),
    "linux": LINUX.replace(RACK, ""),
}

COALESCING = {
    time: LINUX.replace('coalescing = "50 us"', f'coalescing = "{time}"')
    for time in ("off", "10 us", "50 us", "200 us")
}


def measure(kind: str, wanted: argparse.Namespace) -> None:
    """Emulate and simulate the cells of a kind, and write the results to the record."""
    seeds = range(1, wanted.runs + 1)
    chosen = [cell for cell in CELLS[kind]() if wanted.only in cell.name]
    take = with_index if kind == "fair" else goodputs
    before = os.getloadavg()[0]
    with ThreadPoolExecutor(wanted.side_by_side) as pool:
        jobs = [
            (cell, [pool.submit(emulated, cell, wanted.seconds, seed, take) for seed in seeds])
            for cell in chosen
        ]
        invalid = 0
        for cell, runs in jobs:
            ours = [simulated(cell, wanted.seconds, seed, take=take) for seed in seeds]
            done = [run.result() for run in runs]
            invalid += sum(again for _, again in done)
            real = summed([goodput for goodput, _ in done])
            found = {"emulated": real, "simulated": summed(ours)}
            print(cell.name, found, flush=True)
            keep(kind, {cell.name: found})
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
    keep(f"{kind}_about {wanted.only}".rstrip(), about)


def keep(kind: str, found: dict[str, object]) -> None:
    """Add to a part of the record. After each cell, so that Ctrl-C loses one cell."""
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    kept[kind] = kept.get(kind, {}) | found
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def simulate(kind: str, wanted: argparse.Namespace) -> None:
    """Simulate the cells of a kind again, and keep the record's emulations."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    for cell in CELLS[kind]():
        if wanted.only in cell.name:
            seeds = range(1, wanted.runs + 1)
            take = with_index if kind == "fair" else goodputs
            ours = summed([simulated(cell, wanted.seconds, seed, take=take) for seed in seeds])
            kept[kind][cell.name]["simulated"] = ours
            print(cell.name, kept[kind][cell.name], flush=True)
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def divide(wanted: argparse.Namespace) -> None:
    """Simulate cells with each part of Linux's settings, and write the results to the record."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    seeds = range(1, wanted.runs + 1)
    kept["parts"] = {
        cell.name: {
            part: summed([simulated(cell, wanted.seconds, seed, transport) for seed in seeds])
            for part, transport in PARTS.items()
        }
        for cell in parts()
    }
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def coalesce(wanted: argparse.Namespace) -> None:
    """Simulate uploads in 802.11ax with each time of coalescing, and write the results to the record."""
    cell = next(cell for cell in fair() if cell.name == "ax up airtime")
    seeds = range(1, wanted.runs + 1)
    found = {}
    for time, transport in COALESCING.items():
        runs = [simulated(cell, wanted.seconds, seed, transport, with_index) for seed in seeds]
        found[time] = summed(runs)
        print(time, found[time], flush=True)
    keep("coalescing", found)


def judge() -> None:
    """Print the verdict of `airfair validate --kernel` on the recorded cells."""
    cells = json.loads(KEPT.read_text(encoding="utf-8"))["stacks"]
    print(text(rows({name: (it["emulated"], it["simulated"]) for name, it in cells.items()})))


def main() -> None:
    """Measure the cells, or print the verdict on recorded ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "kinds", nargs="*", choices=[*CELLS, "parts", "coalescing", []], help="what to measure"
    )
    parser.add_argument("--judge", action="store_true", help="print what differs in what is kept")
    parser.add_argument("--simulated", action="store_true", help="the runs alone")
    parser.add_argument("--only", default="", help="cells with this in their name")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=32)
    parser.add_argument("--side-by-side", type=int, default=4)
    wanted = parser.parse_args()
    for kind in wanted.kinds:
        if kind == "parts":
            divide(wanted)
        elif kind == "coalescing":
            coalesce(wanted)
        else:
            (simulate if wanted.simulated else measure)(kind, wanted)
    if wanted.judge:
        judge()


if __name__ == "__main__":
    main()

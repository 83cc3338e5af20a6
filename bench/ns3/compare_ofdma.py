"""Compares airfair with ns-3.37 and a calculation by hand, in cells of 802.11ax with OFDMA; prints Markdown.

Run from a checkout after `make build`, with Debian's libns3-dev and g++ installed:
`.venv/bin/python bench/ns3/compare_ofdma.py`. `--ns3-only` leaves airfair out, `--cell TEXT` runs the cells
whose names contain the text, `--record` writes the results of ns-3 to `ofdma.json`.

Senders are saturated; all stations are at one position. The table has the goodput [Mb/s of UDP payload] of
all stations, down and up: the mean over the seeds and the half width of its 95 % confidence interval.
`calculated` is by ns-3's conventions, `scale` the factor by which the standard's give more. Where nobody
contends, ns-3 may deviate from the calculation by 1 %. airfair may deviate from ns-3, after the correction,
by 3 % or by the confidence interval of the difference.

Conventions of ns-3.37, the classes of src/wifi/model that implement them, and their treatment here:

* The length of block acks in trigger-based PPDUs is computed with the guard interval of the downlink PPDU,
  but their trigger announces at least 1.6 µs (WifiDefaultAckManager::GetAckInfoIfTfMuBar,
  CtrlTriggerHeader). With 0.8 µs the access point loses those that need more than one symbol. Here an
  acknowledgement manager of the program corrects this; one cell shows ns-3's own.
* The same length is that of a block ack without its delimiter (HeFrameExchangeManager::
  CalculateAcknowledgmentTime). Where the delimiter needs one more symbol, the PPDU lacks it, and the access
  point receives it all the same. `scale` corrects it.
* HE-LTFs have 8 µs (HePhy::GetTrainingDuration). The standard's have 7.2 µs for a guard interval of 0.8 µs,
  and 16 µs for 3.2 µs. `scale` corrects it.
* In a TXOP a CF-End at 6 Mb/s follows SIFS after the last frame, if more than 52 µs are left
  (QosFrameExchangeManager::SendCfEndIfNeeded): 1.4 % of 4.8 ms. `scale` corrects it.
* If no multi-user PPDU fits the rest of a TXOP, a single-user PPDU fills it, unless ForceDlOfdma is set
  (RrMultiUserScheduler::TrySendingDlMuPpdu). Cells with a TXOP limit set it; three do not.
* A PPDU has the most equal units that are not more than the stations: four for five to eight at 20 MHz. The
  first MPDU of a station must fit the unit that so many stations would get. Stations with the most credits
  are served; those take turns.
* Basic and BSRP triggers and CF-End go at 6 Mb/s, MU-BARs and responses at 24 Mb/s. Triggers have two octets
  of padding. Block acks in trigger-based PPDUs go at MCS 5 or that of the data, if it is lower.
* The access point contends anew for BSRP, Basic trigger and the next PPDU if the TXOP limit is 0. With a
  limit, a Basic trigger that does not fit after its BSRP is forgotten (RrMultiUserScheduler::
  TrySendingBasicTf), so cells with polls have none.
* Buffer reports come in QoS Nulls only, unless SetQueueSize is set (QosFrameExchangeManager), and are valid
  for 20 ms. Unknown means a grant of 500 octets, into which no MPDU fits. Here data carry reports.
* A single-user uplink contends beside triggers. The MU EDCA timer (MuEdcaParameterSet) with an AIFSN of 0
  ends this; the cells without it say `contending`. A long warm-up lets the first trigger succeed.
* Polls without downlink traffic repeat for ever, so cells of the uplink alone have none. Their triggers come
  at multiples of the access interval, which is 1 ms (MultiUserScheduler::AccessReqTimeout).
* The conventions of `compare_cells.py` on back-off, lost block acks, RTS and EIFS hold too. After a BlockAck
  that is lost in a collision the data are sent again, and their attempts have no limit.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ofdma_cells import CELLS, LAYOUTS, Cell, expected

HERE = Path(__file__).resolve().parent
RECORD = HERE / "ofdma.json"
MODULES = ("mobility", "network", "propagation", "spectrum", "wifi")
WARMUP = 2
SEEDS, DURATION = 3, 1
CHANCE_SEEDS, CHANCE_DURATION = 5, 2
"""Seeds, and seconds of each, where nodes contend."""
LONGER = 5
"""Factor by which contending cells of 20 MHz run longer, since their PPDUs are few and cheap."""
T_975 = {2: 4.303, 4: 2.776, 9: 2.262}
"""Student's t, two-sided 95 %, by degrees of freedom."""
WITHIN, WITHIN_CALCULATION = 0.03, 0.01


@dataclass
class Runs:
    """Goodput of each run [Mb/s], and the least CPU time of a simulated second [s]."""

    down: list[float]
    up: list[float]
    cpu: float = math.inf


def seeds(cell: Cell) -> int:
    """Return the number of runs of a cell."""
    if not cell.contends:
        return SEEDS
    return CHANCE_SEEDS * (2 if cell.width == min(LAYOUTS) else 1)


def duration(cell: Cell) -> int:
    """Return the simulated seconds of each run that count."""
    if not cell.contends:
        return DURATION
    return CHANCE_DURATION * (LONGER if cell.width == min(LAYOUTS) else 1)


def build(scratch: Path) -> Path:
    """Compile the program for ns-3."""
    wanted = [f"ns3-{module}" for module in MODULES]
    found = subprocess.run(
        ["pkg-config", "--libs", *wanted], check=True, capture_output=True, text=True
    )
    # Debian's flags name a directory of headers that does not exist, so only the libraries are used.
    libraries = sorted({flag for flag in found.stdout.split() if flag.startswith("-lns3")})
    program, source = scratch / "ofdma_cell", HERE / "ofdma_cell.cc"
    compiler = ["g++", "-std=c++17", "-O2", str(source), "-o", str(program), *libraries]
    subprocess.run(compiler, check=True)
    return program


def ns3(program: Path, cell: Cell) -> Runs:
    """Return the runs of ns-3, one after the other, since their CPU time counts."""
    runs, seconds = Runs([], []), duration(cell)
    for seed in range(1, seeds(cell) + 1):
        times = [f"--duration={seconds}", f"--warmup={WARMUP}", f"--seed={seed}"]
        command = ["nice", "-n", "10", str(program), *cell.options(), *times]
        found = json.loads(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout
        )
        runs.down.append(sum(found["down_mbps"]))
        runs.up.append(sum(found["up_mbps"]))
        runs.cpu = min(runs.cpu, found["cpu_s"] / seconds)
    return runs


# No EIFS after collisions and no limit of attempts: see the conventions above.
SCENARIO = """
duration = "{duration} s"
warmup   = "{warmup} s"
series   = "off"

[bss.cell]
standard        = "802.11ax"
band            = "5 GHz"
width           = "{width} MHz"
guard_interval  = "{guard} ns"
streams         = {streams}
aggregation     = {{ max_bytes = "{max_octets} B", window = {window} }}
after_collision = "difs"
max_attempts    = "unlimited"
cw_min          = {cw_min}
edca            = {{ txop_limit = "{txop} us" }}
{multi_user}
[bss.cell.ap]
edca  = {{ txop_limit = "{txop} us" }}
queue = {{ discipline = "round-robin", packets = {queue} }}

[station.sta]
count = {users}
rate  = "he-mcs{mcs}x{streams}"
queue = {{ discipline = "fifo", packets = {queue} }}

[host.server]
link = {{ rate = "10 Gb/s", delay = "1 ms", queue = {{ packets = 1000 }} }}
"""
FLOW = """
[flow.{name}]
from      = "{source}"
to        = "{sink}"
start     = "{start} s"
transport = {{ kind = "udp", payload = "{payload} B", rate = "saturated" }}
"""


def multi_user(cell: Cell) -> str:
    """Return the keys for several users in a PPDU."""
    words = {"off": "off", "su": "off", "mu": "round-robin"}
    if "mu" not in {cell.down, cell.up}:
        return ""
    every = f"{cell.interval} us" if cell.interval else "off"
    keys = (
        f'down = "{words[cell.down]}", up = "{words[cell.up]}", '
        f'users = {cell.per_ppdu or cell.users}, ack = "{cell.ack}", trigger_every = "{every}", '
        f"poll = {str(cell.poll and cell.up == 'mu').lower()}, "
        f'up_guard_interval = "{max(1600, cell.guard)} ns"'
    )
    lines = [f"ofdma           = {{ {keys} }}"]
    if cell.up == "mu" and cell.mu_timer:
        lines.append(f'mu_edca         = {{ aifsn = 0, timer = "{cell.mu_timer} us" }}')
    return "\n".join(lines) + "\n"


def scenario(cell: Cell) -> str:
    """Return the scenario of the cell for airfair."""
    document = SCENARIO.format(
        duration=duration(cell) + WARMUP,
        warmup=WARMUP,
        width=cell.width,
        guard=cell.guard,
        streams=cell.streams,
        max_octets=cell.max_octets,
        window=cell.window,
        cw_min=cell.cw_min,
        txop=cell.txop,
        multi_user=multi_user(cell),
        queue=2 * cell.window,
        users=cell.users,
        mcs=cell.mcs,
    )
    start = {"start": WARMUP - 0.5, "payload": cell.payload}
    if cell.down != "off":
        document += FLOW.format(name="down", source="server", sink="sta", **start)
    if cell.up != "off":
        document += FLOW.format(name="up", source="sta", sink="server", **start)
    return document


def ours(cell: Cell) -> Runs | str:
    """Return the runs of airfair, or the message of the error."""
    import airfair  # not needed with `--ns3-only`

    count, seconds = seeds(cell), duration(cell)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cell.toml"
        path.write_text(scenario(cell), encoding="utf-8")
        try:
            result = airfair.run(path, replications=count)
        except ValueError as error:
            return str(error).splitlines()[0]
    runs = Runs([0.0] * count, [0.0] * count)
    for row in result.flows.iter_rows(named=True):
        goodput = runs.up if row["flow"].startswith("up") else runs.down
        goodput[row["replication"]] += row["delivered_bytes"] * 8e-6 / seconds
    return runs


def half_width(values: list[float]) -> float:
    """Return the half width of the 95 % confidence interval of the mean."""
    return T_975[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))


def interval(values: list[float]) -> list[float]:
    """Return the mean and the half width of its 95 % confidence interval, rounded."""
    return [round(statistics.mean(values), 3), round(half_width(values), 3)]


def text(values: list[float]) -> str:
    """Format the mean and the half width of its 95 % confidence interval."""
    return f"{statistics.mean(values):.2f} ± {half_width(values):.2f}" if any(values) else "–"


def agrees(theirs: list[float], mine: list[float], scale: float) -> bool:
    """Return true if the two means are within 3 %, or within the interval of their difference."""
    theirs = [scale * value for value in theirs]
    difference = abs(statistics.mean(mine) - statistics.mean(theirs))
    spread = math.hypot(half_width(theirs), half_width(mine))
    return difference <= max(WITHIN * statistics.mean(theirs), spread)


def compare(program: Path, cell: Cell, *, ns3_only: bool) -> dict[str, object]:
    """Run one cell in both simulators, print its row and return what is recorded of it."""
    theirs = ns3(program, cell)
    model, standards = expected(cell), expected(cell, by_ns3=False)
    columns = [cell.name, text(theirs.down), text(theirs.up), f"{theirs.cpu:.2f}"]
    mean = (statistics.mean(theirs.down), statistics.mean(theirs.up))
    row: dict[str, object] = {
        "options": " ".join(one for one in cell.options() if one not in Cell("").options()),
        "down": interval(theirs.down),
        "up": interval(theirs.up),
        "cpu_s_per_s": round(theirs.cpu, 3),
        "seeds": seeds(cell),
        "seconds": duration(cell),
    }
    scale, is_off = 1.0, False
    if model is None or standards is None:
        columns += ["", "", ""]
    else:
        ratio, scale = sum(mean) / sum(model), sum(standards) / sum(model)
        columns += [f"{model[0]:.2f} / {model[1]:.2f}", f"{ratio:.4f}", f"{scale:.4f}"]
        row |= {
            "calculated_down": round(model[0], 3),
            "calculated_up": round(model[1], 3),
            "scale": round(scale, 4),
        }
        is_off = abs(ratio - 1) > WITHIN_CALCULATION
    mine = "not asked" if ns3_only else ours(cell)
    if isinstance(mine, str):
        columns += [mine, ""]
    else:
        pairs = [(theirs.down, mine.down), (theirs.up, mine.up)]
        fits = all(agrees(one, other, scale) for one, other in pairs if any(one) or any(other))
        is_off |= not fits
        columns += [f"{text(mine.down)} / {text(mine.up)}", "yes" if fits else "**no**"]
    print("| " + " | ".join(columns) + " |", flush=True)
    return row | {"is_off": is_off}


def main() -> int:
    """Print the table. Return 1 if a cell deviates too much."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--ns3-only", action="store_true", help="leave airfair out")
    parser.add_argument("--cell", default="", help="run the cells whose names contain this text")
    parser.add_argument("--record", action="store_true", help="write ofdma.json")
    asked = parser.parse_args()
    cells = [cell for cell in CELLS if asked.cell in cell.name]
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        print(
            "| cell | ns-3.37 down [Mb/s] | up | CPU s per s | calculated | ratio | scale "
            "| airfair | within |"
        )
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        off = False
        for cell in cells:
            row = compare(program, cell, ns3_only=asked.ns3_only)
            off |= bool(row.pop("is_off"))
            if asked.record:
                record(cell, row)
    return int(off)


def record(cell: Cell, row: dict[str, object]) -> None:
    """Replace the row of the cell in the record."""
    rows = json.loads(RECORD.read_text(encoding="utf-8"))["rows"] if RECORD.exists() else {}
    rows[cell.name] = row
    ordered = {cell.name: rows[cell.name] for cell in CELLS if cell.name in rows}
    document = json.dumps({"rows": ordered}, indent=1, ensure_ascii=False)
    RECORD.write_text(document + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

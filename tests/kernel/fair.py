"""Measures the shares of airtime at an access point in QEMU, without the agent and with it.

make fair-access-point, or
.venv/bin/python tests/kernel/fair.py [--scheme fair] [--rates 54,6] [--delay MS] [--ways both] [--runs N] …

The machine runs mac80211, hostapd, minstrel and TCP of Debian's kernel. The agent runs at the access point,
and the stations do not know of it. Each station has a flow to or from a wired server. With --keepers some
stations run the agent as well in a last phase, and keep to the shares that the access point grants. A
station's share is the airtime of its frames in both directions. The medium counts it; the agent only has an
estimate.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import machine
from machine import Setup
from radio_cells import KERNELS_RENO, cell

import airfair
from airfair.statistics import half_width, jain
from airfair.text_table import Line, Table, text

WAYS = ("up", "down")
MODULES = ["mac80211_hwsim", "veth", "sch_netem", "sch_ingress", "sch_htb", "cls_bpf"]
WARMUP_S = 2
COLUMNS = 80
"""Greatest width of the table, as of airfair's other tables if the width of the terminal is unknown."""
SCHEMES = ("fair", "occupancy")
STAGE = "stage: "
"""Beginning of the lines with which the machine reports its progress."""
_AIR = re.compile(r"(\w+) ([\d.]+) % of the air in \d+ frames and ([\d.]+) % in frames to it")

_SCRIPT = """
    echo reno >/proc/sys/net/ipv4/tcp_congestion_control
    echo 1 >/proc/sys/net/ipv4/tcp_no_metrics_save
    echo 1 >/proc/sys/net/ipv4/ip_forward
    for it in veth sch_netem sch_ingress sch_htb cls_bpf; do modprobe $it; done
    radios $(({count} + 1))
    medium --seed {seed} /data/cell.toml
    access_point {standard}
    at=0
    for it in {names}; do
        at=$((at + 1)); station $it $at
        ip netns exec $it ip route add default via 10.0.0.1
    done
    ip netns add server
    ip link add wire type veth peer name eth0 netns server
    ip address add 10.1.0.1/24 dev wire; ip link set wire up
    ip -n server address add 10.1.0.2/24 dev eth0; ip -n server link set eth0 up
    ip -n server route add default via 10.1.0.1
    tc qdisc add dev wire root netem delay {delay}ms limit 10000
    ip netns exec server tc qdisc add dev eth0 root netem delay {delay}ms limit 10000
    port=5000
    up() {{
        ip netns exec server flow receive $3 {warmup} {seconds} >/tmp/$1 &
        sleep 0.1; ip netns exec $1 flow send 10.1.0.2 $3 &
    }}
    down() {{
        ip netns exec $1 flow receive $3 {warmup} {seconds} >/tmp/$1 &
        sleep 0.1; ip netns exec server flow send 10.0.0.$(($2 + 1)) $3 &
    }}
    both() {{ if [ $(($2 % 2)) = 1 ]; then up "$@"; else down "$@"; fi; }}
    # phase WHO WAY: runs a flow of each station; prints their goodputs and the medium's lines of that time.
    phase() {{
        echo "{stage}$2 $1 the agent"
        at=0
        for it in {names}; do at=$((at + 1)); port=$((port + 1)); $2 $it $at $port; done
        sleep {warmup}; first=$(wc -l </tmp/medium); sleep {seconds}; last=$(wc -l </tmp/medium)
        for it in {names}; do
            await 60 test -s /tmp/$it; sed "s/goodput_mbps/$1.$2.$it/" /tmp/$it; rm /tmp/$it
        done
        sed -n "$((first + 1)),${{last}}p" /tmp/medium | sed "s/^/$1.$2:/"
        sleep 1
    }}
    for way in {ways}; do phase without $way; done
    airfair-agent run --interface $(interface 0) --config /data/agent.toml --record /tmp/recording \\
        >/tmp/agent 2>&1 & AGENT=$!
    await 20 grep -q watches /tmp/agent
    for way in {ways}; do phase with $way; done
    at=0
    for it in {names}; do
        at=$((at + 1)); case " {keepers} " in *" $it "*) ;; *) continue ;; esac
        mkdir /tmp/$it.run
        RUNTIME_DIRECTORY=/tmp/$it.run ip netns exec $it airfair-agent run --interface $(interface $at) \
            --config /data/agent.toml --record /tmp/$it.recording >/tmp/$it.agent 2>&1 & KEEPERS="$KEEPERS $!"
        await 20 grep -q "receives grants" /tmp/$it.agent
    done
    if [ -n "{keepers}" ]; then for way in {ways}; do phase kept $way; done; fi
    airfair-agent status
    for it in $KEEPERS; do kill $it; wait $it || fail "the agent of a station"; done
    for it in {keepers}; do
        sed "s/^/$it: /" /tmp/$it.agent; airfair-agent replay /tmp/$it.recording | tail -1 | sed "s/^/$it: /"
    done
    kill $AGENT; wait $AGENT || fail "the agent"
    cat /tmp/agent
    airfair-agent replay /tmp/recording | tail -1
    airfair-agent run --interface $(interface 0) --scheme airtime-weights 2>&1 | sed "s/^/weights: /"
    tc qdisc show dev $(interface 0) | sed "s/^/left: /"
    kill $MEDIUM; wait $MEDIUM
    tail -1 /tmp/medium
"""


@dataclass(frozen=True)
class Cell:
    """Cell with the rates of the stations [Mb/s], the slow one last, and the delay to the server."""

    rates: tuple[int, ...] = (54, 6)
    standard: str = "g"
    delay_ms: float = 10
    """Delay of the wire in each direction."""
    scheme: str = "fair"
    """Scheme of the agent."""
    configuration: bytes = b""
    """Configuration file of the agent; the scheme alone if it is empty."""
    seconds: int = 6
    """Length of each measurement."""
    keepers: int = 0
    """Number of stations that run the agent as well, the last ones."""

    @property
    def phases(self) -> list[str]:
        """Return the names of the phases."""
        return ["without", "with"] + (["kept"] if self.keepers else [])

    @property
    def stations(self) -> dict[str, int]:
        """Return the rates by the stations' names."""
        return {f"s{at}": rate for at, rate in enumerate(self.rates, 1)}


@dataclass(frozen=True)
class Phase:
    """Shares of airtime and goodputs [Mb/s] of all stations."""

    air: list[float]
    goodput: list[float]

    @property
    def fairness(self) -> float:
        """Return Jain's index of the shares of airtime."""
        return jain(self.air) or 0.0

    @property
    def total(self) -> float:
        """Return the sum of the goodputs [Mb/s]."""
        return math.fsum(self.goodput)


Phases = dict[tuple[str, str], Phase]
"""Phases by name and direction: "without" the agent, "with" it, or "kept" with it at stations as well."""


def missing() -> list[str]:
    """Return a line for each program that is missing to build the agent."""
    return [] if shutil.which("clang") else ["clang: Debian's package clang"]


def programs() -> list[str | Path]:
    """Build the programs for the machine, and return them with the names of installed ones."""
    built = machine.build("airfair-emulator")
    machine.build("airfair-agent", features=["bpf"])
    own = [built / name for name in ("airfair-medium", "airfair-agent", "examples/flow")]
    return ["iw", "hostapd", "ip", "tc", *own]


def measure(
    of: Cell,
    ways: Sequence[str] = WAYS,
    *,
    there: Sequence[str | Path],
    seed: int = 1,
    watch: machine.Watch | None = None,
) -> tuple[Phases, machine.Output]:
    """Run a machine with the programs `there`, in which each phase measures its flows for some seconds.

    `watch` gets each line of the machine's console as it comes.
    """
    names = list(of.stations)
    script = _SCRIPT.format(
        count=len(names),
        names=" ".join(names),
        keepers=" ".join(names[len(names) - of.keepers :]),
        ways=" ".join(ways),
        standard=of.standard,
        delay=of.delay_ms,
        seed=seed,
        seconds=of.seconds,
        warmup=WARMUP_S,
        stage=STAGE,
    )
    files = {
        "/data/cell.toml": cell(of.standard, of.stations).encode(),
        "/data/agent.toml": of.configuration or f'scheme = "{of.scheme}"\n'.encode(),
    }
    output = machine.run(script, Setup(there, MODULES, files), watch=watch)
    if output.status != 0:
        raise AssertionError(output.console)
    phases = {(who, way): _phase(output, who, way, names) for who in of.phases for way in ways}
    return phases, output


def _phase(output: machine.Output, who: str, way: str, names: Sequence[str]) -> Phase:
    lines = [line for line in output.lines if line.startswith(f"{who}.{way}:")]
    air = dict.fromkeys(names, 0.0)
    for line in lines:
        for name, own, other in _AIR.findall(line):
            if name in air:
                air[name] += (float(own) + float(other)) / 100 / len(lines)
    return Phase(list(air.values()), [output.value(f"{who}.{way}.{name}") for name in names])


AP_KEYS = {
    "none": "",
    "occupancy": "ap = { occupancy = true }\n",
    "fair": 'ap = { queue = { discipline = "airtime" }, fair = true }\n',
}
"""Keys of the simulated access point, by its scheme."""


def simulated(of: Cell, way: str, scheme: str, seed: int) -> Phase:
    """Simulate a phase with a TCP set up as the kernel's. Stations keep to shares that are granted."""
    text = cell(of.standard, of.stations).replace(
        '"60 s"', '"22 s"\nwarmup = "2 s"\nseries = "off"'
    )
    control = "occupancy" if scheme == "occupancy" else "none"
    keys = f'beacon = {{ interval = "102.4 ms" }}\n{AP_KEYS[scheme]}'
    text = text.replace("[station", f"{keys}[station", 1)
    text += f'[host.server]\nlink = {{ rate = "1 Gb/s", delay = "{of.delay_ms} ms" }}\n'
    for name in of.stations:
        source, sink = (name, "server") if way == "up" else ("server", name)
        text += f'[flow.{name}]\nfrom = "{source}"\nto = "{sink}"\ncontrol = "{control}"\n'
        text += f"transport = {KERNELS_RENO}\n"
    run = airfair.run(airfair.Scenario.parse(text.encode()), seed=seed).to_json()
    air = [station["airtime_share"] for station in run["stations"]]
    return Phase(air, [flow["goodput_bps"] / 1e6 for flow in run["flows"]])


def table(runs: Sequence[Phases], of: Cell, *, beside: bool = True) -> str:
    """Return a table of measured and simulated phases, with the half widths of 95 % confidence intervals."""
    lines = []
    for way in dict.fromkeys(way for _, way in runs[0]):
        for who in of.phases:
            name = "at stations too" if who == "kept" else f"{who} the agent"
            lines.append(_line(f"{way} {name}", [run[who, way] for run in runs]))
            if not beside or who == "kept":
                continue
            scheme = "none" if who == "without" else of.scheme
            same = [simulated(of, way, scheme, seed) for seed in range(1, max(len(runs), 2) + 1)]
            lines.append(_line(f"{way} simulated {who}", same))
    goodputs = [f"goodput\nat {rate}\nMb/s" for rate in of.rates]
    shown = Table("", ["Jain's\nindex", *goodputs, "goodput\nof all\nMb/s"], lines)
    granted = beside and of.scheme == "occupancy"
    note = "Simulated stations keep themselves to what they are granted." if granted else ""
    return "\n".join([*text(shown, COLUMNS), note]).rstrip()


def _line(name: str, phases: Sequence[Phase]) -> Line:
    goodputs = [
        _mean_and_interval(each, 2) for each in zip(*(it.goodput for it in phases), strict=True)
    ]
    index = _mean_and_interval([phase.fairness for phase in phases], 3)
    return Line(name, [index, *goodputs, _mean_and_interval([phase.total for phase in phases], 2)])


def _mean_and_interval(samples: Sequence[float], digits: int) -> str:
    samples = list(samples)
    half = half_width(samples)
    mean = math.fsum(samples) / len(samples)
    return f"{mean:.{digits}f}" + ("" if half is None else f" ± {half:.{digits}f}")


def _progress(stages: int) -> machine.Watch:
    """Return a function that prints each stage of a machine with the time since the machine's start."""
    begun, seen = time.monotonic(), 0

    def watch(line: str) -> None:
        nonlocal seen
        if not line.startswith(STAGE):
            return
        seen += 1
        since = time.monotonic() - begun
        left = f", some {since / (seen - 1) * (stages - seen + 1):.0f} s left" if seen > 1 else ""
        print(f"{since:5.0f} s: {line.removeprefix(STAGE)}{left}", file=sys.stderr)

    return watch


def main() -> int:
    """Run the machines and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scheme", default="fair", choices=SCHEMES, help="of the agent")
    parser.add_argument("--rates", default="54,6", help="rates of the stations [Mb/s]")
    parser.add_argument("--standard", default="g", choices=["b", "g"])
    parser.add_argument("--delay", type=float, default=10, help="of the wire to the server [ms]")
    parser.add_argument("--ways", default=",".join(WAYS), help="both: every other flow goes down")
    parser.add_argument("--keepers", type=int, default=0, help="stations with the agent as well")
    parser.add_argument("--console", type=Path, help="file that is to have all that machines say")
    parser.add_argument("--config", type=Path, help="the agent's, in place of --scheme")
    parser.add_argument("--runs", type=int, default=1, help="machines, with seeds from 1")
    parser.add_argument("--seconds", type=int, default=6, help="length of each measurement")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each machine")
    arguments = parser.parse_args()
    lacking = [*machine.missing(), *missing()]
    for sentence in lacking:
        print(f"missing: {sentence}", file=sys.stderr)
    if lacking:
        return 1
    configuration = arguments.config.read_bytes() if arguments.config else b""
    rates = tuple(map(int, arguments.rates.split(",")))
    of = Cell(
        rates,
        arguments.standard,
        arguments.delay,
        arguments.scheme,
        configuration,
        arguments.seconds,
        min(arguments.keepers, len(rates)),
    )
    print("building the agent, the medium and a flow", file=sys.stderr)
    there, runs = programs(), []
    ways = arguments.ways.split(",")
    for seed in range(1, arguments.runs + 1):
        print(f"machine {seed} of {arguments.runs} starts", file=sys.stderr)
        phases, output = measure(
            of,
            ways,
            there=there,
            seed=seed,
            watch=_progress(len(of.phases) * len(ways)),
        )
        runs.append(phases)
        if arguments.console:
            with arguments.console.open("a") as file:
                file.write(output.console)
        if arguments.json:
            document = {" ".join(key): vars(phase) for key, phase in phases.items()}
            print(
                json.dumps({"rates": of.rates, "delay_ms": of.delay_ms, "seed": seed, **document})
            )
        if output.lines[-1] != "verdict: valid":
            print(f"machine {seed}: {output.lines[-1]}", file=sys.stderr)
    print(table(runs, of, beside=arguments.config is None))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Compares flows over a bottleneck of Debian's kernel in QEMU with flows over the same wire in airfair.

make dumbbell, or
.venv/bin/python tests/kernel/dumbbell.py [--only TEXT] [--record]

The machine has three network namespaces: a sender, a router and a receiver. The router's interface to the
receiver has a class of HTB with a bottleneck's rate, and in it the queueing discipline of the case. The
receiver's interface delays the ACKs. airfair runs the same flows over a wire of the same rate, round trip and
queue, with TCP that is configured as in Linux. --record writes the results into bench/dumbbell.json.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import machine
from machine import Setup

import airfair
from airfair.text_table import Line, Table, text
from airfair.validation.kernel.cells import LINUX

KEPT = machine.ROOT / "bench" / "dumbbell.json"
RATE_MBPS = 20
PACKET = 1500
"""Length of a full packet without Ethernet's header [octets]."""
ETHERNET = 14
"""Length of Ethernet's header, which HTB counts [octets]."""
SENDING_MS = 8e-3 * PACKET / RATE_MBPS
"""Time in which the bottleneck sends a full packet."""
WARMUP_S = 4
SECONDS = 20
STEP_S = 0.2
"""Time between two looks at the queue."""
COLUMNS = 90

_SCRIPT = """
    for it in {modules}; do modprobe $it; done
    echo reno cubic dctcp >/proc/sys/net/ipv4/tcp_allowed_congestion_control
    for it in sender router receiver; do ip netns add $it; ip -n $it link set lo up; done
    ip -n sender link add out type veth peer name in netns router
    ip -n router link add out type veth peer name in netns receiver
    ip -n sender address add 10.0.1.1/24 dev out; ip -n router address add 10.0.1.2/24 dev in
    ip -n router address add 10.0.2.1/24 dev out; ip -n receiver address add 10.0.2.2/24 dev in
    ip -n sender link set out up; ip -n router link set in up
    ip -n router link set out up; ip -n receiver link set in up
    ip -n sender route add default via 10.0.1.2; ip -n receiver route add default via 10.0.2.1
    ip netns exec router sh -c "echo 1 >/proc/sys/net/ipv4/ip_forward"
    for it in sender receiver; do
        ip netns exec $it sh -c "cd /proc/sys/net/ipv4; echo 1 >tcp_no_metrics_save; echo 1 >tcp_ecn
            echo {control} >tcp_congestion_control"
    done
    ip netns exec receiver tc qdisc add dev in root netem delay {delay}ms limit 10000
    ip -n sender link set out gso_max_segs 1
    shape() {{ ip netns exec router tc "$@"; }}
    shape qdisc add dev out root handle 1: htb default 1
    shape class add dev out parent 1: classid 1:1 htb \\
        rate {rate}bit burst {burst} cburst {burst} quantum {burst}
    shape qdisc add dev out parent 1:1 handle 2: {queue}
    for it in {flows}; do
        ip netns exec receiver flow receive $((5000 + it)) {warmup} {seconds} >/tmp/$it &
    done
    sleep 0.2
    for it in {flows}; do ip netns exec sender flow send 10.0.2.2 $((5000 + it)) & sleep 0.01; done
    look() {{ ip netns exec router tc -s qdisc show dev out | sed -n "/ 2: /,\\$s/^/look: /p"; }}
    count() {{ ip netns exec receiver grep IpExt: /proc/net/netstat | sed "s/^/$1: /"; }}
    sleep {warmup}; count first
    at=0; while [ $at -lt {looks} ]; do sleep {step}; at=$((at + 1)); look; done
    count last
    for it in {flows}; do await 60 test -s /tmp/$it; cat /tmp/$it; done
"""


@dataclass(frozen=True)
class Case:
    """Flows over a bottleneck with a queue, in the kernel and in airfair."""

    name: str
    control: str
    """Congestion control, which has the same name in both."""
    flows: int
    queue: str
    """Queueing discipline of the kernel, as arguments of `tc`."""
    wire: str
    """Queue of airfair's wire, in TOML."""
    modules: tuple[str, ...] = ()
    round_trip_ms: float = 10


@dataclass(frozen=True)
class Result:
    """Measurements of a case."""

    goodput_mbps: list[float]
    """Goodput of each flow."""
    marked: float
    """Share of packets that the queue has marked."""
    queue_ms: float
    """Mean delay of the packets that wait in the queue, without the one that is sent."""

    @property
    def total_mbps(self) -> float:
        """Goodput of all flows."""
        return sum(self.goodput_mbps)


def step(packets: int) -> tuple[str, str]:
    """Return a queue that marks packets which find more than so many packets, and `tc`'s for it.

    A packet that finds more waits longer than those are sent. CoDel's own marks begin at a delay that the
    queue never has.
    """
    ce = round(1000 * packets * SENDING_MS)
    limits = f"limit 1000 flows 1 quantum {PACKET + ETHERNET} target 500ms interval 1s"
    return (
        f"fq_codel {limits} ce_threshold {ce}us ecn",
        f"{{ packets = 1000, mark_above = {packets} }}",
    )


def dual() -> tuple[str, str]:
    """Return DualPI2 with its defaults, in `tc`'s words and in TOML."""
    return "dualpi2", '{ discipline = "dualpi2", packets = 10000 }'


def cases() -> list[Case]:
    """Return all cases."""
    found = [
        Case(f"dctcp {flows}, step of {packets}", "dctcp", flows, *step(packets), (), rtt)
        for flows, packets, rtt in ((1, 10, 20), (2, 20, 20), (1, 40, 10), (4, 20, 20))
    ]
    return found + [
        Case(f"{control} {flows}, dualpi2", control, flows, *dual(), ("sch_dualpi2",), rtt)
        for control, flows, rtt in (("reno", 4, 10), ("cubic", 4, 10))
    ]


def missing() -> list[str]:
    """Return a line for each program or kernel that is missing."""
    return [*machine.missing(), *machine.lacking({"tc": "iproute2"})]


def in_kernel(of: Case, flow: Path, seconds: int = SECONDS) -> Result:
    """Return the measurements in a virtual machine. Raises `MissingError` without a kernel for it."""
    modules = ("veth", "sch_htb", "sch_netem", "tcp_dctcp", *of.modules)
    script = _SCRIPT.format(
        modules=" ".join(modules),
        control=of.control,
        delay=of.round_trip_ms,
        rate=round(RATE_MBPS * 1e6 * (PACKET + ETHERNET) / PACKET),
        burst=PACKET + ETHERNET,
        queue=of.queue,
        flows=" ".join(str(it) for it in range(1, of.flows + 1)),
        warmup=WARMUP_S,
        seconds=seconds,
        looks=round(seconds / STEP_S / 1.1),
        step=STEP_S,
    )
    output = machine.run(script, Setup(["ip", "tc", flow], modules), seconds=1200)
    if output.status != 0:
        raise RuntimeError(output.console)
    return read(output)


def read(output: machine.Output) -> Result:
    """Return the measurements that a machine has printed."""
    before, after = (_received(output, it) for it in ("first", "last"))
    marked, received = (
        [new - old for old, new in zip(before, after, strict=True)][it] for it in (0, 1)
    )
    looks = (line for line in output.lines if line.startswith("look: "))
    waiting = [int(it) for line in looks for it in re.findall(r"backlog \S+ (\d+)p", line)]
    queue_ms = SENDING_MS * sum(waiting) / len(waiting)
    return Result(output.values("goodput_mbps"), marked / received, queue_ms)


def _received(output: machine.Output, when: str) -> tuple[int, int]:
    """Return the numbers of marked and of all packets that the receiver's host has received."""
    names, values = (
        line.split()[2:] for line in output.lines if line.startswith(f"{when}: IpExt:")
    )
    counts = {name: int(value) for name, value in zip(names, values, strict=True)}
    fields = ("InCEPkts", "InNoECTPkts", "InECT0Pkts", "InECT1Pkts")
    return counts[fields[0]], sum(counts[it] for it in fields)


def scenario(of: Case, seconds: int = SECONDS) -> str:
    """Return the scenario of a case in TOML.

    airfair's wire delays a packet by its transmission as well, which HTB does not.
    """
    flavour = "newreno" if of.control == "reno" else of.control
    settings = LINUX.format(flavour).replace("WINDOW", "3 MB")
    transport = settings if flavour == "dctcp" else settings.replace("{ ", "{ ecn = true, ", 1)
    delay = round(1000 * (of.round_trip_ms - SENDING_MS) / 2)
    lines = [
        f'duration = "{WARMUP_S + seconds} s"',
        f'warmup = "{WARMUP_S} s"',
        'series = "off"',
        "[router.router]",
        "[host.sender]",
        'link = { to = "router", rate = "10 Gb/s", queue = { packets = 10000 } }',
        "[host.receiver]",
        f'link = {{ to = "router", rate = "{RATE_MBPS} Mb/s", delay = "{delay} us", queue = {of.wire} }}',
    ]
    for number in range(1, of.flows + 1):
        start = f'start = "{10 * (number - 1)} ms"'
        ends = 'from = "sender"\nto = "receiver"'
        lines += [f"[flow.f{number}]", ends, start, f"transport = {transport}"]
    return "\n".join(lines) + "\n"


def in_airfair(of: Case, seconds: int = SECONDS) -> Result:
    """Return the measurements of a simulation."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "dumbbell.toml"
        file.write_text(scenario(of, seconds), encoding="utf-8")
        found = airfair.run(file)
    goodput = [row["goodput_bps"] / 1e6 for row in found.flows.rows(named=True)]
    marks = found.marks.rows(named=True)
    [wire] = [
        row
        for row in found.links.rows(named=True)
        if (row["from"], row["to"]) == ("router", "receiver")
    ]
    busy = wire["packets"] * SENDING_MS / (1000 * seconds)
    marked = sum(row["packets_marked"] for row in marks) / wire["packets"]
    return Result(goodput, marked, SENDING_MS * (wire["queue_mean"] - busy))


def rows(kernel: Result, ours: Result) -> Iterator[tuple[str, float, float]]:
    """Yield each quantity of a case with its value in the kernel and in airfair."""
    yield "all flows [Mb/s]", kernel.total_mbps, ours.total_mbps
    if len(ours.goodput_mbps) > 1:
        yield "fastest flow [Mb/s]", max(kernel.goodput_mbps), max(ours.goodput_mbps)
        yield "slowest flow [Mb/s]", min(kernel.goodput_mbps), min(ours.goodput_mbps)
    yield "marked [%]", 100 * kernel.marked, 100 * ours.marked
    yield "queue [ms]", kernel.queue_ms, ours.queue_ms


def table(found: dict[str, tuple[Result, Result]]) -> str:
    """Return the table of all cases."""
    lines = [
        Line(
            name,
            [what, f"{real:.3f}", f"{own:.3f}", f"{100 * (own / real - 1):+.1f}" if real else ""],
        )
        for name, (kernel, ours) in found.items()
        for what, real, own in rows(kernel, ours)
    ]
    columns = Table("case", ["quantity", "kernel", "airfair", "difference\n%"], lines)
    return "\n".join(text(columns, COLUMNS))


def record(found: dict[str, tuple[Result, Result]]) -> None:
    """Write results into `bench/dumbbell.json`; those of other cases stay."""
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {"cases": {}}
    about = {"date": f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d}", "seconds": SECONDS}
    for name, (kernel, ours) in found.items():
        sides = {"kernel": kernel, "airfair": ours}
        kept["cases"][name] = {
            side: {
                "total_mbps": it.total_mbps,
                "fastest_mbps": max(it.goodput_mbps),
                "slowest_mbps": min(it.goodput_mbps),
                "marked": it.marked,
                "queue_ms": it.queue_ms,
            }
            for side, it in sides.items()
        }
    KEPT.write_text(json.dumps({**kept, "about": about}, indent=1) + "\n", encoding="utf-8")


def main(words: Sequence[str] | None = None) -> int:
    """Compare the cases, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", default="", help="only cases with this text in their name")
    parser.add_argument("--record", action="store_true", help=f"write {KEPT.name}")
    given = parser.parse_args(words)
    for sentence in missing():
        print(f"missing: {sentence}", file=sys.stderr)
    if missing():
        return 1
    flow = machine.build("airfair-emulator") / "examples" / "flow"
    found = {}
    for it in cases():
        if given.only not in it.name:
            continue
        try:
            kernel = in_kernel(it, flow)
            found[it.name] = kernel, in_airfair(it)
        except machine.MissingError as error:
            print(f"{it.name}: left out, {error}", file=sys.stderr)
            continue
        print(table({it.name: found[it.name]}), flush=True)
    if given.record:
        record(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Tests of laws of one's own at nodes of real emulations."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from airfair import cli
from emulations import CELL, emulate, is_permitted, staying
from support import PROGRAM

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's"),
]

LAWS = """\
import time

import airfair


class Early(airfair.Law):
    def start(self, node):
        for end in (*node.senders, *node.receivers):
            if end.is_tcp:
                end.limit_window(octets=3000)
            else:
                end.limit_rate(300_000)


class Window(airfair.Law):
    listen = "packets"

    def start(self, node):
        self.seen = {}

    def packet(self, node, packet):
        if packet.is_ack and packet.point == "to-queue":
            self.seen[packet.flow] = packet.window
            packet.lower_window(2000)

    def end(self, node):
        print(node.name, len(node.senders), self.seen)


class Delay(airfair.Law):
    listen = "packets"

    def packet(self, node, packet):
        if packet.point == "from-station":
            packet.delay("400 ms") if packet.is_syn else packet.drop()


class Frames(airfair.Law):
    listen = "all"

    def start(self, node):
        self.kinds = {}
        self.beacons = self.timers = 0
        assert all(end.is_tcp for end in (*node.senders, *node.receivers))
        self.cwnd = {end.cwnd is None for end in node.senders}
        node.wake_in("100 ms")

    def frame(self, node, frame):
        self.kinds[frame.kind] = self.kinds.get(frame.kind, 0) + 1

    def beacon(self, node):
        self.beacons += 1

    def timer(self, node):
        self.timers += 1
        self.cwnd |= {end.cwnd is None for end in node.senders}
        assert all(end.cwnd is None and end.buffer is None for end in node.receivers)
        node.wake_in("100 ms")

    def end(self, node):
        print(node.name, self.timers, self.beacons, sorted(self.kinds), sorted(self.cwnd))


class Cwnd(airfair.Law):
    def start(self, node):
        node.wake_in("300 ms")

    def timer(self, node):
        simulated, kernels = node.senders
        simulated.set_cwnd(4)
        print("simulated", flush=True)
        kernels.set_cwnd(4)


class Blocks(airfair.Law):
    def start(self, node):
        time.sleep(0.2)  # before channel time starts
        node.wake_in("500 ms")

    def timer(self, node):
        time.sleep(0.7)


class Loops(airfair.Law):
    def start(self, node):
        node.wake_in("100 ms")

    def timer(self, node):
        print("loops", flush=True)
        while True:
            pass


class Users(airfair.Law):
    listen = "users"

    def start(self, node):
        self.ppdus = []

    def users(self, node, due):
        return [it.station for it in due.candidates][: due.most]

    def served(self, node, ppdu):
        self.ppdus.append(len(ppdu.stations))

    def end(self, node):
        print(node.name, max(self.ppdus))


class Fails(airfair.Law):
    def __init__(self):
        raise OSError("no model")
"""
KERNELS = """\
[flow.{0}]
from = "{0}"
to = "{1}"
transport = {{ kind = "tcp", stack = "kernel" }}
"""
TFRC = """\
[flow.other]
from = "fast"
to = "server"
transport = { kind = "tfrc", stack = "kernel" }
"""
CONNECT = """
import socket, time
began = time.monotonic()
line = socket.socket()
line.settimeout(1.5)
try:
    line.connect(("server", 80))
    print("open", time.monotonic() - began)
    line.send(b"GET /1 HTTP/1.0\\r\\n\\r\\n")
    print(line.recv(9))
except OSError:
    print("silent")
"""


@pytest.fixture
def real() -> None:
    """Skip the test if this machine permits no emulation."""
    if not (is_permitted("TAP") or is_permitted("veth")):
        pytest.skip("neither TAP devices nor user namespaces are permitted here")


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    (tmp_path / "emulatedlaws.py").write_text(LAWS)
    path = tmp_path / "cell.toml"
    path.write_text(CELL)
    return path


def law(node: str, name: str) -> tuple[str, str]:
    return "--law", f"{node}=emulatedlaws:{name}"


def document(cell: Path, *words: str) -> tuple[dict[str, Any], str]:
    """Document of an emulation, and the lines that laws have printed before it."""
    done = emulate(cell, *words, "--json")
    assert done.returncode == 0, done.stderr
    printed, _, line = done.stdout.rstrip("\n").rpartition("\n")
    found: dict[str, Any] = json.loads(line)
    return found, printed


@pytest.mark.usefixtures("real")
def test_a_law_limits_the_kernels_transports_before_they_are_open(cell: Path) -> None:
    """A window of 3000 octets carries at most 0.6 Mb/s over a round trip of 40 ms and more.

    The limit of TFRC is 0.3 Mb/s. Without a law both flows have more.
    """
    far = CELL.replace('"1 ms"', '"20 ms"').replace('"4 s"', '"4 s"\nwarmup = "500 ms"')
    cell.write_text(far + KERNELS.format("slow", "server") + TFRC)
    goodput = {}
    for name in ("Early", None):
        nodes = ("station.slow", "station.fast")
        words = [word for node in nodes for word in law(node, name)] if name else []
        found, _ = document(cell, "--duration", "3500 ms", *words)
        goodput[name] = {row["name"]: row["goodput_bps"] / 1e6 for row in found["result"]["flows"]}
        assert [one["calls"] for one in found["laws"]] == ([0, 0] if name else [])
    assert 0 < goodput["Early"]["slow"] < 0.7 < goodput[None]["slow"], goodput
    assert 0 < goodput["Early"]["other"] < 0.33 < goodput[None]["other"], goodput


@pytest.mark.usefixtures("real")
def test_an_access_points_law_lowers_the_windows_of_real_acks(cell: Path) -> None:
    """A window of 2000 octets, rounded up to its unit, lets at most two packets wait at the station.

    Without the law the window grows, and tens of packets wait. The law has seen the window that the kernel
    advertises, and no senders: flows have their ends elsewhere.
    """
    cell.write_text(CELL + KERNELS.format("slow", "server"))
    longest = {}
    for name in ("Window", None):
        words = law("access-point", name) if name else ()
        with staying(cell, *words) as (process, found), socket.socket(socket.AF_UNIX) as line:
            line.connect(str(found.control))
            said = line.makefile("rw")
            time.sleep(1)
            queues = []
            for _ in range(10):
                said.write('{"get": "state"}\n')
                said.flush()
                node = json.loads(said.readline())["state"]["nodes"][0]
                queues.append(node["radio"]["queue_packets"])
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=30)
        assert process.returncode == 0, errors
        longest[name] = max(queues)
        if name:
            (seen,) = re.findall(r"^home 0 \{'slow': (\d+)\}$", output, re.MULTILINE)
            assert int(seen) > 20_000
            assert re.search(
                r"^law Window at home: [\d,]+ calls, .* of the time, longest ", output, re.MULTILINE
            )
    assert longest["Window"] <= 3, longest
    assert longest[None] >= 20, longest


@pytest.mark.usefixtures("real")
def test_an_access_points_law_drops_and_delays_packets_of_programs(cell: Path) -> None:
    """The law delays a SYN by 0.4 s, and drops all that follows; without it both take a moment."""
    words = ["--in", "fast", "--", sys.executable, "-c", CONNECT]
    done = emulate(cell, *law("access-point", "Delay"), *words)
    assert done.returncode == 0, done.stderr
    opened, answer = done.stdout.splitlines()
    assert 0.4 <= float(opened.removeprefix("open ")) < 1.4
    assert answer == "silent"
    opened, answer = emulate(cell, *words).stdout.splitlines()
    assert float(opened.removeprefix("open ")) < 0.4
    assert answer == repr(b"HTTP/1.0 ") or answer.startswith("b'HTTP/1.")


@pytest.mark.usefixtures("real")
def test_a_law_sees_frames_beacons_timers_and_the_kernels_window(cell: Path) -> None:
    """In 1.55 s there are 15 timers and about as many beacons, which come every 102.4 ms."""
    beacons = CELL.replace('"802.11g"', '"802.11g"\nbeacon = true')
    up_and_down = KERNELS.format("slow", "server") + KERNELS.format("server", "fast")
    cell.write_text(beacons + up_and_down)
    words = [*law("station.*", "Frames"), *law("access-point", "Frames"), "--duration", "1550 ms"]
    found, printed = document(cell, *words)
    kinds = "['ack', 'beacon', 'data']"
    # No window is known before the connection is open. Receivers and access points have none.
    assert sorted(re.sub("1[45]", "15", line) for line in printed.splitlines()) == [
        f"fast 15 15 {kinds} []",
        f"home 15 15 {kinds} []",
        f"slow 15 15 {kinds} [False, True]",
    ]
    own = {one["node"]: one for one in found["laws"]}
    assert own.keys() == {"slow", "fast", "home"}
    for one in own.values():
        assert one["law"] == "Frames"
        assert one["calls"] > 100
        assert 0 < one["time_s"] < found["elapsed_s"]
        assert one["longest_us"] * one["calls"] >= one["time_s"] * 1e6


@pytest.mark.usefixtures("real")
def test_an_access_points_law_chooses_the_users_of_ofdma(cell: Path) -> None:
    """Both stations share a PPDU, which the law has chosen and is notified of."""
    udp = 'transport = {{ kind = "udp", payload = "1 kB", rate = "20 Mb/s" }}\n'
    udp = f'[flow.{{0}}]\nfrom = "server"\nto = "{{0}}"\n{udp}'
    modern = CELL.replace('"802.11g"', '"802.11ax"\nofdma = {}').replace('rate = "6 Mb/s"', "")
    cell.write_text(modern + udp.format("slow") + udp.format("fast"))
    found, printed = document(cell, "--duration", "1 s", *law("access-point", "Users"))
    assert printed == "home 2"
    assert found["laws"][0]["calls"] > 100


@pytest.mark.usefixtures("real")
def test_the_kernels_congestion_window_is_refused_with_the_reason(cell: Path) -> None:
    """The law may set the cwnd of the simulated flow. That of the kernel's ends the emulation."""
    simulated = '[flow.a]\nfrom = "slow"\nto = "server"\ntransport = { kind = "tcp" }\n'
    cell.write_text(CELL + simulated + KERNELS.format("slow", "server"))
    out = cell.parent / "out"
    words = [*law("station.slow", "Cwnd"), "--duration", "2 s", "--out", str(out)]
    done = emulate(cell, *words)
    assert done.returncode == cli.FAILED
    assert done.stdout.startswith("simulated\n")
    assert "SettingError: the flow is the kernel's TCP, which alone sets its" in done.stderr
    assert "in Cwnd at slow, at 0.3 s of the run\n" in done.stderr
    assert done.stderr.endswith("a law has ended the emulation after 0.300 s\n")
    # What was measured is kept.
    assert "law Cwnd at slow: 1 call, " in done.stdout
    assert (out / "flows.parquet").exists()


@pytest.mark.usefixtures("real")
def test_the_verdict_names_a_law_that_blocks(cell: Path) -> None:
    """A law that sleeps for 0.7 s stops the emulation for as long; its start costs nothing."""
    cell.write_text(CELL + KERNELS.format("slow", "server"))
    found, _ = document(cell, *law("station.fast", "Blocks"), "--duration", "1 s")
    (own,) = found["laws"]
    assert (own["law"], own["node"], own["calls"]) == ("Blocks", "fast", 1)
    assert own["longest_us"] == pytest.approx(own["time_s"] * 1e6)
    assert 0.7 <= own["time_s"] < 1
    assert 0.68 < found["lateness"]["slipped_in_laws_s"] <= found["lateness"]["slipped_s"] < 1
    assert not found["valid"]
    (told,) = (it for it in found["objections"] if "stopped" in it and "in the second" in it)
    assert re.fullmatch(
        r"the emulation stopped for [67]\d\d\.\d ms in the second from 0 s on \(at most 50 ms\); "
        r"[67]\d\d\.\d ms of it in laws",
        told,
    )


@pytest.mark.usefixtures("real")
def test_ctrl_c_ends_a_law_that_does_not_return(cell: Path) -> None:
    command = [*PROGRAM, "emulate", str(cell), *law("station.slow", "Loops")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "loops\n"
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
    assert process.returncode == cli.INTERRUPTED, errors
    assert "line 97, in timer" in errors or "in timer" in errors
    assert errors.endswith("airfair: interrupted a law that did not return\n")
    assert "law Loops at slow: 1 call, " in output


@pytest.mark.usefixtures("real")
def test_mistakes_with_laws_are_told_before_the_start(cell: Path) -> None:
    for words, status, told in (
        (law("station.slwo", "Early"), cli.BAD_INPUT, "did you mean"),
        (law("station.slow", "Eraly"), cli.BAD_INPUT, "its laws are Early, Window"),
        (law("station.slow", "Fails"), cli.FAILED, "OSError: no model"),
    ):
        done = emulate(cell, *words, "--duration", "1 s")
        assert (done.returncode, done.stdout) == (status, ""), done.stderr
        assert told in done.stderr


def test_radios_of_the_kernel_have_no_laws(cell: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["emulate", str(cell), "--backend", "hwsim", *law("station.slow", "Early")]
    assert cli.main(words) == cli.BAD_INPUT
    assert (
        "--law is not allowed, because the kernel's mac80211 is the MAC" in capsys.readouterr().err
    )

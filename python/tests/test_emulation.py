"""Emulations for real: with TAP devices where root may have them, and without root in a user namespace."""

from __future__ import annotations

import functools
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from airfair import _core, cli
from airfair.emulation import control, live, running
from support import PROGRAM

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's"),
]

CELL = """\
title    = "Two stations and a server"
duration = "4 s"

[bss.home]
standard = "802.11g"

[station.slow]
rate = "6 Mb/s"

[station.fast]

[host.server]
link = { rate = "100 Mb/s", delay = "1 ms" }
"""
KERNELS = """\
[flow.up]
from = "fast"
to = "server"
transport = {{ kind = "tcp", stack = "kernel", {} }}
"""
GET = "import sys, urllib.request as r; print(*(len(r.urlopen(u).read()) for u in sys.argv[1:]))"


@functools.cache
def is_permitted(kind: str) -> bool:
    """True if such interfaces can be made, tried in a process of its own."""
    code = f"from airfair.emulation import backend; backend.choose({kind!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    return done.returncode == 0


@pytest.fixture
def real() -> None:
    """Skip where nothing can be emulated."""
    if not (is_permitted("TAP") or is_permitted("veth")):
        pytest.skip("neither TAP devices nor user namespaces are permitted here")


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    path = tmp_path / "cell.toml"
    path.write_text(CELL)
    return path


def emulate(cell: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, "emulate", str(cell), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@contextmanager
def staying(cell: Path) -> Iterator[tuple[subprocess.Popen[str], running.Running]]:
    """An emulation without a command, once it runs."""
    command = [*PROGRAM, "emulate", str(cell)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            for _ in range(400):
                found = [
                    one
                    for one in running.all_running(running.folder())
                    if one.process == process.pid
                ]
                if found and found[0].control.exists():
                    break
                time.sleep(0.05)
            else:
                raise AssertionError("it does not start")
            yield process, found[0]
        finally:
            process.kill()


@pytest.mark.parametrize("kind", ["TAP", "veth"])
def test_a_program_lives_in_the_cell_with_its_own_kernel(cell: Path, kind: str) -> None:
    if not is_permitted(kind):
        pytest.skip(f"{kind} is not permitted here")
    urls = ["http://server/150k", "http://[fd11::1001]/10k", "http://slow/1"]
    words = ["--json", "--backend", kind, "--in", "fast", "--", sys.executable, "-c", GET, *urls]
    done = emulate(cell, *words)
    assert done.returncode == 0, done.stderr
    # The document has standard output to itself.
    assert "150000 10000 1\n" in done.stderr
    document = json.loads(done.stdout)
    assert document["document"] == "emulation"
    assert document["backend"] == kind
    flows = {flow["name"]: flow for flow in document["result"]["flows"]}
    # What nobody sends has no row.
    assert set(flows) == {"server-fast", "fast-server", "slow-fast", "fast-slow"}
    assert flows["server-fast"]["goodput_bps"] * document["elapsed_s"] > 160_000 * 8
    nodes = {node["name"]: node for node in document["nodes"]}
    assert nodes["fast"]["received_bytes"] > 160_000
    assert nodes["fast"]["radio"]["airtime_down_s"] > 0
    assert document["lateness"]["packets"] > 110


@pytest.mark.usefixtures("real")
def test_the_status_of_the_command_is_that_of_the_emulation(cell: Path) -> None:
    done = emulate(cell, "--", "sh", "-c", "echo word; exit 7")
    assert (done.returncode, done.stdout) == (7, "word\n")
    assert emulate(cell, "--", "sh", "-c", "kill -KILL $$").returncode == 128 + 9
    missing = emulate(cell, "--", "no-such-program")
    assert missing.returncode == 127
    assert "no-such-program: No such file" in missing.stderr


@pytest.mark.usefixtures("real")
def test_it_is_over_after_its_duration_and_has_a_result(cell: Path) -> None:
    out = cell.parent / "out"
    with cell.open("a") as file:
        file.write(
            '[flow.background]\nfrom = "slow"\nto = "server"\ntransport = { kind = "tcp" }\n'
        )
    done = emulate(cell, "--duration", "300 ms", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "background" in done.stdout
    assert "verdict: " in done.stdout
    assert (out / "flows.parquet").exists()


@pytest.mark.usefixtures("real")
def test_a_flow_of_the_scenario_is_carried_by_the_kernel(cell: Path) -> None:
    with cell.open("a") as file:
        file.write(KERNELS.format('size = "100 kB"'))
    done = emulate(cell, "--duration", "900 ms", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    # It has a row of its own, and its packets are no one else's.
    (up,) = document["result"]["flows"]
    assert (up["name"], up["transport"]) == ("up", "tcp")
    assert up["delivered_bytes"] == 100_000
    assert up["packets_received"] >= 100_000 // 1460
    # A run has no kernel.
    assert cli.main(["run", str(cell)]) == cli.BAD_INPUT


@pytest.mark.usefixtures("real")
def test_a_kernel_without_that_congestion_control_is_told(cell: Path) -> None:
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    if "vegas" in available:
        pytest.skip("this kernel has all that could be asked for")
    with cell.open("a") as file:
        file.write(KERNELS.format('flavour = "vegas"'))
    done = emulate(cell, "--duration", "900 ms")
    assert done.returncode != 0
    assert "congestion control vegas" in done.stderr


@pytest.mark.usefixtures("real")
def test_it_is_entered_asked_and_ended_from_outside(cell: Path) -> None:
    with staying(cell) as (process, found):
        within = subprocess.run(
            [*PROGRAM, "shell", "fast", "--pid", str(process.pid), "--", "cat", "/etc/hosts"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert "10.11.16.1 server\n" in within.stdout, within.stderr
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(found.control))
            said = line.makefile("rw")

            def ask(**request: object) -> Any:  # noqa: ANN401 - JSON
                said.write(json.dumps(request) + "\n")
                said.flush()
                return json.loads(said.readline())

            assert ask(set="rate", station="fast", value="12 Mb/s") == {"ok": True}
            assert "no rate of" in ask(set="rate", station="fast", value="11.5 Mb/s")["error"]
            assert "allowed are" in ask(set="moon")["error"]
            time.sleep(0.3)
            nodes = ask(get="state")["state"]["nodes"]
            assert [node["name"] for node in nodes] == ["slow", "fast", "server"]
            assert nodes[1]["radio"]["rate_up_bps"] == 12_000_000
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
        assert process.returncode == 0, errors
        assert "verdict: " in output
    assert not found.directory.exists()


@pytest.mark.usefixtures("real")
def test_what_a_killed_emulation_leaves_is_removed_and_nothing_else(cell: Path) -> None:
    with staying(cell) as (victim, left), staying(cell) as (_, other):
        victim.kill()
        victim.wait()
        assert left.directory.exists()
        done = subprocess.run(
            [*PROGRAM, "emulate", "--clean"], capture_output=True, text=True, check=True
        )
        assert f"process {victim.pid} " in done.stdout
        assert not left.directory.exists()
        assert other.directory.exists()


FLOOD = """
import socket, sys, time
line = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
line.bind(("wlan0", 0))
server, own = bytes.fromhex("02af00001001"), bytes.fromhex("02af00000001")
for frame in (bytes(14), bytes(20), server + own + b"\\x08\\x06" + bytes(5)):
    line.send(frame)
flood = server + own + b"\\x88\\xb5" + bytes(1000)
end = time.monotonic() + 1
while time.monotonic() < end:
    try:
        line.send(flood)
    except OSError:
        pass
"""


@pytest.mark.usefixtures("real")
def test_a_flood_and_garbage_are_counted_and_harm_nobody_else(cell: Path) -> None:
    script = (
        f"{sys.executable} -c '{FLOOD}' & sleep 0.3; "
        f"ip() {{ :; }}; exec {sys.executable} -c '{GET}' http://server/20k; wait"
    )
    flooding = emulate(cell, "--json", "--in", "slow", "--", "sh", "-c", script)
    assert flooding.returncode == 0, flooding.stderr
    nodes = {node["name"]: node for node in json.loads(flooding.stdout)["nodes"]}
    # More than a station at 6 Mb/s can send, and what is carried is no IP.
    assert nodes["slow"]["refused_packets"] > 100
    assert nodes["slow"]["garbage_frames"] >= 1
    assert nodes["server"]["received_packets"] > 50


class Deaf:
    """An emulation in which nothing can be set."""

    def set_rate(self, station: str, direction: str, rate: float) -> None:
        raise ValueError(f"{station} {direction} {rate:.0f}")


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ({"set": "rate", "station": "a", "value": "1 Mb/s"}, "a both 1000000"),
        ({"set": "rate", "station": "a", "value": "soon"}, "not a number"),
        ({"set": "rate", "station": 3, "value": "1 Mb/s"}, "allowed are"),
        ([], "allowed are"),
        (None, "allowed are"),
    ],
)
def test_a_request_that_cannot_be_met_is_answered(request_: object, error: str) -> None:
    said = control.answer(request_, Deaf(), dict)  # type: ignore[arg-type]
    assert not said["ok"]
    assert error in said["error"]


def _state(elapsed: float, scale: int) -> dict[str, Any]:
    radio = {"frames": 100 * scale, "retries": 10 * scale, "drops": 0, "queue_packets": 3}
    radio |= {"airtime_up_s": 0.2 * scale, "airtime_down_s": 0.05 * scale}
    radio |= {"rate_up_bps": 11_000_000, "rate_down_bps": 5_500_000}
    station = {"name": "slow", "sent_bytes": 125_000 * scale, "received_bytes": 0, "radio": radio}
    host = {"name": "server", "sent_bytes": 0, "received_bytes": 125_000 * scale}
    late = {"p50_us": 100, "p99_us": 1500, "longest_stall_us": 3000}
    return {"elapsed_s": elapsed, "nodes": [station, host], "lateness": late}


def test_the_line_of_a_second_is_of_that_second() -> None:
    # 125 kB in half a second are 2 Mb/s, 0.25 s of it a half.
    assert live.line(_state(1.0, 1), _state(1.5, 2)) == (
        "2 s: slow 2 up 0 down 50% of the air [Mb/s]; p99 late 1.50 ms"
    )


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--in", "fast"], "--in NAME without -- COMMAND"),
        (["--in", "fsat", "--", "true"], "'fsat': no such station or host"),
        (["--"], "-- without a COMMAND"),
        (["--duration", "soon"], "--duration 'soon'"),
        (["--duration", "0 s"], "more than nothing"),
        (["--clean"], "--clean stands alone"),
        (["--backend", "hwsim", "--", "true"], "makes no namespaces"),
        (["--backend", "hwsim", "--in", "fast"], "makes no namespaces"),
        (["--backend", "hwsim", "--json"], "has no document"),
    ],
)
def test_mistakes_are_told_before_anything_is_set_up(
    cell: Path, capsys: pytest.CaptureFixture[str], words: list[str], problem: str
) -> None:
    assert cli.main(["emulate", str(cell), *words]) == cli.BAD_INPUT
    assert problem in capsys.readouterr().err


def test_only_an_emulation_may_be_without_flows(cell: Path) -> None:
    assert not _core.Scenario.parse(cell.read_bytes(), emulated=True).flows
    assert cli.main(["run", str(cell)]) == cli.BAD_INPUT


# With radios it would be their medium from now on.
@pytest.mark.skipif(Path("/sys/module/mac80211_hwsim").exists(), reason="radios are here")
def test_without_radios_there_is_no_medium(cell: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["emulate", str(cell), "--backend", "hwsim"]) == cli.FAILED
    assert "modprobe mac80211_hwsim radios=N" in capsys.readouterr().err

"""Tests of real emulations, with TAP devices and with veth pairs."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import pytest

from airfair import _core, cli
from airfair.emulation import running
from emulations import CELL, emulate, is_permitted, staying
from support import PROGRAM

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's"),
]

AHEAD = {"discipline": "airtime", "hardware_queue": 2}
KERNELS = """\
[flow.up]
from = "fast"
to = "server"
transport = {{ kind = "tcp", stack = "kernel", {} }}
"""
GET = "import sys, urllib.request as r; print(*(len(r.urlopen(u).read()) for u in sys.argv[1:]))"


@pytest.fixture
def real() -> None:
    """Skip the test if this machine permits no emulation."""
    if not (is_permitted("TAP") or is_permitted("veth")):
        pytest.skip("neither TAP devices nor user namespaces are permitted here")


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    path = tmp_path / "cell.toml"
    path.write_text(CELL)
    return path


@pytest.mark.parametrize("kind", ["TAP", "veth"])
def test_a_program_lives_in_the_cell_with_its_own_kernel(cell: Path, kind: str) -> None:
    if not is_permitted(kind):
        pytest.skip(f"{kind} is not permitted here")
    urls = ["http://server/150k", "http://[fd11::1001]/10k", "http://slow/1"]
    words = ["--json", "--backend", kind, "--in", "fast", "--", sys.executable, "-c", GET, *urls]
    done = emulate(cell, *words)
    assert done.returncode == 0, done.stderr
    # Only the document is on standard output.
    assert "150000 10000 1\n" in done.stderr
    document = json.loads(done.stdout)
    assert document["document"] == "emulation"
    assert document["backend"] == kind
    flows = {flow["name"]: flow for flow in document["result"]["flows"]}
    # Pairs of nodes without packets have no row.
    assert set(flows) == {"server-fast", "fast-server", "slow-fast", "fast-slow"}
    assert flows["server-fast"]["goodput_bps"] * document["elapsed_s"] > 160_000 * 8
    nodes = {node["name"]: node for node in document["nodes"]}
    assert nodes["fast"]["received_bytes"] > 160_000
    assert nodes["fast"]["radio"]["airtime_down_s"] > 0
    assert document["lateness"]["packets"] > 110
    # The buffers of the interfaces have room for so few packets.
    assert all(
        node["unread_packets"] == node["undelivered_packets"] == 0 for node in nodes.values()
    )


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
    assert "airfair: --duration of 0.3 s is over" in done.stderr


@pytest.mark.usefixtures("real")
def test_the_scenarios_duration_ends_an_emulation_without_a_command(cell: Path) -> None:
    done = emulate(cell, "--set", "duration=600 ms", "--json")
    assert done.returncode == 0, done.stderr
    assert 0.5 < json.loads(done.stdout)["elapsed_s"] < 0.7
    assert "airfair: it ends after the scenario's duration of 0.6 s" in done.stderr
    assert "airfair: the scenario's duration of 0.6 s is over" in done.stderr


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize("words", [["--duration", "off"], ["--duration", "1 h"]])
def test_another_duration_replaces_that_of_the_scenario(cell: Path, words: list[str]) -> None:
    command = [*PROGRAM, "emulate", str(cell), "--set", "duration=100 ms", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not _runs(process.pid):
            time.sleep(0.05)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 0
    assert b"is over" not in errors


@pytest.mark.usefixtures("real")
def test_a_command_may_last_longer_than_the_scenarios_duration(cell: Path) -> None:
    done = emulate(cell, "--set", "duration=100 ms", "--json", "--", "sleep", "0.6")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["elapsed_s"] > 0.5


@pytest.mark.usefixtures("real")
def test_a_flow_of_the_scenario_is_carried_by_the_kernel(cell: Path) -> None:
    with cell.open("a") as file:
        file.write(KERNELS.format('size = "100 kB"'))
    done = emulate(cell, "--duration", "900 ms", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    # The packets of the flow are in its row alone.
    (up,) = document["result"]["flows"]
    assert (up["name"], up["transport"]) == ("up", "tcp")
    assert up["delivered_bytes"] == 100_000
    assert up["packets_received"] >= 100_000 // 1460
    # `airfair run` refuses a flow of the kernel.
    assert cli.main(["run", str(cell)]) == cli.BAD_INPUT


REAL_TFRC = """\
[flow.{}]
from = "{}"
to = "{}"
transport = {{ kind = "tfrc", stack = "kernel", segment = "1200 B" }}
control = {}
"""


def goodputs(path: Path, text: str, seconds: int) -> dict[str, float]:
    """Goodput of each flow of an emulation after its first second [Mb/s]."""
    path.write_text(text.replace('"4 s"', '"4 s"\nwarmup = "1 s"'))
    done = emulate(path, "--duration", f"{seconds} s", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["result"]["flows"]
    return {row["name"]: row["goodput_bps"] / 1e6 for row in rows}


@pytest.mark.usefixtures("real")
def test_a_scheme_at_the_sender_limits_airfair_tfrc_over_real_sockets(cell: Path) -> None:
    """A cap of a twentieth of 6 Mb/s limits the goodput to 0.3 Mb/s, less what the program's start costs."""
    falls = CELL.replace('"6 Mb/s"', '[["0 s", "12 Mb/s"], ["300 ms", "6 Mb/s"]]')
    capped = '{ scheme = "rate-cap", share = 0.05 }'
    found = goodputs(cell, falls + REAL_TFRC.format("up", "slow", "server", capped), 4)
    assert found.keys() == {"up"}
    assert 0.1 < found["up"] < 0.33


def _carriers(emulation: int) -> dict[int, str]:
    """Process ids and command lines of the programs that an emulation has started to carry flows."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            line = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if parent == emulation and re.search(r"airfair tfrc (receive|send) ", line):
                found[int(path.name)] = line
    return found


def _is_running(process: int, line: str) -> bool:
    try:
        found = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return False
    return found == line


@pytest.mark.usefixtures("real")
def test_programs_that_carry_a_flow_end_when_it_stops_and_with_the_emulation(cell: Path) -> None:
    """The flow delivers no more than 400 kb/s for one second, 50 kB, and no program is left."""
    flow = REAL_TFRC.format("up", "fast", "server", '"none"')
    flow = flow.replace('"1200 B"', '"1000 B", rate = "400 kb/s"') + 'stop = "1 s"\n'
    cell.write_text(CELL + flow)
    with subprocess.Popen(
        [*PROGRAM, "emulate", str(cell), "--duration", "3 s", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        carriers: dict[int, str] = {}
        while process.poll() is None:
            carriers |= _carriers(process.pid)
            time.sleep(0.1)
        output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert len(carriers) == 2
    # ICMP messages for packets that arrive after the program's end are another flow.
    flows = {flow["name"]: flow for flow in json.loads(output)["result"]["flows"]}
    assert 0 < flows["up"]["delivered_bytes"] <= 60_000
    assert not [it for it in carriers.items() if _is_running(*it)]


@pytest.mark.usefixtures("real")
def test_grants_of_beacons_reach_receivers_of_airfair_tfrc_over_real_sockets(cell: Path) -> None:
    """With granted shares of time, the fast flow has more than twice the goodput of the slow one."""
    granted = CELL.replace('"802.11g"', '"802.11g"\nap.occupancy = true')
    for name in ("slow", "fast"):
        granted += REAL_TFRC.format(name, "server", name, '"occupancy"')
    found = goodputs(cell, granted, 5)
    assert found["fast"] > 2 * found["slow"] > 1


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

            def ask_text(request: object) -> Any:  # noqa: ANN401 - JSON
                said.write((request if isinstance(request, str) else json.dumps(request)) + "\n")
                said.flush()
                return json.loads(said.readline())

            def ask(**request: object) -> Any:  # noqa: ANN401 - JSON
                return ask_text(request)

            assert ask(set="rate", station="fast", value="12 Mb/s") == {"ok": True}
            assert ask(set="queue", cell="home", value=AHEAD) == {"ok": True}
            wrong = ask(set="rate", station="fast", value="11.5 Mb/s")["error"]
            assert wrong.startswith('value = "11.5 Mb/s": allowed for fast are 1, 2, 5.5, 6, ')
            assert "allowed are" in ask(set="moon")["error"]
            for problem, request in (
                ("no such station", {"set": "errors", "station": "moon", "value": 0.5}),
                (
                    "allowed is a probability from 0 to 1",
                    {"set": "errors", "station": "fast", "value": 2},
                ),
                ("no weights of data", {"set": "weights", "cell": "home", "data": 1, "acks": 1}),
                ("no such cell", {"set": "queue", "cell": "moon", "value": {}}),
                ("discipline", {"set": "queue", "cell": "home", "value": {"discipline": "lifo"}}),
                ("not JSON", "soon"),
            ):
                assert problem in ask_text(request)["error"]
            time.sleep(0.3)
            nodes = ask(get="state")["state"]["nodes"]
            assert [node["name"] for node in nodes] == ["slow", "fast", "server"]
            assert nodes[1]["radio"]["rate_up_bps"] == 12_000_000
            addresses = [[node[key] for key in ("mac", "ipv4", "ipv6")] for node in nodes[1:]]
            assert addresses == [
                ["02:af:00:00:00:02", "10.11.0.2", "fd11::2"],
                ["02:af:00:00:10:01", "10.11.16.1", "fd11::1001"],
            ]
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
        assert process.returncode == 0, errors
        assert "verdict: " in output
    assert not found.directory.exists()


class Caller:
    """Connection to the control socket of an emulation."""

    def __init__(self, path: Path) -> None:
        self._line = socket.socket(socket.AF_UNIX)
        self._line.connect(str(path))
        self._said = self._line.makefile("rw")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._said.close()
        self._line.close()

    def ask(self, **request: object) -> Any:  # noqa: ANN401 - JSON
        """Send a request and return its answer."""
        self._said.write(json.dumps(request) + "\n")
        self._said.flush()
        return json.loads(self._said.readline())

    def rates(self, *names: str) -> list[float]:
        """Return the rates at which nodes receive [Mb/s], over half a second."""

        def look() -> tuple[float, list[int]]:
            state = self.ask(get="state")["state"]
            nodes = {node["name"]: node for node in state["nodes"]}
            return state["elapsed_s"], [nodes[name]["received_bytes"] for name in names]

        before, first = look()
        time.sleep(0.5)
        after, last = look()
        return [8e-6 * (b - a) / (after - before) for a, b in zip(first, last, strict=True)]


@pytest.mark.usefixtures("real")
def test_marks_of_the_cell_reach_the_kernels_tcp(cell: Path) -> None:
    """A queue of 100 packets marks those that find more than five packets.

    Reno reduces its window at marks, so that the queue never fills. Without `ecn` only losses reduce it.
    """
    queue = "[station.fast]\nqueue = { packets = 100, mark_above = 5 }\n"
    found = {}
    for ecn in ("true", "false"):
        flow = KERNELS.format(f'flavour = "newreno", ecn = {ecn}')
        cell.write_text(CELL.replace("[station.fast]\n", queue) + flow)
        done = emulate(cell, "--json", "--duration", "4 s")
        assert done.returncode == 0, done.stderr
        found[ecn] = json.loads(done.stdout)["result"]
    [marks], [with_marks] = found["true"]["marks"], found["true"]["flows"]
    assert marks["packets_marked"] > 10
    assert 0.001 < marks["marked"] < 0.5
    assert with_marks["retransmissions"] == 0
    assert with_marks["goodput_bps"] > 10e6
    [without] = found["false"]["flows"]
    assert "marks" not in found["false"]
    assert without["retransmissions"] > 0


UP_AND_DOWN = CELL.replace("802.11g", "802.11b").replace("6 Mb/s", "11 Mb/s") + (
    '[flow.up]\nfrom = "fast"\nto = "server"\n'
    'transport = { kind = "tcp", stack = "kernel", flavour = "newreno" }\n'
    '[flow.down]\nfrom = "server"\nto = "slow"\n'
    'transport = { kind = "tcp", stack = "kernel", flavour = "newreno" }\n'
)


@pytest.mark.usefixtures("real")
def test_what_is_set_over_the_control_socket_takes_effect(cell: Path) -> None:
    cell.write_text(UP_AND_DOWN)
    with staying(cell) as (_, found), Caller(found.control) as caller:
        # With priority for ACKs of the upload the download gets little, with priority for data the upload.
        queue = {"discipline": "data-ack", "weights": {"data": 1, "ack": 1}}
        assert caller.ask(set="queue", cell="home", value=queue) == {"ok": True}
        weights = {}
        for data, acks in ((1, 1000), (1000, 1)):
            assert caller.ask(set="weights", cell="home", data=data, acks=acks) == {"ok": True}
            time.sleep(1.5)
            weights[data] = caller.rates("server", "slow")
        assert weights[1][1] < weights[1000][1] / 2, weights
        # Errors in all frames of the slow station end the download, and a low rate limits the upload.
        assert caller.ask(set="errors", station="slow", value=1.0) == {"ok": True}
        time.sleep(0.5)
        _, lost = caller.rates("server", "slow")
        assert lost < 0.1
        assert caller.ask(set="rate", station="fast", value="1 Mb/s") == {"ok": True}
        time.sleep(0.5)
        up, _ = caller.rates("server", "slow")
        assert up < 1.0


@pytest.mark.usefixtures("real")
def test_windows_in_real_acks_share_the_queue_of_the_access_point(cell: Path) -> None:
    look = "sleep 2.5; grep ^Tcp: /proc/net/snmp"
    drops = {}
    for sharing in ("true", "false"):
        cell.write_text(
            f"{UP_AND_DOWN}[bss.home.ap]\nwindow_sharing = {sharing}\nqueue = {{ packets = 20 }}\n"
        )
        done = emulate(cell, "--json", "--in", "fast", "--", "sh", "-c", look)
        assert done.returncode == 0, done.stderr
        names, counts = (
            line.split() for line in done.stderr.splitlines() if line.startswith("Tcp:")
        )
        # Rewritten segments have valid checksums.
        assert dict(zip(names, counts, strict=True))["InCsumErrors"] == "0"
        document = json.loads(done.stdout)
        assert all(flow["delivered_bytes"] > 100_000 for flow in document["result"]["flows"])
        drops[sharing] = document["access_points"][0]["drops"]
    # With sharing, each of two connections has a window of ten packets, and only first bursts are dropped.
    # Without sharing, windows grow until the queue overflows, again and again.
    assert 4 * drops["true"] < drops["false"], drops


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize(
    ("settings", "least", "most"),
    [
        # After the fall to 1 Mb/s nothing but the station's queue of 50 packets limits the upload.
        ("none", 20, 2_000),
        # The window is an eleventh of the window at 11 Mb/s.
        ("arf-aware", 1, 12),
    ],
)
def test_a_scheme_of_a_station_limits_the_kernels_tcp(
    cell: Path, settings: str, least: int, most: int
) -> None:
    falling = CELL.replace("802.11g", "802.11b").replace(
        '"6 Mb/s"', '[["0 s", "11 Mb/s"], ["1500 ms", "1 Mb/s"]]'
    )
    flow = (
        '[flow.up]\nfrom = "slow"\nto = "server"\ntransport = { kind = "tcp", stack = "kernel" }\n'
    )
    cell.write_text(f'{falling}{flow}control = "{settings}"\n')
    with staying(cell) as (_, found), Caller(found.control) as caller:
        time.sleep(2.5)
        queues = []
        for _ in range(10):
            nodes = caller.ask(get="state")["state"]["nodes"]
            queues.append(nodes[0]["radio"]["queue_packets"])
            time.sleep(0.1)
    # Nearly all packets in flight wait in the station's queue.
    assert least <= max(queues) <= most


def _sets_up(process: int) -> bool:
    return len(list(Path(f"/proc/{process}/task").iterdir())) > 1


def _runs(process: int) -> bool:
    return (running.folder() / str(process) / "control").exists()


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(("phase", "times"), [(_sets_up, 1), (_runs, 1), (_runs, 2)])
def test_a_signal_ends_it_in_each_phase_and_leaves_nothing(
    cell: Path, number: signal.Signals, phase: Callable[[int], bool], times: int
) -> None:
    command = [*PROGRAM, "emulate", str(cell), "--", "sleep", "600"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while not phase(process.pid):
            time.sleep(0.002)
        for _ in range(times):
            process.send_signal(number)
            time.sleep(0.05)
        _, errors = process.communicate(timeout=20)
    assert process.returncode in {128 + number, -number}, errors
    assert "Traceback" not in errors
    assert "panicked" not in errors
    assert not (running.folder() / str(process.pid)).exists()


@pytest.mark.usefixtures("real")
def test_what_is_killed_takes_its_command_with_it(cell: Path) -> None:
    command = [*PROGRAM, "emulate", str(cell), "--", "sh", "-c", "echo $$; exec sleep 600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.kill()
        process.wait()
    for _ in range(100):
        if not Path(f"/proc/{child}/ns/net").exists():
            break
        time.sleep(0.05)
    else:
        raise AssertionError("its command goes on")


STRANGE = """
import random, socket, time
line = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
line.bind(("wlan0", 0))
server, own = bytes.fromhex("02af00001001"), bytes.fromhex("02af00000001")
chance = random.Random(1)
v4 = bytes.fromhex("4500003c000040004006000" "00a0b00010a0b1001")
v6 = bytes.fromhex("6000000000280640") + bytes(32)
tcp = bytes.fromhex("9c400050000000010000000250102000000000000204")
for number in range(4000):
    if number % 64 == 0: time.sleep(0.001)  # An engine takes 128 frames a millisecond.
    kind, start = chance.choice([(b"\\x08\\x00", v4), (b"\\x86\\xdd", v6)])
    packet = bytearray(start + tcp + chance.randbytes(chance.randrange(60)))
    for _ in range(chance.randrange(4)):
        packet[chance.randrange(len(packet))] = chance.randrange(256)
    line.send(server + own + kind + bytes(packet[:chance.randrange(15, len(packet) + 1)]))
"""


@pytest.mark.usefixtures("real")
def test_strange_headers_from_a_namespace_harm_nobody(cell: Path) -> None:
    with cell.open("a") as file:
        file.write("[bss.home.ap]\nwindow_sharing = true\n")
        file.write('queue = { discipline = "data-ack", weights = "active-flows" }\n')
    script = f"{sys.executable} -c '{STRANGE}'; exec {sys.executable} -c '{GET}' http://server/20k"
    done = emulate(cell, "--json", "--spin", "--in", "slow", "--", "sh", "-c", script)
    assert done.returncode == 0, done.stderr
    nodes = {node["name"]: node for node in json.loads(done.stdout)["nodes"]}
    assert nodes["slow"]["sent_packets"] + nodes["slow"]["refused_packets"] > 3_000


@pytest.mark.usefixtures("real")
def test_a_packet_that_is_marked_is_of_the_category_of_its_code_point(cell: Path) -> None:
    cell.write_text(CELL.replace("802.11g", "802.11n").replace('rate = "6 Mb/s"\n', ""))
    code = (
        "import socket; s = socket.socket(type=socket.SOCK_DGRAM); "
        "s.setsockopt(0, socket.IP_TOS, 46 << 2); s.sendto(bytes(999), ('server', 9))"
    )
    done = emulate(cell, "--json", "--in", "fast", "--", sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
    flows = {flow["name"]: flow for flow in json.loads(done.stdout)["result"]["flows"]}
    assert flows["fast-server-voice"]["packets_received"] == 1


@pytest.mark.usefixtures("real")
def test_what_a_killed_emulation_leaves_is_removed_and_nothing_else(cell: Path) -> None:
    with staying(cell) as (victim, left), staying(cell) as (_, other):
        victim.kill()
        victim.wait()
        assert left.directory.exists()
        done = subprocess.run(
            [*PROGRAM, "emulate", "--clean"], capture_output=True, text=True, check=True
        )
        assert f"emulation {victim.pid} " in done.stdout
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
    # The flood exceeds 6 Mb/s, and its frames carry no IP.
    assert nodes["slow"]["refused_packets"] > 100
    assert nodes["slow"]["garbage_frames"] >= 1
    assert nodes["server"]["received_packets"] > 50


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--in", "fast"], "--in: works only with -- COMMAND"),
        (["--in", "fsat", "--", "true"], "'fsat': the scenario has no such station or host"),
        (["--"], "--: COMMAND is missing"),
        (["--duration", "soon"], "--duration 'soon'"),
        (["--duration", "0 s"], "allowed is a time above 0"),
        (["--clean"], "--clean: no scenario and no COMMAND are allowed beside it"),
        (["--backend", "hwsim", "--", "true"], "makes no namespaces"),
        (["--backend", "hwsim", "--in", "fast"], "makes no namespaces"),
        (["--backend", "hwsim", "--json"], "--json and --out are not allowed"),
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


# If radios existed, the command would become their medium.
@pytest.mark.skipif(Path("/sys/module/mac80211_hwsim").exists(), reason="radios are here")
def test_without_radios_there_is_no_medium(cell: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["emulate", str(cell), "--backend", "hwsim"]) == cli.FAILED
    assert "modprobe mac80211_hwsim radios=N" in capsys.readouterr().err

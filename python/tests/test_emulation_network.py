"""Congestion control, routes and multicast in the namespaces of emulations."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import airfair
from airfair import Emulation, EmulationError, OptionError, cli
from airfair.emulation import congestion
from emulations import CELL, emulate, is_permitted

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's"),
]

SETTINGS = Path("/proc/sys/net/ipv4")
KEY = SETTINGS / "tcp_congestion_control"

RECEIVE = """\
import socket, struct, sys
group, family = sys.argv[1], socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
taker = socket.socket(family, socket.SOCK_DGRAM)
taker.bind(("", 5353))
if family == socket.AF_INET:
    mine = socket.inet_aton(group) + struct.pack("=I", socket.INADDR_ANY)
    taker.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, mine)
else:
    mine = socket.inet_pton(family, group) + struct.pack("=I", socket.if_nametoindex(sys.argv[2]))
    taker.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, mine)
taker.settimeout(10)
print("ready", flush=True)
print(taker.recv(100).decode())
"""
SEND = """\
import socket, sys
group, interface = sys.argv[1:]
where = socket.getaddrinfo(f"{group}%{interface}" if ":" in group else group, 5353)[0]
socket.socket(where[0], socket.SOCK_DGRAM).sendto(b"hello to all", where[4])
"""
CONNECT = """\
import errno, socket, sys, time
began = time.monotonic()
try:
    socket.create_connection((sys.argv[1], 80), timeout=20)
except OSError as error:
    print(errno.errorcode[error.errno], time.monotonic() - began < 1)
"""


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


def words(key: str) -> list[str]:
    return (SETTINGS / key).read_text().split()


def other() -> str:
    """Congestion control that a namespace may have and that is not the usual one."""
    found = [name for name in words("tcp_allowed_congestion_control") if name != "cubic"]
    return found[-1]


@pytest.mark.usefixtures("real")
def test_a_node_has_the_congestion_control_that_is_asked_for(cell: Path) -> None:
    name = other()
    options = ["--congestion-control", f"fast={name}"]
    done = emulate(cell, *options, "--in", "fast", "--", "cat", str(KEY))
    assert (done.returncode, done.stdout) == (0, f"{name}\n"), done.stderr
    assert f"; {name} at fast" in done.stderr
    options = ["--congestion-control", name, "--congestion-control", "server=reno"]
    assert emulate(cell, *options, "--in", "server", "--", "cat", str(KEY)).stdout == "reno\n"
    assert emulate(cell, *options, "--in", "slow", "--", "cat", str(KEY)).stdout == f"{name}\n"
    with Emulation(CELL, congestion_control={"server": name}) as block:
        told = block.node("server").run(["cat", str(KEY)], capture_output=True, text=True)
        assert told.stdout == f"{name}\n"


@pytest.mark.usefixtures("real")
def test_a_congestion_control_that_the_kernel_lacks_is_refused(cell: Path) -> None:
    done = emulate(cell, "--congestion-control", "server=none", "--", "true")
    assert done.returncode == 2
    available = ", ".join(words("tcp_available_congestion_control"))
    assert done.stderr.endswith(
        "airfair: --congestion-control server = 'none': the kernel has no such congestion control; "
        f"available are {available}\n"
    )
    with (
        pytest.raises(EmulationError, match="server = 'none': the kernel has no such"),
        Emulation(CELL, congestion_control={"server": "none"}),
    ):
        pass
    restricted = {*words("tcp_available_congestion_control")}
    restricted -= {*words("tcp_allowed_congestion_control")}
    for name in restricted:
        done = emulate(cell, "--congestion-control", name, "--", "true")
        assert done.returncode == 2
        assert f"slow = '{name}': the kernel does not permit it in a namespace; " in done.stderr
        assert "sudo sysctl net.ipv4.tcp_allowed_congestion_control='" in done.stderr


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["fest=reno"], "'fest': the scenario has no such station or host, did you mean \"fast\"?"),
        (["reno", "cubic"], "'cubic': all nodes have reno already"),
        (["fast=reno", "fast=cubic"], "'fast=cubic': fast has reno already"),
        (["server=reno"], "'server': joins a namespace, which keeps its congestion control"),
    ],
)
def test_mistakes_in_the_option_are_named(options: list[str], error: str) -> None:
    with pytest.raises(congestion.CongestionError) as caught:
        congestion.pairs(options, ["slow", "fast", "server"], {"server": "/run/netns/web"})
    assert str(caught.value) == error


def test_an_option_for_all_nodes_leaves_out_those_that_join() -> None:
    found = congestion.pairs(["bbr", "fast=reno"], ["slow", "fast", "server"], {"server": "x"})
    assert found == {"slow": "bbr", "fast": "reno"}
    for name in ("", "a b", "reno\nx", "x" * 16):
        with pytest.raises(congestion.CongestionError, match="no name of a congestion control"):
            congestion.check({"fast": name})


def test_a_mistake_is_told_before_the_start(cell: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["emulate", str(cell), "--congestion-control", "far=reno", "--", "true"]
    assert cli.main(command) == 2
    assert "--congestion-control 'far': the scenario has no such" in capsys.readouterr().err
    hwsim = ["emulate", str(cell), "--backend", "hwsim", "--congestion-control", "reno"]
    assert cli.main(hwsim) == 2
    assert "--congestion-control is not allowed" in capsys.readouterr().err
    with pytest.raises(OptionError, match="congestion_control: 'far': the scenario has no such"):
        airfair.Emulation(CELL, congestion_control={"far": "reno"})


@pytest.mark.usefixtures("real")
def test_packets_to_the_outside_have_a_route_and_an_error_at_once() -> None:
    with Emulation(CELL) as block:
        for node, source, interface in [
            ("fast", "10.11.0.2", "wlan0"),
            ("server", "10.11.16.1", "eth0"),
        ]:
            there = block.node(node)
            route = there.run(["ip", "route", "get", "1.1.1.1"], capture_output=True, text=True)
            assert f"1.1.1.1 via 10.11.255.254 dev {interface} src {source}" in route.stdout
            for address in ("1.1.1.1", "2606:4700::1111"):
                told = there.run(
                    [sys.executable, "-c", CONNECT, address], capture_output=True, text=True
                )
                assert told.stdout == "ENETUNREACH True\n", address
        nodes = {node["name"]: node for node in block.state()["nodes"]}
        assert nodes["fast"]["unknown_frames"] >= 2
        assert nodes["slow"]["unknown_frames"] == 0


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize("group", ["239.1.2.3", "224.0.0.251", "ff02::fb"])
def test_multicast_of_a_node_reaches_the_others(group: str) -> None:
    with Emulation(CELL) as block:
        takers = []
        for name, interface in [("slow", "wlan0"), ("server", "eth0")]:
            command = [sys.executable, "-c", RECEIVE, group, interface]
            takers.append(block.node(name).popen(command, stdout=subprocess.PIPE, text=True))
        for taker in takers:
            assert taker.stdout is not None
            assert taker.stdout.readline() == "ready\n"
        block.node("fast").run([sys.executable, "-c", SEND, group, "wlan0"])
        for taker in takers:
            assert taker.communicate(timeout=20)[0] == "hello to all\n"


@pytest.mark.usefixtures("real")
def test_delays_of_nodes_and_of_simulated_flows_are_counted(cell: Path) -> None:
    cell.write_text(CELL + '[flow.a]\nfrom = "slow"\nto = "server"\ntransport = { kind = "tcp" }\n')
    code = "import sys, urllib.request as r; r.urlopen(sys.argv[1]).read()"
    command = ["--in", "fast", "--", sys.executable, "-c", code, "http://server/100k"]
    done = emulate(cell, "--json", *command)
    state = json.loads(done.stdout)
    nodes = {node["name"]: node for node in state["nodes"]}
    down = nodes["fast"]["received_delay_s"] / nodes["fast"]["received_packets"]
    # The wire to the server takes 1 ms, and the packets wait for those of `slow`.
    assert 1e-3 < down < 1
    assert nodes["server"]["delivered_packets"] == nodes["fast"]["received_packets"]
    assert nodes["server"]["sent_delay_s"] == pytest.approx(nodes["fast"]["received_delay_s"])
    (flow,) = state["flows"]
    assert (flow["name"], flow["from"], flow["to"]) == ("a", "slow", "server")
    assert flow["received_packets"] * 1000 < flow["delivered_bytes"] * 1.5
    assert flow["delay_s"] / flow["received_packets"] > 2e-3

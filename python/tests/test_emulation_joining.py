"""Tests of nodes that join existing network namespaces."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from airfair import Emulation, EmulationError, OptionError, load
from airfair.emulation import joining
from emulations import CELL, emulate, is_permitted

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's"),
]

SCENARIO = load(CELL + '[flow.a]\nfrom = "fast"\nto = "server"\ntransport = { kind = "tcp" }\n')
SERVE = "import http.server as h; h.test(h.SimpleHTTPRequestHandler, port=8000)"
GET = "import sys, urllib.request as r; print(len(r.urlopen(sys.argv[1]).read()))"


@pytest.fixture
def container() -> Iterator[int]:
    """Process with a network namespace of its own, in which a web server runs."""
    if os.geteuid() != 0 or not is_permitted("TAP"):
        pytest.skip("joining needs root and TAP devices")
    words = ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
    with subprocess.Popen(
        [*words, sys.executable, "-c", SERVE], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        for _ in range(200):
            if inside(process.pid, "grep", "-q", ":1F40", "/proc/net/tcp").returncode == 0:
                break
            time.sleep(0.05)
        yield process.pid
        process.kill()


def inside(process: int, *words: str) -> subprocess.CompletedProcess[str]:
    command = ["nsenter", f"--net=/proc/{process}/ns/net", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_program_that_runs_already_serves_through_the_cell(container: int) -> None:
    before = inside(container, "sysctl", "-n", "net.ipv4.tcp_congestion_control").stdout
    with Emulation(CELL, nodes={"server": f"pid:{container}"}) as cell:
        url = "http://server:8000/"
        done = cell.node("fast").run(
            [sys.executable, "-c", GET, url], capture_output=True, text=True
        )
        assert int(done.stdout) > 0
        found = inside(container, "ip", "-oneline", "address").stdout
        assert "af-eth0    inet 10.11.16.1/16" in found
        assert inside(container, "sysctl", "-n", "net.ipv4.tcp_congestion_control").stdout == before
    assert "af-eth0" not in inside(container, "ip", "link").stdout
    assert cell.result is not None
    assert {"fast-server", "server-fast"} <= {*cell.result.flows["flow"]}


def test_a_killed_emulation_leaves_a_namespace_as_it_was(container: int) -> None:
    with Emulation(CELL, nodes={"server": f"pid:{container}"}) as cell:
        os.kill(cell.pid, signal.SIGKILL)
        with pytest.raises(EmulationError, match="has ended"):
            cell.wait_until("10 s")
        cell._read = lambda: None  # type: ignore[method-assign]  # noqa: SLF001 - it has no document
    assert "af-eth0" not in inside(container, "ip", "link").stdout


def test_a_namespace_has_one_node(container: int, tmp_path: Path) -> None:
    cell = tmp_path / "cell.toml"
    cell.write_text(CELL)
    one = f"pid:{container}"
    done = emulate(cell, "--node", f"server={one}", "--node", f"fast={one}")
    assert done.returncode == 1
    assert "of server: fast has joined it already" in done.stderr
    assert "af-" not in inside(container, "ip", "link").stdout
    done = emulate(cell, "--node", "server=/etc/hostname", "--duration", "1 s")
    assert done.returncode == 1
    assert "network namespace /etc/hostname of server: not a network namespace" in done.stderr
    done = emulate(cell, "--node", f"server={one}", "--backend", "veth", "--duration", "1 s")
    assert done.returncode == 2
    assert "joining a namespace needs root and TAP devices" in done.stderr


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("/no/such/file", "server = /no/such/file: no such file; allowed is a path such as"),
        ("pid:x", "server = pid:x: no such process; allowed is a path such as"),
        ("pid:../1", r"server = pid:\.\./1: no such process"),
        ("pid:999999999", "server = pid:999999999: no such process"),
        ("podman:web", "server = podman:web: podman is not installed"),
    ],
)
def test_a_place_without_a_namespace_is_named(
    place: str, expected: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(joining.JoiningError, match=expected):
        joining.paths({"server": place}, SCENARIO)
    with pytest.raises(OptionError, match=f"nodes: {expected}"):
        Emulation(CELL, nodes={"server": place})


def test_a_container_is_asked_for_its_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    docker = tmp_path / "docker"
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def says(text: str) -> None:
        docker.write_text(f"#!/bin/sh\n{text}\n")
        docker.chmod(0o755)

    says(f'[ "$*" = "inspect --format {{{{.State.Pid}}}} -- web" ] && echo {os.getpid()}')
    found = joining.paths({"server": "docker:web"}, SCENARIO)
    assert found == {"server": Path(f"/proc/{os.getpid()}/ns/net")}
    says("echo 0")
    with pytest.raises(joining.JoiningError, match="docker:web: the container does not run"):
        joining.paths({"server": "docker:web"}, SCENARIO)
    says("echo 'no such container' >&2; exit 1")
    with pytest.raises(joining.JoiningError, match="docker:web: no such container"):
        joining.paths({"server": "docker:web"}, SCENARIO)


def test_an_option_names_a_node_and_a_place() -> None:
    assert joining.pairs(["a=pid:1", "b=/x=y"]) == {"a": "pid:1", "b": "/x=y"}
    for wrong in ("a", "=x", "a="):
        with pytest.raises(joining.JoiningError, match="allowed is NODE=PLACE"):
            joining.pairs([wrong])
    with pytest.raises(joining.JoiningError, match="a joins pid:1 already"):
        joining.pairs(["a=pid:1", "a=pid:2"])
    with pytest.raises(
        joining.JoiningError, match=r'no such station or host.*did you mean "server"'
    ):
        joining.paths({"sever": "pid:1"}, SCENARIO)

"""Tests of real emulations that are invalid: the process stalls, or the kernel drops packets."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from emulations import CELL, emulate, is_permitted, staying
from support import PROGRAM

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's"),
]

ROOM = 4_194_304
"""Size of the receive buffer [octets], which `net.core.rmem_max` has to permit without root."""
KERNELS = """\
[flow.{0}]
from = "{0}"
to = "{1}"
transport = {{ kind = "tcp", stack = "kernel" }}
"""


@pytest.fixture(params=["TAP", "veth"])
def kind(request: pytest.FixtureRequest) -> str:
    """Kind of interfaces; skips the test if this machine does not permit it."""
    if not is_permitted(request.param):
        pytest.skip(f"{request.param} is not permitted here: it needs root, or user namespaces")
    return str(request.param)


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    path = tmp_path / "cell.toml"
    path.write_text(CELL)
    return path


def ended(process: subprocess.Popen[str]) -> Any:  # noqa: ANN401 - JSON
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return json.loads(output)


def objections(document: dict[str, Any], start: str) -> list[str]:
    """Objections of a document that begin with `start`; a document with objections must be invalid."""
    assert document["valid"] == (document["objections"] == [])
    return [told for told in document["objections"] if told.startswith(start)]


def test_a_stall_of_a_third_of_a_second_makes_an_emulation_invalid(cell: Path, kind: str) -> None:
    """A stall of 0.3 s makes an emulation invalid by the share of the one second that contains the stall."""
    cell.write_text(CELL + KERNELS.format("slow", "server"))
    words = ["--backend", kind, "--json", "--duration", "4 s"]
    with staying(cell, *words) as (process, _):
        time.sleep(1)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        process.send_signal(signal.SIGCONT)
        document = ended(process)
    assert document["lateness"]["stillest_second"]["slipped_s"] > 0.25
    (told,) = (it for it in objections(document, "the machine stalled") if "in the second" in it)
    assert told.endswith("(at most 50 ms)")


BURST = """
import pathlib, socket, sys, time
line = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
line.bind(("wlan0", 0))
start, done, count = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
frame = bytes.fromhex("02af00001001" "02af00000001" "88b5") + bytes(1400)
start.with_suffix(".ready").touch()
while not start.exists():
    time.sleep(0.01)
for _ in range(count):
    try:
        line.send(frame)
    except OSError:
        pass
done.touch()
time.sleep(0.5)
"""


def burst(cell: Path, kind: str, count: int) -> Any:  # noqa: ANN401 - JSON
    """Document of an emulation that is stopped while its station `slow` sends `count` frames to `server`."""
    start, done = cell.parent / "start", cell.parent / "done"
    words = ["--backend", kind, "--json", "--in", "slow", "--", sys.executable, "-c", BURST]
    command = [*PROGRAM, "emulate", str(cell), *words, str(start), str(done), str(count)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            wait_for(start.with_suffix(".ready"))
            process.send_signal(signal.SIGSTOP)
            start.touch()
            wait_for(done)
            process.send_signal(signal.SIGCONT)
            return ended(process)
        finally:
            process.kill()


def wait_for(path: Path) -> None:
    for _ in range(1_000):
        if path.exists():
            return
        time.sleep(0.02)
    raise AssertionError(f"no {path.name}")


def test_packets_that_the_kernel_drops_are_counted_and_make_an_emulation_invalid(
    cell: Path, kind: str
) -> None:
    document = burst(cell, kind, 40_000)
    nodes = {node["name"]: node for node in document["nodes"]}
    unread = nodes["slow"]["unread_packets"]
    assert unread > 5_000
    # Each frame was carried, refused by the station's queue, or dropped by the kernel.
    carried = nodes["slow"]["sent_packets"] + nodes["slow"]["refused_packets"]
    assert 40_000 <= unread + carried < 40_100
    (told,) = objections(document, "the kernel dropped")
    assert told.endswith(f"before the emulation read them: of slow {unread}")


def test_a_burst_finds_room_until_it_is_read(cell: Path, kind: str) -> None:
    """The kernel drops none of 3000 packets, the most that a connection of the kernel's TCP has in flight."""
    most = Path("/proc/sys/net/core/rmem_max")
    if kind == "veth" and most.exists() and int(most.read_text()) < ROOM:
        pytest.skip(f"net.core.rmem_max is less than {ROOM}")
    document = burst(cell, kind, 3_000)
    assert [node["unread_packets"] for node in document["nodes"]] == [0, 0, 0]
    assert objections(document, "the kernel dropped") == []


OFF = """
import fcntl, socket, struct, time
time.sleep(0.6)
line = socket.socket()
fcntl.ioctl(line, 0x8914, struct.pack("16sh22x", b"wlan0", 0))
time.sleep(1.2)
"""


def test_packets_for_an_interface_that_is_off_are_no_objection(cell: Path, kind: str) -> None:
    """Packets that a switched-off interface does not take do not make an emulation invalid."""
    cell.write_text(CELL + KERNELS.format("server", "slow"))
    words = ["--backend", kind, "--json", "--in", "slow", "--", sys.executable, "-c", OFF]
    done = emulate(cell, *words)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    slow = document["nodes"][0]
    assert slow["not_taken_packets"] > 0
    assert slow["undelivered_packets"] == 0
    assert objections(document, "the kernel dropped") == []

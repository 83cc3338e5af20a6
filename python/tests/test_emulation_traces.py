"""Captures and timelines of emulations, however these end."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from airfair import Emulation, EmulationError, OptionError, cli
from emulations import CELL, emulate, is_permitted, staying

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's"),
]

GET = "import sys, urllib.request as r; print(len(r.urlopen(sys.argv[1]).read()))"
FETCH = [sys.executable, "-c", GET]
INTERFACE, PACKET = 1, 6
"""Kinds of pcapng's blocks."""


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


def blocks(file: Path) -> Iterator[tuple[int, bytes]]:
    """Kinds and contents of the blocks of a capture, each of which must be whole."""
    octets = file.read_bytes()
    while octets:
        kind, length = struct.unpack_from("<II", octets)
        assert struct.unpack_from("<I", octets, length - 4) == (length,)
        yield kind, octets[8 : length - 4]
        octets = octets[length:]


def packets(file: Path) -> list[bytes]:
    return [content for kind, content in blocks(file) if kind == PACKET]


def events(file: Path) -> list[dict[str, Any]]:
    return list(json.loads(file.read_bytes())["traceEvents"])


@pytest.mark.usefixtures("real")
def test_a_capture_has_the_packets_of_programs_with_their_headers(cell: Path) -> None:
    capture, timeline = cell.parent / "c.pcapng", cell.parent / "t.json"
    files = ["--pcap", str(capture), "--timeline", str(timeline)]
    done = emulate(cell, *files, "--in", "fast", "--", *FETCH, "http://10.11.16.1/30k")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "30000\n"
    found = packets(capture)
    assert f"airfair: wrote {capture}: {len(found)} packets" in done.stderr
    assert f"airfair: wrote {timeline}: " in done.stderr
    assert sum(kind == INTERFACE for kind, _ in blocks(capture)) == 4
    # LLC and SNAP of IPv4, and the request from fast to port 80 of server.
    request = b"\xaa\xaa\x03\0\0\0\x08\0\x45"
    down = bytes([10, 11, 16, 1, 10, 11, 0, 2]) + struct.pack("!H", 80)
    up = bytes([10, 11, 0, 2, 10, 11, 16, 1])
    assert sum(request in it and up in it and b"GET /30k" in it for it in found) >= 3
    # The file has at least 21 segments, each at the access point, at the station and at the monitor.
    data = [it for it in found if request in it and down in it]
    assert len(data) >= 3 * 21
    # Of each packet, the capture has 128 octets behind radiotap, 802.11 and LLC.
    assert all(len(it) < 300 for it in data)
    names = {event.get("name") for event in events(timeline)}
    assert {"fast queue", "fast rate down"} <= names


@pytest.mark.usefixtures("real")
def test_a_trace_may_be_a_part_of_the_time_and_of_the_stations(cell: Path) -> None:
    capture = cell.parent / "c.pcapng"
    window = ["--trace-from", "100 ms", "--trace-until", "300 ms", "--trace-station", "slow"]
    cell.write_text(CELL + '[flow.a]\nfrom = "slow"\nto = "server"\ntransport = { kind = "tcp" }\n')
    done = emulate(cell, "--pcap", str(capture), *window, "--duration", "600 ms")
    assert done.returncode == 0, done.stderr
    # A timestamp in nanoseconds has its upper half first.
    times = [struct.unpack_from("<II", it, 4) for it in packets(capture)]
    found = [high << 32 | low for high, low in times]
    assert 100_000_000 <= min(found) < 110_000_000
    assert 290_000_000 < max(found) < 300_000_000
    assert {struct.unpack_from("<I", it)[0] for it in packets(capture)} == {2}
    quiet = emulate(cell, "--pcap", str(capture), "--trace-from", "8 s", "--", "true")
    assert quiet.returncode == 0
    assert f"--pcap {capture}: nothing happened between" in quiet.stderr
    assert packets(capture) == []


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_files_are_whole_after_a_signal(cell: Path, number: signal.Signals) -> None:
    cell.write_text(CELL + '[flow.a]\nfrom = "fast"\nto = "server"\ntransport = { kind = "tcp" }\n')
    capture, timeline = cell.parent / "c.pcapng", cell.parent / "t.json"
    with staying(cell, "--pcap", str(capture), "--timeline", str(timeline)) as (process, _):
        time.sleep(1)
        process.send_signal(number)
        errors = process.communicate(timeout=30)[1]
    last = max(float(event.get("ts", 0)) for event in events(timeline)) / 1e6
    high, low = struct.unpack_from("<II", packets(capture)[-1], 4)
    assert last > 0.9
    assert (high << 32 | low) / 1e9 == pytest.approx(last, abs=0.05)
    if number is signal.SIGINT:
        assert process.returncode == 0
        assert f"airfair: wrote {capture}: " in errors


@pytest.mark.usefixtures("real")
def test_a_full_disk_is_told_and_spoils_nothing_else(cell: Path) -> None:
    timeline = cell.parent / "t.json"
    files = ["--pcap", "/dev/full", "--timeline", str(timeline), "--force"]
    done = emulate(cell, *files, "--in", "fast", "--", *FETCH, "http://server/30k")
    assert (done.returncode, done.stdout) == (1, "30000\n")
    line = "airfair: --pcap /dev/full: No space left on device; the file is incomplete"
    assert line in done.stderr.splitlines()
    assert "verdict: " in done.stderr
    assert events(timeline)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--trace-from", "1 s"], "--trace-from: works only with --pcap or --timeline"),
        (["--pcap", "{dir}/x", "--timeline", "{dir}/x"], "this is also the file of --pcap"),
        (["--pcap", "{dir}/cell.toml"], "--pcap {dir}/cell.toml: "),
        (
            ["--pcap", "{dir}/x", "--trace-until", "0 s"],
            "--trace-until 0 s: allowed is a time after --trace-from 0 s",
        ),
        (
            ["--pcap", "{dir}/x", "--duration", "2 s", "--trace-from", "3 s"],
            "--trace-from 3 s: allowed is a time before the end of the run, 2 s",
        ),
        (["--pcap", "{dir}/x", "--trace-station", "far"], "matches no station, access point"),
        (["--backend", "hwsim", "--pcap", "{dir}/x"], "--backend hwsim: --pcap is not allowed"),
    ],
)
def test_mistakes_are_told_before_the_start(
    cell: Path, capsys: pytest.CaptureFixture[str], words: list[str], error: str
) -> None:
    given = [word.format(dir=cell.parent) for word in words]
    assert cli.main(["emulate", str(cell), *given]) == 2
    assert error.format(dir=cell.parent) in capsys.readouterr().err
    assert [path.name for path in cell.parent.iterdir()] == ["cell.toml"]


@pytest.mark.usefixtures("real")
def test_a_file_that_cannot_be_opened_is_named_and_the_other_is_removed(cell: Path) -> None:
    capture, timeline = cell.parent / "c.pcapng", cell.parent / "no/t.json"
    done = emulate(cell, "--pcap", str(capture), "--timeline", str(timeline), "--", "true")
    assert done.returncode == 2
    assert done.stderr == f"airfair: --timeline {timeline}: No such file or directory\n"
    assert [path.name for path in cell.parent.iterdir()] == ["cell.toml"]


@pytest.mark.usefixtures("real")
def test_a_block_writes_the_files_and_tells_of_a_full_disk(tmp_path: Path) -> None:
    capture, timeline = tmp_path / "c.pcapng", tmp_path / "t.json"
    with Emulation(CELL, pcap=capture, timeline=str(timeline)) as cell:
        cell.node("fast").run([*FETCH, "http://server/30k"], stdout=subprocess.DEVNULL)
    assert len(packets(capture)) > 3 * 21
    assert events(timeline)
    with pytest.raises(OptionError, match="this is also the file of pcap"):
        Emulation(CELL, pcap=capture, timeline=capture)
    mine = tmp_path / "mine"
    mine.write_text("of the user")
    with (
        pytest.raises(EmulationError, match=f"--pcap {mine}: "),
        Emulation(CELL, pcap=mine),
    ):
        pass
    assert mine.read_text() == "of the user"


def test_a_block_tells_of_a_full_disk(tmp_path: Path) -> None:
    if os.geteuid() != 0 or not is_permitted("TAP"):
        pytest.skip("only root mounts a small disk")
    code = (
        "import airfair, sys\n"
        "cell = airfair.Emulation(sys.argv[1], pcap=sys.argv[2])\n"
        "try:\n"
        "    with cell:\n"
        "        cell.wait_until('2 s')\n"
        "except airfair.EmulationError as error:\n"
        "    print(cell.verdict is not None, error)\n"
    )
    flow = CELL + '[flow.a]\nfrom = "fast"\nto = "server"\ntransport = { kind = "tcp" }\n'
    capture = tmp_path / "c.pcapng"
    mount = f'mount -t tmpfs -o size=64k tmpfs "{tmp_path}" && exec "$@"'
    words = ["unshare", "--mount", "sh", "-c", mount, "sh", sys.executable, "-c", code]
    done = subprocess.run([*words, flow, str(capture)], capture_output=True, text=True, check=False)
    assert done.stdout == (
        "True the emulation could not write its files: "
        f"--pcap {capture}: No space left on device; the file is incomplete\n"
    ), done.stderr

"""Tests of programs that a command leaves behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from airfair import Emulation
from emulations import CELL, emulate, is_permitted

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's"),
]


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    if not (is_permitted("TAP") or is_permitted("veth")):
        pytest.skip("neither TAP devices nor user namespaces are permitted here")
    path = tmp_path / "cell.toml"
    path.write_text(CELL)
    return path


def _runs(process: int) -> bool:
    """True if a process runs and is no zombie."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


# A program that ends by itself, that ends at SIGTERM, and that ignores SIGTERM; the command has ended before.
STUBBORN = """trap "" TERM; while :; do sleep 0.1; done"""


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("sleep 0.3", []),
        ("sleep 600", ["it gets SIGTERM"]),
        (f"sh -c '{STUBBORN}'", ["it gets SIGTERM", "it is killed"]),
    ],
)
def test_a_daemon_that_the_command_leaves_behind_is_named_and_ended(
    cell: Path, program: str, told: list[str]
) -> None:
    # It keeps a pipe open, for whose end `emulate` waits as well.
    began = time.monotonic()
    command = f"{program} & echo $! >&2; exit 3"
    done = emulate(cell, "--json", "--in", "fast", "--", "sh", "-c", command)
    assert time.monotonic() - began < 20
    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout)["elapsed_s"] < 1
    daemon = int(next(line for line in done.stderr.splitlines() if line.isdecimal()))
    assert not _runs(daemon)
    name = program.split(maxsplit=1)[0]
    lines = [line for line in done.stderr.splitlines() if f"{name} (process {daemon})" in line]
    assert len(lines) == len(told), done.stderr
    assert all(line.endswith(end) for line, end in zip(lines, told, strict=True))
    assert all(f"airfair: {name} (process {daemon}) in fast still runs" in line for line in lines)


def test_programs_elsewhere_are_left_alone(cell: Path) -> None:
    with subprocess.Popen(["sleep", "600"]) as beside:
        done = emulate(cell, "--in", "fast", "--", "sh", "-c", "sleep 600 &")
        assert "it gets SIGTERM" in done.stderr
        assert _runs(beside.pid)
        beside.kill()


def test_a_namespace_that_a_node_has_joined_keeps_its_programs(cell: Path) -> None:
    if os.geteuid() != 0 or not is_permitted("TAP"):
        pytest.skip("joining needs root and TAP devices")
    with subprocess.Popen(["unshare", "--net", "sleep", "600"]) as container:
        while Path(f"/proc/{container.pid}/comm").read_text() != "sleep\n":
            time.sleep(0.01)
        done = emulate(cell, "--node", f"server=pid:{container.pid}", "--in", "fast", "--", "true")
        assert done.returncode == 0, done.stderr
        assert "still runs" not in done.stderr
        assert _runs(container.pid)
        container.kill()


def test_a_daemon_of_a_program_ends_with_the_block(cell: Path) -> None:
    with Emulation(cell) as emulation:
        done = emulation.node("fast").run(
            ["sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"], capture_output=True, text=True
        )
        daemon = int(done.stdout)
        assert _runs(daemon)
    assert not _runs(daemon)
    assert emulation.verdict is not None

"""Tests of emulations of an ordinary user: root runs them as nobody."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

import nobody
from airfair import _core
from airfair.emulation import backend
from emulations import CELL
from nobody import Device
from support import PROGRAM

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's"),
]

GET = "import sys, urllib.request as r; print(*(len(r.urlopen(u).read()) for u in sys.argv[1:]))"


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    path = tmp_path / "cell.toml"
    path.write_text(CELL)
    return path


@pytest.mark.parametrize(
    ("device", "kind", "first", "has_advice"),
    [
        (Device.OPEN, "TAP", "TAP devices in a user namespace, without root", False),
        # With the device closed, the same emulation is slower, and says how to make it faster.
        (Device.CLOSED, "veth", "pairs of interfaces in a user namespace, without root", True),
    ],
)
def test_an_open_device_gives_nobody_the_faster_kind(  # noqa: PLR0913 - a case of the table
    cell: Path, tmp_path: Path, device: Device, kind: str, first: str, *, has_advice: bool
) -> None:
    words = ["emulate", str(cell), "--json", "--", sys.executable, "-c", GET, "http://server/10k"]
    done = nobody.run([*PROGRAM, *words], tmp_path, device)
    assert done.returncode == 0, done.stderr
    assert "10000\n" in done.stderr
    assert json.loads(done.stdout)["backend"] == kind
    assert f"airfair: {first}; congestion control" in done.stderr
    advice = (
        "airfair: TAP devices are faster; /dev/net/tun: Permission denied (os error 13); "
        "open it: sudo chmod 0666 /dev/net/tun"
    )
    assert (advice in done.stderr) == has_advice


@pytest.mark.parametrize(("device", "status"), [(Device.OPEN, 0), (Device.CLOSED, 1)])
def test_tap_devices_that_are_asked_for_work_or_are_refused(
    cell: Path, tmp_path: Path, device: Device, status: int
) -> None:
    words = ["emulate", str(cell), "--backend", "TAP", "--", "true"]
    done = nobody.run([*PROGRAM, *words], tmp_path, device)
    assert done.returncode == status, done.stderr
    refused = "without root, in a user namespace: Permission denied" in done.stderr
    assert refused == (status == 1)
    assert ("open it: sudo chmod 0666 /dev/net/tun" in done.stderr) == (status == 1)


def test_only_root_joins_a_namespace(cell: Path, tmp_path: Path) -> None:
    words = ["emulate", str(cell), "--node", "server=/proc/self/ns/net", "--duration", "1 s"]
    done = nobody.run([*PROGRAM, *words], tmp_path)
    assert done.returncode == 2, done.stderr
    assert "joining a namespace needs root and TAP devices" in done.stderr


TESTS = """
import os

def test_a_download(wifi_cell):
    assert os.geteuid() == 65534
    with wifi_cell({cell!r}, check=False) as cell:
        done = cell.node("fast").run(["cat", "/etc/hosts"], capture_output=True, text=True)
        assert "10.11.16.1 server" in done.stdout
        cell.set_rate("fast", "12 Mb/s")
        cell.wait_until(1.0)
        assert cell.state()["nodes"][1]["radio"]["rate_up_bps"] == 12_000_000
    assert cell.verdict is not None

def test_a_rate_that_is_none(wifi_cell):
    with wifi_cell({cell!r}, check=False) as cell:
        cell.set_rate("fast", "13 Mb/s")
"""


@pytest.mark.parametrize("device", Device)
def test_the_fixture_of_pytest_is_nobodys_as_well(
    cell: Path, tmp_path: Path, device: Device
) -> None:
    """One test passes, and the other one, which asks for a rate of no standard, fails."""
    tests = tmp_path / "test_cells.py"
    tests.write_text(TESTS.format(cell=str(cell)))
    plugin = ["-p", "no:cacheprovider", "-p", "airfair.pytest_plugin", "--require-wifi"]
    words = [sys.executable, "-m", "pytest", *plugin, "--rootdir", str(tmp_path), str(tests)]
    done = nobody.run(words, tmp_path, device)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "allowed for fast are" in done.stdout


def _namespaces() -> set[Path]:
    """Network namespaces that processes are in."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/ns/net"):
        try:
            found.add(path.readlink())
        except OSError:
            continue
    return found


def test_what_is_killed_leaves_nothing_of_nobody(cell: Path, tmp_path: Path) -> None:
    words = ["emulate", str(cell), "--", "sh", "-c", "echo $$; exec sleep 600"]
    command = nobody.command([*PROGRAM, *words])
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, **nobody.options(tmp_path)
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            pytest.skip("nobody may not emulate here")
        own = {Path(f"/proc/{it}/ns/net").readlink() for it in (process.pid, int(line))}
        assert own <= _namespaces()
        process.kill()
        process.wait()
    deadline = time.monotonic() + 5
    while own & _namespaces() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not own & _namespaces()


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "sysctl kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        ("kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"),
        # A value that permits them is not the reason.
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "0",
            "a container forbids them by seccomp",
        ),
    ],
)
def test_the_sysctl_that_forbids_user_namespaces_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, value: str, expected: str
) -> None:
    file = tmp_path / key
    file.parent.mkdir()
    file.write_text(f"{value}\n")

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(backend, "_SYSCTLS", tmp_path)
    monkeypatch.setattr(_core, "emulation_try", refused)
    monkeypatch.setattr(_core, "emulation_isolate", refused)
    with pytest.raises(backend.NotPermittedError) as error:
        backend.choose()
    assert expected in error.value.lines[-1]

"""Tests of emulations from Python, and of the fixture of the plugin for pytest."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import airfair
from airfair import Emulation, EmulationError, InvalidEmulationError, OptionError, ScenarioError
from airfair.emulation import cell as module
from airfair.emulation import running
from emulations import CELL, is_permitted

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's"),
]

GET = "import sys, urllib.request as r; print(len(r.urlopen(sys.argv[1]).read()))"


@pytest.fixture
def real() -> None:
    """Skip the test if this machine permits no emulation."""
    if not (is_permitted("TAP") or is_permitted("veth")):
        pytest.skip("neither TAP devices nor user namespaces are permitted here")


def fetch(url: str) -> list[str]:
    return [sys.executable, "-c", GET, url]


@pytest.mark.parametrize("backend", ["TAP", "veth"])
def test_programs_cross_the_cell_and_the_result_has_their_flows(backend: str) -> None:
    if not is_permitted(backend):
        pytest.skip(f"{backend} is not permitted here")
    with Emulation(CELL, backend=backend, seed=3) as cell:
        fast, server = cell.node("fast"), cell.nodes["server"]
        assert (fast.kind, fast.address, fast.address6) == ("station", "10.11.0.2", "fd11::2")
        assert repr(server) == "<host server 10.11.16.1>"
        assert fast.netns.exists()
        url = f"http://{server.address}/300k"
        done = fast.run(fetch(url), capture_output=True, text=True)
        assert done.stdout == "300000\n"
        assert cell.air()["fast"] > 0
    assert cell.verdict is not None
    assert cell.result is not None
    assert cell.result.scenario.seed == 3
    flows = cell.result.flows.rows(named=True)
    assert {row["flow"] for row in flows} == {"fast-server", "server-fast"}
    assert max(row["delivered_bytes"] for row in flows) > 300_000


@pytest.mark.usefixtures("real")
def test_a_rate_that_is_set_slows_the_link_down() -> None:
    with Emulation(CELL) as cell:
        fast = cell.node("fast")

        def seconds() -> float:
            began = cell.elapsed_s
            fast.run(fetch("http://server/1M"), stdout=subprocess.DEVNULL)
            return cell.elapsed_s - began

        cell.set_rate("fast", "6 Mb/s", direction="down")
        # At 6 Mb/s the data alone takes 1.3 s.
        assert seconds() > 1.3
        cell.set_errors("fast", 0.1)
        cell.set_queue("home", {"discipline": "fq-codel"})
        with pytest.raises(EmulationError, match='set = "rate": near: no such station'):
            cell.set_rate("near", "6 Mb/s")
        with pytest.raises(EmulationError, match='set = "weights"'):
            cell.set_weights("home", data=2, acks=1)


@pytest.mark.usefixtures("real")
def test_the_channel_time_is_waited_for_and_air_counts_from_call_to_call() -> None:
    with Emulation(CELL) as cell:
        cell.wait_until("500 ms")
        assert cell.elapsed_s >= 0.5
        cell.node("fast").run(fetch("http://server/1M"), stdout=subprocess.DEVNULL)
        assert cell.air()["fast"] > 0.1
        cell.wait_until(cell.elapsed_s + 1)
        quiet = cell.air()
        assert quiet["slow"] == 0.0
        assert 0 <= quiet["fast"] < 0.2
        with pytest.raises(OptionError, match="wait_until = 'soon': allowed is a time such as"):
            cell.wait_until("soon")


@pytest.mark.usefixtures("real")
def test_what_still_runs_in_a_namespace_ends_with_the_emulation() -> None:
    with Emulation(CELL) as cell:
        sleeps = cell.node("fast").popen(["sleep", "1000"])
        script = "trap '' TERM; echo ready; while :; do sleep 1; done"
        stubborn = cell.node("slow").popen(["sh", "-c", script], stdout=subprocess.PIPE)
        assert stubborn.stdout is not None
        assert stubborn.stdout.readline() == b"ready\n"
        assert sleeps.poll() is None
    assert sleeps.returncode == -signal.SIGTERM
    assert stubborn.returncode == -signal.SIGKILL
    stubborn.stdout.close()


@pytest.mark.usefixtures("real")
def test_a_program_that_fails_is_an_error_unless_it_may() -> None:
    with Emulation(CELL) as cell:
        node = cell.node("fast")
        with pytest.raises(subprocess.CalledProcessError) as caught:
            node.run(["sh", "-c", "exit 7"])
        assert caught.value.returncode == 7
        assert node.run(["sh", "-c", "exit 7"], check=False).returncode == 7
        with pytest.raises(TypeError, match="allowed is a list of a program and its arguments"):
            node.run("exit 7")
        with pytest.raises(
            EmulationError, match=r"'fats': .*did you mean \"fast\".*slow, fast, server"
        ):
            cell.node("fats")


@pytest.mark.usefixtures("real")
def test_an_emulation_that_has_ended_says_so() -> None:
    with (
        Emulation(CELL, duration="300 ms") as cell,
        pytest.raises(
            EmulationError, match=r"^the emulation has ended: --duration of 0\.3 s is over$"
        ),
    ):
        cell.wait_until("5 s")
    assert cell.verdict is not None
    with pytest.raises(EmulationError, match="use it in its with block"):
        cell.state()
    with cell:
        assert cell.elapsed_s >= 0


def test_a_full_disk_is_an_error_that_names_it(tmp_path: Path) -> None:
    if os.geteuid() != 0 or not is_permitted("TAP"):
        pytest.skip("only root mounts a small disk")
    code = (
        "import airfair, sys\n"
        "cell = airfair.Emulation(sys.argv[1])\n"
        "try:\n"
        "    with cell:\n"
        "        cell.node('fast').run(['true'])\n"
        "except airfair.EmulationError as error:\n"
        "    print(cell.verdict is not None, cell.result, error)\n"
    )
    mount = 'mount -t tmpfs -o size=64k tmpfs "$TMPDIR" && exec "$@"'
    words = ["unshare", "--mount", "sh", "-c", mount, "sh", sys.executable, "-c", code]
    flow = CELL + '[flow.a]\nfrom = "fast"\nto = "server"\ntransport = { kind = "tcp" }\n'
    done = subprocess.run(
        [*words, flow],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    expected = f"True None the emulation left no result: --out {tmp_path}/"
    assert done.stdout.startswith(expected), done.stderr
    assert "No space left on device" in done.stdout


@pytest.mark.usefixtures("real")
def test_nothing_is_left_after_an_exception_or_kill() -> None:
    processes = []

    def broken() -> None:
        with Emulation(CELL) as cell:
            processes.append(cell.pid)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    assert processes[0] not in [one.process for one in running.all_running(running.folder())]

    code = (
        "import airfair, os, signal, sys\n"
        "with airfair.Emulation(sys.argv[1]) as cell:\n"
        "    print(cell.pid, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run(
        [sys.executable, "-c", code, CELL], capture_output=True, text=True, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    process = int(killed.stdout)
    for _ in range(200):
        if process not in [one.process for one in running.all_running(running.folder())]:
            break
        time.sleep(0.05)
    else:
        pytest.fail("the emulation of a killed process goes on")


@pytest.mark.usefixtures("real")
def test_an_asynchronous_block_emulates_as_well() -> None:
    async def fetched() -> tuple[int, airfair.Emulation]:
        async with Emulation(CELL) as cell:
            words = cell.node("fast").command(fetch("http://server/10k"))
            program = await asyncio.create_subprocess_exec(*words, stdout=subprocess.PIPE)
            output, _ = await program.communicate()
            return int(output), cell

    octets, cell = asyncio.run(fetched())
    assert octets == 10_000
    assert cell.verdict is not None


def test_wrong_arguments_are_named_before_the_start() -> None:
    assert Emulation(CELL).nodes == {}
    with pytest.raises(OptionError, match="backend = 'tap': allowed is TAP or veth"):
        Emulation(CELL, backend="tap")
    with pytest.raises(OptionError, match="duration = '0 s': allowed is a time above 0"):
        Emulation(CELL, duration="0 s")
    with pytest.raises(OptionError, match="duration = 'long': allowed is a time such as '5 s'"):
        Emulation(CELL, duration="long")
    with pytest.raises(ScenarioError, match="the file has no station of this name"):
        Emulation(CELL, set={"station.fats.rate": "6 Mb/s"})
    with pytest.raises(FileNotFoundError):
        Emulation("no-such-cell.toml")
    with pytest.raises(EmulationError, match="use it in its with block"):
        Emulation(CELL).node("fast")


def test_an_emulation_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROGRAM", ("sh", "-c", "echo 'airfair: no cell here' >&2; exit 1"))
    with pytest.raises(EmulationError, match="does not start: no cell here"), Emulation(CELL):
        pass


class Invalid(Emulation):
    """Emulation whose verdict is invalid."""

    def _read(self) -> None:
        super()._read()
        self.verdict = module.Verdict(valid=False, reasons=["1 of 2 packets were late"])


@pytest.mark.usefixtures("real")
def test_an_invalid_emulation_raises_if_it_is_to_be_checked() -> None:
    with Invalid(CELL) as cell:
        pass
    assert cell.verdict is not None
    assert not cell.verdict.valid
    with (
        pytest.raises(InvalidEmulationError, match="1 of 2 packets were late") as caught,
        Invalid(CELL, check=True),
    ):
        raise ZeroDivisionError
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert caught.value.reasons == ["1 of 2 packets were late"]


PLUGIN = '''
import os
from airfair.emulation import cell as module

read, made = module.Emulation._read, []

def invalid_at_first(self):
    read(self)
    made.append(self)
    if len(made) <= int(os.environ["INVALID"]):
        self.verdict = module.Verdict(False, ["packets were late"])
    else:
        self.verdict = module.Verdict(True, [])

module.Emulation._read = invalid_at_first

def test_of_a_program(wifi_cell):
    with wifi_cell("""{}""") as cell:
        assert cell.node("fast").run(["true"]).returncode == 0

def test_without_a_cell():
    pass
'''


def tried(folder: Path, invalid: int, *options: str, program: str | None = None) -> str:
    """Last line of pytest for two tests, of which the one with a cell is invalid so often."""
    file = folder / "test_cell.py"
    broken = f"\nmodule.PROGRAM = {['sh', '-c', program]!r}\n" if program else ""
    file.write_text(PLUGIN.format(CELL) + broken)
    environment: dict[str, Any] = {
        **os.environ,
        "INVALID": str(invalid),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "airfair.pytest_plugin",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [*words, "-rs", "-c", os.devnull, *options, str(file)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        cwd=folder,
    )
    return done.stdout


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize(
    ("invalid", "options", "expected"),
    [
        (0, [], "2 passed"),
        (1, [], "2 passed"),
        (2, [], "1 passed, 1 skipped"),
        (2, ["--require-wifi"], "1 failed, 1 passed"),
    ],
)
def test_an_invalid_test_runs_again_and_is_then_skipped(
    tmp_path: Path, invalid: int, options: list[str], expected: str
) -> None:
    output = tried(tmp_path, invalid, *options)
    assert expected in output.splitlines()[-1]
    if "skipped" in expected:
        assert "two emulations in a row: the emulation is invalid: packets were late" in output


def test_without_permission_a_test_is_skipped_with_the_reason(tmp_path: Path) -> None:
    refuses = "echo 'airfair: no namespaces here' >&2; exit 1"
    output = tried(tmp_path, 0, program=refuses)
    assert "1 passed, 1 skipped" in output.splitlines()[-1]
    assert "does not start: no namespaces here" in output
    output = tried(tmp_path, 0, "--require-wifi", program=refuses)
    assert "1 failed, 1 passed" in output.splitlines()[-1]


def test_the_plugin_is_an_entry_point() -> None:
    [found] = [one for one in entry_points(group="pytest11") if one.name == "airfair"]
    assert found.value == "airfair.pytest_plugin"
    assert textwrap.dedent(found.load().__doc__ or "").startswith("Plugin for pytest")

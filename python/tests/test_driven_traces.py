"""Captures and timelines of worlds and of runs with laws, however they end."""

from __future__ import annotations

import gc
import json
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import airfair
from airfair import Law, cli
from airfair._core import Tracing
from airfair.engine import run_in_turn
from airfair.law import Node

CELL = """
duration = "400 ms"
warmup = "0 s"
[bss.home]
standard = "802.11g"
[station.fast]
rate = "54 Mb/s"
[host.server]
link = { rate = "1 Gb/s", delay = "1 ms" }
[flow.a]
from = "fast"
to = "server"
transport = { kind = "tcp" }
"""
CUT_S = 0.3
"""Time at which these runs end early [s]."""


@dataclass(frozen=True)
class Files:
    """Trace files of one run, which must be whole."""

    folder: Path

    @property
    def paths(self) -> dict[str, Path]:
        return {"pcap": self.folder / "cell.pcapng", "timeline": self.folder / "cell.json"}

    def events(self) -> list[dict[str, Any]]:
        """Events of the timeline, which is parsed."""
        document = json.loads(self.paths["timeline"].read_bytes())
        return list(document["traceEvents"])

    def last_event_s(self) -> float:
        return max(map(_end_s, self.events()))

    def events_before(self, at_s: float) -> list[dict[str, Any]]:
        return [it for it in self.events() if _end_s(it) < at_s]

    def packets(self) -> int:
        """Number of packets of the capture, each of whose blocks must be whole."""
        return sum(kind == 6 for kind in _blocks(self.paths["pcap"].read_bytes()))


def _end_s(event: dict[str, Any]) -> float:
    """Time at which an event of a timeline ends; 0 for the names of its tracks."""
    return float(event.get("ts", 0) + event.get("dur", 0)) / 1e6


def _blocks(octets: bytes) -> Iterator[int]:
    while octets:
        kind, length = struct.unpack_from("<II", octets)
        assert struct.unpack_from("<I", octets, length - 4) == (length,)
        yield kind
        octets = octets[length:]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


@pytest.fixture(scope="module")
def until_cut(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Files of a run that ends at the time at which the others are cut off."""
    files = Files(tmp_path_factory.mktemp("whole"))
    short = {"duration": f"{CUT_S} s"}
    with airfair.World(CELL, set=short, **files.paths) as world:
        world.advance()
        world.result()
    return files


def assert_ends_at_the_cut(files: Files, whole: Files) -> None:
    """The files have all packets and events of a run up to this time."""
    assert files.packets() == whole.packets() > 500
    before = CUT_S - 0.002  # intervals that the end has cut off are later
    assert files.events_before(before) == whole.events_before(before)
    assert files.last_event_s() == pytest.approx(CUT_S, abs=0.002)


class Fails(Law):
    """Raises at `CUT_S`."""

    def start(self, node: Node) -> None:
        node.wake_in(f"{CUT_S} s")

    def timer(self, node: Node) -> None:
        raise ZeroDivisionError(node.name)


class FailsAtOnce(Law):
    """Raises before the first event."""

    def start(self, node: Node) -> None:
        raise ZeroDivisionError(node.name)


class FailsAtTheEnd(Law):
    """Raises when the run ends."""

    def end(self, node: Node) -> None:
        raise ZeroDivisionError(node.name)


def raise_in_a_block(paths: dict[str, Any], law: type[Law] = Law) -> None:
    """Leave the block of a world by an exception at `CUT_S`."""
    with airfair.World(CELL, laws={"station.fast": law}, **paths) as world:
        world.advance(CUT_S)
        raise RuntimeError("of the caller")


def run_to_the_end(paths: dict[str, Any], law: type[Law]) -> None:
    with airfair.World(CELL, laws={"station.fast": law}, **paths) as world:
        world.advance()
        world.result()


def test_a_law_that_raises_leaves_whole_files(files: Files, until_cut: Files) -> None:
    with pytest.raises(ZeroDivisionError):
        run_to_the_end(files.paths, Fails)
    assert_ends_at_the_cut(files, until_cut)


def test_a_world_that_is_not_closed_after_its_law_has_raised_leaves_whole_files(
    files: Files, until_cut: Files
) -> None:
    """The files are complete when the exception arrives, without `close` and without `with`."""
    world = airfair.World(CELL, laws={"station.fast": Fails}, **files.paths)
    with pytest.raises(ZeroDivisionError):
        world.advance()
    assert_ends_at_the_cut(files, until_cut)


def test_a_law_that_raises_at_its_start_leaves_whole_files(files: Files) -> None:
    """A world that cannot be built has files with a header and an end."""
    with pytest.raises(ZeroDivisionError):
        airfair.World(CELL, laws={"station.fast": FailsAtOnce}, **files.paths)
    assert files.events()
    assert files.packets() == 0


def test_a_law_that_raises_at_its_end_leaves_whole_files(files: Files) -> None:
    with pytest.raises(ZeroDivisionError):
        run_to_the_end(files.paths, FailsAtTheEnd)
    assert files.last_event_s() == pytest.approx(0.4, abs=0.002)
    assert files.packets() > 0


def test_a_block_that_raises_leaves_whole_files(files: Files, until_cut: Files) -> None:
    with pytest.raises(RuntimeError, match="of the caller"):
        raise_in_a_block(files.paths)
    assert_ends_at_the_cut(files, until_cut)


def test_a_block_that_raises_keeps_its_exception_if_a_law_raises_at_its_end(files: Files) -> None:
    """The exception of the block is the one to see; the law's does not hide it."""
    with pytest.raises(RuntimeError, match="of the caller"):
        raise_in_a_block(files.paths, FailsAtTheEnd)
    assert files.last_event_s() == pytest.approx(CUT_S, abs=0.002)


def test_a_world_that_is_closed_in_the_middle_leaves_whole_files_and_is_over(
    files: Files, until_cut: Files
) -> None:
    """Closing again does nothing; the world refuses to go on."""
    world = airfair.World(CELL, **files.paths)
    world.advance(CUT_S)
    world.close()
    assert_ends_at_the_cut(files, until_cut)
    world.close()
    with pytest.raises(airfair.RunError, match="over"):
        world.advance()


def test_a_copy_of_a_world_with_traces_writes_none_and_has_its_records(files: Files) -> None:
    """A copy, and a copy of a copy, leave the files to their original, also when they are closed first."""
    plain = airfair.World(CELL, laws={"station.fast": Law})
    with airfair.World(CELL, laws={"station.fast": Law}, **files.paths) as world:
        world.advance(CUT_S / 2)
        first = world.copy()
        second = first.copy()
        results = []
        for it in (first, second, world, plain):
            it.advance()
            results.append(it.result().outcomes[0].record_hash)
    assert len(set(results)) == 1
    assert files.last_event_s() == pytest.approx(0.4, abs=0.002)
    first.close()
    assert files.packets() > 0


def test_laws_that_cannot_be_placed_leave_earlier_files_alone(files: Files) -> None:
    for path in files.paths.values():
        path.write_text("earlier", encoding="utf-8")
    with pytest.raises(ValueError, match="no node"):
        airfair.World(CELL, laws={"station.fats": Law}, **files.paths)
    assert {path.read_text("utf-8") for path in files.paths.values()} == {"earlier"}


def test_a_full_disk_does_not_hide_the_exception_of_a_block() -> None:
    """The error of the file is a note."""
    with pytest.raises(RuntimeError, match="of the caller") as raised:
        raise_in_a_block({"pcap": "/dev/full"})
    (note,) = raised.value.__notes__
    assert "No space left on device: '/dev/full'" in note


def test_a_world_that_is_forgotten_leaves_whole_files(files: Files) -> None:
    """A world without `with` and without `close` ends its files when Python frees it."""
    world = airfair.World(CELL, **files.paths)
    world.advance(CUT_S)
    del world
    gc.collect()
    assert files.last_event_s() == pytest.approx(CUT_S, abs=0.002)
    assert files.packets() > 0


def test_a_function_that_raises_leaves_whole_files(files: Files, until_cut: Files) -> None:
    """The traced replication is the one in which the function raises."""

    def drive(world: airfair.World) -> None:
        world.advance(CUT_S)
        raise ZeroDivisionError("a mistake")

    scenario = airfair.load(CELL)
    tracing = Tracing(scenario, "", **files.paths)
    result, error = run_in_turn(scenario, drive=drive, tracing=(0, tracing))
    assert isinstance(error, ZeroDivisionError)
    assert result.replications == 0
    reports = tracing.finish()
    assert [it["option"] for it in reports] == ["pcap", "timeline"]
    assert reports[0]["until_ns"] == pytest.approx(CUT_S * 1e9, abs=2e6)
    assert_ends_at_the_cut(files, until_cut)


def test_the_command_says_up_to_when_the_files_of_a_failed_law_go(
    files: Files, until_cut: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario, module = files.folder / "cell.toml", files.folder / "failinglaws.py"
    scenario.write_text(CELL, encoding="utf-8")
    module.write_text(
        "import airfair\n"
        "class Fails(airfair.Law):\n"
        f"    def start(self, node): node.wake_in('{CUT_S} s')\n"
        "    def timer(self, node): raise ZeroDivisionError('a mistake')\n",
        encoding="utf-8",
    )
    options = [f"--{name}={path}" for name, path in files.paths.items()]
    law = "--law=station.fast=failinglaws:Fails"
    assert cli.main(["run", str(scenario), law, *options]) == cli.FAILED
    told = capsys.readouterr().err
    for path in files.paths.values():
        (until,) = re.findall(f"wrote {path} up to ([0-9.]+) s, where the run was", told)
        assert float(until) == pytest.approx(CUT_S, abs=0.002)
    assert_ends_at_the_cut(files, until_cut)

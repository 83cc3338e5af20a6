"""Tests of the agent in an emulation: at a station and at a server, with the kernel's TCP."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench" / "agent.py"
SEED = 1


def _bench() -> object:
    """Import the script that measures the numbers of docs/agent-measurements.md."""
    spec = importlib.util.spec_from_file_location("bench_agent", BENCH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(name="bench")
def _bench_with_agent() -> object:
    if os.geteuid() != 0:
        pytest.skip("the agent needs root")
    if not (Path(sys.executable).parent / "airfair-agent").exists():
        pytest.skip("the agent is not built: make agent")
    return _bench()


def test_a_station_that_becomes_slow_keeps_to_its_part_of_the_air(
    bench: object, tmp_path: Path
) -> None:
    """Emulated goodputs are those of the simulator within a third; runs in real time differ."""
    cell = bench.cells("arf-window", 0)[0]
    file = tmp_path / "cell.toml"
    file.write_text(cell.scenario(bench.LINUX, cell.scheme))
    slow, fast = bench.simulated(file, SEED).goodput
    file.write_text(cell.scenario(bench.KERNELS, "none"))
    assert bench.emulated(file, SEED, cell, with_agent=False).goodput[1] < fast / 2
    with_agent = bench.emulated(file, SEED, cell, with_agent=True)
    assert with_agent.goodput == pytest.approx([slow, fast], rel=1 / 3)


def test_stations_share_the_air_with_the_agent_at_their_server(
    bench: object, tmp_path: Path
) -> None:
    """The agent raises Jain's index from at most 0.75 to at least 0.95, and raises the sum of goodputs."""
    cell = bench.shared("up", wire_ms=10, seconds=15)
    file = tmp_path / "cell.toml"
    file.write_text(cell.scenario(bench.KERNELS, "none"))
    without, shared = (bench.emulated(file, SEED, cell, with_agent=it) for it in (False, True))
    assert without.fairness <= 0.75
    assert shared.fairness >= 0.95
    assert sum(shared.goodput) > 1.25 * sum(without.goodput)

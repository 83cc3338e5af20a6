"""The agent at a station of an emulation: real TCP, whose windows follow from the use of the channel."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench" / "agent.py"
SEED = 1


def _bench() -> object:
    """The program whose tables docs/agent.md has."""
    spec = importlib.util.spec_from_file_location("bench_agent", BENCH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(os.geteuid() != 0, reason="the agent needs root")
def test_a_station_that_becomes_slow_keeps_to_its_part_of_the_air(tmp_path: Path) -> None:
    """As in the simulator, within a third: a run of the kernel's TCP in real time is not the same twice."""
    bench = _bench()
    if not (Path(sys.executable).parent / "airfair-agent").exists():
        pytest.skip("the agent is not built: make agent")
    cell = bench.CELLS["arf-window"][0]
    file = tmp_path / "cell.toml"
    file.write_text(cell.scenario(bench.LINUX, cell.scheme))
    slow, fast = bench.simulated(file, SEED)
    file.write_text(cell.scenario(bench.KERNELS, "none"))
    assert bench.emulated(file, SEED, cell, with_agent=False)[1] < fast / 2
    with_agent = bench.emulated(file, SEED, cell, with_agent=True)
    assert with_agent == pytest.approx([slow, fast], rel=1 / 3)

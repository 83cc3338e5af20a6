"""Mobility traces: files that a scenario refers to."""

import json
import subprocess
from pathlib import Path

import pytest

import airfair
from airfair import ScenarioError
from airfair.traces import MOST
from support import PROGRAM

SCENARIO = """
duration = "10 s"
series = "off"
[bss.home]
standard = "802.11a"
radio = { range = { "6 Mb/s" = "370 m" } }
[station.walker]
%s
[host.server]
[flow.up]
from = "walker"
to = "server"
transport = { kind = "udp", payload = "1000 B", rate = "1 Mb/s" }
"""
TRACE = 'mobility = { model = "trace", file = "walk.csv" }'
POINTS = (
    'mobility = { model = "waypoints", points = '
    '[["0 s", "1 m", "0 m"], ["2.5 s", "40.125 m", "-3 m"], ["1000 s", "0 m", "0 m"]] }'
)


def scenario(tmp_path: Path, trace: str) -> Path:
    (tmp_path / "walk.csv").write_text(trace, encoding="utf-8")
    path = tmp_path / "scenario.toml"
    path.write_text(SCENARIO % TRACE, encoding="utf-8")
    return path


def test_a_trace_is_its_waypoints(tmp_path: Path) -> None:
    path = scenario(tmp_path, "time_s, x_m, y_m\n0,1,0\n2.5,40.12499,-3\n\n1e3, 0,0\n")
    assert airfair.load(path).to_toml() == airfair.load(SCENARIO % POINTS).to_toml()
    assert airfair.load(str(path)).to_toml() == airfair.load(path).to_toml()
    # What is written beside the results needs no other file.
    assert airfair.load(airfair.load(path).to_toml()).to_toml() == airfair.load(path).to_toml()


@pytest.mark.parametrize(
    ("trace", "problem"),
    [
        ("", "line 1: columns []"),
        ("time,x,y\n0,1,1\n", "line 1: columns ['time', 'x', 'y']"),
        ("time_s,x_m,y_m\n", "no waypoints"),
        ("time_s,x_m,y_m\n0,1\n", "line 2: 2 values"),
        ("time_s,x_m,y_m\n0,1,one\n", "line 2: not a number in ['0', '1', 'one']"),
        ("time_s,x_m,y_m\n0,1,nan\n", "line 2: out of range in ['0', '1', 'nan']"),
        ("time_s,x_m,y_m\n0,1,1e99999\n", "line 2: out of range in ['0', '1', '1e99999']"),
        ("time_s,x_m,y_m\n5,1,1\n3,1,1\n", "line 3: time 3 is not later than 5"),
    ],
)
def test_a_wrong_trace_is_one_line_with_its_place(tmp_path: Path, trace: str, problem: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        airfair.load(scenario(tmp_path, trace))
    (line,) = caught.value.problems
    assert line.startswith(f'station.walker.mobility.file = "walk.csv": {problem}; allowed ')


def test_what_is_accepted_can_be_read_again_and_more_is_refused(tmp_path: Path) -> None:
    rows = "".join(f"{i}.123456789,-300.001,-300.001\n" for i in range(MOST))
    path = scenario(tmp_path, f"time_s,x_m,y_m\n{rows}")
    written = airfair.load(path).to_toml()
    assert airfair.load(written).to_toml() == written
    two = path.read_text(encoding="utf-8").replace("[host", "count = 2\n[host", 1)
    path.write_text(two, encoding="utf-8")
    with pytest.raises(ScenarioError, match=f"{2 * MOST} waypoints of all stations"):
        airfair.load(path)
    with pytest.raises(ScenarioError, match=f"line {MOST + 2}: more than {MOST} waypoints"):
        airfair.load(scenario(tmp_path, f"time_s,x_m,y_m\n{rows}{MOST},0,0\n"))


def test_times_before_the_run_and_places_out_of_this_world_have_an_address(tmp_path: Path) -> None:
    for row, path in [("-1,0,0", "points[0][0]"), ("0,5e8,0", "points[0][1]")]:
        with pytest.raises(ScenarioError) as caught:
            airfair.load(scenario(tmp_path, f"time_s,x_m,y_m\n{row}\n"))
        assert caught.value.problems[0].startswith(f"station.walker.mobility.{path} = ")


def test_a_trace_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    path = scenario(tmp_path, "")
    (tmp_path / "walk.csv").unlink()
    with pytest.raises(FileNotFoundError, match=r"walk\.csv"):
        airfair.load(path)


def test_the_command_line_reads_traces_beside_the_scenario(tmp_path: Path) -> None:
    path = scenario(tmp_path, "time_s,x_m,y_m\n0,1,0\n")
    run = [*PROGRAM, "run", str(path), "--json"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout)["flows"][0]["goodput_bps"] > 0
    (tmp_path / "walk.csv").unlink()
    gone = subprocess.run(run, capture_output=True, text=True, timeout=60, check=False)
    assert (gone.returncode, len(gone.stderr.splitlines())) == (2, 1)
    assert "walk.csv: No such file" in gone.stderr


def test_a_binary_file_is_no_trace(tmp_path: Path) -> None:
    path = scenario(tmp_path, "")
    (tmp_path / "walk.csv").write_bytes(b"\xff\xfe\x00time_s")
    with pytest.raises(ScenarioError):
        airfair.load(path)


def test_a_file_of_another_place_cannot_be_meant_by_a_text() -> None:
    with pytest.raises(FileNotFoundError):
        airfair.load(SCENARIO % TRACE)

"""Tests of mobility traces, files to which a scenario refers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import airfair
from airfair import ScenarioError
from airfair._core import LARGEST_TRACE
from support import PROGRAM

MOST = 50_000
"""Greatest number of waypoints of all stations."""

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
HEADER = "time_s,x_m,y_m\n"


def scenario(tmp_path: Path, trace: str) -> Path:
    (tmp_path / "walk.csv").write_text(trace, encoding="utf-8")
    path = tmp_path / "scenario.toml"
    path.write_text(SCENARIO % TRACE, encoding="utf-8")
    return path


def refused(path: Path) -> str:
    """Return the only error of a scenario."""
    with pytest.raises(ScenarioError) as caught:
        airfair.load(path)
    (line,) = caught.value.problems
    return line


def test_a_trace_is_its_waypoints(tmp_path: Path) -> None:
    path = scenario(tmp_path, "time_s, x_m, y_m\n0,1,0\n2.5,40.12499,-3\n\n1e3, 0,0\n")
    assert airfair.load(path).to_toml() == airfair.load(SCENARIO % POINTS).to_toml()
    assert airfair.load(str(path)).to_toml() == airfair.load(path).to_toml()
    # The scenario that results contain needs no trace file.
    assert airfair.load(airfair.load(path).to_toml()).to_toml() == airfair.load(path).to_toml()


def test_marks_and_quotes_of_other_programs_are_read(tmp_path: Path) -> None:
    trace = '\ufeff"time_s", "x_m", "y_m"\r\n"0",1,0\r\n2.5,40.125,-3\r\n1000,0,0'
    path = scenario(tmp_path, trace)
    assert airfair.load(path).to_toml() == airfair.load(SCENARIO % POINTS).to_toml()


@pytest.mark.parametrize(
    ("trace", "problem"),
    [
        ("", "line 1: not the columns time_s,x_m,y_m"),
        ("time,x,y\n0,1,1\n", "line 1: not the columns time_s,x_m,y_m"),
        (HEADER, "no waypoints"),
        (f"{HEADER}0,1\n", "line 2: not three values"),
        (f"{HEADER}0,1,one\n", "line 2: y_m is not a number"),
        (f"{HEADER}0,1,nan\n", "line 2: out of range"),
        (f"{HEADER}0,1,1e99999999\n", "line 2: out of range"),
        (f"{HEADER}\n-1,0,0\n", "line 3: out of range"),
        (f"{HEADER}0,5e8,0\n", "line 2: out of range"),
        (f"{HEADER}5,1,1\n3,1,1\n", "line 3: not later than the waypoint before"),
        (HEADER + "\n" * LARGEST_TRACE, "larger than 4 MiB"),
    ],
    ids=range(11),
)
def test_a_wrong_trace_is_one_line_with_its_place(tmp_path: Path, trace: str, problem: str) -> None:
    line = refused(scenario(tmp_path, trace))
    assert line.startswith(f'station.walker.mobility.file = "walk.csv": {problem}; allowed ')


@pytest.mark.parametrize(
    "secret", ["root:$6$secret\n", "-----BEGIN KEY-----\nc2VjcmV0\n", "0,secret,0\n"]
)
def test_an_error_never_prints_what_is_in_a_file(tmp_path: Path, secret: str) -> None:
    for trace in (secret, HEADER + secret):
        line = refused(scenario(tmp_path, trace))
        assert not any(word in line for word in ("secret", "c2VjcmV0", "root", "KEY"))


def test_a_binary_file_is_no_trace(tmp_path: Path) -> None:
    path = scenario(tmp_path, "")
    (tmp_path / "walk.csv").write_bytes(b"\xff\xfe\x00time_s")
    assert ": line 1: not the columns" in refused(path)


def test_only_a_regular_file_is_a_trace(tmp_path: Path) -> None:
    path = scenario(tmp_path, "")
    trace = tmp_path / "walk.csv"
    trace.unlink()
    trace.symlink_to("/dev/zero")
    assert 'mobility.file = "walk.csv": not a regular file; allowed ' in refused(path)
    trace.unlink()
    os.mkfifo(trace)
    assert ": not a regular file; allowed " in refused(path)
    trace.unlink()
    trace.mkdir()
    assert ": not a regular file; allowed " in refused(path)


def test_traces_are_bounded_together(tmp_path: Path) -> None:
    path = scenario(tmp_path, f"{HEADER}0,0,0\n" + " " * (LARGEST_TRACE - 100))
    more = ""
    for i in range(4):
        (tmp_path / f"{i}.csv").hardlink_to(tmp_path / "walk.csv")
        more += f'[station.s{i}]\nmobility = {{ model = "trace", file = "{i}.csv" }}\n'
    path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")
    assert "the traces have more than 16 MiB together" in refused(path)


def test_what_is_accepted_can_be_read_again_and_more_is_refused(tmp_path: Path) -> None:
    rows = "".join(f"{i}.123456789,-300.001,-300.001\n" for i in range(MOST))
    path = scenario(tmp_path, HEADER + rows)
    written = airfair.load(path).to_toml()
    assert airfair.load(written).to_toml() == written
    two = path.read_text(encoding="utf-8").replace("[host", "count = 2\n[host", 1)
    path.write_text(two, encoding="utf-8")
    assert f"walker.mobility: {2 * MOST} waypoints, too many" in refused(path)
    more = refused(scenario(tmp_path, f"{HEADER}{rows}{MOST},0,0\n"))
    assert f"walker.mobility: {MOST + 1} waypoints, too many" in more


def test_a_trace_that_is_not_there_is_a_mistake_of_the_scenario(tmp_path: Path) -> None:
    path = scenario(tmp_path, "")
    (tmp_path / "walk.csv").unlink()
    assert 'mobility.file = "walk.csv": No such file' in refused(path)


def test_a_trace_can_be_set_and_its_mistakes_have_the_address_that_was_set(tmp_path: Path) -> None:
    path = scenario(tmp_path, f"{HEADER}0,1,0\n")
    (tmp_path / "other.csv").write_text(f"{HEADER}0,7,0\n", encoding="utf-8")
    key = "station.walker.mobility.file"
    assert '"7 m"' in airfair.load(path, set={key: "other.csv"}).to_toml()
    for name, problem in [("none.csv", "No such file"), ("a\0b", "not one line of plain text")]:
        with pytest.raises(ScenarioError) as caught:
            airfair.load(path, set={key: name})
        (line,) = caught.value.problems
        assert line.startswith(f"{key} = ")
        assert problem in line
        assert "\0" not in line


def test_tables_over_several_lines_may_name_a_trace(tmp_path: Path) -> None:
    path = scenario(tmp_path, f"{HEADER}0,1,0\n")
    one_line = airfair.load(path).to_toml()
    text = path.read_text(encoding="utf-8")
    lines = text.replace('"trace", ', '"trace",\n  ').replace('.csv" }', '.csv",\n}')
    path.write_text(lines, encoding="utf-8")
    assert lines != text
    assert airfair.load(path).to_toml() == one_line


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".a" * 20_000 + " = 1",
        "[" * 100_000,
        "a = " + "[" * 100_000,
        "seed = " + "9" * 5_000,
        'title = "a\\u0000b"',
    ],
    ids=range(5),
)
def test_a_hostile_text_is_refused_at_once_and_without_a_traceback(
    tmp_path: Path, text: str
) -> None:
    path = scenario(tmp_path, "")
    path.write_text(f"{text}\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    done = subprocess.run(
        [*PROGRAM, "run", str(path)], capture_output=True, text=True, timeout=20, check=False
    )
    assert done.returncode == 2, done.stderr
    assert all(line.startswith(f"airfair: {path}: ") for line in done.stderr.splitlines())


def test_the_command_line_reads_traces_beside_the_scenario(tmp_path: Path) -> None:
    path = scenario(tmp_path, f"{HEADER}0,1,0\n")
    run = [*PROGRAM, "run", str(path), "--json"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout)["flows"][0]["goodput_bps"] > 0
    (tmp_path / "walk.csv").unlink()
    gone = subprocess.run(run, capture_output=True, text=True, timeout=60, check=False)
    assert (gone.returncode, len(gone.stderr.splitlines())) == (2, 1)
    assert 'mobility.file = "walk.csv": No such file' in gone.stderr


def test_a_file_of_another_place_cannot_be_meant_by_a_text() -> None:
    with pytest.raises(ScenarioError, match="No such file"):
        airfair.load(SCENARIO % TRACE)


PANICKING = """
import sys
from airfair import _core, cli, scenario, traces

def fail(file):
    raise ValueError

def panic(file):
    raise promise("a promise that was broken")

traces.read = fail
try:
    scenario.load(sys.argv[1])
except ValueError:
    pass
(promise,) = (one for one in BaseException.__subclasses__() if one.__name__ == "PanicException")
traces.read = panic
sys.exit(cli.main(["run", sys.argv[1]]))
"""
"""Program in which the core panics below its parser.

PyO3 turns a panic into an exception, and panics again if a Python function raises this exception. Its class
is available after another exception has crossed the core.
"""


def test_a_panic_below_the_parser_asks_for_a_report(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PANICKING, str(scenario(tmp_path, HEADER + "0,1,0\n"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    told = done.stderr.splitlines()[-1]
    begin = "airfair: this is a bug in airfair, please report it: a promise that was broken ("
    assert told.startswith(begin)
    assert told.endswith(f", version {airfair.__version__})")

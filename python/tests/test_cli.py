"""Tests of the command line: output, errors, files and exit statuses."""

from __future__ import annotations

import ast
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import airfair
from airfair import columns
from support import PROGRAM, SCENARIO, Program

SERIES = {"access_point_series", "flow_series", "link_series", "station_series"}
TABLES = {"scenario.toml", "run.json", "result.json"} | {
    # All packets are of one access category.
    f"{table}.parquet"
    for table in (columns.tables().keys() | SERIES)
    - {"categories", "marks", "messages", "neighbours", "waits"}
}
FILES = TABLES | {
    "throughput.png",
    "throughput.svg",
    "timeline.png",
    "timeline.svg",
    "airtime.png",
    "airtime.svg",
    "delays.png",
    "delays.svg",
    "report.html",
}
DIFFERENT = {"run.json", "report.html"}
"""Files that differ between equal runs: they contain the wall time and the command."""


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def complains(done: subprocess.CompletedProcess[str], status: int, *fragments: str) -> None:
    """Assert that the program ended with `status`, a line per error, no result and no traceback."""
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    for line in done.stderr.splitlines():
        assert line.startswith("airfair: ")
    for fragment in fragments:
        assert fragment in done.stderr


def test_one_run_says_the_hash_of_its_records_and_several_do_not(
    program: Program, scenario: Path
) -> None:
    (outcome,) = airfair.run(scenario).outcomes
    assert f"Record hash    {outcome.record_hash:016x}" in program("run", scenario).stdout
    assert "hash" not in program("run", scenario, "--replications", 2).stdout


def test_json_is_the_document_and_nothing_else(program: Program, scenario: Path) -> None:
    done = program("run", scenario, "--json", "--seed", 3, "--replications", 2)
    assert done.returncode == 0
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert list(document) == [
        "document",
        "schema",
        "program",
        "scenario",
        "seed",
        "version",
        "replications",
        "interrupted",
        "record_hashes",
        "flows",
        "stations",
        "access_points",
        "channels",
        "categories",
        "links",
        "fairness",
    ]
    assert (document["seed"], document["replications"]) == (3, 2)
    assert document["version"] == airfair.__version__
    outcomes = airfair.run(scenario, seed=3, replications=2).outcomes
    assert document["record_hashes"] == [f"{run.record_hash:016x}" for run in outcomes]
    flow, station, channel = (document[key][0] for key in ("flows", "stations", "channels"))
    expected = "name from to transport control goodput_bps goodput_ci95_bps loss retransmissions"
    assert {*expected.split(), "timeouts"} <= flow.keys()
    expected = "name airtime_share measured_airtime_share frames retries drops"
    assert set(expected.split()) <= station.keys()
    assert set(station["drops"]) == {
        "retry_limit",
        "queue_full",
        "codel",
        "ack_filter",
        "late",
        "scheme",
    }
    assert {"name", "busy", "collisions"} <= channel.keys()
    assert {"flow_rate", "airtime"} <= document["fairness"].keys()
    assert document == airfair.run(scenario, seed=3, replications=2).to_json()


def test_the_same_seed_prints_the_same_document(program: Program, scenario: Path) -> None:
    first, second = (program("run", scenario, "--json").stdout for _ in range(2))
    assert first == second
    assert program("run", scenario, "--json", "--seed", 2).stdout != first


def test_people_get_tables_without_escape_sequences(program: Program, scenario: Path) -> None:
    done = program("run", scenario, "--replications", 3)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    for word in ("One slow station", "slow", "fast", "goodput", "contention", "Jain", "± 95 %"):
        assert word in done.stdout


def test_the_rates_are_told_where_a_law_changes_them(program: Program, scenario: Path) -> None:
    changed = """station.slow.rate={ control = "arf", initial = "lowest" }"""
    adapted = program("run", scenario, "--set", changed).stdout
    assert "mean rate" in adapted
    assert max(map(len, adapted.splitlines())) <= 80
    assert "mean rate" not in program("run", scenario).stdout


def test_measured_airtime_is_told_where_a_station_observes(
    program: Program, scenario: Path
) -> None:
    observed = ["--set", """flow.a.control={ scheme = "arf-window", slot = "500 ms" }"""]
    told = program("run", scenario, *observed).stdout
    assert re.search(r"airtime +airtime", told)
    assert max(map(len, told.splitlines())) <= 80
    assert not re.search(r"airtime +airtime", program("run", scenario).stdout)
    slow, fast = json.loads(program("run", scenario, *observed, "--json").stdout)["stations"]
    assert fast["measured_airtime_share"] is None
    # each exchange has a SIFS of 10 µs, which is short compared with a frame at 1 Mb/s
    assert slow["measured_airtime_share"] == pytest.approx(slow["airtime_share"], rel=0.02)


def test_occupancy_is_told_where_shares_are_kept(program: Program, scenario: Path) -> None:
    shared = ["--set", "bss.home.ap.occupancy=true", "--set", "flow.a.control=occupancy"]
    told = program("run", scenario, *shared).stdout
    assert told.count("occupancy") == 2
    assert "^  beacons" in told
    assert max(map(len, told.splitlines())) <= 80
    assert "occupancy" not in program("run", scenario).stdout
    document = json.loads(program("run", scenario, *shared, "--json").stdout)
    for station in document["stations"]:
        assert station["occupancy"] > station["airtime_share"]
    assert 0 < document["fairness"]["occupancy"] <= 1


def test_names_with_brackets_are_shown_as_they_are(program: Program, scenario: Path) -> None:
    text = SCENARIO.replace("One slow station", "[red]One [/] slow station")
    scenario.write_text(text, encoding="utf-8")
    assert "[red]One [/] slow station" in program("run", scenario).stdout


def test_a_scenario_comes_from_standard_input(program: Program, scenario: Path) -> None:
    done = program("run", "-", "--json", stdin=SCENARIO)
    assert done.stdout == program("run", scenario, "--json").stdout


def test_set_replaces_a_key(program: Program, scenario: Path) -> None:
    quoted = program("run", scenario, "--json", "--set", 'station.slow.rate="11 Mb/s"')
    bare = program("run", scenario, "--json", "--set", "station.slow.rate=11 Mb/s")
    assert quoted.returncode == 0
    assert quoted.stdout == bare.stdout != program("run", scenario, "--json").stdout


def test_every_mistake_has_its_line_and_nothing_is_written(
    program: Program, scenario: Path, tmp_path: Path
) -> None:
    text = SCENARIO.replace("11 Mb/s", "12 Mb/s").replace('to   = "server"', 'to = "nowhere"')
    scenario.write_text(text, encoding="utf-8")
    done = program("run", "scenario.toml", "--out", "results")
    complains(done, 2, 'airfair: scenario.toml: station.fast.rate = "12 Mb/s"')
    assert len(done.stderr.splitlines()) == 3
    assert names(tmp_path) == {"scenario.toml"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.toml"], "airfair: none.toml: No such file"),
        (
            ["."],
            "airfair: .: this is a directory; run the scenario in it with: airfair run scenario.toml",
        ),
        (["scenario.toml", "--set", "seed"], "PATH=VALUE"),
        (["scenario.toml", "--set", "no.such.key=1"], "scenario.toml: no"),
        (["scenario.toml", "--flows", "c*"], "--flows 'c*': matches no flow"),
        (["scenario.toml", "--seed", "-1"], "scenario.toml: seed = -1"),
        (["scenario.toml", "--replications", "0"], "scenario.toml: replications = 0"),
        (
            ["scenario.toml", "--out", "scenario.toml"],
            "--out scenario.toml: this is a file; allowed a directory, or a new name",
        ),
        (["scenario.toml", "--out", "scenario.toml/x"], "--out scenario.toml/x: Not a directory"),
        (["scenario.toml", "--out", "/proc/airfair/x"], "--out /proc/airfair/x: "),
    ],
)
def test_a_mistake_on_the_command_line_is_one_line(
    program: Program, scenario: Path, arguments: list[str], message: str
) -> None:
    done = program("run", *arguments)
    complains(done, 2, message)
    assert len(done.stderr.splitlines()) == 1
    assert names(scenario.parent) == {"scenario.toml"}


@pytest.mark.parametrize("content", [b"", b"\0\1\2", b"\xff\xfe\xfd", b"= = =", b"a" * 1000])
def test_a_file_that_is_no_scenario_is_bad_input(
    program: Program, scenario: Path, content: bytes
) -> None:
    scenario.write_bytes(content)
    complains(program("run", scenario), 2, "scenario.toml: ")


@pytest.mark.parametrize("arguments", [[], ["fly"], ["run"], ["run", "x.toml", "--seed", "x"]])
def test_a_wrong_command_line_says_how_it_is_used(program: Program, arguments: list[str]) -> None:
    done = program(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("usage: airfair")


def test_help_version_and_schema_go_to_standard_output(program: Program) -> None:
    assert "reproduce" in program("--help").stdout
    assert program("--version").stdout == f"airfair {airfair.__version__}\n"
    schema = json.loads(program("schema").stdout)
    assert "$schema" in schema


def test_out_holds_everything_and_is_the_same_every_time(
    program: Program, scenario: Path, tmp_path: Path
) -> None:
    for name in ("first", "second"):
        done = program("run", scenario, "--json", "--replications", 2, "--out", name)
        assert done.returncode == 0
        assert done.stderr == f"airfair: wrote {name}\n"
        assert names(tmp_path / name) == FILES
    for file in FILES - DIFFERENT:
        assert (tmp_path / "first" / file).read_bytes() == (tmp_path / "second" / file).read_bytes()
    assert (tmp_path / "first" / "result.json").read_text(encoding="utf-8") == done.stdout
    manifest = json.loads((tmp_path / "first" / "run.json").read_text(encoding="utf-8"))
    assert manifest["command_line"][:2] == ["airfair", "run"]
    assert (manifest["seed"], manifest["replications"]) == (1, 2)


def test_the_page_shows_the_run_and_needs_nothing_else(
    program: Program, scenario: Path, tmp_path: Path
) -> None:
    text = SCENARIO.replace("One slow", "<script>alert(1)</script> One slow")
    text = text.replace('"slow"', '"_slow"').replace("[station.slow]", "[station._slow]")
    scenario.write_text(text, encoding="utf-8")
    done = program("run", scenario, "--replications", 2, "--out", "out")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert not re.search(r"""(src|href)=["'](?!#)""", page)
    for words in (
        "<h2>Airtime</h2>", "retransmissions", "timeouts", "_slow", "± 95 %", "Jain’s index",
        "one-way delay", "seed = 1",
        "airfair run", "var(--series-1)",
    ):  # fmt: skip
        assert words in page


def test_a_directory_named_in_another_encoding_is_no_traceback(
    program: Program, scenario: Path, tmp_path: Path
) -> None:
    done = program("run", scenario, "--set", "series=off", "--out", "caf\udce9")
    assert done.returncode == 0, done.stderr
    assert "report.html" in names(tmp_path / "caf\udce9")
    manifest = json.loads((tmp_path / "caf\udce9/run.json").read_bytes())
    assert manifest["command_line"][-1] == "caf\udce9"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_too_few_threads_are_an_error_in_words() -> None:
    script = (
        "import os, resource, sys\n"
        "from airfair import _core\n"
        "scenario = _core.Scenario.parse(sys.stdin.buffer.read())\n"
        "resource.setrlimit(resource.RLIMIT_NPROC, (0, 0)); os.setresuid(65534, 65534, 65534)\n"
        "try: _core.run([(scenario, 1, 0)])\n"
        "except _core.RunError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=SCENARIO, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("no thread could be started: ")


def test_out_can_be_run_again(program: Program, scenario: Path, tmp_path: Path) -> None:
    arguments = ["--seed", 9, "--replications", 2, "--set", "station.slow.rate=2 Mb/s", "--json"]
    arguments += ["--set", "series=off"]
    first = program("run", scenario, *arguments, "--out", "results")
    again = program("run", tmp_path / "results" / "scenario.toml", "--json")
    assert again.stdout == first.stdout


def test_out_replaces_files_of_the_same_names_and_leaves_others(
    program: Program, scenario: Path, tmp_path: Path
) -> None:
    out = tmp_path / "results"
    out.mkdir()
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    (out / "result.json").write_text("old", encoding="utf-8")
    assert program("run", scenario, "--out", out).returncode == 2
    assert program("run", scenario, "--out", out, "--force").returncode == 0
    assert names(out) == FILES | {"notes.txt"}
    assert (out / "result.json").read_text(encoding="utf-8") != "old"


def test_a_file_that_cannot_be_written_whole_is_not_written_at_all(
    scenario: Path, tmp_path: Path
) -> None:
    out = tmp_path / "results"
    out.mkdir()
    (out / "result.json").write_text("old", encoding="utf-8")

    def small_files_only() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    done = subprocess.run(
        [*PROGRAM, "run", str(scenario), "--out", str(out), "--force"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=small_files_only,
    )
    assert done.returncode == 1
    assert done.stderr == f"airfair: --out {out}: File too large; nothing was written\n"
    assert "goodput" in done.stdout
    assert names(out) == {"result.json"}
    assert (out / "result.json").read_text(encoding="utf-8") == "old"


@pytest.fixture
def disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """Separate file system of the size given by the parameter."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={request.param}", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small disk needs a root who may")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize(
    ("disk", "became", "left"),
    [
        ("64k", "nothing was written", set()),
        ("200k", "series.parquet of this run are written", TABLES),
    ],
    indirect=["disk"],
)
def test_a_full_disk_is_a_clear_error_that_costs_files_and_not_the_result(
    program: Program, scenario: Path, disk: Path, became: str, left: set[str]
) -> None:
    done = program("run", scenario, "--json", "--out", disk)
    assert done.returncode == 1
    assert json.loads(done.stdout) == airfair.run(scenario).to_json()
    assert done.stderr.startswith(f"airfair: --out {disk}: No space left on device; ")
    assert done.stderr.endswith("\n")
    assert done.stderr.count("\n") == 1
    assert became in done.stderr
    assert ("nothing" in done.stderr) == (not left)
    assert names(disk) == left


def test_output_that_nobody_can_take_is_an_error(scenario: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*PROGRAM, "run", str(scenario), "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "airfair: No space left on device\n"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["schema"], 0),
        (["--help"], 0),
        (["run", "scenario.toml", "--set", "series=off", "--out", "results"], 0),
        (["run", "none.toml"], 2),
    ],
)
@pytest.mark.parametrize("closed", ["stdout", "both"])
@pytest.mark.usefixtures("scenario")
def test_a_reader_that_leaves_early_is_no_failure_and_costs_no_file(
    tmp_path: Path, arguments: list[str], status: int, closed: str
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*PROGRAM, *arguments],
        cwd=tmp_path,
        stdout=writer,
        stderr=writer if closed == "both" else subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert done.returncode == status
    if "--out" in arguments:
        assert {"run.json", "flows.parquet", "report.html"} <= names(tmp_path / "results")
        assert done.stderr in (None, "airfair: wrote results\n")
    elif closed == "stdout":
        assert ("airfair: " in done.stderr) == (status != 0)
        assert "Traceback" not in done.stderr


def modules_after(*command: str) -> set[str]:
    """Packages that a command has imported when it is done."""
    script = (
        "import sys; from airfair.cli import main; status = main(sys.argv[1:]); "
        "print(sorted(n for n in sys.modules if '.' not in n), file=sys.stderr); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command], capture_output=True, text=True, check=True
    )
    return set(ast.literal_eval(done.stderr))


HEAVY = {"numpy", "polars", "scipy", "matplotlib", "jinja2", "rich", "asyncio"}
"""Packages that take longer to import than a short run."""


@pytest.mark.parametrize("options", [[], ["--json"], ["--replications", "2"]])
def test_a_run_imports_nothing_that_takes_longer_than_it(
    scenario: Path, options: list[str]
) -> None:
    imported = modules_after("run", str(scenario), *options)
    assert "airfair" in imported
    assert not imported & HEAVY
    assert not imported & {"argcomplete", "sqlite3", "difflib"}


def test_a_study_is_checked_without_the_packages_that_its_results_need() -> None:
    study = Path(__file__).parents[2] / "examples/queue-size/queue-size.toml"
    imported = modules_after("check", str(study))
    assert {"airfair", "tomllib"} <= imported
    assert not imported & HEAVY
    assert not imported & {"argcomplete", "sqlite3", "difflib"}


def test_a_paper_is_checked_without_the_packages_that_its_report_needs(
    program: Program, tmp_path: Path
) -> None:
    paper = tmp_path / "paper"
    assert program("init", "paper", paper).returncode == 0
    (paper / "figures.py").write_text("import matplotlib\n")
    imported = modules_after("check", str(paper))
    assert {"airfair", "tomllib"} <= imported
    assert not imported & HEAVY


@pytest.mark.parametrize(
    ("command", "status", "message"),
    [
        ("run - <&-", 2, "airfair: standard input: Bad file descriptor\n"),
        ("run scenario.toml >&-", 1, "airfair: Bad file descriptor\n"),
        ("run scenario.toml --json >&-", 1, "airfair: Bad file descriptor\n"),
        ("--version >&-", 1, "airfair: Bad file descriptor\n"),
        ("run scenario.toml 2>&- >out", 0, ""),
        ("run none.toml 2>&-", 2, ""),
    ],
)
def test_a_closed_stream_is_no_traceback(
    scenario: Path, command: str, status: int, message: str
) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{shlex.join(PROGRAM)} {command}"],
        cwd=scenario.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (status, message)


def interrupt(
    *arguments: object, started: Path, by: signal.Signals = signal.SIGINT
) -> tuple[int, str, str, float]:
    """Interrupt a command 1 s after `started` exists; return status, output, errors, seconds to its end."""
    with subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not started.exists() and process.poll() is None:
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(by)
        pressed = time.monotonic()
        stdout, stderr = process.communicate(timeout=60)
        return process.returncode, stdout, stderr, time.monotonic() - pressed


@pytest.mark.parametrize(("by", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_saves_what_was_finished(
    scenario: Path, tmp_path: Path, by: signal.Signals, expected: int
) -> None:
    out = tmp_path / "results"
    status, stdout, stderr, _ = interrupt(
        "run", scenario, "--json", "--replications", 10_000, "--set", "duration=200 s",
        "--set", "series=2 s", "--threads", 1, "--out", out, started=out, by=by,
    )  # fmt: skip
    assert status == expected, stderr
    assert "Traceback" not in stderr
    # The distribution of goodputs needs four finished runs.
    assert names(out) - {"goodput.png", "goodput.svg"} == FILES
    document = json.loads(stdout)
    assert document["interrupted"]
    assert 0 < document["replications"] < 10_000
    assert json.loads((out / "result.json").read_text(encoding="utf-8")) == document


def test_ctrl_c_before_anything_is_finished_leaves_nothing(scenario: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    status, stdout, stderr, seconds = interrupt(
        "run", scenario, "--set", "duration=100000 s", "--set", "series=off", "--out", out,
        started=out,
    )  # fmt: skip
    assert status == 130, stderr
    assert "interrupted after 0 of 1 replications" in stderr
    assert "Traceback" not in stderr
    assert "interrupted" in stdout
    assert seconds < 1.5
    assert not out.exists()


def test_what_would_steer_a_terminal_is_escaped(program: Program, scenario: Path) -> None:
    hostile = "\x1b]0;x\x07\u202e"
    text = SCENARIO + '[station."\\u001b]0;x\\u0007"]\n'
    scenario.write_text(text, encoding="utf-8")
    runs = [
        program("run", scenario),
        program("run", scenario, "--set", hostile),
        program("run", scenario, "--set", f"{hostile}={hostile}"),
        program("run", f"{hostile}.toml"),
        program("run", scenario, "--out", f"{scenario}/{hostile}"),
        program("run", "-", stdin=SCENARIO.replace("One slow", "\u202e")),
    ]
    for done in runs:
        complains(done, 2, "\\u{1b}]0;x\\u{7}" if done is runs[0] else "")
        assert not {"\x1b", "\x07", "\u202e"} & set(done.stdout + done.stderr)


def test_names_and_values_that_are_no_text_are_mistakes(scenario: Path) -> None:
    for arguments in ([b"\xff.toml"], [bytes(scenario), b"--set", b"title=\xff"]):
        command = [*map(str.encode, PROGRAM), b"run", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        complains(done, 2, "\\udcff")


def test_a_long_message_is_wrapped_on_a_terminal_alone(program: Program, scenario: Path) -> None:
    wrong = ["run", str(scenario), "--set", "flow.a.transport.min_rt=1 s"]
    whole = program(*wrong).stderr
    assert len(whole.splitlines()) == 1
    assert 'did you mean "min_rto"?; allowed "kind", "stack", "flavour", ' in whole
    ours, theirs = os.openpty()
    with subprocess.Popen([*PROGRAM, *wrong], stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:
            pass  # the other end is closed
        assert process.wait(timeout=60) == 2
    os.close(ours)
    lines = shown.decode().replace("\r", "").splitlines()
    assert len(lines) > 3
    # A path that is longer than a line is not broken.
    assert max(len(line) for line in lines if " " in line.strip()) <= 80
    assert " ".join(line.strip() for line in lines) == whole.strip()


@pytest.mark.parametrize("rate", ["18446744073709551615 b/s", "99999999999999999999 Gb/s"])
def test_a_rate_beyond_all_bounds_is_a_mistake(program: Program, scenario: Path, rate: str) -> None:
    for key in ("station.slow.rate", "host.server.link.rate"):
        complains(program("run", scenario, "--set", f"{key}={rate}"), 2, f"{key} = ")


@pytest.mark.parametrize("seed", [-1, 2**63, 2**64])
def test_a_seed_out_of_range_is_a_mistake(scenario: Path, seed: int) -> None:
    with pytest.raises(airfair.ScenarioError, match=r"seed = [-0-9]+: out of range"):
        airfair.load(scenario, seed=seed)

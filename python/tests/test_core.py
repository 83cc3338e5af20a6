"""Tests of the compiled module: type stubs, errors, runs and tables."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import airfair
from airfair import _core
from airfair.columns import reference, tables
from support import SCENARIO

ROOT = Path(__file__).parents[2]


def parse(*overrides: tuple[str, str]) -> _core.Scenario:
    return _core.Scenario.parse(SCENARIO.encode(), list(overrides))


@pytest.mark.slow
def test_the_stubs_say_what_the_binary_has(tmp_path: Path) -> None:
    # The package contains only the binary and its stubs, or mypy would check the rest of airfair and numpy.
    package = tmp_path / "airfair"
    package.mkdir()
    (package / "__init__.py").touch()
    for file in (Path(_core.__file__), ROOT / "python" / "airfair" / "_core.pyi"):
        shutil.copy(file, package)
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\n[mypy-numpy.*]\nfollow_imports = skip\n")
    command = [sys.executable, "-m", "mypy.stubtest", "airfair._core"]
    done = subprocess.run(
        [*command, "--mypy-config-file", str(config)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_scenario_tells_what_is_in_it() -> None:
    scenario = parse()
    assert scenario.title == "One slow station drags the fast one down"
    assert (scenario.duration_s, scenario.warmup_s, scenario.series_step_s) == (4.0, 0.0, 0.5)
    assert (scenario.duration_ns, scenario.series_step_ns) == (4_000_000_000, 500_000_000)
    assert scenario.cells == ["home"]
    assert sorted(scenario.stations) == ["fast", "slow"]
    assert scenario.hosts == ["server"]
    assert scenario.flows[0] == {
        "name": "a",
        "from": "slow",
        "to": "server",
        "transport": "tcp",
        "protocol": "newreno",
        "control": "none",
    }


def test_a_scenario_as_run_is_the_same_scenario() -> None:
    text = parse(("seed", "7")).to_toml()
    again = _core.Scenario.parse(text.encode())
    assert again.to_toml() == text
    assert again.seed == 7


def test_all_mistakes_come_at_once_one_line_each() -> None:
    text = SCENARIO.replace("11 Mb/s", "12 Mb/s").replace('to   = "server"', 'to = "nowhere"')
    with pytest.raises(airfair.ScenarioError) as caught:
        _core.Scenario.parse(text.encode())
    problems = caught.value.problems
    assert len(problems) == 3
    assert problems[0].startswith('station.fast.rate = "12 Mb/s"')
    assert all("\n" not in problem for problem in problems)
    assert str(caught.value) == "\n".join(problems)
    assert isinstance(caught.value, ValueError)


def test_no_flow_can_start_after_its_stop_whatever_its_jitter() -> None:
    parse(("flow.a.start_jitter", "1 s"), ("flow.a.stop", "2 s"))
    times = [("flow.a.start", "1 s"), ("flow.a.start_jitter", "1 s"), ("flow.a.stop", "2 s")]
    with pytest.raises(airfair.ScenarioError) as caught:
        parse(*times)
    assert caught.value.problems == [
        'flow.a.stop = "2 s": not after the start; allowed after 2 s, or "end"'
    ]


def test_outcomes_come_in_the_order_of_the_jobs() -> None:
    scenario = parse()
    jobs = [(scenario, seed, replication) for seed in (3, 1) for replication in (1, 0)]
    batch = _core.run(jobs)
    assert not batch.interrupted
    assert [(o.seed, o.replication) for o in batch.outcomes if o] == [
        (3, 1),
        (3, 0),
        (1, 1),
        (1, 0),
    ]


def test_a_run_depends_on_scenario_seed_and_replication_alone() -> None:
    scenario = parse()
    jobs = [(scenario, 5, replication) for replication in range(4)]
    hashes = [
        [outcome.record_hash for outcome in _core.run(jobs, threads=threads).outcomes if outcome]
        for threads in (1, 2, None)
    ]
    assert hashes[0] == hashes[1] == hashes[2]
    assert len(set(hashes[0])) == 4


def test_no_jobs_are_done_at_once() -> None:
    assert _core.run([]).outcomes == []


def test_zero_threads_are_refused() -> None:
    with pytest.raises(ValueError, match="threads = 0"):
        _core.run([(parse(), 1, 0)], threads=0)


def test_progress_rises_from_nothing_to_everything() -> None:
    seen: list[float] = []
    long = parse(("duration", "100 s"))
    _core.run([(long, 1, i) for i in range(150)], progress=seen.append)
    assert len(seen) > 1
    assert seen == sorted(seen)
    assert all(0 <= fraction <= 1 for fraction in seen)


def test_an_exception_of_progress_ends_the_runs_and_is_raised() -> None:
    def fail(fraction: float) -> None:
        raise ZeroDivisionError(fraction)

    endless = parse(("duration", "100000 s"), ("series", "off"))
    with pytest.raises(ZeroDivisionError):
        _core.run([(endless, 1, 0)], progress=fail)


def test_a_stream_hands_over_each_outcome_once() -> None:
    jobs = [(parse(), seed, 0) for seed in range(50)]
    handed: list[tuple[int, bytes]] = []
    assert not _core.stream(jobs, handed.extend, threads=2)
    outcomes = _core.run(jobs).outcomes
    kept = [outcome.to_bytes(histograms=False) for outcome in outcomes if outcome]
    assert sorted(handed) == list(enumerate(kept))


def test_ctrl_c_ends_a_stream_after_what_was_finished_is_handed_over() -> None:
    handed: list[tuple[int, bytes]] = []

    def stop(_: float) -> None:
        if handed:
            raise KeyboardInterrupt

    jobs = [(parse(), 1, 0), (parse(("duration", '"10 h"'), ("series", '"off"')), 1, 0)]
    assert _core.stream(jobs, handed.extend, threads=2, progress=stop)
    assert [place for place, _ in handed] == [0]


def test_an_exception_of_who_takes_a_stream_ends_it_and_is_raised() -> None:
    def full(_: object) -> None:
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        _core.stream([(parse(), 1, 0)], full)


def test_tables_have_one_row_per_replication_and_thing() -> None:
    scenario = parse()
    batch = _core.run([(scenario, 1, replication) for replication in range(3)])
    outcomes = [outcome for outcome in batch.outcomes if outcome]
    tables = _core.tables(scenario, outcomes)
    rows = {name: {len(column) for column in columns.values()} for name, columns in tables.items()}
    # 3 replications of 2 flows, 2 stations, 1 access point and channel, 2 directions; nothing else.
    # Each flow waits in one place: for the air at its station.
    assert rows == {
        "runs": {3},
        "flows": {6},
        "stations": {6},
        "access_points": {3},
        "channels": {3},
        "channel_shares": {3},
        "marks": {0},
        "messages": {0},
        "waits": {0},
        "neighbours": {0},
        "categories": {0},
        "links": {6},
        "airtime": {6},
        "limits": {6},
        "places": {6},
    }
    # 8 steps of each
    for what, things in {"delivered": 2, "window": 2, "airtime": 2, "link_queue": 2}.items():
        series = _core.series(scenario, outcomes, what)
        assert {len(column) for column in series.values()} == {3 * things * 8}


def test_every_column_is_explained_in_the_docs_and_in_the_help() -> None:
    written = (ROOT / "docs" / "results.md").read_text()
    assert reference() in written, "make docs"
    for name, table in tables().items():
        told = " ".join((getattr(airfair.Result, name).__doc__ or "").split())
        assert told == " ".join(table.markdown.split())


def test_lists_hold_what_the_arrays_hold() -> None:
    scenario = parse()
    outcomes = [o for o in _core.run([(scenario, 1, 0)]).outcomes if o]
    arrays = _core.tables(scenario, outcomes)
    lists = _core.tables(scenario, outcomes, lists=True)
    assert lists.keys() == arrays.keys()
    for name, columns in lists.items():
        for column, values in columns.items():
            assert repr(values) == repr(arrays[name][column].tolist())


# 5000 stations take a second or more to set up, and each frame is computed for all of them.
CROWD = """\
duration = "1 s"
[bss.home]
standard = "802.11ax"
radio = { propagation = { model = "log-distance", exponent = 3 } }
[station.s]
count = 5000
position = { circle = "30 m" }
rate = { control = "minstrel" }
[host.h]
link = { rate = "100 Mb/s", delay = "2 ms" }
[flow.f]
from = "s"
to = "h"
transport = { kind = "udp", payload = "1000 B", rate = "saturated" }
"""


@pytest.mark.parametrize("after", [0, 2, 20])
def test_a_cancelled_run_ends_at_once_also_while_its_world_is_built(after: int) -> None:
    calls: list[float] = []

    def progress(_: float) -> None:
        calls.append(time.monotonic())
        if len(calls) > after:
            raise KeyboardInterrupt

    with pytest.raises(airfair.Interrupted):
        airfair.run(CROWD, progress=progress)
    # A cancelled run ends after 0.05 s; 0.5 s allow for a busy machine.
    assert time.monotonic() - calls[-1] < 0.5

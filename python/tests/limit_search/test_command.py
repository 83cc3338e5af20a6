"""Tests of `airfair limits`: its output, the files that it writes, resumed searches, and usage errors."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import airfair
from airfair import cli
from airfair.archive import Archive, Done, Job, run
from airfair.limit_search.cells import QUICK
from airfair.limit_search.running import Limits
from airfair.limit_search.schemes import SCHEMES
from airfair.limit_search.search import Found, Plan, find, table
from support import PROGRAM, Program, runs_in

pytestmark = pytest.mark.slow

PLAN = Plan(points=16, replications=3, seed=2, times=QUICK)
SMALL = ("--quick", "--points", 16, "--replications", 3)


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Found, Path]:
    """Result of a search for TFRC's limits, and the archive with its runs."""
    path = tmp_path_factory.mktemp("searched") / "runs.sqlite"
    with Archive(path) as archive:
        return find(SCHEMES["tfrc"], PLAN, archive), path


def points(found: Found) -> pl.DataFrame:
    return table(found.scheme, found.points)


def test_the_same_seed_finds_the_same(searched: tuple[Found, Path]) -> None:
    first, _ = searched
    second = find(SCHEMES["tfrc"], PLAN)
    assert points(first).equals(points(second))
    assert first.comparisons == second.comparisons


def test_limits_are_a_line_and_tables(searched: tuple[Found, Path]) -> None:
    found, _ = searched
    limits = Limits([found])
    assert re.fullmatch(
        r"tfrc: wins \d+ %, loses \d+ %, mixed \d+ %, of 16 points spread evenly", repr(limits)
    )
    rows = limits.table
    shares = rows.select(pl.sum_horizontal("wins", "loses", "same", "undecided")).to_series()
    assert shares.to_list() == pytest.approx([1.0] * rows.height)
    assert set(rows.filter("judged")["measure"]) == {"own", "others"}
    assert set(limits.points["measure"]) == set(rows["measure"])
    entry = limits.document()["schemes"][0]
    assert [one["id"] for one in entry["measures"]] == rows["measure"].to_list()
    assert limits.rules.height == sum(len(one["rules"]) for one in entry["measures"])
    with pytest.raises(KeyError, match="scheme x: allowed tfrc"):
        limits["x"]


def test_a_search_goes_on_where_it_was(
    searched: tuple[Found, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, path = searched
    made: list[int] = []

    def counted(jobs: Sequence[Job], archive: Archive | None, **options: object) -> Done:
        done = run(jobs, archive, **options)  # type: ignore[arg-type]
        made.append(len(jobs) - done.found)
        return done

    monkeypatch.setattr("airfair.limit_search.search.run", counted)
    with Archive(path) as archive:
        removed = archive.remove("id % 3 = 0")
        again = find(SCHEMES["tfrc"], PLAN, archive)
    assert 0 < sum(made) == removed
    assert points(again).equals(points(whole))
    assert again.comparisons == whole.comparisons


def test_pairs_share_their_seed_and_differ_only_where_the_scheme_can_act(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pairs: list[tuple[int, int]] = []

    def watched(jobs: Sequence[Job], archive: Archive | None, **options: object) -> Done:
        seeds = [job.scenario.seed for job in jobs if job.replication == 0]
        pairs.extend(zip(seeds[::2], seeds[1::2], strict=True))
        return run(jobs, archive, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("airfair.limit_search.search.run", watched)
    found = find(SCHEMES["arf-aware"], PLAN)
    assert all(without == using for without, using in pairs)
    assert len({without for without, _ in pairs}) == len(found.points)
    # ARF-aware TCP acts when a rate changes: at fixed rates both runs of a pair are the same run.
    fixed = [point for point in found.points if point.where["rates"] == "fixed"]
    assert fixed
    for point in fixed:
        assert np.array_equal(point.without["total"], point.using["total"])


def test_json_is_the_document_and_the_directory_holds_the_rest(
    program: Program, tmp_path: Path
) -> None:
    done = program("limits", "tfrc", *SMALL, "--out", "found", "--json")
    assert done.returncode == 0, done.stderr
    whole = json.loads(done.stdout)
    assert (whole["document"], whole["schema"]) == ("limits", 1)
    (document,) = whole["schemes"]
    assert document["scheme"] == "tfrc"
    assert document["points_evenly_spread"] == 16
    assert document["replications"] == 3
    assert not document["interrupted"]
    assert sum(document["verdicts"].values()) == pytest.approx(1)
    for measure in document["measures"]:
        assert sum(measure["verdicts"].values()) == pytest.approx(1)
        assert measure["unit"] in {"%", "points"}
    out = tmp_path / "found/tfrc"
    files = {path.name for path in out.iterdir()}
    assert {"points.parquet", "comparisons.parquet", "limits.json", "map.svg", "map.png"} <= files
    written = json.loads((out / "limits.json").read_text(encoding="utf-8"))
    assert written == {"document": "scheme", "schema": 1, "program": "airfair", **document}
    comparisons = pl.read_parquet(out / "comparisons.parquet")
    assert set(comparisons["verdict"]) <= {"wins", "loses", "same", "undecided"}
    # `airfair.load` reads each scenario that the search wrote.
    scenarios = [path for path in out.glob("*.toml") if path.name.endswith("-with.toml")]
    for path in scenarios:
        assert airfair.load(path).replications == 3


def test_a_standard_of_today_has_a_map_of_its_own(program: Program, tmp_path: Path) -> None:
    done = program("limits", "tfrc", *SMALL, "--standard", "802.11ax", "--out", "found", "--json")
    assert done.returncode == 0, done.stderr
    (document,) = json.loads(done.stdout)["schemes"]
    assert document["standard"] == "802.11ax"
    points = pl.read_parquet(tmp_path / "found/802.11ax/tfrc/points.parquet")
    assert set(points["standard"]) == {"802.11ax"}
    assert set(points["width"]) == {"20 MHz", "40 MHz", "80 MHz"}
    assert (tmp_path / "found/802.11ax/tfrc/map.svg").exists()
    kept = runs_in(tmp_path / "found/runs.sqlite")
    again = program("limits", "tfrc", *SMALL, "--standard", "802.11ax", "--out", "found", "--json")
    assert again.stdout == done.stdout
    assert runs_in(tmp_path / "found/runs.sqlite") == kept


def test_people_get_80_columns(program: Program) -> None:
    done = program("limits", "data-ack", *SMALL)
    assert done.returncode == 0, done.stderr
    assert "up against down" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "wrote results/limits/data-ack" in done.stderr


def test_list_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    def printed(*arguments: str) -> str:
        assert cli.main(["limits", *arguments]) == 0
        return capsys.readouterr().out

    listed = printed("--list").splitlines()
    assert [line.split()[0] for line in listed] == list(SCHEMES)
    assert max(map(len, listed)) <= 80
    entries = json.loads(printed("--list", "--json"))["schemes"]
    assert [entry["id"] for entry in entries] == list(SCHEMES)
    usage = printed("--help")
    assert max(map(len, usage.splitlines())) <= 80
    for option in (
        "--standard",
        "--quick",
        "--points",
        "--replications",
        "--seed",
        "--out",
        "--json",
    ):
        assert option in usage


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "scheme 'nonsense': unknown; allowed arf-aware, "),
        (
            ["arf-windw"],
            "scheme 'arf-windw': unknown, did you mean \"arf-window\"?; allowed arf-aware, ",
        ),
        (
            ["tfrc", "--standard", "802.11be"],
            "--standard '802.11be': unknown, did you mean \"802.11b\"?; allowed 802.11b, 802.11a, ",
        ),
        (["tfrc", "--ofdma"], "--ofdma: allowed only with the standard 802.11ax"),
        (["tfrc", "--neighbour"], "--neighbour: allowed only with the standard 802.11ax"),
        (["tfrc", "--sender"], "--sender: allowed only with the standard 802.11ax"),
        (["tfrc", "--threads", 0], "--threads 0: allowed is a whole number from 1 to 1024"),
        (["tfrc", "--points", 3], "--points 3: allowed is 16 to 4096"),
        (["tfrc", "--replications", 1], "--replications 1: allowed is 3 or more"),
        (["tfrc", "--seed", -1], "--seed -1: allowed is 0 or more"),
        (["tfrc", "--out", "/dev/null/x"], "--out /dev/null/x: "),
    ],
)
def test_a_mistake_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[object], message: str
) -> None:
    assert cli.main(["limits", *map(str, arguments)]) == cli.BAD_INPUT
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"airfair: {message}")
    assert printed.err.count("\n") == 1


SEVERAL = 100
"""Number of runs, for several points of eight runs each."""


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    out = tmp_path / "found"
    command = [*PROGRAM, "limits", "data-ack", "--quick", "--points", "512", "--out", str(out)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as process:
        deadline = time.monotonic() + 90
        while runs_in(out / "runs.sqlite") < SEVERAL and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=90)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "interrupted after" in errors
    assert pl.read_parquet(out / "data-ack/points.parquet").height >= 8

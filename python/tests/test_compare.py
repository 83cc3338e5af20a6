"""Tests of `airfair compare`, which compares runs of equal seeds in pairs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import airfair
from airfair.cli import main
from airfair.experiment import side_by_side_text
from airfair.experiment.errors import StudyError
from airfair.experiment.side_by_side import Comparison, Side, compared

CELL = """
title = "two"
duration = "1 s"
[bss.home]
standard = "802.11g"
[station.slow]
rate = "6 Mb/s"
[station.fast]
rate = "54 Mb/s"
[host.server]
link = { rate = "100 Mb/s", delay = "1 ms" }
[flow.a]
from = "slow"
to = "server"
transport = { kind = "udp", payload = "1000 B", rate = "2 Mb/s" }
[flow.b]
from = "fast"
to = "server"
transport = { kind = "tcp" }
"""


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    path = tmp_path / "cell.toml"
    path.write_text(CELL)
    return path


def result(replications: int = 4, **keys: str) -> airfair.Result:
    return airfair.run(CELL, replications=replications, set=keys)


def save(directory: Path, replications: int, keys: dict[str, str] | None = None) -> None:
    """Write a directory of results without figures."""
    experiment = airfair.Experiment(CELL, set=keys, replications=replications)
    experiment.run(store=None, progress=False).save(directory)


def _json(capsys: pytest.CaptureFixture[str], *sides: Path) -> str:
    assert main(["compare", *map(str, sides), "--replications", "3", "--json"]) == 0
    return capsys.readouterr().out


FASTER = {"station.slow.rate": "54 Mb/s"}


def test_differences_are_those_of_pairs_and_p_is_a_paired_t_tests() -> None:
    before, after = result(), result(**FASTER)
    found = compared(Side.of(before, "before"), Side.of(after, "after"))
    (row,) = [r for r in found.rows if r["column"] == "goodput_bps" and r["flow"] == "b"]
    one, other = (each.flows.filter(flow="b")["goodput_bps"].to_numpy() for each in (before, after))
    assert row["difference"] == pytest.approx((other - one).mean())
    assert row["relative"] == pytest.approx(other.mean() / one.mean() - 1)
    assert row["pairs"] == 4
    assert row["p"] == pytest.approx(stats.ttest_rel(other, one).pvalue)
    # Holm: the smallest p-value is multiplied by the number of tests.
    smallest = min(found.rows, key=lambda r: float(r["p"]))
    assert smallest["p_adjusted"] == pytest.approx(min(1, len(found.rows) * smallest["p"]))
    assert all(r["p_adjusted"] >= r["p"] for r in found.rows)


def test_replications_are_paired_by_their_numbers_and_others_are_left_out() -> None:
    found = compared(Side.of(result(4), "four"), Side.of(result(6), "six"))
    assert {row["pairs"] for row in found.rows} == {4}
    assert all(row["difference"] == 0 for row in found.rows)


def test_equal_records_are_told_as_such(cell: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(cell), str(cell), "--replications", "2"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "identical in every record of all 2 runs" in words


def test_directories_and_scenarios_can_be_mixed(
    cell: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(tmp_path / "run", 5)
    assert main(["compare", str(tmp_path / "run"), str(cell), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["identical"]


def test_directories_of_another_build_are_compared_by_their_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(tmp_path / "one", 4)
    save(tmp_path / "two", 4, FASTER)
    about = json.loads((tmp_path / "one" / "run.json").read_text())
    (tmp_path / "one" / "run.json").write_text(
        json.dumps(about | {"build": "00", "airfair": "0.0.9"})
    )
    assert main(["compare", str(tmp_path / "one"), str(tmp_path / "two"), "--all"]) == 0
    out = capsys.readouterr().out
    assert "4 pairs of runs" in " ".join(out.split()), "wherever a long path breaks the line"
    assert max(map(len, out.splitlines())) <= 80


def test_the_two_are_named_by_their_files_in_the_order_that_was_typed(
    cell: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "much-faster-cell.toml").write_text(CELL.replace('"6 Mb/s"', '"54 Mb/s"'))
    other = tmp_path / "much-faster-cell.toml"
    assert main(["compare", str(cell), str(other), "--replications", "3", "--all"]) == 0
    out = capsys.readouterr().out
    words = " ".join(out.split())
    assert words.startswith(
        "cell and much-faster-cell, 3 pairs of runs; difference = much-faster-cell - cell"
    )
    assert "first" not in words
    assert "second" not in words
    # A long name is broken into lines above the means.
    assert "much-faster-" in out
    rows = json.loads(_json(capsys, cell, other))["rows"]
    line = next(
        line for line in out.splitlines() if line.startswith("flow b") and "goodput" in line
    )
    means = next(row for row in rows if row["flow"] == "b" and row["column"] == "goodput_bps")
    assert float(line.split()[4]) == pytest.approx(means["first"] / 1e6, rel=1e-2)
    assert float(line.split()[5]) == pytest.approx(means["second"] / 1e6, rel=1e-2)


@pytest.mark.parametrize(
    ("first", "second", "short"),
    [
        ("a/plain.toml", "a/aware.toml", ("plain", "aware")),
        ("results/before", "results/after", ("before", "after")),
        ("before/scenario.toml", "after/scenario.toml", ("before", "after")),
        ("x.toml", "x", ("x.toml", "x")),
        ("same", "same", ("first", "second")),
    ],
)
def test_two_paths_are_named_by_what_differs(
    first: str, second: str, short: tuple[str, str]
) -> None:
    sides = [Side(name, "", 1, {}) for name in (first, second)]
    assert side_by_side_text.short_names(Comparison(*sides, [])) == short


def test_points_of_sweeps_are_compared_with_their_like(cell: Path, tmp_path: Path) -> None:
    for name, rate in (("one", "6 Mb/s"), ("two", "9 Mb/s")):
        experiment = airfair.Experiment(
            cell,
            factors={"flow.a.transport.rate": ["1 Mb/s", "2 Mb/s"]},
            set={"station.slow.rate": rate},
            replications=3,
        )
        experiment.run(store=None, progress=False).save(tmp_path / name)
    found = compared(Side.read(tmp_path / "one"), Side.read(tmp_path / "two"))
    points = {row["flow.a.transport.rate"] for row in found.rows}
    assert points == {"1 Mb/s", "2 Mb/s"}
    assert np.isfinite([row["difference"] for row in found.rows]).all()


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ({"seed": 2}, "has seed 1, second has seed 2: pairs need the same seed"),
        ({"names": True}, "no flow or station with the same name"),
    ],
)
def test_what_has_no_pairs_is_refused(second: dict[str, int], words: str) -> None:
    text = CELL
    for name in ("slow", "fast", "flow.a", "flow.b") if "names" in second else ():
        text = text.replace(name, f"{name}2")
    other = airfair.run(text, replications=2, seed=second.get("seed"))
    with pytest.raises(StudyError, match=words):
        compared(Side.of(result(2), "first"), Side.of(other, "second"))


def test_a_directory_without_a_result_is_told(
    tmp_path: Path, cell: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(tmp_path), str(cell)]) == 2
    assert "this directory has no result" in capsys.readouterr().err
    assert main(["compare", str(cell), str(tmp_path / "none.toml")]) == 2


def test_a_damaged_table_is_not_compared(
    cell: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(tmp_path / "run", 2)
    (tmp_path / "run" / "flows.parquet").write_bytes(b"PAR1")
    assert main(["compare", str(tmp_path / "run"), str(cell)]) == 2
    assert "flows.parquet" in capsys.readouterr().err

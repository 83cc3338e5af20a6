"""Tests of `airfair validate --kernel`, which compares the kernel's TCP with the simulated one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from airfair import _core, cli
from airfair.validation import kernel
from airfair.validation.kernel import cells, runs
from airfair.validation.kernel.running import KernelComparison
from airfair.validation.kernel.table import Agreement, Row, text


def row(real: float, ours: float, width: float | None = 0.0) -> Row:
    return Row("11b alone up cubic 0%", "fast_up", (real, width), (ours, width))


def test_a_row_agrees_within_five_percent_and_is_uncertain_within_chance() -> None:
    assert row(10.0, 10.5).verdict is Agreement.AGREES
    assert row(10.0, 9.4).verdict is Agreement.DIFFERS
    # half widths of 0.5 add up to 0.5·√2 = 0.707
    assert row(10.0, 9.3, 0.5).verdict is Agreement.UNCERTAIN
    assert row(10.0, 9.29, 0.5).verdict is Agreement.DIFFERS
    # one run has no interval
    assert row(10.0, 9.4, None).verdict is Agreement.DIFFERS
    assert row(0.0, 0.0).verdict is Agreement.AGREES
    assert row(0.0, 0.1).verdict is Agreement.DIFFERS


def test_the_table_has_intervals_and_verdicts() -> None:
    assert text([row(10.0, 10.4, 0.25), row(10.0, 9.0)]).splitlines() == [
        "                                      kernel     simulated  difference",
        "cell                      flow          Mb/s          Mb/s           %    ≤ 5 %",
        "───────────────────────────────────────────────────────────────────────────────",
        "11b alone up cubic 0%  fast_up  10.00 ± 0.25  10.40 ± 0.25        +4.0   agrees",
        "11b alone up cubic 0%  fast_up  10.00 ± 0.00   9.00 ± 0.00       -10.0  differs",
        "",
        "2 flows: 1 agrees, 0 uncertain, 1 differs",
    ]


def test_every_cell_is_a_scenario() -> None:
    # 2 standards, 1 or 2 stations, 3 directions, 3 flavours, 3 rates of loss
    assert len(cells.stacks()) == 2 * 2 * 3 * 3 * 3
    assert sum(map(cells.is_quick, cells.stacks())) == 2 * 2 * 3 * 3
    # 2 standards, 1 or 2 stations, 2 directions, 2 flavours; 2 standards, 2 directions, 3 flavours
    assert (len(cells.marked()), len(cells.starts())) == (2 * 2 * 2 * 2, 2 * 2 * 3)
    found = cells.cells()
    assert len(found) == len({cell.name for cell in found}) == 108 + 16 + 12
    for cell in found:
        scenario = _core.Scenario.parse(cell.text(cells.LINUX, 12).encode())
        assert scenario
        assert ("ecn = true" in cell.text(cells.LINUX, 12)) == (" ecn " in cell.name)


def test_a_cell_of_starts_lasts_four_seconds_without_warmup() -> None:
    [cell] = [it for it in cells.starts() if it.name == "11a start alone up cubic"]
    lines = cell.text(cells.LINUX, 32).splitlines()
    assert lines[:2] == ['duration = "4 s"', 'warmup = "0 s"']
    assert 'link = { rate = "100 Mb/s", delay = "50 ms" }' in lines


def test_marks_are_shares_beside_goodputs_and_no_part_of_their_sum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = {
        "flows": [{"name": "a", "goodput_bps": 5e6}, {"name": "b", "goodput_bps": 3e6}],
        "marks": [{"name": "a", "marked": 0.012}, {"name": "b", "marked": None}],
    }
    done = subprocess.CompletedProcess([], 0, json.dumps({"valid": True, "result": result}), "")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    document = runs.measured(["emulate"], "")
    assert document is not None
    found = runs.goodputs(document)
    assert found == {"a": 5.0, "b": 3.0, "a marks [%]": 1.2, "b marks [%]": 0.0}
    assert runs.summed([found])["all"] == (8.0, None)
    [*_, marks] = [
        Row("11a ecn alone up cubic", name, (it, 0.0), (it, 0.0)) for name, it in found.items()
    ]
    assert marks.has_marks


def test_the_index_of_airtime_is_no_goodput() -> None:
    found = runs.with_index(
        {"flows": [{"name": "a", "goodput_bps": 5e6}], "fairness": {"airtime": 0.5}}
    )
    assert found == {"a": 5.0, runs.INDEX: 0.5}
    assert runs.summed([found])["all"] == (5.0, None)


@pytest.fixture
def mocked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace emulations by 10 Mb/s, and runs by 10.1 Mb/s with Reno and 8 Mb/s with CUBIC."""

    def emulated(cell: cells.KernelCell, _seconds: int, _seed: int) -> tuple[runs.Goodputs, int]:
        return dict.fromkeys(cell.flows, 10.0), 0

    def simulated(cell: cells.KernelCell, _seconds: int, _seed: int) -> runs.Goodputs:
        return dict.fromkeys(cell.flows, 8.0 if cell.flavour == "cubic" else 10.1)

    monkeypatch.setattr(kernel, "check_permission", lambda: None)
    monkeypatch.setattr(kernel, "emulated", emulated)
    monkeypatch.setattr(kernel, "simulated", simulated)


@pytest.mark.usefixtures("mocked")
def test_the_exit_status_tells_of_a_difference(capsys: pytest.CaptureFixture[str]) -> None:
    only = ["validate", "--kernel", "--quick", "--only"]
    assert cli.main([*only, "11b alone up newreno"]) == 0
    assert "3 flows: 3 agrees, 0 uncertain, 0 differs" in capsys.readouterr().out
    assert cli.main([*only, "11b alone up", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["document"] == "kernel"
    first = {"flow": "fast_up", "kernel_bps": 10e6, "simulated_bps": 10.1e6, "verdict": "agrees"}
    assert first.items() <= document["flows"][0].items()
    assert document["marks"] == []


def test_marks_that_differ_make_the_comparison_differ() -> None:
    real = {"fast_up": (10.0, 0.1), "fast_up marks [%]": (1.2, 0.01), "all": (10.0, 0.1)}
    ours = {**real, "fast_up marks [%]": (1.0, 0.01)}
    found = KernelComparison({"11b ecn alone up cubic": (real, ours)}, 3, 12)
    assert not found.agrees
    [flow], [marks] = found.document()["flows"], found.document()["marks"]
    assert (flow["flow"], flow["verdict"], found.table.height) == ("fast_up", "agrees", 1)
    expected = {"kernel_marked": 0.012, "simulated_marked": 0.01, "verdict": "differs"}
    assert expected.items() <= marks.items()
    assert marks["flow"] == "fast_up"
    assert repr(found) == "1 flows and 1 shares of marks: 1 agrees, 0 uncertain, 1 differs"


@pytest.mark.usefixtures("mocked")
def test_cells_are_kept_beside_those_of_before(tmp_path: Path) -> None:
    file = tmp_path / "new" / "kept.json"
    for only in ("11b alone up newreno 0%", "11a two both cubic 3%"):
        cli.main(["validate", "--kernel", "--only", only, "--keep", str(file)])
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert list(kept["stacks"]) == ["11b alone up newreno 0%", "11a two both cubic 3%"]
    both = kept["stacks"]["11a two both cubic 3%"]
    assert list(both["emulated"]) == ["fast_up", "fast_down", "slow_up", "slow_down", "all"]
    assert both["simulated"]["all"] == [32.0, 0.0]
    assert kept["stacks_about"]["runs"] == kernel.RUNS


FULL = """
mount -t tmpfs -o size=8k none "$1" && printf '{"program": "airfair"}' >"$1/kept.json" || exit 99
dd if=/dev/zero of="$1/rest" bs=4k count=1 2>/dev/null
"$2" -c "$3" "$1/kept.json"; status=$?
cat "$1/kept.json"; ls -A "$1"
exit $status
"""
"""Shell commands that mount a file system of two blocks: an output file and another file fill both."""
MEASURED = """
import sys
from airfair import cli
from airfair.validation import kernel
kernel.check_permission = lambda: None
kernel.emulated = lambda cell, *_: ({name: 10.0 for name in cell.flows}, 0)
kernel.simulated = lambda cell, *_: {name: 10.0 for name in cell.flows}
sys.exit(cli.main(["validate", "--kernel", "--only", "alone", "--keep", sys.argv[1]]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a file system of its own")
def test_on_a_full_disk_the_comparison_is_shown_and_what_was_kept_stays(tmp_path: Path) -> None:
    words = ["unshare", "-rm", "sh", "-c", FULL, "sh", str(tmp_path), sys.executable, MEASURED]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip("no file system can be mounted here")
    assert done.returncode == 1, done.stderr
    assert "kept.json: No space left on device; the file is unchanged" in done.stderr
    assert "92 flows: 92 agrees" in done.stdout
    assert done.stdout.endswith('{"program": "airfair"}kept.json\nrest\n')


@pytest.mark.usefixtures("mocked")
def test_a_file_that_cannot_be_kept_is_told_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "text.json").write_text("moon")
    (tmp_path / "made.json").write_text('{"program": "airfair", "stacks": ')
    for name, why in (
        ("list.json", "a file that airfair did not write"),
        ("text.json", "a file that airfair did not write"),
        ("made.json", "not a comparison"),
        ("text.json/kept.json", "File exists"),
    ):
        file = tmp_path / name
        assert cli.main(["validate", "--kernel", "--quick", "--keep", str(file)]) == 2
        said = capsys.readouterr().err
        assert f"--keep {file}: " in said
        assert why in said


def test_mistakes_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["validate", "--quick"]) == 2
    assert "--quick: works only with --kernel" in capsys.readouterr().err
    monkeypatch.setattr(kernel, "check_permission", lambda: None)
    assert cli.main(["validate", "--kernel", "--only", "11g"]) == 2
    assert "no cell's name contains this" in capsys.readouterr().err


def test_without_permission_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # This program simulates a process without permission.
    program = 'import sys; sys.exit("this process cannot make the network namespaces")'
    monkeypatch.setattr(kernel, "PERMISSION", program)
    assert cli.main(["validate", "--kernel"]) == 2
    said = capsys.readouterr().err
    assert "--kernel: this process cannot run emulations" in said
    assert "cannot make the network namespaces" in said


def test_a_run_that_fails_is_an_error_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernel, "check_permission", lambda: None)
    monkeypatch.setattr(cells, "KERNELS", "{{ kind = 'avian' }}")
    monkeypatch.setattr(runs, "KERNELS", "{{ kind = 'avian' }}")
    assert cli.main(["validate", "--kernel", "--quick", "--only", "11b alone up newreno 0%"]) == 2
    assert "avian" in capsys.readouterr().err


@pytest.mark.waits
@pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's")
def test_a_cell_is_compared_for_real() -> None:
    try:
        kernel.check_permission()
    except runs.ComparisonError as error:
        pytest.skip(str(error))
    (cell,) = (it for it in cells.stacks() if it.name == "11b alone up newreno 0%")
    real, _ = runs.emulated(cell, 4, 1)
    ours = runs.simulated(cell, 4, 1)
    # the emulation is short and the machine may be busy: a fifth is allowed
    assert real["fast_up"] == pytest.approx(ours["fast_up"], rel=0.2)

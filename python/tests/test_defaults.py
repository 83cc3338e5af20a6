"""Tests of the defaults of recent standards: notices about them, and recorded runs without them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest

import airfair
from airfair import cli, defaults, scenario
from airfair._core import Scenario
from airfair.experiment import DefaultsWarning
from airfair.limit_search.cells import FULL, pair
from airfair.limit_search.schemes import SCHEMES
from airfair.limit_search.space import condition
from airfair.limit_search.standards import TODAY
from airfair.reproduction.catalogue import load, papers
from airfair.reproduction.runs import Choice, plan
from airfair.validation import checks
from support import SCENARIO

CELL = """\
title = "A first cell"
duration = "1 s"
bss.home.standard = "802.11ac"
host.server = {}

[station.laptop]
count = 5

[flow.download]
from = "server"
to = "laptop"
transport = { kind = "tcp", min_rto = "300 ms" }
"""


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    path = tmp_path / "cell.toml"
    path.write_text(CELL, encoding="utf-8")
    return path


def told(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[str, str]:
    """Standard output and standard error of `airfair run --explain`."""
    assert cli.main(["run", str(path), "--explain", *options]) == cli.DONE
    printed = capsys.readouterr()
    return printed.out, printed.err


def test_explain_prints_each_default_with_its_value_and_its_reason(
    cell: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = told(cell, capsys)
    lines = out.splitlines()
    assert lines[0] == "Defaults of 802.11ac, because cell home is the newest on the path:"
    assert '  host.server.link.rate = "10 Gb/s"' in lines
    assert "  flow.download.transport.quick_acks = 16" in lines
    assert "      TCP_MAX_QUICKACKS; up to 802.11g 0" in lines
    assert not any("min_rto" in line for line in lines), "the file names it"
    assert max(map(len, lines)) <= 80
    acted = Scenario.applied_defaults(CELL.encode())
    assert all(it["key"] in out for it in acted)


def test_explain_beside_json_goes_to_standard_error(
    cell: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = told(cell, capsys, "--json")
    assert json.loads(out)["document"] == "run"
    assert "flow.download.transport.sack = true" in err


def test_explain_says_where_no_default_of_today_acts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "legacy.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    out, _ = told(path, capsys)
    assert out.startswith("No default of 802.11n or later is used")


def test_what_is_set_on_the_command_line_is_no_default(
    cell: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = told(cell, capsys, "--set", "host.server.link.rate=1 Gb/s")
    assert "link.rate" not in out


def test_alike_defaults_of_many_sections_are_one_line() -> None:
    flows = "".join(
        f'[flow.f{i}]\nfrom = "server"\nto = "laptop1"\ntransport = {{ kind = "tcp" }}\n'
        for i in range(9)
    )
    text = defaults.explained(Scenario.applied_defaults(f"{CELL}{flows}".encode()))
    assert "  flow.download, flow.f0, flow.f1 and 7 more: transport.sack = true" in text
    assert "  flow.f0, flow.f1, flow.f2 and 6 more: transport.min_rto" in text


STUDY = """\
scenario = "cell.toml"
replications = 2

[factors]
"bss.home.standard" = {levels}
"""


def warned(cell: Path, levels: Sequence[str]) -> list[str]:
    experiment = airfair.Experiment(cell, factors={"bss.home.standard": levels}, replications=2)
    return experiment.changed_defaults()


def test_a_sweep_over_eras_warns_of_the_defaults_that_change_with_the_standard(
    cell: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = cell.with_name("study.toml")
    study.write_text(STUDY.format(levels='["802.11g", "802.11ac"]'), encoding="utf-8")
    assert cli.main(["sweep", str(study), "--no-store"]) == cli.DONE
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("airfair: warning: factor bss.home.standard: its levels change")
    assert '  flow.*.transport.receive_window: "65535 B" or "3 MiB"' in lines
    assert '  host.*.link.rate: "100 Mb/s" or "10 Gb/s"' in lines
    assert not any("min_rto" in line for line in lines), "the file names it"


def test_a_sweep_in_python_warns_likewise(cell: Path) -> None:
    factors = {"bss.home.standard": ["802.11g", "802.11n"]}
    experiment = airfair.Experiment(cell, factors=factors, replications=1)
    with pytest.warns(DefaultsWarning, match=r"receive_window"):
        experiment.run(store=None, progress=False)


def test_a_sweep_within_an_era_does_not_warn(cell: Path) -> None:
    assert warned(cell, ["802.11n", "802.11ac", "802.11ax"]) == []
    assert warned(cell, ["802.11b", "802.11g", "802.11a"]) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        airfair.Experiment(
            cell, factors={"host.server.link.delay": ["1 ms", "2 ms"]}, replications=1
        ).run(store=None, progress=False)


BY_STANDARD = frozenset({"fair"})
"""Studies whose hosts have the defaults of their standard's era on purpose; their pages say so."""


def test_recorded_runs_name_all_keys_whose_defaults_differ_by_era(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    acted: dict[str, str] = {}
    current = ""
    parse = scenario.parse

    def spied(
        text: bytes, overrides: Sequence[tuple[str, str]], folder: Path, *, emulated: bool = False
    ) -> Scenario:
        made = parse(text, overrides, folder, emulated=emulated)
        found = Scenario.applied_defaults(text, overrides)
        if "today's hosts" not in made.title and current not in BY_STANDARD:
            acted.update({f"{it['section']}.{it['key']}": made.title for it in found})
        return made

    monkeypatch.setattr(scenario, "parse", spied)
    for current in papers():
        paper = load(current)
        plan(Choice(paper, tuple(paper.experiments.values()), None, Path(), quick=False))
    current = ""
    assert list(checks.plans())
    for standard in TODAY:
        for scheme in SCHEMES.values():
            under = scheme.under(standard)
            both = pair(condition(under.space, [0.5] * len(under.space)), under.switch, FULL)
            scenario.load(both.using)
    assert acted == {}

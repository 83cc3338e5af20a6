"""Tests of commands without simulations, of suggestions for misspelt words, and of the widths of tables."""

from __future__ import annotations

import argparse
import fcntl
import io
import json
import os
import re
import shlex
import struct
import subprocess
import sys
import termios
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import airfair
from airfair import cli, names, run_text, terminal
from airfair.cli import grammar
from airfair.cli.commands import init
from airfair.cli.grammar import parser
from airfair.experiment.stopping import Fixed
from airfair.run_tables import Wish
from support import PROGRAM, SCENARIO, Program

WRONG = SCENARIO.replace("11 Mb/s", "12 Mb/s").replace('"newreno"', '"newrno"')


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, list[str]]:
    """Exit status and lines of standard error of a command that prints no result."""
    status = cli.main([*map(str, arguments)])
    printed = capsys.readouterr()
    assert printed.out == ""
    return status, printed.err.splitlines()


# ------------------------------------------------------------------ check


def test_check_says_nothing_of_what_is_valid(
    scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, "check", scenario, scenario) == (cli.DONE, [])


def test_check_says_every_mistake_of_every_file(
    tmp_path: Path, scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(WRONG, encoding="utf-8")
    status, lines = told(capsys, "check", tmp_path / "none.toml", scenario, wrong)
    assert status == cli.BAD_INPUT
    assert lines[0] == f"airfair: {tmp_path}/none.toml: No such file or directory"
    assert [line.removeprefix(f"airfair: {wrong}: ").split()[0] for line in lines[1:]] == [
        "station.fast.rate",
        "flow.a.transport.flavour",
        "flow.b.transport.flavour",
    ]


def test_check_reads_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for text, status in ((SCENARIO, cli.DONE), (WRONG, cli.BAD_INPUT)):
        stdin = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
        monkeypatch.setattr("sys.stdin", stdin)
        found, lines = told(capsys, "check", "-")
        assert found == status
        assert all(line.startswith("airfair: standard input: ") for line in lines)


def test_check_opens_the_files_that_a_scenario_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "moving.toml"
    trace = 'mobility = { model = "trace", file = "none.csv" }'
    radio = 'standard = "802.11b"\nradio = {}'
    text = SCENARIO.replace('standard = "802.11b"', radio)
    path.write_text(text.replace('rate = "1 Mb/s"', trace), encoding="utf-8")
    status, lines = told(capsys, "check", path)
    assert status == cli.BAD_INPUT
    assert any("none.csv" in line for line in lines)


def test_check_takes_what_emulate_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cell.toml"
    cell = 'title = "T"\nduration = "2 s"\n[bss.home]\nstandard = "802.11g"\n[station.a]\n[host.server]\n'
    kernels = '[flow.up]\nfrom = "a"\nto = "server"\ntransport = {}\n'
    for text in (cell, cell + kernels.format('{ kind = "tcp", stack = "kernel" }')):
        path.write_text(text, encoding="utf-8")
        assert told(capsys, "check", path)[0] == cli.BAD_INPUT
        assert told(capsys, "check", path, "--emulate") == (cli.DONE, [])
    path.write_text(cell.replace("[station.a]", "[station.a]\nrat = 1"), encoding="utf-8")
    status, lines = told(capsys, "check", path, "--emulate")
    assert status == cli.BAD_INPUT
    assert any("station.a.rat" in line for line in lines)
    assert told(capsys, "check", path, "--emulate", "--twice")[0] == cli.BAD_INPUT


def test_check_takes_studies_with_all_their_points(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "study"
    assert told(capsys, "init", "study", folder)[0] == cli.DONE
    study = folder / "study.toml"
    assert told(capsys, "check", study, folder / "cell.toml") == (cli.DONE, [])
    text = study.read_text(encoding="utf-8")
    study.write_text(text.replace("[10, 100, 400]", "[10, 0, 400]"), encoding="utf-8")
    status, lines = told(capsys, "check", study)
    assert status == cli.BAD_INPUT
    assert len(lines) == 1  # an error at several points has one line
    assert all(f"{study}: at " in line and "packets = 0" in line for line in lines)
    study.write_text(text.replace("[compare.discipline]", "[compare.disciplin]"), encoding="utf-8")
    status, lines = told(capsys, "check", study)
    assert status == cli.BAD_INPUT
    assert any("disciplin" in line for line in lines)


@pytest.mark.parametrize("key", ["a", "scenario"])
def test_check_bears_what_is_nested_too_deeply(
    key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "deep.toml"
    path.write_text(f"{key} = {'[' * 100_000}", encoding="utf-8")
    status, lines = told(capsys, "check", path)
    assert status == cli.BAD_INPUT
    assert len(lines) == 1
    assert "cannot recurse further" in lines[0]


def test_check_takes_a_study_that_is_like_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "study"
    assert told(capsys, "init", "study", folder)[0] == cli.DONE
    study = folder / "more.toml"
    study.write_text('like = "study.toml"\nreplications = 3\n', encoding="utf-8")
    assert told(capsys, "check", study) == (cli.DONE, [])
    study.write_text('like = "study.toml"\nreplications = 0\n', encoding="utf-8")
    assert told(capsys, "check", study)[0] == cli.BAD_INPUT


def test_a_sweep_over_labels_that_set_nothing_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cell.toml").write_text(SCENARIO, encoding="utf-8")
    study = tmp_path / "study.toml"
    text = 'scenario = "cell.toml"\n[factors]\nN = { labels = [1, 2] }\n'
    study.write_text(text, encoding="utf-8")
    status, (line,) = told(capsys, "sweep", study)
    assert status == cli.BAD_INPUT
    assert "factors.N: no level sets a key" in line


def test_a_paper_is_checked_with_its_studies_and_their_scenarios(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paper = tmp_path / "paper"
    assert told(capsys, "init", "paper", paper)[0] == cli.DONE
    assert told(capsys, "check", paper) == (cli.DONE, [])
    assert told(capsys, "check", paper / "paper.toml") == (cli.DONE, [])
    (paper / "paper.toml").write_text("titel = 'x'", encoding="utf-8")
    status, lines = told(capsys, "check", paper)
    assert status == cli.BAD_INPUT
    assert any('titel: unknown key, did you mean "title"?' in line for line in lines)


# ------------------------------------------------------------------ suggested commands


def test_a_study_is_no_scenario_and_its_command_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "study"
    assert told(capsys, "init", "study", folder)[0] == cli.DONE
    study = folder / "study.toml"
    for command in (
        ["run", study],
        ["timeline", study, "--out", "x.svg"],
        ["compare", study, study],
    ):
        status, lines = told(capsys, *command)
        assert status == cli.BAD_INPUT
        assert lines == [
            f"airfair: {study}: this file is a study, not a scenario; run it with: airfair sweep {study}"
        ]


def test_a_scenario_is_no_study_and_its_command_is_told(
    scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, lines = told(capsys, "sweep", scenario)
    assert status == cli.BAD_INPUT
    assert lines[0] == (
        f"airfair: {scenario}: this file is a scenario, not a study; run it with: airfair run {scenario}"
    )
    assert lines[1].endswith(f'that contains: scenario = "{scenario.name}"')


def test_a_directory_of_a_paper_or_of_a_result_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, "init", "paper", tmp_path / "paper")[0] == cli.DONE
    status, (line,) = told(capsys, "run", tmp_path / "paper")
    assert (status, line.split(": ")[-1]) == (
        cli.BAD_INPUT,
        f"airfair reproduce {tmp_path / 'paper'}",
    )
    (tmp_path / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    status, (line,) = told(capsys, "run", tmp_path)
    assert line.endswith(
        f"this is a directory; run the scenario in it with: airfair run {tmp_path / 'scenario.toml'}"
    )


def test_an_example_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["run", "one-slow-station"]) == cli.DONE
    named = capsys.readouterr().out.splitlines()
    path = init.EXAMPLES / "one-slow-station.toml"
    assert cli.main(["run", str(path)]) == cli.DONE
    # A file of that name is preferred to the example.
    by_path = capsys.readouterr().out.splitlines()
    assert [named[0], *named[2:]] == [by_path[0], *by_path[2:]]
    Path("one-slow-station").write_text("no scenario", encoding="utf-8")
    assert told(capsys, "run", "one-slow-station")[0] == cli.BAD_INPUT


def test_a_name_that_is_neither_file_nor_example_says_what_comes_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, (line,) = told(capsys, "run", "one-slow-statoin")
    assert status == cli.BAD_INPUT
    assert line.endswith('and no example has this name, did you mean "one-slow-station"?')
    status, (line,) = told(capsys, "run", "xyzzy")
    assert line.endswith(
        "and no example has this name; list the examples with: airfair init example --list"
    )
    status, (line,) = told(capsys, "run", "xyzzy.toml")
    assert line == "airfair: xyzzy.toml: No such file or directory"


def every_parser(
    parser: argparse.ArgumentParser, name: str
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Pairs of a command line and its parser, for a parser and all its commands."""
    yield name, parser
    for action in parser._actions:  # noqa: SLF001 - there is no public way to the commands
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            for word, command in action.choices.items():
                yield from every_parser(command, f"{name} {word}")


PARSERS = dict(every_parser(parser(), "airfair"))


@pytest.mark.parametrize("name", PARSERS)
def test_every_help_fits_eighty_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = PARSERS[name].format_help().splitlines()
    assert not [line for line in lines if names.width(line) > 80]


# ------------------------------------------------------------------ init


@pytest.mark.parametrize("kind", init.KINDS, ids=lambda kind: kind.name)
def test_init_writes_a_start_and_never_overwrites(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: init.Kind
) -> None:
    place = tmp_path / kind.file
    status, lines = told(capsys, "init", kind.name, place)
    assert (status, len(lines)) == (cli.DONE, 1)
    assert f"airfair: wrote {place}; next: airfair " in lines[0]
    before = place.read_bytes() if place.is_file() else None
    status, lines = told(capsys, "init", kind.name, place)
    assert status == cli.BAD_INPUT
    assert lines == [f"airfair: {place}: exists already and is not overwritten; name another place"]
    assert before is None or place.read_bytes() == before


def test_init_takes_the_usual_name_and_leaves_dangling_links_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert told(capsys, "init", "scenario")[0] == cli.DONE
    assert (tmp_path / "scenario.toml").is_file()
    (tmp_path / "link.toml").symlink_to("nowhere.toml")
    for place in ("link.toml", "none/x.toml", ".", "a\0b"):
        status, lines = told(capsys, "init", "scenario", place)
        assert (status, len(lines)) == (cli.BAD_INPUT, 1)
    assert not (tmp_path / "nowhere.toml").exists()


def test_an_example_is_written_as_it_is_and_never_overwrites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, (line,) = told(capsys, "init", "example", "two-cells")
    assert status == cli.DONE
    assert line == "airfair: wrote two-cells.toml; next: airfair run two-cells.toml"
    written = (tmp_path / "two-cells.toml").read_bytes()
    assert written == (init.EXAMPLES / "two-cells.toml").read_bytes()
    assert told(capsys, "init", "example", "two-cells")[0] == cli.BAD_INPUT
    status, (line,) = told(capsys, "init", "example", "two-cels")
    assert status == cli.BAD_INPUT
    assert 'unknown, did you mean "two-cells"?' in line
    assert told(capsys, "init", "example") == (
        cli.BAD_INPUT,
        ["airfair: NAME: missing; list the examples with: airfair init example --list"],
    )


def test_examples_are_listed_with_their_titles_in_80_columns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["init", "example", "--list"]) == cli.DONE
    lines = capsys.readouterr().out.splitlines()
    assert "two-cells                   Two cells behind one slow line" in lines
    names = {line.split()[0] for line in lines if not line.startswith(" ")}
    assert names == {path.stem for path in init.EXAMPLES.glob("*.toml")}
    assert max(map(len, lines)) <= 80


def test_the_playground_is_written_where_a_build_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(init, "PLAYGROUND", tmp_path / "kept" / "playground.html")
    status, lines = told(capsys, "init", "playground")
    assert status == cli.BAD_INPUT
    assert lines == [
        "airfair: playground.html: not part of this build of airfair; build it in a clone with `make web`"
    ]
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "playground.html").write_text("<title>page</title>", encoding="utf-8")
    status, (line,) = told(capsys, "init", "playground")
    assert status == cli.DONE
    assert line.endswith(f"next: open {(tmp_path / 'playground.html').as_uri()} in a browser")
    assert (tmp_path / "playground.html").read_text(encoding="utf-8") == "<title>page</title>"


def test_a_directory_does_not_go_to_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, lines = told(capsys, "init", "study", "-")
    assert status == cli.BAD_INPUT
    assert lines == [
        "airfair: -: a study is a directory and cannot be written to standard output; name a directory"
    ]
    assert list(tmp_path.iterdir()) == []


def test_a_directory_is_made_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(init, "template", lambda *_: {"a": "some", "none/b": "more"})
    assert told(capsys, "init", "study", tmp_path / "new")[0] == cli.BAD_INPUT
    assert list(tmp_path.iterdir()) == []


def test_the_replications_of_a_command_stand_for_those_of_a_study(tmp_path: Path) -> None:
    study = tmp_path / "study"
    assert cli.main(["init", "study", str(study)]) == cli.DONE
    path = study / "study.toml"
    assert airfair.load_study(path).experiment.replications == Fixed(5)
    assert airfair.load_study(path, replications=3).experiment.replications == Fixed(3)


def test_the_scenario_to_begin_with_works_and_shows_the_anomaly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["init", "scenario", "-"]) == cli.DONE
    text = capsys.readouterr().out
    path = tmp_path / "cell.toml"
    path.write_text(text, encoding="utf-8")
    assert told(capsys, "check", path) == (cli.DONE, [])
    fast, slow = airfair.run(path).airtime["airtime_share"]
    assert slow > 3 * fast


@pytest.mark.parametrize("kind", init.NEIGHBOURS)
def test_scenarios_of_neighbours_run_and_shares_of_air_add_up(
    capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    assert cli.main(["init", "scenario", "--kind", kind, "-"]) == cli.DONE
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 120
    result = airfair.run(text, set={"duration": "300 ms", "warmup": "100 ms"})
    shares = result.channel_shares
    assert shares["neighbours"].max() > 0
    parts = shares.drop("replication", "channel").sum_horizontal()
    assert parts.to_list() == pytest.approx([1] * len(parts))


def test_a_channel_with_gaps_delays_packets_by_a_tenth_to_a_quarter_of_a_second() -> None:
    text = "".join(init.template(init.KINDS[0], "gaps").values())
    short = {"duration": "35 s"}
    gaps, without = (
        airfair.run(text, set=short | more).flows["delay_max_ms"][0]
        for more in ({}, {"flow.gaps.stop": "1 s"})
    )
    # 100 kB in frames of 1400 octets at 6 Mb/s: 72 frames of 1.95 ms, ACKs and gaps between them.
    assert 100 + without < gaps < 250 + without


def test_a_camera_that_the_laptop_does_not_hear_makes_jitter() -> None:
    text = "".join(init.template(init.KINDS[0], "jitter").values())
    short = {"duration": "25 s", "flow.upload.stop": "1 s"}
    crowded, quiet = (
        airfair.run(text, set=short | more).flows["jitter_ms"][0]
        for more in ({}, {"flow.garden.stop": "1 s"})
    )
    assert quiet < 1
    assert crowded > 5 * quiet


def test_a_flow_in_the_middle_gets_less_than_a_tenth_of_an_outer_one() -> None:
    text = "".join(init.template(init.KINDS[0], "flow-in-the-middle").values())
    result = airfair.run(text, set={"duration": "2 s"})
    left, middle, right = result.flows["goodput_bps"]
    assert 10 * middle < min(left, right)


def test_rts_saves_frames_from_a_hidden_neighbour() -> None:
    text = "".join(init.template(init.KINDS[0], "hidden-neighbour").values())
    rts = {f"bss.{cell}.rts_threshold": "0 B" for cell in ("mine", "theirs")}
    without, protected = (
        airfair.run(text, set={"duration": "2 s", **keys}).flows["goodput_bps"].sum()
        for keys in ({}, rts)
    )
    assert protected > 1.3 * without


@pytest.mark.slow
def test_the_law_to_begin_with_runs_and_its_tests_pass(tmp_path: Path, program: Program) -> None:
    """The next command that `init` prints works, and so do pytest and `check --twice` in the directory."""
    wrote = program("init", "law", "mine")
    command = shlex.split(wrote.stderr.partition("next: airfair ")[2])
    assert command[0] == "sweep"
    judged = program(*command, "--replications", 3, "--json")
    assert judged.returncode == cli.DONE, judged.stderr
    claims = json.loads(judged.stdout)["claims"]
    assert [claim["holds"] for claim in claims] == [True, True]
    law = ["mine/cell.toml", "--law", "access-point=mylaws:ShareAir"]
    run = program("run", *law, "--json")
    assert run.returncode == cli.DONE, run.stderr
    fast, slow = (flow["goodput_bps"] for flow in json.loads(run.stdout)["flows"])
    assert fast > 5 * slow
    checked = program("check", *law, "--twice")
    assert (checked.returncode, checked.stderr) == (cli.DONE, "")
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path / "mine",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed" in tested.stdout


def test_the_page_of_laws_shows_the_law_to_begin_with() -> None:
    (kind,) = (kind for kind in init.KINDS if kind.name == "law")
    law = init.template(kind)["mylaws.py"]
    page = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "law.md"
    assert law[law.index("import airfair") :] in page.read_text(encoding="utf-8")


def test_each_line_that_can_be_switched_on_works() -> None:
    (text,) = init.template(init.KINDS[0]).values()
    switched = re.findall(r"^#(\w.*)$", text, re.MULTILINE)
    assert len(switched) > 5
    for line in switched:
        key = line.partition(" = ")[0]
        lines = text.replace(f"#{line}", line).splitlines()
        if "instead of the line above" in line:
            del lines[lines.index(line) - 1]
        scenario = airfair.load("\n".join(lines) + "\n")
        assert key.split(".")[-1] in scenario.to_toml()


# ------------------------------------------------------------------ misspelt words


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (
            ["runn", "x.toml"],
            'argument COMMAND: "runn" is unknown, did you mean "run"?; allowed: run',
        ),
        (["init", "senario"], 'did you mean "scenario"?'),
        (["tfrc", "sendd", "x"], 'did you mean "send"?'),
        (["run", "x.toml", "--replicatons", "3"], 'did you mean "--replications"?'),
        (["run", "x.toml", "--replicatons=3"], 'did you mean "--replications"?'),
        (["tfrc", "send", "x", "--profile", "rfc534"], 'did you mean "rfc5348"?'),
    ],
)
def test_a_slip_on_the_command_line_is_recognised(
    capsys: pytest.CaptureFixture[str], arguments: list[str], hint: str
) -> None:
    status, lines = told(capsys, *arguments)
    assert status == cli.BAD_INPUT
    assert lines[0].startswith(
        f"usage: airfair {arguments[0]}"[: 15 if "runn" in arguments else 99]
    )
    assert hint in lines[-1]
    assert "Traceback" not in " ".join(lines)


def test_a_slip_in_the_name_of_a_flow_is_recognised(
    scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario.write_text(SCENARIO.replace("[flow.a]", "[flow.voice]"), encoding="utf-8")
    status, lines = told(capsys, "run", scenario, "--flows", "vioce")
    assert status == cli.BAD_INPUT
    assert 'did you mean "voice"?' in lines[0]


def test_what_is_far_from_everything_gets_no_hint() -> None:
    assert names.did_you_mean("xyz", ["run", "reproduce"]) == ""
    assert names.did_you_mean("", []) == ""


def test_every_command_is_registered_once() -> None:
    modules = {path.stem for path in Path(init.__file__).parent.glob("[a-z]*.py")}
    commands = [name.partition(" ")[2] for name in PARSERS if name.count(" ") == 1]
    assert sorted(commands) == sorted(modules)


OF_COMMANDS = {
    *("help", "usage", "description", "epilog", "add_help", "prefix_chars", "ends_with_command"),
    *("takes", "groups", "commands", "defaults", "shared"),
}


def idle(table: Mapping[str, Any], shared: set[str]) -> Iterator[str]:
    """Keys of the table of a command that nothing reads; takes what it takes from `shared`."""
    groups = [table[name] for name in table.get("groups", ())]
    takes = {name for one in (table, *groups) for name in one.get("takes", ())}
    below = table.get("commands", {}).get("names", ())
    shared -= takes
    yield from table.keys() - OF_COMMANDS - takes - {*below} - {*table.get("groups", ())}
    for name in below:
        yield from idle(table[name], shared)


def test_the_grammar_has_no_table_that_nothing_reads() -> None:
    text = Path(grammar.__file__).with_suffix(".toml").read_text(encoding="utf-8")
    declared = tomllib.loads(text)
    unused = {*declared["shared"]}
    assert not [*idle(declared, unused)]
    assert not unused
    # Negative control: an argument that its command does not take.
    assert [*idle({**declared, "--slip": {}}, set())] == ["--slip"]


# ------------------------------------------------------------------ threads and widths


def test_the_number_of_threads_changes_no_result(
    scenario: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents = []
    for threads in (1, 2, 7):
        command = ["run", str(scenario), "--replications", "3", "--json"]
        assert cli.main([*command, "--threads", str(threads)]) == cli.DONE
        documents.append(capsys.readouterr().out)
    assert len(set(documents)) == 1


@pytest.mark.parametrize("threads", ["0", "-1", "1025", "x", "9" * 30])
@pytest.mark.parametrize("command", [["run", "x.toml"], ["reproduce"], ["limits"]])
def test_a_number_of_threads_that_cannot_be_is_a_mistake(
    capsys: pytest.CaptureFixture[str], command: list[str], threads: str
) -> None:
    status, lines = told(capsys, *command, f"--threads={threads}")
    assert status == cli.BAD_INPUT
    assert lines == [f"airfair: --threads {threads}: allowed is a whole number from 1 to 1024"]


@pytest.mark.parametrize(
    ("said", "found"),
    [(None, 80), ("200", 200), ("60", 60), ("0", 80), ("-5", 80), ("wide", 80), ("9" * 9, 400)],
)
def test_without_a_terminal_a_table_has_80_columns_or_what_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, said: str | None, found: int
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if said is not None:
        monkeypatch.setenv("COLUMNS", said)
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        assert terminal.columns(nowhere) == found


@pytest.mark.parametrize("width", [70, 80, 150])
def test_a_terminal_has_its_width_filled(scenario: Path, width: int) -> None:
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    shown = b""
    with subprocess.Popen([*PROGRAM, "run", str(scenario)], stdout=theirs, env=environment) as run:
        os.close(theirs)
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:
            pass  # the other end is closed
        assert run.wait(timeout=60) == 0
    os.close(ours)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown.decode())
    assert max(map(names.width, plain.splitlines())) == width


@pytest.mark.parametrize(("width", "tables"), [(80, 3), (120, 2), (200, 2)])
def test_a_wide_terminal_has_wide_tables(width: int, tables: int) -> None:
    long = SCENARIO.replace("[flow.a]", "[flow.the-flow-of-the-slow-station]")
    result = airfair.run(long, replications=2)
    lines = list(run_text.report(result, Wish(), width, terminal.Ink()))
    assert sum(line.startswith("─") for line in lines) == tables
    bar = lines[lines.index("Airtime") + 1]
    assert names.width(bar) == width
    assert max(map(names.width, lines)) == width

"""Tests of the completion of commands, options, files and ids in shells."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from airfair import cli
from airfair.cli import completers
from airfair.cli.grammar import parser
from airfair.limit_search.schemes import SCHEMES
from airfair.reproduction.catalogue import papers
from support import PROGRAM


def completed(line: str, folder: Path) -> list[str]:
    """Completions that the program returns for a command line."""
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_SHELL": "fish", "_ARGCOMPLETE_SUPPRESS_SPACE": "1"}
    asked |= {"_ARGCOMPLETE_IFS": "\n", "COMP_LINE": line, "COMP_POINT": str(len(line.encode()))}
    done = subprocess.run(
        ["bash", "-c", '"$@" 8>&1 9>&2 >/dev/null 2>&1', "bash", *PROGRAM],
        cwd=folder,
        env=os.environ | asked,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return [word.partition("\t")[0] for word in done.stdout.split("\n") if word]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("cell.toml", "center.toml", "notes.txt", ".hidden.toml", "cells/a.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("airfair re", ["reproduce"]),
        ("airfair run ce", ["cell.toml", "cells/", "center.toml"]),
        ("airfair check cell.toml cells/", ["cells/a.toml"]),
        ("airfair run cell.toml --out c", ["cells/"]),
        ("airfair run cell.toml --rep", ["--replications"]),
        ("airfair run cell.toml --seed ", []),
        ("airfair reproduce arf", ["arf-aware-tcp", "arf-window"]),
        (
            "airfair reproduce arf-window/",
            ["arf-window/fig4", "arf-window/fig5", "arf-window/table1"],
        ),
        ("airfair limits arf", ["arf-aware", "arf-window"]),
        ("airfair reproduce ./c", ["./cells/"]),
        ("airfair sweep ce", ["cell.toml", "cells/", "center.toml"]),
        ("airfair sweep cell.toml --engine ", ["local", "dask"]),
        ("airfair sweep cell.toml --store n", ["notes.txt"]),
        ("airfair compare cell.toml cent", ["center.toml"]),
        ("airfair cache ", ["list", "prune", "path"]),
        ("airfair tfrc ", ["send", "receive"]),
        ("airfair tfrc send x:1 --profile rfc", ["rfc5348", "rfc3448"]),
        ("airfair init ", ["scenario", "study", "paper", "law", "example", "playground"]),
        ("airfair init study c", ["cells/"]),
        ("airfair init example hid", ["hidden-stations"]),
        ("airfair completion ", ["bash", "zsh", "fish"]),
        ("airfair run cell.toml --threads 0 --o", ["--out"]),
    ],
)
def test_a_line_is_completed(folder: Path, line: str, words: list[str]) -> None:
    assert completed(line, folder) == words


def test_every_command_and_every_id_is_offered(tmp_path: Path) -> None:
    usage = parser().format_help()
    commands = completed("airfair ", tmp_path)
    assert len(commands) > 8
    assert all(f"    {command} " in usage for command in commands)
    assert completers.papers() == papers()
    assert completers.schemes() == list(SCHEMES)
    assert completers.papers("nothing/") == []


def test_hidden_files_are_for_those_who_ask(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert list(completers.toml_files("")) == ["cell.toml", "cells/", "center.toml"]
    assert list(completers.toml_files(".h")) == [".hidden.toml"]
    assert list(completers.toml_files(f"{folder}/cen")) == [f"{folder}/center.toml"]
    assert list(completers.toml_files("nowhere/")) == []


ASK = {
    "bash": (
        'COMP_LINE="airfair repro"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; '
        '_python_argcomplete airfair; printf "%s\\n" "${COMPREPLY[@]}"'
    ),
    "fish": 'complete -C "airfair repro"',
    "zsh": "echo $+functions[_python_argcomplete] reproduce",
}
"""Commands that ask each shell for completions after its script is loaded; zsh needs a terminal."""
LOAD = {
    "bash": 'eval "$(airfair completion bash)"',
    "fish": "airfair completion fish | source",
    "zsh": 'autoload -U compinit && compinit -u -D && eval "$(airfair completion zsh)"',
}


@pytest.mark.parametrize("shell", LOAD)
def test_the_script_of_a_shell_works_there(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    program = tmp_path / "airfair"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m airfair "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    done = subprocess.run(
        [shell, "-c", f"{LOAD[shell]}\n{ASK[shell]}"],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert "reproduce" in done.stdout
    assert "0" not in done.stdout.split()


def test_a_shell_that_is_not_known_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", "fsh"]) == cli.BAD_INPUT
    assert 'did you mean "fish"?' in capsys.readouterr().err

"""`airfair check`: reports the mistakes in scenarios, studies and papers."""

from __future__ import annotations

import argparse
from pathlib import Path

from airfair import scenario
from airfair.cli import laws, repeat, scenarios, studies
from airfair.cli.completers import toml_files
from airfair.cli.parser import Commands
from airfair.cli.status import DONE, InputError

_MOST_POINTS = 10_000
"""Largest number of points whose scenarios are checked; a larger study is checked without its points."""


def add(commands: Commands) -> None:
    """Add the command to the grammar."""
    check = commands.add_parser(
        "check",
        help="check scenarios, studies and papers without running them",
        description="Check scenarios, studies and papers without running them. Prints one line per mistake: "
        "the file, the key, the value found and what is allowed. Prints nothing if all files are valid. "
        "With --twice, run scenarios to find laws whose runs cannot be repeated. "
        "Exit status: 0 all files are valid, 1 two runs differ, 2 at least one file is not valid.",
    )
    check.completed(
        toml_files,
        "files",
        nargs="+",
        metavar="FILE",
        help="scenario file, study file or directory of a paper; - reads a scenario from standard input",
    )
    laws.add(check)
    check.flag(
        "--twice",
        "run the first two replications of each scenario in two fresh processes, in both orders, and "
        "compare the record hashes; they differ if a law uses randomness or time that is not the node's, or "
        "keeps state from one run to the next",
    )
    check.set_defaults(action=_check)


def _check(arguments: argparse.Namespace) -> int:
    problems: list[str] = []
    for name in arguments.files:
        try:
            _check_one(name, arguments)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(*problems)
    if not arguments.twice:
        return DONE
    return max(repeat.twice(name, arguments.law) for name in arguments.files)


def _check_one(name: str, arguments: argparse.Namespace) -> None:
    """Raise `InputError` with the mistakes in a file, or in the directory of a paper."""
    path = Path(name)
    is_paper = path.name == "paper.toml" or (path.is_dir() and (path / "paper.toml").exists())
    if (is_paper or _is_study(name)) and (arguments.law or arguments.twice):
        raise InputError(f"{name}: --law and --twice are for scenarios; this is no scenario")
    if is_paper:
        studies.check_paper(path if path.is_dir() else path.parent, _MOST_POINTS)
    elif _is_study(name):
        studies.check(path, _MOST_POINTS)
    elif name == "-" and arguments.twice:
        raise InputError("-: --twice reads a scenario twice; allowed is a file")
    else:
        laws.of(arguments, name, scenarios.read(name))


def _is_study(name: str) -> bool:
    """True if the file is a study; false if it cannot be read, which `scenarios.read` reports."""
    try:
        return scenarios.is_study(scenario.read(Path(name)))
    except (OSError, ValueError):
        return False

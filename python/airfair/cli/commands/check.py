"""`airfair check`: reports the mistakes in scenarios, studies and papers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from airfair import scenario
from airfair.cli import scenarios, studies
from airfair.cli.completers import complete, toml_files
from airfair.cli.status import DONE, InputError

if TYPE_CHECKING:
    from airfair.cli.parser import Commands

_MOST_POINTS = 10_000
"""Largest number of points whose scenarios are checked; a larger study is checked without its points."""


def add(commands: Commands) -> None:
    """Add the command to the grammar."""
    check = commands.add_parser(
        "check",
        help="check scenarios, studies and papers without running them",
        description="Check scenarios, studies and papers without running them. Prints one line per mistake: "
        "the file, the key, the value found and what is allowed. Prints nothing if all files are valid. "
        "Exit status: 0 all files are valid, 2 at least one is not.",
    )
    files = check.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="scenario file, study file or directory of a paper; - reads a scenario from standard input",
    )
    complete(files, toml_files)
    check.set_defaults(action=_check)


def _check(arguments: argparse.Namespace) -> int:
    problems: list[str] = []
    for name in arguments.files:
        try:
            _check_one(name)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(*problems)
    return DONE


def _check_one(name: str) -> None:
    """Raise `InputError` with the mistakes in a file, or in the directory of a paper."""
    path = Path(name)
    if path.name == "paper.toml":
        studies.check_paper(path.parent, _MOST_POINTS)
    elif path.is_dir() and (path / "paper.toml").exists():
        studies.check_paper(path, _MOST_POINTS)
    elif _is_study(name):
        studies.check(path, _MOST_POINTS)
    else:
        scenarios.read(name)


def _is_study(name: str) -> bool:
    """True if the file is a study; false if it cannot be read, which `scenarios.read` reports."""
    try:
        return scenarios.is_study(scenario.read(Path(name)))
    except (OSError, ValueError):
        return False

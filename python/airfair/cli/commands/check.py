"""`airfair check`: reports the mistakes in scenarios, studies and papers."""

from __future__ import annotations

import argparse
from pathlib import Path

from airfair import scenario
from airfair.cli import laws, repeat, scenarios, studies
from airfair.cli.status import DONE, InputError

_MOST_POINTS = 10_000
"""Largest number of points whose scenarios are checked; a larger study is checked without its points."""


def main(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit status."""
    if arguments.twice and arguments.emulate:
        raise InputError("--twice: runs scenarios, which --emulate does not")
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
    options = (arguments.law, arguments.twice, arguments.emulate)
    if (is_paper or _is_study(name)) and any(options):
        raise InputError(
            f"{name}: --law, --twice and --emulate are for scenarios; this is no scenario"
        )
    if is_paper:
        studies.check_paper(path if path.is_dir() else path.parent, _MOST_POINTS)
    elif _is_study(name):
        studies.check(path, _MOST_POINTS)
    elif name == "-" and arguments.twice:
        raise InputError("-: --twice reads a scenario twice; allowed is a file")
    else:
        laws.of(arguments, name, scenarios.read(name, emulated=arguments.emulate))


def _is_study(name: str) -> bool:
    """True if the file is a study; false if it cannot be read, which `scenarios.read` reports."""
    try:
        return scenarios.is_study(scenario.read(Path(name)))
    except (OSError, ValueError):
        return False

"""`airfair check`: the mistakes in scenarios, and nothing where there are none."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from airfair.cli import scenarios
from airfair.cli.completers import complete, toml_files
from airfair.cli.status import DONE, InputError

if TYPE_CHECKING:
    from airfair.cli.parser import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    check = commands.add_parser(
        "check",
        help="say what is wrong in scenarios",
        description="Check scenarios without a run: every mistake of every file, a line each, with its key "
        "and what is allowed; nothing if there are none. Exit status: 0 all are valid, 2 some are not.",
    )
    files = check.add_argument(
        "files", nargs="+", metavar="FILE", help="scenario file; - for standard input"
    )
    complete(files, toml_files)
    check.set_defaults(action=_check)


def _check(arguments: argparse.Namespace) -> int:
    problems: list[str] = []
    for name in arguments.files:
        try:
            scenarios.read(name)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(*problems)
    return DONE

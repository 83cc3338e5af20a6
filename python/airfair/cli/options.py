"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

from airfair.cli.completers import directories
from airfair.cli.parser import Parser
from airfair.cli.status import InputError

MOST_THREADS = 1024


def out(command: Parser, about: str) -> None:
    """Add the option `--out`, a directory for results, with the help text `about`."""
    command.completed(directories, "--out", type=Path, metavar="DIR", help=about)


def replications(command: Parser, about: str) -> None:
    """Add the option `--replications`, a number of runs, with the help text `about`."""
    command.number("--replications", about)


def force(command: Parser) -> None:
    """Add the option `--force`, which allows replacing files that airfair did not write."""
    command.flag(
        "--force",
        "also replace files that airfair did not write; files that the command reads are never replaced",
    )


def json(command: Parser) -> None:
    """Add the option `--json`, which prints a JSON document instead of text."""
    command.flag("--json", "print one JSON document and nothing else")


def threads(command: Parser) -> None:
    """Add the option `--threads`, the number of runs at the same time."""
    command.option(
        "--threads",
        "N",
        "number of runs at the same time (default: one per core); results do not depend on it",
        type=_threads,
    )


def _threads(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_THREADS:
        raise InputError(f"--threads {text}: allowed is a whole number from 1 to {MOST_THREADS}")
    return int(text)

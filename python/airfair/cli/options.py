"""Options that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

from airfair.cli.completers import complete, directories
from airfair.cli.status import InputError

MOST_THREADS = 1024


def out(command: argparse.ArgumentParser, about: str) -> None:
    """Add the option `--out`, a directory for results, with the help text `about`."""
    argument = command.add_argument("--out", type=Path, metavar="DIR", help=about)
    complete(argument, directories)


def replications(command: argparse.ArgumentParser, about: str) -> None:
    """Add the option `--replications`, a number of runs, with the help text `about`."""
    command.add_argument("--replications", type=int, metavar="N", help=about)


def force(command: argparse.ArgumentParser) -> None:
    """Add the option `--force`, which allows replacing files that airfair did not write."""
    command.add_argument(
        "--force",
        action="store_true",
        help="also replace files that airfair did not write; files that the command reads are never replaced",
    )


def json(command: argparse.ArgumentParser) -> None:
    """Add the option `--json`, which prints a JSON document instead of text."""
    command.add_argument(
        "--json", action="store_true", help="print one JSON document and nothing else"
    )


def threads(command: argparse.ArgumentParser) -> None:
    """Add the option `--threads`, the number of runs at the same time."""
    command.add_argument(
        "--threads",
        type=_threads,
        metavar="N",
        help="number of runs at the same time (default: one per core); results do not depend on it",
    )


def _threads(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_THREADS:
        raise InputError(f"--threads {text}: allowed is a whole number from 1 to {MOST_THREADS}")
    return int(text)

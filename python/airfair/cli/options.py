"""Options that several commands have."""

from __future__ import annotations

import argparse
from pathlib import Path

from airfair.cli.completers import complete, directories
from airfair.cli.status import InputError

MOST_THREADS = 1024


def out(command: argparse.ArgumentParser, about: str) -> None:
    """`--out`: a directory of results."""
    argument = command.add_argument("--out", type=Path, metavar="DIR", help=about)
    complete(argument, directories)


def force(command: argparse.ArgumentParser) -> None:
    """`--force`: files of others may be replaced."""
    command.add_argument(
        "--force",
        action="store_true",
        help="also replace files that airfair did not write; files that the command reads are never replaced",
    )


def json(command: argparse.ArgumentParser) -> None:
    """`--json`: a document for programs."""
    command.add_argument(
        "--json", action="store_true", help="print one JSON document and nothing else"
    )


def threads(command: argparse.ArgumentParser) -> None:
    """`--threads`: fewer or more than there are cores."""
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

"""`airfair compare`: compares two results over pairs of runs with the same seed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from airfair._core import Scenario
from airfair.cli import laws, output, scenarios
from airfair.cli.status import DONE, INTERRUPTED, InputError, complain
from airfair.copies import ForeignResultError
from airfair.engine import Interrupted
from airfair.errors import describe
from airfair.experiment.side_by_side import compare, scenario_of
from airfair.experiment.side_by_side_text import shown
from airfair.law import Law
from airfair.progress import Progress
from airfair.store import DamagedError
from airfair.terminal import columns


def main(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit status."""
    name = arguments.first if arguments.second is None else arguments.second
    first, second = _side(arguments.first), _side(name)
    try:
        own = _laws(arguments, name, second)
        with Progress("comparing") as progress:
            found = compare(
                first,
                None if arguments.second is None else second,
                laws=own,
                names=(arguments.first, name),
                replications=arguments.replications,
                threads=arguments.threads,
                progress=progress,
            )
    except (DamagedError, ForeignResultError) as error:
        raise InputError(str(error)) from error
    except Interrupted:
        return complain(INTERRUPTED, "interrupted")
    if arguments.json:
        output.print_json(found.document())
    else:
        print(shown(found, columns(sys.stdout), every=arguments.all))
    sys.stdout.flush()
    return DONE


def _side(name: str) -> Path | Scenario:
    """Directory of a result, or scenario; raises `InputError`."""
    path = Path(name)
    try:
        return path if path.is_dir() else scenarios.read(name)
    except OSError as error:
        raise InputError(f"{name}: {describe(error)}") from error


def _laws(
    arguments: argparse.Namespace, name: str, second: Path | Scenario
) -> dict[str, list[type[Law]]]:
    """Laws that act in the second side; raises `InputError` with all mistakes."""
    if arguments.second is None and not arguments.law:
        raise InputError(
            "the second DIR|FILE is missing; name a result or a scenario, or give a law: --law "
            "NODE=MODULE:CLASS"
        )
    if not arguments.law:
        return {}
    if not isinstance(second, Path):
        return laws.of(arguments, name, second)
    if arguments.second is not None:
        raise InputError(f"--law: {name} is a result, in which no law can act; name a scenario")
    return laws.of(arguments, "-", scenario_of(second))

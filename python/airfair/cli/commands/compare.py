"""`airfair compare`: compares two results over pairs of runs with the same seed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from airfair.cli import laws, options, output, scenarios
from airfair.cli.completers import toml_files
from airfair.cli.status import DONE, INTERRUPTED, InputError, complain
from airfair.copies import ForeignResultError
from airfair.errors import describe
from airfair.terminal import columns

if TYPE_CHECKING:
    from airfair._core import Scenario
    from airfair.cli.parser import Commands
    from airfair.law import Law

_DESCRIPTION = """\
Compare two results run by run; runs with the same seed form a pair. A result
is a directory that airfair run --out or airfair sweep --out wrote, or a
scenario, which is run first. Flows and stations are matched by name. The
p-values are corrected for the number of rows. With --law, a law of your own
acts in the second one, or in the scenario of the first if there is no second.
"""

_EPILOGUE = """\
examples:
  airfair compare results/plain results/arf-aware
  airfair compare plain.toml arf-aware.toml --replications 20
  airfair compare cell.toml --law 'station.*=mylaws:Mine'
  airfair compare results/before results/after --json | jq '.identical'
"""


def add(commands: Commands) -> None:
    """Add the command to the grammar."""
    compare = commands.add_parser(
        "compare",
        help="compare two results, or two scenarios",
        description=_DESCRIPTION,
        epilog=_EPILOGUE,
    )
    compare.completed(
        toml_files, "first", metavar="DIR|FILE", help="result or scenario that is the baseline"
    )
    compare.completed(
        toml_files,
        "second",
        nargs="?",
        metavar="DIR|FILE",
        help="result or scenario that is compared with the baseline",
    )
    options.replications(
        compare, "number of runs of each scenario (default: the scenario's, or 5 if that is 1)"
    )
    compare.flag("--all", "also show rows without a difference")
    laws.add(compare, "it acts in the second scenario, and the first is the baseline")
    options.threads(compare)
    options.json(compare)
    compare.set_defaults(action=_compare)


def _compare(arguments: argparse.Namespace) -> int:
    from airfair.engine import Interrupted
    from airfair.experiment.side_by_side import compare
    from airfair.experiment.side_by_side_text import shown
    from airfair.progress import Progress
    from airfair.store import DamagedError

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
    from airfair.experiment.side_by_side import scenario_of

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

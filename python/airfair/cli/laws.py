"""Option `--law` of commands that run a scenario: laws of one's own, found by name."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from airfair.cli.status import FAILED, InputError

if TYPE_CHECKING:
    from airfair._core import Scenario
    from airfair.law import Law


_REPLICATIONS = "replications run on all cores, but with trace files one after the other; "


def add(command: argparse.ArgumentParser, remark: str = _REPLICATIONS) -> None:
    """Add the option `--law`, with a remark of the command in its help."""
    command.add_argument(
        "--law",
        action="append",
        default=[],
        metavar="NODE=MODULE:CLASS",
        help="run a law of your own, for example 'station.*=mylaws:Mine'; the module is searched beside the "
        f"scenario, in the working directory and on the Python path; {remark}may be repeated",
    )


def of(arguments: argparse.Namespace, name: str, scenario: Scenario) -> dict[str, list[type[Law]]]:
    """Laws of the command line by node; raises `InputError` with all mistakes.

    `name` is the scenario as the command line names it.
    """
    if not arguments.law:
        return {}
    from airfair.law import LawError, nodes
    from airfair.law_names import find

    folders = [Path(name).parent, Path()] if name != "-" else [Path()]
    laws: dict[str, list[type[Law]]] = {}
    problems = []
    for text in arguments.law:
        node, equals, law = text.rpartition("=")
        if not equals:
            problems.append(
                f"--law {text!r}: allowed is NODE=MODULE:CLASS, for example 'station.*=mylaws:Mine'"
            )
            continue
        try:
            nodes(node, scenario)
            laws.setdefault(node, []).append(find(law, folders))
        except LawError as error:
            problems.append(f"--law {text}: {error}")
    if problems:
        raise InputError(*problems)
    return laws


def failed(error: BaseException) -> int:
    """Print the traceback of a law that has raised an exception, without the frames of airfair."""
    from airfair.law_worker import trimmed

    print(trimmed(error), end="", file=sys.stderr)
    return FAILED

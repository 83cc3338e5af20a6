"""Option `--flent` of `airfair run`: the first run as a recording of flent."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from airfair.cli.output import Output
from airfair.cli.status import InputError
from airfair.errors import describe

if TYPE_CHECKING:
    from airfair._core import Scenario
    from airfair.result import Result


def outputs(arguments: argparse.Namespace) -> list[Output]:
    """The file that the command line names."""
    return [] if arguments.flent is None else [Output("--flent", arguments.flent)]


def check(arguments: argparse.Namespace, scenario: Scenario) -> None:
    """Raise `InputError` if the scenario cannot become a recording."""
    if arguments.flent is None:
        return
    from airfair import flent

    try:
        flent.kinds(scenario)
    except flent.RecordingError as error:
        raise InputError(f"--flent {arguments.flent}: {error}") from error


def save(result: Result, arguments: argparse.Namespace) -> str | None:
    """Write the recording; return the error in words if this fails."""
    from airfair import flent

    try:
        flent.write(result, arguments.flent)
    except OSError as error:
        return f"--flent {arguments.flent}: {describe(error)}"
    return None

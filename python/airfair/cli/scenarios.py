"""Scenarios that are named on the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from airfair import scenario
from airfair._core import LARGEST_SCENARIO, Scenario, ScenarioError
from airfair.cli.completers import complete, toml_files

from .status import InputError


def add(command: argparse.ArgumentParser, *, is_needed: bool = True) -> None:
    """Arguments of a command that runs one scenario, with keys set."""
    scenario = command.add_argument(
        "scenario",
        metavar="SCENARIO.toml",
        nargs=None if is_needed else "?",
        help="scenario file; - for standard input",
    )
    complete(scenario, toml_files)
    command.add_argument("--seed", type=int, metavar="N", help="seed, instead of the scenario's")
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="set a key of the scenario, as in station.slow.rate='1 Mb/s'; may be repeated",
    )


def of(arguments: argparse.Namespace, *, emulated: bool = False) -> Scenario:
    """Scenario of the command line; raises `InputError` with all mistakes."""
    overrides = []
    for text in arguments.set:
        path, equals, value = text.partition("=")
        if not equals or not path.strip():
            raise InputError(f"--set {text!r}: not PATH=VALUE, as in station.slow.rate='1 Mb/s'")
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise InputError(f"--set {text!r}: not a text in UTF-8")
        overrides.append((path.strip(), value))
    overrides += [
        (key, str(value))
        for key in ("seed", "replications")
        if (value := getattr(arguments, key, None)) is not None
    ]
    return read(arguments.scenario, overrides, emulated=emulated)


def read(
    name: str, overrides: Sequence[tuple[str, str]] = (), *, emulated: bool = False
) -> Scenario:
    """The scenario in the file `name`, or on standard input if that is -, with keys set.

    Raises `InputError` with all mistakes, each with the name.
    """
    folder = Path()
    try:
        if name == "-":
            name = "standard input"
            content = sys.stdin.buffer.read(LARGEST_SCENARIO + 1)
        else:
            content, folder = scenario.read(Path(name)), Path(name).parent
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from error
    except ValueError as error:  # a null character
        raise InputError(f"{name!r}: {error}") from error
    try:
        return scenario.parse(content, overrides, folder, emulated=emulated)
    except ScenarioError as error:
        raise InputError(*(f"{name}: {problem}" for problem in error.problems)) from error

"""Scenarios that are named on the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from airfair import scenario
from airfair._core import LARGEST_SCENARIO, Scenario, ScenarioError

from .status import InputError


def read(name: str, overrides: Sequence[tuple[str, str]] = ()) -> Scenario:
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
        return scenario.parse(content, overrides, folder)
    except ScenarioError as error:
        raise InputError(*(f"{name}: {problem}" for problem in error.problems)) from error

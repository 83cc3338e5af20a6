"""Studies that are named on the command line."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from airfair import scenario
from airfair._core import ScenarioError
from airfair.cli.status import InputError
from airfair.errors import describe

if TYPE_CHECKING:
    from airfair.experiment import Study


def read(path: Path, replications: int | None = None) -> Study:
    """Study from a file; raises `InputError` with all mistakes."""
    from airfair.experiment import StudyError, load_study

    try:
        with _addressed(path):
            return load_study(path, replications=replications)
    except InputError as error:
        if isinstance(error.__cause__, StudyError) and _is_scenario(path):
            raise InputError(
                f"{path}: this file is a scenario, not a study; run it with: airfair run {path}",
                f"{path}: to vary it, write a study file that contains: scenario = {json.dumps(path.name)}",
            ) from error
        raise


def _is_scenario(path: Path) -> bool:
    """True if the file declares parts of a network and has no key of a study."""
    import tomllib

    try:
        document = tomllib.loads(scenario.read(path).decode())
    except (OSError, ValueError, RecursionError):
        return False
    return not document.keys() & {"scenario", "like", "factors"} and bool(
        document.keys() & {"bss", "station", "host", "router", "flow"}
    )


@contextlib.contextmanager
def _addressed(path: Path) -> Iterator[None]:
    """Context that turns mistakes in the study at `path` into an `InputError` with the path."""
    from airfair.experiment import StudyError

    try:
        yield
    except StudyError as error:
        raise InputError(*error.problems) from error
    except ScenarioError as error:
        raise InputError(*(f"{path}: scenario: {problem}" for problem in error.problems)) from error
    except OSError as error:
        raise InputError(f"{error.filename or path}: {describe(error)}") from error


def check(path: Path, most_points: int) -> None:
    """Raise `InputError` with the mistakes of a study and of the scenarios at its points.

    If there are more than `most_points` points, only the study and the scenario that it varies are checked.
    """
    from airfair.experiment import StudyError

    experiment = read(path).experiment
    if experiment.size > most_points:
        return
    try:
        experiment.scenarios()
    except (ScenarioError, StudyError) as error:
        raise InputError(*(f"{path}: {problem}" for problem in error.problems)) from error


def check_paper(folder: Path, most_points: int) -> None:
    """Raise `InputError` with the mistakes in a paper's directory and in the scenarios of its studies."""
    from airfair.reproduction import directory
    from airfair.reproduction.studies import SUFFIX

    with _addressed(folder):
        directory.load(folder)
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        check(path, most_points)

"""Scenarios that are named on the command line."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from airfair import scenario
from airfair._core import LARGEST_SCENARIO, Scenario, ScenarioError
from airfair.names import did_you_mean
from airfair.replacing import note_input

from .status import InputError

EXAMPLES = Path(__file__).resolve().parents[1] / "scenarios"
"""Scenarios that come with airfair."""
_STUDY_KEY = re.compile(rb"""^[ \t]*["']?(scenario|like)\b""", re.MULTILINE)
"""Start of a line with a key that only studies have; a file without such a line need not be parsed."""


def of(arguments: argparse.Namespace, *, emulated: bool = False) -> Scenario:
    """Scenario of the command line; raises `InputError` with all mistakes."""
    return read(arguments.scenario, _overrides(arguments), emulated=emulated)


def with_text(arguments: argparse.Namespace) -> tuple[Scenario, bytes, list[tuple[str, str]]]:
    """Scenario of the command line, the content of its file, and the keys that the command line sets.

    Raises `InputError` with all mistakes.
    """
    overrides = _overrides(arguments)
    name, content, folder = _content(arguments.scenario)
    return _parsed(name, content, folder, overrides), content, overrides


def explained(content: bytes, overrides: Sequence[tuple[str, str]]) -> str:
    """Text that explains the defaults that apply in a scenario."""
    from airfair.defaults import explained

    return explained(Scenario.applied_defaults(content, overrides))


def _overrides(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    return keys(arguments.set) + [
        (key, str(value))
        for key in ("seed", "replications")
        if (value := getattr(arguments, key, None)) is not None
    ]


def keys(options: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of a path and a value of the options `--set`; raises `InputError`."""
    overrides = []
    for text in options:
        path, equals, value = text.partition("=")
        if not equals or not path.strip():
            raise InputError(
                f"--set {text!r}: allowed is PATH=VALUE, for example station.slow.rate='1 Mb/s'"
            )
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise InputError(f"--set {text!r}: not valid UTF-8")
        overrides.append((path.strip(), value))
    return overrides


def read(
    name: str, overrides: Sequence[tuple[str, str]] = (), *, emulated: bool = False
) -> Scenario:
    """Scenario from the file `name`, or from standard input if `name` is -, with the keys of `overrides` set.

    If there is no such file, the example of this name is read. Raises `InputError` with all mistakes, each
    preceded by the name.
    """
    name, content, folder = _content(name)
    return _parsed(name, content, folder, overrides, emulated=emulated)


def _content(name: str) -> tuple[str, bytes, Path]:
    """Name for messages, content and folder of a scenario's file."""
    folder = Path()
    try:
        if name == "-":
            name = "standard input"
            with contextlib.suppress(OSError):  # a Python caller's stream without a number
                note_input(sys.stdin.fileno())
            content = sys.stdin.buffer.read(LARGEST_SCENARIO + 1)
        else:
            path = _path(name)
            content, folder = scenario.read(path), path.parent
    except FileNotFoundError as error:
        raise InputError(f"{name}: {error.strerror}{_of_examples(name)}") from error
    except IsADirectoryError as error:
        raise InputError(f"{name}: {_what_is_in(Path(name))}") from error
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from error
    except ValueError as error:  # a null character in the name
        raise InputError(f"{name!r}: {error}") from error
    return name, content, folder


def _parsed(
    name: str,
    content: bytes,
    folder: Path,
    overrides: Sequence[tuple[str, str]],
    *,
    emulated: bool = False,
) -> Scenario:
    try:
        return scenario.parse(content, overrides, folder, emulated=emulated)
    except ScenarioError as error:
        if is_study(content):
            raise InputError(
                f"{name}: this file is a study, not a scenario; run it with: airfair sweep {name}"
            ) from error
        raise InputError(*(f"{name}: {problem}" for problem in error.problems)) from error


def is_study(content: bytes) -> bool:
    """True if the content is TOML with a key of a study, `scenario` or `like`."""
    if len(content) > LARGEST_SCENARIO or not _STUDY_KEY.search(content):
        return False
    import tomllib

    try:
        document = tomllib.loads(content.decode())
    except (ValueError, RecursionError):
        return False
    return "scenario" in document or "like" in document


def _path(name: str) -> Path:
    """Path of the file `name`, or of the example `name` if there is no such file."""
    path = Path(name)
    example = EXAMPLES / f"{name}.toml"
    return example if _may_be_example(name) and not path.exists() and example.is_file() else path


def _may_be_example(name: str) -> bool:
    return Path(name).name == name and not Path(name).suffix


def _of_examples(name: str) -> str:
    """Clause for an error about a missing file; empty if `name` cannot be the name of an example."""
    if not _may_be_example(name):
        return ""
    hint = did_you_mean(name, (path.stem for path in EXAMPLES.glob("*.toml")))
    return f", and no example has this name{hint or '; list the examples with: airfair init example --list'}"


def _what_is_in(folder: Path) -> str:
    """Error text for a directory given as a scenario, with the command to use instead."""
    if (folder / "paper.toml").exists():
        return f"this directory is a paper; run it with: airfair reproduce {folder}"
    if (folder / "scenario.toml").exists():
        return f"this is a directory; run the scenario in it with: airfair run {folder / 'scenario.toml'}"
    return "Is a directory"

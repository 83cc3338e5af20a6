"""Option `--law` of commands that run a scenario: laws of one's own, found by name."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from airfair._core import Scenario
from airfair.cli.status import FAILED, InputError, complain
from airfair.errors import EngineError

if TYPE_CHECKING:
    from airfair.law import Law


def of(arguments: argparse.Namespace, name: str, scenario: Scenario) -> dict[str, list[type[Law]]]:
    """Laws of the command line by node; raises `InputError` with all mistakes.

    `name` is the scenario as the command line names it.
    """
    if not arguments.law:
        return {}
    from airfair.law import nodes

    folders = [Path(name).parent, Path()] if name != "-" else [Path()]
    return named(arguments.law, folders, lambda node: nodes(node, scenario))


def named(
    options: Sequence[str], folders: Sequence[Path], check: Callable[[str], object]
) -> dict[str, list[type[Law]]]:
    """Laws of the options `--law` by node; raises `InputError` with all mistakes.

    Modules are searched in `folders` first. `check` raises `LawError` for a node that cannot have a law.
    """
    from airfair.law import LawError

    laws: dict[str, list[type[Law]]] = {}
    problems = []
    for text in options:
        node, equals, law = text.rpartition("=")
        if not equals:
            problems.append(
                f"--law {text!r}: allowed is NODE=MODULE:CLASS, for example 'station.*=mylaws:Mine'"
            )
            continue
        try:
            check(node)
            laws.setdefault(node, []).append(_found(law, folders))
        except LawError as error:
            problems.append(f"--law {text}: {error}")
    if problems:
        raise InputError(*problems)
    return laws


def _found(law: str, folders: Sequence[Path]) -> type[Law]:
    """Law named MODULE:CLASS or FILE:CLASS; raises `LawError`."""
    from airfair.law import LawError
    from airfair.law_names import find

    place, _, name = law.rpartition(":")
    file = Path(place)
    if file.suffix != ".py":
        return find(law, folders)
    if not file.is_file():
        raise LawError(f"no file {place}; allowed is MODULE:CLASS or FILE:CLASS")
    return find(f"{file.stem}:{name}", [file.parent])


def failed(error: BaseException) -> int:
    """Print the error of an engine, or the traceback of a law without the frames of airfair."""
    if isinstance(error, EngineError):
        return complain(FAILED, str(error))
    from airfair.law_worker import trimmed

    print(trimmed(error), end="", file=sys.stderr)
    return FAILED

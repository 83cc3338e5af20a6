"""Completion of files and ids in shells; argcomplete completes commands and options from the grammar.

A shell starts the program for each completion, so each function imports only the modules that it needs.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

Completer = Callable[..., Iterable[str]]

_PACKAGE = Path(__file__).resolve().parents[1]


def complete(argument: argparse.Action, completer: Completer) -> None:
    """Set the function that completes an argument."""
    argument.completer = completer  # type: ignore[attr-defined]


def answer(parser: argparse.ArgumentParser) -> None:
    """Print completions and exit if a shell has asked for them by environment variable; else do nothing."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete
        from argcomplete.completers import SuppressCompleter

        # Arguments without a completer are numbers or new names, for which there is nothing to suggest.
        nothing = SuppressCompleter()
        argcomplete.autocomplete(parser, always_complete_options=False, default_completer=nothing)


def toml_files(prefix: str, **_: Any) -> Iterator[str]:  # noqa: ANN401 - argcomplete's own
    """TOML files, and directories, which may contain some."""
    return _paths(prefix, lambda path: path.is_dir() or path.suffix == ".toml")


def scenarios_and_examples(prefix: str, **_: Any) -> Iterator[str]:  # noqa: ANN401 - argcomplete's own
    """TOML files and directories, and names of the scenarios that come with airfair."""
    yield from toml_files(prefix)
    yield from (name for name in examples() if name.startswith(prefix))


def files(prefix: str, **_: Any) -> Iterator[str]:  # noqa: ANN401 - argcomplete's own
    """Files of any kind."""
    return _paths(prefix, lambda _path: True)


def directories(prefix: str, **_: Any) -> Iterator[str]:  # noqa: ANN401 - argcomplete's own
    """Directories."""
    return _paths(prefix, Path.is_dir)


def _paths(prefix: str, wanted: Callable[[Path], bool]) -> Iterator[str]:
    start = prefix.rpartition("/")[2]
    shown = prefix.removesuffix(start)
    try:
        found = sorted(Path(shown or ".").expanduser().iterdir())
    except OSError:
        return
    for path in found:
        # Hidden files are only offered after a leading dot.
        hidden = path.name.startswith(".") and not start.startswith(".")
        if path.name.startswith(start) and not hidden and wanted(path):
            yield f"{shown}{path.name}{'/' if path.is_dir() else ''}"


def engines(**_: Any) -> list[str]:  # noqa: ANN401 - argcomplete's own
    """Names for the option `--engine`."""
    return ["local", "dask"]


def papers(prefix: str = "", **_: Any) -> list[str]:  # noqa: ANN401 - argcomplete's own
    """Ids of papers; after "PAPER/" the paper's experiments; after any other slash directories."""
    import pkgutil

    found = pkgutil.iter_modules([str(_PACKAGE / "reproduction" / "papers")])
    ids = sorted(module.name.replace("_", "-") for module in found)
    paper, slash, _rest = prefix.partition("/")
    if paper not in ids and slash:
        return list(directories(prefix))
    if not slash:
        return ids
    from airfair.reproduction.catalogue import load

    return [f"{paper}/{experiment}" for experiment in load(paper).experiments]


def schemes(**_: Any) -> list[str]:  # noqa: ANN401 - argcomplete's own
    """Names of the schemes that `airfair limits` can search."""
    from airfair.limit_search.schemes import SCHEMES

    return list(SCHEMES)


def examples(**_: Any) -> list[str]:  # noqa: ANN401 - argcomplete's own
    """Names of the scenarios that come with airfair."""
    return sorted(path.stem for path in (_PACKAGE / "scenarios").glob("*.toml"))

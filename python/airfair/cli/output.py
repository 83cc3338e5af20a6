"""Outputs of commands. They are checked before the first run; write errors are reported after the result."""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from airfair import replacing
from airfair.cli.status import InputError
from airfair.errors import describe

if TYPE_CHECKING:
    from airfair.result import Result


@dataclass(frozen=True)
class Output:
    """Output of a command: a file, or a directory in which files are written."""

    option: str
    path: Path
    patterns: Collection[str] | None = None
    """Patterns of the names of the files in a directory; `None` if `path` is a file."""

    @property
    def _name(self) -> str:
        return f"{self.option} {self.path}"

    def problems(self, *, force: bool) -> list[str]:
        """Reasons why the output may not be written, one line each."""
        if self.patterns is None:
            found = replacing.problem(self.path, force=force)
            return [f"{self._name}: {found}"] if found else []
        from airfair import store

        return [
            f"{self._name}: {one}" for one in store.problems(self.path, self.patterns, force=force)
        ]

    def clash(self, other: Output) -> str | None:
        """Error text if this file is `other`, or one of its files; else `None`."""
        if self.patterns is not None:
            return None
        place = self.path.resolve()
        if other.patterns is None:
            is_same = place == other.path.resolve() or _same_file(self.path, other.path)
            return (
                f"{self._name}: this is also the file of {other.option}; name another file"
                if is_same
                else None
            )
        inside = place.parent == other.path.resolve()
        if inside and any(fnmatch.fnmatchcase(place.name, one) for one in other.patterns):
            return f"{self._name}: this is also a file of {other.option}; name another file"
        return None


def check(outputs: Sequence[Output], *, force: bool) -> None:
    """Raise `InputError` if an output would replace a protected file, or if two outputs are the same file.

    Files that airfair did not write are replaced only with `force`; inputs of the command are never replaced.
    """
    found = [one for output in outputs for one in output.problems(force=force)]
    found += [
        clash
        for place, output in enumerate(outputs)
        for other in outputs[:place]
        if (clash := output.clash(other) or other.clash(output))
    ]
    if found:
        raise InputError(*found)


def results(out: Path | None) -> list[Output]:
    """Directory `out` as the output of a result; empty list without one."""
    if out is None:
        return []
    from airfair.result_files import names

    return [Output("--out", out, names())]


@contextlib.contextmanager
def prepared(out: Path | None) -> Iterator[None]:
    """Context with the directory `out`, checked to be writable; new directories that stay empty are removed.

    Raises `InputError` if the directory cannot be written.
    """
    from airfair.store import prepare, remove_if_empty

    try:
        made = [] if out is None else prepare(out)
    except (OSError, ValueError) as error:
        words = describe(error) if isinstance(error, OSError) else str(error)
        raise InputError(f"--out {out}: {words}") from error
    try:
        yield
    finally:
        remove_if_empty(made)


def failure(out: Path, write: Callable[[], object]) -> OSError | None:
    """Call `write`; return its error, or `None`. The caller reports the error after it printed the result."""
    try:
        write()
    except OSError as error:
        return OSError(error.errno, f"--out {out}: {describe(error)}")
    return None


def save(result: Result, arguments: argparse.Namespace) -> OSError | None:
    """Write the files of a result to `--out`; return the error if this fails."""
    from airfair import result_files

    out, words, force = arguments.out, arguments.command_line, arguments.force
    return failure(out, lambda: result_files.save(result, out, words, force=force))


def for_people(arguments: argparse.Namespace) -> TextIO:
    """Stream for text: standard error if standard output has a JSON document."""
    return sys.stderr if arguments.json else sys.stdout


def print_json(document: object) -> None:
    """Write a JSON document to standard output, in UTF-8 whatever the system's encoding."""
    from airfair.store import encode

    sys.stdout.flush()
    sys.stdout.buffer.write(encode(document))
    sys.stdout.flush()


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False

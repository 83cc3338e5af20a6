"""Exit statuses, and error messages on standard error."""

from __future__ import annotations

import fnmatch
import sys
import textwrap
from collections.abc import Sequence

from airfair._core import escaped
from airfair.names import did_you_mean
from airfair.terminal import WIDTH, columns, is_terminal

DONE, FAILED, BAD_INPUT, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143


class InputError(Exception):
    """Raised for mistakes of the user, one line each."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def as_option(problem: str, *positional: str) -> str:
    """Message of the library about an argument, as one about the option of the same name.

    Messages about the `positional` arguments stay as they are.
    """
    name, space, rest = problem.partition(" ")
    if name.rstrip(":") in positional:
        return problem
    return f"--{name.replace('_', '-')}{space}{rest}"


def check_globs(option: str, globs: Sequence[str], names: Sequence[str], what: str) -> None:
    """Raise `InputError` with each pattern of an option that matches none of the names."""
    unmatched = [glob for glob in globs if not fnmatch.filter(names, glob)]
    if unmatched:
        raise InputError(
            *(
                f"{option} {glob!r}: matches no {what}{did_you_mean(glob, names)}"
                for glob in unmatched
            )
        )


def complain(status: int, *problems: str) -> int:
    """Print each problem on a line of standard error, and return the status."""
    for problem in problems:
        # File names that are not valid in the system's encoding contain lone surrogates.
        text = problem.encode(errors="backslashreplace").decode()
        print(_wrapped(f"airfair: {escaped(text)}"), file=sys.stderr)
    return status


def _wrapped(line: str) -> str:
    """Line wrapped for a terminal; unchanged if standard error is no terminal."""
    if not is_terminal(sys.stderr):
        return line
    return textwrap.fill(
        line,
        min(max(columns(sys.stderr), 40), WIDTH),
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )

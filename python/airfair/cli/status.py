"""Exit statuses, and error messages on standard error."""

from __future__ import annotations

import os
import sys
import textwrap

from airfair._core import escaped

DONE, FAILED, BAD_INPUT, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143

_WIDTH = 80
"""Largest width of a message on a terminal [columns]."""


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


def complain(status: int, *problems: str) -> int:
    """Print each problem on a line of standard error, and return the status."""
    for problem in problems:
        # File names that are not valid in the system's encoding contain lone surrogates.
        text = problem.encode(errors="backslashreplace").decode()
        print(_wrapped(f"airfair: {escaped(text)}"), file=sys.stderr)
    return status


def _wrapped(line: str) -> str:
    """Line wrapped for a terminal; unchanged if standard error is no terminal."""
    if not sys.stderr.isatty():
        return line
    width = min(os.get_terminal_size(sys.stderr.fileno()).columns or _WIDTH, _WIDTH)
    return textwrap.fill(
        line,
        max(width, 40),
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )

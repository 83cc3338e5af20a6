"""Command line of airfair. Results go to standard output, everything else to standard error.

Exit status: 0 done, 1 a run or a check failed, 2 bad input, 130 interrupted by Ctrl-C, 143 by SIGTERM.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from airfair._core import RunError, ScenarioError
from airfair.errors import describe
from airfair.replacing import inputs_noted

from . import completers, laws
from .grammar import parser
from .status import (
    BAD_INPUT,
    DONE,
    FAILED,
    INTERRUPTED,
    TERMINATED,
    InputError,
    complain,
)
from .streams import Termination, drop_output, open_missing, readers_may_leave

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "BAD_INPUT",
    "DONE",
    "FAILED",
    "INTERRUPTED",
    "TERMINATED",
    "InputError",
    "main",
]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    open_missing()
    command_line = list(sys.argv[1:] if arguments is None else arguments)
    termination = Termination()
    with readers_may_leave(), termination.heard(), inputs_noted():
        status = _command(command_line)
    return TERMINATED if status == INTERRUPTED and termination.asked else status


def _command(command_line: list[str]) -> int:
    try:
        status = _dispatch(command_line)
        sys.stdout.flush()
    except InputError as error:
        return complain(BAD_INPUT, *error.problems)
    except ScenarioError as error:
        return complain(BAD_INPUT, *error.problems)
    except RunError as error:
        return complain(FAILED, str(error))
    except OSError as error:
        drop_output()
        return complain(FAILED, describe(error))
    except KeyboardInterrupt:
        return complain(INTERRUPTED, "interrupted")
    except Exception as error:
        from airfair.law import has_raised

        if has_raised(error):
            return laws.failed(error)
        raise
    return status


def _dispatch(command_line: list[str]) -> int:
    try:
        grammar = parser()
        completers.answer(grammar)
        parsed, strange = grammar.parse_known_args(command_line)
        if strange:
            parsed.parser.reject(strange)
    except SystemExit as end:  # argparse has printed help, the version or an error
        return DONE if end.code is None else int(end.code)
    parsed.command_line = ["airfair", *command_line]
    status: int = parsed.action(parsed)
    return status

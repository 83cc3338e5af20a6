"""Command line of airfair. Results go to standard output, everything else to standard error.

Exit status: 0 done, 1 a run or a check failed, 2 bad input, 130 interrupted by Ctrl-C, 143 by SIGTERM.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from airfair._core import RunError, ScenarioError
from airfair.errors import EngineError, MistakesError, describe
from airfair.replacing import inputs_noted

from . import completers, laws
from .grammar import parser
from .status import BAD_INPUT, DONE, FAILED, INTERRUPTED, TERMINATED, InputError, complain
from .streams import Termination, drop_output, open_missing, readers_may_leave

__all__ = ["BAD_INPUT", "DONE", "FAILED", "INTERRUPTED", "TERMINATED", "InputError", "main"]


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
    except KeyboardInterrupt:
        return complain(INTERRUPTED, "interrupted")
    except Exception as error:  # noqa: BLE001 - a law may raise anything; others are raised again
        from airfair.law import has_raised

        return laws.failed(error) if has_raised(error) else _complaint(error)
    return status


def _complaint(error: Exception) -> int:
    """Print the problems of a command, and return its exit status; raises other exceptions again."""
    match error:
        case InputError() | MistakesError() | ScenarioError():
            return complain(BAD_INPUT, *error.problems)
        case RunError() | EngineError():
            return complain(FAILED, str(error))
        case OSError():
            drop_output()
            return complain(FAILED, describe(error))
        case _:
            raise error


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

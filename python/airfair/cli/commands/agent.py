"""`airfair agent`: runs the separate program airfair-agent, which runs a scheme on this machine's Wi-Fi."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from airfair.cli.status import InputError
from airfair.errors import describe

_PROGRAM = "airfair-agent"


def main(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit status."""
    if sys.platform != "linux":
        raise InputError("airfair agent runs on Linux only")
    program = _program()
    if program is None and {"-h", "--help"} & set(arguments.words):
        arguments.parser.print_help()
        return 0
    if program is None:
        raise InputError(
            f"{_PROGRAM} is not installed; build it with `make agent` (docs/how-to/agent.md)"
        )
    try:
        os.execv(program, [_PROGRAM, *arguments.words])  # noqa: S606 - it is our own program
    except OSError as error:
        raise InputError(f"{program}: {describe(error)}") from error


def _program() -> str | None:
    """Path of airfair-agent: in the interpreter's directory, where `make agent` puts it, or on the PATH."""
    beside = Path(sys.executable).parent / _PROGRAM
    return str(beside) if os.access(beside, os.X_OK) else shutil.which(_PROGRAM)

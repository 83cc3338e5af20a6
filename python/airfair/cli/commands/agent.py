"""`airfair agent`: runs the separate program airfair-agent, which runs a scheme on this machine's Wi-Fi."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from airfair.cli.parser import Commands
from airfair.cli.status import InputError
from airfair.errors import describe

_PROGRAM = "airfair-agent"

_EPILOGUE = """\
examples:
  airfair agent observe                     show who uses the air, live
  airfair agent run --interface wlan0 --dry-run
  airfair agent --help
"""


def add(commands: Commands) -> None:
    """Add the command to the grammar."""
    agent = commands.add_parser(
        "agent",
        help="run a scheme on this machine's Wi-Fi (Linux)",
        usage="airfair agent COMMAND [options]",
        description="Run airfair-agent, which `make agent` builds: docs/how-to/agent.md.",
        epilog=_EPILOGUE,
        add_help=False,
        prefix_chars="\0",
    )
    agent.add_argument(
        "words", metavar="COMMAND", nargs="*", help="command of airfair-agent, with its options"
    )
    agent.set_defaults(action=_agent)


def _agent(arguments: argparse.Namespace) -> int:
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

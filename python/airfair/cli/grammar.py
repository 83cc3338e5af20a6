"""Grammar of the command line."""

from __future__ import annotations

from airfair._core import __version__

from .commands import COMMANDS
from .parser import Parser


def parser() -> Parser:
    """Parser of the command line, to which each command has added its arguments."""
    top = Parser(
        prog="airfair",
        description="A simulator of fairness on Wi-Fi: TCP, TFRC and UDP flows in 802.11 cells whose "
        "stations have different rates, and schemes that share the air between them.",
        epilog="Exit status: 0 done, 1 a run or a check failed, 2 bad input, 130 interrupted by Ctrl-C, "
        "143 by SIGTERM.",
    )
    top.add_argument("--version", action="version", version=f"airfair {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in COMMANDS:
        add(commands)
    return top

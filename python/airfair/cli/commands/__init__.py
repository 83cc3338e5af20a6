"""Commands, one module each. `add` declares a command; its action imports the modules that do the work.

To add a command, write a module in this package and add it to `COMMANDS`.
"""

from __future__ import annotations

from airfair._core import __version__
from airfair.cli.parser import Parser

from . import (
    agent,
    cache,
    check,
    compare,
    completion,
    emulate,
    init,
    limits,
    reproduce,
    run,
    schema,
    shell,
    sweep,
    tfrc,
    timeline,
    validate,
)

COMMANDS = (
    run.add,
    timeline.add,
    check.add,
    init.add,
    sweep.add,
    compare.add,
    cache.add,
    reproduce.add,
    limits.add,
    validate.add,
    emulate.add,
    shell.add,
    agent.add,
    tfrc.add,
    schema.add,
    completion.add,
)
"""Functions that add the commands, in the order of `airfair --help`."""


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

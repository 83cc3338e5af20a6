"""`airfair validate`: checks the simulator against theory, or its TCP against the kernel's."""

from __future__ import annotations

import argparse
from pathlib import Path

from airfair.cli import options
from airfair.cli.parser import Commands
from airfair.cli.status import InputError


def add(commands: Commands) -> None:
    """Add the command to the grammar."""
    validate = commands.add_parser(
        "validate",
        help="check the simulator against theory",
        description="Check the simulator against theory: Bianchi's model, Heusse's model and sums of "
        "airtime. With --kernel, compare its TCP with this machine's kernel in emulated cells instead, in "
        "real time; this takes 90 minutes, or six with --quick, and has the requirements of `airfair "
        "emulate`.",
    )
    validate.flag("--kernel", "compare TCP with this machine's kernel instead (Linux)")
    validate.flag("--quick", "with --kernel: run only single flows, three short runs each")
    validate.option(
        "--only",
        "TEXT",
        "with --kernel: run only cells whose name contains TEXT, for example 'alone up'",
    )
    validate.option(
        "--keep", "FILE", "with --kernel: write the comparison to FILE as JSON", type=Path
    )
    options.force(validate)
    options.json(validate)
    validate.set_defaults(action=_validate)


def _validate(arguments: argparse.Namespace) -> int:
    from airfair.cli.actions import validate

    if arguments.kernel:
        return validate.beside_the_kernel(arguments)
    wanted = {"quick": arguments.quick, "only": arguments.only, "keep": arguments.keep}
    if alone := [name for name, value in wanted.items() if value]:
        raise InputError(f"--{alone[0]}: works only with --kernel")
    return validate.theory(arguments)

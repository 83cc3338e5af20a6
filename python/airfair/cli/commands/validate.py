"""`airfair validate`: checks the simulator against theory."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from airfair.cli import options

if TYPE_CHECKING:
    from airfair.cli.parser import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    validate = commands.add_parser(
        "validate",
        help="check the simulator against theory",
        description="Check the simulator against theory: Bianchi, Heusse, sums of airtime.",
    )
    options.json(validate)
    validate.set_defaults(action=_validate)


def _validate(arguments: argparse.Namespace) -> int:
    from airfair import validate

    return validate.main(arguments)

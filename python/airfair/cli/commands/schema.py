"""`airfair schema`: prints the JSON Schema of the scenario file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from airfair.cli.status import DONE

if TYPE_CHECKING:
    from airfair.cli.parser import Commands


def add(commands: Commands) -> None:
    """Add the command to the grammar."""
    schema = commands.add_parser(
        "schema",
        help="print the JSON Schema of the scenario file",
        description="Print the JSON Schema of the scenario file, for editors.",
    )
    schema.set_defaults(action=_schema)


def _schema(_: argparse.Namespace) -> int:
    from airfair._core import schema

    print(schema())
    return DONE
